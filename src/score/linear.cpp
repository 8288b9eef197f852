#include "suffice/score/linear.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/constants.hpp"
#include "core/kernels.hpp"
#include "core/posterior_rows.hpp"
#include "data/number_reader.hpp"
#include "data/row_checks.hpp"
#include "score/linear_table.hpp"
#include "score/sparse_scorer.hpp"
#include "score/tiles.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

namespace {

using kernels::rows_at_once;

std::string name_of_feature(Index j) { return "x" + std::to_string(j); }

/// Throws for an infinite value, and for a missing one where these are refused.
void require_value(Missing missing, Index row, Index j, double value) {
  if (std::isnan(value) && missing == Missing::refuse) throw_missing(name_of_feature(j), row);
  if (std::isinf(value))
    throw DataError({.row = row, .features = {name_of_feature(j)}},
                    "the value is " + name_of(value),
                    "a linear function needs finite numbers: remove the row");
}

class LinearScorer : public BlockScorer {
 public:
  LinearScorer(const LinearFunctions& functions, NumberReader reader, Missing missing,
               bool relative)
      : reader_(std::move(reader)),
        missing_(missing),
        relative_(relative),
        d_(functions.w.cols()),
        classes_(functions.w.rows()),
        has_constant_(std::ranges::any_of(functions.c, [](double c) { return std::isfinite(c); })),
        every_(classes_),
        table_(functions.w, functions.c) {
    std::ranges::fill(every_, 1.0);
  }

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto own = std::make_unique<Own>();
    own->scratch = Vector(reader_.in_place() ? 0 : chunk_rows * d_);
    return own;
  }

  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    own.panel = reader_.read(chunk.first, chunk.count, own.scratch.data());
    own.first = chunk.first;
  }

  void score(const Tile& tile, Workspace& workspace) const override {
    const Own& own = static_cast<Own&>(workspace);
    const Index stride = own.panel.stride;
    const double* values = own.panel.values + (tile.first - own.first) * stride;
    kernels::score_linear(values, stride, tile.count, d_, nullptr, classes_, table_.weight.data(),
                          table_.base.data(), nullptr, tile.out);
    // A value that is not finite shows in the scores of all classes whose constant is.
    bool finite = has_constant_;
    for (Index i = 0; finite && i < tile.count; ++i) finite = is_good(tile.out + i * classes_);
    if (finite) return;
    for (Index i = 0; i < tile.count; ++i) {
      const double* const row = values + i * stride;
      bool complete = true;
      for (Index j = 0; j < d_; ++j) {
        require_value(missing_, tile.first + i, j, row[j]);
        complete &= !std::isnan(row[j]);
      }
      if (complete) score_far_row(row, tile.out + i * classes_);
    }
  }

 private:
  struct Own : Workspace {
    NumberReader::Panel panel{};
    Index first = 0;
    Vector scratch;
  };

  /// Whether no product has overflowed.
  bool is_good(const double* scores) const {
    for (Index c = 0; c < classes_; ++c)
      if (!std::isfinite(scores[c]) && std::isfinite(table_.base[c])) return false;
    return true;
  }

  void score_far_row(const double* row, double* scores) const {
    if (is_good(scores)) return;
    const auto wide = [&](Index c) { return table_.wide(c, row); };
    if (relative_)
      score_far(every_, scores, wide);
    else
      for (Index c = 0; c < classes_; ++c) scores[c] = static_cast<double>(wide(c));
  }

  NumberReader reader_;
  Missing missing_;
  bool relative_;
  Index d_, classes_;
  bool has_constant_;  // one that is finite
  Vector every_;       // a weight for each class
  LinearTable table_;
};

void require(const LinearFunctions& functions, const RowBlock& rows) {
  const auto& [w, c] = functions;
  if (w.cols() == 0) throw InvalidArgument("linear functions of no features", "give some weights");
  if (w.rows() != c.size() || w.rows() == 0)
    throw InvalidArgument("linear functions with " + std::to_string(w.rows()) +
                              " rows of weights and " + std::to_string(c.size()) + " constants",
                          "give one of each for every class");
  if (w.cols() != rows.feature_count())
    throw InvalidArgument("the rows have " + std::to_string(rows.feature_count()) +
                          " features, but the linear functions have " + std::to_string(w.cols()) +
                          " weights each");
  if (!kernels::all_pass(kernels::Check::finite, w.data(), w.size(), 1, w.size()))
    throw InvalidArgument("a weight of the linear functions is not finite");
  for (const double constant : c) {
    if (std::isnan(constant) || constant == infinity)
      throw InvalidArgument("a constant of the linear functions is " + name_of(constant),
                            "it must be a number or -inf");
  }
}

template <class Finish>
void score(const LinearFunctions& functions, const RowBlock& rows, Missing missing, bool relative,
           const Execution& execution, double* out, const Finish& finish) {
  require(functions, rows);
  const auto make = [&](Workers& workers) {
    Scorers scorers;
    NumberReader reader(rows, name_of_feature, &workers);
    if (const SparseView* view = reader.sparse()) {
      const SparseTerms terms{
          .slope = functions.w,
          .base = {functions.c.begin(), functions.c.end()},
          .wrong = [missing](Index row, Index j, double x) { require_value(missing, row, j, x); }};
      scorers.push_back(make_sparse_scorer(*view, terms, workers));
    } else {
      scorers.push_back(
          std::make_unique<LinearScorer>(functions, std::move(reader), missing, relative));
    }
    return scorers;
  };
  score_tiles({rows.rows(), functions.w.cols(), functions.w.rows(), out}, execution, make, finish);
}

}  // namespace

Matrix linear_scores(const LinearFunctions& functions, const RowBlock& rows,
                     const ScoreOptions& options, const Execution& execution) {
  Matrix result(rows.rows(), functions.w.rows());
  score(functions, rows, options.missing, false, execution, result.data(),
        [](Index, Index, double*) {});
  return result;
}

Matrix linear_posteriors(const LinearFunctions& functions, const RowBlock& rows, bool log,
                         const ScoreOptions& options, const Execution& execution) {
  const Vector no_offset(functions.w.rows());
  const PosteriorRows normalise({no_offset.begin(), no_offset.end()}, {}, log);
  Matrix result(rows.rows(), functions.w.rows());
  score(functions, rows, options.missing, true, execution, result.data(),
        [&](Index, Index count, double* scores) { normalise(scores, count); });
  return result;
}

std::vector<Index> best_linear(const LinearFunctions& functions, const RowBlock& rows,
                               const ScoreOptions& options, const Execution& execution) {
  const Index classes = functions.w.rows();
  std::vector<Index> best(static_cast<std::size_t>(rows.rows()));
  score(functions, rows, options.missing, true, execution, nullptr,
        [&](Index first, Index count, const double* scores) {
          kernels::best_of_rows(scores, count, classes, nullptr, best.data() + first);
        });
  return best;
}

}  // namespace suffice
