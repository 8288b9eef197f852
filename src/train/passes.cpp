#include "suffice/train/passes.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "suffice/core/error.hpp"

namespace suffice {

RowPass narrowed(RowPass rows, const Schema& from, const Schema& to) {
  if (from.columns() == to.columns()) return rows;
  return [rows = std::move(rows), places = positions_of_columns(from, to)](
             const std::function<void(const RowBlock&)>& use) {
    rows([&](const RowBlock& block) { use(block.columns(places)); });
  };
}

void require_possible(const PassOptions& options) {
  if (options.iterations < 1)
    throw InvalidArgument("the number of iterations is " + std::to_string(options.iterations),
                          "it must be at least 1");
  if (!(options.tolerance >= 0))
    throw InvalidArgument("the tolerance is " + name_of(options.tolerance),
                          "it must not be negative");
}

EmPasses run_em(const PassOptions& options, double weight, const std::function<double()>& pass,
                const Execution& execution) {
  require_possible(options);
  EmPasses result;
  std::vector<double>& path = result.log_likelihood;
  for (Index k = 0; k < options.iterations && !result.converged; ++k) {
    if (execution.stop.stop_requested()) throw Cancelled();
    const double log_likelihood = pass();
    if (!std::isfinite(log_likelihood))
      throw DataError("the likelihood of the rows is no number",
                      "numbers of this size are too large for EM; rescale the columns");
    result.converged =
        !path.empty() && std::abs(log_likelihood - path.back()) <= options.tolerance * weight;
    path.push_back(log_likelihood);
  }
  return result;
}

}  // namespace suffice
