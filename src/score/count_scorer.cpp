#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/constants.hpp"
#include "core/kernels.hpp"
#include "core/parallel.hpp"
#include "core/special_functions.hpp"
#include "data/family.hpp"
#include "data/number_reader.hpp"
#include "data/sparse.hpp"
#include "score/block_terms.hpp"
#include "score/chunk_values.hpp"
#include "score/linear_table.hpp"
#include "score/scorer.hpp"
#include "score/sparse_scorer.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

namespace {

using kernels::rows_at_once;

/// What the values of a row add to their linear scores where parameters are not known.
class CompoundTerms {
 public:
  CompoundTerms(const CountFactor& factor, const Vector& weights, double* scores)
      : factor_(factor), weights_(weights), scores_(scores) {}

  void add(Index feature, double x) {
    total_ += x;
    if (x == 0) return;  // which the linear scores have already
    for (Index c = 0; c < weights_.size(); ++c)
      if (const double shape = factor_.shape(c, feature); shape > 0 && weights_[c] > 0)
        scores_[c] += factor_.beyond(
            {.value = factor_.value.empty() ? 0 : factor_.value(c, feature), .shape = shape}, x);
  }
  void finish() {
    if (factor_.concentration.empty() || total_ == 0 || total_ == 1) return;
    for (Index c = 0; c < weights_.size(); ++c)
      if (weights_[c] > 0) scores_[c] -= log_gamma_excess(factor_.concentration[c], total_);
  }

 private:
  const CountFactor& factor_;
  const Vector& weights_;
  double* scores_;  // K
  double total_ = 0;
};

/// Of a document of `length` words, which counts as length^P words.
void scale_document(const CountFactor& factor, double length, Index classes, double* scores) {
  if (!(length > 0)) return;
  const double scale = std::pow(length, factor.length_power - 1);
  for (Index c = 0; c < classes; ++c) scores[c] *= scale;
}

/// Features of a CountFactor, dense: linear in x, except where parameters are not known.
class CountScorer : public BlockScorer {
 public:
  CountScorer(const ScorerInput& input, NumberReader reader)
      : input_(input),
        family_(describe(input.schema_block().family)),
        factor_(std::get<CountFactor>(input.model.factors().blocks[input.block])),
        reader_(std::move(reader)),
        d_(reader_.features()),
        classes_(input.model.labels().size()),
        table_(factor_.slope, factor_.constant) {}

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto own = std::make_unique<Own>();
    own->values = ChunkValues(reader_, chunk_rows);
    own->patched = Vector(rows_at_once * d_);
    own->scores = Vector(classes_ * rows_at_once);
    return own;
  }

  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    static_cast<Own&>(workspace).values.read(reader_, chunk);
  }

  void score(const Tile& tile, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    const double* values = own.values.row(tile.first);
    Index stride = own.values.stride();
    std::vector<std::pair<Index, Index>> missing;  // row of the tile, feature
    if (!kernels::all_pass(family_.check, values, stride, tile.count, d_)) {
      for (Index i = 0; i < tile.count; ++i) {
        for (Index j = 0; j < d_; ++j) {
          const double x = values[i * stride + j];
          const bool absent = std::isnan(x) && !family_.documents;
          if (!absent && !is_possible(family_.check, x))
            throw_bad_value(input_, tile.first + i, j, x);
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
    if (factor_.length_power != 1)
      for (Index i = 0; i < tile.count; ++i) {
        const double* row = values + i * stride;
        scale_document(factor_, std::accumulate(row, row + d_, 0.0), classes_,
                       scores + i * classes_);
      }
    // What a missing value was counted for as a 0 is taken back: its marginal has no term.
    for (const auto& [i, j] : missing) {
      for (Index c = 0; c < classes_; ++c) scores[i * classes_ + c] -= factor_.at_zero(c, j);
    }
    if (!factor_.shape.empty()) {
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
    if (factor_.shared && !input_.relative) {
      for (Index i = 0; i < tile.count; ++i) {
        double shared = 0;
        for (Index j = 0; j < d_; ++j) shared += factor_.shared(values[i * stride + j]);
        for (Index c = 0; c < classes_; ++c) {
          // A count of which log x! is no double (beyond 1e305) is as good as impossible.
          double& score = scores[i * classes_ + c];
          score = std::isinf(shared) ? -infinity : score - shared;
        }
      }
    }
    settle(tile, classes_, scores);
  }

 private:
  struct Own : Workspace {
    ChunkValues values;
    Vector patched, scores;
  };

  ScorerInput input_;
  FamilyDescription family_;
  const CountFactor& factor_;
  NumberReader reader_;
  Index d_, classes_;
  LinearTable table_;
};

/// Whether scores can be made of a row's entries alone. Words may come in several entries, which
/// add up; everywhere else an entry must be a cell, and no class may exclude the value 0, which has
/// none.
bool is_by_entry(const SparseView& view, const CountFactor& factor, const FamilyDescription& family,
                 Workers& workers) {
  if (family.documents && factor.shape.empty()) return true;
  const auto excludes_zero = [](const CountFactor::Excluded& excluded) { return excluded.zero; };
  return std::ranges::none_of(factor.excluded, excludes_zero) &&
         is_plain(view, family.check, workers);
}

std::unique_ptr<BlockScorer> make_entry_scorer(const ScorerInput& input, const SparseView& view,
                                               const CountFactor& factor) {
  const kernels::Check check = describe(input.schema_block().family).check;
  SparseTerms terms{.slope = factor.slope,
                    .base = {factor.constant.begin(), factor.constant.end()},
                    .check = check};
  terms.wrong = [input, check](Index row, Index j, double value) {
    if (!is_possible(check, value)) throw_bad_value(input, row, j, value);
  };
  const bool has_shared = factor.shared && !input.relative;
  if (factor.length_power != 1)
    terms.more = [&factor](const std::int32_t* column, const double* values, Index count,
                           double* scores) {
      double length = 0;
      for (Index k = 0; k < count; ++k)
        if (column[k] >= 0) length += values[k];
      scale_document(factor, length, factor.slope.rows(), scores);
    };
  if (has_shared || !factor.shape.empty()) {
    const Vector& weights = input.model.weights();
    terms.more = [&factor, &weights, has_shared](const std::int32_t* column, const double* values,
                                                 Index count, double* scores) {
      CompoundTerms compound(factor, weights, scores);
      double shared = 0;
      for (Index k = 0; k < count; ++k) {
        if (column[k] < 0) continue;
        if (!factor.shape.empty()) compound.add(column[k], values[k]);
        if (has_shared) shared += factor.shared(values[k]);
      }
      compound.finish();
      for (Index c = 0; c < weights.size(); ++c) scores[c] -= shared;
    };
  }
  for (const CountFactor::Excluded& excluded : factor.excluded)
    terms.impossible.emplace_back(excluded.feature, excluded.label);
  return make_sparse_scorer(view, terms, input.workers);
}

}  // namespace

std::unique_ptr<BlockScorer> make_count_scorer(const ScorerInput& input) {
  NumberReader reader(input.model.schema(), input.schema_block(), input.rows, &input.workers);
  const auto& factor = std::get<CountFactor>(input.model.factors().blocks[input.block]);
  if (const SparseView* view = reader.sparse();
      view && is_by_entry(*view, factor, describe(input.schema_block().family), input.workers))
    return make_entry_scorer(input, *view, factor);
  return std::make_unique<CountScorer>(input, std::move(reader));
}

}  // namespace suffice
