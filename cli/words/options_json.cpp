#include "cli/words/options_json.hpp"

namespace suffice::cli {
namespace {

/// One number, or a list of several.
Json numbers_json(const std::vector<double>& numbers) {
  return numbers.size() == 1 ? to_json(numbers[0]) : to_json(numbers);
}

Json value_json(const OptionValue& value) {
  const double* number = std::get_if<double>(&value);
  return number ? to_json(*number) : Json(std::get<std::string>(value));
}

}  // namespace

Json options_json(const EstimateOptions& options) {
  Json json = Json::object();
  for (const auto& [name, value] : listed(options)) json[std::string(name)] = value_json(value);
  return json;
}

Json options_json(const Model& model) {
  const Model::Parts& parts = model.parts();
  Json json = parts.options ? options_json(*parts.options) : Json::object();
  for (const EstimateFound::Field& field : EstimateFound::fields())
    if (const std::vector<double>& numbers = parts.found.*field.values; !numbers.empty())
      json[std::string(field.name)] = numbers_json(numbers);
  return json;
}

Json shrinkage_json(const Model& model) {
  const Model::Parts& parts = model.parts();
  Json json = Json::object();
  if (parts.options)
    json["asked"] = value_json(*estimate_option("shrinkage").value(*parts.options));
  const auto add = [&](const char* name, const std::vector<double>& numbers) {
    if (!numbers.empty()) json[name] = numbers_json(numbers);
  };
  add("rows", parts.found.shrinkage_rows);
  add("target_rows", parts.found.target_rows);
  add("shares", parts.found.shrinkage_shares);
  return json;
}

}  // namespace suffice::cli
