#pragma once
// Estimates of text blocks. Of the words of a column that are kept, with n_cj how often class c has
// word j, r_cj the rows that have it, N_c = Σ_j n_cj, W_c the rows of c and V words:
//   multinomial  p_cj = (n_cj + α) / (N_c + α V)
//   complement   q_cj = (n_j − n_cj + α) / (N − N_c + α V), with sums n_j and N over all classes
//   bernoulli    p_cj = (r_cj + α) / (W_c + 2 α)
// With idf, n_cj is multiplied by idf_j = 1 + log((1 + W) / (1 + r_j)).

#include <vector>

#include "estimate/estimate_context.hpp"
#include "suffice/models/model.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// The words of a feature that the options keep, rising.
std::vector<Index> kept_words(const TextStatistics& statistics, Index feature,
                              const EstimateOptions& options);

TextDensity estimate_text(const TextStatistics& statistics, const EstimateContext& context);

}  // namespace suffice
