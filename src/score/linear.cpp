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
  LinearScorer(const LinearFunctions& functions, NumberReader reader, Missing missing)
      : reader_(std::move(reader)),
        missing_(missing),
        d_(functions.w.cols()),
        classes_(functions.w.rows()),
        a_class_(std::ranges::find_if(functions.c, [](double c) { return std::isfinite(c); }) -
                 functions.c.begin()),
        table_(functions.w, functions.c) {}

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
    // A value that is not finite shows in the score of any class whose constant is.
    bool finite = a_class_ < classes_;
    for (Index i = 0; finite && i < tile.count; ++i)
      finite = std::isfinite(tile.out[i * classes_ + a_class_]);
    if (finite) return;
    for (Index i = 0; i < tile.count; ++i) {
      for (Index j = 0; j < d_; ++j)
        require_value(missing_, tile.first + i, j, values[i * stride + j]);
    }
  }

 private:
  struct Own : Workspace {
    NumberReader::Panel panel{};
    Index first = 0;
    Vector scratch;
  };

  NumberReader reader_;
  Missing missing_;
  Index d_, classes_;
  Index a_class_;  // the first with a finite constant; K: none
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
void score(const LinearFunctions& functions, const RowBlock& rows, Missing missing,
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
      scorers.push_back(std::make_unique<LinearScorer>(functions, std::move(reader), missing));
    }
    return scorers;
  };
  score_tiles({rows.rows(), functions.w.cols(), functions.w.rows(), out}, execution, make, finish);
}

}  // namespace

Matrix linear_scores(const LinearFunctions& functions, const RowBlock& rows,
                     const ScoreOptions& options, const Execution& execution) {
  Matrix result(rows.rows(), functions.w.rows());
  score(functions, rows, options.missing, execution, result.data(), [](Index, Index, double*) {});
  return result;
}

Matrix linear_posteriors(const LinearFunctions& functions, const RowBlock& rows, bool log,
                         const ScoreOptions& options, const Execution& execution) {
  const Vector no_offset(functions.w.rows());
  const PosteriorRows normalise({no_offset.begin(), no_offset.end()}, {}, log);
  Matrix result(rows.rows(), functions.w.rows());
  score(functions, rows, options.missing, execution, result.data(),
        [&](Index, Index count, double* scores) { normalise(scores, count); });
  return result;
}

std::vector<Index> best_linear(const LinearFunctions& functions, const RowBlock& rows,
                               const ScoreOptions& options, const Execution& execution) {
  const Index classes = functions.w.rows();
  std::vector<Index> best(static_cast<std::size_t>(rows.rows()));
  score(functions, rows, options.missing, execution, nullptr,
        [&](Index first, Index count, const double* scores) {
          kernels::best_of_rows(scores, count, classes, nullptr, best.data() + first);
        });
  return best;
}

}  // namespace suffice
