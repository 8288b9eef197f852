#include <utility>

#include "io/fields.hpp"
#include "suffice/core/error.hpp"
#include "suffice/io/file.hpp"

namespace suffice {
namespace {

template <class Sums>
void read(FieldReader& reader, const std::string& prefix, Sums& sums, std::size_t) {
  reader.read(prefix, sums);
}
void read(FieldReader& reader, const std::string& prefix, GaussianStatistics& sums,
          std::size_t classes) {
  reader.read(prefix, sums, classes);
}

PartsWriter written(const Statistics& statistics) {
  const Statistics::Parts& parts = statistics.parts();
  PartsWriter file(statistics_kind, version_of(statistics.schema()));
  file.schema(parts.schema);
  file.strings("labels", parts.labels.list());
  file.vector("weights", parts.weights);
  file.vector("squared_weights", parts.squared_weights);
  for (std::size_t b = 0; b < parts.blocks.size(); ++b)
    std::visit([&](const auto& sums) { FieldWriter(file).write(block_prefix(b), sums); },
               parts.blocks[b]);
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
      const Block& block = parts.schema.blocks()[b];
      FieldReader reader(file, std::ssize(block.features));
      std::visit([&](auto& sums) { read(reader, block_prefix(b), sums, classes); },
                 parts.blocks.emplace_back(empty_statistics(block.family)));
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
