#include "suffice/select/choose.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "call.hpp"
#include "options.hpp"
#include "passes.hpp"
#include "rows.hpp"
#include "suffice/select/variants.hpp"
#include "suffice/stats/indicators.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

/// The options that are given stay as they are; `only` these are compared on changed columns.
ChooseOptions choose_options_of(const std::map<std::string, std::string>& given, bool calibrate,
                                bool only = false) {
  ChooseOptions options{.fixed = {}, .given = options_of(given), .calibrate = calibrate};
  if (only)
    for (const EstimateOption& option : estimate_options()) options.fixed.emplace_back(option.name);
  else
    for (const auto& [name, text] : given) options.fixed.push_back(name);
  return options;
}

/// What Python says of missing numbers; `read(schema)` gives the rows again, slice by slice.
MissingOptions missing_of(const std::string& numbers, Index iterations, double tolerance,
                          const nb::object& read) {
  return {.numbers = missing_numbers_from(numbers),
          .passes = {.iterations = iterations, .tolerance = tolerance},
          .rows = rows_again(read)};
}

nb::dict choice_dict(const Choice& choice) {
  nb::dict result;
  const Choice::Candidate* best = choice.best();
  if (!best) {
    result["reason"] = text_of(choice.reason);
    return result;
  }
  result["rows"] = choice.rows;
  result["folds"] = std::max(choice.folds, choice.sample_folds);
  result["converged"] = !choice.completion || choice.completion->converged;
  if (!choice.incomplete_reason.empty())
    result["incomplete_reason"] = text_of(choice.incomplete_reason);
  result["error_rate"] = best->error_rate;
  result["log_loss"] = best->log_loss;
  result["prior_error_rate"] = choice.prior_error_rate;
  result["prior_log_loss"] = choice.prior_log_loss;
  result["chosen"] = choice.chosen;
  if (choice.incumbent >= 0) result["evidence"] = choice.incumbent;
  nb::list candidates;
  for (const Choice::Candidate& candidate : choice.candidates) {
    nb::dict one;
    one["options"] = to_python(candidate.options);
    one["error_rate"] = candidate.error_rate;
    one["log_loss"] = candidate.log_loss;
    candidates.append(one);
  }
  result["candidates"] = candidates;
  return result;
}

std::pair<Model, Choice> chosen(const Statistics& statistics, const Reservoir& reservoir,
                                const std::map<std::string, std::string>& given, bool calibrate,
                                bool only, const MissingOptions* missing, int threads) {
  ChooseOptions options = choose_options_of(given, calibrate, only);
  if (missing) options.missing = *missing;
  std::optional<Choice> choice;
  std::optional<Model> model;
  const double d = static_cast<double>(statistics.schema().size());
  call(threads, 1e5 + d * d * static_cast<double>(statistics.labels().size()),
       [&](const Execution& execution) {
         choice = choose(statistics, reservoir.sample(), options, execution);
         model.emplace(choice->model(statistics, execution));
       });
  return {std::move(*model), std::move(*choice)};
}

/// The model of completed sums, and whether EM converged; none where no number is to be completed.
std::optional<std::pair<Model, bool>> completed(const Statistics& statistics,
                                                const std::map<std::string, std::string>& given,
                                                const MissingOptions& missing, int threads) {
  const EstimateOptions options = resolve(options_of(given));
  if (!missing.completes(statistics, options)) return std::nullopt;
  std::optional<Model> model;
  bool converged = false;
  call(threads, 1e9, [&](const Execution& execution) {
    const Completion completion = missing.complete(statistics, options, execution);
    converged = completion.converged;
    model.emplace(completion.model(execution));
  });
  return std::pair(std::move(*model), converged);
}

/// The schema under which rows should be read again, and what was changed, in words; none: that of
/// the statistics.
std::optional<std::pair<Schema, std::vector<std::string>>> better_columns(
    const Statistics& statistics, const Reservoir& reservoir, const Choice& choice,
    const std::map<std::string, std::string>& given, std::vector<Index> transformable, bool only,
    const MissingOptions* missing, int threads) {
  ChooseOptions options = choose_options_of(given, true, only);
  if (missing) options.missing = *missing;
  BetterSchema better;
  const double d = static_cast<double>(statistics.schema().size());
  call(threads, 1e5 + d * d * static_cast<double>(statistics.labels().size()),
       [&](const Execution& execution) {
         better = better_schema(statistics, reservoir.sample(), choice,
                                {.transformable = std::move(transformable)}, options, execution);
       });
  if (!better.is_other()) return std::nullopt;
  return std::pair(std::move(better.schema), std::move(better.words));
}

}  // namespace

void bind_choose(nb::module_& module) {
  nb::class_<Shared<Reservoir>>(module, "Reservoir", "A sample of the rows, in memory.")
      .def(
          "__init__",
          [](Shared<Reservoir>* place, const Schema& schema, std::uint64_t seed) {
            new (place) Shared(Reservoir(schema, {.seed = seed}));
          },
          "schema"_a, "seed"_a = 0)
      .def(
          "update",
          [](Shared<Reservoir>& self, const Rows& rows) {
            const WithoutLock without_lock;
            self.change([&](Reservoir& reservoir) { reservoir.update(rows.block()); });
          },
          "rows"_a);
  nb::class_<Choice>(module, "Choice", "What was compared, and what was chosen.")
      .def_prop_ro("figures", choice_dict);
  nb::class_<MissingOptions>(module, "Missing", "What is done about missing numbers.")
      .def(
          "__init__",
          [](MissingOptions* place, const std::string& numbers, Index iterations, double tolerance,
             const nb::object& read) {
            new (place) MissingOptions(missing_of(numbers, iterations, tolerance, read));
          },
          "numbers"_a, "iterations"_a, "tolerance"_a, "read"_a.none(), nb::keep_alive<1, 5>());
  module.def("choose", chosen, "statistics"_a, "reservoir"_a, "given"_a, "calibrate"_a = true,
             "only"_a = false, "missing"_a.none() = nb::none(), "threads"_a = 0);
  module.def("complete", completed, "statistics"_a, "given"_a, "missing"_a, "threads"_a = 0);
  module.def("better_columns", better_columns, "statistics"_a, "reservoir"_a, "choice"_a, "given"_a,
             "transformable"_a, "only"_a = false, "missing"_a.none() = nb::none(), "threads"_a = 0);
  module.def(
      "category_variant",
      [](const Statistics& statistics) -> std::optional<std::pair<Schema, std::string>> {
        std::optional<SchemaVariant> found = category_variant(statistics);
        if (!found) return std::nullopt;
        return std::pair(std::move(found->schema), std::move(found->words));
      },
      "statistics"_a);
  module.def("gains_enough", gains_enough, "choice"_a, "other"_a);
  module.def(
      "indicators_of",
      [](const Statistics& statistics, Index levels) -> std::optional<Schema> {
        Indicators found = indicators_of(statistics, {.levels = levels});
        if (found.columns.empty()) return std::nullopt;
        return std::move(found.schema);
      },
      "statistics"_a, "levels"_a = IndicatorOptions().levels);
  module.def(
      "scatter_to_choose",
      [](const Schema& schema, const std::map<std::string, std::string>& given,
         std::optional<Index> rows) {
        return scatter_to_choose(schema, choose_options_of(given, true), rows) != Scatter::diagonal;
      },
      "schema"_a, "given"_a, "rows"_a = nb::none());
}

}  // namespace suffice::python
