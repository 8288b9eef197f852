#include "suffice/stats/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "accumulate/accumulate.hpp"
#include "core/constants.hpp"
#include "data/family.hpp"
#include "data/indicator_reader.hpp"
#include "data/row_checks.hpp"
#include "data/weights.hpp"
#include "stats/labels.hpp"
#include "stats/merge.hpp"
#include "stats/moments.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

namespace {

/// The weight of the values of feature j that class c has; `weight` is that of all its rows.
double weight_present(const BlockStatistics& block, Index c, Index j, double weight) {
  struct Present {
    Index c, j;
    double weight;

    double operator()(const GaussianStatistics& sums) const {
      const auto& [complete, present] = sums.classes[c];
      return complete.weight + (present.weight.empty() ? 0 : present.weight[j]);
    }
    double operator()(const CountStatistics& sums) const {
      return sums.weight.empty() ? weight : sums.weight(c, j);
    }
    double operator()(const CategoricalStatistics& sums) const {
      double sum = 0;
      for (const double count : sums.count[j].row(c)) sum += count;
      return sum;
    }
    double operator()(const TextStatistics& sums) const { return sums.weight(c, j); }
  };
  return std::visit(Present{c, j, weight}, block);
}

BlockStatistics empty_block(const Schema& schema, const Block& block, Scatter kind, Index classes) {
  struct Fill {
    const Schema& schema;
    const Block& block;
    Scatter kind;
    Index classes;

    void operator()(GaussianStatistics& sums) const {
      sums.kind = kind;
      sums.classes.resize(static_cast<std::size_t>(classes));
    }
    void operator()(CountStatistics& sums) const { sums = zero_counts(block, classes); }
    void operator()(CategoricalStatistics& sums) const {
      for (const Index f : block.features) {
        sums.levels.emplace_back(schema.feature(f).levels);
        sums.count.emplace_back(classes, sums.levels.back().size());
      }
    }
    void operator()(TextStatistics& sums) const { sums = zero_text(schema, block, classes); }
  };
  BlockStatistics result = empty_statistics(block.family);
  std::visit(Fill{schema, block, kind, classes}, result);
  return result;
}

}  // namespace

BlockStatistics empty_statistics(Family family) {
  switch (describe(family).sums) {
    case SumsKind::gaussian:
      return GaussianStatistics();
    case SumsKind::counts:
      return CountStatistics();
    case SumsKind::categorical:
      return CategoricalStatistics();
    case SumsKind::text:
      return TextStatistics();
  }
  throw InvalidArgument("a block has no family");
}

Statistics::Statistics(Schema schema, const StatisticsOptions& options) {
  if (schema.size() == 0) {
    throw InvalidArgument("statistics need a schema with at least one feature");
  }
  parts_.labels = Names(options.labels);
  const Index classes = parts_.labels.size();
  require_memory(schema, options.scatter, std::max<Index>(classes, 1), options.memory_limit);
  parts_.weights = Vector(classes);
  parts_.squared_weights = Vector(classes);
  for (const Block& block : schema.blocks()) {
    parts_.blocks.push_back(empty_block(schema, block, options.scatter, classes));
  }
  parts_.schema = std::move(schema);
}

namespace {

/// What all blocks of an update share.
struct Update {
  const Schema& schema;
  const UpdateOptions& options;
  const Execution& execution;
  Workers& workers;
  UpdateMemory& memory;
  Progress& progress;
};

void add_sums(Statistics::Parts& parts, bool is_copy, const RowBlock& rows, Index first_row,
              const double* weight, const Update& update) {
  const EncodedNames encoded = encode_labels(rows, first_row, parts.labels, weight, update.workers);
  ClassWeights weights = class_weights({encoded.code.data(), static_cast<std::size_t>(rows.rows())},
                                       encoded.names.size(), weight, update.workers);
  const LabelledRows labelled{.schema = update.schema,
                              .rows = rows,
                              .first_row = first_row,
                              .labels = encoded.names.list(),
                              .code = encoded.code.data(),
                              .weight = weight,
                              .missing = update.options.missing,
                              .execution = update.execution,
                              .workers = update.workers,
                              .memory = update.memory,
                              .progress = update.progress};
  Statistics::Parts delta{
      .schema = update.schema,
      .labels = encoded.names,
      .weights = std::move(weights.sum),
      .squared_weights = std::move(weights.squares),
      .blocks = accumulate(labelled, parts.blocks, update.options.memory_limit)};
  if (update.execution.stop.stop_requested()) throw Cancelled();
  require_finite(delta, "update");
  if (!is_copy) require_finite_merge(parts, delta, "update");
  merge_into(parts, std::move(delta), &update.workers);
  for (BlockStatistics& block : delta.blocks)
    if (auto* sums = std::get_if<GaussianStatistics>(&block))
      for (auto& of_class : sums->classes)
        update.memory.spare.give(std::move(of_class.complete.scatter));
}

/// Adds the rows of one block, which are numbered from `first_row`. Sums that would be infinite are
/// refused; where `parts` is a copy they may become so, and are checked in the end.
void add_block(Statistics::Parts& parts, bool is_copy, const RowBlock& rows, Index first_row,
               const double* weight, const Update& update) {
  try {
    add_sums(parts, is_copy, rows, first_row, weight, update);
  } catch (const std::bad_alloc&) {
    if (!update.schema.has_text()) throw;
    throw InvalidArgument(
        "there is not enough memory for the words of the text columns",
        "use " + Option{"hash_bits", "18"} + ", which bounds their number, or other tokens");
  }
}

}  // namespace

// 16 MB of numbers. For many features as many rows as make their products worth adding to sums of d
// × d, or of d where the rows are sparse. Documents may be long.
Index rows_per_block(const Schema& schema, bool sparse) {
  constexpr Index documents = 32768;
  if (sparse) return std::clamp<Index>(schema.size(), 16384, 65536);
  const Index numbers = std::ranges::count_if(schema.features(), [](const Feature& feature) {
    const SumsKind sums = describe(feature.family).sums;
    return sums == SumsKind::gaussian || sums == SumsKind::counts;
  });
  const Index row_bytes = 8 * std::max<Index>(numbers, 1);
  const Index small = std::clamp<Index>((Index{16} << 20) / row_bytes, 16, 131072);
  const Index wide = std::min(32 * numbers, (Index{256} << 20) / row_bytes);
  const Index rows = std::max(small, wide);
  return schema.has_text() ? std::min(rows, documents) : rows;
}

Statistics& Statistics::update(const RowBlock& rows, const UpdateOptions& options,
                               const Execution& execution) {
  require_features(schema(), rows);
  const Index n = rows.rows();
  if (n == 0) return *this;
  if (rows.labels().kind == Column::Kind::none) {
    throw InvalidArgument("update needs labelled rows", "give the RowBlock its labels");
  }
  Vector weight_memory;
  const double* weight = read_weights(rows, weight_memory);
  if (options.missing == Missing::refuse) require_names_present(schema(), rows, weight);
  Workers workers(execution, worthwhile_workers(schema(), blocks(), n));
  Progress progress(execution,
                    static_cast<double>(n) * static_cast<double>(schema().blocks().size()));
  const Schema schema = this->schema();
  UpdateMemory memory(workers);
  const Update update{schema, options, execution, workers, memory, progress};
  const bool sparse = std::ranges::any_of(rows.parts(), [](const RowBlock::Part& part) {
    return part.kind == RowBlock::Part::Kind::sparse;
  });
  const Index block_rows =
      options.block_rows > 0 ? options.block_rows : rows_per_block(schema, sparse);
  if (n <= block_rows) {
    add_block(parts_, false, rows, 0, weight, update);
  } else {
    Parts parts = parts_;  // what there is stays until all blocks have been added
    for (Index first = 0; first < n; first += block_rows) {
      const Index count = std::min(block_rows, n - first);
      add_block(parts, true, rows.slice(first, count), first, weight ? weight + first : nullptr,
                update);
    }
    require_finite(parts, "update");
    parts_ = std::move(parts);
  }
  progress.finish();
  return *this;
}

Moments GaussianStatistics::moments(Index label) const {
  const Class& of = classes[label];
  Moments result = diagonal_of(of.complete);
  if (kind == Scatter::pooled && of.complete.weight > 0 && of.complete.squares.empty()) {
    double all = 0;
    for (const Class& each : classes) all += each.complete.weight;
    for (Index j = 0; j < result.squares.size(); ++j)
      result.squares[j] = pooled(j, j) * (of.complete.weight / all);
  }
  merge_into(result, of.present);
  return result;
}

bool GaussianStatistics::has_class_squares() const {
  return kind != Scatter::pooled || std::ranges::none_of(classes, [](const Class& of) {
           return of.complete.weight > 0 && of.complete.squares.empty();
         });
}

Vector Statistics::missing() const {
  Vector result(schema().size());
  for (std::size_t b = 0; b < blocks().size(); ++b) {
    const std::vector<Index>& features = schema().blocks()[b].features;
    for (Index j = 0; j < std::ssize(features); ++j)
      for (Index c = 0; c < labels().size(); ++c) {
        const double weight = weights()[c];
        const double missing = weight - weight_present(blocks()[b], c, j, weight);
        // Both sums run in their own order: less than this is rounding.
        if (missing > 1e-12 * weight) result[features[j]] += missing;
      }
  }
  return result;
}

}  // namespace suffice
