#pragma once
// What scoring needs of a model's densities, worked out once when the model is made.

#include <string>
#include <variant>
#include <vector>

#include "models/feature_family.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

/// log N(x; m_c, Σ_c) = log_norm[c] − ½ |W_c (x − center) − W_c (m_c − center)|²  with  W_cᵀ W_c =
/// Σ_c⁻¹. Centring first keeps the digits of data with a large offset. W = L⁻¹ D^-½, where D has
/// the variances and L is the Cholesky factor of the correlation matrix, so units do not matter.
struct GaussianFactor {
  std::vector<Index> used;  ///< positions in the block of the features that are not constant
  Vector center;            ///< per used feature: the mean of the means of the classes with weight
  Matrix mean;              ///< K × used: m_c − center
  /// full: K lower-triangular matrices W_c; tied: one. Empty for the other structures.
  std::vector<Matrix> whitener;
  /// diag and spherical: K × used, 1/σ; tied-diag and tied-spherical: 1 × used. Otherwise empty.
  Matrix inverse_deviation;
  Matrix whitened_mean;  ///< K × used: W_c (m_c − center), or (m_c − center)/σ
  Vector log_norm;       ///< K: −½ log det 2πΣ_c over the used features; log p_c(m_c)
  /// Tied structures only: but for a term that all classes share,
  /// log p(x | c) = linear_constant[c] + Σ_j linear(c, j) (x_j − center_j).
  Matrix linear;           ///< K × used: Σ⁻¹ (m_c − center)
  Vector linear_constant;  ///< K: −½ |whitened_mean_c|²  (no log_norm: it is shared)
  /// Student's t; empty for normal densities. With q = |…|² above, n features and the constant of t
  /// in log_norm: K × 1, log p = log_norm[c] − ½ (dof + n) log(1 + q / (dof spread[c])). K × used:
  /// a sum of such terms, one a feature (n = 1). There is no linear form.
  Matrix dof;
  /// K, with a whitener that classes share: their scale matrices over that of the whitener.
  /// inverse_deviation, by contrast, has one row a class.
  Vector spread;
};

/// Families that are estimated from Σ w x: log p(x | c) = Σ_j [at_zero(c, j) + slope(c, j) x_j] −
/// Σ_j shared(x_j). Bernoulli: log(1 − p) and logit p; Poisson: −λ and log λ; multinomial: 0 and
/// log p.
///
/// Where parameters are not known but distributed themselves, beyond(c, j, x_j) of the x_j ≠ 0
/// comes on top. Negative binomials and Dirichlet-multinomial documents have a (a + 1) … (a + x −
/// 1) instead of a^x, with a the shape, or the concentration times a probability. Documents of N
/// words lose log_gamma_excess(A, N) besides, A the concentration.
struct CountFactor {
  Matrix at_zero;        ///< K × d; empty: all 0 (multinomial)
  Matrix slope;          ///< K × d
  Vector constant;       ///< K: Σ_j at_zero(c, j)
  Matrix value;          ///< K × d: what `beyond` is given; empty: it looks at the shape alone
  Matrix shape;          ///< K × d; empty: nothing is beyond
  Vector concentration;  ///< K: documents; otherwise empty
  /// Values that a class excludes (a probability of 0 or 1, a rate of 0). Their at_zero and slope
  /// are set to finite numbers that are right for the values which remain possible.
  struct Excluded {
    Index label, feature;
    bool zero;  ///< x = 0 is impossible (Bernoulli p = 1); otherwise x > 0 is
  };
  std::vector<Excluded> excluded;
  double (*beyond)(const FeatureParameters&, double x) = nullptr;
  double (*shared)(double x) noexcept = nullptr;  ///< null: 0
};

/// Categorical: log p = Σ_j table(first[j] + level of x_j, c).
struct CategoricalFactor {
  std::vector<Index> first;  ///< per feature, and the total at the end
  Matrix table;              ///< levels of all features × K; may hold −inf
};

using Factor = std::variant<GaussianFactor, CountFactor, CategoricalFactor>;

struct Factors {
  std::vector<Factor> blocks;  ///< in the order of schema.blocks()
};

/// Throws InvalidArgument and SingularError as the constructor of Model says.
Factors make_factors(const Model::Parts& parts, const Execution& execution);

/// Σ_oo of a sub-block: W and −½ log det 2πΣ of the features at `kept` (positions in `covariance`).
/// Returns the number of leading features that are independent of those before them; it is
/// kept.size() on success, and then W (lower triangular) and log_norm are set.
Index whiten(const Matrix& covariance, std::span<const Index> kept, Matrix& whitener,
             double& log_norm);
/// The same for all features of a covariance that the classes share, called `names`. Throws
/// SingularError where they are not independent, as after a subtraction that lost its digits.
void whiten_shared(const Matrix& covariance, const std::vector<std::string>& names,
                   Matrix& whitener, double& log_norm);

}  // namespace suffice
