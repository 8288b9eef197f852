#pragma once
// The message of an exception, for tests that read it.

#include <string>

#include "suffice/core/error.hpp"

namespace suffice::testing {

/// What `call` says when it throws an E; any other exception ends the test.
template <class E = InvalidArgument, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

}  // namespace suffice::testing
