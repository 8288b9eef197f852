#pragma once
// Leave-one-out scores of a Gaussian block for many strengths of shrinkage and many tails at once.
//
// Full covariances are (S_c + v T) / (f_c + v), tied ones (S + v D) / (f + v). In a basis in which
// S_c is diagonal and T the identity, the quadratic form of A = S_c + v T is Σ y_i² / (λ_i + v), so
// one product of the squares y² with the numbers 1 / (λ_i + v) serves all v. Without a row of class
// y and weight u, with δ = x − m_y and a = W u / (W − u), A loses g δδᵀ: g = a for the row's own
// class and for tied covariances. The pooled part of T = τ S + … may lose the row as well: then g
// has a v τ besides, in every class. With q_pδ = (x − m_c)ᵀ A⁻¹ δ and h = 1 − g q_δδ,
//
//   log det A gains log h,   q_c becomes q_pp + g q_pδ² / h,   that of the own class (W/W₋)² q_δδ /
//   h.

#include <memory>
#include <optional>
#include <vector>

#include "left_out/block_without_row.hpp"
#include "left_out/changed_density.hpp"
#include "left_out/dense_without_row.hpp"
#include "left_out/scatter_basis.hpp"

namespace suffice {

class StrengthGrid {
 public:
  struct Axes {
    std::vector<double> strengths;    ///< v; 0: by the evidence, as `estimate` has it
    std::vector<double> tails = {0};  ///< ν > 2 of Student's t; 0: as the options have them
    /// Full covariances: the pooled scatter in the target is without the row, too; its diagonal and
    /// its degrees of freedom stay. Otherwise all of the target stays.
    bool moving_target = false;
    /// The target is the identity, as in a ThinSpace, and there are so many directions more in
    /// which no row varies.
    std::optional<Index> outside = {};
  };

  /// The options have full or tied covariances and a prior, the strength of which is ignored. Of
  /// the model only the means and the constant features matter. Keeps what a BlockInput says.
  StrengthGrid(const BlockInput& input, Axes axes, Workers& workers);

  /// Scores of a row and class: one for each strength and each of its tails.
  Index width() const { return std::ssize(axes_.strengths) * std::ssize(axes_.tails); }
  /// Rows × K for each strength and each of its tails, NaN where the row lacks a value. The own
  /// class of a row that is all of its class has −inf.
  std::vector<Matrix> scores(const Model& model, const RowBlock& rows, const RemovedRows& removed,
                             const Execution& execution) const;

 private:
  friend class StrengthScorer;
  /// Its n × n matrices S + v T.
  struct Basis {
    ScatterBasis basis;  // its means: of all classes, or of one if nothing else is needed
    Matrix inverse;      // n × strengths: 1 / (λ_i + v)
    Vector log_det;      // per strength
  };
  const Basis& basis_of(Index c) const { return bases_[rule_.tied() ? 0 : c]; }
  const double* mean(Index of_class, Index k) const {
    const Matrix& means = basis_of(of_class).basis.means;
    return means.row(means.rows() == 1 ? 0 : k).data();
  }
  bool moves() const { return pooled_share_ > 0; }
  /// Of the density: n, and the directions outside.
  Index dimension() const { return n_ + axes_.outside.value_or(0); }
  /// W with W T Wᵀ = I, or none where T is the identity; returns log det T. T may take a share of
  /// the pooled scatter, which is set as well.
  double find_target(const BlockInput& input, const PooledScatter& pooled, Matrix& whitener);
  ChangedDensity density(Index c, Index strength, Index tail, const RemovedRow& row) const;
  void add_scatter(const GaussianStatistics& statistics, Index c, Matrix& sum) const;
  double evidence_strength(double pooled_dof) const;
  void fill(Basis& of, double log_det_of_target) const;
  void fill_between();

  std::size_t block_;
  Axes axes_;
  const GaussianFactor& factor_;
  CovarianceRule rule_;
  CompleteWeights weights_;
  Index n_, classes_;
  double pooled_share_ = 0;      // τ, where it moves
  std::vector<Basis> bases_;     // per class, or one
  std::vector<Matrix> between_;  // tied, per strength: distances of the means, K × K
};

}  // namespace suffice
