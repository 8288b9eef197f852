#include "suffice/sample/sample.hpp"

#include <algorithm>
#include <string>

#include "core/parallel.hpp"
#include "sample/drawn_columns.hpp"
#include "sample/sampler.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

constexpr Index rows_a_task = 512;

void require_not_negative(Index value, const char* what) {
  if (value < 0)
    throw InvalidArgument(std::string(what) + " is " + std::to_string(value),
                          "it must be 0 or more");
}

void require_features_to_draw(const Model& model) {
  for (const Density& density : model.densities())
    if (const auto* gaussian = std::get_if<GaussianDensity>(&density))
      if (!gaussian->projection.empty())
        throw InvalidArgument(
            "the model knows the projections (pca, lda) of its features only, and features cannot "
            "be drawn back from these",
            "estimate a model without projections to sample from");
}

}  // namespace

Sample empty_sample(const Model& model, Index rows) {
  const Schema& schema = model.schema();
  const auto columns = std::ssize(schema.columns());
  Sample result{Matrix(rows, columns), std::vector<Index>(static_cast<std::size_t>(rows)),
                model.labels(), std::vector<Names>(static_cast<std::size_t>(columns)),
                std::vector<std::vector<std::string>>(static_cast<std::size_t>(columns))};
  for (std::size_t b = 0; b < schema.blocks().size(); ++b)
    if (const auto* density = std::get_if<CategoricalDensity>(&model.densities()[b]))
      for (std::size_t j = 0; j < density->levels.size(); ++j)
        result.levels[static_cast<std::size_t>(schema.column(schema.blocks()[b].features[j]))] =
            density->levels[j];
  for (Index column = 0; column < columns; ++column)
    if (schema.has_level_indicators(column))
      result.levels[static_cast<std::size_t>(column)] = indicator_levels(schema, column);
  for (Index column = 0; column < columns; ++column)
    if (schema.reader(column).family == Family::text)
      result.texts[static_cast<std::size_t>(column)].resize(static_cast<std::size_t>(rows));
  return result;
}

RowBlock Sample::rows() const {
  RowBlock block(values.rows());
  const Index columns = values.cols();
  const auto is_text = [&](Index j) {
    return !texts.empty() && !texts[static_cast<std::size_t>(j)].empty();
  };
  const auto has_names = [&](Index j) {
    return !levels[static_cast<std::size_t>(j)].empty() || is_text(j);
  };
  for (Index first = 0; first < columns;) {
    Index last = first;
    while (last < columns && !has_names(last)) ++last;
    if (last > first) {
      block.features(MatrixView(values.data() + first, values.rows(), last - first, columns));
      first = last;
      continue;
    }
    if (is_text(first)) {
      block.feature(Column(Strings(texts[static_cast<std::size_t>(first++)])));
      continue;
    }
    Column column(values.data() + first, values.rows(), columns);
    column.kind = Column::Kind::codes;
    column.strings = Strings(levels[static_cast<std::size_t>(first)].list());
    block.feature(column);
    ++first;
  }
  return block.labels(Column(classes.data(), values.rows(), Strings(labels.list())));
}

Sample sample(const Model& model, Index count, std::string_view label, const SampleOptions& options,
              const Execution& execution) {
  const Index c = model.labels().at(label, "class");
  if (!(model.weights()[c] > 0))
    throw InvalidArgument("the model has seen no row of class '" + std::string(label) +
                          "' (its weight is 0), so there is nothing to draw it from");
  std::vector<double> mixture(static_cast<std::size_t>(model.labels().size()));
  mixture[static_cast<std::size_t>(c)] = 1;
  return sample(model, count, mixture, options, execution);
}

Sample sample(const Model& model, Index count, std::span<const double> mixture,
              const SampleOptions& options, const Execution& execution) {
  require_densities(model, "a sample");
  require_not_negative(count, "the number of rows");
  require_not_negative(options.first_row, "first_row");
  require_not_negative(options.document_length, "document_length");
  require_mixture(model, mixture);
  require_features_to_draw(model);
  if (model.mixture()) {
    const Vector probabilities = model.mixture()->probabilities(mixture);
    Sample result = sample(model.components(), count, probabilities, options, execution);
    for (Index& c : result.classes) c = model.mixture()->label[static_cast<std::size_t>(c)];
    result.labels = model.labels();
    return result;
  }

  const Schema& schema = model.schema();
  Sample result = empty_sample(model, count);
  const Sampler sampler(model, mixture);
  const std::vector<Index> lengths(schema.blocks().size(), options.document_length);
  const Index tasks = (count + rows_a_task - 1) / rows_a_task;
  Workers workers(execution, tasks);
  Progress progress(execution, static_cast<double>(count));
  std::vector<Sampler::Scratch> scratch(static_cast<std::size_t>(workers.size()));
  workers.run(tasks, [&](Index task, int worker) {
    Sampler::Scratch& own = scratch[static_cast<std::size_t>(worker)];
    const Index first = task * rows_a_task;
    const Index last = std::min(count, first + rows_a_task);
    Matrix drawn(last - first, schema.size());
    sampler.draw(options.seed, static_cast<std::uint64_t>(options.first_row + first), last - first,
                 lengths.data(), drawn.data(), own);
    DrawnColumns columns(schema, result.levels);
    for (Index i = first; i < last; ++i) columns.read(drawn.row(i - first), result.values.row(i));
    for (Index j = 0; j < schema.size(); ++j)
      if (schema.feature(j).family == Family::text) {
        std::vector<std::string>& texts = own.texts[static_cast<std::size_t>(j)];
        std::move(texts.begin(), texts.end(),
                  result.texts[static_cast<std::size_t>(schema.column(j))].begin() + first);
      }
    std::ranges::copy(own.label, result.classes.begin() + first);
    progress.advance(static_cast<double>(last - first));
  });
  progress.finish();
  return result;
}

}  // namespace suffice
