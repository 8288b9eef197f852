#pragma once
// Rows and their classes, as an update hands them to the sums of each block.

#include <cstdint>
#include <span>
#include <string>

#include "accumulate/update_memory.hpp"
#include "core/parallel.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// The rows of one block of an update.
struct LabelledRows {
  const Schema& schema;
  const RowBlock& rows;
  Index first_row;  ///< of the block in the update, for messages
  /// The names of the classes, for messages. Several may have the same name: those of the parts of
  /// a class.
  std::span<const std::string> labels;
  const std::int32_t* code;  ///< the class of each row; negative: weight 0, the row is absent
  const double* weight;      ///< null: all 1
  Missing missing;
  const Execution& execution;
  Workers& workers;
  UpdateMemory& memory;
  Progress& progress;         ///< in rows, once for each block
  std::string in_words = {};  ///< what the classes are, for messages; empty: classes

  Index size() const { return rows.rows(); }
  Index classes() const { return std::ssize(labels); }
  double weight_of(Index row) const { return weight ? weight[row] : 1.0; }
};

/// An infinite value, or one that the family cannot have: never returns.
[[noreturn]] void throw_bad_value(const LabelledRows& rows, Index feature, Index row, double value);
/// A missing value: returns where these are allowed.
void require_present(const LabelledRows& rows, Index feature, Index row);

}  // namespace suffice
