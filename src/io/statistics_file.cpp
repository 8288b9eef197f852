#include <algorithm>
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
  PartsWriter file(statistics_kind);
  file.schema(parts.schema);
  file.strings("labels", parts.labels.list());
  file.vector("weights", parts.weights);
  file.vector("squared_weights", parts.squared_weights);
  for (std::size_t b = 0; b < parts.blocks.size(); ++b)
    std::visit([&](const auto& sums) { FieldWriter(file).write(block_prefix(b), sums); },
               parts.blocks[b]);
  return file;
}

Index numeric_columns(const Schema& schema) {
  Index count = 0;
  for (Index j = 0; j < schema.column_count(); ++j) count += schema.has_strings(j) ? 0 : 1;
  return count;
}

void write_rows(PartsWriter& file, const Reservoir& reservoir) {
  Reservoir::Parts parts = reservoir.parts();
  file.integers("rows.capacity", {parts.capacity});
  file.strings("rows.labels", parts.labels);
  file.vector("rows.seen", std::move(parts.seen));
  file.integers("rows.limited", std::move(parts.limited));
  file.integers("rows.limit", std::move(parts.limit));
  file.integers("rows.label", std::move(parts.label));
  file.integers("rows.hash", std::move(parts.hash));
  file.integers("rows.number", std::move(parts.number));
  file.vector("rows.weight", std::move(parts.weight));
  std::vector<double> numbers(parts.numbers.data(),
                              parts.numbers.data() + parts.numbers.rows() * parts.numbers.cols());
  file.vector("rows.numbers", Vector(numbers));
  file.string_lists("rows.names", parts.names);
  std::vector<std::int64_t> present;
  for (const auto& column : parts.present)
    present.insert(present.end(), column.begin(), column.end());
  file.integers("rows.present", std::move(present));
}

Reservoir read_rows(PartsReader& file, const Schema& schema) {
  Reservoir::Parts parts;
  parts.schema = schema;
  const std::vector<std::int64_t> capacity = file.integers("rows.capacity");
  if (capacity.size() != 1) file.fail("its sampled rows have no capacity");
  parts.capacity = capacity[0];
  parts.labels = file.strings("rows.labels");
  parts.seen = file.vector("rows.seen");
  parts.limited = file.integers("rows.limited");
  parts.limit = file.integers("rows.limit");
  parts.label = file.integers("rows.label");
  parts.hash = file.integers("rows.hash");
  parts.number = file.integers("rows.number");
  parts.weight = file.vector("rows.weight");
  const auto rows = parts.label.size();
  const Vector numbers = file.vector("rows.numbers");
  const auto width = rows > 0 ? static_cast<std::size_t>(numbers.size()) / rows : 0;
  parts.numbers = Matrix(std::ssize(parts.label),
                         rows > 0 ? static_cast<Index>(width) : numeric_columns(schema));
  if (static_cast<std::size_t>(numbers.size()) != width * rows)
    file.fail("its sampled rows have different numbers of features");
  std::ranges::copy(numbers, parts.numbers.data());
  parts.names = file.string_lists("rows.names");
  const std::vector<std::int64_t> present = file.integers("rows.present");
  if (present.size() != parts.names.size() * rows)
    file.fail("its sampled rows have " + std::to_string(present.size()) + " marks of presence");
  for (std::size_t k = 0; k < parts.names.size(); ++k)
    parts.present.emplace_back(present.begin() + static_cast<std::ptrdiff_t>(k * rows),
                               present.begin() + static_cast<std::ptrdiff_t>((k + 1) * rows));
  return Reservoir(parts);
}

StatisticsFile read_statistics(PartsReader file) {
  try {
    Statistics::Parts parts;
    parts.schema = file.schema();
    parts.labels = file.names("labels");
    parts.weights = file.vector("weights");
    parts.squared_weights = file.vector("squared_weights");
    const auto classes = static_cast<std::size_t>(parts.labels.size());
    for (std::size_t b = 0; b < parts.schema.blocks().size(); ++b) {
      const Block& block = parts.schema.blocks()[b];
      FieldReader reader(file, std::ssize(block.features));
      std::visit([&](auto& sums) { read(reader, block_prefix(b), sums, classes); },
                 parts.blocks.emplace_back(empty_statistics(block.family)));
    }
    std::optional<Reservoir> rows;
    if (file.has("rows.capacity")) rows.emplace(read_rows(file, parts.schema));
    file.finish();
    return {Statistics(std::move(parts)), std::move(rows)};
  } catch (const FileError&) {
    throw;
  } catch (const Error& error) {
    file.fail(error.what());
  }
}

}  // namespace

void save(const Statistics& statistics, const std::string& path) { written(statistics).save(path); }
void save(const Statistics& statistics, const Reservoir& rows, const std::string& path) {
  PartsWriter file = written(statistics);
  write_rows(file, rows);
  file.save(path);
}
std::string to_bytes(const Statistics& statistics) { return written(statistics).bytes(); }

Statistics load_statistics(const std::string& path) {
  return load_statistics_file(path).statistics;
}
StatisticsFile load_statistics_file(const std::string& path) {
  return read_statistics(PartsReader::of_file(path, statistics_kind));
}
Statistics statistics_from_bytes(std::string_view bytes) {
  return read_statistics(PartsReader::of_bytes(bytes, statistics_kind)).statistics;
}

FileKind file_kind(const std::string& path) {
  const std::string kind = kind_of_file(path);
  if (kind == statistics_kind) return FileKind::statistics;
  if (kind == model_kind) return FileKind::model;
  fail_to_read(path, "it holds neither statistics nor a model, but '" + kind + "'");
}

}  // namespace suffice
