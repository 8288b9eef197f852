#pragma once
// JSON for programs. Numbers read back as the same double; those that are not finite are the
// strings "inf", "-inf", "nan"; names that are not UTF-8 have the bad bytes replaced.

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "suffice/core/matrix.hpp"
#include "suffice/core/names.hpp"

namespace suffice::cli {

using Json = nlohmann::ordered_json;

Json to_json(double value);
Json to_json(std::span<const double> values);
Json to_json(const Matrix& matrix);  ///< a list of rows
Json to_json(const Names& names);
/// One object and a line end.
std::string dump(const Json& json);

}  // namespace suffice::cli
