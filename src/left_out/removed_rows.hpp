#pragma once
// What leave-one-out takes out of the sums: the label and the weight of each row.

#include <cstdint>
#include <string>
#include <vector>

#include "core/minus_or_zero.hpp"
#include "suffice/core/names.hpp"
#include "suffice/data/row_block.hpp"

namespace suffice {

struct RemovedRow {
  Index label = -1;  ///< −1: nothing is removed
  double weight = 0;
  Index row = 0;  ///< its number, for messages
};

class RemovedRows {
 public:
  /// Throws DataError for a row whose label is missing or not among `labels`, or that is heavier
  /// than its class. A row of weight 0 removes nothing.
  RemovedRows(const RowBlock& rows, const Names& labels, const Vector& class_weights);
  RemovedRow operator[](Index row) const {
    if (code_[row] < 0) return {.row = row};
    return {code_[row], weight_ ? weight_[row] : 1.0, row};
  }
  /// The rows that are all of their class, in rising order.
  const std::vector<Index>& whole_classes() const { return whole_classes_; }

 private:
  std::vector<std::int32_t> code_;
  Vector scratch_;
  const double* weight_ = nullptr;
  std::vector<Index> whole_classes_;
};

/// Whether the row is all of its class.
inline bool is_whole_class(const RemovedRow& row, const Vector& class_weights) {
  return row.label >= 0 && minus_or_zero(class_weights[row.label], row.weight) == 0;
}

/// Removing weight u from W rows with the mean m: x − m becomes gain · (x − m), and the scatter
/// loses loss · (x − m)(x − m)ᵀ.
struct MomentsChange {
  double loss = 0, gain = 1;
  /// Where nothing is left, there is nothing to change.
  static MomentsChange of(double whole, double part) {
    const double left = minus_or_zero(whole, part);
    if (!(left > 0)) return {};
    return {whole * (part / left), whole / left};
  }
};

/// The row has a value, or a weight, that is not in the sums.
[[noreturn]] void throw_not_among(Index row, const std::string& why);

/// Throws SingularError: without the row `what` of the class (empty: of all classes) `is_wrong`.
/// The features are those that are to blame, if that is known.
struct RankOf {
  Index rank, dimension;
};
[[noreturn]] void throw_singular_without(const RemovedRow& row, const std::string& label,
                                         std::vector<std::string> features, const RankOf& of,
                                         const std::string& what, const std::string& is_wrong);

}  // namespace suffice
