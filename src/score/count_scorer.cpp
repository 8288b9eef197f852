#include <algorithm>
#include <cmath>
#include <concepts>

#include "core/kernels.hpp"
#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "data/counts.hpp"
#include "data/scalar.hpp"
#include "score/linear_table.hpp"
#include "score/scorer.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

namespace {

using kernels::rows_at_once;

[[noreturn]] void throw_bad_count(const ScorerInput& input, Index row, Index j, double value) {
  const std::string& name = input.feature_name(j);
  const Family family = input.schema_block().family;
  throw DataError(
      "feature '" + name + "' has the value " + name_of(value) + " in row " + std::to_string(row) +
          "; " +
          (family == Family::bernoulli ? "a Bernoulli feature is 0 or 1"
           : std::isnan(value)
               ? "a missing word count has no meaning: write 0 for a word that does not occur"
               : "counts are whole numbers from 0 on"),
      {.row = row, .feature = name, .label = {}});
}

/// What the counts of a row add to their linear scores where a family is compound.
class CompoundTerms {
 public:
  CompoundTerms(const CountFactor& factor, const Vector& weights, double* scores)
      : factor_(factor), weights_(weights), scores_(scores) {}

  void add(Index feature, double count) {
    total_ += count;
    if (!(count > 1)) return;
    for (Index c = 0; c < weights_.size(); ++c)
      if (const double a = factor_.rising(c, feature); a > 0 && weights_[c] > 0)
        scores_[c] += log_gamma_excess(a, count);
  }
  void finish() {
    if (factor_.concentration.empty() || !(total_ > 1)) return;
    for (Index c = 0; c < weights_.size(); ++c)
      if (weights_[c] > 0) scores_[c] -= log_gamma_excess(factor_.concentration[c], total_);
  }

 private:
  const CountFactor& factor_;
  const Vector& weights_;
  double* scores_;  // K
  double total_ = 0;
};

/// Bernoulli, Poisson and dense multinomial features: linear in x, but for compound families.
class CountScorer : public BlockScorer {
 public:
  CountScorer(const ScorerInput& input, NumberReader reader)
      : input_(input),
        family_(input.schema_block().family),
        factor_(std::get<CountFactor>(input.model.factors().blocks[input.block])),
        reader_(std::move(reader)),
        d_(reader_.features()),
        classes_(input.model.labels().size()),
        table_(factor_.slope, factor_.constant) {}

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto own = std::make_unique<Own>();
    own->scratch = Vector(reader_.in_place() ? 0 : chunk_rows * d_);
    own->patched = Vector(rows_at_once * d_);
    own->scores = Vector(classes_ * rows_at_once);
    return own;
  }

  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    own.panel = reader_.read(chunk.first, chunk.count, own.scratch.data());
    own.first = chunk.first;
  }

  void score(const Tile& tile, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    const double* values = own.panel.values + (tile.first - own.first) * own.panel.stride;
    Index stride = own.panel.stride;
    const auto check =
        family_ == Family::bernoulli ? kernels::Check::zero_or_one : kernels::Check::count;
    std::vector<std::pair<Index, Index>> missing;  // row of the tile, feature
    if (!kernels::all_pass(check, values, stride, tile.count, d_)) {
      for (Index i = 0; i < tile.count; ++i) {
        for (Index j = 0; j < d_; ++j) {
          const double x = values[i * stride + j];
          const bool absent = std::isnan(x) && family_ != Family::multinomial;
          if (!absent && !is_possible_count(family_, x))
            throw_bad_count(input_, tile.first + i, j, x);
          if (absent) {
            input_.require_present(j, tile.first + i);
            missing.emplace_back(i, j);
          }
          own.patched[i * d_ + j] = absent ? 0.0 : x;
        }
      }
      values = own.patched.data();
      stride = d_;
    }
    double* scores = target_of(tile, own.scores);
    kernels::score_linear(values, stride, tile.count, d_, nullptr, classes_, table_.weight.data(),
                          table_.base.data(), nullptr, scores);
    // What a missing value was counted for as a 0 is taken back: its marginal has no term.
    for (const auto& [i, j] : missing) {
      for (Index c = 0; c < classes_; ++c) scores[i * classes_ + c] -= factor_.at_zero(c, j);
    }
    if (!factor_.rising.empty()) {
      for (Index i = 0; i < tile.count; ++i) {
        CompoundTerms terms(factor_, input_.model.weights(), scores + i * classes_);
        for (Index j = 0; j < d_; ++j) terms.add(j, values[i * stride + j]);
        terms.finish();
      }
    }
    for (const CountFactor::Excluded& excluded : factor_.excluded) {
      for (Index i = 0; i < tile.count; ++i) {
        if ((values[i * stride + excluded.feature] == 0) != excluded.zero) continue;
        const bool absent = std::find(missing.begin(), missing.end(),
                                      std::pair(i, excluded.feature)) != missing.end();
        if (!absent) scores[i * classes_ + excluded.label] = -infinity;
      }
    }
    if (family_ == Family::poisson && !input_.relative) {
      for (Index i = 0; i < tile.count; ++i) {
        double shared = 0;
        for (Index j = 0; j < d_; ++j) shared += log_factorial(values[i * stride + j]);
        for (Index c = 0; c < classes_; ++c) {
          // A count that no double holds the logarithm of (beyond 1e305) is as good as impossible.
          double& score = scores[i * classes_ + c];
          score = std::isinf(shared) ? -infinity : score - shared;
        }
      }
    }
    settle(tile, classes_, scores);
  }

 private:
  struct Own : Workspace {
    NumberReader::Panel panel{};
    Index first = 0;
    Vector scratch, patched, scores;
  };

  ScorerInput input_;
  Family family_;
  const CountFactor& factor_;
  NumberReader reader_;
  Index d_, classes_;
  LinearTable table_;
};

/// Sparse documents: Σ_j x_j log p_j over the words that occur, one row of a table (feature ×
/// class) each.
class SparseScorer : public BlockScorer {
 public:
  SparseScorer(const ScorerInput& input, NumberReader reader)
      : input_(input),
        factor_(std::get<CountFactor>(input.model.factors().blocks[input.block])),
        reader_(std::move(reader)),
        view_(*reader_.sparse()),
        classes_(input.model.labels().size()),
        width_(kernels::padded(classes_)) {
    const Index features = view_.cols;
    table_ = Matrix(features, width_);
    constexpr Index piece = 2048;
    input.workers.run((features + piece - 1) / piece, [&](Index p, int) {
      const Index first = p * piece, count = std::min(piece, features - first);
      kernels::transpose(factor_.slope.data() + first, features, classes_, count, nullptr,
                         table_.data() + first * width_, width_);
    });
    for (const CountFactor::Excluded& excluded : factor_.excluded)
      table_(excluded.feature, excluded.label) = -infinity;
  }

  std::unique_ptr<Workspace> workspace(Index) const override {
    auto own = std::make_unique<Own>();
    own->sums = Vector(width_);
    return own;
  }

  void prepare(const Chunk&, Workspace&) const override {}

  void score(const Tile& tile, Workspace& workspace) const override {
    with_type(view_.type, [&]<class T>(std::type_identity<T>) {
      if (view_.index_type == Scalar::int32) {
        score_typed<std::int32_t, T>(tile, static_cast<Own&>(workspace));
      } else {
        score_typed<std::int64_t, T>(tile, static_cast<Own&>(workspace));
      }
    });
  }

 private:
  struct Own : Workspace {
    Vector sums;
    std::vector<std::int32_t> word;
    std::vector<double> times;
  };

  template <class I, class T>
  void score_typed(const Tile& tile, Own& own) const {
    const I* row_start = static_cast<const I*>(view_.row_start);
    const I* column = static_cast<const I*>(view_.column);
    const T* values = static_cast<const T*>(view_.values);
    const Index begin = static_cast<Index>(row_start[tile.first]);
    const Index words = static_cast<Index>(row_start[tile.first + tile.count]) - begin;
    const std::int32_t* word = nullptr;
    const double* times = nullptr;
    bool wrong = false;
    if constexpr (std::same_as<I, std::int32_t> && std::same_as<T, double>) {
      // What the kernel wants is there already. Only with a probability of 0 must a stored 0, which
      // is a word that does not occur, be kept from 0 · −inf.
      if (factor_.excluded.empty()) {
        word = column + begin;
        times = values + begin;
        wrong = !kernels::all_pass(kernels::Check::count, times, words, 1, words);
      }
    }
    if (!word) {
      own.word.resize(static_cast<std::size_t>(words));
      own.times.resize(static_cast<std::size_t>(words));
      for (Index k = 0; k < words; ++k) {
        const double value = static_cast<double>(values[begin + k]);
        wrong |= !is_plain_count(value);
        own.word[k] = value == 0 ? -1 : static_cast<std::int32_t>(column[begin + k]);
        own.times[k] = value;
      }
      word = own.word.data();
      times = own.times.data();
    }
    if (wrong) throw_first_bad(tile, row_start, column, values);
    for (Index i = 0; i < tile.count; ++i) {
      const Index first = static_cast<Index>(row_start[tile.first + i]) - begin;
      const Index count = static_cast<Index>(row_start[tile.first + i + 1]) - begin - first;
      std::fill(own.sums.begin(), own.sums.end(), 0.0);
      // Fetching ahead goes on into the words of the next rows.
      kernels::add_table_rows(table_.data(), width_, word + first, nullptr, times + first, count,
                              words - first, own.sums.data());
      if (!factor_.rising.empty()) {
        CompoundTerms terms(factor_, input_.model.weights(), own.sums.data());
        for (Index k = first; k < first + count; ++k)
          if (word[k] >= 0) terms.add(word[k], times[k]);
        terms.finish();
      }
      double* out = tile.out + i * classes_;
      for (Index c = 0; c < classes_; ++c) out[c] = (tile.add ? out[c] : 0.0) + own.sums[c];
    }
  }

  template <class I, class T>
  void throw_first_bad(const Tile& tile, const I* row_start, const I* column,
                       const T* values) const {
    for (Index i = tile.first; i < tile.first + tile.count; ++i) {
      for (I k = row_start[i]; k < row_start[i + 1]; ++k) {
        const double value = static_cast<double>(values[k]);
        if (!is_possible_count(Family::multinomial, value))
          throw_bad_count(input_, i, column[k], value);
      }
    }
  }

  ScorerInput input_;
  const CountFactor& factor_;
  NumberReader reader_;
  const SparseView& view_;
  Index classes_, width_;
  Matrix table_;
};

}  // namespace

std::unique_ptr<BlockScorer> make_count_scorer(const ScorerInput& input) {
  NumberReader reader(input.model.schema(), input.schema_block(), input.rows, &input.workers);
  if (reader.sparse() && input.schema_block().family == Family::multinomial) {
    return std::make_unique<SparseScorer>(input, std::move(reader));
  }
  return std::make_unique<CountScorer>(input, std::move(reader));
}

}  // namespace suffice
