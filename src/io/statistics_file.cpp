#include <utility>

#include "io/parts.hpp"
#include "suffice/core/error.hpp"
#include "suffice/io/file.hpp"

// A Gaussian block keeps, per class, moments of its complete rows and of the values present in the
// others; either may be empty. `complete` and `present` list the classes that have some.

namespace suffice {
namespace {

constexpr std::string_view dense = "dense", diagonal = "diagonal";

void write(PartsWriter& file, const std::string& prefix, const GaussianStatistics& block) {
  file.text(prefix + "scatter", block.kind == Scatter::dense ? dense : diagonal);
  std::vector<std::int64_t> complete, present;
  std::vector<const Vector*> mean, mean_low, weight_p, mean_p, mean_low_p, squares_p;
  std::vector<const Matrix*> scatter;
  for (std::size_t c = 0; c < block.classes.size(); ++c) {
    const auto& [joint, moments] = block.classes[c];
    if (!joint.mean.empty()) {
      complete.push_back(static_cast<std::int64_t>(c));
      mean.push_back(&joint.mean);
      mean_low.push_back(&joint.mean_low);
      scatter.push_back(&joint.scatter);
    }
    if (!moments.weight.empty()) {
      present.push_back(static_cast<std::int64_t>(c));
      weight_p.push_back(&moments.weight);
      mean_p.push_back(&moments.mean);
      mean_low_p.push_back(&moments.mean_low);
      squares_p.push_back(&moments.squares);
    }
  }
  file.integers(prefix + "complete", std::move(complete));
  file.vectors(prefix + "complete.mean", mean);
  file.vectors(prefix + "complete.mean_low", mean_low);
  file.matrices(prefix + "complete.scatter", scatter);
  file.integers(prefix + "present", std::move(present));
  file.vectors(prefix + "present.weight", weight_p);
  file.vectors(prefix + "present.mean", mean_p);
  file.vectors(prefix + "present.mean_low", mean_low_p);
  file.vectors(prefix + "present.squares", squares_p);
}

void write(PartsWriter& file, const std::string& prefix, const CountStatistics& block) {
  file.matrix(prefix + "weight", block.weight);
  file.matrix(prefix + "sum", block.sum);
}

void write(PartsWriter& file, const std::string& prefix, const CategoricalStatistics& block) {
  std::vector<std::vector<std::string>> levels;
  for (const Names& names : block.levels) levels.push_back(names.list());
  file.string_lists(prefix + "levels", levels);
  for (std::size_t j = 0; j < block.count.size(); ++j)
    file.matrix(prefix + "count." + std::to_string(j), block.count[j]);
}

/// Positions of classes, rising.
std::vector<std::size_t> read_classes(PartsReader& file, const std::string& name,
                                      std::size_t classes) {
  std::vector<std::size_t> result;
  std::int64_t last = -1;
  for (const std::int64_t c : file.integers(name)) {
    if (c <= last || c >= static_cast<std::int64_t>(classes))
      file.fail("its tensor '" + name + "' lists class number " + std::to_string(c) + " of " +
                std::to_string(classes) + ", or not in order");
    last = c;
    result.push_back(static_cast<std::size_t>(c));
  }
  return result;
}

GaussianStatistics read_gaussian(PartsReader& file, const std::string& prefix,
                                 std::size_t classes) {
  GaussianStatistics block;
  const std::string& kind = file.text(prefix + "scatter");
  if (kind != dense && kind != diagonal)
    file.fail("its header says '" + kind + "' for '" + prefix + "scatter'");
  block.kind = kind == dense ? Scatter::dense : Scatter::diagonal;
  block.classes.resize(classes);

  const Vector weights = file.vector(prefix + "complete.weight");
  const std::vector<std::size_t> complete = read_classes(file, prefix + "complete", classes);
  std::vector<Vector> mean = file.vectors(prefix + "complete.mean", complete.size());
  std::vector<Vector> mean_low = file.vectors(prefix + "complete.mean_low", complete.size());
  std::vector<Matrix> scatter = file.matrices(prefix + "complete.scatter");
  if (scatter.size() != complete.size() || weights.size() != static_cast<Index>(classes))
    file.fail("its Gaussian block '" + prefix + "' does not fit its classes");
  for (std::size_t c = 0; c < classes; ++c)
    block.classes[c].complete.weight = weights[static_cast<Index>(c)];
  for (std::size_t i = 0; i < complete.size(); ++i) {
    JointMoments& joint = block.classes[complete[i]].complete;
    joint.mean = std::move(mean[i]);
    joint.mean_low = std::move(mean_low[i]);
    joint.scatter = std::move(scatter[i]);
  }

  const std::vector<std::size_t> present = read_classes(file, prefix + "present", classes);
  std::vector<Vector> weight_p = file.vectors(prefix + "present.weight", present.size());
  std::vector<Vector> mean_p = file.vectors(prefix + "present.mean", present.size());
  std::vector<Vector> mean_low_p = file.vectors(prefix + "present.mean_low", present.size());
  std::vector<Vector> squares_p = file.vectors(prefix + "present.squares", present.size());
  for (std::size_t i = 0; i < present.size(); ++i)
    block.classes[present[i]].present = {std::move(weight_p[i]), std::move(mean_p[i]),
                                         std::move(mean_low_p[i]), std::move(squares_p[i])};
  return block;
}

CountStatistics read_counts(PartsReader& file, const std::string& prefix) {
  return {file.matrix(prefix + "weight"), file.matrix(prefix + "sum")};
}

CategoricalStatistics read_categorical(PartsReader& file, const std::string& prefix) {
  CategoricalStatistics block;
  block.levels = file.names_lists(prefix + "levels");
  for (std::size_t j = 0; j < block.levels.size(); ++j)
    block.count.push_back(file.matrix(prefix + "count." + std::to_string(j)));
  return block;
}

PartsWriter written(const Statistics& statistics) {
  const Statistics::Parts& parts = statistics.parts();
  PartsWriter file(statistics_kind);
  file.schema(parts.schema);
  file.strings("labels", parts.labels.list());
  file.vector("weights", parts.weights);
  file.vector("squared_weights", parts.squared_weights);
  for (std::size_t b = 0; b < parts.blocks.size(); ++b) {
    std::visit([&](const auto& block) { write(file, block_prefix(b), block); }, parts.blocks[b]);
    const auto* gaussian = std::get_if<GaussianStatistics>(&parts.blocks[b]);
    if (!gaussian) continue;
    Vector weights(std::ssize(gaussian->classes));
    for (Index c = 0; c < weights.size(); ++c) weights[c] = gaussian->classes[c].complete.weight;
    file.vector(block_prefix(b) + "complete.weight", std::move(weights));
  }
  return file;
}

Statistics read_statistics(PartsReader file) {
  try {
    Statistics::Parts parts;
    parts.schema = file.schema();
    parts.labels = file.names("labels");
    parts.weights = file.vector("weights");
    parts.squared_weights = file.vector("squared_weights");
    if (file.has("memory_limit")) file.vector("memory_limit");  // up to version 3
    const auto classes = static_cast<std::size_t>(parts.labels.size());
    for (std::size_t b = 0; b < parts.schema.blocks().size(); ++b) {
      const std::string prefix = block_prefix(b);
      switch (parts.schema.blocks()[b].family) {
        case Family::gaussian:
          parts.blocks.emplace_back(read_gaussian(file, prefix, classes));
          break;
        case Family::categorical:
          parts.blocks.emplace_back(read_categorical(file, prefix));
          break;
        case Family::bernoulli:
        case Family::poisson:
        case Family::multinomial:
          parts.blocks.emplace_back(read_counts(file, prefix));
          break;
      }
    }
    file.finish();
    return Statistics(std::move(parts));
  } catch (const FileError&) {
    throw;
  } catch (const Error& error) {
    file.fail(error.what());
  }
}

}  // namespace

void save(const Statistics& statistics, const std::string& path) { written(statistics).save(path); }
std::string to_bytes(const Statistics& statistics) { return written(statistics).bytes(); }

Statistics load_statistics(const std::string& path) {
  return read_statistics(PartsReader::of_file(path, statistics_kind));
}
Statistics statistics_from_bytes(std::string_view bytes) {
  return read_statistics(PartsReader::of_bytes(bytes, statistics_kind));
}

FileKind file_kind(const std::string& path) {
  const std::string kind = kind_of_file(path);
  if (kind == statistics_kind) return FileKind::statistics;
  if (kind == model_kind) return FileKind::model;
  fail_to_read(path, "it holds neither statistics nor a model, but '" + kind + "'");
}

}  // namespace suffice
