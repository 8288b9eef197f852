#pragma once
// A whole file through a reader, in blocks of a given size, and the comparison with what
// tests/cli/files/make_files.py says is in it.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/readers/source.hpp"
#include "suffice/core/names.hpp"

namespace suffice::cli::testing {

using Json = nlohmann::json;

inline std::string file(const std::string& name) {
  return std::string(SUFFICE_SOURCE_DIR) + "/tests/cli/files/" + name;
}

/// Columns by name, as make_files.py wrote them down.
inline const Json& expected(const std::string& name) {
  static const Json all = [] {
    std::ifstream stream(file("expected.json"));
    return Json::parse(stream);
  }();
  const Json& found = all.at(name);
  return found.is_string() ? expected(found.get<std::string>()) : found;
}

struct ReadTable {
  std::vector<SourceColumn> columns;
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, std::vector<std::optional<std::string>>> texts;
  std::vector<std::string> places;  ///< as messages name them
  Index rows = 0;
};

enum class As { stated, number, text };  ///< stated: numbers where the file has numbers

/// Everything that can be read. A sparse file's features become numbers.
inline ReadTable read_all(Source& source, As as = As::stated, Index block = 1000,
                          const std::vector<std::string>& only = {}) {
  ReadTable table;
  table.columns = source.look(100);
  std::vector<Target> targets(table.columns.size());
  std::vector<std::string> number_names, text_names;
  for (std::size_t j = 0; j < targets.size(); ++j) {
    const auto& [name, kind, type] = table.columns[j];
    if (kind == CellKind::unsupported) continue;
    if (!only.empty() && std::find(only.begin(), only.end(), name) == only.end()) continue;
    const bool number = as == As::number || (as == As::stated && kind != CellKind::text);
    auto& names = number ? number_names : text_names;
    const auto type_of = !number              ? Target::Kind::text
                         : source.is_sparse() ? Target::Kind::sparse
                                              : Target::Kind::number;
    targets[j] = {type_of, std::ssize(names)};
    names.push_back(name);
  }
  source.select(targets);
  const Index count = std::ssize(number_names);
  Rows rows({.numbers = source.is_sparse() ? 0 : count,
             .texts = std::ssize(text_names),
             .sparse = source.is_sparse() ? count : 0},
            block);
  for (const std::string& name : number_names) table.numbers[name];
  for (const std::string& name : text_names) table.texts[name];
  rows.begin_file(source.path(), source.in_lines());
  bool more = true;
  while (more) {
    more = source.read(rows);
    EXPECT_TRUE(!more || rows.size() == rows.capacity());
    for (Index i = 0; i < rows.size(); ++i) {
      table.places.push_back(rows.place(i).text());
      for (Index j = 0; j < count; ++j)
        table.numbers[number_names[j]].push_back(source.is_sparse() ? 0 : rows.numbers(i)[j]);
      if (source.is_sparse())
        for (auto k = rows.sparse().row_start[i]; k < rows.sparse().row_start[i + 1]; ++k)
          table.numbers[number_names[rows.sparse().column[k]]].back() = rows.sparse().value[k];
      for (std::size_t t = 0; t < text_names.size(); ++t) {
        const TextColumn& text = rows.texts()[t];
        table.texts[text_names[t]].push_back(
            text.is_missing(i) ? std::nullopt : std::optional(std::string(text[i])));
      }
    }
    table.rows += rows.size();
    rows.clear();
  }
  return table;
}

inline ReadTable read_all(const std::string& path, As as = As::stated, Index block = 1000,
                          const std::vector<std::string>& only = {}, InputOptions input = {}) {
  const std::unique_ptr<Source> source = open_source(path, {std::move(input), {.threads = 2}});
  return read_all(*source, as, block, only);
}

/// The text of a value: true and false, the digits of an integer.
inline std::string text_of(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  if (value.is_number()) return name_of(value.get<double>());
  return value.get<std::string>();
}

inline double number_of(const Json& value) {
  if (value.is_null()) return std::nan("");
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return std::stod(value.get<std::string>());
  return value.get<double>();
}

/// Every column of `table` against what is expected of the file.
inline void expect_same(const ReadTable& table, const Json& columns) {
  EXPECT_EQ(table.numbers.size() + table.texts.size(), columns.size());
  for (const auto& [name, values] : columns.items()) {
    ASSERT_EQ(static_cast<std::size_t>(table.rows), values.size()) << name;
    const bool number = table.numbers.count(name) > 0;
    ASSERT_TRUE(number || table.texts.count(name) > 0) << name;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (number) {
        const double wanted = number_of(values[i]), found = table.numbers.at(name)[i];
        EXPECT_TRUE(wanted == found || (std::isnan(wanted) && std::isnan(found)))
            << name << " of row " << i << ": " << found << " instead of " << wanted;
      } else {
        const auto wanted = values[i].is_null() ? std::nullopt : std::optional(text_of(values[i]));
        EXPECT_EQ(table.texts.at(name)[i], wanted) << name << " of row " << i;
      }
    }
  }
}

}  // namespace suffice::cli::testing
