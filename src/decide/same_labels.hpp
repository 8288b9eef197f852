#pragma once
// Scores, priors and costs can only meet over the same classes.

#include <string>

#include "suffice/core/names.hpp"
#include "suffice/score/log_likelihoods.hpp"

namespace suffice {

/// Throws InvalidArgument that names the first class which differs.
void require_same_labels(const Names& a, const std::string& whose_a, const Names& b,
                         const std::string& whose_b);

/// Throws InvalidArgument unless the scores have one column per class.
void require_columns(const LogLikelihoods& scores);

}  // namespace suffice
