#include "options.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

namespace suffice::python {
namespace {

/// Whole numbers as int.
nb::object number(double value) {
  constexpr double most_exact = 9007199254740992.0;  // 2^53
  if (value == std::floor(value) && std::abs(value) <= most_exact)
    return nb::int_(static_cast<std::int64_t>(value));
  return nb::float_(value);
}

nb::object python_value(const OptionValue& value) {
  const double* numeric = std::get_if<double>(&value);
  return numeric ? number(*numeric) : nb::cast(std::get<std::string>(value));
}

}  // namespace

EstimateOptions options_of(const std::map<std::string, std::string>& texts) {
  EstimateOptions options;
  for (const auto& [name, text] : texts) estimate_option(name).set(options, text);
  return options;
}

MissingNumbers missing_numbers_from(const std::string& name) {
  if (name == "auto") return MissingNumbers::automatic;
  if (name == "em") return MissingNumbers::em;
  if (name == "complete") return MissingNumbers::complete;
  throw InvalidArgument("missing is '" + name + "'", "it must be 'auto', 'em' or 'complete'");
}

nb::dict to_python(const EstimateOptions& options) {
  nb::dict result;
  for (const auto& [name, value] : listed(options))
    result[std::string(name).c_str()] = python_value(value);
  return result;
}

nb::dict options_and_found(const Model& model) {
  const Model::Parts& parts = model.parts();
  nb::dict result;
  if (parts.options) result = to_python(*parts.options);
  for (const EstimateFound::Field& field : EstimateFound::fields()) {
    const std::vector<double>& numbers = parts.found.*field.values;
    if (numbers.empty()) continue;
    result[std::string(field.name).c_str()] =
        numbers.size() == 1 ? number(numbers[0]) : nb::cast(numbers);
  }
  return result;
}

nb::list option_table() {
  nb::list result;
  for (const EstimateOption& option : estimate_options()) {
    nb::dict row;
    row["name"] = std::string(option.name);
    row["values"] = std::string(option.values);
    row["default"] = std::string(option.default_text);
    row["description"] = std::string(option.description);
    row["in_grids"] = option.in_grids;
    row["is_chosen"] = option.is_chosen;
    result.append(row);
  }
  return result;
}

}  // namespace suffice::python
