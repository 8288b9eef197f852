#include "suffice/stats/remarks.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "data/number_reader.hpp"
#include "stats/folded.hpp"

namespace suffice {
namespace {

constexpr Index enough_rows = 20;  // to tell an identifier from a coincidence
constexpr double many_levels = 100;

/// 1234567 → "1,234,567"
std::string with_commas(double count) {
  std::string digits = name_of(std::round(count));
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string rows_in_words(double count) {
  return with_commas(count) + (count == 1 ? " row" : " rows");
}

// --- numbers ---

/// What the numbers of a column show, one after the other.
class NumbersSeen {
 public:
  void add(double value) {
    if (rows_++ > 0) counts_rows_ = counts_rows_ && value - last_ == 1;  // false for infinities
    last_ = value;
    if (!is_whole_ || std::isnan(value)) return;
    ++present_;
    is_whole_ = value == std::floor(value) && std::abs(value) < 1e15;
    if (!is_whole_) return;
    const auto place = std::lower_bound(
        seen_.begin(), seen_.end(), value,
        [](const std::pair<double, Index>& seen, double x) { return seen.first < x; });
    if (place != seen_.end() && place->first == value) {
      ++place->second;
    } else if (seen_.size() == most_codes) {
      is_whole_ = false;  // too many of them for codes
    } else {
      seen_.insert(place, {value, 1});
    }
  }
  bool is_told() const { return !is_whole_ && !counts_rows_; }
  bool counts_rows() const { return counts_rows_ && rows_ >= enough_rows; }

  /// Few whole numbers that repeat and are no years: either very few, or with gaps between them, as
  /// measurements have none. Where most are 0 they are amounts: pixels, gains, numbers of children.
  bool looks_like_codes() const {
    const Index count = std::ssize(seen_);
    if (!is_whole_ || count < 3 || present_ < 30 || present_ < 10 * count) return false;
    for (const auto& [value, times] : seen_)
      if (value == 0 && 2 * times > present_) return false;
    const double low = seen_.front().first, high = seen_.back().first;
    if (count <= very_few) return !(low >= 1900 && high <= 2100);
    std::int64_t step = 0;
    for (const auto& [value, times] : seen_)
      step = std::gcd(step, static_cast<std::int64_t>(value - low));
    return (high - low) / static_cast<double>(step) + 1 >= 4 * static_cast<double>(count);
  }
  /// "40 different whole numbers in 2,000 rows (2702 … 8776)"
  std::string in_words() const {
    return std::to_string(seen_.size()) + " different whole numbers in " +
           rows_in_words(static_cast<double>(present_)) + " (" + name_of(seen_.front().first) +
           " … " + name_of(seen_.back().first) + ")";
  }

 private:
  static constexpr std::size_t most_codes = 200;
  static constexpr Index very_few = 8;
  Index rows_ = 0, present_ = 0;
  bool counts_rows_ = true, is_whole_ = true;
  double last_ = 0;
  std::vector<std::pair<double, Index>> seen_;  ///< values and how often, in order
};

// --- names ---

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

/// Names that a person would take for one: 'a', 'A' and 'a ', 1 and 1.0. Empty where there are
/// none.
std::string alike_in_words(const Names& names) {
  std::map<std::string, std::string> seen;
  for (const std::string& name : names) {
    const std::size_t first = name.find_first_not_of(" \t");
    const std::size_t last = name.find_last_not_of(" \t");
    std::string plain = first == name.npos ? "" : name.substr(first, last - first + 1);
    if (const std::optional<double> number = number_of(plain); number && std::abs(*number) < 1e15)
      plain = name_of(*number);
    else
      plain = folded(plain);
    const auto [other, is_new] = seen.emplace(plain, name);
    if (!is_new) return "'" + other->second + "' and '" + name + "'";
  }
  return {};
}

/// "1,5" and "1,234": numbers to a person.
bool has_comma_numbers(const Names& levels) {
  return std::all_of(levels.begin(), levels.end(),
                     [](const std::string& level) {
                       std::string plain = level;
                       std::replace(plain.begin(), plain.end(), ',', '.');
                       return number_of(plain) || std::count(level.begin(), level.end(), ',') > 1;
                     }) &&
         std::any_of(levels.begin(), levels.end(),
                     [](const std::string& level) { return level.find(',') != level.npos; });
}

/// 2024-02-29, 29.2.2024 or 2/29/2024, with or without a time behind it.
bool is_date(std::string_view text) {
  int numbers[3] = {}, digits[3] = {};
  char separator = 0;
  for (int k = 0; k < 3; ++k) {
    if (k > 0) {
      if (text.empty() || std::string_view("-/.").find(text.front()) == std::string_view::npos ||
          (separator && text.front() != separator))
        return false;
      separator = text.front();
      text.remove_prefix(1);
    }
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9' && digits[k] < 5;
         text.remove_prefix(1)) {
      numbers[k] = 10 * numbers[k] + (text.front() - '0');
      ++digits[k];
    }
    if (digits[k] == 0 || digits[k] == 3 || digits[k] > 4) return false;
  }
  const bool ends = text.empty() || ((text.front() == ' ' || text.front() == 'T') &&
                                     text.size() > 1 && text[1] >= '0' && text[1] <= '9');
  const bool year_first = digits[0] == 4 && digits[1] <= 2 && digits[2] <= 2;
  const bool year_last = digits[0] <= 2 && digits[1] <= 2 && digits[2] == 4;
  if (!ends || year_first == year_last) return false;
  const int a = year_first ? numbers[1] : numbers[0], b = year_first ? numbers[2] : numbers[1];
  return std::min(a, b) >= 1 && std::max(a, b) <= 31 && (year_first ? a : std::min(a, b)) <= 12;
}

bool has_dates(const Names& levels) {
  const auto dates = std::count_if(levels.begin(), levels.end(),
                                   [](const std::string& level) { return is_date(level); });
  return levels.size() >= 3 && 10 * dates >= 9 * levels.size();
}

/// Long names of several words each: at least five words in most of them.
bool has_sentences(const Names& levels) {
  constexpr auto several = 5;
  const auto sentences = std::ranges::count_if(levels, [](const std::string& level) {
    Index words = 0;
    bool inside = false;
    for (const char byte : level) {
      const bool space = byte == ' ' || (byte >= '\t' && byte <= '\r');
      words += !space && !inside;
      inside = !space;
    }
    return words >= several;
  });
  return 2 * sentences > levels.size();
}

/// What a column of text in `present` rows looks like; nothing: like categories.
std::optional<Remark> remark_on_levels(const std::string& name, const Names& levels,
                                       double present) {
  const auto count = static_cast<double>(levels.size());
  const std::string column = "column '" + name + "' ";
  const std::string different =
      column + "has " + with_commas(count) + " different values in " + rows_in_words(present);
  if (has_comma_numbers(levels))
    return Remark{column + "looks like numbers with a comma ('" + levels[0] +
                  "') and was read as text; write them with a decimal point, and without "
                  "separators of thousands"};
  if (has_dates(levels))
    return Remark{column + "has dates ('" + levels[0] +
                      "'), and each is a level of its own, so a new date tells nothing; make a "
                      "number of it (a year, a day of the week)",
                  Remark::Remedy::leave_out,
                  {name},
                  true};
  if (present >= enough_rows && 2 * count > present && has_sentences(levels))
    return Remark{different + ": it looks like text", Remark::Remedy::text, {name}};
  if (present >= enough_rows && 2 * count > present)
    return Remark{different +
                      ": it looks like an identifier or free text, which tells nothing "
                      "about new rows",
                  Remark::Remedy::leave_out,
                  {name}};
  if (count >= many_levels)
    return Remark{different + ", so it takes many rows to know the probability of each",
                  Remark::Remedy::leave_out,
                  {name},
                  true};
  return std::nullopt;
}

}  // namespace

Index rows_for_remarks(const Schema& schema) {
  return std::min<Index>(rows_per_block(schema, false), 10'000);
}

std::vector<Remark> remarks_on_first_rows(const Schema& schema, const RowBlock& rows,
                                          const std::vector<bool>& chosen) {
  constexpr Index rows_of_chunk = 256;
  std::vector<Index> columns;
  for (Index j = 0; j < schema.column_count(); ++j) {
    const Feature& feature = schema.reader(j);
    if (feature.family == Family::gaussian && !feature.indicator) columns.push_back(j);
  }
  const Index count = std::min(rows.rows(), rows_for_remarks(schema));
  if (columns.empty() || count < enough_rows) return {};
  const bool all_sparse = rows.parts().size() == 1 &&
                          rows.parts().front().kind == RowBlock::Part::Kind::sparse &&
                          std::ssize(columns) == rows.feature_count();
  if (all_sparse) return {};
  const NumberReader reader(Schema::numbered(rows.feature_count()),
                            Block{Family::gaussian, columns}, rows);
  std::vector<NumbersSeen> seen(columns.size());
  Vector scratch(rows_of_chunk * std::ssize(columns));
  for (Index first = 0; first < count; first += rows_of_chunk) {
    const Index size = std::min(rows_of_chunk, count - first);
    const NumberReader::Panel panel = reader.read(first, size, scratch.data());
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (Index i = 0; i < size && !seen[j].is_told(); ++i)
        seen[j].add(panel.values[i * panel.stride + static_cast<Index>(j)]);
  }
  std::vector<Remark> remarks;
  std::vector<std::string> codes;
  std::string one_in_words;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::string& name = schema.reader(columns[j]).column();
    if (seen[j].counts_rows()) {
      remarks.push_back(
          {"column '" + name + "' counts the rows, so it tells nothing about new ones",
           Remark::Remedy::leave_out,
           {name}});
    } else if (seen[j].looks_like_codes() &&
               (chosen.empty() || !chosen[static_cast<std::size_t>(columns[j])])) {
      codes.push_back(name);
      one_in_words = seen[j].in_words();
    }
  }
  if (codes.size() == 1)
    remarks.push_back({"column '" + codes[0] + "' has " + one_in_words, Remark::Remedy::categorical,
                       codes, true});
  else if (!codes.empty())
    remarks.push_back({"columns " + list_for_message(codes) + " have few different whole numbers",
                       Remark::Remedy::categorical, codes, true});
  return remarks;
}

std::vector<Remark> remarks_on(const Statistics& statistics) {
  std::vector<Remark> remarks;
  const Schema& schema = statistics.schema();
  const double rows = statistics.weights().map().sum();
  const std::string label =
      schema.label().empty() ? "the label " : "column '" + schema.label() + "' ";
  // Labels that are rather numbers or names: more than one for every ten rows.
  const auto classes = static_cast<double>(statistics.labels().size());
  if (classes >= enough_rows && 10 * classes > rows)
    remarks.push_back({label + "has " + with_commas(classes) + " different labels in " +
                       rows_in_words(rows) + ": is it a class?"});
  const auto alike = [&](const std::string& column, const Names& names, const char* what) {
    if (const std::string words = alike_in_words(names); !words.empty())
      remarks.push_back({column + "has " + words + ", which are different " + what +
                         " here: text is kept as it is written"});
  };
  alike(label, statistics.labels(), "classes");
  const Vector missing = statistics.missing();
  std::vector<Remark> of_levels;
  for (std::size_t b = 0; b < statistics.blocks().size(); ++b) {
    const auto* block = std::get_if<CategoricalStatistics>(&statistics.blocks()[b]);
    if (!block) continue;
    for (std::size_t j = 0; j < block->levels.size(); ++j) {
      const Index feature = schema.blocks()[b].features[j];
      const std::string& name = schema.feature(feature).name;
      auto remark = remark_on_levels(name, block->levels[j], rows - missing[feature]);
      if (!remark || remark->remedy != Remark::Remedy::text)
        alike("column '" + name + "' ", block->levels[j], "levels");
      if (remark) of_levels.push_back(std::move(*remark));
    }
  }
  remarks.insert(remarks.end(), of_levels.begin(), of_levels.end());
  return remarks;
}

}  // namespace suffice
