#include "suffice/select/choose.hpp"

#include <algorithm>
#include <numeric>

#include "core/standard_error.hpp"
#include "left_out/removed_rows.hpp"
#include "select/sample_contest.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"
#include "train/component_statistics.hpp"

namespace suffice {

Model Choice::model(const Statistics& statistics, const Execution& execution) const {
  const Model model =
      completion ? completion->model(execution) : estimate(statistics, options, execution);
  if (!best()) return model;
  if (folds > 0) return model.with_calibration(calibration);  // the figures are of leave-one-out
  EstimateFound found = model.parts().found;
  found.choice_candidates = {static_cast<double>(candidates.size())};
  found.choice_rows = {rows};
  if (sample_folds > 0) found.choice_folds = {static_cast<double>(sample_folds)};
  found.choice_error_rate = {best()->error_rate};
  found.choice_log_loss = {best()->log_loss};
  found.choice_prior_error_rate = {prior_error_rate};
  found.choice_prior_log_loss = {prior_log_loss};
  return model.with_found(std::move(found)).with_calibration(calibration);
}

void Choice::complete(const Statistics& statistics, const MissingOptions& missing,
                      const Execution& execution) {
  if (!missing.completes(statistics, options)) return;
  const Execution quiet{.threads = execution.threads, .stop = execution.stop};
  completion = std::make_shared<const Completion>(missing.complete(statistics, options, quiet));
}

bool MissingOptions::completes(const Statistics& statistics, const EstimateOptions& options) const {
  return rows && needs_completion(statistics, options, numbers);
}

Completion MissingOptions::complete(const Statistics& statistics, const EstimateOptions& options,
                                    const Execution& execution) const {
  const RowPass pass = [&](const auto& use) { rows(statistics.schema(), use); };
  return suffice::complete(statistics, pass, {.estimate = options, .passes = passes}, execution);
}

namespace {

/// What is fitted to some classes, for all of them.
Calibration of_all_classes(const Calibration& some, const std::vector<bool>& kept) {
  Calibration result = some;
  const Index classes = std::ssize(kept);
  result.offset = Vector(classes);
  if (some.thresholds.rows() > 0) {
    result.thresholds = Matrix(classes + 1, some.thresholds.cols());
    std::ranges::copy(some.thresholds.row(0), result.thresholds.row(0).begin());
    for (Index c = 0, k = 0; c < classes; ++c)
      if (kept[static_cast<std::size_t>(c)])
        std::ranges::copy(some.thresholds.row(++k), result.thresholds.row(c + 1).begin());
  }
  Index next = 0;
  for (Index c = 0; c < result.offset.size(); ++c)
    if (kept[static_cast<std::size_t>(c)]) result.offset[c] = some.offset[next++];
  return result;
}

/// The sums of the rows that are not in the sample, or weigh nothing there; of these classes.
Statistics sums_beside(const Statistics& statistics, const RowBlock& sample,
                       const std::vector<bool>& classes, const Execution& execution) {
  Statistics part(statistics.schema(),
                  {.scatter = scatter_of(statistics), .labels = statistics.labels().list()});
  part.update(sample, execution);
  const Statistics rest = subtract(statistics, part).rest;
  std::vector<Index> order;
  std::vector<std::string> names;
  for (Index c = 0; c < rest.labels().size(); ++c)
    if (classes[static_cast<std::size_t>(c)]) {
      order.push_back(c);
      names.push_back(rest.labels()[c]);
    }
  return statistics_of_classes(rest, order, Names(names));
}

/// With more features than rows a single row shapes the target of the shrinkage and the principal
/// components, which leaving it out one at a time holds fixed, and so it does with discriminant
/// components and features that are chosen, which have seen its class. Folds are estimated without
/// their rows altogether. The only row of a class is left out. Rows that are not in the sample are
/// in the models of all folds.
Choice choose_in_folds(const Statistics& statistics, const SampledRows& sample,
                       const ChooseOptions& options, const Execution& execution) {
  Choice choice;
  choice.options = propose(statistics, options).shapes.front();
  RowBlock rows = sample.rows();
  const RemovedRows removed(rows, statistics.labels(), statistics.weights());
  std::vector<bool> kept(static_cast<std::size_t>(statistics.labels().size()));
  std::vector<Index> of_class(kept.size());  // rows
  Vector weights(rows.rows());
  double all = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    const RemovedRow row = removed[i];
    all += row.weight;
    if (row.label < 0 || is_whole_class(row, statistics.weights())) continue;
    weights[i] = row.weight;
    ++of_class[static_cast<std::size_t>(row.label)];
    kept[static_cast<std::size_t>(row.label)] = true;
  }
  const bool some = all < statistics.weights().map().sum() * (1 - 1e-9);
  if (is_thin(statistics) && some) {
    choice.reason = "there are more columns than rows, and too many numbers to keep all rows";
    return choice;
  }
  if (std::ranges::count(kept, true) < 2) {
    choice.reason = "no predictions can be compared: fewer than two classes have two rows";
    return choice;
  }
  if (std::ranges::max(of_class) < 2) {  // others are not in the sample
    choice.reason = "no predictions can be compared: the sample has no two rows of a class";
    return choice;
  }
  rows.weights(weights);
  const Index folds = std::min<Index>(std::ranges::max(of_class), 5);
  Selector selector(statistics.schema(), {.candidates = candidates_to_choose(statistics, options),
                                          .folds = folds,
                                          .seed = options.seed,
                                          .calibrate = options.calibrate,
                                          .training = {.missing = options.missing.rows && !some
                                                                      ? options.missing.numbers
                                                                      : MissingNumbers::complete,
                                                       .passes = options.missing.passes}});
  const Execution quiet{.threads = execution.threads, .stop = execution.stop};
  if (some)
    selector.learn_beside(sums_beside(statistics, rows, kept, quiet));
  else if (keeps_some(options.given))
    selector.read_again_with([&](const auto& use) { use(rows, Column()); });
  selector.learn(rows, {}, quiet);
  for (Index i = 0; i < rows.rows(); ++i) weights[i] *= sample.importance()[i];
  selector.score(rows, {}, execution);
  const std::vector<Sentence> errors = selector.scores().errors;
  if (std::ranges::none_of(errors, &Sentence::empty)) {
    choice.reason = errors.front();
    return choice;
  }
  choice = choice_by_folds(selector.finish(quiet), statistics, options);
  std::swap(choice.sample_folds, choice.folds);
  choice.rows = static_cast<double>(std::reduce(of_class.begin(), of_class.end()));
  if (choice.calibration && choice.calibration->offset.size() != std::ssize(kept))
    choice.calibration = of_all_classes(*choice.calibration, kept);
  if (keeps_some(options.given) || options.given.lda)
    choice.complete(statistics, options.missing, execution);
  return choice;
}

}  // namespace

Choice choose(const Statistics& statistics, const SampledRows& sample, const ChooseOptions& options,
              const Execution& execution) {
  if (is_thin(statistics) || keeps_some(options.given) || options.given.lda)
    return choose_in_folds(statistics, sample, options, execution);
  SampleContest::Input input{.statistics = statistics,
                             .sample = sample,
                             .proposals = propose(statistics, options),
                             .calibrate = options.calibrate,
                             .seed = options.seed};
  Sentence reason;
  require_possible(options.missing.passes);
  const EstimateOptions& first = input.proposals.shapes.front();
  if (!first.pca && options.missing.completes(statistics, first)) {
    try {
      input.missing = &options.missing;
      Choice choice = SampleContest(input, execution).choice();
      choice.complete(statistics, options.missing, execution);
      return choice;
    } catch (const SingularError& error) {
      reason = error.message();
    } catch (const InvalidArgument& error) {  // a feature has no value in some class
      reason = error.message();
    } catch (const DataError& error) {  // numbers too large
      reason = error.message();
    }
  }
  input.missing = nullptr;
  Choice choice = SampleContest(input, execution).choice();
  choice.incomplete_reason = std::move(reason);
  if (first.pca) choice.complete(statistics, options.missing, execution);
  return choice;
}

std::vector<EstimateOptions> candidates_to_choose(const Statistics& statistics,
                                                  const ChooseOptions& options) {
  const Proposals proposals = propose(statistics, options);
  std::vector<EstimateOptions> result;
  for (const EstimateOptions& shape : proposals.shapes)
    for (const Tails& tails : proposals.tails) {
      result.push_back(shape);
      result.back().tails = tails;
    }
  return result;
}

Choice choice_by_folds(const Selection& selection, const Statistics& statistics,
                       const ChooseOptions& options) {
  const auto losses = [&](Index candidate) {
    std::vector<double> result;
    for (const Score& fold : selection.candidates[candidate].folds) result.push_back(fold.log_loss);
    return result;
  };
  Choice choice =
      choice_of(selection, propose(statistics, options).has_default,
                [&](Index other, Index first) { return is_better(losses(other), losses(first)); });
  choice.rows = selection.candidates[selection.best].score.rows;
  choice.folds = std::ssize(selection.folds);
  const Vector& weights = statistics.weights();
  choice.prior_error_rate = 1 - std::ranges::max(weights) / weights.map().sum();
  choice.prior_log_loss = selection.frequency_log_loss;
  return choice;
}

}  // namespace suffice
