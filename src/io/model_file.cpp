#include <utility>

#include "io/fields.hpp"
#include "suffice/core/error.hpp"
#include "suffice/io/file.hpp"

namespace suffice {
namespace {

PartsWriter written(const Model& model) {
  const Model::Parts& parts = model.parts();
  PartsWriter file(model_kind);
  file.schema(parts.schema);
  file.strings("labels", parts.labels.list());
  file.vector("weights", parts.weights);
  for (std::size_t b = 0; b < parts.densities.size(); ++b)
    std::visit([&](const auto& density) { FieldWriter(file).write(block_prefix(b), density); },
               parts.densities[b]);
  std::vector<std::string> names, values;
  for (const auto& [name, value] : parts.options) {
    names.push_back(name);
    values.push_back(value);
  }
  file.strings("options", names);
  file.strings("options.values", values);
  return file;
}

Model read_model(PartsReader file) {
  try {
    Model::Parts parts;
    parts.schema = file.schema();
    parts.labels = file.names("labels");
    parts.weights = file.vector("weights");
    if (parts.weights.size() != parts.labels.size())
      file.fail("it has " + std::to_string(parts.labels.size()) + " classes and " +
                std::to_string(parts.weights.size()) + " weights");
    for (std::size_t b = 0; b < parts.schema.blocks().size(); ++b) {
      const Block& block = parts.schema.blocks()[b];
      FieldReader reader(file, std::ssize(block.features));
      std::visit([&](auto& density) { reader.read(block_prefix(b), density); },
                 parts.densities.emplace_back(empty_density(block.family)));
    }
    std::vector<std::string> names = file.strings("options");
    std::vector<std::string> values = file.strings("options.values");
    if (names.size() != values.size())
      file.fail("it names " + std::to_string(names.size()) + " options and has values for " +
                std::to_string(values.size()));
    for (std::size_t i = 0; i < names.size(); ++i)
      parts.options.emplace_back(std::move(names[i]), std::move(values[i]));
    file.finish();
    return Model(std::move(parts));
  } catch (const FileError&) {
    throw;
  } catch (const Error& error) {
    file.fail(error.what());
  }
}

}  // namespace

void save(const Model& model, const std::string& path) { written(model).save(path); }
std::string to_bytes(const Model& model) { return written(model).bytes(); }

Model load_model(const std::string& path) {
  return read_model(PartsReader::of_file(path, model_kind));
}
Model model_from_bytes(std::string_view bytes) {
  return read_model(PartsReader::of_bytes(bytes, model_kind));
}

}  // namespace suffice
