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

/// Where the text behind a quoted name begins; `text` begins with a quote. npos: it has no end.
std::size_t end_of_quoted(std::string_view text) {
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] != '"') continue;
    if (at + 1 < text.size() && text[at + 1] == '"')
      ++at;  // a quote in the name
    else
      return at + 1;
  }
  return std::string_view::npos;
}

/// A name, with or without quotes around it, in which a quote is doubled.
std::string unquoted(std::string_view text) {
  text = trim(text);
  if (!text.starts_with('"') || end_of_quoted(text) != text.size()) return std::string(text);
  std::string name;
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    name += text[at];
    if (text[at] == '"') ++at;
  }
  return name;
}

/// What stands between commas, without blanks around it. A comma in a quoted name, which begins an
/// item or follows a '>', does not count. Throws on an empty item.
std::vector<std::string_view> items_of(std::string_view flag, std::string_view text) {
  std::vector<std::string_view> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = begin;
    bool may_quote = true;
    for (; end < text.size() && text[end] != ','; ++end) {
      if (text[end] == '"' && may_quote)
        if (const std::size_t size = end_of_quoted(text.substr(end)); size != text.npos)
          end += size - 1;
      if (text[end] != ' ' && text[end] != '\t') may_quote = text[end] == '>';
    }
    const std::string_view item = trim(text.substr(begin, end - begin));
    if (item.empty())
      throw UsageError(fmt::format("{} '{}' has an empty name", flag, text),
                       "names are separated by one comma");
    items.push_back(item);
    begin = end + 1;
  }
  return items;
}

bool is_file(std::string_view text) {
  std::error_code unreadable;  // of a name that is too long, for example
  return std::filesystem::is_regular_file(text, unreadable);
}

}  // namespace

std::vector<std::string> list_of(std::string_view flag, std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view item : items_of(flag, text)) names.push_back(unquoted(item));
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
  const std::string what = fmt::format("{} has no value '{}'", flag, text);
  if (near.empty()) throw UsageError(what, fmt::format("choose one of these: {}", choices));
  throw UsageError(what, fmt::format("did you mean '{}'? It can be {}", near, choices));
}

}  // namespace

std::size_t choice_of(std::string_view flag, std::string_view text,
                      const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::string near = nearest(text, words);
  fail_choice(flag, text, near, fmt::format("{}", fmt::join(words, ", ")));
}

namespace {

/// Numbers of classes: by name, or in their order.
PriorOption numbers_of_classes(std::string_view flag, std::string_view text, const char* what,
                               const char* example) {
  PriorOption numbers;
  if (text.find('=') == std::string_view::npos) {
    numbers.kind = PriorOption::Kind::listed;
    for (const std::string_view item : items_of(flag, text)) {
      double value = 0;
      if (!read_finite(item, value)) fail("{}: '{}' is not a number", flag, item);
      if (value < 0) fail("{}: the {} {} is negative", flag, what, item);
      numbers.listed.push_back(value);
    }
    return numbers;
  }
  numbers.kind = PriorOption::Kind::given;
  for (const std::string_view item : items_of(flag, text)) {
    const std::size_t sign = item.rfind('=');
    double value = 0;
    if (sign == std::string_view::npos || trim(item.substr(0, sign)).empty() ||
        !read_finite(trim(item.substr(sign + 1)), value))
      fail("{}: '{}' is not {}", flag, item, example);
    const std::string label = unquoted(item.substr(0, sign));
    if (value < 0) fail("{}: the {} of class '{}' is negative: {}", flag, what, label, value);
    for (const auto& other : numbers.given)
      if (other.first == label) fail("{} names class '{}' twice", flag, label);
    numbers.given.emplace_back(label, value);
  }
  return numbers;
}

}  // namespace

PriorOption prior_of(std::string_view flag, std::string_view text) {
  PriorOption prior;
  if (text == "train") return prior;
  if (constexpr std::string_view train = "train:"; text.starts_with(train)) {
    prior = numbers_of_classes(flag, text.substr(train.size()), "pseudo-count",
                               "CLASS=PSEUDO-COUNT, as in train:a=2,b=5");
    prior.kind = PriorOption::Kind::pseudo_counts;
    return prior;
  }
  prior.kind = PriorOption::Kind::uniform;
  if (text == "uniform") return prior;
  prior.kind = PriorOption::Kind::file;
  prior.file = text;
  if (is_file(text)) return prior;
  if (text.find('=') == std::string_view::npos) {
    double value = 0;
    const bool is_listed = !text.empty() && read(trim(text.substr(0, text.find(','))), value);
    if (is_listed) return numbers_of_classes(flag, text, "probability", "");
    if (text.find_first_of("./") != std::string_view::npos) return prior;  // reported when opened
    fail_choice(
        flag, text, nearest(text, {"train", "uniform"}),
        "train, train:ALPHA, uniform, a number for each class as in a=0.9,b=0.1 or 0.9,0.1, "
        "or a file");
  }
  return numbers_of_classes(flag, text, "probability", "CLASS=PROBABILITY, as in a=0.9,b=0.1");
}

CostOption cost_of(std::string_view flag, std::string_view text) {
  CostOption cost;
  const std::size_t arrow = text.find('>');
  if (is_file(text) || arrow == std::string_view::npos ||
      text.find('=', arrow) == std::string_view::npos) {
    if (text.empty())
      fail("{} needs a file, or costs as in 'bad>good=5,good>bad=1' (true>decided=cost)", flag);
    if (arrow != std::string_view::npos && !is_file(text))
      fail("{}: '{}' is no file, and not TRUE>DECIDED=COST, as in 'bad>good=5,good>bad=1'", flag,
           text);
    cost.file = text;
    return cost;
  }
  for (const std::string_view item : items_of(flag, text)) {
    const std::size_t sign = item.rfind('=');
    const std::string_view pair = trim(item.substr(0, sign));
    std::size_t to = pair.find('>', 1);  // a label may begin with one: '>50K'
    if (pair.starts_with('"'))
      if (const std::size_t end = end_of_quoted(pair); end != std::string_view::npos)
        to = pair.find('>', end);
    Costs::Entry entry{{}, {}, 0};
    if (sign != std::string_view::npos && to != std::string_view::npos) {
      entry.truth = unquoted(pair.substr(0, to));
      entry.decided = unquoted(pair.substr(to + 1));
    }
    if (entry.truth.empty() || entry.decided.empty() ||
        !read_finite(trim(item.substr(sign + 1)), entry.cost))
      fail("{}: '{}' is not TRUE>DECIDED=COST, as in 'bad>good=5,good>bad=1'", flag, item);
    for (const Costs::Entry& other : cost.entries)
      if (other.truth == entry.truth && other.decided == entry.decided)
        fail("{} names '{}>{}' twice", flag, entry.truth, entry.decided);
    cost.entries.push_back(std::move(entry));
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
  for (const std::string_view entry : items_of(flag, text)) {
    const std::size_t sign = entry.rfind('=');
    const std::string column = unquoted(entry.substr(0, std::min(sign, entry.size())));
    if (sign == std::string_view::npos || column.empty())
      fail("{}: '{}' is not {} {}", flag, entry, syntax, fmt::join(words, ", "));
    result.emplace_back(column, trim(entry.substr(sign + 1)));
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
  for (const std::string_view entry : items_of(flag, text)) {
    const bool is_rule = entry != "auto" && entry != "none";
    const std::string rule = (is_rule ? "" : "*=") + std::string(entry);
    const auto rules = by_column(flag, rule, transform_kinds(),
                                 "auto, none or COLUMN=TRANSFORMATION, as in price=log; "
                                 "transformations are auto,");
    for (const auto& [column, word] : rules)
      result.emplace_back(
          column, word == "auto" ? std::nullopt : std::optional(transform_of_words(flag, word)));
  }
  return result;
}

std::vector<ColumnList> column_lists_of(std::string_view flag, std::string& text) {
  std::vector<ColumnList> lists;
  std::string rest;
  for (const std::string& entry : list_of(flag, text)) {
    const std::size_t sign = entry.rfind('=');
    if (sign == std::string::npos || entry.find('|', sign) == std::string::npos) {
      rest += (rest.empty() ? "" : ",") + entry;
      continue;
    }
    ColumnList list{
        std::string(flag), std::string(trim(std::string_view(entry).substr(0, sign))), {}};
    for (std::size_t begin = sign + 1; begin <= entry.size();) {
      const std::size_t end = std::min(entry.find('|', begin), entry.size());
      list.words.emplace_back(trim(std::string_view(entry).substr(begin, end - begin)));
      begin = end + 1;
    }
    lists.push_back(std::move(list));
  }
  text = rest;
  return lists;
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
