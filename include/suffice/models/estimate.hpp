#pragma once
// From statistics to a model: a pure function of the sums and the options.

#include <span>
#include <string_view>
#include <vector>

#include "suffice/models/model.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

enum class Normalize {
  mle,       ///< divide the scatter by the weight W (tied: the sum of all W)
  unbiased,  ///< divide by W − 1 (tied: the sum of all W minus the number of classes)
};

std::string_view to_string(Normalize normalize);
Normalize normalize_from_string(std::string_view name);

struct EstimateOptions {
  Covariance covariance = Covariance::full;
  Normalize normalize = Normalize::mle;
  /// Pseudo-count α ≥ 0 of the discrete families: probabilities are (n + α) / (N + α L) over the L
  /// levels (2 for Bernoulli, the block's features for multinomial); a Poisson rate is
  /// (Σx + α r) / (W + α), α rows at the rate r of all classes together. 0 is maximum likelihood.
  double smoothing = 1;
  /// Weights with which the class covariances are pooled into a tied one, in the order of the
  /// labels; scaled to sum to 1. Empty: as the classes' weights have it, Σ S_c / Σ W_c (unbiased: Σ
  /// S_c / Σ (W_c − 1)).
  std::vector<double> pooling = {};
};

/// An option in words: the command line's help, Python's documentation and the pages are made of
/// these.
struct OptionText {
  std::string_view name;           ///< of the member of EstimateOptions
  std::string_view values;         ///< "mle|unbiased", "NUMBER"
  std::string_view default_value;  ///< empty: none
  std::string_view description;    ///< one sentence
};

/// In the order of EstimateOptions.
std::span<const OptionText> estimate_option_texts();
/// Throws InvalidArgument for a name that there is not.
const OptionText& estimate_option_text(std::string_view name);

/// Throws InvalidArgument (an option that cannot be, no rows at all, diagonal statistics for a
/// dense structure), SingularError (a covariance without inverse: which class, its rank, the
/// dependent features).
Model estimate(const Statistics& statistics, const EstimateOptions& options = {},
               const Execution& execution = {});

}  // namespace suffice
