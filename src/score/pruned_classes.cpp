#include "score/pruned_classes.hpp"

#include <algorithm>
#include <atomic>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/kernels.hpp"
#include "core/parallel.hpp"
#include "data/number_reader.hpp"
#include "data/row_checks.hpp"
#include "factor/factors.hpp"
#include "score/float_distances.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

using kernels::float_rows_at_once;
using kernels::rows_at_once;

constexpr Index chunk_rows = 4 * float_rows_at_once;  // what a worker takes at a time
constexpr Index least_features = 48;
constexpr Index rows_for_floats = 1024;  // fewer do not pay for rounding the model

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
  /// Null distances: all scores are computed.
  PrunedChunk(const Model& model, Index features, const Comparison& value,
              const FloatDistances* distances)
      : factor_(factor_of(model)),
        value_(value),
        weights_(model.weights()),
        distances_(distances),
        features_(features),
        d_(std::ssize(factor_.used)),
        classes_(weights_.size()),
        used_(d_ < features ? rows_at_once * d_ : 0),
        x_(chunk_rows * d_),
        gathered_(rows_at_once * d_),
        rounded_(distances ? chunk_rows * d_ : 0),
        norm_(chunk_rows),
        least_(chunk_rows),
        most_(classes_, chunk_rows),
        best_value_(chunk_rows),
        best_(static_cast<std::size_t>(chunk_rows)) {}

  /// Whether all numbers are finite; then best() is known. Where few classes fall, bounds cost more
  /// than they save, and are tried again after some chunks.
  bool decide(const NumberReader::Panel& panel, Index count) {
    if (!transpose(panel, count)) return false;
    std::ranges::fill(best_, -1);
    std::ranges::fill(best_value_, -infinity);
    if (!distances_ || chunks_without_ > 0) {
      score_all(count);
      chunks_without_ = std::max<Index>(chunks_without_ - 1, 0);
      return true;
    }
    bound(count);
    if (2 * complete_possible(count) > count * classes_) chunks_without_ = 31;
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

  void score_all(Index count) {
    alignas(64) double scores[rows_at_once];
    for (Index c = 0; c < classes_; ++c) {
      if (weights_[c] == 0) continue;
      for (Index tile = 0; tile < count; tile += rows_at_once) {
        const Index rows = std::min(rows_at_once, count - tile);
        score(c, x_.data() + tile * d_, rows, scores);
        for (Index i = 0; i < rows; ++i) offer(tile + i, c, value_(scores[i], c));
      }
    }
  }

  /// Bounds of the values of all classes: most_ from above, and the largest one from below.
  void bound(Index count) {
    alignas(64) float squares[float_rows_at_once];
    for (Index tile = 0; tile < count; tile += rows_at_once) {
      const Index in_tile = tile % float_rows_at_once;
      distances_->scale(x_.data() + tile * d_, rounded_.data() + (tile - in_tile) * d_ + in_tile,
                        norm_.data() + tile);
    }
    std::fill_n(least_.data(), count, -infinity);
    for (Index c = 0; c < classes_; ++c) {
      double* const most = most_.row(c).data();
      if (weights_[c] == 0) {
        std::fill_n(most, count, -infinity);
        continue;
      }
      for (Index tile = 0; tile < count; tile += float_rows_at_once) {
        const Index rows = std::min(float_rows_at_once, count - tile);
        distances_->squares(c, rounded_.data() + tile * d_, rows, squares);
        for (Index r = 0; r < rows; ++r) {
          const Index i = tile + r;
          const FloatDistances::Bounds squared = distances_->bounds(c, squares[r], norm_[i]);
          most[i] = value_(factor_.log_norm[c] - 0.5 * squared.least, c);
          const double least = value_(factor_.log_norm[c] - 0.5 * squared.most, c);
          if (least > least_[i]) {
            least_[i] = least;
            best_[at(i)] = c;
          }
        }
      }
    }
  }

  /// Where several classes of a row may be the best, their scores decide; how many these are.
  Index complete_possible(Index count) {
    const auto is_possible = [&](Index i, Index c) {
      return most_(c, i) != -infinity && most_(c, i) >= least_[i];
    };
    open_.clear();
    for (Index i = 0; i < count; ++i) {
      Index possible = 0;
      for (Index c = 0; c < classes_; ++c) possible += is_possible(i, c) ? 1 : 0;
      if (possible == 1 && best_[at(i)] >= 0) continue;
      open_.push_back(i);
      best_[at(i)] = -1;
    }
    Index completed = 0;
    for (Index c = 0; c < classes_; ++c) {
      todo_.clear();
      for (const Index i : open_)
        if (is_possible(i, c)) todo_.push_back(i);
      complete(c);
      completed += std::ssize(todo_);
    }
    return completed;
  }

  /// The scores of the rows in todo_.
  void complete(Index c) {
    alignas(64) double scores[rows_at_once];
    for (Index first = 0; first < std::ssize(todo_); first += rows_at_once) {
      const std::span<const Index> rows = std::span(todo_).subspan(
          at(first), at(std::min(rows_at_once, std::ssize(todo_) - first)));
      for (Index j = 0; j < d_; ++j)
        for (std::size_t r = 0; r < rows.size(); ++r) {
          const Index tile = rows[r] / rows_at_once, in_tile = rows[r] % rows_at_once;
          gathered_[j * rows_at_once + static_cast<Index>(r)] =
              x_[(tile * d_ + j) * rows_at_once + in_tile];
        }
      score(c, gathered_.data(), std::ssize(rows), scores);
      for (std::size_t r = 0; r < rows.size(); ++r) offer(rows[r], c, value_(scores[r], c));
    }
  }

  void score(Index c, const double* x, Index rows, double* scores) const {
    kernels::score_lower(x, d_, rows, factor_.whitener[at(c)].data(),
                         factor_.whitened_mean.row(c).data(), factor_.log_norm[c], scores);
  }

  /// Classes come in order, so the first of equals stays.
  void offer(Index i, Index c, double value) {
    if (!(value > best_value_[i])) return;
    best_value_[i] = value;
    best_[at(i)] = c;
  }

  const GaussianFactor& factor_;
  const Comparison& value_;
  const Vector& weights_;
  const FloatDistances* distances_;
  Index features_, d_, classes_;  // features of the block, those that are used
  Index chunks_without_ = 0;      // that are scored without bounds
  Vector used_, x_, gathered_;
  Buffer<float> rounded_;
  Vector norm_, least_;
  Matrix most_;  // classes × rows
  Vector best_value_;
  std::vector<Index> best_, open_, todo_;
};

}  // namespace

bool can_prune(const Model& model) {
  if (model.densities().size() != 1 || model.mixture() || model.logistic()) return false;
  const auto* density = std::get_if<GaussianDensity>(&model.densities()[0]);
  if (!density || density->structure != Covariance::full || !density->projection.empty())
    return false;
  const GaussianFactor& factor = factor_of(model);
  return factor.dof.empty() && factor.whitener.size() > 1 &&
         std::ssize(factor.used) >= least_features &&
         (!model.calibration() ||
          (model.calibration()->scale[0] > 0 && model.calibration()->knots.empty()));
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
  std::optional<FloatDistances> distances;
  if (n >= rows_for_floats && std::ssize(factor_of(model).used) <= FloatDistances::most_features)
    distances.emplace(std::get<GaussianDensity>(model.densities()[0]), factor_of(model),
                      model.weights(), workers);
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
      mine.chunk.emplace(model, reader.features(), value, distances ? &*distances : nullptr);
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
