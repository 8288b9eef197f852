#include <algorithm>
#include <cmath>
#include <optional>

#include "core/constants.hpp"
#include "core/kernels.hpp"
#include "core/log_product.hpp"
#include "core/prefetch.hpp"
#include "core/special_functions.hpp"
#include "data/number_reader.hpp"
#include "score/derivatives.hpp"
#include "score/gaussian_marginals.hpp"
#include "score/linear_table.hpp"
#include "score/row_projector.hpp"
#include "score/scorer.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {

namespace {

using kernels::rows_at_once;

class GaussianScorer : public BlockScorer {
 public:
  explicit GaussianScorer(const ScorerInput& input)
      : input_(input),
        density_(std::get<GaussianDensity>(input.model.densities()[input.block])),
        factor_(std::get<GaussianFactor>(input.model.factors().blocks[input.block])),
        reader_(input.model.schema(), input.schema_block(), input.rows, &input.workers),
        d_(static_cast<Index>(factor_.used.size())),
        classes_(input.model.labels().size()),
        linear_(input.relative && !factor_.linear.empty()),
        marginals_(density_, factor_, input.model.weights(), linear_) {
    const bool projected = !density_.projection.empty();
    if (projected && !input.projected.z)
      projector_.emplace(reader_, input.model.schema(), input.schema_block(), input.rows,
                         density_.projection, input.missing);
    width_ = projected ? density_.projection.matrix.cols() : reader_.features();
    all_used_ = d_ == width_;
    if (!input.relative && !projected)
      derivatives_ = Derivatives(input.model.schema(), input.schema_block(), factor_.used, true);
    while (!(input.model.weights()[a_class_] > 0)) ++a_class_;
    student_ = !factor_.dof.empty();
    joint_ = factor_.dof.cols() == 1;
    // Of Student's t the kernels make −½ q, from which log p follows.
    base_ = student_ ? Vector(classes_) : factor_.log_norm;
    if (linear_) {
      table_ = near_zero() ? LinearTable(factor_.linear, constants_without_center())
                           : LinearTable(factor_.linear, factor_.linear_constant, factor_.center);
      return;
    }
    if (!factor_.whitener.empty() && is_tied(density_.structure)) {
      scale_ = Matrix(classes_, d_);  // distances are taken after whitening
      std::fill_n(scale_.data(), scale_.size(), 1.0);
    } else if (factor_.whitener.empty()) {
      scale_ = Matrix(classes_, d_);
      for (Index c = 0; c < classes_; ++c) {
        const auto row =
            factor_.inverse_deviation.row(factor_.inverse_deviation.rows() == 1 ? 0 : c);
        std::copy(row.begin(), row.end(), scale_.row(c).begin());
      }
    }
  }

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto own = std::make_unique<Own>();
    if (projector_) own->projection = projector_->scratch();
    own->scratch = Vector(reads_in_place() ? 0 : chunk_rows * width_);
    own->used = Vector(all_used_ ? 0 : rows_at_once * d_);
    own->patched = Vector(rows_at_once * d_);
    own->x = Vector(kernels::padded(d_) * rows_at_once);
    if (!factor_.whitener.empty()) own->y = Vector(d_ * rows_at_once);
    own->lanes = Vector(linear_ ? 0 : classes_ * rows_at_once);
    own->scores = Vector(classes_ * rows_at_once);
    return own;
  }

  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    if (projector_) {
      projector_->read(chunk.first, chunk.count, own.projection, own.scratch.data());
      own.panel = {own.scratch.data(), width_};
      count_unprojected(own.panel.values, chunk.count);
    } else if (!density_.projection.empty()) {
      const ProjectedRows& known = input_.projected;
      own.panel = {known.z + chunk.first * known.stride, known.stride};
    } else {
      own.panel = reader_.read(chunk.first, chunk.count, own.scratch.data());
    }
    own.first = chunk.first;
    own.count = chunk.count;
    for (const IndicatorReader& column : reader_.indicators())
      if (const Index cells = column.unknown(chunk.first, chunk.count); cells > 0)
        input_.unscored->add_unknown(input_.schema_block().features[column.position()], cells);
  }

  void score(const Tile& tile, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    const double* values = own.panel.values + (tile.first - own.first) * own.panel.stride;
    Index stride = own.panel.stride;
    if (!all_used_) {
      if (input_.missing == Missing::refuse) require_unused(values, stride, tile);
      for (Index i = 0; i < tile.count; ++i) {
        for (Index j = 0; j < d_; ++j) {
          own.used[i * d_ + j] = values[i * stride + factor_.used[j]];
        }
      }
      values = own.used.data();
      stride = d_;
    }
    if (!linear_) fetch(values + tile.count * stride, stride, own);
    double* scores = target_of(tile, own.scores);
    score_rows(values, stride, tile.count, own, scores);
    // A missing or infinite value makes the score of its row NaN or infinite, whatever the class:
    // that is cheaper to see than the value itself.
    bool finite = true;
    for (Index i = 0; i < tile.count; ++i) finite &= std::isfinite(scores[i * classes_ + a_class_]);
    if (!finite) score_incomplete(values, stride, tile, own, scores);
    for (Index i = 0; i < tile.count && !derivatives_.empty(); ++i) {
      const double derivatives = derivatives_(values + i * stride);
      for (Index c = 0; c < classes_; ++c) scores[i * classes_ + c] += derivatives;
    }
    settle(tile, classes_, scores);
  }

 private:
  bool reads_in_place() const {
    return density_.projection.empty() ? reader_.in_place() : !projector_;
  }

  /// Whether the center is within a few deviations of 0. Subtracting it from the rows would then
  /// save less than a digit, and it goes into the constants instead.
  bool near_zero() const {
    const Matrix& covariance = density_.covariance[0];
    for (Index j = 0; j < d_; ++j) {
      const Index k = factor_.used[j];
      const double variance =
          covariance.rows() > 1 ? covariance(k, k) : covariance(0, covariance.cols() > 1 ? k : 0);
      if (!(factor_.center[j] * factor_.center[j] <= 64 * variance)) return false;
    }
    return true;
  }

  Vector constants_without_center() const {
    Vector constants = factor_.linear_constant;
    for (Index c = 0; c < classes_; ++c) {
      for (Index j = 0; j < d_; ++j) constants[c] -= factor_.linear(c, j) * factor_.center[j];
    }
    return constants;
  }

  /// A row that lacks one projection lacks all.
  void count_unprojected(const double* z, Index rows) const {
    Index lacking = 0;
    for (Index i = 0; i < rows; ++i) lacking += std::isnan(z[i * width_]) ? 1 : 0;
    if (lacking > 0) input_.unscored->add_unprojected(lacking);
  }

  struct Own : Workspace {
    NumberReader::Panel panel{};
    Index first = 0, count = 0;
    RowProjector::Scratch projection;
    Vector scratch, used, patched, x, y, lanes, scores;
    GaussianMarginals::Known marginals;
  };

  /// Asks for the values of the next tile while this one is worked on.
  void fetch(const double* next, Index stride, const Own& own) const {
    if (!reads_in_place() || !all_used_ || stride != d_) return;
    const Index rows = std::min(rows_at_once, own.count - (next - own.panel.values) / stride);
    constexpr Index most = 8192;  // doubles: a small part of the second-level cache
    prefetch(next, std::min(most, rows * d_));
  }

  /// Scores of complete rows, count × K.
  void score_rows(const double* values, Index stride, Index count, Own& own, double* scores) const {
    if (linear_) {
      kernels::score_linear(values, stride, count, d_,
                            table_.center.empty() ? nullptr : table_.center.data(), classes_,
                            table_.weight.data(), table_.base.data(), own.x.data(), scores);
      return;
    }
    kernels::transpose(values, stride, count, d_, factor_.center.data(), own.x.data(),
                       rows_at_once);
    double* lanes = own.lanes.data();
    if (student_ && !joint_) {
      score_features(count, own);
    } else if (factor_.whitener.empty()) {
      kernels::score_diagonal(own.x.data(), d_, classes_, scale_.data(),
                              factor_.whitened_mean.data(), base_.data(), lanes);
    } else if (is_tied(density_.structure)) {
      // One product for all classes, then the distances to their means.
      kernels::multiply_lower(own.x.data(), d_, factor_.whitener[0].data(), own.y.data());
      kernels::score_diagonal(own.y.data(), d_, classes_, scale_.data(),
                              factor_.whitened_mean.data(), base_.data(), lanes);
    } else {
      for (Index c = 0; c < classes_; ++c) {
        if (is_empty(c)) continue;
        kernels::score_lower(own.x.data(), d_, count, factor_.whitener[c].data(),
                             factor_.whitened_mean.row(c).data(), base_[c],
                             lanes + c * rows_at_once);
      }
    }
    if (joint_) {
      for (Index c = 0; c < classes_; ++c) {
        if (is_empty(c)) continue;
        const double dof = factor_.dof(c, 0);
        kernels::student_from_normal(-2 / (dof * spread_of(c)),
                                     -0.5 * (dof + static_cast<double>(d_)), factor_.log_norm[c],
                                     lanes + c * rows_at_once);
      }
    }
    kernels::transpose(lanes, rows_at_once, classes_, count, nullptr, scores, classes_);
  }

  double spread_of(Index c) const { return factor_.spread.empty() ? 1 : factor_.spread[c]; }

  /// One Student's t per feature. Factors 1 + t²/ν with the same ν are multiplied before the
  /// logarithm is taken.
  void score_features(Index count, Own& own) const {
    for (Index c = 0; c < classes_; ++c) {
      if (is_empty(c)) continue;
      for (Index r = 0; r < count; ++r) {
        double log_p = factor_.log_norm[c];
        Log1pProduct same;
        for (Index j = 0; j < d_; ++j) {
          const double dof = factor_.dof(c, j);
          const double t = own.x[j * rows_at_once + r] * scale_(c, j) - factor_.whitened_mean(c, j);
          same.multiply(t * t / dof);
          if (j + 1 < d_ && factor_.dof(c, j + 1) == dof) continue;
          log_p -= 0.5 * (dof + 1) * same.value();
          same = {};
        }
        own.lanes[c * rows_at_once + r] = log_p;
      }
    }
  }

  /// Rows with missing values get their marginal density; the others are scored as usual.
  void score_incomplete(const double* values, Index stride, const Tile& tile, Own& own,
                        double* scores) const {
    std::vector<Index> incomplete;
    for (Index i = 0; i < tile.count; ++i) {
      bool missing = false;
      for (Index j = 0; j < d_; ++j) {
        double x = values[i * stride + j];
        if (std::isinf(x)) throw_infinite(tile.first + i, j);
        if (std::isnan(x)) {
          input_.require_present(factor_.used[j], tile.first + i);
          missing = true;
          x = factor_.center[j];
        }
        own.patched[i * d_ + j] = x;
      }
      if (missing) incomplete.push_back(i);
    }
    score_rows(own.patched.data(), d_, tile.count, own, scores);
    // All values are numbers now: a score that is not one comes from products that overflowed.
    for (Index i = 0; linear_ && i < tile.count; ++i) {
      double* const row = scores + i * classes_;
      if (std::all_of(row, row + classes_, [](double s) { return std::isfinite(s); })) continue;
      score_far(input_.model.weights(), row,
                [&](Index c) { return table_.wide(c, own.patched.data() + i * d_); });
    }
    for (const Index i : incomplete)
      marginals_.score(values + i * stride, own.marginals, scores + i * classes_);
  }

  /// Values that have no part in the scores are looked at where none may be missing.
  void require_unused(const double* values, Index stride, const Tile& tile) const {
    if (kernels::all_pass(kernels::Check::finite, values, stride, tile.count, width_)) return;
    for (Index i = 0; i < tile.count; ++i) {
      for (Index k = 0; k < width_; ++k)
        if (std::isnan(values[i * stride + k])) input_.require_present(k, tile.first + i);
    }
  }

  /// A class of weight 0 has no density; whoever asked for the scores puts −inf.
  bool is_empty(Index c) const { return input_.model.weights()[c] == 0; }

  [[noreturn]] void throw_infinite(Index row, Index j) const {
    throw_not_gaussian(input_.model.schema(), input_.rows,
                       input_.schema_block().features[factor_.used[j]], row);
  }

  ScorerInput input_;
  const GaussianDensity& density_;
  const GaussianFactor& factor_;
  NumberReader reader_;
  std::optional<RowProjector> projector_;
  Index width_ = 0;  // of what is read: the block's features, or their projections
  Index d_, classes_;
  bool linear_, all_used_ = true;
  bool student_ = false, joint_ = false;  // Student's t; one of all features together
  Vector base_;                           // K: what the kernels add −½ q to
  Derivatives derivatives_;               // of scores that are not relative
  Index a_class_ = 0;                     // one of positive weight
  LinearTable table_;                     // of relative scores
  Matrix scale_;  // K × d, for the structures that are scored feature by feature
  GaussianMarginals marginals_;
};

}  // namespace

std::unique_ptr<BlockScorer> make_gaussian_scorer(const ScorerInput& input) {
  const auto& density = std::get<GaussianDensity>(input.model.densities()[input.block]);
  if (density.projection.empty() && !is_dense(density.structure)) {
    NumberReader reader(input.model.schema(), input.schema_block(), input.rows, &input.workers);
    if (reader.sparse()) return make_sparse_gaussian_scorer(input, std::move(reader));
  }
  return std::make_unique<GaussianScorer>(input);
}

}  // namespace suffice
