#pragma once
// What main turns into exit codes; everything else comes from the library.

#include "suffice/core/error.hpp"

namespace suffice::cli {

/// An option of the library as a flag: --towards-tied, --covariance tied.
std::string flag_of(const Option& option);

/// The command is wrong, whatever the files hold: exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
  explicit UsageError(const InvalidArgument& error) : Error(error.text({.option = flag_of})) {}
};

/// The reader of our standard output has gone. Nobody is told.
class ClosedPipe : public Error {
 public:
  ClosedPipe() : Error("standard output was closed") {}
};

}  // namespace suffice::cli
