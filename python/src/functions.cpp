#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "factor/white_directions.hpp"
#include "rows.hpp"
#include "suffice/decide/decide.hpp"
#include "suffice/io/file.hpp"
#include "suffice/score/linear.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

LinearFunctions functions_of(const Doubles& w, const Doubles& c) {
  return {matrix_of(w, "the coefficients"), vector_of(c, "the intercepts")};
}

ScoreOptions score_options_of(bool allow_missing) {
  return {.missing = allow_missing ? Missing::allow : Missing::refuse};
}

OutArray linear(const Doubles& w, const Doubles& c, const Rows& rows, int threads,
                bool allow_missing) {
  const LinearFunctions functions = functions_of(w, c);
  Matrix result;
  call(threads, rows.size(), [&](const Execution& execution) {
    result = linear_scores(functions, rows.block(), score_options_of(allow_missing), execution);
  });
  return to_numpy(std::move(result));
}

OutArray linear_posteriors_of(const Doubles& w, const Doubles& c, const Rows& rows, bool log,
                              int threads, bool allow_missing) {
  const LinearFunctions functions = functions_of(w, c);
  Matrix result;
  call(threads, rows.size(), [&](const Execution& execution) {
    result =
        linear_posteriors(functions, rows.block(), log, score_options_of(allow_missing), execution);
  });
  return to_numpy(std::move(result));
}

OutClasses best_linear_of(const Doubles& w, const Doubles& c, const Rows& rows, int threads,
                          bool allow_missing) {
  const LinearFunctions functions = functions_of(w, c);
  std::vector<Index> result;
  call(threads, rows.size(), [&](const Execution& execution) {
    result = best_linear(functions, rows.block(), score_options_of(allow_missing), execution);
  });
  return to_numpy(std::move(result));
}

nb::tuple white_directions_of(const Doubles& covariance, double cutoff) {
  const Matrix matrix = matrix_of(covariance, "the covariance");
  WhiteDirections result;
  {
    const WithoutLock without_lock;
    result = white_directions(matrix, cutoff);
  }
  return nb::make_tuple(to_numpy(std::move(result.matrix)), result.complete);
}

}  // namespace

void bind_functions(nb::module_& module) {
  module.def("linear_scores", linear, "w"_a, "c"_a, "rows"_a, "threads"_a = 0,
             "allow_missing"_a = false);
  module.def("linear_posteriors", linear_posteriors_of, "w"_a, "c"_a, "rows"_a, "log"_a,
             "threads"_a = 0, "allow_missing"_a = false);
  module.def("best_linear", best_linear_of, "w"_a, "c"_a, "rows"_a, "threads"_a = 0,
             "allow_missing"_a = false);
  module.def("white_directions", white_directions_of, "covariance"_a, "cutoff"_a = 0.0);
  module.def("rows_per_block", &rows_per_block, "schema"_a, "sparse"_a);
  module.def(
      "file_kind",
      [](const std::string& path) {
        return file_kind(path) == FileKind::model ? "model" : "statistics";
      },
      "path"_a);
  module.def("file_format_version", [] { return file_format_version; });
  module.def("available_threads", &available_threads);
  module.def(
      "name_of", [](double number) { return name_of(number); }, "number"_a);
  module.def(
      "sorted_names", [](std::vector<std::string> names) { return Names(std::move(names)).list(); },
      "names"_a);
  module.def(
      "check_priors",
      [](const std::vector<std::string>& labels, const Doubles& probabilities) {
        const Vector given = vector_of(probabilities, "the priors");
        const Priors priors(Names(labels), std::span<const double>(given.begin(), given.end()));
      },
      "labels"_a, "probabilities"_a);
  module.def(
      "check_costs",
      [](const std::vector<std::string>& labels, const Doubles& matrix) {
        const Costs costs(Names(labels), matrix_of(matrix, "the costs"));
      },
      "labels"_a, "matrix"_a);
}

}  // namespace suffice::python
