#include "suffice/evaluate/choose.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "call.hpp"
#include "options.hpp"
#include "rows.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

/// The options that are given stay as they are.
ChooseOptions choose_options_of(const std::map<std::string, std::string>& given, bool calibrate) {
  ChooseOptions options{.fixed = {}, .given = options_of(given), .calibrate = calibrate};
  for (const auto& [name, text] : given) options.fixed.push_back(name);
  return options;
}

nb::dict choice_dict(const Choice& choice) {
  nb::dict result;
  const Choice::Candidate* best = choice.best();
  if (!best) {
    result["reason"] = choice.reason;
    return result;
  }
  result["rows"] = choice.rows;
  result["error_rate"] = best->error_rate;
  result["log_loss"] = best->log_loss;
  result["prior_error_rate"] = choice.prior_error_rate;
  result["prior_log_loss"] = choice.prior_log_loss;
  result["chosen"] = choice.chosen;
  if (choice.incumbent >= 0) result["default"] = choice.incumbent;
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

std::pair<Model, nb::dict> chosen(const Statistics& statistics, const Reservoir& reservoir,
                                  const std::map<std::string, std::string>& given, bool calibrate,
                                  int threads) {
  const ChooseOptions options = choose_options_of(given, calibrate);
  std::optional<Choice> choice;
  std::optional<Model> model;
  const double d = static_cast<double>(statistics.schema().size());
  call(threads, 1e5 + d * d * static_cast<double>(statistics.labels().size()),
       [&](const Execution& execution) {
         choice = choose(statistics, reservoir.sample(), options, execution);
         model.emplace(choice->model(statistics, execution));
       });
  return {std::move(*model), choice_dict(*choice)};
}

}  // namespace

void bind_choose(nb::module_& module) {
  nb::class_<Reservoir>(module, "Reservoir", "A sample of the rows, in memory.")
      .def(
          "__init__",
          [](Reservoir* place, const Schema& schema, std::uint64_t seed) {
            new (place) Reservoir(schema, {.seed = seed});
          },
          "schema"_a, "seed"_a = 0)
      .def(
          "update", [](Reservoir& self, const Rows& rows) { self.update(rows.block()); }, "rows"_a);
  module.def("choose", chosen, "statistics"_a, "reservoir"_a, "given"_a, "calibrate"_a = true,
             "threads"_a = 0);
  module.def(
      "scatter_to_choose",
      [](const Schema& schema, const std::map<std::string, std::string>& given) {
        return scatter_to_choose(schema, choose_options_of(given, true)) == Scatter::dense;
      },
      "schema"_a, "given"_a);
}

}  // namespace suffice::python
