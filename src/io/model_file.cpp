#include <algorithm>
#include <charconv>
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
        names.emplace_back(option.name);
        values.push_back(to_string(*value));
      }
  file.strings("options", names);
  file.strings("options.values", values);
  for (const EstimateFound::Field& field : EstimateFound::fields())
    if (const std::vector<double>& numbers = parts.found.*field.values; !numbers.empty())
      file.vector("found." + std::string(field.name), Vector(numbers));
}

/// Versions 1 to 3 have what was found among the options, as texts: "12.5" or "12.5,3".
std::vector<double> numbers_in(const PartsReader& file, const std::string& name,
                               const std::string& text) {
  std::vector<double> numbers;
  for (const char *at = text.data(), *end = at + text.size(); at <= end; ++at) {
    const auto [stop, error] = std::from_chars(at, end, numbers.emplace_back());
    if (error != std::errc() || (stop != end && *stop != ','))
      file.fail("its " + name + " is '" + text + "', which is no list of numbers");
    at = stop;
  }
  return numbers;
}

void read_options(PartsReader& file, Model::Parts& parts) {
  const std::vector<std::string> names = file.strings("options");
  const std::vector<std::string> values = file.strings("options.values");
  if (names.size() != values.size())
    file.fail("it names " + std::to_string(names.size()) + " options and has values for " +
              std::to_string(values.size()));
  const auto fields = EstimateFound::fields();
  // Files that are older than shrinkage do not name it.
  if (!names.empty()) parts.options = EstimateOptions{.shrinkage = Shrinkage::none()};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto field = std::ranges::find(fields, names[i], &EstimateFound::Field::name);
    if (field == fields.end())
      estimate_option(names[i]).set(*parts.options, values[i]);
    else
      parts.found.*field->values = numbers_in(file, names[i], values[i]);
  }
  for (const EstimateFound::Field& field : fields)
    if (const std::string name = "found." + std::string(field.name); file.has(name)) {
      const Vector numbers = file.vector(name);
      parts.found.*field.values = {numbers.begin(), numbers.end()};
    }
}

bool has_thin(const std::vector<Density>& densities) {
  return std::ranges::any_of(densities, [](const Density& density) {
    const auto* gaussian = std::get_if<GaussianDensity>(&density);
    return gaussian && !gaussian->thin.empty();
  });
}

/// Options of documents, which an older program does not know.
bool has_text_options(const EstimateOptions& options) {
  const EstimateOptions plain;
  return options.event_model != plain.event_model || options.min_rows != plain.min_rows ||
         options.max_words != plain.max_words || options.idf != plain.idf ||
         options.length_power != plain.length_power;
}

PartsWriter written(const Model& model) {
  const Model::Parts& parts = model.parts();
  // An older program would take the scores for calibrated ones: it must not read such a file.
  const bool is_new = parts.calibration || !parts.found.choice_candidates.empty();
  const bool is_newer = parts.options && parts.options->standardize;  // an unknown option to it
  // An older program would take components for classes, and does not know these options.
  const bool is_newest =
      parts.logistic || parts.mixture || has_thin(parts.densities) ||
      (parts.options && (parts.options->discriminative || parts.options->shrink_means ||
                         keeps_some(*parts.options) || !parts.options->components.is_one() ||
                         has_text_options(*parts.options)));
  const int oldest = is_newest ? 9 : is_newer ? 7 : is_new ? 5 : 4;
  PartsWriter file(model_kind, std::max(version_of(parts.schema), oldest));
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
