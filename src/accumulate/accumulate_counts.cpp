#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "accumulate/accumulate.hpp"
#include "accumulate/lanes.hpp"
#include "core/kernels.hpp"
#include "data/family.hpp"
#include "data/number_reader.hpp"
#include "data/scalar.hpp"
#include "data/sparse.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

namespace {

using kernels::padded;

/// The sums of one lane, K × padded(d).
struct CountSums {
  Vector complete;  // per class: weight of the rows without a missing value
  Vector present;   // weight of the values present in the others; empty: there are none
  Vector sums;

  CountSums(Index classes, Index d) : complete(classes), sums(classes * padded(d)) {}

  void add(const LabelledRows& rows, const Block& block, const NumberReader::Panel& panel,
           Index row0, Index n) {
    const Index d = static_cast<Index>(block.features.size());
    const std::int32_t* code = rows.code + row0;
    const double* weight = rows.weight ? rows.weight + row0 : nullptr;
    if (kernels::all_pass(describe(block.family).check, panel.values, panel.stride, n, d)) {
      kernels::accumulate_sums(panel.values, panel.stride, n, d, code, weight, sums.data());
      for (Index i = 0; i < n; ++i) {
        if (code[i] >= 0) complete[code[i]] += weight ? weight[i] : 1.0;
      }
      return;
    }
    for (Index i = 0; i < n; ++i) {
      if (code[i] >= 0) add_row(rows, block, panel.values + i * panel.stride, row0 + i);
    }
  }

 private:
  void add_row(const LabelledRows& rows, const Block& block, const double* x, Index row) {
    const Index d = static_cast<Index>(block.features.size()), width = padded(d);
    const Index c = rows.code[row];
    const double w = rows.weight_of(row);
    const FamilyDescription family = describe(block.family);
    if (present.empty()) present = Vector(complete.size() * width);
    for (Index j = 0; j < d; ++j) {
      const bool missing = std::isnan(x[j]) && !family.documents;
      if (missing) {
        require_present(rows, block.features[j], row);
        continue;
      }
      if (!is_possible(family.check, x[j])) throw_bad_value(rows, block.features[j], row, x[j]);
      present[c * width + j] += w;
      sums[c * width + j] += w * x[j];
    }
  }
};

CountStatistics accumulate_dense(const LabelledRows& rows, const Block& block,
                                 const NumberReader& reader) {
  const Index n = rows.size(), d = reader.features(), classes = rows.classes(), width = padded(d);
  const Index panel_rows = std::clamp<Index>(16384 / d, 16, 4096);
  const Lanes lanes =
      Lanes::of(n, panel_rows, static_cast<double>(classes * d), static_cast<double>(d));
  std::vector<CountSums> sums(static_cast<std::size_t>(lanes.count), CountSums(classes, d));
  Workers& workers = rows.workers;
  workers.run(lanes.count, [&](Index lane, int) {
    Vector scratch(reader.in_place() ? 0 : panel_rows * d);
    lanes.for_each_panel(lane, rows, [&](Index first, Index count) {
      sums[lane].add(rows, block, reader.read(first, count, scratch.data()), first, count);
    });
  });
  CountStatistics result = zero_counts(block, classes);
  for (const CountSums& lane : sums) {
    for (Index c = 0; c < classes; ++c) {
      for (Index j = 0; j < d; ++j) {
        result.sum(c, j) += lane.sums[c * width + j];
        if (!result.weight.empty()) {
          result.weight(c, j) +=
              lane.complete[c] + (lane.present.empty() ? 0.0 : lane.present[c * width + j]);
        }
      }
    }
  }
  return result;
}

/// Asks for what will be read soon, at most 1 KB of it.
template <class T>
void fetch(const T* from, const T* to) {
  constexpr Index line = 64 / sizeof(T);
  const T* const end = std::min(to, from + 16 * line);
  for (; from < end; from += line) __builtin_prefetch(from, 0, 2);
}

/// Sparse rows, entry by entry: a worker takes the rows of one class (a fixed part of them where
/// there are many), so that its sums are one row of the table and stay in the cache.
template <class I, class T>
CountStatistics accumulate_sparse(const LabelledRows& rows, const Block& block,
                                  const SparseView& x) {
  const Index n = rows.size(), d = x.cols, classes = rows.classes();
  const I* row_start = static_cast<const I*>(x.row_start);
  const I* column = static_cast<const I*>(x.column);
  const T* values = static_cast<const T*>(x.values);
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr Index ahead = 2;  // documents

  std::vector<std::vector<Index>> of_class(static_cast<std::size_t>(classes));
  Vector entries(classes);
  for (Index i = 0; i < n; ++i) {
    if (rows.code[i] < 0) continue;
    of_class[rows.code[i]].push_back(i);
    entries[rows.code[i]] += static_cast<double>(row_start[i + 1] - row_start[i]);
  }
  struct Task {
    Index label, part, parts;
    Vector sums;  // of a part; a whole class is summed in its place
  };
  std::vector<Task> tasks;
  for (Index c = 0; c < classes; ++c) {
    const Index parts =
        std::clamp<Index>(static_cast<Index>(entries[c] / (8.0 * static_cast<double>(d))), 1, 8);
    for (Index part = 0; part < parts; ++part) tasks.push_back({c, part, parts, {}});
  }
  CountStatistics result = zero_counts(block, classes);
  rows.workers.run(static_cast<Index>(tasks.size()), [&](Index t, int) {
    Task& task = tasks[t];
    const std::vector<Index>& documents = of_class[task.label];
    const Index count = static_cast<Index>(documents.size());
    if (task.parts > 1) task.sums = Vector(d);
    double* sums = task.parts > 1 ? task.sums.data() : result.sum.row(task.label).data();
    const Index last = count * (task.part + 1) / task.parts;
    for (Index k = count * task.part / task.parts; k < last; ++k) {
      const Index i = documents[k];
      const double w = rows.weight_of(i);
      if (k + ahead < last) {  // documents of a class are not neighbours
        const Index later = documents[k + ahead];
        fetch(values + row_start[later], values + row_start[later + 1]);
        fetch(column + row_start[later], column + row_start[later + 1]);
      }
      bool wrong = false;
      for (I at = row_start[i]; at < row_start[i + 1]; ++at) {
        const double value = static_cast<double>(values[at]);
        wrong |= !(value >= 0 && value <= largest);
        sums[column[at]] += w * value;
      }
      if (!wrong) continue;
      for (I at = row_start[i]; at < row_start[i + 1]; ++at) {
        const double value = static_cast<double>(values[at]);
        if (!is_possible(describe(block.family).check, value)) {
          throw_bad_value(rows, block.features[column[at]], i, value);
        }
      }
    }
    rows.progress.advance(static_cast<double>(last - count * task.part / task.parts));
  });
  for (const Task& task : tasks) {
    for (Index j = 0; j < task.sums.size(); ++j) result.sum(task.label, j) += task.sums[j];
  }
  if (!result.weight.empty()) {  // no value is missing
    for (Index c = 0; c < classes; ++c) {
      double weight = 0;
      for (const Index i : of_class[c]) weight += rows.weight_of(i);
      std::ranges::fill(result.weight.row(c), weight);
    }
  }
  return result;
}

/// Whether the sums can be made of the entries alone. Words may come in several entries, which add
/// up; for all other families an entry must be a cell.
bool is_by_entry(const SparseView& view, Family family, Workers& workers) {
  return describe(family).documents || is_plain(view, describe(family).check, workers);
}

}  // namespace

CountStatistics zero_counts(const Block& block, Index classes) {
  const Index d = static_cast<Index>(block.features.size());
  CountStatistics result;
  result.sum = Matrix(classes, d);
  if (!describe(block.family).documents) result.weight = Matrix(classes, d);
  return result;
}

CountStatistics accumulate_counts(const LabelledRows& rows, const Block& block) {
  const NumberReader reader(rows.schema, block, rows.rows, &rows.workers);
  const SparseView* sparse = reader.sparse();
  if (sparse && is_by_entry(*sparse, block.family, rows.workers)) {
    return with_type(sparse->type, [&]<class T>(std::type_identity<T>) {
      return sparse->index_type == Scalar::int32
                 ? accumulate_sparse<std::int32_t, T>(rows, block, *sparse)
                 : accumulate_sparse<std::int64_t, T>(rows, block, *sparse);
    });
  }
  return accumulate_dense(rows, block, reader);
}

}  // namespace suffice
