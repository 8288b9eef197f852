#include "suffice/score/log_likelihood.hpp"

#include <cmath>

#include "core/constants.hpp"
#include "score/best_classes.hpp"
#include "score/score_rows.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

LogLikelihoods log_likelihood(const Model& model, const RowBlock& rows, const ScoreOptions& options,
                              const Execution& execution) {
  return score_rows({.model = model, .rows = rows, .options = options}, execution);
}

std::vector<Index> best_class(const Model& model, const RowBlock& rows,
                              std::span<const double> offset, const ScoreOptions& options,
                              const Execution& execution) {
  const Index classes = model.labels().size();
  if (!offset.empty() && static_cast<Index>(offset.size()) != classes) {
    throw InvalidArgument("best_class got " + std::to_string(offset.size()) + " offsets for " +
                              std::to_string(classes) + " classes",
                          "give one for each, or none");
  }
  for (const double o : offset) {
    if (std::isnan(o) || o == infinity) {
      throw InvalidArgument("an offset of best_class is " + name_of(o),
                            "it must be a number or -inf");
    }
  }
  return best_classes(model, rows, offset, options.missing, execution).classes;
}

std::vector<Index> best_class(const Model& model, const RowBlock& rows,
                              std::span<const double> offset, const Execution& execution) {
  return best_class(model, rows, offset, ScoreOptions{}, execution);
}

}  // namespace suffice
