#pragma once
// What main turns into exit codes; everything else comes from the library.

#include "suffice/core/error.hpp"

namespace suffice::cli {

/// The command is wrong, whatever the files hold: exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// The reader of our standard output has gone. Nobody is told.
class ClosedPipe : public Error {
 public:
  ClosedPipe() : Error("standard output was closed") {}
};

}  // namespace suffice::cli
