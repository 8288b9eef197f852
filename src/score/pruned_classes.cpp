#include "score/pruned_classes.hpp"

#include <algorithm>
#include <atomic>

#include "core/constants.hpp"
#include "core/kernels.hpp"
#include "core/parallel.hpp"
#include "data/number_reader.hpp"
#include "data/row_checks.hpp"
#include "models/factors.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

using kernels::rows_at_once;

constexpr Index chunk_rows = 8 * rows_at_once;  // what a worker takes at a time
constexpr Index least_features = 48;

const GaussianFactor& factor_of(const Model& model) {
  return std::get<GaussianFactor>(model.factors().blocks[0]);
}

/// From log p(x | c) to what classes are compared by.
class Comparison {
 public:
  Comparison(const Model& model, std::span<const double> offset)
      : calibration_(model.calibration() ? &*model.calibration() : nullptr), offset_(offset) {}
  /// Rises with the score, as rounded.
  double operator()(double score, Index c) const {
    if (calibration_) score = calibration_->scale[0] * score + calibration_->offset[c];
    return offset_.empty() ? score : score + offset_[c];
  }

 private:
  const Calibration* calibration_;
  std::span<const double> offset_;
};

/// The rows of one chunk.
class PrunedChunk {
 public:
  PrunedChunk(const Model& model, Index features, const Comparison& value)
      : factor_(factor_of(model)),
        value_(value),
        weights_(model.weights()),
        features_(features),
        d_(std::ssize(factor_.used)),
        classes_(weights_.size()),
        // A quarter of the coordinates take a sixteenth of the work. A multiple of what kernels add
        // at a time, so that sums have the same bits.
        few_(std::max<Index>(d_ / 4 / 12 * 12, 12)),
        used_(rows_at_once * d_),
        x_(chunk_rows * d_),
        gathered_(kernels::padded(d_) * rows_at_once),
        bound_(classes_, chunk_rows),
        best_value_(chunk_rows),
        best_(static_cast<std::size_t>(chunk_rows)) {}

  /// Whether all numbers are finite; then best() is known. Where few classes fall, the partial sums
  /// cost more than they save, and are tried again after some chunks.
  bool decide(const NumberReader::Panel& panel, Index count) {
    if (!transpose(panel, count)) return false;
    const Index coordinates = chunks_without_ > 0 ? d_ : few_;
    for (Index c = 0; c < classes_; ++c) {
      double* const bound = bound_.row(c).data();
      if (weights_[c] == 0) {
        std::fill_n(bound, chunk_rows, -infinity);
        continue;
      }
      for (Index tile = 0; tile < count; tile += rows_at_once)
        kernels::score_lower(x_.data() + tile * d_, d_, coordinates, factor_.whitener[c].data(),
                             factor_.whitened_mean.row(c).data(), factor_.log_norm[c],
                             bound + tile);
      for (Index i = 0; i < count; ++i) bound[i] = value_(bound[i], c);
    }
    for (Index i = 0; i < count; ++i) {
      best_[i] = -1;
      best_value_[i] = -infinity;
    }
    if (chunks_without_ > 0) {
      --chunks_without_;
      for (Index c = 0; c < classes_; ++c)
        for (Index i = 0; i < count; ++i) offer(i, c, bound_(c, i));
      return true;
    }
    complete_likely(count);
    Index completed = 0;
    for (Index c = 0; c < classes_; ++c) {
      todo_.clear();
      for (Index i = 0; i < count; ++i)
        if (likely_[i] != c && bound_(c, i) != -infinity && bound_(c, i) >= best_value_[i])
          todo_.push_back(i);
      complete(c);
      completed += std::ssize(todo_);
    }
    if (2 * completed > count * (classes_ - 1)) chunks_without_ = 31;
    return true;
  }
  std::span<const Index> best() const { return best_; }

 private:
  /// Tiles of rows as lanes, about the center.
  bool transpose(const NumberReader::Panel& panel, Index count) {
    for (Index tile = 0; tile < count; tile += rows_at_once) {
      const Index rows = std::min(rows_at_once, count - tile);
      const double* values = panel.values + tile * panel.stride;
      Index stride = panel.stride;
      if (!kernels::all_pass(kernels::Check::finite, values, stride, rows, features_)) return false;
      if (d_ < features_) {
        for (Index i = 0; i < rows; ++i)
          for (Index j = 0; j < d_; ++j) used_[i * d_ + j] = values[i * stride + factor_.used[j]];
        values = used_.data();
        stride = d_;
      }
      kernels::transpose(values, stride, rows, d_, factor_.center.data(), x_.data() + tile * d_,
                         rows_at_once);
    }
    return true;
  }

  /// The class that seems best so far has its complete score first.
  void complete_likely(Index count) {
    likely_.assign(static_cast<std::size_t>(count), 0);
    for (Index i = 0; i < count; ++i)
      for (Index c = 1; c < classes_; ++c)
        if (bound_(c, i) > bound_(likely_[i], i)) likely_[i] = c;
    for (Index c = 0; c < classes_; ++c) {
      todo_.clear();
      for (Index i = 0; i < count; ++i)
        if (likely_[i] == c && bound_(c, i) != -infinity) todo_.push_back(i);
      complete(c);
    }
  }

  /// The first of equals is the best.
  void offer(Index i, Index c, double value) {
    if (value > best_value_[i] || (value == best_value_[i] && value != -infinity && c < best_[i])) {
      best_value_[i] = value;
      best_[i] = c;
    }
  }

  /// The complete scores of the rows in todo_.
  void complete(Index c) {
    alignas(64) double scores[rows_at_once];
    for (Index first = 0; first < std::ssize(todo_); first += rows_at_once) {
      const Index count = std::min(rows_at_once, std::ssize(todo_) - first);
      for (Index j = 0; j < d_; ++j)
        for (Index r = 0; r < count; ++r) {
          const Index i = todo_[first + r], tile = i / rows_at_once;
          gathered_[j * rows_at_once + r] = x_[(tile * d_ + j) * rows_at_once + i % rows_at_once];
        }
      kernels::score_lower(gathered_.data(), d_, d_, factor_.whitener[c].data(),
                           factor_.whitened_mean.row(c).data(), factor_.log_norm[c], scores);
      for (Index r = 0; r < count; ++r) {
        const Index i = todo_[first + r];
        offer(i, c, value_(scores[r], c));
      }
    }
  }

  const GaussianFactor& factor_;
  const Comparison& value_;
  const Vector& weights_;
  Index features_, d_, classes_, few_;  // features of the block, those that are used
  Index chunks_without_ = 0;            // that are scored without partial sums
  Vector used_, x_, gathered_;
  Matrix bound_;  // per class and row: no score is above it
  Vector best_value_;
  std::vector<Index> best_, likely_, todo_;
};

}  // namespace

bool can_prune(const Model& model) {
  if (model.densities().size() != 1 || model.labels().size() < 3 || model.mixture() ||
      model.logistic())
    return false;
  const auto* density = std::get_if<GaussianDensity>(&model.densities()[0]);
  if (!density || density->structure != Covariance::full || !density->projection.empty())
    return false;
  const GaussianFactor& factor = factor_of(model);
  return factor.dof.empty() && factor.whitener.size() > 1 &&
         std::ssize(factor.used) >= least_features &&
         (!model.calibration() || model.calibration()->scale[0] > 0);
}

std::optional<std::vector<Index>> pruned_best_class(const Model& model, const RowBlock& rows,
                                                    std::span<const double> offset,
                                                    const Execution& execution) {
  require_features(model.schema(), rows);
  const Index n = rows.rows(), chunks = (n + chunk_rows - 1) / chunk_rows;
  Workers workers(execution, chunks);
  Progress progress(execution, static_cast<double>(n));
  const NumberReader reader(model.schema(), model.schema().blocks()[0], rows, &workers);
  if (!reader.indicators().empty()) return std::nullopt;  // unknown levels are counted elsewhere
  const Comparison value(model, offset);
  std::vector<Index> best(static_cast<std::size_t>(n));
  struct Own {
    std::optional<PrunedChunk> chunk;
    Vector scratch;
  };
  std::vector<Own> own(static_cast<std::size_t>(workers.size()));
  std::atomic<bool> complete = true;
  workers.run(chunks, [&](Index k, int worker) {
    if (!complete) return;
    Own& mine = own[worker];
    if (!mine.chunk) {
      mine.chunk.emplace(model, reader.features(), value);
      mine.scratch = Vector(reader.in_place() ? 0 : chunk_rows * reader.features());
    }
    const Index first = k * chunk_rows, count = std::min(chunk_rows, n - first);
    const NumberReader::Panel panel = reader.read(first, count, mine.scratch.data());
    if (!mine.chunk->decide(panel, count)) {
      complete = false;
      return;
    }
    std::copy_n(mine.chunk->best().begin(), count, best.begin() + first);
    progress.advance(static_cast<double>(count));
  });
  if (!complete) return std::nullopt;
  progress.finish();
  return best;
}

}  // namespace suffice
