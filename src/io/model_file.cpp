#include <algorithm>
#include <utility>

#include "io/fields.hpp"
#include "suffice/core/error.hpp"
#include "suffice/io/file.hpp"

namespace suffice {
namespace {

constexpr const char* calibration_prefix = "calibration.";
constexpr const char* logistic_prefix = "logistic.";
constexpr const char* mixture_prefix = "mixture.";

/// Options by name and text, and what the estimate found as vectors.
void write_options(PartsWriter& file, const Model::Parts& parts) {
  std::vector<std::string> names, values;
  if (parts.options)
    for (const EstimateOption& option : estimate_options())
      if (const auto value = option.value(*parts.options)) {
        // Readers that do not know an option assume its default.
        if (option.since > 1 && value == option.value({})) continue;
        file.since(option.since);
        names.emplace_back(option.name);
        values.push_back(to_string(*value));
      }
  file.strings("options", names);
  file.strings("options.values", values);
  for (const EstimateFound::Field& field : EstimateFound::fields())
    if (const std::vector<double>& numbers = parts.found.*field.values; !numbers.empty()) {
      file.since(field.since);
      file.vector("found." + std::string(field.name), Vector(numbers));
    }
}

void read_options(PartsReader& file, Model::Parts& parts) {
  const std::vector<std::string> names = file.strings("options");
  const std::vector<std::string> values = file.strings("options.values");
  if (names.size() != values.size())
    file.fail("it names " + std::to_string(names.size()) + " options and has values for " +
              std::to_string(values.size()));
  if (!names.empty()) parts.options.emplace();
  for (std::size_t i = 0; i < names.size(); ++i)
    estimate_option(names[i]).set(*parts.options, values[i]);
  for (const EstimateFound::Field& field : EstimateFound::fields())
    if (const std::string name = "found." + std::string(field.name); file.has(name)) {
      const Vector numbers = file.vector(name);
      parts.found.*field.values = {numbers.begin(), numbers.end()};
    }
}

PartsWriter written(const Model& model) {
  const Model::Parts& parts = model.parts();
  PartsWriter file(model_kind);
  file.schema(parts.schema);
  file.strings("labels", parts.labels.list());
  file.vector("weights", parts.weights);
  for (std::size_t b = 0; b < parts.densities.size(); ++b)
    std::visit([&](const auto& density) { FieldWriter(file).write(block_prefix(b), density); },
               parts.densities[b]);
  write_options(file, parts);
  if (parts.calibration) FieldWriter(file).write(calibration_prefix, *parts.calibration);
  if (parts.logistic) FieldWriter(file).write(logistic_prefix, *parts.logistic);
  if (parts.mixture) FieldWriter(file).write(mixture_prefix, *parts.mixture);
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
    read_options(file, parts);
    if (file.has(calibration_prefix + std::string("scale")))
      FieldReader(file, 0).read(calibration_prefix, parts.calibration.emplace());
    if (file.has(logistic_prefix + std::string("weights")))
      FieldReader(file, 0).read(logistic_prefix, parts.logistic.emplace());
    if (file.has(mixture_prefix + std::string("names")))
      FieldReader(file, 0).read(mixture_prefix, parts.mixture.emplace());
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
