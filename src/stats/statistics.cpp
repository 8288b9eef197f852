#include "suffice/stats/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/numeric.hpp"
#include "core/system.hpp"
#include "stats/accumulate.hpp"
#include "stats/combine.hpp"
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
    throw InvalidArgument(
        "the scatter of " + std::to_string(classes) + " classes and " +
        std::to_string(block.features.size()) + " Gaussian features needs " + megabytes(bytes) +
        ", more than the " + megabytes(available) +
        (limit > 0 ? " of the memory limit" : " of memory that are free") +
        "; keep only its diagonal (Scatter::diagonal), use fewer features, or split them into "
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

/// The class of each row, in the order of `labels`; -1 for rows of weight 0.
std::vector<std::int32_t> encode_labels(const RowBlock& rows, const Names& labels,
                                        const double* weight) {
  const Index n = rows.rows();
  std::vector<std::int32_t> code(static_cast<std::size_t>(n));
  NameReader(rows.labels(), labels).read(0, n, code.data(), 1);
  for (Index i = 0; i < n; ++i) {
    std::int32_t& c = code[static_cast<std::size_t>(i)];
    if (weight && weight[i] == 0) {
      c = -1;
    } else if (c < 0) {
      throw DataError(
          "row " + std::to_string(i) + " has no label; leave the row out, or give it the weight 0",
          {.row = i, .feature = {}, .label = {}});
    }
  }
  return code;
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

Statistics& Statistics::update(const RowBlock& rows, const Execution& execution) {
  require_features(schema(), rows);
  if (rows.rows() == 0) return *this;
  if (rows.labels().kind == Column::Kind::none) {
    throw InvalidArgument("update needs labelled rows; give the RowBlock its labels");
  }
  Vector weight_memory;
  const double* weight = read_weights(rows, weight_memory);

  Parts delta;
  delta.schema = schema();
  delta.labels = NameReader::names_in(rows.labels(), weight);
  const Index classes = delta.labels.size();
  const std::vector<std::int32_t> code = encode_labels(rows, delta.labels, weight);
  delta.weights = Vector(classes);
  delta.squared_weights = Vector(classes);
  for (Index i = 0; i < rows.rows(); ++i) {
    const std::int32_t c = code[static_cast<std::size_t>(i)];
    if (c < 0) continue;
    const double w = weight ? weight[i] : 1.0;
    delta.weights[c] += w;
    delta.squared_weights[c] += w * w;
  }

  const Index all_classes = join(labels(), delta.labels).size();
  const std::vector<Block>& blocks = schema().blocks();
  Progress progress(execution,
                    static_cast<double>(rows.rows()) * static_cast<double>(blocks.size()));
  const LabelledRows labelled{schema(), rows,      delta.labels, code.data(),
                              weight,   execution, progress};
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    switch (blocks[b].family) {
      case Family::gaussian:
        require_memory(schema(), scatter_kind(parts_.blocks, b), all_classes, parts_.memory_limit);
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
  merge_into(parts_, std::move(delta));
  return *this;
}

}  // namespace suffice
