#include "cli/output/row_text.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

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

std::string RowText::beginning(const std::vector<std::string>& columns) const {
  std::string text;
  if (json_) {
    text = dump(Json{{"columns", columns}, {"rows", Json::array()}});
    text.resize(text.rfind(']'));
    return text;
  }
  for (const std::string& column : columns) add(text, column);
  end_row(text);
  return text;
}

void RowText::add(std::string& text, std::string_view name) const {
  if (json_)
    text += Json(name).dump(-1, ' ', false, Json::error_handler_t::replace);
  else if (safe_ && looks_like_a_formula(name))
    append_csv_cell(text, "'" + std::string(name));
  else
    append_csv_cell(text, name);
  text += ',';
}

void RowText::add(std::string& text, double number, int digits) const {
  const bool quoted = json_ && !std::isfinite(number);  // JSON has no such numbers
  if (quoted) text += '"';
  append_number(text, number, digits);
  if (quoted) text += '"';
  text += ',';
}

}  // namespace suffice::cli
