#include "stats/labels.hpp"

#include <algorithm>
#include <atomic>

#include "data/name_reader.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

namespace {

constexpr Index chunk_rows = 32768;

struct Chunks {
  Index rows;
  Index count() const { return (rows + chunk_rows - 1) / chunk_rows; }
  Index first(Index k) const { return k * chunk_rows; }
  Index size(Index k) const { return std::min(chunk_rows, rows - first(k)); }
};

Names all_names(const Column& column, const double* weight, Workers& workers) {
  const Chunks chunks{column.size};
  std::vector<Names> found(static_cast<std::size_t>(chunks.count()));
  workers.run(chunks.count(), [&](Index k, int) {
    NameCollector collector(column);
    collector.add(chunks.first(k), chunks.size(k), weight);
    found[k] = collector.names();
  });
  Names names;
  for (const Names& more : found) {
    if (more != names) names = join(names, more);
  }
  return names;
}

/// False for a label that is not in the dictionary. Throws DataError for none at all.
bool require_label(std::int32_t code, Index row) {
  if (code == NameReader::unknown) return false;
  if (code == NameReader::infinite)
    throw DataError("row " + std::to_string(row) +
                        " has an infinite label; a class is a name or a finite number",
                    {.row = row, .feature = {}, .label = {}});
  throw DataError(
      "row " + std::to_string(row) + " has no label; leave the row out, or give it the weight 0",
      {.row = row, .feature = {}, .label = {}});
}

/// Returns whether all labels are in result.labels.
bool encode(const RowBlock& rows, Index first_row, const double* weight, Workers& workers,
            EncodedLabels& result) {
  const Chunks chunks{rows.rows()};
  const Index classes = result.labels.size();
  const NameReader reader(rows.labels(), result.labels);
  Matrix sums(chunks.count(), 2 * classes);
  std::atomic<bool> complete = true;
  workers.run(chunks.count(), [&](Index k, int) {
    std::int32_t* code = result.code.data() + chunks.first(k);
    reader.read(chunks.first(k), chunks.size(k), code, 1);
    if (!weight) {
      // Counting in integers, which is what weights of 1 are.
      std::vector<Index> rows_of(static_cast<std::size_t>(classes));
      for (Index i = 0; i < chunks.size(k); ++i) {
        if (code[i] < 0) {
          complete = complete && require_label(code[i], first_row + chunks.first(k) + i);
          return;
        }
        ++rows_of[code[i]];
      }
      for (Index c = 0; c < classes; ++c)
        sums(k, c) = sums(k, classes + c) = static_cast<double>(rows_of[c]);
      return;
    }
    const std::span<double> sum = sums.row(k);
    for (Index i = 0; i < chunks.size(k); ++i) {
      const Index row = chunks.first(k) + i;
      const double w = weight[row];
      if (w == 0) {
        code[i] = -1;
      } else if (code[i] >= 0) {
        sum[code[i]] += w;
        sum[classes + code[i]] += w * w;
      } else {
        complete = complete && require_label(code[i], first_row + row);
        return;
      }
    }
  });
  if (!complete) return false;
  result.weights = Vector(classes);
  result.squared_weights = Vector(classes);
  for (Index k = 0; k < sums.rows(); ++k) {
    for (Index c = 0; c < classes; ++c) {
      result.weights[c] += sums(k, c);
      result.squared_weights[c] += sums(k, classes + c);
    }
  }
  return true;
}

}  // namespace

EncodedLabels encode_labels(const RowBlock& rows, Index first_row, const Names& known,
                            const double* weight, Workers& workers) {
  EncodedLabels result;
  result.code = Buffer<std::int32_t>(rows.rows());
  const auto encoded = [&](Names labels) {
    result.labels = std::move(labels);
    return encode(rows, first_row, weight, workers, result);
  };
  // Usually all classes were seen before, or the first rows show them. Where they do not, the
  // labels are read once more.
  if (!known.empty() && encoded(known)) return result;
  NameCollector first_rows(rows.labels());
  first_rows.add(0, std::min<Index>(rows.rows(), 4096), weight);
  if (!encoded(join(known, first_rows.names())))
    encoded(join(known, all_names(rows.labels(), weight, workers)));
  return result;
}

}  // namespace suffice
