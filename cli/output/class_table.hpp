#pragma once
// Something about each class, side by side.

#include <string>
#include <utility>
#include <vector>

#include "cli/output/terminal.hpp"
#include "suffice/core/names.hpp"

namespace suffice::cli {

/// One column per class (or feature), below each other where the terminal is too narrow for all.
class ClassTable {
 public:
  ClassTable(std::vector<std::string> headings, std::vector<std::string> columns);
  ClassTable(std::vector<std::string> headings, const Names& labels)
      : ClassTable(std::move(headings), labels.list()) {}
  /// One cell for each heading, then one for each class.
  void add(std::vector<std::string> heads, std::vector<std::string> cells);
  std::string render(const Terminal& terminal) const;

 private:
  std::vector<std::string> headings_, labels_;
  std::vector<std::vector<std::string>> heads_, cells_;
};

/// The rows to show: positions of the largest `values`, at most `top` of them (0: all), the largest
/// first; NaN last, the first of equals first.
std::vector<Index> largest(const std::vector<double>& values, std::int64_t top);

}  // namespace suffice::cli
