#include "suffice/models/model.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "fields.hpp"
#include "options.hpp"
#include "suffice/core/error.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/inspect/boundary.hpp"
#include "suffice/inspect/discriminant.hpp"
#include "suffice/inspect/minimum_error.hpp"
#include "suffice/inspect/separation.hpp"
#include "suffice/io/file.hpp"
#include "suffice/models/parameter_count.hpp"
#include "suffice/sample/sample.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

Names names_in_order(const std::vector<std::string>& labels) {
  Names names(labels);
  if (names.list() != labels)
    throw InvalidArgument("the labels of a model must be in order and without repetition");
  return names;
}

nb::object member_of(const nb::dict& given, const char* key) {
  if (!given.contains(key))
    throw InvalidArgument("a mixture lacks the key '" + std::string(key) + "'");
  return given[key];
}

/// From `names`, `label` (positions of the classes) and `weights` of the components.
Mixture mixture_of(const nb::dict& given) {
  return {.names = names_in_order(nb::cast<std::vector<std::string>>(member_of(given, "names"))),
          .label = nb::cast<std::vector<Index>>(member_of(given, "label")),
          .weights = vector_of(nb::cast<Doubles>(member_of(given, "weights")), "the weights")};
}

void make_model(Model* place, const Schema& schema, const std::vector<std::string>& labels,
                const Doubles& weights, const nb::list& densities, int threads,
                const std::optional<nb::dict>& mixture) {
  Model::Parts parts{.schema = schema,
                     .labels = names_in_order(labels),
                     .weights = vector_of(weights, "the weights"),
                     .densities = densities_of(densities)};
  if (mixture) parts.mixture = mixture_of(*mixture);
  const double d = static_cast<double>(schema.size());
  call(threads, d * d * static_cast<double>(labels.size()),
       [&](const Execution& execution) { new (place) Model(std::move(parts), execution); });
}

Model estimated(const Statistics& statistics, const std::map<std::string, std::string>& texts,
                int threads) {
  const EstimateOptions options = options_of(texts);
  std::optional<Model> model;
  const double d = static_cast<double>(statistics.schema().size());
  const double size = d * d * static_cast<double>(statistics.labels().size());
  call(threads, size, [&](const Execution& execution) {
    model.emplace(estimate(statistics, options, execution));
  });
  return std::move(*model);
}

std::tuple<OutArray, OutClasses, std::vector<std::vector<std::string>>> sampled(
    const Model& model, Index count, const std::optional<std::string>& label,
    const std::optional<Doubles>& mixture, std::uint64_t seed, Index first_row,
    Index document_length, int threads) {
  if (label.has_value() == mixture.has_value())
    throw InvalidArgument("sample needs either a label or the probabilities of the classes");
  const Vector shares = mixture ? vector_of(*mixture, "the mixture") : Vector();
  const SampleOptions options{
      .seed = seed, .first_row = first_row, .document_length = document_length};
  std::optional<Sample> rows;
  const double size = static_cast<double>(count) * static_cast<double>(model.schema().size());
  call(threads, size, [&](const Execution& execution) {
    rows.emplace(label ? sample(model, count, *label, options, execution)
                       : sample(model, count, std::span<const double>(shares.begin(), shares.end()),
                                options, execution));
  });
  std::vector<std::vector<std::string>> levels;
  for (const Names& names : rows->levels) levels.push_back(names.list());
  for (std::size_t j = 0; j < levels.size(); ++j) {
    if (rows->texts[j].empty()) continue;
    levels[j] = std::move(rows->texts[j]);
    for (Index i = 0; i < rows->values.rows(); ++i)
      rows->values(i, static_cast<Index>(j)) = static_cast<double>(i);
  }
  return {to_numpy(std::move(rows->values)), to_numpy(std::move(rows->classes)), std::move(levels)};
}

Model with_calibration(const Model& model, const Doubles& scale, const Doubles& offset,
                       const Doubles& knots, const Doubles& values, const Doubles& thresholds) {
  return model.with_calibration(Calibration{.scale = vector_of(scale, "the scale"),
                                            .offset = vector_of(offset, "the offset"),
                                            .knots = vector_of(knots, "the knots"),
                                            .values = vector_of(values, "the values"),
                                            .thresholds = matrix_of(thresholds, "the thresholds")});
}

nb::dict discriminant_of(const Model& model, const std::string& label,
                         const std::optional<std::string>& other) {
  Discriminant function = other ? discriminant(model, label, *other) : discriminant(model, label);
  nb::dict result;
  result["columns"] = nb::cast(function.columns);
  result["A"] = function.is_linear() ? nb::none() : nb::cast(to_numpy(std::move(function.A)));
  result["w"] = to_numpy(std::move(function.w));
  result["c"] = function.c;
  return result;
}

Priors priors_of_classes(const Model& model, const Doubles& probabilities) {
  const Vector given = vector_of(probabilities, "the priors");
  return Priors(model.labels(), std::span<const double>(given.begin(), given.end()));
}

std::tuple<double, double, double> minimum_error_of(const Model& model, const Doubles& priors,
                                                    std::uint64_t seed, Index samples,
                                                    int threads) {
  const Priors given = priors_of_classes(model, priors);
  MinimumError found;
  const double size = static_cast<double>(samples) * static_cast<double>(model.schema().size());
  call(threads, size, [&](const Execution& execution) {
    found = minimum_error(model, given, {.seed = seed, .samples = samples}, execution);
  });
  return {found.value, found.low, found.high};
}

/// x, and the positions of the classes below and above.
std::vector<std::tuple<double, Index, Index>> boundary_of(const Model& model, Index feature,
                                                          const Doubles& priors,
                                                          const std::optional<Doubles>& costs) {
  const Priors given = priors_of_classes(model, priors);
  std::vector<std::tuple<double, Index, Index>> result;
  const auto points =
      costs ? boundary(model, feature, given, Costs(model.labels(), matrix_of(*costs, "the costs")))
            : boundary(model, feature, given);
  for (const BoundaryPoint& point : points) result.emplace_back(point.x, point.left, point.right);
  return result;
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Model> model(module, "Model", "One density per class and block.");
  model
      .def("__init__", make_model, "schema"_a, "labels"_a, "weights"_a, "densities"_a,
           "threads"_a = 0, "mixture"_a = nb::none())
      .def_prop_ro("mixture",
                   [](const Model& self) -> nb::object {
                     if (!self.mixture()) return nb::none();
                     nb::dict result;
                     add_fields(result, *self.mixture());
                     result["shares"] = to_numpy(self.mixture()->shares());
                     return result;
                   })
      .def_prop_ro("schema", &Model::schema)
      .def_prop_ro("labels", [](const Model& self) { return self.labels().list(); })
      .def_prop_ro(
          "weights", [](const Model& self) { return to_numpy(self.weights()); },
          nb::rv_policy::automatic)
      .def_prop_ro("options", options_and_found)
      .def_prop_ro("calibration",
                   [](const Model& self) -> nb::object {
                     if (!self.calibration()) return nb::none();
                     nb::dict result;
                     add_fields(result, *self.calibration());
                     return result;
                   })
      .def("with_calibration", with_calibration, "scale"_a, "offset"_a, "knots"_a, "values"_a,
           "thresholds"_a)
      .def("without_calibration", [](const Model& self) { return self.with_calibration({}); })
      .def("densities", [](const Model& self) { return to_python(self.densities()); })
      .def("__eq__", [](const Model& a, const Model& b) { return a == b; })
      .def("sample", sampled, "count"_a, "label"_a = nb::none(), "mixture"_a = nb::none(),
           "seed"_a = 0, "first_row"_a = 0, "document_length"_a = 100, "threads"_a = 0)
      .def("discriminant", discriminant_of, "label"_a, "other"_a = nb::none())
      .def_prop_ro(
          "parameters",
          [](const Model& self) { return static_cast<Index>(parameter_count(self).total()); })
      .def("minimum_error", minimum_error_of, "priors"_a, "seed"_a = 0, "samples"_a = 20000,
           "threads"_a = 0)
      .def("boundary", boundary_of, "feature"_a, "priors"_a, "costs"_a = nb::none())
      .def("separation", [](const Model& self) { return to_numpy(separation(self)); })
      .def("to_bytes",
           [](const Model& self) {
             const std::string bytes = to_bytes(self);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) {
            return model_from_bytes({bytes.c_str(), bytes.size()});
          },
          "bytes"_a)
      .def(
          "save", [](const Model& self, const std::string& path) { save(self, path); }, "path"_a)
      .def_static(
          "load", [](const std::string& path) { return load_model(path); }, "path"_a);
  bind_decide(module, model);
  bind_evidence(module, model);
  bind_export(module, model);
  bind_logistic(module, model);
  module.def("estimate_options", option_table);
  module.def("estimate", estimated, "statistics"_a, "options"_a, "threads"_a = 0);
}

}  // namespace suffice::python
