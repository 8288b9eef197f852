#include "io/json_value.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace suffice {
namespace {

/// Takes what nlohmann's parser finds, in the order of the text, and builds the tree.
class TreeBuilder {
 public:
  explicit TreeBuilder(std::size_t deepest) : deepest_(deepest) {}
  JsonValue take() { return std::move(root_); }

  bool null() { return add({}); }
  bool boolean(bool) { return add({}); }
  bool number_integer(std::int64_t) { return add({}); }  // negative ones only
  bool number_float(double, const std::string&) { return add({}); }
  bool binary(std::vector<std::uint8_t>&) { return add({}); }
  bool number_unsigned(std::uint64_t number) {
    JsonValue value;
    value.kind = JsonValue::Kind::whole_number;
    value.number = number;
    return add(std::move(value));
  }
  bool string(std::string& text) {
    JsonValue value;
    value.kind = JsonValue::Kind::string;
    value.text = std::move(text);
    return add(std::move(value));
  }
  bool start_object(std::size_t) { return open(JsonValue::Kind::object); }
  bool start_array(std::size_t) { return open(JsonValue::Kind::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    if (!keys_.back().insert(name).second)
      throw std::invalid_argument("has the key '" + name + "' twice");
    open_.back()->members.push_back({std::move(name), {}});
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) {
    throw std::invalid_argument("is not JSON");
  }

 private:
  /// Values below those that are open never move: only the innermost one grows.
  JsonValue& place() {
    if (open_.empty()) return root_;
    JsonValue& inside = *open_.back();
    return inside.is(JsonValue::Kind::object) ? inside.members.back().value
                                              : inside.items.emplace_back();
  }
  bool add(JsonValue value) {
    place() = std::move(value);
    return true;
  }
  bool open(JsonValue::Kind kind) {
    if (open_.size() == deepest_) throw std::invalid_argument("is nested too deeply");
    JsonValue& value = place();
    value.kind = kind;
    open_.push_back(&value);
    keys_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  std::size_t deepest_;
  JsonValue root_;
  std::vector<JsonValue*> open_;             ///< the innermost one last
  std::vector<std::set<std::string>> keys_;  ///< of these
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const noexcept {
  const auto found = std::ranges::find(members, key, &Member::key);
  return found == members.end() ? nullptr : &found->value;
}

JsonValue parse_json(std::string_view text, std::size_t deepest) {
  TreeBuilder builder(deepest);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

}  // namespace suffice
