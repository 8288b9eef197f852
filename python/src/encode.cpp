#include <algorithm>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "data/name_encoder.hpp"
#include "data/scalar.hpp"
#include "suffice/core/error.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

/// Rows of bytes, each of them a name. `offsets` is memory for the column.
Column texts_of(const AnyArray& bytes, std::vector<std::int64_t>& offsets) {
  const MatrixView view = matrix_view(bytes, "texts");
  if (view.type != Scalar::uint8 || view.row_stride != view.cols || view.col_stride != 1)
    throw InvalidArgument("texts are a contiguous matrix of bytes, a row for each");
  for (Index i = 0; i <= view.rows; ++i) offsets.push_back(i * view.cols);
  return Column(Strings(offsets.data(), static_cast<const char*>(view.data), view.rows));
}

/// The first row of each distinct value, the value of each row by its position among these, and the
/// first row without a value (NaN, infinite), or -1.
nb::tuple encode(const AnyArray& values, int threads) {
  std::vector<std::int64_t> offsets;
  const Column column =
      values.ndim() == 2 ? texts_of(values, offsets) : column_view(values, "labels");
  EncodedNames encoded;
  std::vector<Index> first_row;
  Index unnamed = -1;
  call(threads, static_cast<double>(column.size), [&](const Execution& execution) {
    Workers workers(execution, 1 + column.size / 65536);
    encoded = encode_names(column, {}, nullptr, workers);
    const std::int32_t* codes = encoded.code.data();
    const std::int32_t* end = codes + column.size;
    const auto* wrong = std::find_if(codes, end, [](std::int32_t code) { return code < 0; });
    if (wrong != end) unnamed = wrong - codes;
    first_row.assign(static_cast<std::size_t>(encoded.names.size()), -1);
    Index missing = encoded.names.size();
    for (Index i = 0; missing > 0; ++i) {
      if (codes[i] < 0 || first_row[codes[i]] >= 0) continue;
      first_row[codes[i]] = i;
      --missing;
    }
  });
  return nb::make_tuple(to_numpy(std::move(first_row)), to_numpy(std::move(encoded.code)), unnamed);
}

/// K where integers are 0, 1, …, K − 1 without a gap, K ≤ most; 0 otherwise.
template <class T>
Index count_of(const T* values, Index size, Index stride, Index most) {
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(most) + 1);
  std::uint64_t largest = 0;
  for (Index i = 0; i < size; ++i) {
    const auto value = static_cast<std::uint64_t>(values[i * stride]);
    if (value >= static_cast<std::uint64_t>(most)) return 0;
    largest = std::max(largest, value);
    seen[value] = 1;
  }
  const auto classes = static_cast<Index>(largest) + 1;
  return size > 0 && std::count(seen.begin(), seen.begin() + classes, 1) == classes ? classes : 0;
}

Index counted_classes(const AnyArray& values, Index most) {
  const Column column = column_view(values, "labels");
  if (is_floating(column.type)) return 0;
  const WithoutLock without_lock;
  return with_type(column.type, [&]<class T>(std::type_identity<T>) {
    return count_of(static_cast<const T*>(column.data), column.size, column.stride, most);
  });
}

}  // namespace

void bind_encode(nb::module_& module) {
  module.def("encode", encode, "values"_a, "threads"_a = 0);
  module.def("counted_classes", counted_classes, "values"_a, "most"_a);
}

}  // namespace suffice::python
