#include "suffice/data/schema.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "bindings.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;
using FeatureTuple = std::tuple<std::string, std::string, std::vector<std::string>>;
/// Column, level (None: missing values), reference.
using IndicatorTuple = std::tuple<std::string, std::optional<std::string>, std::string>;

/// A family of text may say what its words are: "text chars:3-5".
constexpr std::string_view text_and_options = "text ";

std::string family_of(const Feature& feature) {
  std::string family(to_string(feature.family));
  return feature.text == TextOptions{} ? family : family + " " + to_string(feature.text);
}

template <class Of>
auto per_feature(const Schema& schema, const Of& of) {
  std::vector<decltype(of(schema.feature(0)))> result;
  for (const Feature& feature : schema.features()) result.push_back(of(feature));
  return result;
}

void make_schema(Schema* place, const std::vector<FeatureTuple>& given,
                 std::optional<std::vector<std::vector<Index>>> blocks, const std::string& label,
                 const std::map<Index, std::string>& transforms,
                 const std::map<Index, IndicatorTuple>& indicators) {
  std::vector<Feature> features;
  for (const auto& [name, family, levels] : given) {
    if (family.starts_with(text_and_options)) {
      features.push_back({name, Family::text, levels});
      features.back().text =
          text_options_from_string(std::string_view(family).substr(text_and_options.size()));
    } else {
      features.push_back({name, family_from_string(family), levels});
    }
  }
  for (const auto& [position, transform] : transforms)
    features.at(static_cast<std::size_t>(position)).transform = transform_from_string(transform);
  for (const auto& [position, indicator] : indicators)
    features.at(static_cast<std::size_t>(position)).indicator =
        Indicator{std::get<0>(indicator), std::get<1>(indicator), std::get<2>(indicator)};
  Schema schema =
      blocks ? Schema(std::move(features), std::move(*blocks)) : Schema(std::move(features));
  new (place) Schema(label.empty() ? std::move(schema) : schema.with_label(label));
}

}  // namespace

void bind_schema(nb::module_& module) {
  nb::class_<Schema>(module, "Schema", "Names, families and blocks of the features.")
      .def("__init__", make_schema, "features"_a, "blocks"_a = nb::none(), "label"_a = "",
           "transforms"_a = std::map<Index, std::string>(),
           "indicators"_a = std::map<Index, IndicatorTuple>())
      .def_static(
          "numbered",
          [](Index count, const std::string& family) {
            return Schema::numbered(count, family_from_string(family));
          },
          "count"_a, "family"_a = "gaussian")
      .def("__len__", &Schema::size)
      .def_prop_ro("names",
                   [](const Schema& self) {
                     return per_feature(self, [](const Feature& f) { return f.name; });
                   })
      .def_prop_ro("families", [](const Schema& self) { return per_feature(self, family_of); })
      .def_prop_ro("levels",
                   [](const Schema& self) {
                     return per_feature(self, [](const Feature& f) { return f.levels; });
                   })
      .def_prop_ro("transforms",
                   [](const Schema& self) {
                     std::map<Index, std::string> result;
                     for (Index j = 0; j < self.size(); ++j)
                       if (self.feature(j).transform != Transform::none)
                         result.emplace(j, to_string(self.feature(j).transform));
                     return result;
                   })
      .def_prop_ro("indicators",
                   [](const Schema& self) {
                     std::map<Index, IndicatorTuple> result;
                     for (Index j = 0; j < self.size(); ++j)
                       if (const auto& of = self.feature(j).indicator)
                         result.emplace(j, IndicatorTuple{of->column, of->level, of->reference});
                     return result;
                   })
      .def_prop_ro("columns", [](const Schema& self) { return self.columns(); })
      .def_prop_ro("column_families",
                   [](const Schema& self) {
                     std::vector<std::string> result;
                     for (Index j = 0; j < std::ssize(self.columns()); ++j)
                       result.emplace_back(to_string(self.has_strings(j) ? Family::categorical
                                                                         : self.reader(j).family));
                     return result;
                   })
      .def_prop_ro("blocks",
                   [](const Schema& self) {
                     std::vector<std::pair<std::string, std::vector<Index>>> result;
                     for (const Block& block : self.blocks())
                       result.emplace_back(to_string(block.family), block.features);
                     return result;
                   })
      .def_prop_ro("label", [](const Schema& self) { return self.label(); })
      .def("with_label", &Schema::with_label, "label"_a)
      .def(
          "require_compatible",
          [](const Schema& self, const Schema& other, const std::string& verb) {
            self.require_compatible(other, verb);
          },
          "other"_a, "verb"_a)
      .def("__eq__", [](const Schema& a, const Schema& b) { return a == b; });
}

}  // namespace suffice::python
