#include "export/c_source.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "export/text.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// Compilers need about 1 kB of memory for each number of a list, and none for those of a string.
constexpr std::size_t most_listed_numbers = 100'000;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// Appends bytes to a string literal. Octal escapes have at most three digits; '?' could begin a
/// trigraph.
class ByteLiteral {
 public:
  explicit ByteLiteral(std::string& text) : text_(text) {}
  void add(unsigned char byte) {
    const bool plain = byte >= ' ' && byte < 127 && byte != '"' && byte != '\\' && byte != '?' &&
                       !(short_escape_ && byte >= '0' && byte <= '7');
    short_escape_ = false;
    if (plain) {
      text_ += static_cast<char>(byte);
      return;
    }
    text_ += '\\';
    if (byte >= 64) text_ += static_cast<char>('0' + byte / 64);
    if (byte >= 8) text_ += static_cast<char>('0' + byte / 8 % 8);
    text_ += static_cast<char>('0' + byte % 8);
    short_escape_ = byte < 64;
  }

 private:
  std::string& text_;
  bool short_escape_ = false;
};

}  // namespace

std::string c_string(std::string_view text) {
  std::string result = "\"";
  ByteLiteral literal(result);
  for (const char c : text) literal.add(static_cast<unsigned char>(c));
  return result + '"';
}

std::string CSource::expand(std::string_view text) const {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '@') {
      result += name_;
    } else if (text[i] == '$') {
      std::size_t end = i + 1;
      while (end < text.size() && is_word(text[end])) ++end;
      result += text.substr(i + 1, end - i - 1);
      if (is_float()) result += 'f';
      i = end - 1;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string CSource::literal(double value, bool decimal) const {
  if (std::isnan(value)) return name_ + "_NAN";
  if (std::isinf(value)) return (value < 0 ? "-" : "") + name_ + "_INFINITY";
  if (!is_float()) return decimal ? exponent_text(value) : hexadecimal_text(value);
  if (std::abs(value) > std::numeric_limits<float>::max())
    throw InvalidArgument("the number " + name_of(value) + " of the model is too large for float",
                          "use " + Option{"real", "double"} + ", or other units of the data");
  const auto single = static_cast<float>(value);
  return (decimal ? exponent_text(single) : hexadecimal_text(single)) + "f";
}

void CSource::add_table(const std::string& name, std::span<const double> numbers) {
  if (numbers.size() > most_listed_numbers) return add_bytes(name, numbers);
  add("static const @_real @_" + name + "[" +
      std::to_string(std::max<std::size_t>(1, numbers.size())) + "] = {");
  const auto list = [&](bool decimal) {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      text_ += (i == 0 ? "" : ",") + std::string(i % 4 == 0 ? "\n    " : " ") +
               literal(numbers[i], decimal);
  };
  if (numbers.empty()) {
    text_ += "0};\n";
    return;
  }
  add("\n#ifdef @_DECIMAL");
  list(true);
  text_ += "\n#else";
  list(false);
  text_ += "\n#endif\n};\n";
}

void CSource::add_bytes(const std::string& name, std::span<const double> numbers) {
  if (!has_bytes_)
    add("#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__\n"
        "#error \"the long tables of this model are bytes of a little-endian machine\"\n"
        "#endif\n");
  has_bytes_ = true;
  add("#if defined(__GNUC__)\n#pragma GCC diagnostic push\n"
      "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n#endif\n");
  const std::string count = std::to_string(numbers.size());
  add("static const union {\n  char bytes[" + count + " * sizeof(@_real) + 1];\n  @_real numbers[" +
      count + "];\n} @_" + name + "_bytes = {\n    \"");
  std::size_t begin = text_.size();
  const auto new_line = [&] {
    text_ += "\"\n    \"";
    begin = text_.size();
  };
  for (const double value : numbers) {
    (void)literal(value, false);  // does it fit?
    ByteLiteral bytes(text_);
    if (is_float()) {
      const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
      for (int k = 0; k < 4; ++k) bytes.add(static_cast<unsigned char>(bits >> (8 * k)));
    } else {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      for (int k = 0; k < 8; ++k) bytes.add(static_cast<unsigned char>(bits >> (8 * k)));
    }
    // Each number ends its string or is followed by its neighbour's first byte: a short escape
    // before a digit would swallow it, so numbers are strings of their own there.
    if (text_.size() - begin > 100)
      new_line();
    else
      text_ += "\" \"";
  }
  text_ += "\"};\n#if defined(__GNUC__)\n#pragma GCC diagnostic pop\n#endif\n";
  add("#define @_" + name + " (@_" + name + "_bytes.numbers)\n");
}

void CSource::add_positions(const std::string& name, const std::vector<Index>& positions) {
  add("static const int @_" + name + "[" + std::to_string(positions.size()) + "] = {");
  for (std::size_t i = 0; i < positions.size(); ++i)
    text_ += (i == 0 ? "" : i % 16 ? ", " : ",\n    ") + std::to_string(positions[i]);
  text_ += "};\n";
}

void CSource::add_strings(const std::string& name, std::span<const std::string> strings) {
  add("static const char *const @_" + name + "[" + std::to_string(strings.size()) + "] = {");
  for (std::size_t i = 0; i < strings.size(); ++i)
    text_ += (i == 0 ? "\n    " : ",\n    ") + c_string(strings[i]);
  text_ += "};\n";
}

}  // namespace suffice
