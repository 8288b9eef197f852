#include "suffice/train/mixture.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "call.hpp"
#include "options.hpp"
#include "passes.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

nb::dict figures_of(const MixtureFit& fit) {
  const Model& model = fit.model;
  const Index classes = model.labels().size();
  nb::dict result, components;
  for (Index c = 0; c < classes; ++c) {
    const bool mixed = model.mixture().has_value();
    components[model.labels()[c].c_str()] =
        mixed ? model.mixture()->by_class(classes)[static_cast<std::size_t>(c)].size() : 1;
  }
  result["components"] = components;
  result["log_likelihood"] = nb::cast(fit.log_likelihood);
  result["converged"] = fit.converged;
  result["empty"] = fit.empty;
  result["bounded"] = fit.bounded;
  result["unlabelled_rows"] = fit.unlabelled_rows;
  if (fit.tried.empty()) return result;
  nb::dict tried;
  for (Index c = 0; c < classes; ++c) {
    nb::list list;
    for (const ComponentsTried& of : fit.tried[static_cast<std::size_t>(c)]) {
      nb::dict one;
      one["components"] = of.components;
      one["held_out"] = of.held_out;
      one["standard_error"] = of.standard_error;
      one["bic"] = of.bic;
      list.append(one);
    }
    tried[model.labels()[c].c_str()] = list;
  }
  result["tried"] = tried;
  return result;
}

/// The model, and what EM found. `read(schema)` gives all rows, with or without labels.
std::pair<Model, nb::dict> fitted(const Statistics& statistics,
                                  const std::map<std::string, std::string>& given,
                                  const nb::object& read, const std::string& missing,
                                  Index iterations, double tolerance, Index restarts,
                                  std::uint64_t seed, double unlabelled_weight, const Model* start,
                                  int threads, const nb::object& progress) {
  const RowsAgain again = rows_again(read);
  const MixtureOptions options{
      .estimate = options_of(given),
      .restarts = restarts,
      .seed = seed,
      .passes = {.iterations = iterations, .tolerance = tolerance},
      .unlabelled_weight = unlabelled_weight,
      .complete_missing = missing_numbers_from(missing) != MissingNumbers::complete};
  std::optional<MixtureFit> fit;
  const auto work = [&](const Execution& execution) {
    fit.emplace(fit_mixture(
        statistics, [&](const auto& use) { again(statistics.schema(), use); }, options, execution,
        start));
  };
  call(threads, 1e9, work, progress);
  nb::dict figures = figures_of(*fit);
  return {std::move(fit->model), std::move(figures)};
}

}  // namespace

void bind_mixture(nb::module_& module) {
  module.def("fit_mixture", fitted, "statistics"_a, "given"_a, "read"_a, "missing"_a = "auto",
             "iterations"_a = PassOptions().iterations, "tolerance"_a = PassOptions().tolerance,
             "restarts"_a = MixtureOptions().restarts, "seed"_a = 0, "unlabelled_weight"_a = 0.0,
             "start"_a.none() = nb::none(), "threads"_a = 0, "progress"_a = nb::none());
}

}  // namespace suffice::python
