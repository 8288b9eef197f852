#include "score/row_projector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "algebra/blas.hpp"
#include "core/kernels.hpp"
#include "data/number_reader.hpp"
#include "data/row_checks.hpp"
#include "data/transform.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

namespace {
/// Rows of one product: enough to make it efficient, few enough to stay in the caches.
constexpr Index rows_of_product = 256;
}  // namespace

RowProjector::RowProjector(const NumberReader& reader, const Schema& schema, const Block& block,
                           const RowBlock& rows, const LinearMap& map, Missing missing)
    : reader_(reader), schema_(schema), block_(block), rows_(rows), map_(map), missing_(missing) {
  for (Index j = 0; j < map.matrix.rows(); ++j)
    if (std::ranges::any_of(map.matrix.row(j), [](double m) { return m != 0; })) used_.push_back(j);
  const auto n = static_cast<Index>(used_.size());
  offset_ = Vector(n);
  matrix_ = Matrix(n, width());
  for (Index i = 0; i < n; ++i) {
    const Index j = used_[i];
    offset_[i] = map.offset[j];
    std::ranges::copy(map.matrix.row(j), matrix_.row(i).begin());
  }
}

RowProjector::Scratch RowProjector::scratch() const {
  return {Vector(reader_.in_place() ? 0 : rows_of_product * reader_.features()),
          Vector(rows_of_product * offset_.size())};
}

void RowProjector::read(Index first, Index count, Scratch& scratch, double* z) const {
  for (Index i = 0; i < count; i += rows_of_product)
    read_block(first + i, std::min(rows_of_product, count - i), scratch, z + i * width());
}

void RowProjector::read_block(Index first, Index count, Scratch& scratch, double* z) const {
  const NumberReader::Panel panel = reader_.read(first, count, scratch.read.data());
  const auto n = static_cast<Index>(used_.size());
  for (Index i = 0; i < count; ++i) {
    const double* x = panel.values + i * panel.stride;
    double* to = scratch.centered.data() + i * n;
    if (n == reader_.features()) {
      for (Index j = 0; j < n; ++j) to[j] = x[j] - offset_[j];
    } else {
      for (Index j = 0; j < n; ++j) to[j] = x[used_[j]] - offset_[j];
    }
  }
  blas::gemm(count, width(), n, 1, scratch.centered.data(), n, matrix_.data(), width(), 0, z,
             width());
  const bool present =
      missing_ == Missing::allow || kernels::all_pass(kernels::Check::finite, panel.values,
                                                      panel.stride, count, reader_.features());
  const bool finite =
      present && kernels::all_pass(kernels::Check::finite, z, width(), count, width());
  if (finite) return;
  for (Index i = 0; i < count; ++i)
    settle_row(first + i, panel.values + i * panel.stride, z + i * width());
}

/// A row in which something is not finite, if not for the size of its numbers.
void RowProjector::settle_row(Index row, const double* x, double* z) const {
  if (missing_ == Missing::refuse)
    for (Index j = 0; j < reader_.features(); ++j)
      if (std::isnan(x[j])) throw_missing(schema_.feature(block_.features[j]).name, row);
  bool lacks = false;
  for (const Index j : used_) {
    if (std::isinf(x[j])) throw_not_gaussian(schema_, rows_, block_.features[j], row);
    lacks |= std::isnan(x[j]);
  }
  constexpr double far = std::numeric_limits<double>::max();
  for (Index k = 0; k < width(); ++k) {
    if (lacks)
      z[k] = std::numeric_limits<double>::quiet_NaN();
    else if (!std::isfinite(z[k]))  // its terms were too large for a double
      z[k] = far;
  }
}

void throw_not_gaussian(const Schema& schema, const RowBlock& rows, Index feature, Index row) {
  const Feature& column = schema.feature(feature);
  // A category that is an infinite number has no name.
  if (column.indicator) throw_infinite_category(column.indicator->column, row);
  const double value = number_at(rows, schema.column(feature), row);
  throw DataError({.row = row, .features = {column.name}}, "the value is " + name_of(value),
                  advice_for_number(column.transform, value));
}

}  // namespace suffice
