#pragma once
// What an estimate found in the statistics, beside the parameters.

#include <array>
#include <string_view>
#include <vector>

namespace suffice {

/// Lists with one number per Gaussian block (pseudo_counts: per block that is not), empty where
/// nothing was looked for.
struct EstimateFound {
  std::vector<double> shrinkage_shares = {};  ///< oas: per class, or one if tied
  std::vector<double> shrinkage_rows = {};    ///< v, or a tied covariance's u
  std::vector<double> target_rows = {};       ///< u of the target; inf: the pooled diagonal
  std::vector<double> pca_components = {};    ///< their number
  std::vector<double> pca_explained = {};     ///< their share of the variance
  std::vector<double> pseudo_counts = {};     ///< α of smoothing 'auto'

  struct Field {
    std::string_view name;
    std::vector<double> EstimateFound::*values;
  };
  /// All members, by their names in JSON, Python and files.
  static constexpr std::array<Field, 6> fields() {
    return {{{"shrinkage_shares", &EstimateFound::shrinkage_shares},
             {"shrinkage_rows", &EstimateFound::shrinkage_rows},
             {"target_rows", &EstimateFound::target_rows},
             {"pca_components", &EstimateFound::pca_components},
             {"pca_explained", &EstimateFound::pca_explained},
             {"pseudo_counts", &EstimateFound::pseudo_counts}}};
  }

  friend bool operator==(const EstimateFound&, const EstimateFound&) = default;
};

}  // namespace suffice
