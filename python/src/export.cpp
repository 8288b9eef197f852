// A model as C, SQL, ONNX or JSON.

#include "suffice/export/export.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "suffice/core/error.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

/// Words by name, as the keywords of Model.export have them.
ExportOptions export_options_of(const std::map<std::string, std::string>& words) {
  ExportOptions options;
  for (const auto& [name, value] : words) {
    if (name == "name")
      options.name = value;
    else if (name == "table")
      options.table = value;
    else if (name == "dialect")
      options.dialect = sql_dialect_from_string(value);
    else if (name == "real")
      options.real = real_from_string(value);
    else if (name == "input")
      options.input = onnx_input_from_string(value);
    else
      throw InvalidArgument("an export has no option '" + name + "'");
  }
  return options;
}

nb::bytes exported(const Model& model, const std::string& to,
                   const std::map<std::string, std::string>& words, bool relative,
                   const Doubles& probabilities, const std::optional<Doubles>& cost,
                   std::vector<std::string> labels, std::vector<std::string> columns, int threads) {
  ExportOptions options = export_options_of(words);
  options.relative = relative;
  options.labels = std::move(labels);
  options.columns = std::move(columns);
  const Vector given = vector_of(probabilities, "the priors");
  options.priors = Priors(model.labels(), std::span<const double>(given.begin(), given.end()));
  if (cost) options.costs = Costs(model.labels(), matrix_of(*cost, "the costs"));
  const ExportTarget target = export_target_from_string(to);
  std::string file;
  call(threads, 1,
       [&](const Execution& execution) { file = export_model(model, target, options, execution); });
  return nb::bytes(file.data(), file.size());
}

}  // namespace

void bind_export(nb::module_& module, nb::class_<Model>& model) {
  model.def("export", exported, "to"_a, "options"_a, "relative"_a, "priors"_a,
            "costs"_a = nb::none(), "labels"_a = std::vector<std::string>(),
            "columns"_a = std::vector<std::string>(), "threads"_a = 0);
  module.def(
      "is_binary_export",
      [](const std::string& to) { return is_binary(export_target_from_string(to)); }, "to"_a);
}

}  // namespace suffice::python
