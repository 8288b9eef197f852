#pragma once
// Rows that can be compared with each other: they lack the same features and have documents of the
// same length.

#include <optional>
#include <string>
#include <vector>

#include "suffice/data/row_block.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

struct RowGroup {
  /// Per feature of the schema. A level that the model does not know is missing; a feature that the
  /// model left out as constant is not, whatever it holds.
  std::vector<bool> missing;
  std::vector<Index> document_length;  ///< per block; 0 unless multinomial
  std::vector<Index> rows;             ///< rising
};

/// In the order of their first rows.
std::vector<RowGroup> group_rows(const Model& model, const RowBlock& rows);

/// Why rows have no outlier score under a model; nothing: they have.
std::optional<std::string> why_no_outlier_score(const Model& model);

}  // namespace suffice
