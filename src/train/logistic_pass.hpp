#pragma once
// One pass over the rows for logistic regression: loss, gradient and curvature at some points, each
// a sum over rows. Sums are made in lanes of panels that are fixed by the rows, and merged in
// order.
//
// Points are weights of standardised terms, one row per class that has rows, with the intercept as
// the last column. Curvature is that of contrasts u of the classes, W = V u with Vᵀ V = 1 and
// columns of V that sum to 0, so that no direction is without curvature:
//
//   H_ab = Σ_i w_i (Σ_k p_ik V_ka V_kb − v_ia v_ib) φ_i φ_iᵀ,   v_ia = Σ_k p_ik V_ka.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "data/folds.hpp"
#include "factor/expected_cells.hpp"
#include "score/block_terms.hpp"
#include "suffice/models/model.hpp"
#include "suffice/train/logistic.hpp"

namespace suffice {

/// What is wanted of the second derivatives.
enum class Curvature {
  none,
  diagonal,  ///< 1 × N
  shared,    ///< terms × terms: the mean of H_aa
  full,      ///< N × N
};

/// Where sums are wanted.
struct LogisticPoint {
  const Matrix* weights;  ///< classes × terms
  Index fold = -1;        ///< whose rows are left out; −1: none
  Curvature curvature = Curvature::none;
  bool all_rows = false;  ///< the curvature is that of all rows, not of a sample
};

struct LogisticSums {
  double loss = 0, weight = 0;
  double wrong = 0;                               ///< weight of rows whose class is not the best
  double left_out_loss = 0, left_out_weight = 0;  ///< of the fold that is left out
  Matrix gradient;                                ///< classes × terms
  Matrix curvature;                               ///< of contrasts
};

/// Contrasts of the classes: classes × (classes − 1), orthonormal columns that sum to 0.
Matrix contrasts(Index classes);

class LogisticPass {
 public:
  /// Keeps views of the model and of `rows`. Reads the rows once, for the frame of the terms.
  LogisticPass(const Model& generative, const RowPass& rows, const LogisticOptions& options,
               const Execution& execution);

  Index classes() const noexcept { return std::ssize(seen_); }
  Index terms() const noexcept { return terms_ + 1; }                ///< the intercept among them
  const std::vector<Index>& seen() const noexcept { return seen_; }  ///< classes with rows
  double weight() const noexcept { return weight_; }
  Index filled() const noexcept { return filled_; }
  Index passes() const noexcept { return passes_; }
  const Vector& class_weight() const noexcept { return class_weight_; }  ///< of those with rows
  const Vector& center() const noexcept { return center_; }
  /// Standard deviations; 0 for a term that is constant.
  const Vector& scale() const noexcept { return scale_; }
  const Vector& origin() const noexcept { return origin_; }
  /// The work of the full curvature of all rows, in multiplications.
  double curvature_work() const;

  std::vector<LogisticSums> evaluate(std::span<const LogisticPoint> points);

 private:
  struct Panel;
  struct Worker;

  /// body(panel, lane, worker, values that were filled in) for all rows.
  template <class Body>
  void for_each_panel(Index most_lanes, const Body& body);
  void measure(const LogisticOptions& options);
  void add_point(const Panel& panel, const LogisticPoint& point, const Matrix& weights,
                 LogisticSums& sums, Worker& worker) const;
  void add_curvature(const Panel& panel, const LogisticPoint& point, LogisticSums& sums,
                     Worker& worker) const;
  Matrix assembled(const LogisticPoint& point, const Matrix& sums) const;
  bool is_sampled(const LogisticPoint& point, Index row) const {
    return point.all_rows || stride_ == 1 || row / folds_.size() % stride_ == 0;
  }

  const Model& model_;
  const RowPass& rows_;
  const Execution& execution_;
  Folds folds_;
  bool in_folds_ = false;  ///< whether this pass leaves out folds
  ExpectedCells expected_;
  std::vector<Index> seen_;
  std::vector<std::int32_t> position_;  ///< of a class among them, −1: none
  Index terms_ = 0, panel_rows_ = 0;
  Matrix contrasts_;
  Vector center_, scale_, inverse_scale_, origin_, class_weight_;
  std::vector<Index> first_term_, first_origin_;  ///< per block, and their number
  double weight_ = 0;
  Index row_count_ = 0, filled_ = 0, passes_ = 0, stride_ = 1;
  std::unique_ptr<Workers> workers_;
};

}  // namespace suffice
