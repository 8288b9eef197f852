#include "suffice/train/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "data/gather.hpp"
#include "data/name_encoder.hpp"
#include "data/weights.hpp"
#include "estimate/keep.hpp"
#include "estimate/rows_used.hpp"
#include "suffice/core/error.hpp"
#include "suffice/data/positions.hpp"
#include "suffice/stats/reservoir.hpp"
#include "train/component_statistics.hpp"
#include "train/mixture_start.hpp"

namespace suffice {
namespace {

/// Rows that starts are tried on.
constexpr ReservoirOptions sample_size{.rows = 10000, .numbers = 4e6};
constexpr Index tries_in_folds = 2;

class MixtureTraining {
 public:
  MixtureTraining(const Statistics& statistics, const RowPass& rows, const MixtureOptions& options,
                  const Execution& execution, const Model* start)
      : statistics_(statistics),
        rows_(rows),
        options_(options),
        execution_(execution),
        start_(start),
        quiet_{.threads = execution.threads, .stop = execution.stop},
        classes_(statistics.labels().size()),
        estimate_(statistics, options.estimate, quiet_),
        unlabelled_(statistics.schema(), {.scatter = scatter()}) {
    check();
  }

  MixtureFit run() {
    look();
    MixtureFit result{.model = first_model(), .tried = std::move(tried_)};
    const ComponentBound bound(statistics_, grouping_, estimate_.options());
    const double weight = statistics_.weights().map().sum() +
                          options_.unlabelled_weight * unlabelled_.weights().map().sum();
    const ComponentSetup setup = make_setup();
    MixtureEmResult found = run_mixture(setup, estimate_, bound, std::move(result.model), rows_,
                                        options_.passes, weight, false, execution_);
    result.log_likelihood = std::move(found.passes.log_likelihood);
    result.converged = found.passes.converged;
    result.bounded = found.bounded;
    result.unlabelled_rows = unlabelled_.weights().map().sum();
    result.empty = drop_empty(found.sums);
    result.model = finished(found.sums, result);
    return result;
  }

 private:
  void check() const {
    require_possible(options_.passes);
    if (options_.restarts < 1 || options_.most_components < 1)
      throw InvalidArgument(
          "the number of restarts, and that of the most components, must be at "
          "least 1");
    if (!(options_.unlabelled_weight >= 0) || !std::isfinite(options_.unlabelled_weight))
      throw InvalidArgument(
          "the weight of rows without a label is " + name_of(options_.unlabelled_weight),
          "it must be finite and not negative");
    for (std::size_t b = 0; b < statistics_.blocks().size(); ++b)
      if (const auto* sums = std::get_if<GaussianStatistics>(&statistics_.blocks()[b]))
        for (Index c = 0; c < classes_; ++c) require_values(*sums, b, c);
    const auto asked = static_cast<double>(components().count());
    for (Index c = 0; c < classes_ && !start_; ++c)
      if (const double rows = statistics_.weights()[c]; asked > 1 && rows > 0 && rows <= asked)
        throw InvalidArgument(
            {.label = statistics_.labels()[c]},
            "there are too few rows (" + name_of(rows) + ") for " + name_of(asked) + " components",
            "use fewer " + Option{"components"} + ", or give more rows");
  }

  void require_values(const GaussianStatistics& sums, std::size_t block, Index c) const {
    if (!(statistics_.weights()[c] > 0)) return;
    const Vector weight = sums.moments(c).weight;
    for (Index j = 0; j < weight.size(); ++j)
      if (const Schema& schema = statistics_.schema(); !(weight[j] > 0))
        throw InvalidArgument(
            {.label = statistics_.labels()[c],
             .features = {schema.feature(schema.blocks()[block].features[at(j)]).name}},
            "there is no value, so the mean is unknown",
            "leave this feature out, or give rows that have it");
  }

  Scatter scatter() const {
    return needs_dense_scatter(estimate_.options()) ? Scatter::dense : Scatter::diagonal;
  }
  Components components() const { return options_.estimate.components; }
  bool needs_sample() const { return !start_ && !components().is_one(); }

  /// What must be known before the first pass: a sample, and what rows without a label have.
  void look() {
    if (!needs_sample() && !(options_.unlabelled_weight > 0)) return;
    ReservoirOptions size = sample_size;
    size.seed = options_.seed;
    Reservoir reservoir(statistics_.schema(), size);
    rows_([&](const RowBlock& rows) {
      if (needs_sample() && rows.labels().kind != Column::Kind::none) reservoir.update(rows);
      if (options_.unlabelled_weight > 0) look_at_unlabelled(rows);
      if (execution_.stop.stop_requested()) throw Cancelled();
    });
    if (needs_sample()) sample_ = reservoir.sample();
  }

  void look_at_unlabelled(const RowBlock& rows) {
    std::vector<Index> found;
    Vector weight_memory;
    const double* const weight = read_weights(rows, weight_memory);
    if (rows.labels().kind == Column::Kind::none) {
      for (Index i = 0; i < rows.rows(); ++i) found.push_back(i);
    } else {
      Workers workers(quiet_, 1);
      const EncodedNames encoded =
          encode_names(rows.labels(), statistics_.labels(), weight, workers);
      for (Index i = 0; i < rows.rows(); ++i)
        if (encoded.code[i] == NameReader::missing && (!weight || weight[i] > 0))
          found.push_back(i);
    }
    if (found.empty()) return;
    std::vector<double> weights(found.size(), 1.0);
    for (std::size_t k = 0; k < found.size() && weight; ++k) weights[k] = weight[found[k]];
    const std::vector<std::int32_t> zeros(found.size());
    const std::vector<std::string> name{"unlabelled"};
    const GatheredRows gathered(rows, found);
    RowBlock block = gathered.block();
    block.labels(Column(zeros.data(), std::ssize(zeros), Strings(name)));
    block.weights(Column(weights));
    try {
      unlabelled_.update(block, quiet_);
    } catch (const DataError& error) {
      if (error.where().row < 0) throw;
      Place place = error.where();
      place.row = found[static_cast<std::size_t>(place.row)];
      place.label.clear();
      throw DataError(std::move(place), error.sentence(), error.advice());
    }
  }

  Model first_model() {
    if (start_) {
      if (start_->labels() != statistics_.labels() || start_->schema() != statistics_.schema())
        throw InvalidArgument("the model to start with has other classes or features",
                              "give one of the same");
      grouping_ = start_->mixture() ? *start_->mixture() : plain_grouping();
      return start_->components();
    }
    if (!needs_sample()) {
      grouping_ = plain_grouping();
      return estimate_.first(
          without_correlations(statistics_, completed(), statistics_, grouping_.label), quiet_);
    }
    return tried_model();
  }
  Mixture plain_grouping() const {
    return mixture_of(statistics_.labels(), std::vector<Index>(at(classes_), 1));
  }

  /// The components of each class by itself, on the sample; then all together.
  Model tried_model() {
    const RowBlock rows = sample_.rows();
    const std::vector<Index> label = positions(statistics_.labels(), rows.labels());
    std::vector<std::vector<Index>> members(at(classes_));
    for (Index i = 0; i < rows.rows(); ++i) members[at(label[at(i)])].push_back(i);
    std::vector<ClassStart::Fit> fits;
    std::vector<Index> count;
    if (components().is_automatic()) tried_.resize(at(classes_));
    for (Index c = 0; c < classes_; ++c) {
      if (execution_.stop.stop_requested()) throw Cancelled();
      const ClassStart start({.estimate = estimate_,
                              .rows = rows,
                              .schema = statistics_.schema(),
                              .label = statistics_.labels()[c],
                              .scatter = scatter(),
                              .complete_missing = options_.complete_missing,
                              .seed = options_.seed},
                             members[at(c)], quiet_);
      if (members[at(c)].empty()) {  // a class without rows
        fits.push_back({mixture_of(Names{statistics_.labels()[c]}, std::vector<Index>{1}),
                        Statistics(statistics_.schema(),
                                   {.scatter = scatter(), .labels = {statistics_.labels()[c]}})});
      } else {
        Index number = components().count();
        if (components().is_automatic()) {
          tried_[at(c)] = start.compare(options_.most_components, tries_in_folds);
          number = best_number(tried_[at(c)]);
        }
        fits.push_back(start.fit(number, options_.restarts));
      }
      count.push_back(fits.back().grouping.size());
    }
    grouping_ = mixture_of(statistics_.labels(), count);
    return joined(fits);
  }

  /// One model of the components of all classes.
  Model joined(const std::vector<ClassStart::Fit>& fits) const {
    const auto by_class = grouping_.by_class(classes_);
    std::optional<Statistics> all;
    for (Index c = 0; c < classes_; ++c) {
      const ClassStart::Fit& fit = fits[at(c)];
      std::vector<std::string> names;
      std::vector<Index> order;
      for (const Index g : by_class[at(c)]) {
        order.push_back(std::ssize(order));
        names.push_back(grouping_.names[g]);
      }
      Statistics own = statistics_of_classes(fit.sums, order, Names(names));
      all = all ? merge(std::move(*all), own) : std::move(own);
    }
    // Classes have as much weight as they have rows: the sample has more of rare ones.
    const ComponentBound bound(statistics_, grouping_, estimate_.options());
    return bounded_model(all->parts(), bound,
                         [&](const Statistics& of) { return estimate_.first(of, quiet_); })
        .model;
  }

  /// Per block: whether missing numbers are completed.
  std::vector<bool> completed() const {
    std::vector<bool> result;
    for (std::size_t b = 0; b < statistics_.blocks().size(); ++b) {
      const auto* sums = std::get_if<GaussianStatistics>(&statistics_.blocks()[b]);
      const bool incomplete =
          sums && (is_incomplete(*sums) ||
                   is_incomplete(std::get<GaussianStatistics>(unlabelled_.blocks()[b])));
      result.push_back(incomplete && options_.complete_missing && estimate_.completes());
    }
    return result;
  }

  ComponentSetup make_setup() const {
    ComponentSetup setup{.schema = statistics_.schema(),
                         .labels = statistics_.labels(),
                         .grouping = grouping_,
                         .scatter = scatter(),
                         .completed = {},
                         .log_prior = {},
                         .unlabelled_weight = options_.unlabelled_weight};
    setup.completed = completed();
    const double total = statistics_.weights().map().sum();
    for (const double weight : statistics_.weights())
      setup.log_prior.push_back(std::log(weight / total));
    return setup;
  }

  /// Leaves out components without rows, except where a class has no other; returns how many.
  Index drop_empty(Statistics& sums) {
    std::vector<Index> count(at(classes_));
    std::vector<std::vector<Index>> kept(at(classes_));
    const auto by_class = grouping_.by_class(classes_);
    Index gone = 0;
    for (Index c = 0; c < classes_; ++c) {
      for (const Index g : by_class[at(c)])
        if (sums.weights()[g] > 0) kept[at(c)].push_back(g);
      if (kept[at(c)].empty()) kept[at(c)].push_back(by_class[at(c)].front());
      count[at(c)] = std::ssize(kept[at(c)]);
      gone += std::ssize(by_class[at(c)]) - count[at(c)];
    }
    Mixture grouping = mixture_of(statistics_.labels(), count);
    std::vector<Index> order(at(grouping.size()));
    const auto places = grouping.by_class(classes_);
    for (Index c = 0; c < classes_; ++c)
      for (std::size_t k = 0; k < kept[at(c)].size(); ++k)
        order[at(places[at(c)][k])] = kept[at(c)][k];
    sums = statistics_of_classes(sums, order, grouping.names);
    grouping_ = std::move(grouping);
    return gone;
  }

  Index most_in_a_class() const {
    Index most = 1;
    for (const auto& of : grouping_.by_class(classes_)) most = std::max(most, std::ssize(of));
    return most;
  }

  Model finished(const Statistics& sums, const MixtureFit& fit) const {
    const Model components = estimate_.model(sums, quiet_);
    Model::Parts parts = components.parts();
    parts.labels = statistics_.labels();
    parts.weights = statistics_.weights();
    parts.options->components = this->components();
    if (start_ && this->components().is_one()) parts.options->components = most_in_a_class();
    if (grouping_.size() > classes_) {
      parts.mixture = grouping_;
      parts.mixture->weights = components.weights();
    }
    parts.found.mixture_passes = {static_cast<double>(fit.log_likelihood.size())};
    parts.found.mixture_log_likelihood = {fit.log_likelihood.back()};
    if (fit.bounded > 0) parts.found.mixture_bounded = {static_cast<double>(fit.bounded)};
    if (fit.unlabelled_rows > 0) {
      parts.found.unlabelled_rows = {fit.unlabelled_rows};
      parts.found.unlabelled_weight = {options_.unlabelled_weight};
    }
    return Model(std::move(parts), execution_);
  }

  const Statistics& statistics_;
  const RowPass& rows_;
  const MixtureOptions& options_;
  const Execution& execution_;
  const Model* start_;
  Execution quiet_;
  Index classes_;
  ComponentEstimate estimate_;
  Statistics unlabelled_;  ///< of the rows without a label
  SampledRows sample_;
  Mixture grouping_;
  std::vector<std::vector<ComponentsTried>> tried_;
};

}  // namespace

MixtureFit fit_mixture(const Statistics& statistics, const RowPass& rows,
                       const MixtureOptions& options, const Execution& execution,
                       const Model* start) {
  if (keeps_some(options.estimate)) {
    const EstimateOptions given = resolve(options.estimate);
    const KeptFeatures kept = kept_features(statistics, given, execution);
    const Statistics some = subset(statistics, kept.features);
    MixtureOptions of_kept = options;
    of_kept.estimate = without_keep(given);
    MixtureFit fit = fit_mixture(some, narrowed(rows, statistics.schema(), some.schema()), of_kept,
                                 execution, start);
    fit.model = with_kept(fit.model, given, found_of(kept));
    return fit;
  }
  if (is_thin(statistics) && needs_dense_scatter(options.estimate))
    throw InvalidArgument(
        "the components of a mixture take whole covariances, and there are more features than rows",
        "use " + Option{"covariance", "diag"});
  if (scatter_of(statistics) == Scatter::pooled && needs_dense_scatter(options.estimate))
    throw InvalidArgument(
        "the components of a mixture need a scatter for each class, and these statistics kept one "
        "for all classes together",
        "sum the rows again with covariance 'full', or use " + Option{"covariance", "diag"});
  if (statistics.schema().has_text())
    throw InvalidArgument(
        "mixtures and rows without a label take no text columns",
        "leave the text columns out, or use " + Option{"components", "1"} + " and labelled rows");
  return MixtureTraining(statistics, rows, options, execution, start).run();
}

}  // namespace suffice
