#pragma once
// Weights of rows. Whole numbers count rows: 2 is a row that is there twice. Others only say how
// rows compare, unless they sum to no less than the number of rows: an estimate that takes them for
// numbers of rows would know far too little of the table.

#include "suffice/fit/gather.hpp"

namespace suffice {

/// What the weights of all rows have been.
struct RowWeights {
  double rows = 0, sum = 0;  ///< of those above 0
  bool given = false, whole = true;

  void add(const RowBlock& block);
  /// What they are to be multiplied by.
  double factor() const { return given && !whole && sum < rows ? rows / sum : 1; }
};

/// Multiplies the weights in all that was gathered, and says so. Later passes have them, too.
void scale_weights(Gathered& gathered, double by);

}  // namespace suffice
