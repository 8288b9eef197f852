#include "cli/output/row_text.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "cli/output/digits.hpp"
#include "cli/output/json.hpp"
#include "cli/output/writer.hpp"

namespace suffice::cli {
namespace {

/// To a spreadsheet. Numbers do not: -1 is a label of many tables.
bool looks_like_a_formula(std::string_view name) {
  if (name.empty() || std::string_view("=+-@\t\r").find(name.front()) == name.npos) return false;
  const char* first = name.data() + (name.front() == '+');
  const char* end = name.data() + name.size();
  double number = 0;
  const auto [stopped, error] = std::from_chars(first, end, number);
  return error == std::errc::invalid_argument || stopped != end;
}

}  // namespace

std::string beginning_of_rows(TextFormat format, const std::vector<std::string>& columns) {
  std::string text;
  if (format.is_json) {
    text = dump(Json{{"columns", columns}, {"rows", Json::array()}});
    text.resize(text.rfind(']'));
    return text;
  }
  RowText row(format, text);
  for (const std::string& column : columns) row.add(column);
  row.end_row();
  return text;
}

std::string end_of_rows(TextFormat format) { return format.is_json ? "]}\n" : ""; }

void RowText::add(std::string_view text) {
  flush();
  if (format_.is_json)
    text_ += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  else if (format_.is_safe && looks_like_a_formula(text))
    append_csv_cell(text_, "'" + std::string(text), format_.separator);
  else
    append_csv_cell(text_, text, format_.separator);
  text_ += format_.separator;
}

void RowText::add(double number, int digits) {
  if (digits > 0 && digits <= most_quick_digits) {
    if (size_ + digits_room >= sizeof numbers_) flush();
    if (const std::size_t size = write_digits(number, digits, numbers_ + size_); size > 0) {
      size_ += size;
      numbers_[size_++] = format_.separator;
      return;
    }
  }
  flush();
  const bool quoted = format_.is_json && !std::isfinite(number);  // JSON has none
  if (quoted) text_ += '"';
  append_number(text_, number, digits);
  if (quoted) text_ += '"';
  text_ += format_.separator;
}

}  // namespace suffice::cli
