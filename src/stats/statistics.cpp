#include "suffice/stats/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/numeric.hpp"
#include "core/system.hpp"
#include "stats/accumulate.hpp"
#include "stats/combine.hpp"
#include "stats/labels.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

namespace {

std::string megabytes(double bytes) {
  char text[32];
  if (bytes < 1e9) {
    std::snprintf(text, sizeof text, "%.0f MB", bytes / 1e6);
  } else {
    std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
  }
  return text;
}

/// Refuses a scatter that cannot be held, before it is allocated.
void require_memory(const Schema& schema, Scatter kind, Index classes, double limit) {
  if (kind != Scatter::dense) return;
  for (const Block& block : schema.blocks()) {
    if (block.family != Family::gaussian) continue;
    const double d = static_cast<double>(block.features.size());
    const double bytes = static_cast<double>(classes) * d * d * sizeof(double);
    const double available = limit > 0 ? limit : bytes > 1e8 ? available_memory() : infinity;
    if (bytes <= available) continue;
    throw InvalidArgument("the scatter of " + std::to_string(classes) + " classes and " +
                          std::to_string(block.features.size()) + " Gaussian features needs " +
                          megabytes(bytes) + ", more than the " + megabytes(available) +
                          (limit > 0 ? " of the memory limit" : " of memory that are free") +
                          "; keep only its diagonal, use fewer features, or split them into "
                          "blocks");
  }
}

Scatter scatter_kind(const std::vector<BlockStatistics>& blocks, std::size_t b) {
  return std::get<GaussianStatistics>(blocks[b]).kind;
}

BlockStatistics empty_block(const Schema& schema, const Block& block, Scatter kind, Index classes) {
  const Index d = static_cast<Index>(block.features.size());
  if (block.family == Family::gaussian) {
    GaussianStatistics result;
    result.kind = kind;
    result.classes.resize(static_cast<std::size_t>(classes));
    return result;
  }
  if (block.family == Family::categorical) {
    CategoricalStatistics result;
    for (const Index f : block.features) {
      result.levels.emplace_back(schema.feature(f).levels);
      result.count.emplace_back(classes, result.levels.back().size());
    }
    return result;
  }
  CountStatistics result;
  result.sum = Matrix(classes, d);
  if (block.family != Family::multinomial) result.weight = Matrix(classes, d);
  return result;
}

/// How many workers the rows could keep busy: one for small work.
Index worthwhile_workers(const Statistics& statistics, Index rows) {
  double row_work = 0;
  for (std::size_t b = 0; b < statistics.blocks().size(); ++b) {
    const double d = static_cast<double>(statistics.schema().blocks()[b].features.size());
    const auto* gaussian = std::get_if<GaussianStatistics>(&statistics.blocks()[b]);
    row_work += gaussian && gaussian->kind == Scatter::dense ? d * d : d;
  }
  return static_cast<Index>(std::clamp(static_cast<double>(rows) * row_work / 1e5, 1.0, 1e4));
}

}  // namespace

Statistics::Statistics(Schema schema, const StatisticsOptions& options) {
  if (schema.size() == 0) {
    throw InvalidArgument("statistics need a schema with at least one feature");
  }
  if (!(options.memory_limit >= 0)) {
    throw InvalidArgument("memory_limit is " + name_of(options.memory_limit) +
                          "; it must be a number of bytes, or 0 for what is free");
  }
  parts_.labels = Names(options.labels);
  const Index classes = parts_.labels.size();
  require_memory(schema, options.scatter, std::max<Index>(classes, 1), options.memory_limit);
  parts_.weights = Vector(classes);
  parts_.squared_weights = Vector(classes);
  for (const Block& block : schema.blocks()) {
    parts_.blocks.push_back(empty_block(schema, block, options.scatter, classes));
  }
  parts_.memory_limit = options.memory_limit;
  parts_.schema = std::move(schema);
}

Statistics& Statistics::update(const RowBlock& rows, const UpdateOptions& options,
                               const Execution& execution) {
  require_features(schema(), rows);
  if (rows.rows() == 0) return *this;
  if (rows.labels().kind == Column::Kind::none) {
    throw InvalidArgument("update needs labelled rows; give the RowBlock its labels");
  }
  Vector weight_memory;
  const double* weight = read_weights(rows, weight_memory);

  Workers workers(execution, worthwhile_workers(*this, rows.rows()));
  EncodedLabels encoded = encode_labels(rows, labels(), weight, workers);
  Parts delta;
  delta.schema = schema();
  delta.labels = std::move(encoded.labels);
  delta.weights = std::move(encoded.weights);
  delta.squared_weights = std::move(encoded.squared_weights);

  const std::vector<Block>& blocks = schema().blocks();
  Progress progress(execution,
                    static_cast<double>(rows.rows()) * static_cast<double>(blocks.size()));
  const LabelledRows labelled{
      schema(),  rows,    delta.labels, encoded.code.data(), weight, options.missing,
      execution, workers, progress};
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    switch (blocks[b].family) {
      case Family::gaussian:
        require_memory(schema(), scatter_kind(parts_.blocks, b), delta.labels.size(),
                       parts_.memory_limit);
        delta.blocks.emplace_back(
            accumulate_gaussian(labelled, blocks[b], scatter_kind(parts_.blocks, b)));
        break;
      case Family::categorical:
        delta.blocks.emplace_back(accumulate_categorical(labelled, blocks[b]));
        break;
      default:
        delta.blocks.emplace_back(accumulate_counts(labelled, blocks[b]));
    }
  }
  if (execution.stop.stop_requested()) throw Cancelled();
  require_finite(delta, "update");
  merge_into(parts_, std::move(delta));
  progress.finish();
  return *this;
}

}  // namespace suffice
