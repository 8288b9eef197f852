#include "cli/output/row_text.hpp"

#include <cmath>

#include "cli/output/json.hpp"
#include "cli/output/writer.hpp"

namespace suffice::cli {

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
  else
    append_csv_cell(text, name);
  text += ',';
}

void RowText::add(std::string& text, double number) const {
  const bool quoted = json_ && !std::isfinite(number);  // JSON has no such numbers
  if (quoted) text += '"';
  append_number(text, number);
  if (quoted) text += '"';
  text += ',';
}

}  // namespace suffice::cli
