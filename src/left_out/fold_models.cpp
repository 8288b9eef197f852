#include "left_out/fold_models.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "algebra/blas.hpp"
#include "core/at.hpp"
#include "core/parallel.hpp"
#include "data/number_reader.hpp"
#include "estimate/projected.hpp"
#include "models/feature_family.hpp"
#include "score/row_projector.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"
#include "suffice/models/parameter_count.hpp"
#include "suffice/score/block_scores.hpp"

namespace suffice {

CandidatePlan::CandidatePlan(std::vector<EstimateOptions> options)
    : candidates(std::move(options)) {
  for (EstimateOptions& candidate : candidates) {
    // An impossible candidate stays as it is: its estimate says what is wrong.
    error_of([&] { candidate = resolve(candidate); });
    const Projection projection{components_of(candidate), candidate.lda};
    Index at = -1;
    // Of features that a model chooses itself no other has the projections.
    if ((projection.pca || projection.lda) && !keeps_some(candidate)) {
      at = std::ranges::find(projections, projection) - projections.begin();
      if (at == std::ssize(projections)) projections.push_back(projection);
    }
    projection_of.push_back(at);
  }
}

namespace {

/// The first k of the projections that statistics have.
Statistics first_projections(const Statistics& statistics, Index block, Index k) {
  const std::vector<std::string> names =
      statistics.schema().names(statistics.schema().blocks()[block]);
  Matrix selection(std::ssize(names), k);
  for (Index j = 0; j < k; ++j) selection(j, j) = 1;
  return project(statistics, {.block = block,
                              .matrix = std::move(selection),
                              .offset = {},
                              .names = {names.begin(), names.begin() + k}});
}

}  // namespace

/// The maps of the features from which all projections follow, and the statistics behind them.
struct FoldModels::Bases {
  FoldModels& models;
  const Statistics& training;
  const Execution& execution;
  Index block;
  std::map<std::pair<std::size_t, Index>, Statistics> statistics;  ///< by base and width

  /// For all numbers of components at once, if there are any; of features as they are, or
  /// standardised.
  void add_principal(const std::vector<CandidatePlan::Projection>& projections, bool standardize) {
    LinearMap all;
    Index most = 0;
    for (std::size_t i = 0; i < projections.size(); ++i) {
      if (!projections[i].pca || projections[i].pca->standardize != standardize) continue;
      Way& way = models.ways_[i];
      const Pca pca = *projections[i].pca;
      way.base = models.bases_.size();
      way.error = error_of([&] {
        if (all.empty())
          all = principal_components(training, block, {.share = 1, .standardize = standardize});
        const bool by_share = pca.share > 0 && pca.share <= 1;
        way.width = by_share ? components_for(pca.share, all.explained, all.explained.size())
                             : pca.components;
        if (pca.share < 0 || pca.share > 1 || way.width < 1 || way.width > all.matrix.cols())
          principal_components(training, block, pca);  // throws: it knows why not
      });
      if (way.error.empty()) most = std::max(most, way.width);
    }
    if (most > 0) add(first_components(all, most));
  }

  /// Discriminants of the features themselves.
  void add_discriminants(const std::vector<CandidatePlan::Projection>& projections) {
    std::vector<std::size_t> order;  // of those that can be, the largest serves all
    for (std::size_t i = 0; i < projections.size(); ++i)
      if (!projections[i].pca) order.push_back(i);
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t i) { return *projections[i].lda; });
    LinearMap map;
    for (const std::size_t i : order) {
      Way& way = models.ways_[i];
      way.base = models.bases_.size();
      way.width = *projections[i].lda;
      if (map.empty() || way.width < 1)
        way.error =
            error_of([&] { map = discriminant_components(training, block, *projections[i].lda); });
    }
    if (!map.empty()) add(std::move(map));
  }

  /// Discriminants of principal components.
  void add_second(const CandidatePlan::Projection& projection, Way& way) {
    if (!projection.pca || !projection.lda || !way.error.empty()) return;
    way.error = error_of(
        [&] { way.second = discriminant_components(of(way), block, *projection.lda).matrix; });
  }

  void add(LinearMap map) {
    ProjectedStatistics projected = project(training, map, execution);
    statistics.emplace(std::pair(models.bases_.size(), map.matrix.cols()),
                       std::move(projected.statistics));
    models.bases_.push_back(std::move(map));
  }

  /// Statistics of the numbers that a way begins with.
  const Statistics& of(const Way& way) {
    const auto found = statistics.find({way.base, way.width});
    if (found != statistics.end()) return found->second;
    const Statistics& all = statistics.at({way.base, models.bases_[way.base].matrix.cols()});
    return statistics
        .emplace(std::pair(way.base, way.width), first_projections(all, block, way.width))
        .first->second;
  }

  ProjectedStatistics projected(const Way& way) {
    const LinearMap first = first_components(models.bases_[way.base], way.width);
    if (way.second.empty()) return {of(way), training.schema(), block, first};
    const Statistics& from = of(way);
    const std::vector<std::string> names = from.schema().names(from.schema().blocks()[block]);
    Statistics second =
        project(from, {.block = block,
                       .matrix = way.second,
                       .offset = {},
                       .names = {names.begin(), names.begin() + way.second.cols()}});
    return {std::move(second), training.schema(), block,
            compose(first, {.matrix = way.second, .offset = Vector(way.width)})};
  }
};

FoldModels::FoldModels(const CandidatePlan& plan, const Statistics& training,
                       const Execution& execution, const FoldTraining& passes)
    : plan_(plan),
      schema_(training.schema()),
      priors_(Priors::from_counts(training)),
      ways_(plan.projections.size()),
      candidates_(plan.candidates.size()) {
  std::vector<std::optional<ProjectedStatistics>> projected(plan.projections.size());
  Index block = -1;
  for (Way& way : ways_) way.error = error_of([&] { block = block_to_project(schema_); });
  if (block >= 0) {
    Bases bases{*this, training, execution, block, {}};
    for (const bool standardize : {false, true}) bases.add_principal(plan.projections, standardize);
    bases.add_discriminants(plan.projections);
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      bases.add_second(plan.projections[i], ways_[i]);
      if (ways_[i].error.empty()) projected[i] = bases.projected(ways_[i]);
    }
  }
  for (std::size_t j = 0; j < candidates_.size(); ++j) {
    if (execution.stop.stop_requested()) throw Cancelled();
    Candidate& candidate = candidates_[j];
    const Index projection = plan.projection_of[j];
    if (projection >= 0) candidate.notes.error = ways_[projection].error;
    if (!candidate.notes.error.empty()) continue;
    candidate.notes = notes_on([&] {
      const EstimateOptions& options = plan.candidates[j];
      candidate.by_passes = passes.rows && takes_passes(training, options, passes.how);
      if (candidate.by_passes)
        candidate.model = estimate_with_rows(training, passes.rows, options, passes.how, execution);
      else
        candidate.model = projection < 0 ? estimate(training, options, execution)
                                         : estimate(*projected[projection], options, execution);
    });
    if (candidate.model) candidate.notes.parameters = parameter_count(*candidate.model).total();
  }
}

namespace {

BlockScores as_one_block(BlockScores scores) {
  BlockScores result{.values = {}, .labels = scores.labels, .relative = scores.relative};
  result.values.push_back(added_up(std::move(scores)).values);
  return result;
}

}  // namespace

FoldModels::SharedRows::SharedRows(const FoldModels& models, const RowBlock& rows,
                                   const Execution& execution)
    : models_(models), rows_(rows), execution_(execution), second_maps_(models.ways_.size()) {
  if (models.bases_.empty()) {
    projected_.resize(models.ways_.size());
    return;
  }
  const Index n = rows.rows();
  const Schema& schema = models.schema_;
  const Block& block = schema.blocks()[block_to_project(schema)];
  const NumberReader reader(schema, block, rows);
  for (const LinearMap& map : models.bases_) {
    const RowProjector projector(reader, schema, block, rows, map, Missing::allow);
    RowProjector::Scratch scratch = projector.scratch();
    bases_.emplace_back(n, projector.width());
    projector.read(0, n, scratch, bases_.back().data());
  }
  for (std::size_t i = 0; i < models.ways_.size(); ++i) {
    const Way& way = models.ways_[i];
    ProjectedRows& projected = projected_.emplace_back();
    if (!way.error.empty()) continue;
    const Matrix& base = bases_[way.base];
    projected = {base.data(), base.cols()};
    if (way.second.empty()) continue;
    const Index k = way.second.cols();
    second_maps_[i] = Matrix(n, k);
    blas::gemm(n, k, way.width, 1, base.data(), base.cols(), way.second.data(), k, 0,
               second_maps_[i].data(), k);
    projected = {second_maps_[i].data(), k};
  }
}

BlockScores FoldModels::SharedRows::scores(Index candidate) const {
  const CandidatePlan& plan = models_.plan_;
  const Index projection = plan.projection_of[candidate];
  const Model& model = *models_.candidate(candidate).model;
  const bool shared = projection >= 0 && !models_.candidate(candidate).by_passes;
  const bool narrow = keeps_some(plan.candidates[at(candidate)]);
  const RowBlock kept =
      narrow ? rows_.columns(positions_of_columns(models_.schema_, model.schema())) : RowBlock(0);
  BlockScores scores =
      score_blocks({.model = model,
                    .rows = narrow ? kept : rows_,
                    .options = {.relative = true},
                    .projected = shared ? projected_[projection] : ProjectedRows{}},
                   execution_);
  // A mixture is one block, also where the classes of this fold have one component each; and folds
  // may keep features of other blocks.
  const bool mixed = !plan.candidates[candidate].components.is_one();
  return (mixed || narrow) && !model.mixture() ? as_one_block(std::move(scores)) : scores;
}

}  // namespace suffice
