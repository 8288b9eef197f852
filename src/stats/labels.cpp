#include "stats/labels.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "suffice/core/error.hpp"

namespace suffice {
namespace {

[[noreturn]] void throw_unlabelled(std::int32_t code, Index row) {
  if (code == NameReader::infinite)
    throw DataError({.row = row}, "the label is infinite", "a class is a name or a finite number");
  throw DataError({.row = row}, "there is no label", "leave the row out, or give it the weight 0");
}

}  // namespace

EncodedNames encode_labels(const RowBlock& rows, Index first_row, const Names& known,
                           const double* weight, Workers& workers) {
  EncodedNames result = encode_names(rows.labels(), known, weight, workers);
  for (Index i = 0; i < rows.rows() && !result.complete; ++i)
    if (result.code[i] < 0 && (!weight || weight[i] > 0))
      throw_unlabelled(result.code[i], first_row + i);
  return result;
}

ClassWeights class_weights(std::span<const std::int32_t> code, Index classes, const double* weight,
                           Workers& workers) {
  // Sums of chunks that are cut by the row number, added in order.
  constexpr Index chunk_rows = 8192;
  const Index chunks = (std::ssize(code) + chunk_rows - 1) / chunk_rows;
  Matrix sums(chunks, 2 * classes);
  workers.run(chunks, [&](Index k, int) {
    const Index first = k * chunk_rows, last = std::min(first + chunk_rows, std::ssize(code));
    const std::span<double> sum = sums.row(k);
    if (!weight) {
      // Counting in integers, which is what weights of 1 are.
      std::vector<Index> rows(static_cast<std::size_t>(classes));
      for (Index i = first; i < last; ++i)
        if (code[i] >= 0) ++rows[code[i]];
      for (Index c = 0; c < classes; ++c) sum[c] = sum[classes + c] = static_cast<double>(rows[c]);
      return;
    }
    for (Index i = first; i < last; ++i) {
      if (code[i] < 0) continue;
      sum[code[i]] += weight[i];
      sum[classes + code[i]] += weight[i] * weight[i];
    }
  });
  ClassWeights result{Vector(classes), Vector(classes)};
  for (Index k = 0; k < chunks; ++k)
    for (Index c = 0; c < classes; ++c) {
      result.sum[c] += sums(k, c);
      result.squares[c] += sums(k, classes + c);
    }
  return result;
}

}  // namespace suffice
