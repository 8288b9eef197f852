#include "left_out/gaussian_without_row.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "core/kernels.hpp"
#include "core/minus_or_zero.hpp"
#include "data/number_reader.hpp"
#include "left_out/dense_without_row.hpp"
#include "left_out/diagonal_without_row.hpp"
#include "score/chunk_values.hpp"
#include "score/derivatives.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

using kernels::rows_at_once;

/// Features that vary only because of one row. `estimate` leaves them out without that row.
class SingleRowFeatures {
 public:
  SingleRowFeatures() = default;
  SingleRowFeatures(const GaussianStatistics& statistics, const std::vector<Index>& used) {
    const auto classes = static_cast<Index>(statistics.classes.size());
    std::vector<Moments> moments;
    for (Index c = 0; c < classes; ++c) moments.push_back(statistics.moments(c));
    candidates_.resize(static_cast<std::size_t>(classes));
    for (Index y = 0; y < classes; ++y)
      for (Index j = 0; j < std::ssize(used); ++j)
        if (const auto found = candidate(moments, y, j, used[j])) {
          candidates_[y].push_back(*found);
          possible_ = true;
        }
  }

  bool possible() const { return possible_; }
  /// Positions among the used features that still vary, where some do not.
  std::optional<std::vector<Index>> varying_without(const double* x, Index used,
                                                    const RemovedRow& row) const {
    if (row.label < 0 || !possible_) return {};
    std::vector<Index> kept(static_cast<std::size_t>(used));
    std::iota(kept.begin(), kept.end(), Index{0});
    for (const Candidate& of : candidates_[row.label])
      if (becomes_constant(of, x[of.position], row.weight)) std::erase(kept, of.position);
    if (std::ssize(kept) == used) return {};
    return kept;
  }

 private:
  /// A feature that has one value in all other classes.
  struct Candidate {
    Index position;
    double weight, mean, squares;  // in the class
    std::optional<double> others;  // their value
  };

  static std::optional<Candidate> candidate(const std::vector<Moments>& moments, Index y, Index j,
                                            Index feature) {
    const auto has_values = [&](Index c) {
      return !moments[c].weight.empty() && moments[c].weight[feature] > 0;
    };
    if (!has_values(y)) return {};
    const auto mean = [&](Index c) {
      return moments[c].mean[feature] + moments[c].mean_low[feature];
    };
    Candidate found{j, moments[y].weight[feature], mean(y), moments[y].squares[feature], {}};
    for (Index c = 0; c < std::ssize(moments); ++c) {
      if (c == y || !has_values(c)) continue;
      if (moments[c].squares[feature] > 0 || (found.others && *found.others != mean(c))) return {};
      found.others = mean(c);
    }
    return found;
  }

  static bool becomes_constant(const Candidate& of, double x, double weight) {
    if (std::isnan(x)) return false;
    const double left = minus_or_zero(of.weight, weight), delta = x - of.mean;
    if (left == 0) return of.others.has_value();
    constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
    const double lost = MomentsChange::of(of.weight, weight).loss * delta * delta;
    if (of.squares - lost > rounding * of.squares) return false;
    const double mean = of.mean - delta * (weight / left);
    return !of.others || std::abs(mean - *of.others) <= 1e-9 * std::abs(delta);
  }

  std::vector<std::vector<Candidate>> candidates_;  // per class
  bool possible_ = false;
};

class GaussianRemovalScorer : public BlockScorer {
 public:
  GaussianRemovalScorer(const ScorerInput& input, const RemovedRows& removed,
                        const GaussianWithoutRow& densities, const SingleRowFeatures& single_row)
      : input_(input),
        removed_(removed),
        densities_(densities),
        single_row_(single_row),
        used_(std::get<GaussianFactor>(input.model.factors().blocks[input.block]).used),
        reader_(input.model.schema(), input.schema_block(), input.rows, &input.workers),
        all_rows_(make_gaussian_scorer(input)),
        derivatives_(input.model.schema(), input.schema_block(), used_, true),
        n_(std::ssize(used_)),
        classes_(input.model.labels().size()),
        every_feature_(static_cast<std::size_t>(n_)) {
    std::iota(every_feature_.begin(), every_feature_.end(), Index{0});
  }

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto work = std::make_unique<Work>();
    work->densities = densities_.workspace();
    work->all_rows = all_rows_->workspace(chunk_rows);
    work->values = ChunkValues(reader_, chunk_rows);
    work->used = Vector(rows_at_once * n_);
    work->scores = Vector(rows_at_once * classes_);
    return work;
  }

  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    Work& work = static_cast<Work&>(workspace);
    work.values.read(reader_, chunk);
    work.chunk = chunk;
    work.all_rows_prepared = false;
  }

  void score(const Tile& tile, Workspace& workspace) const override {
    Work& work = static_cast<Work&>(workspace);
    double* scores = target_of(tile, work.scores);
    if (n_ == 0) {
      std::fill_n(scores, tile.count * classes_, 0.0);
      return settle(tile, classes_, scores);
    }
    const auto [values, stride] = used_values(tile, work);
    const bool finite = kernels::all_pass(kernels::Check::finite, values, stride, tile.count, n_);
    // The scorer of all rows also refuses infinite values.
    if (!finite || densities_.corrects_scores()) score_by_all_rows(tile, work, scores);
    RemovedRow rows[rows_at_once];
    bool skip[rows_at_once];
    for (Index i = 0; i < tile.count; ++i) {
      const double* x = values + i * stride;
      rows[i] = removed_[tile.first + i];
      skip[i] = !finite && std::any_of(x, x + n_, [](double v) { return std::isnan(v); });
    }
    if (single_row_.possible()) skip_single_rows(values, stride, tile, rows, skip);
    densities_.score(values, stride, tile.count, rows, skip, *work.densities, scores);
    const bool done = finite && !single_row_.possible() && derivatives_.empty();
    for (Index i = 0; i < tile.count && !done; ++i)
      finish(values + i * stride, rows[i], skip[i], scores + i * classes_);
    settle(tile, classes_, scores);
  }

 private:
  struct Work : Workspace {
    std::unique_ptr<GaussianWithoutRow::Workspace> densities;
    std::unique_ptr<Workspace> all_rows;
    ChunkValues values;
    Chunk chunk{};
    bool all_rows_prepared = false;
    Vector used, scores;
  };

  NumberReader::Panel used_values(const Tile& tile, Work& work) const {
    const double* values = work.values.row(tile.first);
    const Index stride = work.values.stride();
    if (n_ == reader_.features()) return {values, stride};
    for (Index i = 0; i < tile.count; ++i)
      for (Index j = 0; j < n_; ++j) work.used[i * n_ + j] = values[i * stride + used_[j]];
    return {work.used.data(), n_};
  }

  /// Scores by the model of all rows, without what transformations add.
  void score_by_all_rows(const Tile& tile, Work& work, double* scores) const {
    if (!work.all_rows_prepared) all_rows_->prepare(work.chunk, *work.all_rows);
    work.all_rows_prepared = true;
    all_rows_->score({tile.first, tile.count, scores, false}, *work.all_rows);
    if (derivatives_.empty()) return;
    const auto [values, stride] = used_values(tile, work);
    for (Index i = 0; i < tile.count; ++i) {
      const double derivatives = derivatives_(values + i * stride);
      for (Index c = 0; c < classes_; ++c) scores[i * classes_ + c] -= derivatives;
    }
  }

  void skip_single_rows(const double* values, Index stride, const Tile& tile,
                        const RemovedRow* rows, bool* skip) const {
    for (Index i = 0; i < tile.count; ++i)
      if (single_row_.varying_without(values + i * stride, n_, rows[i])) skip[i] = true;
  }

  /// Scores a row that was skipped, and adds what transformations add.
  void finish(const double* x, const RemovedRow& row, bool skipped, double* scores) const {
    double derivatives = 0;
    const auto kept = skipped ? single_row_.varying_without(x, n_, row) : std::nullopt;
    if (kept) {
      std::vector<Index> used;
      Vector values(std::ssize(*kept));
      for (Index k = 0; k < std::ssize(*kept); ++k) {
        used.push_back(used_[(*kept)[k]]);
        values[k] = x[(*kept)[k]];
      }
      densities_.score_from_sums(values.data(), *kept, row, scores);
      derivatives =
          Derivatives(input_.model.schema(), input_.schema_block(), used, true)(values.data());
    } else {
      if (skipped && densities_.counts_incomplete_rows())
        densities_.score_from_sums(x, every_feature_, row, scores);
      derivatives = derivatives_(x);
    }
    for (Index c = 0; c < classes_; ++c) scores[c] += derivatives;
  }

  ScorerInput input_;
  const RemovedRows& removed_;
  const GaussianWithoutRow& densities_;
  const SingleRowFeatures& single_row_;
  const std::vector<Index>& used_;
  NumberReader reader_;
  std::unique_ptr<BlockScorer> all_rows_;  // by the model of all rows
  Derivatives derivatives_;
  Index n_, classes_;
  std::vector<Index> every_feature_;
};

class GaussianBlock : public BlockWithoutRow {
 public:
  explicit GaussianBlock(const BlockInput& input)
      : densities_(is_dense(input.options.covariance) ? make_dense_without_row(input)
                                                      : make_diagonal_without_row(input)) {
    // A target that is held fixed holds its features, too.
    if (input.options.shrinkage->kind() == Shrinkage::Kind::rows) return;
    const auto& factor = std::get<GaussianFactor>(input.model.factors().blocks[input.block]);
    single_row_ = SingleRowFeatures(input.sums<GaussianStatistics>(), factor.used);
  }
  std::unique_ptr<BlockScorer> scorer(const ScorerInput& input,
                                      const RemovedRows& removed) const override {
    return std::make_unique<GaussianRemovalScorer>(input, removed, *densities_, single_row_);
  }

 private:
  std::unique_ptr<GaussianWithoutRow> densities_;
  SingleRowFeatures single_row_;
};

}  // namespace

std::unique_ptr<BlockWithoutRow> make_gaussian_without_row(const BlockInput& input) {
  return std::make_unique<GaussianBlock>(input);
}

}  // namespace suffice
