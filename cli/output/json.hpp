#pragma once
// JSON for programs. Numbers read back as the same double; those that are not finite are the
// strings "inf", "-inf", "nan"; names that are not UTF-8 have the bad bytes replaced.

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "suffice/core/figure.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/core/names.hpp"

namespace suffice::cli {

using Json = nlohmann::ordered_json;

Json to_json(double value);
Json to_json(std::span<const double> values);
Json to_json(const Matrix& matrix);  ///< a list of rows
Json to_json(const Names& names);
Json to_json(const std::vector<Figure>& figures);  ///< an object
/// One object and a line end.
std::string dump(const Json& json);
/// The same with the matrix as the value of the member of this name, which is null in `json`: for
/// matrices of millions of numbers, each of which would take 16 bytes there.
std::string dump(const Json& json, const std::string& member, const Matrix& matrix);

}  // namespace suffice::cli
