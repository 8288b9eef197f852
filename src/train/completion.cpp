#include "suffice/train/completion.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/random.hpp"
#include "estimate/keep.hpp"
#include "estimate/rows_used.hpp"
#include "stats/moments.hpp"
#include "stats/one_block.hpp"
#include "stats/pooled.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"
#include "train/expected_sums.hpp"

namespace suffice {
namespace {

/// The options of the models between the passes: the maximum of the likelihood, or of the posterior
/// under the same prior of the covariances.
EstimateOptions options_of_passes(EstimateOptions options) {
  options.tails = Tails::normal();
  options.pca = {};
  options.lda = {};
  options.standardize = false;
  options.inference = Inference::plugin;
  options.normalize = Normalize::mle;
  return resolve(std::move(options));
}

/// The correlations of W complete rows as where EM begins, (W R + (d + 1) I) / (W + d + 1), in a
/// scatter whose diagonal is known.
void add_correlations(const JointMoments& complete, Matrix& scatter) {
  const Index d = scatter.rows();
  if (!(complete.weight > 0) || complete.scatter.empty()) return;
  const double share = complete.weight / (complete.weight + static_cast<double>(d + 1));
  Vector scale(d);
  for (Index j = 0; j < d; ++j)
    if (complete.scatter(j, j) > 0) scale[j] = std::sqrt(scatter(j, j) / complete.scatter(j, j));
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j < i; ++j)
      scatter(i, j) = scatter(j, i) = share * scale[i] * scale[j] * complete.scatter(i, j);
}

/// Where EM begins: means and variances of the values that are present, correlations of the
/// complete rows, whose scatters are those of `observed`.
GaussianStatistics first_sums(const Statistics& alone, const GaussianStatistics& observed) {
  const auto& sums = std::get<GaussianStatistics>(alone.blocks().front());
  GaussianStatistics result;
  for (Index c = 0; c < alone.labels().size(); ++c) {
    const Moments moments = sums.moments(c);
    GaussianStatistics::Class of;
    if (alone.weights()[c] > 0) {
      const Index d = alone.schema().size();
      of.complete = {alone.weights()[c], Vector(d), Vector(d), Matrix(d, d)};
      for (Index j = 0; j < d; ++j) {
        if (moments.weight.empty() || !(moments.weight[j] > 0))
          throw InvalidArgument(
              {.label = alone.labels()[c], .features = {alone.schema().feature(j).name}},
              "there is no value, so the mean is unknown",
              "leave this feature out, or give rows that have it");
        of.complete.mean[j] = moments.mean[j];
        of.complete.mean_low[j] = moments.mean_low[j];
        of.complete.scatter(j, j) = moments.squares[j] / moments.weight[j] * alone.weights()[c];
      }
      add_correlations(observed.classes[static_cast<std::size_t>(c)].complete, of.complete.scatter);
    }
    result.classes.push_back(std::move(of));
  }
  return result;
}

/// A part of a pooled scatter for each class, in proportion to its complete rows. A tied covariance
/// sees only their sum, and expected sums are merged class by class.
GaussianStatistics shared_out(GaussianStatistics sums) {
  double weight = 0;
  for (const GaussianStatistics::Class& of : sums.classes) weight += of.complete.weight;
  for (auto& [complete, present] : sums.classes) {
    if (!(complete.weight > 0)) continue;
    complete.scatter = sums.pooled;
    complete.scatter.map() *= complete.weight / weight;
    complete.squares = {};
  }
  sums.pooled = {};
  sums.kind = Scatter::dense;
  return sums;
}

/// The reverse, when rows have been added: each class has its own squares again.
GaussianStatistics pooled_again(GaussianStatistics sums, const GaussianStatistics& observed) {
  const GaussianStatistics shared = shared_out(observed);
  for (std::size_t c = 0; c < sums.classes.size(); ++c) {
    JointMoments& of = sums.classes[c].complete;
    if (of.scatter.empty()) continue;
    const Index d = of.scatter.rows();
    if (sums.pooled.empty()) sums.pooled = Matrix(d, d);
    sums.pooled.map() += of.scatter.map();
    of.squares = Vector(d);
    const JointMoments &before = observed.classes[c].complete, &part = shared.classes[c].complete;
    for (Index j = 0; j < d; ++j) {
      of.squares[j] = of.scatter(j, j);
      if (before.weight > 0)
        of.squares[j] = std::max(of.squares[j] - part.scatter(j, j) + before.squares[j], 0.0);
    }
    of.scatter = {};
  }
  sums.kind = Scatter::pooled;
  return sums;
}

/// The block alone with other sums.
Statistics with_sums(const Statistics& alone, GaussianStatistics sums) {
  Statistics::Parts parts = alone.parts();
  parts.blocks.front() = std::move(sums);
  return Statistics(std::move(parts));
}

/// One block on its way.
struct BlockCompletion {
  std::size_t block;
  Statistics plain;  ///< of the block alone
  GaussianStatistics sums;
  std::shared_ptr<const Model> model = {};
  std::unique_ptr<ExpectedSums> expected = {};
  double log_likelihood = 0;

  const GaussianStatistics& observed() const {
    return std::get<GaussianStatistics>(plain.blocks().front());
  }

  void begin_pass(const EstimateOptions& options, const Schema& schema,
                  const Execution& execution) {
    model = std::make_shared<const Model>(estimate(with_sums(plain, sums), options, execution));
    expected = std::make_unique<ExpectedSums>(*model, schema, schema.blocks()[block],
                                              ExpectedSums::Which::incomplete);
  }

  void end_pass() {
    GaussianStatistics next = expected->completed();
    for (std::size_t c = 0; c < next.classes.size(); ++c) {
      JointMoments merged = observed().classes[c].complete;
      merge_into(merged, next.classes[c].complete);
      next.classes[c] = {std::move(merged), {}};
    }
    log_likelihood = expected->log_density(next) + expected->log_terms().map().sum();
    expected->add_spread(next);
    sums = std::move(next);
  }

  /// Whether a correlation is 0, as at a saddle point between two maxima of symmetric rows. Beside
  /// that, only features that no row has together, or that were measured by design, have none.
  bool lacks_a_correlation() const {
    const auto& density = std::get<GaussianDensity>(model->densities().front());
    return std::ranges::any_of(density.covariance, [](const Matrix& covariance) {
      for (Index i = 0; i < covariance.rows(); ++i)
        for (Index j = 0; j < i; ++j)
          if (const double most = std::sqrt(covariance(i, i)) * std::sqrt(covariance(j, j));
              most > 0 && std::abs(covariance(i, j)) <= 1e-9 * most)
            return true;
      return false;
    });
  }

  /// Correlations r become ¾ r + ¼ g_i g_j, g drawn from the seed.
  void disturb(std::uint64_t seed) {
    const Index d = plain.schema().size();
    RowRandom random(seed, 0);
    Vector g(d);
    for (double& value : g) value = random.uniform() < 0.5 ? -1 : 1;
    for (double& value : g) value *= 0.5 + 0.5 * random.uniform();
    for (auto& [complete, present] : sums.classes) {
      if (complete.scatter.empty()) continue;
      Matrix& scatter = complete.scatter;
      for (Index i = 0; i < d; ++i)
        for (Index j = 0; j < i; ++j)
          scatter(i, j) = scatter(j, i) = 0.75 * scatter(i, j) + 0.25 * g[i] * g[j] *
                                                                     std::sqrt(scatter(i, i)) *
                                                                     std::sqrt(scatter(j, j));
    }
  }
};

/// Where EM came to.
struct Limit {
  EmPasses passes;
  std::vector<GaussianStatistics> sums = {};
  std::vector<std::shared_ptr<const Model>> models = {};

  Limit(EmPasses of, const std::vector<BlockCompletion>& blocks) : passes(std::move(of)) {
    for (const BlockCompletion& block : blocks) {
      sums.push_back(block.sums);
      models.push_back(block.model);
    }
  }
};

/// EM, and once more from other correlations where it may be at a saddle point.
Limit limit_of_em(std::vector<BlockCompletion>& blocks, const PassOptions& options, double weight,
                  const std::function<double()>& pass, const Execution& execution) {
  Limit first(run_em(options, weight, pass, execution), blocks);
  bool again = false;
  for (BlockCompletion& of : blocks)
    if (first.passes.converged && of.lacks_a_correlation()) {
      of.disturb(options.seed);
      again = true;
    }
  if (!again) return first;
  try {
    Limit second(run_em(options, weight, pass, execution), blocks);
    const double gain = second.passes.log_likelihood.back() - first.passes.log_likelihood.back();
    return gain > options.tolerance * weight ? second : first;
  } catch (const SingularError&) {  // on the way to an infinite likelihood
    return first;
  }
}

}  // namespace

double incomplete_share(const Statistics& statistics) {
  double most = 0;
  for (const BlockStatistics& block : statistics.blocks()) {
    const auto* sums = std::get_if<GaussianStatistics>(&block);
    if (!sums || !is_incomplete(*sums)) continue;
    for (Index c = 0; c < statistics.labels().size(); ++c)
      if (const double weight = statistics.weights()[c]; weight > 0)
        most =
            std::max(most, 1 - sums->classes[static_cast<std::size_t>(c)].complete.weight / weight);
  }
  return most;
}

bool needs_completion(const Statistics& statistics, const EstimateOptions& options,
                      MissingNumbers numbers) {
  if (numbers == MissingNumbers::complete || !is_dense(options.covariance)) return false;
  if (numbers == MissingNumbers::em) return incomplete_share(statistics) > 0;
  return !options.pca && !options.lda && !is_thin(statistics) && incomplete_share(statistics) > 0.1;
}

namespace {

/// The sums of the kept features. Of rows that lack a number only the rows themselves know whether
/// it is one of these.
Statistics sums_of_kept(const Statistics& statistics, const KeptFeatures& kept,
                        const RowPass& rows_of_kept, const Execution& execution) {
  Statistics some = subset(statistics, kept.features);
  const bool incomplete = std::ranges::any_of(some.blocks(), [](const BlockStatistics& block) {
    const auto* sums = std::get_if<GaussianStatistics>(&block);
    return sums && is_incomplete(*sums);
  });
  if (!incomplete || is_thin(some)) return some;
  Statistics again(some.schema(), {.labels = some.labels().list()});
  rows_of_kept([&](const RowBlock& block) { again.update(block, execution); });
  return again;
}

Completion complete_kept(const Statistics& statistics, const RowPass& rows,
                         const CompletionOptions& options, const Execution& execution) {
  const EstimateOptions given = resolve(options.estimate);
  const Execution quiet{.threads = execution.threads, .stop = execution.stop};
  const KeptFeatures kept = kept_features(statistics, given, quiet);
  const RowPass some =
      narrowed(rows, statistics.schema(), statistics.schema().subset(kept.features));
  Completion result =
      complete(sums_of_kept(statistics, kept, some, quiet), some,
               {.estimate = without_keep(given), .passes = options.passes}, execution);
  result.options = given;
  const EstimateFound of_choice = found_of(kept);
  result.used.all_features = of_choice.all_features;
  result.used.kept_features = of_choice.kept_features;
  result.used.least_divergence = of_choice.least_divergence;
  result.used.next_divergence = of_choice.next_divergence;
  return result;
}

}  // namespace

Completion complete(const Statistics& statistics, const RowPass& rows,
                    const CompletionOptions& options, const Execution& execution) {
  if (keeps_some(options.estimate)) return complete_kept(statistics, rows, options, execution);
  Completion result{.statistics = statistics, .options = resolve(options.estimate)};
  require_possible(options.passes);
  if (is_thin(statistics) && is_dense(result.options.covariance))
    throw InvalidArgument(
        "missing numbers are completed with the whole covariance, and there are more features than "
        "rows",
        "use " + Option{"missing", "complete"} + ", or " + Option{"covariance", "diag"});
  const auto& blocks = statistics.schema().blocks();
  result.expectation.resize(blocks.size());
  std::vector<BlockCompletion> at_work;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const auto* sums = std::get_if<GaussianStatistics>(&statistics.blocks()[b]);
    if (!sums || !is_incomplete(*sums) || !is_dense(result.options.covariance)) continue;
    Statistics alone = statistics_of_block(statistics, b);
    const GaussianStatistics observed = sums->kind == Scatter::pooled ? shared_out(*sums) : *sums;
    GaussianStatistics first = first_sums(alone, observed);
    alone = with_sums(alone, observed);
    at_work.push_back({.block = b, .plain = std::move(alone), .sums = std::move(first)});
  }
  const EstimateOptions in_passes = options_of_passes(options.estimate);
  const double weight = statistics.weights().map().sum();
  const Execution quiet{.threads = execution.threads, .stop = execution.stop};
  const auto pass = [&] {
    for (BlockCompletion& of : at_work) of.begin_pass(in_passes, statistics.schema(), quiet);
    rows([&](const RowBlock& block) {
      for (BlockCompletion& of : at_work) of.expected->add(block, quiet);
      if (execution.stop.stop_requested()) throw Cancelled();
    });
    double log_likelihood = 0;
    for (BlockCompletion& of : at_work) {
      of.end_pass();
      log_likelihood += of.log_likelihood;
    }
    return log_likelihood;
  };
  if (at_work.empty()) return result;
  Limit limit = limit_of_em(at_work, options.passes, weight, pass, execution);
  result.log_likelihood = std::move(limit.passes.log_likelihood);
  result.converged = limit.passes.converged;
  Statistics::Parts parts = statistics.parts();
  for (std::size_t k = 0; k < at_work.size(); ++k) {
    const std::size_t block = at_work[k].block;
    const auto& observed = std::get<GaussianStatistics>(statistics.blocks()[block]);
    const bool pooled = observed.kind == Scatter::pooled;
    parts.blocks[block] =
        pooled ? pooled_again(std::move(limit.sums[k]), observed) : std::move(limit.sums[k]);
    result.expectation[block] = std::move(limit.models[k]);
  }
  result.statistics = Statistics(std::move(parts));
  result.used = rows_used(statistics, result.options.covariance);
  result.used.used_rows = joint_rows(result.statistics);
  result.used.used_values = result.used.present_values;
  result.used.em_passes = {static_cast<double>(result.log_likelihood.size())};
  return result;
}

namespace {

/// The pooled correlations of complete rows, with the variances of the values present.
void scale_pooled(GaussianStatistics& sums) {
  const Index d = sums.pooled.rows();
  Vector squares(d), scale(d);
  for (std::size_t c = 0; c < sums.classes.size(); ++c) {
    const Moments all = sums.moments(static_cast<Index>(c));
    auto& [complete, present] = sums.classes[c];
    if (!(complete.weight > 0)) continue;
    complete.squares = Vector(d);
    for (Index j = 0; j < d; ++j) {
      complete.mean[j] = all.mean[j];
      complete.mean_low[j] = all.mean_low[j];
      complete.squares[j] = all.squares[j] / all.weight[j] * complete.weight;
      squares[j] += complete.squares[j];
    }
    present = {};
  }
  for (Index j = 0; j < d; ++j)
    scale[j] = sums.pooled(j, j) > 0 ? std::sqrt(squares[j] / sums.pooled(j, j)) : 0;
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j < d; ++j) sums.pooled(i, j) *= scale[i] * scale[j];
  for (Index j = 0; j < d; ++j) sums.pooled(j, j) = squares[j];
}

Statistics with_present_moments(const Statistics& statistics) {
  Statistics::Parts parts = statistics.parts();
  for (BlockStatistics& block : parts.blocks) {
    auto* sums = std::get_if<GaussianStatistics>(&block);
    if (!sums || !is_incomplete(*sums)) continue;
    if (sums->kind == Scatter::pooled) {
      scale_pooled(*sums);
      continue;
    }
    for (std::size_t c = 0; c < sums->classes.size(); ++c) {
      auto& [complete, present] = sums->classes[c];
      if (present.weight.empty() || !(complete.weight > 0)) continue;
      const Moments all = sums->moments(static_cast<Index>(c));
      const Index d = complete.mean.size();
      Vector scale(d);
      for (Index j = 0; j < d; ++j) {
        const double here = complete.scatter(j, j) / complete.weight;
        scale[j] = here > 0 ? std::sqrt(all.squares[j] / all.weight[j] / here) : 0;
        complete.mean[j] = all.mean[j];
        complete.mean_low[j] = all.mean_low[j];
      }
      for (Index i = 0; i < d; ++i)
        for (Index j = 0; j < d; ++j) complete.scatter(i, j) *= scale[i] * scale[j];
      for (Index j = 0; j < d; ++j)
        complete.scatter(j, j) = all.squares[j] / all.weight[j] * complete.weight;
      present = {};
    }
  }
  return Statistics(std::move(parts));
}

/// The same model, with what of the rows it was estimated from.
Model with_rows_used(const Model& model, const EstimateFound& used) {
  EstimateFound found = model.parts().found;
  found.used_rows = used.used_rows;
  found.complete_rows = used.complete_rows;
  found.used_values = used.used_values;
  found.present_values = used.present_values;
  found.em_passes = used.em_passes;
  return model.with_found(std::move(found));
}

}  // namespace

Model estimate_from_present(const Statistics& statistics, const EstimateOptions& options,
                            const Execution& execution) {
  if (keeps_some(options)) {
    const EstimateOptions given = resolve(options);
    const KeptFeatures kept = kept_features(statistics, given, execution);
    return with_kept(
        estimate_from_present(subset(statistics, kept.features), without_keep(given), execution),
        given, found_of(kept));
  }
  EstimateFound used = rows_used(statistics, options.covariance);
  used.used_values = used.present_values;
  return with_rows_used(estimate(with_present_moments(statistics), options, execution), used);
}

Model Completion::model(const Execution& execution) const {
  Model model = estimate(statistics, without_keep(options), execution);
  if (!log_likelihood.empty()) model = with_rows_used(model, used);
  return keeps_some(options) ? with_kept(model, options, used) : model;
}

}  // namespace suffice
