#pragma once
// Numeric features as kernels want them: panels of row-major doubles in which a missing value is
// NaN. A dense row-major matrix of doubles is not copied at all.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/parallel.hpp"
#include "data/indicator_reader.hpp"
#include "data/name_reader.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/data/schema.hpp"

namespace suffice {

/// One number of one row of a column as it was given, for messages.
double number_at(const RowBlock& rows, Index column, Index row);

/// Values of a block's features, transformed as the schema says, panel by panel; indicators are 0
/// or 1. A number outside the domain of its transformation is infinite in the panel.
class NumberReader {
 public:
  /// Throws DataError where a numeric family meets a column of strings, or the indicator of missing
  /// values a sparse part, and InvalidArgument where the indices of a sparse part point outside it;
  /// `workers` help to check them.
  NumberReader(const Schema& schema, const Block& block, const RowBlock& rows,
               Workers* workers = nullptr);
  /// Of all columns of the rows, as they come; `name` tells one in a message.
  NumberReader(const RowBlock& rows, const std::function<std::string(Index)>& name,
               Workers* workers = nullptr);

  struct Panel {
    const double* values;  ///< row-major
    Index stride;
  };
  /// Rows [first, first + count). `scratch` has room for count × features doubles and is used where
  /// the rows cannot be read in place.
  Panel read(Index first, Index count, double* scratch) const;
  /// Whether read never uses the scratch.
  bool in_place() const noexcept { return in_place_; }
  Index features() const noexcept { return features_; }
  /// The one sparse part that is the whole block, in order; null for all other layouts.
  const SparseView* sparse() const noexcept { return sparse_; }
  /// The columns of names that the block has indicators of.
  const std::vector<IndicatorReader>& indicators() const noexcept { return indicators_; }

 private:
  /// What the constructors share: the column of the rows at each position of the panel, −1 for
  /// an indicator; `strings(position)` throws for a column of strings.
  void open(std::span<const Index> columns, const RowBlock& rows, Workers* workers,
            const std::function<void(Index)>& strings);

  /// Consecutive features of the block that lie in one part, evenly spaced.
  struct Run {
    const RowBlock::Part* part;
    Index column;  ///< of the first one, in the part
    Index step;    ///< columns of the part from one to the next
    Index count;
    Index position;            ///< of the first one, in the panel
    std::vector<Index> panel;  ///< sparse: the position in the panel of each column, or -1
  };
  struct Transformed {
    Index position;  ///< in the panel
    Transform transform;
  };
  void transform(Index rows, double* panel) const;
  /// Of a column whose missing values a feature tells.
  struct Missing {
    Index position;                   ///< in the panel
    std::optional<NameReader> names;  ///< none: the panel has the column's numbers
  };
  void tell_missing(Index first, Index rows, double* panel) const;

  std::vector<Run> runs_;
  std::vector<Transformed> transforms_;
  std::vector<IndicatorReader> indicators_;
  std::vector<Missing> missing_;
  Index features_ = 0;
  bool in_place_ = false;
  const SparseView* sparse_ = nullptr;
};

}  // namespace suffice
