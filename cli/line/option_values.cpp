#include "cli/line/option_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <span>

#include "cli/line/fail.hpp"
#include "cli/line/suggest.hpp"

namespace suffice::cli {
namespace {

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// All of the text as a number, or false.
template <class Number>
bool read(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool read_finite(std::string_view text, double& value) {
  return read(text, value) && std::isfinite(value);
}

}  // namespace

std::vector<std::string> list_of(std::string_view flag, std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view name = trim(text.substr(begin, comma - begin));
    if (name.empty())
      throw UsageError(fmt::format("{} '{}' has an empty name", flag, text),
                       "names are separated by one comma");
    names.emplace_back(name);
    begin = comma + 1;
  }
  return names;
}

double number_of(std::string_view flag, std::string_view text) {
  double value = 0;
  if (!read_finite(text, value)) fail("{} needs a number, not '{}'", flag, text);
  return value;
}

std::int64_t whole_number_of(std::string_view flag, std::string_view text, std::int64_t at_least) {
  std::int64_t value = 0;
  if (!read(text, value)) {
    // 1e6 is a whole number too.
    double real = 0;
    if (!read_finite(text, real) || real != std::floor(real) || std::abs(real) > 1e15)
      fail("{} needs a whole number, not '{}'", flag, text);
    value = static_cast<std::int64_t>(real);
  }
  if (value < at_least) fail("{} must be at least {}, not {}", flag, at_least, text);
  return value;
}

std::uint64_t seed_of(std::string_view flag, std::string_view text) {
  std::uint64_t value = 0;
  if (!read(text, value))
    fail("{} needs a whole number from 0 to 18446744073709551615, not '{}'", flag, text);
  return value;
}

char separator_of(std::string_view flag, std::string_view text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1 && text != "\"" && text != "\n" && text != "\r") return text[0];
  fail("{} needs one character (or tab), not '{}'", flag, text);
}

namespace {

[[noreturn]] void fail_choice(std::string_view flag, std::string_view text, const std::string& near,
                              std::string_view choices) {
  throw UsageError(
      fmt::format("{} has no value '{}'", flag, text),
      (near.empty() ? "it takes one of these: " : fmt::format("did you mean '{}'? ", near)) +
          fmt::format("({})", choices));
}

}  // namespace

std::size_t choice_of(std::string_view flag, std::string_view text,
                      const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::string near = nearest(text, words);
  fail_choice(flag, text, near, fmt::format("{}", fmt::join(words, ", ")));
}

PriorOption prior_of(std::string_view flag, std::string_view text) {
  PriorOption prior;
  if (text.find('=') == std::string_view::npos) {
    constexpr std::string_view syntax =
        "train, uniform, or a probability for each class: a=0.9,b=0.1";
    if (text == "train") return prior;
    prior.kind = PriorOption::Kind::uniform;
    if (text == "uniform") return prior;
    const std::string near = nearest(text, {"train", "uniform"});
    fail_choice(flag, text, near, syntax);
  }
  prior.kind = PriorOption::Kind::given;
  double sum = 0;
  for (const std::string& entry : list_of(flag, text)) {
    const std::size_t sign = entry.rfind('=');
    double value = 0;
    if (sign == std::string::npos || trim(std::string_view(entry).substr(0, sign)).empty() ||
        !read_finite(trim(std::string_view(entry).substr(sign + 1)), value))
      fail("{}: '{}' is not CLASS=PROBABILITY, as in a=0.9,b=0.1", flag, entry);
    const std::string label(trim(std::string_view(entry).substr(0, sign)));
    if (value < 0) fail("{}: the probability of class '{}' is negative: {}", flag, label, value);
    for (const auto& other : prior.given)
      if (other.first == label) fail("{} names class '{}' twice", flag, label);
    prior.given.emplace_back(label, value);
    sum += value;
  }
  if (std::abs(sum - 1) > 1e-9)
    throw UsageError(fmt::format("{}: the probabilities sum to {}, not to 1", flag, sum),
                     "give one for each class");
  return prior;
}

CostOption cost_of(std::string_view flag, std::string_view text) {
  CostOption cost;
  const std::size_t arrow = text.find('>');
  if (arrow == std::string_view::npos || text.find('=', arrow) == std::string_view::npos) {
    if (text.empty())
      fail("{} needs a file, or costs as in 'bad>good=5,good>bad=1' (true>decided=cost)", flag);
    std::error_code unreadable;  // of a name that is too long, for example
    if (arrow != std::string_view::npos && !std::filesystem::exists(text, unreadable))
      fail("{}: '{}' is no file, and not TRUE>DECIDED=COST, as in 'bad>good=5,good>bad=1'", flag,
           text);
    cost.file = text;
    return cost;
  }
  for (const std::string& entry : list_of(flag, text)) {
    const std::string_view all = entry;
    const std::size_t to = all.find('>', 1);  // a label may begin with one: '>50K'
    const std::size_t sign = all.rfind('=');
    Costs::Entry item{{}, {}, 0};
    if (to != std::string_view::npos && sign != std::string_view::npos && to < sign) {
      item.truth = trim(all.substr(0, to));
      item.decided = trim(all.substr(to + 1, sign - to - 1));
    }
    if (item.truth.empty() || item.decided.empty() ||
        !read_finite(trim(all.substr(sign + 1)), item.cost))
      fail("{}: '{}' is not TRUE>DECIDED=COST, as in 'bad>good=5,good>bad=1'", flag, entry);
    for (const Costs::Entry& other : cost.entries)
      if (other.truth == item.truth && other.decided == item.decided)
        fail("{} names '{}>{}' twice", flag, item.truth, item.decided);
    cost.entries.push_back(std::move(item));
  }
  return cost;
}

namespace {

/// COLUMN=WORD, several of them.
template <class Value>
std::vector<std::string> words_of(std::span<const Value> values) {
  std::vector<std::string> words;
  for (const Value value : values) words.emplace_back(to_string(value));
  return words;
}

/// Columns, each with its value. `syntax` is for the message.
template <class Value>
std::vector<std::pair<std::string, std::string>> by_column(std::string_view flag,
                                                           std::string_view text,
                                                           std::span<const Value> values,
                                                           std::string_view syntax) {
  const std::vector<std::string> words = words_of(values);
  std::vector<std::pair<std::string, std::string>> result;
  for (const std::string& entry : list_of(flag, text)) {
    const std::size_t sign = entry.rfind('=');
    const std::string column(trim(std::string_view(entry).substr(0, std::min(sign, entry.size()))));
    if (sign == std::string::npos || column.empty())
      fail("{}: '{}' is not {} {}", flag, entry, syntax, fmt::join(words, ", "));
    result.emplace_back(column, trim(std::string_view(entry).substr(sign + 1)));
  }
  return result;
}

/// "signed-log:0.5": the kind, and its scale.
Transform transform_of_words(std::string_view flag, std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::vector<std::string> words = words_of(transform_kinds());
  Transform result{transform_kinds()[choice_of(flag, text.substr(0, colon), words)]};
  if (colon == std::string_view::npos) return result;
  if (result.kind != Transform::Kind::signed_log)
    fail("{}: {} has no scale, and '{}' gives one; only signed-log has", flag,
         to_string(result.kind), text);
  result.scale = number_of(flag, text.substr(colon + 1));
  if (!(result.scale > 0)) fail("{}: the scale of '{}' must be above 0", flag, text);
  return result;
}

}  // namespace

std::vector<std::pair<std::string, Family>> families_of(std::string_view flag,
                                                        std::string_view text) {
  std::vector<std::pair<std::string, Family>> result;
  for (const auto& [column, word] :
       by_column(flag, text, families(), "COLUMN=FAMILY, as in age=poisson; families are"))
    result.emplace_back(column, families()[choice_of(flag, word, words_of(families()))]);
  return result;
}

std::vector<std::pair<std::string, std::optional<Transform>>> transforms_of(std::string_view flag,
                                                                            std::string_view text) {
  std::vector<std::pair<std::string, std::optional<Transform>>> result;
  for (const std::string& entry : list_of(flag, text)) {
    const bool is_rule = entry != "auto" && entry != "none";
    const auto rules = by_column(flag, is_rule ? entry : "*=" + entry, transform_kinds(),
                                 "auto, none or COLUMN=TRANSFORMATION, as in price=log; "
                                 "transformations are auto,");
    for (const auto& [column, word] : rules)
      result.emplace_back(
          column, word == "auto" ? std::nullopt : std::optional(transform_of_words(flag, word)));
  }
  return result;
}

double at_least_zero(std::string_view flag, std::string_view text) {
  const double number = number_of(flag, text);
  if (number < 0) fail("{} must be at least 0, not {}", flag, text);
  return number;
}

double between_zero_and_one(std::string_view flag, std::string_view text) {
  const double number = number_of(flag, text);
  if (!(number > 0 && number < 1)) fail("{} must lie between 0 and 1, not {}", flag, text);
  return number;
}

}  // namespace suffice::cli
