#include "decide/posteriors_into.hpp"

#include <algorithm>
#include <string>

#include "core/constants.hpp"
#include "core/posterior_rows.hpp"
#include "decide/for_rows.hpp"
#include "decide/row_ratios.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// What was moved out of has no memory, whatever its shape.
void give_shape(Matrix& to, Index rows, Index columns) {
  if (to.rows() != rows || to.cols() != columns || to.size() != rows * columns)
    to = Matrix(rows, columns);
}

std::span<const double> span_of(const Vector& numbers) { return {numbers.begin(), numbers.end()}; }

}  // namespace

void posteriors_into(Matrix& to, const Matrix& scores, const Priors& priors, bool log,
                     const Execution& execution) {
  const Index rows = scores.rows(), classes = scores.cols();
  give_shape(to, rows, classes);
  const Vector& others = log ? priors.log() : priors.probabilities();
  const PosteriorRows normalise(span_of(priors.log()), span_of(others), log);
  for_rows(rows, classes, execution, [&](Index first, Index last) {
    double* const row = to.row(first).data();
    if (row != scores.row(first).data())
      std::copy_n(scores.row(first).data(), (last - first) * classes, row);
    normalise(row, last - first);
  });
}

void ratios_into(Matrix& to, const Matrix& scores, const Priors& priors,
                 const Execution& execution) {
  const Index rows = scores.rows(), classes = scores.cols();
  if (classes < 2) throw InvalidArgument("a log-likelihood ratio needs at least two classes");
  if (classes == 2) {
    give_shape(to, rows, 1);
    for (Index i = 0; i < rows; ++i) to(i, 0) = log_ratio(scores(i, 0), scores(i, 1));
    return;
  }
  const Vector log_others = log_of_other_priors(priors);
  for (Index c = 0; c < classes; ++c)
    if (log_others[c] == -infinity)
      throw InvalidArgument(
          "class '" + priors.labels()[c] +
              "' has the prior 1, so the other classes have no prior-weighted mean",
          "give another class a prior above 0");
  give_shape(to, rows, classes);
  for_rows(rows, classes, execution, [&](Index first, Index last) {
    RowPosterior posterior(classes);
    for (Index i = first; i < last; ++i) {
      const double* const score = scores.row(i).data();
      posterior.set(score, priors);
      ratios_of_row(score, posterior, priors, log_others, to.row(i).data());
    }
  });
}

}  // namespace suffice
