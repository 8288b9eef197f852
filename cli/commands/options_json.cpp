#include "cli/commands/options_json.hpp"

#include <charconv>

namespace suffice::cli {
namespace {

/// "0.1,0.2": one number, or a list of several.
Json numbers_in(const std::string& text) {
  std::vector<double> numbers;
  for (const char* at = text.data(); at < text.data() + text.size();) {
    double number = 0;
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), number);
    if (error != std::errc()) return text;
    numbers.push_back(number);
    at = end + 1;
  }
  return numbers.size() == 1 ? to_json(numbers[0]) : to_json(numbers);
}

}  // namespace

Json options_json(const std::vector<std::pair<std::string, std::string>>& options) {
  Json json = Json::object();
  for (const auto& [name, value] : options) {
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = error == std::errc() && end == value.data() + value.size();
    json[name] = is_number ? to_json(number) : Json(value);
  }
  return json;
}

Json shrinkage_json(const Model& model) {
  Json json = Json::object();
  for (const auto& [name, value] : model.parts().options) {
    if (name == "shrinkage") json["asked"] = numbers_in(value);
    if (name == "shrinkage_rows") json["rows"] = numbers_in(value);
    if (name == "target_rows") json["target_rows"] = numbers_in(value);
    if (name == "shrinkage_shares") json["shares"] = numbers_in(value);
  }
  return json;
}

}  // namespace suffice::cli
