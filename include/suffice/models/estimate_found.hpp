#pragma once
// What an estimate found in the statistics, beside the parameters.

#include <array>
#include <string_view>
#include <vector>

namespace suffice {

/// Lists with one number per Gaussian block (pseudo_counts: per block that is not; choice_…: one
/// number), empty where nothing was looked for.
struct EstimateFound {
  std::vector<double> shrinkage_shares = {};  ///< oas: per class, or one if tied
  std::vector<double> shrinkage_rows = {};    ///< v, or a tied covariance's u
  std::vector<double> target_rows = {};       ///< u of the target; inf: the pooled diagonal
  // keep and keep_above, one number each: how many features there were, how many were kept, the
  // least divergence of those and the largest of the others.
  std::vector<double> all_features = {};
  std::vector<double> kept_features = {};
  std::vector<double> least_divergence = {};
  std::vector<double> next_divergence = {};  ///< absent: there were no others
  std::vector<double> pca_components = {};   ///< their number
  std::vector<double> pca_explained = {};    ///< their share of the variance
  std::vector<double> pseudo_counts = {};    ///< α of smoothing 'auto'
  // Where numbers are missing, per Gaussian block: the weight of the rows that the densities were
  // estimated from and of those that lack no number, and how many numbers were used of those that
  // are present. em_passes (one number): missing ones were completed (train/completion.hpp).
  std::vector<double> used_rows = {};
  std::vector<double> complete_rows = {};
  std::vector<double> used_values = {};
  std::vector<double> present_values = {};
  std::vector<double> em_passes = {};
  // Of discriminative models (train/logistic.hpp), one number each: the penalty, the log-loss of
  // the rows left out that chose it, how many missing values were filled in, and 1 where weights
  // have no finite maximum of the likelihood.
  std::vector<double> weight_penalty = {};
  std::vector<double> penalty_log_loss = {};
  std::vector<double> filled_values = {};
  std::vector<double> separable = {};
  // Of `choose` (select/choose.hpp): how many models were compared, on how many rows, and the
  // leave-one-out figures of this one beside those of the class frequencies alone.
  std::vector<double> choice_candidates = {};
  std::vector<double> choice_rows = {};
  std::vector<double> choice_folds = {};  ///< absent: one row was left out at a time
  std::vector<double> choice_error_rate = {};
  std::vector<double> choice_log_loss = {};
  std::vector<double> choice_prior_error_rate = {};
  std::vector<double> choice_prior_log_loss = {};

  // Of mixtures and rows without a label (train/mixture.hpp), one number each: the passes of EM and
  // the log-likelihood by the model before the last one, how many components met the lower bound of
  // their covariance, and the weight of the rows without a label beside what one of them counts.
  std::vector<double> mixture_passes = {};
  std::vector<double> mixture_log_likelihood = {};
  std::vector<double> mixture_bounded = {};
  std::vector<double> unlabelled_rows = {};
  std::vector<double> unlabelled_weight = {};

  struct Field {
    std::string_view name;
    std::vector<double> EstimateFound::*values;
    int since = 1;  ///< the first version of files that has it
  };
  /// All members, by their names in JSON, Python and files.
  static constexpr std::array<Field, 31> fields() {
    return {{{"shrinkage_shares", &EstimateFound::shrinkage_shares},
             {"shrinkage_rows", &EstimateFound::shrinkage_rows},
             {"target_rows", &EstimateFound::target_rows},
             {"all_features", &EstimateFound::all_features},
             {"kept_features", &EstimateFound::kept_features},
             {"least_divergence", &EstimateFound::least_divergence},
             {"next_divergence", &EstimateFound::next_divergence},
             {"pca_components", &EstimateFound::pca_components},
             {"pca_explained", &EstimateFound::pca_explained},
             {"pseudo_counts", &EstimateFound::pseudo_counts},
             {"used_rows", &EstimateFound::used_rows},
             {"complete_rows", &EstimateFound::complete_rows},
             {"used_values", &EstimateFound::used_values},
             {"present_values", &EstimateFound::present_values},
             {"em_passes", &EstimateFound::em_passes},
             {"weight_penalty", &EstimateFound::weight_penalty},
             {"penalty_log_loss", &EstimateFound::penalty_log_loss},
             {"filled_values", &EstimateFound::filled_values},
             {"separable", &EstimateFound::separable},
             {"choice_candidates", &EstimateFound::choice_candidates},
             {"choice_rows", &EstimateFound::choice_rows},
             {"choice_folds", &EstimateFound::choice_folds},
             {"choice_error_rate", &EstimateFound::choice_error_rate},
             {"choice_log_loss", &EstimateFound::choice_log_loss},
             {"choice_prior_error_rate", &EstimateFound::choice_prior_error_rate},
             {"choice_prior_log_loss", &EstimateFound::choice_prior_log_loss},
             {"mixture_passes", &EstimateFound::mixture_passes},
             {"mixture_log_likelihood", &EstimateFound::mixture_log_likelihood},
             {"mixture_bounded", &EstimateFound::mixture_bounded},
             {"unlabelled_rows", &EstimateFound::unlabelled_rows},
             {"unlabelled_weight", &EstimateFound::unlabelled_weight}}};
  }

  friend bool operator==(const EstimateFound&, const EstimateFound&) = default;
};

}  // namespace suffice
