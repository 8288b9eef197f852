#include "suffice/data/arrow.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "data/scalar.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// A column of Arrow's null type is one missing number, read again and again.
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// No array has more, and sums of such numbers, also in bytes, do not overflow.
constexpr std::int64_t most_values = std::numeric_limits<std::int64_t>::max() / 64;

std::optional<Scalar> number_type(std::string_view format) {
  constexpr std::array<std::pair<char, Scalar>, 11> types = {{
      {'b', Scalar::bit},
      {'c', Scalar::int8},
      {'C', Scalar::uint8},
      {'s', Scalar::int16},
      {'S', Scalar::uint16},
      {'i', Scalar::int32},
      {'I', Scalar::uint32},
      {'l', Scalar::int64},
      {'L', Scalar::uint64},
      {'f', Scalar::float32},
      {'g', Scalar::float64},
  }};
  if (format.size() != 1) return std::nullopt;
  for (const auto& [letter, type] : types) {
    if (letter == format[0]) return type;
  }
  return std::nullopt;
}

bool is_integer(Scalar type) { return type != Scalar::bit && !is_floating(type); }
bool is_string(std::string_view format) { return format == "u" || format == "U"; }

std::string_view format_of(const ArrowSchema& type) { return type.format ? type.format : ""; }

/// The type for a person: "date32 (format 'tdD')".
std::string type_name(const ArrowSchema& type) {
  if (type.dictionary) return "dictionary of " + type_name(*type.dictionary);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 25> types = {{
      {"b", "bool"},
      {"u", "string"},
      {"U", "large_string"},
      {"n", "null"},
      {"e", "float16"},
      {"z", "binary"},
      {"Z", "large_binary"},
      {"vz", "binary_view"},
      {"vu", "string_view"},
      {"w:", "fixed-size binary"},
      {"d:", "decimal"},
      {"tdD", "date32"},
      {"tdm", "date64"},
      {"tt", "time"},
      {"ts", "timestamp"},
      {"tD", "duration"},
      {"ti", "interval"},
      {"+l", "list"},
      {"+L", "large_list"},
      {"+w", "fixed-size list"},
      {"+v", "list_view"},
      {"+s", "struct"},
      {"+m", "map"},
      {"+u", "union"},
      {"+r", "run-end encoded"},
  }};
  const std::string_view format = format_of(type);
  const std::string quoted = "format '" + std::string(format) + "'";
  if (number_type(format) && format != "b") return "number (" + quoted + ")";
  for (const auto& [prefix, name] : types) {
    const bool whole = prefix.size() == 1;
    if (whole ? format == prefix : format.substr(0, prefix.size()) == prefix)
      return std::string(name) + " (" + quoted + ")";
  }
  return quoted;
}

Place located(const ArrowSchema& type) {
  if (!type.name || !*type.name) return {};
  return {.features = {type.name}};
}

[[noreturn]] void unsupported(const ArrowSchema& type) {
  throw DataError(located(type), "the column has the Arrow type " + type_name(type),
                  "integers, floats, booleans, strings and dictionaries of strings are read, so "
                  "convert it to one of these first");
}

[[noreturn]] void malformed(const ArrowSchema& type, const std::string& what) {
  throw DataError(located(type), "the column is not a well-formed Arrow array: " + what);
}

const void* buffer(const ArrowSchema& type, const ArrowArray& array, std::int64_t which,
                   std::int64_t needed) {
  if (array.n_buffers < needed || !array.buffers)
    malformed(type, "it has " + std::to_string(array.n_buffers) + " buffers, but its type has " +
                        std::to_string(needed));
  return array.buffers[which];
}

const void* values(const ArrowSchema& type, const ArrowArray& array, std::int64_t needed,
                   std::int64_t length) {
  const void* data = buffer(type, array, 1, needed);
  if (!data && length > 0) malformed(type, "its values are a null pointer");
  return data;
}

/// Strings [offset, offset + length) of an array.
Strings strings(const ArrowSchema& type, const ArrowArray& array, std::int64_t offset,
                std::int64_t length) {
  const void* offsets = values(type, array, 3, length);
  const char* bytes = static_cast<const char*>(buffer(type, array, 2, 3));
  if (length == 0) return {};
  const auto of_offsets = [&]<class Offset>(const Offset* starts) -> Strings {
    if (!bytes && starts[offset + length] != 0)
      malformed(type, "the bytes of its strings are a null pointer");
    return {starts + offset, bytes, static_cast<Index>(length)};
  };
  if (format_of(type) == "u") return of_offsets(static_cast<const std::int32_t*>(offsets));
  return of_offsets(static_cast<const std::int64_t*>(offsets));
}

const void* advance(const void* data, Scalar type, std::int64_t elements) {
  return data ? static_cast<const std::byte*>(data) +
                    elements * static_cast<std::int64_t>(size_of(type))
              : nullptr;
}

bool may_have_nulls(const ArrowSchema& type, const ArrowArray& array) {
  return array.null_count != 0 && array.n_buffers > 0 && buffer(type, array, 0, 1);
}

/// Rows [skip, skip + length) of the array, counted after its own offset.
Column column(const ArrowSchema& type, const ArrowArray& array, std::int64_t skip,
              std::int64_t length) {
  for (const std::int64_t number : {array.length, array.offset, skip, length})
    if (number < 0 || number > most_values)
      malformed(type, "its length or offset cannot be: " + std::to_string(number));
  if (skip + length > array.length)
    malformed(type, "it has " + std::to_string(array.length) + " values after offset " +
                        std::to_string(array.offset) + ", and " + std::to_string(skip + length) +
                        " are needed");
  const std::string_view format = format_of(type);
  const std::int64_t offset = array.offset + skip;
  if (format == "n" && !type.dictionary) return Column(&nothing, static_cast<Index>(length), 0);

  Column result;
  result.size = static_cast<Index>(length);
  if (may_have_nulls(type, array))
    result.valid = {static_cast<const std::uint8_t*>(buffer(type, array, 0, 1)),
                    static_cast<Index>(offset)};
  const std::optional<Scalar> scalar = number_type(format);
  if (type.dictionary) {
    if (!scalar || !is_integer(*scalar) || !is_string(format_of(*type.dictionary)) ||
        type.dictionary->dictionary)
      unsupported(type);
    if (!array.dictionary) malformed(type, "its dictionary is a null pointer");
    const ArrowArray& names = *array.dictionary;
    if (names.length < 0 || names.offset < 0 || names.offset > most_values)
      malformed(type, "its dictionary has a length or an offset that cannot be");
    if (may_have_nulls(*type.dictionary, names))
      throw DataError(located(type), "the column has a dictionary with nulls in it",
                      "mark missing values in the column's own validity bits instead");
    result.kind = Column::Kind::codes;
    result.type = *scalar;
    result.data = advance(values(type, array, 2, length), *scalar, offset);
    result.strings = strings(*type.dictionary, names, names.offset, names.length);
  } else if (is_string(format)) {
    result.kind = Column::Kind::strings;
    result.strings = strings(type, array, offset, length);
  } else if (scalar) {
    result.kind = Column::Kind::numbers;
    result.type = *scalar;
    result.data = values(type, array, 2, length);
    if (*scalar == Scalar::bit)
      result.bit_offset = static_cast<Index>(offset);
    else
      result.data = advance(result.data, *scalar, offset);
  } else {
    unsupported(type);
  }
  return result;
}

void require_live(const void* release) {
  if (!release)
    throw InvalidArgument("the Arrow structure was already released, or moved to another owner");
}

void require_batch(const ArrowSchema& type) {
  require_live(reinterpret_cast<const void*>(type.release));
  if (format_of(type) != "+s")
    throw DataError("a table must be a record batch, an Arrow struct, but this is " +
                    type_name(type));
}

/// The position of the child with a name; it must be there once.
std::int64_t child_named(const ArrowSchema& type, std::string_view name) {
  std::int64_t found = -1;
  for (std::int64_t i = 0; i < type.n_children; ++i) {
    if (!type.children[i]->name || name != type.children[i]->name) continue;
    if (found >= 0)
      throw DataError("the Arrow batch has two columns named '" + std::string(name) + "'",
                      "rename one of them");
    found = i;
  }
  if (found >= 0) return found;
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < type.n_children; ++i)
    names.emplace_back(type.children[i]->name ? type.children[i]->name : "");
  throw DataError("the Arrow batch has no column '" + std::string(name) + "'",
                  "it has " + list_for_message(names));
}

}  // namespace

Column column_from_arrow(const ArrowSchema& type, const ArrowArray& array) {
  require_live(reinterpret_cast<const void*>(type.release));
  require_live(reinterpret_cast<const void*>(array.release));
  return column(type, array, 0, array.length);
}

RowBlock rows_from_arrow(const Schema& schema, const ArrowSchema& type, const ArrowArray& batch,
                         const ArrowColumns& columns) {
  require_batch(type);
  require_live(reinterpret_cast<const void*>(batch.release));
  if (batch.n_children != type.n_children)
    malformed(type, "its type has " + std::to_string(type.n_children) +
                        " children and its data has " + std::to_string(batch.n_children));
  if (batch.length < 0 || batch.offset < 0) malformed(type, "its length or offset is below 0");
  if (may_have_nulls(type, batch)) {
    const Validity present{static_cast<const std::uint8_t*>(batch.buffers[0]),
                           static_cast<Index>(batch.offset)};
    for (Index i = 0; i < batch.length; ++i) {
      if (!present(i))
        throw DataError({.row = i}, "the Arrow batch has a row that is null as a whole",
                        "leave such rows out");
    }
  }
  // A struct's own offset and length apply to its children, after theirs.
  const auto child = [&](std::string_view name) {
    const std::int64_t i = child_named(type, name);
    return std::pair<const ArrowSchema&, Column>(
        *type.children[i],
        column(*type.children[i], *batch.children[i], batch.offset, batch.length));
  };

  RowBlock rows(static_cast<Index>(batch.length));
  for (const Feature& feature : schema.features()) {
    const auto [child_type, values_of] = child(feature.name);
    if (feature.family != Family::categorical && feature.family != Family::text &&
        values_of.kind != Column::Kind::numbers)
      throw DataError({.features = {feature.name}},
                      "the column has the type " + type_name(child_type) + ", but the family is " +
                          std::string(to_string(feature.family)),
                      "give numbers, or make the feature categorical");
    rows.feature(values_of);
  }
  if (!columns.label.empty()) rows.labels(child(columns.label).second);
  if (!columns.weight.empty()) {
    const auto [child_type, values_of] = child(columns.weight);
    if (values_of.kind != Column::Kind::numbers)
      throw DataError({.features = {columns.weight}},
                      "the column of weights has the type " + type_name(child_type),
                      "a weight is a number");
    rows.weights(values_of);
  }
  return rows;
}

Schema schema_from_arrow(const ArrowSchema& type, const ArrowColumns& columns) {
  require_batch(type);
  for (const std::string& name : {columns.label, columns.weight}) {
    if (!name.empty()) child_named(type, name);
  }
  std::vector<Feature> features;
  for (std::int64_t i = 0; i < type.n_children; ++i) {
    const ArrowSchema& child = *type.children[i];
    const std::string name = child.name ? child.name : "";
    if (!name.empty() && (name == columns.label || name == columns.weight)) continue;
    const std::string_view format = format_of(child);
    const bool names = child.dictionary ? is_string(format_of(*child.dictionary))
                                        : is_string(format) || format == "b" || format == "n";
    if (!names && (child.dictionary || !number_type(format))) unsupported(child);
    features.push_back({name, names ? Family::categorical : Family::gaussian});
  }
  return Schema(std::move(features));
}

}  // namespace suffice
