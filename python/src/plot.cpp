#include "suffice/draw/plot.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "suffice/core/error.hpp"
#include "suffice/stats/reservoir.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

Picture drawn(const std::string& kind, const Model& model, const plot::Options& options,
              const RowBlock* rows) {
  if (kind == "densities") return plot::densities(model, options, rows);
  if (kind == "posteriors") return plot::posteriors(model, options, rows);
  if (kind == "regions") return plot::regions(model, options, rows);
  if (kind == "ellipses") return plot::ellipses(model, options, rows);
  if (kind == "correlations") return plot::correlations(model, options);
  throw InvalidArgument("there is no picture '" + kind + "'");
}

nb::dict picture_of(const std::string& kind, const Model& model, const Reservoir* reservoir,
                    const std::vector<Index>& features, const std::optional<Doubles>& probabilities,
                    const std::optional<Doubles>& costs) {
  plot::Options options{.features = features};
  if (probabilities) {
    const Vector given = vector_of(*probabilities, "the priors");
    options.priors = Priors(model.labels(), std::span<const double>(given.begin(), given.end()));
  }
  if (costs) options.costs = Costs(model.labels(), matrix_of(*costs, "the costs"));
  Picture picture;
  call(0, 1e6, [&](const Execution&) {
    if (!reservoir) {
      picture = drawn(kind, model, options, nullptr);
      return;
    }
    const SampledRows sample = reservoir->sample();
    const RowBlock rows = sample.rows();
    picture = drawn(kind, model, options, &rows);
  });
  return to_python(picture);
}

}  // namespace

nb::dict to_python(const Picture& picture) {
  nb::dict result;
  result["svg"] = picture.svg;
  result["title"] = picture.title;
  result["description"] = picture.description;
  result["columns"] = nb::cast(picture.columns);
  result["rows"] = nb::cast(picture.rows);
  return result;
}

void bind_plot(nb::module_& module) {
  module.def("plot", picture_of, "kind"_a, "model"_a, "reservoir"_a.none(), "features"_a,
             "priors"_a.none(), "costs"_a.none());
}

}  // namespace suffice::python
