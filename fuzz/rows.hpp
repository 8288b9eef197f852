#pragma once
// A few rows for any schema: zeros, ones, missing values, and names that a model may or may not
// know.

#include <limits>
#include <string>
#include <vector>

#include "suffice/data/row_block.hpp"
#include "suffice/data/schema.hpp"

namespace suffice::fuzz {

class SomeRows {
 public:
  explicit SomeRows(const Schema& schema) {
    for (Index j = 0; j < static_cast<Index>(schema.columns().size()); ++j)
      names_.push_back(schema.has_names(j));
  }
  /// A view of this object's memory.
  RowBlock block() const {
    RowBlock rows(static_cast<Index>(numbers_.size()));
    for (const bool is_name : names_) {
      if (is_name)
        rows.feature(Column(codes_.data(), static_cast<Index>(codes_.size()), Strings(levels_)));
      else
        rows.feature(Column(numbers_));
    }
    return rows;
  }

 private:
  std::vector<bool> names_;
  std::vector<double> numbers_{0, 1, 1, std::numeric_limits<double>::quiet_NaN()};
  std::vector<std::int32_t> codes_{0, 1, 2, -1};
  std::vector<std::string> levels_{"a", "b", "never seen"};
};

}  // namespace suffice::fuzz
