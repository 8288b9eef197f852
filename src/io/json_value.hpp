#pragma once
// The JSON of a file's header as a tree. nlohmann::json only reads the text: its values allocate
// memory in their destructor, which ends the process where memory has run out.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace suffice {

struct JsonValue {
  enum class Kind { object, array, string, whole_number, other };
  struct Member;

  Kind kind = Kind::other;
  std::string text;              ///< of a string
  std::uint64_t number = 0;      ///< of a whole number that is not negative
  std::vector<Member> members;   ///< of an object, as they come
  std::vector<JsonValue> items;  ///< of an array

  bool is(Kind of) const noexcept { return kind == of; }
  /// The value of a key of an object, or null.
  const JsonValue* find(std::string_view key) const noexcept;
};

struct JsonValue::Member {
  std::string key;
  JsonValue value;
};

/// Throws std::invalid_argument with what is wrong, as the rest of a sentence about the text: it is
/// not JSON, is nested more than `deepest` times or has a key twice.
JsonValue parse_json(std::string_view text, std::size_t deepest);

}  // namespace suffice
