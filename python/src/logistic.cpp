// Logistic regression: the twin of a model, and linear functions of the columns.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "fields.hpp"
#include "row_source.hpp"
#include "rows.hpp"
#include "suffice/core/error.hpp"
#include "suffice/train/logistic.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

nb::dict found_of(const LogisticFit& fit) {
  nb::dict result;
  result["penalty"] = fit.penalty;
  result["passes"] = fit.passes;
  result["converged"] = fit.converged;
  result["separable"] = fit.separable;
  result["log_loss"] = fit.log_loss;
  result["filled"] = fit.filled;
  return result;
}

/// `rows` are those that the model was estimated from.
std::pair<Model, nb::dict> twin(const Model& generative, const nb::object& given,
                                std::optional<double> penalty, int threads,
                                const nb::object& progress) {
  std::optional<LogisticFit> fit;
  PyRowSource source(given);
  const RowPass rows = [&](const auto& use) {
    source.read({.schema = generative.schema()},
                [&](const RowBlock& block, const Column&) { use(block); });
  };
  call(
      threads, 1e9,
      [&](const Execution& execution) {
        fit.emplace(fit_logistic(generative, rows, {.penalty = penalty}, execution));
      },
      progress);
  nb::dict found = found_of(*fit);
  return {std::move(fit->model), std::move(found)};
}

/// A linear form of all columns, constant ones among them. Nothing but its means is looked at.
Model linear_form(const Statistics& statistics) {
  const Schema& schema = statistics.schema();
  const auto& sums = std::get<GaussianStatistics>(statistics.blocks().front());
  GaussianDensity density{.structure = Covariance::tied_spherical,
                          .mean = Matrix(statistics.labels().size(), schema.size()),
                          .covariance = {Matrix(1, 1)}};
  density.covariance[0](0, 0) = 1;
  for (Index c = 0; c < statistics.labels().size(); ++c)
    for (Index j = 0; j < schema.size() && statistics.weights()[c] > 0; ++j)
      density.mean(c, j) = sums.classes[static_cast<std::size_t>(c)].present.mean[j];
  return Model({.schema = schema,
                .labels = statistics.labels(),
                .weights = statistics.weights(),
                .densities = {std::move(density)}});
}

/// A model whose terms are the columns as they are.
std::pair<Model, nb::dict> fitted_linear(const Statistics& statistics, const Rows& rows,
                                         double penalty, bool intercept, Index iterations,
                                         double tolerance, int threads) {
  std::optional<LogisticFit> fit;
  call(threads, 10 * rows.size(), [&](const Execution& execution) {
    fit.emplace(fit_logistic(
        linear_form(statistics), [&](const auto& use) { use(rows.block()); },
        {.penalty = penalty,
         .standardize = false,
         .intercept = intercept,
         .errors = false,
         .passes = {.iterations = iterations, .tolerance = tolerance}},
        execution));
  });
  nb::dict found = found_of(*fit);
  return {std::move(fit->model), std::move(found)};
}

nb::object logistic_of(const Model& model) {
  if (!model.logistic()) return nb::none();
  nb::dict result;
  std::vector<std::string> terms;
  for (LogisticTerm& term : logistic_terms(model)) terms.push_back(std::move(term.name));
  result["terms"] = nb::cast(terms);
  add_fields(result, *model.logistic());
  result["intercept_at_zero"] = nb::cast(to_numpy(intercept_at_zero(*model.logistic())));
  return result;
}

}  // namespace

void bind_logistic(nb::module_& module, nb::class_<Model>& model) {
  model.def_prop_ro("logistic", logistic_of)
      .def("twin", twin, "rows"_a, "penalty"_a.none(), "threads"_a = 0, "progress"_a = nb::none());
  module.def("fit_linear", fitted_linear, "statistics"_a, "rows"_a, "penalty"_a, "intercept"_a,
             "iterations"_a, "tolerance"_a, "threads"_a = 0);
}

}  // namespace suffice::python
