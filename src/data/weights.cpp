#include "data/weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "data/number_reader.hpp"
#include "suffice/core/error.hpp"
#include "suffice/core/names.hpp"

namespace suffice {

const double* read_weights(const RowBlock& rows, Vector& scratch) {
  const Column& column = rows.weights();
  if (column.kind == Column::Kind::none) return nullptr;
  const Index n = rows.rows();
  const double* weights = static_cast<const double*>(column.data);
  if (column.type != Scalar::float64 || column.stride != 1 || column.valid.bits) {
    scratch = Vector(n);
    const RowBlock numbers = RowBlock(n).feature(column);
    NumberReader(numbers, [](Index) { return "weight"; }).read(0, n, scratch.data());
    weights = scratch.data();
  }
  constexpr double largest = std::numeric_limits<double>::max();
  bool good = true;
  for (Index i = 0; i < n; ++i) good &= (weights[i] >= 0) & (weights[i] <= largest);
  if (good) return weights;
  const double* bad =
      std::find_if(weights, weights + n, [](double w) { return !(w >= 0 && w <= largest); });
  throw DataError({.row = bad - weights},
                  "the weight is " + (std::isnan(*bad) ? "missing" : name_of(*bad)),
                  "weights are frequencies, finite and not negative (0 leaves a row out)");
}

}  // namespace suffice
