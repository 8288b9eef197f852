#pragma once
// The program, from its words to its exit code.

#include <functional>
#include <string>
#include <vector>

#include "cli/verbs/context.hpp"

namespace suffice::cli {

/// Does what the words say (without the program's name). What there is to say goes to standard
/// output and standard error; returns the exit code. Throws nothing.
int run(const std::vector<std::string>& words);

/// The same, but calls `work` instead of the function of the verb.
int run(const std::vector<std::string>& words, const std::function<void(const Context&)>& work);

}  // namespace suffice::cli
