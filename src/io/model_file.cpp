#include <utility>

#include "io/parts.hpp"
#include "suffice/core/error.hpp"
#include "suffice/io/file.hpp"

namespace suffice {
namespace {

void write(PartsWriter& file, const std::string& prefix, const GaussianDensity& density) {
  file.text(prefix + "structure", to_string(density.structure));
  file.matrix(prefix + "mean", density.mean);
  std::vector<const Matrix*> covariance;
  for (const Matrix& matrix : density.covariance) covariance.push_back(&matrix);
  file.matrices(prefix + "covariance", covariance);
  file.integers(prefix + "constant", {density.constant.begin(), density.constant.end()});
  if (!density.projection.empty()) {
    file.matrix(prefix + "projection.matrix", density.projection.matrix);
    file.vector(prefix + "projection.offset", density.projection.offset);
    file.vector(prefix + "projection.explained", density.projection.explained);
  }
  if (!density.dof.empty()) file.matrix(prefix + "dof", density.dof);
  if (!density.scale.empty()) file.matrix(prefix + "scale", density.scale);
}

void write(PartsWriter& file, const std::string& prefix, const BernoulliDensity& density) {
  file.matrix(prefix + "probability", density.probability);
}

void write(PartsWriter& file, const std::string& prefix, const PoissonDensity& density) {
  file.matrix(prefix + "rate", density.rate);
  if (!density.shape.empty()) file.matrix(prefix + "shape", density.shape);
}

void write(PartsWriter& file, const std::string& prefix, const MultinomialDensity& density) {
  file.matrix(prefix + "probability", density.probability);
  if (!density.concentration.empty()) file.vector(prefix + "concentration", density.concentration);
}

void write(PartsWriter& file, const std::string& prefix, const CategoricalDensity& density) {
  std::vector<std::vector<std::string>> levels;
  for (const Names& names : density.levels) levels.push_back(names.list());
  file.string_lists(prefix + "levels", levels);
  for (std::size_t j = 0; j < density.probability.size(); ++j)
    file.matrix(prefix + "probability." + std::to_string(j), density.probability[j]);
}

/// What a density has or lacks.
Matrix matrix_if_any(PartsReader& file, const std::string& name) {
  return file.has(name) ? file.matrix(name) : Matrix();
}

Density read_density(PartsReader& file, const std::string& prefix, Family family) {
  switch (family) {
    case Family::gaussian: {
      GaussianDensity density;
      density.structure = covariance_from_string(file.text(prefix + "structure"));
      density.mean = file.matrix(prefix + "mean");
      density.covariance = file.matrices(prefix + "covariance");
      const std::vector<std::int64_t> constant = file.integers(prefix + "constant");
      density.constant.assign(constant.begin(), constant.end());
      if (file.has(prefix + "projection.matrix"))
        density.projection = {file.matrix(prefix + "projection.matrix"),
                              file.vector(prefix + "projection.offset"),
                              file.vector(prefix + "projection.explained")};
      density.dof = matrix_if_any(file, prefix + "dof");
      density.scale = matrix_if_any(file, prefix + "scale");
      return density;
    }
    case Family::bernoulli:
      return BernoulliDensity{file.matrix(prefix + "probability")};
    case Family::poisson:
      return PoissonDensity{file.matrix(prefix + "rate"), matrix_if_any(file, prefix + "shape")};
    case Family::multinomial:
      return MultinomialDensity{
          file.matrix(prefix + "probability"),
          file.has(prefix + "concentration") ? file.vector(prefix + "concentration") : Vector()};
    case Family::categorical:
      break;
  }
  CategoricalDensity density;
  density.levels = file.names_lists(prefix + "levels");
  for (std::size_t j = 0; j < density.levels.size(); ++j)
    density.probability.push_back(file.matrix(prefix + "probability." + std::to_string(j)));
  return density;
}

PartsWriter written(const Model& model) {
  const Model::Parts& parts = model.parts();
  PartsWriter file(model_kind);
  file.schema(parts.schema);
  file.strings("labels", parts.labels.list());
  file.vector("weights", parts.weights);
  for (std::size_t b = 0; b < parts.densities.size(); ++b)
    std::visit([&](const auto& density) { write(file, block_prefix(b), density); },
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
    for (std::size_t b = 0; b < parts.schema.blocks().size(); ++b)
      parts.densities.push_back(
          read_density(file, block_prefix(b), parts.schema.blocks()[b].family));
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
