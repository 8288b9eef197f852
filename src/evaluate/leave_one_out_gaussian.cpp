#include "evaluate/leave_one_out_gaussian.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

#include "core/kernels.hpp"
#include "data/number_reader.hpp"
#include "models/structure.hpp"
#include "score/derivatives.hpp"

namespace suffice {
namespace {

using kernels::rows_at_once;

/// Features that are constant but for one row: without it they are left out.
class ConstantWithout {
 public:
  ConstantWithout() = default;
  ConstantWithout(const GaussianStatistics& statistics, const std::vector<Index>& used) {
    const auto classes = static_cast<Index>(statistics.classes.size());
    std::vector<Moments> moments;
    for (Index c = 0; c < classes; ++c) moments.push_back(statistics.moments(c));
    suspects_.resize(static_cast<std::size_t>(classes));
    for (Index y = 0; y < classes; ++y)
      for (Index j = 0; j < std::ssize(used); ++j)
        if (const auto suspect = suspect_in(moments, y, j, used[j]))
          suspects_[y].push_back(*suspect);
  }

  bool possible() const {
    return std::ranges::any_of(suspects_, [](const auto& of) { return !of.empty(); });
  }
  /// Positions among the used features that stay, where some do not.
  std::optional<std::vector<Index>> kept_without(const double* x, Index used,
                                                 const TakenOut& taken) const {
    if (taken.label < 0 || suspects_.empty()) return {};
    std::vector<Index> constant;
    for (const Suspect& of : suspects_[taken.label])
      if (becomes_constant(of, x[of.position], taken.weight)) constant.push_back(of.position);
    if (constant.empty()) return {};
    std::vector<Index> kept;
    for (Index j = 0; j < used; ++j)
      if (!std::ranges::binary_search(constant, j)) kept.push_back(j);
    return kept;
  }

 private:
  /// A feature that has one value in all other classes.
  struct Suspect {
    Index position;
    double weight, mean, squares;  // in the class
    std::optional<double> others;  // their value
  };

  static std::optional<Suspect> suspect_in(const std::vector<Moments>& moments, Index y, Index j,
                                           Index feature) {
    const auto has = [&](Index c) {
      return !moments[c].weight.empty() && moments[c].weight[feature] > 0;
    };
    if (!has(y)) return {};
    const auto mean = [&](Index c) {
      return moments[c].mean[feature] + moments[c].mean_low[feature];
    };
    Suspect found{j, moments[y].weight[feature], mean(y), moments[y].squares[feature], {}};
    for (Index c = 0; c < std::ssize(moments); ++c) {
      if (c == y || !has(c)) continue;
      if (moments[c].squares[feature] > 0 || (found.others && *found.others != mean(c))) return {};
      found.others = mean(c);
    }
    return found;
  }

  static bool becomes_constant(const Suspect& of, double x, double weight) {
    if (std::isnan(x)) return false;
    const double left = rest(of.weight, weight), delta = x - of.mean;
    if (left == 0) return of.others.has_value();
    constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
    if (of.squares - Removal::of(of.weight, weight).a * delta * delta > rounding * of.squares)
      return false;
    const double mean = of.mean - delta * (weight / left);
    return !of.others || std::abs(mean - *of.others) <= 1e-9 * std::abs(delta);
  }

  std::vector<std::vector<Suspect>> suspects_;  // per class
};

class Scorer : public BlockScorer {
 public:
  Scorer(const ScorerInput& input, const TakenRows& taken, const GaussianRest& rest,
         const ConstantWithout& constants)
      : input_(input),
        taken_(taken),
        rest_(rest),
        constants_(constants),
        used_(std::get<GaussianFactor>(input.model.factors().blocks[input.block]).used),
        reader_(input.model.schema(), input.schema_block(), input.rows, &input.workers),
        plain_(make_gaussian_scorer(input)),
        derivatives_(input.model.schema(), input.schema_block(), used_, true),
        n_(std::ssize(used_)),
        classes_(input.model.labels().size()),
        some_constant_(constants.possible()) {}

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto own = std::make_unique<Own>();
    own->rest = rest_.workspace();
    own->plain = plain_->workspace(chunk_rows);
    own->scratch = Vector(reader_.in_place() ? 0 : chunk_rows * reader_.features());
    own->used = Vector(rows_at_once * n_);
    own->scores = Vector(rows_at_once * classes_);
    own->plain_scores = Vector(rows_at_once * classes_);
    return own;
  }

  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    own.panel = reader_.read(chunk.first, chunk.count, own.scratch.data());
    own.chunk = chunk;
    own.plain_prepared = false;
  }

  void score(const Tile& tile, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    double* scores = target_of(tile, own.scores);
    if (n_ == 0) {
      std::fill_n(scores, tile.count * classes_, 0.0);
      return settle(tile, classes_, scores);
    }
    const double* values = own.panel.values + (tile.first - own.chunk.first) * own.panel.stride;
    Index stride = own.panel.stride;
    if (n_ < reader_.features()) {
      for (Index i = 0; i < tile.count; ++i)
        for (Index j = 0; j < n_; ++j) own.used[i * n_ + j] = values[i * stride + used_[j]];
      values = own.used.data();
      stride = n_;
    }
    const bool finite = kernels::all_pass(kernels::Check::finite, values, stride, tile.count, n_);
    if (!finite) score_plainly(tile, own);  // also looks for infinite values
    TakenRow rows[rows_at_once];
    const auto kept = [&](Index i) {
      return constants_.kept_without(values + i * stride, n_, taken_[tile.first + i]);
    };
    for (Index i = 0; i < tile.count; ++i) {
      const double* x = values + i * stride;
      const TakenOut taken = taken_[tile.first + i];
      rows[i] = {taken.label, taken.weight, tile.first + i, false};
      if (!finite) rows[i].skip = std::any_of(x, x + n_, [](double v) { return std::isnan(v); });
      if (some_constant_) rows[i].skip = rows[i].skip || kept(i);
    }
    rest_.score(values, stride, tile.count, rows, *own.rest, scores);
    const bool done = finite && !some_constant_ && derivatives_.empty();
    for (Index i = 0; i < tile.count && !done; ++i) {
      const double* x = values + i * stride;
      double* out = scores + i * classes_;
      if (const auto some = some_constant_ ? kept(i) : std::nullopt) {
        score_kept(x, rows[i], *some, out);
        continue;
      }
      if (rows[i].skip && !rest_.counts_incomplete_rows()) {
        std::copy_n(own.plain_scores.data() + i * classes_, classes_, out);
        continue;
      }
      if (rows[i].skip) rest_.score_one(x, rows[i], out);
      if (derivatives_.empty()) continue;
      const double derivatives = derivatives_(x);
      for (Index c = 0; c < classes_; ++c) out[c] += derivatives;
    }
    settle(tile, classes_, scores);
  }

 private:
  struct Own : Workspace {
    std::unique_ptr<GaussianRest::Workspace> rest;
    std::unique_ptr<Workspace> plain;
    NumberReader::Panel panel{};
    Chunk chunk{};
    bool plain_prepared = false;
    Vector scratch, used, scores, plain_scores;
  };

  void score_plainly(const Tile& tile, Own& own) const {
    if (!own.plain_prepared) plain_->prepare(own.chunk, *own.plain);
    own.plain_prepared = true;
    plain_->score({tile.first, tile.count, own.plain_scores.data(), false}, *own.plain);
  }

  /// Without this row fewer features vary.
  void score_kept(const double* x, const TakenRow& row, const std::vector<Index>& kept,
                  double* out) const {
    if (kept.empty()) {
      std::fill_n(out, classes_, 0.0);
      return;
    }
    std::vector<Index> used;
    Vector values(std::ssize(kept));
    for (Index k = 0; k < std::ssize(kept); ++k) {
      used.push_back(used_[kept[k]]);
      values[k] = x[kept[k]];
    }
    rest_.only(kept)->score_one(values.data(), row, out);
    const Derivatives derivatives(input_.model.schema(), input_.schema_block(), used, true);
    for (Index c = 0; c < classes_; ++c) out[c] += derivatives(values.data());
  }

  ScorerInput input_;
  const TakenRows& taken_;
  const GaussianRest& rest_;
  const ConstantWithout& constants_;
  const std::vector<Index>& used_;
  NumberReader reader_;
  std::unique_ptr<BlockScorer> plain_;
  Derivatives derivatives_;
  Index n_, classes_;
  bool some_constant_;  // features may become constant
};

class GaussianBlock : public BlockRest {
 public:
  explicit GaussianBlock(const RestInput& input)
      : rest_(is_dense(input.options.covariance) ? make_dense_rest(input)
                                                 : make_diagonal_rest(input)) {
    // A target that is held fixed holds its features, too.
    if (input.options.shrinkage->kind() == Shrinkage::Kind::rows) return;
    const auto& factor = std::get<GaussianFactor>(input.model.factors().blocks[input.block]);
    constants_ = ConstantWithout(
        std::get<GaussianStatistics>(input.statistics.blocks()[input.block]), factor.used);
  }
  std::unique_ptr<BlockScorer> scorer(const ScorerInput& input,
                                      const TakenRows& taken) const override {
    return std::make_unique<Scorer>(input, taken, *rest_, constants_);
  }

 private:
  std::unique_ptr<GaussianRest> rest_;
  ConstantWithout constants_;
};

}  // namespace

std::string without_row(const Names& labels, const TakenRow& row) {
  return "without row " + std::to_string(row.row) + " (of class '" + labels[row.label] + "') ";
}

std::unique_ptr<BlockRest> make_gaussian_rest(const RestInput& input) {
  return std::make_unique<GaussianBlock>(input);
}

}  // namespace suffice
