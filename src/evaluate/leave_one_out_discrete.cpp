// Discrete families without one row: its counts leave the sums of its class. For Poisson features
// the rate of all classes together, which smoothing draws every class towards, changes as well.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <numeric>
#include <string>
#include <utility>

#include "core/kernels.hpp"
#include "data/name_reader.hpp"
#include "data/number_reader.hpp"
#include "data/scalar.hpp"
#include "evaluate/leave_one_out.hpp"
#include "models/feature_family.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

using kernels::rows_at_once;

/// What both kinds of discrete blocks do: other classes are scored by the model of all rows.
class DiscreteScorer : public BlockScorer {
 public:
  DiscreteScorer(const ScorerInput& input, const TakenRows& taken,
                 std::unique_ptr<BlockScorer> plain)
      : input_(input),
        taken_(taken),
        plain_(std::move(plain)),
        classes_(input.model.labels().size()) {}

  void score(const Tile& tile, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    double* scores = target_of(tile, own.scores);
    plain_->score({tile.first, tile.count, scores, false}, *own.plain);
    for (Index i = 0; i < tile.count; ++i) {
      const TakenOut taken = taken_[tile.first + i];
      if (taken.label < 0) continue;
      const bool gone = rest(input_.model.weights()[taken.label], taken.weight) == 0;
      rescore(tile.first + i, taken, gone, own, scores + i * classes_);
    }
    settle(tile, classes_, scores);
  }

 protected:
  struct Own : Workspace {
    std::unique_ptr<Workspace> plain;
    Vector scores;
    Index first = 0;
  };
  void fill(Own& own, Index chunk_rows) const {
    own.plain = plain_->workspace(chunk_rows);
    own.scores = Vector(rows_at_once * classes_);
  }
  /// Scores one row again, for the classes that it changes. `gone`: with it goes its class.
  virtual void rescore(Index row, const TakenOut& taken, bool gone, Own& own,
                       double* scores) const = 0;

  /// whole − part of a sum; less than nothing cannot remain.
  double remaining(double whole, double part, Index row, Index j) const {
    if (part > whole * (1 + 1e-9))
      throw_not_among(row, "feature '" + input_.feature_name(j) + "' sums up to less in its class");
    return rest(whole, part);
  }
  [[noreturn]] void throw_nothing_left(Index row, Index j) const {
    throw InvalidArgument("without row " + std::to_string(row) + " its class has no estimate of " +
                          "feature '" + input_.feature_name(j) +
                          "'; choose a smoothing above 0, or a number of folds");
  }

  ScorerInput input_;
  const TakenRows& taken_;
  std::unique_ptr<BlockScorer> plain_;
  Index classes_;
};

// ---- counts ------------------------------------------------------------------------------------

/// What a density says of rows that are left out.
struct Remaining {
  /// Multiplies by p(x) of a feature under what remains of its sums; null: rows are documents.
  bool (*multiply)(LogProduct&, double x, const FeatureSums&, const FeaturePrior&, bool bayes);
  bool pools;  ///< a row also changes the other classes, which are smoothed by the mean of all
};

struct CountSums {
  Remaining remaining;
  double alpha;
  bool bayes;
  Matrix weight, sum;    // K × d
  Vector pooled_weight;  // d: of all classes
  Vector pooled_sum;     // d
  Vector total;          // K: words of a class
};

struct DescribeRemaining {
  template <FeatureDensity Features>
  Remaining operator()(const Features&) const {
    return {FeatureFamily<Features>::multiply, FeatureFamily<Features>::pools};
  }
  Remaining operator()(const MultinomialDensity&) const { return {}; }
  // These have other sums.
  Remaining operator()(const GaussianDensity&) const { return {}; }
  Remaining operator()(const CategoricalDensity&) const { return {}; }
};

class CountRestScorer : public DiscreteScorer {
 public:
  CountRestScorer(const ScorerInput& input, const TakenRows& taken, const CountSums& sums)
      : DiscreteScorer(input, taken, make_count_scorer(input)),
        sums_(sums),
        reader_(input.model.schema(), input.schema_block(), input.rows, &input.workers),
        d_(reader_.features()),
        documents_(sums.remaining.multiply ? nullptr : reader_.sparse()) {}

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto own = std::make_unique<Counts>();
    fill(*own, chunk_rows);
    if (documents_)
      own->count = Vector(d_);
    else
      own->scratch = Vector(reader_.in_place() ? 0 : chunk_rows * d_);
    return own;
  }

  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    Counts& own = static_cast<Counts&>(workspace);
    plain_->prepare(chunk, *own.plain);
    own.first = chunk.first;
    if (!documents_) own.panel = reader_.read(chunk.first, chunk.count, own.scratch.data());
  }

 private:
  struct Counts : Own {
    NumberReader::Panel panel{};
    Vector scratch;
    Vector count;              // sparse: of each word, 0 between rows
    std::vector<Index> words;  // those that occur
  };

  void rescore(Index row, const TakenOut& taken, bool gone, Own& workspace,
               double* scores) const override {
    Counts& own = static_cast<Counts&>(workspace);
    if (documents_) {
      if (gone) return;
      read_sparse(row, own);
      scores[taken.label] = document(own.count.data(), own.words, row, taken);
      for (const Index j : own.words) own.count[j] = 0;
      return;
    }
    const double* x = own.panel.values + (row - own.first) * own.panel.stride;
    if (sums_.remaining.multiply) {
      const bool others = sums_.remaining.pools && sums_.alpha > 0;
      for (Index c = 0; c < classes_; ++c)
        if (input_.model.weights()[c] > 0 && (c == taken.label ? !gone : others))
          scores[c] = features(x, c, row, taken);
    } else if (!gone) {
      own.words.clear();
      for (Index j = 0; j < d_; ++j)
        if (x[j] > 0) own.words.push_back(j);
      scores[taken.label] = document(x, own.words, row, taken);
    }
  }

  /// Independent features.
  double features(const double* x, Index c, Index row, const TakenOut& taken) const {
    LogProduct product;
    for (Index j = 0; j < d_; ++j) {
      if (std::isnan(x[j])) continue;
      FeatureSums sums{sums_.weight(c, j), sums_.sum(c, j)};
      if (c == taken.label) {
        sums.sum = remaining(sums.sum, taken.weight * x[j], row, j);
        sums.weight = remaining(sums.weight, taken.weight, row, j);
      }
      if (!(sums.weight + sums_.alpha > 0)) throw_nothing_left(row, j);
      const double all = rest(sums_.pooled_weight[j], taken.weight);
      const double mean = all > 0 ? rest(sums_.pooled_sum[j], taken.weight * x[j]) / all : 0;
      if (!sums_.remaining.multiply(product, x[j], sums, {.alpha = sums_.alpha, .mean = mean},
                                    sums_.bayes))
        throw_nothing_left(row, j);
    }
    return product.value();
  }

  /// A document's words, each as often as `count` says.
  double document(const double* count, const std::vector<Index>& words, Index row,
                  const TakenOut& taken) const {
    double length = 0;
    for (const Index j : words) length += count[j];
    const Index first = words.empty() ? 0 : words[0];
    const double total = remaining(sums_.total[taken.label], taken.weight * length, row, first);
    const double all = total + sums_.alpha * static_cast<double>(d_);
    if (!(all > 0)) throw_nothing_left(row, first);
    double log_p = 0;
    for (const Index j : words) {
      const double n = remaining(sums_.sum(taken.label, j), taken.weight * count[j], row, j);
      const double seen = n + sums_.alpha;
      log_p += count[j] * std::log(std::min(1.0, seen / all));
      if (sums_.bayes) log_p += log_gamma_excess(seen, count[j]);
    }
    if (sums_.bayes) log_p -= log_gamma_excess(all, length);
    return log_p;
  }

  void read_sparse(Index row, Counts& own) const {
    own.words.clear();
    const SparseView& view = *documents_;
    with_type(view.type, [&]<class T>(std::type_identity<T>) {
      const auto read = [&]<class I>(std::type_identity<I>) {
        const I* start = static_cast<const I*>(view.row_start);
        const I* column = static_cast<const I*>(view.column);
        const T* value = static_cast<const T*>(view.values);
        for (I k = start[row]; k < start[row + 1]; ++k) {
          if (!(value[k] > 0)) continue;
          double& count = own.count[static_cast<Index>(column[k])];
          if (count == 0) own.words.push_back(static_cast<Index>(column[k]));
          count += static_cast<double>(value[k]);
        }
      };
      view.index_type == Scalar::int32 ? read(std::type_identity<std::int32_t>{})
                                       : read(std::type_identity<std::int64_t>{});
    });
  }

  const CountSums& sums_;
  NumberReader reader_;
  Index d_;
  const SparseView* documents_;  // where they are sparse
};

class CountRest : public BlockRest {
 public:
  explicit CountRest(const RestInput& input) {
    const auto& statistics = std::get<CountStatistics>(input.statistics.blocks()[input.block]);
    const Index classes = statistics.sum.rows(), d = statistics.sum.cols();
    sums_ = {.remaining = std::visit(DescribeRemaining{}, input.model.densities()[input.block]),
             .alpha = input.options.smoothing,
             .bayes = input.options.inference == Inference::bayes,
             .weight = statistics.weight,
             .sum = statistics.sum,
             .pooled_weight = Vector(d),
             .pooled_sum = Vector(d),
             .total = Vector(classes)};
    for (Index c = 0; c < classes; ++c) {
      const auto row = statistics.sum.row(c);
      sums_.total[c] = std::reduce(row.begin(), row.end());
      for (Index j = 0; j < d && !statistics.weight.empty(); ++j) {
        sums_.pooled_weight[j] += statistics.weight(c, j);
        sums_.pooled_sum[j] += statistics.sum(c, j);
      }
    }
  }
  std::unique_ptr<BlockScorer> scorer(const ScorerInput& input,
                                      const TakenRows& taken) const override {
    return std::make_unique<CountRestScorer>(input, taken, sums_);
  }

 private:
  CountSums sums_;
};

// ---- categories --------------------------------------------------------------------------------

struct LevelSums {
  double alpha;
  std::vector<Names> levels;
  std::vector<Matrix> count;  // per feature, K × levels
  Matrix total;               // K × features
};

class LevelRestScorer : public DiscreteScorer {
 public:
  LevelRestScorer(const ScorerInput& input, const TakenRows& taken, const LevelSums& sums)
      : DiscreteScorer(input, taken, make_categorical_scorer(input)),
        sums_(sums),
        features_(std::ssize(sums.levels)) {
    for (Index j = 0; j < features_; ++j)
      reader_.emplace_back(NameReader::column_of(input.rows, input.schema_block().features[j]),
                           sums_.levels[j]);
  }

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto own = std::make_unique<Levels>();
    fill(*own, chunk_rows);
    own->codes.resize(static_cast<std::size_t>(chunk_rows * features_));
    return own;
  }

  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    Levels& own = static_cast<Levels&>(workspace);
    plain_->prepare(chunk, *own.plain);
    own.first = chunk.first;
    for (Index j = 0; j < features_; ++j)
      reader_[j].read(chunk.first, chunk.count, own.codes.data() + j, features_);
  }

 private:
  struct Levels : Own {
    std::vector<std::int32_t> codes;
  };

  void rescore(Index row, const TakenOut& taken, bool gone, Own& workspace,
               double* scores) const override {
    if (gone) return;
    const std::int32_t* codes =
        static_cast<Levels&>(workspace).codes.data() + (row - workspace.first) * features_;
    LogProduct product;
    for (Index j = 0; j < features_; ++j) {
      const std::int32_t level = codes[j];
      if (level == NameReader::unknown)
        throw_not_among(row, "feature '" + input_.feature_name(j) + "' has a new level");
      if (level < 0) continue;
      const double all = remaining(sums_.total(taken.label, j), taken.weight, row, j);
      const double n = remaining(sums_.count[j](taken.label, level), taken.weight, row, j);
      if (!(all + sums_.alpha > 0)) throw_nothing_left(row, j);
      product.multiply(smoothed_share(n, all, sums_.alpha, sums_.levels[j].size()));
    }
    scores[taken.label] = product.value();
  }

  const LevelSums& sums_;
  Index features_;
  std::vector<NameReader> reader_;
};

class LevelRest : public BlockRest {
 public:
  explicit LevelRest(const RestInput& input) {
    const auto& statistics =
        std::get<CategoricalStatistics>(input.statistics.blocks()[input.block]);
    const Index classes = input.model.labels().size(), features = std::ssize(statistics.levels);
    sums_ = {input.options.smoothing, statistics.levels, statistics.count,
             Matrix(classes, features)};
    for (Index j = 0; j < features; ++j)
      for (Index c = 0; c < classes && statistics.levels[j].size() > 0; ++c) {
        const auto counts = statistics.count[j].row(c);
        sums_.total(c, j) = std::reduce(counts.begin(), counts.end());
      }
  }
  std::unique_ptr<BlockScorer> scorer(const ScorerInput& input,
                                      const TakenRows& taken) const override {
    return std::make_unique<LevelRestScorer>(input, taken, sums_);
  }

 private:
  LevelSums sums_;
};

}  // namespace

std::unique_ptr<BlockRest> make_count_rest(const RestInput& input) {
  return std::make_unique<CountRest>(input);
}
std::unique_ptr<BlockRest> make_categorical_rest(const RestInput& input) {
  return std::make_unique<LevelRest>(input);
}

}  // namespace suffice
