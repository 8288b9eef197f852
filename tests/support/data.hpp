#pragma once
// The data sets that the reference tests read: gzipped CSV with a header row. Iris, penguins, wine
// and breast cancer are written by tests/cli/datasets.py; all of them lie in the folder that the
// environment variable SUFFICE_DATA names, or in the one the build was told of.

#include <gtest/gtest.h>
#include <zlib.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice::testing {

inline std::string data_path(const std::string& name) {
  const char* given = std::getenv("SUFFICE_DATA");
  const auto made = std::filesystem::path(SUFFICE_SOURCE_DIR) / "build" / "test-data" / name;
  if (std::filesystem::exists(made)) return made.string();
  return (std::filesystem::path(given ? given : SUFFICE_DATA_DIR) / name).string();
}

inline bool have_data(const std::string& name) { return std::filesystem::exists(data_path(name)); }

/// For the first line of a test that reads `name`.
#define SUFFICE_NEEDS_DATA(name)                                    \
  if (!::suffice::testing::have_data(name))                         \
  GTEST_SKIP() << "no file " << ::suffice::testing::data_path(name) \
               << "; set SUFFICE_DATA to the folder with the public data sets"

/// The whole file, unpacked if it is gzipped.
inline std::string read_text(const std::string& name) {
  const std::string path = data_path(name);
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file) throw std::runtime_error("cannot open " + path);
  std::string text;
  std::vector<char> piece(1 << 16);
  int read = 0;
  while ((read = gzread(file, piece.data(), static_cast<unsigned>(piece.size()))) > 0)
    text.append(piece.data(), static_cast<std::size_t>(read));
  gzclose(file);
  if (read < 0) throw std::runtime_error("cannot unpack " + path);
  return text;
}

inline double number(std::string_view text) {
  if (text.empty()) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size())
    throw std::runtime_error("not a number: " + std::string(text));
  return value;
}

struct Csv {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;

  Index size() const { return static_cast<Index>(rows.size()); }
  std::size_t position(std::string_view name) const {
    for (std::size_t j = 0; j < header.size(); ++j)
      if (header[j] == name) return j;
    throw std::runtime_error("no column " + std::string(name));
  }
  std::vector<std::string> column(std::string_view name) const {
    const std::size_t j = position(name);
    std::vector<std::string> cells;
    for (const auto& row : rows) cells.push_back(row[j]);
    return cells;
  }
  /// The columns as numbers; an empty cell is NaN.
  Matrix numbers(const std::vector<std::string>& columns) const {
    Matrix x(size(), static_cast<Index>(columns.size()));
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const std::size_t at = position(columns[j]);
      for (std::size_t i = 0; i < rows.size(); ++i)
        x(static_cast<Index>(i), static_cast<Index>(j)) = number(rows[i][at]);
    }
    return x;
  }
  std::vector<std::string> columns_but(const std::vector<std::string>& left_out) const {
    std::vector<std::string> names;
    for (const auto& name : header)
      if (std::find(left_out.begin(), left_out.end(), name) == left_out.end())
        names.push_back(name);
    return names;
  }
};

/// Commas, quotes doubled inside quotes (RFC 4180), lines that end in LF or CRLF.
inline Csv read_csv(const std::string& name) {
  const std::string text = read_text(name);
  Csv table;
  std::vector<std::string> row;
  std::string cell;
  bool quoted = false;
  const auto end_row = [&] {
    row.push_back(std::move(cell));
    cell.clear();
    if (table.header.empty())
      table.header = std::move(row);
    else if (row.size() == table.header.size())
      table.rows.push_back(std::move(row));
    else
      throw std::runtime_error(name + ": a row with another number of cells than the header");
    row.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"')
        cell += c;
      else if (i + 1 < text.size() && text[i + 1] == '"')
        cell += text[++i];
      else
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      row.push_back(std::move(cell));
      cell.clear();
    } else if (c == '\n') {
      end_row();
    } else if (c != '\r') {
      cell += c;
    }
  }
  if (!row.empty() || !cell.empty()) end_row();
  return table;
}

/// Rows of numbers with a label each.
struct LabelledNumbers {
  std::vector<std::string> names;
  Matrix x;
  std::vector<std::string> labels;
};

inline LabelledNumbers read_numbers(const std::string& name, const std::string& label,
                                    std::vector<std::string> left_out = {}) {
  const Csv csv = read_csv(name);
  left_out.push_back(label);
  LabelledNumbers data;
  data.names = csv.columns_but(left_out);
  data.x = csv.numbers(data.names);
  data.labels = csv.column(label);
  return data;
}

}  // namespace suffice::testing
