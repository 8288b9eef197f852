#include "cli/output/json.hpp"

#include <cmath>

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

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace suffice::cli
