#include "left_out/discrete_without_row.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "core/kernels.hpp"
#include "core/log_product.hpp"
#include "core/minus_or_zero.hpp"
#include "core/special_functions.hpp"
#include "data/name_reader.hpp"
#include "data/scalar.hpp"
#include "estimate/smoothing.hpp"
#include "left_out/text_without_row.hpp"
#include "models/feature_family.hpp"
#include "score/chunk_values.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

using kernels::rows_at_once;

/// Scores rows by the model of all rows, then corrects the classes that change without the row.
class CorrectedScorer : public BlockScorer {
 public:
  CorrectedScorer(const ScorerInput& input, const RemovedRows& removed,
                  std::unique_ptr<BlockScorer> all_rows)
      : input_(input),
        removed_(removed),
        all_rows_(std::move(all_rows)),
        classes_(input.model.labels().size()) {}

  void score(const Tile& tile, Workspace& workspace) const override {
    Work& work = static_cast<Work&>(workspace);
    double* scores = target_of(tile, work.scores);
    all_rows_->score({tile.first, tile.count, scores, false}, *work.all_rows);
    for (Index i = 0; i < tile.count; ++i)
      if (const RemovedRow removed = removed_[tile.first + i]; removed.label >= 0)
        correct(removed, work, scores + i * classes_);
    settle(tile, classes_, scores);
  }

 protected:
  struct Work : Workspace {
    std::unique_ptr<Workspace> all_rows;
    ChunkValues values;  // of rows of numbers
    Vector scores;
    Index first = 0;  // row of the chunk
  };
  template <class Own = Work>
  std::unique_ptr<Own> make_work(Index chunk_rows) const {
    auto work = std::make_unique<Own>();
    work->all_rows = all_rows_->workspace(chunk_rows);
    work->scores = Vector(rows_at_once * classes_);
    return work;
  }
  void prepare_all_rows(const Chunk& chunk, Work& work) const {
    all_rows_->prepare(chunk, *work.all_rows);
    work.first = chunk.first;
  }
  virtual void correct(const RemovedRow& removed, Work& work, double* scores) const = 0;

  /// What is left of a sum of feature j. Throws where less than nothing would be left.
  double left_of(double whole, double part, const RemovedRow& removed, Index j) const {
    if (part > whole * (1 + 1e-9))
      throw_not_among(removed.row,
                      "feature '" + input_.feature_name(j) + "' sums up to less in its class");
    return minus_or_zero(whole, part);
  }
  [[noreturn]] void throw_unknown(const RemovedRow& removed, Index j) const {
    throw InvalidArgument({.row = removed.row, .features = {input_.feature_name(j)}},
                          "without this row its class has no estimate",
                          "use " + Option{"smoothing"} + " above 0, or a number of folds");
  }

  ScorerInput input_;
  const RemovedRows& removed_;
  std::unique_ptr<BlockScorer> all_rows_;
  Index classes_;
};

/// How parameters follow from sums. An automatic pseudo-count is that of all rows.
struct DiscreteRule {
  double alpha;
  bool bayes;
};

/// Sums that a scorer is made from, copied from the statistics.
template <class Scorer>
class Discrete : public BlockWithoutRow {
 public:
  explicit Discrete(const BlockInput& input)
      : sums_(input.sums<typename Scorer::Sums>(),
              {.alpha = pseudo_count_of(input.model, input.options, input.block),
               .bayes = input.options.inference == Inference::bayes}) {}
  std::unique_ptr<BlockScorer> scorer(const ScorerInput& input,
                                      const RemovedRows& removed) const override {
    return std::make_unique<Scorer>(input, removed, sums_);
  }

 private:
  typename Scorer::Totals sums_;
};

// ---- independent features ----------------------------------------------------------------------

/// FeatureFamily makes the parameters of a feature from its sums, as in estimate.
template <FeatureDensity Density>
class FeatureScorer : public CorrectedScorer {
 public:
  using Features = FeatureFamily<Density>;
  using Sums = CountStatistics;
  struct Totals {
    Totals(const CountStatistics& sums, const DiscreteRule& discrete_rule)
        : rule(discrete_rule), of_class(sums), all(static_cast<std::size_t>(sums.sum.cols())) {
      for (Index c = 0; c < sums.sum.rows(); ++c)
        for (Index j = 0; j < sums.sum.cols(); ++j) {
          all[j].weight += sums.weight(c, j);
          all[j].sum += sums.sum(c, j);
        }
    }
    DiscreteRule rule;
    CountStatistics of_class;
    std::vector<FeatureSums> all;  // per feature, over the classes
  };

  FeatureScorer(const ScorerInput& input, const RemovedRows& removed, const Totals& sums)
      : CorrectedScorer(input, removed, make_count_scorer(input)),
        sums_(sums),
        reader_(input.model.schema(), input.schema_block(), input.rows, &input.workers) {}

  std::unique_ptr<BlockScorer::Workspace> workspace(Index chunk_rows) const override {
    auto work = make_work(chunk_rows);
    work->values = ChunkValues(reader_, chunk_rows);
    return work;
  }
  void prepare(const Chunk& chunk, BlockScorer::Workspace& workspace) const override {
    Work& work = static_cast<Work&>(workspace);
    prepare_all_rows(chunk, work);
    work.values.read(reader_, chunk);
  }

 private:
  void correct(const RemovedRow& removed, Work& work, double* scores) const override {
    const double* x = work.values.row(removed.row);
    const Vector& weights = input_.model.weights();
    for (Index c = 0; c < classes_; ++c) {
      const bool own = c == removed.label;
      if (own ? is_whole_class(removed, weights)
              : !(weights[c] > 0 && Features::pools && sums_.rule.alpha > 0))
        continue;
      scores[c] = class_score(x, c, removed);
    }
  }

  double class_score(const double* x, Index c, const RemovedRow& removed) const {
    LogProduct p;
    for (Index j = 0; j < reader_.features(); ++j) {
      if (std::isnan(x[j])) continue;
      const double sum = removed.weight * x[j];
      FeatureSums own{sums_.of_class.weight(c, j), sums_.of_class.sum(c, j)};
      if (c == removed.label)
        own = {left_of(own.weight, removed.weight, removed, j), left_of(own.sum, sum, removed, j)};
      const double weight = minus_or_zero(sums_.all[j].weight, removed.weight);
      const FeaturePrior prior{
          .alpha = sums_.rule.alpha,
          .mean = weight > 0 ? minus_or_zero(sums_.all[j].sum, sum) / weight : 0};
      if (!(own.weight + prior.alpha > 0) ||
          !Features::multiply(p, x[j], own, prior, sums_.rule.bayes))
        throw_unknown(removed, j);
    }
    return p.value();
  }

  const Totals& sums_;
  NumberReader reader_;
};

// ---- documents ---------------------------------------------------------------------------------

class DocumentScorer : public CorrectedScorer {
 public:
  using Sums = CountStatistics;
  struct Totals {
    Totals(const CountStatistics& sums, const DiscreteRule& discrete_rule)
        : rule(discrete_rule), count(sums.sum), words(sums.sum.rows()) {
      for (Index c = 0; c < count.rows(); ++c)
        words[c] = std::reduce(count.row(c).begin(), count.row(c).end());
    }
    DiscreteRule rule;
    Matrix count;  // K × d
    Vector words;  // K: all words of a class
  };

  DocumentScorer(const ScorerInput& input, const RemovedRows& removed, const Totals& sums)
      : CorrectedScorer(input, removed, make_count_scorer(input)),
        sums_(sums),
        reader_(input.model.schema(), input.schema_block(), input.rows, &input.workers),
        sparse_(reader_.sparse()) {}

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto work = make_work<Document>(chunk_rows);
    work->count = Vector(reader_.features());
    if (!sparse_) work->values = ChunkValues(reader_, chunk_rows);
    return work;
  }
  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    Work& work = static_cast<Work&>(workspace);
    prepare_all_rows(chunk, work);
    if (!sparse_) work.values.read(reader_, chunk);
  }

 private:
  struct Document : Work {
    Vector count;              // of each word; 0 between rows
    std::vector<Index> words;  // those that occur

    void add(Index word, double n) {
      if (!(n > 0)) return;
      if (count[word] == 0) words.push_back(word);
      count[word] += n;
    }
  };

  void correct(const RemovedRow& removed, Work& workspace, double* scores) const override {
    if (is_whole_class(removed, input_.model.weights())) return;
    Document& work = static_cast<Document&>(workspace);
    work.words.clear();
    if (sparse_) {
      read_sparse(removed.row, work);
    } else {
      const double* x = work.values.row(removed.row);
      for (Index j = 0; j < reader_.features(); ++j) work.add(j, x[j]);
    }
    scores[removed.label] = own_score(work, removed);
    for (const Index j : work.words) work.count[j] = 0;
  }

  double own_score(const Document& document, const RemovedRow& removed) const {
    const double alpha = sums_.rule.alpha;
    const bool bayes = sums_.rule.bayes;
    const Index d = reader_.features(), first = document.words.empty() ? 0 : document.words[0];
    double length = 0;
    for (const Index j : document.words) length += document.count[j];
    const double words =
        left_of(sums_.words[removed.label], removed.weight * length, removed, first);
    const double all = words + alpha * static_cast<double>(d);
    if (!(all > 0)) throw_unknown(removed, first);
    double log_p = 0;
    for (const Index j : document.words) {
      const double count = document.count[j];
      const double n = left_of(sums_.count(removed.label, j), removed.weight * count, removed, j);
      log_p += count * std::log(smoothed_share(n, words, alpha, d));
      if (bayes) log_p += log_gamma_excess(n + alpha, count);
    }
    return bayes ? log_p - log_gamma_excess(all, length) : log_p;
  }

  void read_sparse(Index row, Document& work) const {
    const SparseView& view = *sparse_;
    with_type(view.type, [&]<class T>(std::type_identity<T>) {
      const auto read = [&]<class I>(std::type_identity<I>) {
        const I* start = static_cast<const I*>(view.row_start);
        const I* column = static_cast<const I*>(view.column);
        const T* value = static_cast<const T*>(view.values);
        for (I k = start[row]; k < start[row + 1]; ++k)
          work.add(static_cast<Index>(column[k]), static_cast<double>(value[k]));
      };
      view.index_type == Scalar::int32 ? read(std::type_identity<std::int32_t>{})
                                       : read(std::type_identity<std::int64_t>{});
    });
  }

  const Totals& sums_;
  NumberReader reader_;
  const SparseView* sparse_;  // null: dense rows
};

// ---- categories --------------------------------------------------------------------------------

class CategoryScorer : public CorrectedScorer {
 public:
  using Sums = CategoricalStatistics;
  struct Totals {
    Totals(const CategoricalStatistics& sums, const DiscreteRule& rule)
        : alpha(rule.alpha), of_level(sums) {
      for (const Matrix& count : sums.count) {
        Vector& of_class = all.emplace_back(count.rows());
        for (Index c = 0; c < count.rows(); ++c)
          of_class[c] = std::reduce(count.row(c).begin(), count.row(c).end());
      }
    }
    double alpha;
    CategoricalStatistics of_level;
    std::vector<Vector> all;  // per feature, K
  };

  CategoryScorer(const ScorerInput& input, const RemovedRows& removed, const Totals& sums)
      : CorrectedScorer(input, removed, make_categorical_scorer(input)),
        sums_(sums),
        features_(std::ssize(sums.all)) {
    for (Index j = 0; j < features_; ++j)
      reader_.emplace_back(NameReader::column_of(input.rows, input.model.schema().column(
                                                                 input.schema_block().features[j])),
                           sums_.of_level.levels[j]);
  }

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto work = make_work<Codes>(chunk_rows);
    work->codes.resize(static_cast<std::size_t>(chunk_rows * features_));
    return work;
  }
  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    Codes& work = static_cast<Codes&>(workspace);
    prepare_all_rows(chunk, work);
    for (Index j = 0; j < features_; ++j)
      reader_[j].read(chunk.first, chunk.count, work.codes.data() + j, features_);
  }

 private:
  struct Codes : Work {
    std::vector<std::int32_t> codes;  // rows × features
  };

  void correct(const RemovedRow& removed, Work& workspace, double* scores) const override {
    if (is_whole_class(removed, input_.model.weights())) return;
    const std::int32_t* codes =
        static_cast<Codes&>(workspace).codes.data() + (removed.row - workspace.first) * features_;
    LogProduct p;
    for (Index j = 0; j < features_; ++j) {
      const std::int32_t level = codes[j];
      if (level == NameReader::unknown)
        throw_not_among(removed.row, "feature '" + input_.feature_name(j) + "' has a new level");
      if (level < 0) continue;
      const double all = left_of(sums_.all[j][removed.label], removed.weight, removed, j);
      const double n =
          left_of(sums_.of_level.count[j](removed.label, level), removed.weight, removed, j);
      if (!(all + sums_.alpha > 0)) throw_unknown(removed, j);
      p.multiply(smoothed_share(n, all, sums_.alpha, sums_.of_level.levels[j].size()));
    }
    scores[removed.label] = p.value();
  }

  const Totals& sums_;
  Index features_;
  std::vector<NameReader> reader_;
};

struct MakeDiscrete {
  const BlockInput& input;
  template <FeatureDensity Density>
  std::unique_ptr<BlockWithoutRow> operator()(const Density&) const {
    return std::make_unique<Discrete<FeatureScorer<Density>>>(input);
  }
  std::unique_ptr<BlockWithoutRow> operator()(const MultinomialDensity&) const {
    return std::make_unique<Discrete<DocumentScorer>>(input);
  }
  std::unique_ptr<BlockWithoutRow> operator()(const CategoricalDensity&) const {
    return std::make_unique<Discrete<CategoryScorer>>(input);
  }
  std::unique_ptr<BlockWithoutRow> operator()(const TextDensity&) const {
    return make_text_without_row(input);
  }
  std::unique_ptr<BlockWithoutRow> operator()(const GaussianDensity&) const { return nullptr; }
};

}  // namespace

std::unique_ptr<BlockWithoutRow> make_discrete_without_row(const BlockInput& input) {
  return std::visit(MakeDiscrete{input}, input.model.densities()[input.block]);
}

}  // namespace suffice
