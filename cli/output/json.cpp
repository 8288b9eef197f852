#include "cli/output/json.hpp"

#include <cmath>
#include <stdexcept>

namespace suffice::cli {

Json to_json(double value) {
  // Whole numbers without ".0": counts are for people and jq too.
  const bool is_whole = std::abs(value) < 0x1p53 && value == std::trunc(value);
  if (is_whole && !(value == 0 && std::signbit(value))) return static_cast<std::int64_t>(value);
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json to_json(std::span<const double> values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(to_json(value));
  return list;
}

Json to_json(const Matrix& matrix) {
  Json rows = Json::array();
  for (Index i = 0; i < matrix.rows(); ++i) rows.push_back(to_json(matrix.row(i)));
  return rows;
}

Json to_json(const Names& names) { return names.list(); }

namespace {

struct FigureJson {
  Json operator()(bool value) const { return value; }
  Json operator()(const std::string& value) const { return value; }
  Json operator()(const Figure::Strings& value) const { return value; }
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(const Matrix*) const { return nullptr; }  // written by who has it, row by row
  Json operator()(const std::vector<Figure::Record>& value) const {
    Json list = Json::array();
    for (const Figure::Record& record : value) list.push_back(to_json(record));
    return list;
  }
  template <class Value>
  Json operator()(const Value& value) const {
    return to_json(value);
  }
};

}  // namespace

Json to_json(const std::vector<Figure>& figures) {
  Json json = Json::object();
  for (const Figure& figure : figures) json[figure.name] = std::visit(FigureJson{}, figure.value);
  return json;
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string dump(const Json& json, const std::string& member, const Matrix& matrix) {
  const std::string text = dump(json), empty = Json(member).dump() + ":null";
  const std::size_t at = text.find(empty);  // in no string: there the quotes would be escaped
  if (at == text.npos) throw std::logic_error("no member '" + member + "' is null");
  std::string result;
  result.reserve(text.size() + static_cast<std::size_t>(2 * matrix.rows() * matrix.cols()));
  result.append(text, 0, at + empty.size() - 4).append("[");
  for (Index i = 0; i < matrix.rows(); ++i) {
    result += i > 0 ? ",[" : "[";
    for (Index j = 0; j < matrix.cols(); ++j) {
      if (j > 0) result += ',';
      const double value = matrix(i, j);
      if (value == 0 && !std::signbit(value))
        result += '0';
      else
        result += to_json(value).dump();
    }
    result += ']';
  }
  return result.append("]").append(text, at + empty.size());
}

}  // namespace suffice::cli
