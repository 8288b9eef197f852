#pragma once
// What main turns into exit codes; everything else comes from the library.

#include <string>
#include <string_view>

#include "suffice/core/error.hpp"

namespace suffice::cli {

/// The name of an option as people see it: "towards-tied" instead of "towards_tied".
std::string hyphenated(std::string_view name);
/// How the command line writes messages: options as flags, features as columns.
std::string flag_of(const Option& option);
inline constexpr Spelling flag_spelling{.option = flag_of, .feature = "column"};

/// The command is wrong, whatever the files hold: exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
  explicit UsageError(const Error& error) : Error(error) {}
};

/// Mistakes among options as a UsageError.
template <class Work>
auto as_usage(const Work& work) {
  try {
    return work();
  } catch (const InvalidArgument& error) {
    throw UsageError(error);
  }
}

/// The command has done its work and found what its exit code is to report: 3.
class Alarm : public Error {
 public:
  Alarm() : Error("what was looked for was found") {}
};

/// The reader of our standard output has gone. Not reported.
class ClosedPipe : public Error {
 public:
  ClosedPipe() : Error("standard output was closed") {}
};

}  // namespace suffice::cli
