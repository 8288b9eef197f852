#pragma once
// show --tests: the tables of a discriminant analysis.

#include <string>

#include "cli/verbs/context.hpp"
#include "suffice/contrast/class_tests.hpp"

namespace suffice::cli {

std::string tests_text(const Context& context, const ClassTests& tests);

/// A p-value: 0.0123, "< 1e-300".
std::string p_in_words(double p);

}  // namespace suffice::cli
