#pragma once
// Scores of rows that lack numbers of a Gaussian block: by the marginal density of those present.
//
// Classes that share a covariance are compared by what they do not share, as for complete rows:
// with y = W (x − center) and v_c = W (m_c − center), W whitening the numbers that are present,
//
//   −½ |y − v_c|² + ½ |y|² = y · v_c − ½ |v_c|²
//
// which tells classes apart at any distance, in a range that no square leaves.

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "factor/gaussian_factor.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

/// Shared by workers. Refers to its arguments.
class GaussianMarginals {
 public:
  /// `linear`: scores without what classes of one covariance share.
  GaussianMarginals(const GaussianDensity& density, const GaussianFactor& factor,
                    const Vector& weights, bool linear);

  /// The density of the features that a row has.
  struct Marginal {
    std::vector<Index> kept;       ///< positions among the used features
    std::vector<Matrix> whitener;  ///< per class, or one
    Vector log_norm;
    std::size_t bytes = 0;
  };
  /// What a worker has met.
  struct Known {
    std::map<std::string, Marginal> marginals;  ///< by the pattern of missing features
    std::size_t bytes = 0;
  };
  /// K scores of a row of the used features, NaN where a number is missing.
  void score(const double* x, Known& known, double* scores) const;

 private:
  void score_by_missing(const double* x, const std::vector<Index>& missing, double* scores) const;
  void score_linear(const double* x, const std::vector<Index>& missing, Known& known,
                    double* scores) const;
  double log_marginal(const double* x, Index c, Known& known) const;
  double log_quadratic(Index c, double q, Index n) const;
  const std::vector<Matrix>* precisions() const;
  const Marginal& marginal_of(const double* x, Known& known) const;
  bool by_missing(const std::vector<Index>& missing) const;

  /// A class of weight 0 has no density; whoever asked for the scores puts −inf.
  bool is_empty(Index c) const { return weights_[c] == 0; }
  double scale_of(Index c, Index j) const {
    return factor_.inverse_deviation(factor_.inverse_deviation.rows() == 1 ? 0 : c, j);
  }
  double spread_of(Index c) const { return factor_.spread.empty() ? 1 : factor_.spread[c]; }

  const GaussianDensity& density_;
  const GaussianFactor& factor_;
  const Vector& weights_;
  bool linear_;
  Index d_, classes_;
  bool student_, joint_;
  mutable std::once_flag precisions_made_;
  mutable std::vector<Matrix> precisions_;
};

}  // namespace suffice
