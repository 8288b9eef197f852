#include "fit/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fit/group_folds.hpp"
#include "suffice/estimate/shrunken_means.hpp"
#include "suffice/left_out/leave_one_out.hpp"
#include "suffice/train/estimate_with_rows.hpp"

namespace suffice {
namespace {

/// Five, or fewer where classes are small.
Index usual_folds(const Vector& weights) {
  return static_cast<Index>(std::clamp(std::floor(std::ranges::max(weights)), 2.0, 5.0));
}

}  // namespace

Selection selection_of(Training& training, Selector& selector) {
  const Schema& schema = training.statistics().schema();
  GroupFolds groups;
  const auto read = [&](const Reading& reading, const RowSource::Use& use) {
    training.source()->read(reading, [&](const RowBlock& rows, const Column& names) {
      if (!training.options.by_groups) return use(rows, {});
      if (names.kind == Column::Kind::none)
        throw InvalidArgument("the rows have no groups", "give the group of each row");
      const std::vector<std::string> folds = groups.of(names);
      use(rows, folds);
    });
  };
  const Reading again{.schema = schema, .what = "reading again"};
  read(again, [&](const RowBlock& rows, const Column& folds) {
    selector.learn(rows, folds, training.execution);
  });
  if (groups.groups() == 1)
    throw InvalidArgument(Option{"fold_column"} + Sentence(" has one value in all rows"),
                          "it must tell groups of rows apart");
  selector.read_again_with([&](const auto& use) { read({.schema = schema}, use); });
  read(again, [&](const RowBlock& rows, const Column& folds) {
    selector.score(rows, folds, training.execution);
  });
  Selection selection = selector.finish(training.execution);
  for (const std::string& note : selection.notes) training.warn(note);
  return selection;
}

std::optional<LeaveOneOutShrinkage::Choice> chosen_strength(Training& training) {
  if (!training.options.shrinkage_by_leave_one_out) return std::nullopt;
  const Statistics& statistics = training.statistics();
  LeaveOneOutShrinkage strengths(statistics, training.options.estimate, training.execution);
  training.source()->read(
      {.schema = statistics.schema(), .what = "reading again"},
      [&](const RowBlock& rows, const Column&) { strengths.score(rows, training.execution); });
  const LeaveOneOutShrinkage::Choice choice = strengths.finish();
  if (std::isinf(choice.log_loss))
    training.warn(
        "the leave-one-out log-loss is infinite: some class has a single row, without which it has "
        "the probability 0");
  return choice;
}

std::optional<FoundThreshold> chosen_threshold(Training& training, const EstimateOptions& given) {
  if (!training.options.means_by_folds) return std::nullopt;
  const Statistics& statistics = training.statistics();
  std::vector<EstimateOptions> candidates;
  for (const double delta : mean_thresholds(statistics, given, training.execution)) {
    candidates.push_back(given);
    candidates.back().shrink_means = delta;
  }
  Selector selector(statistics.schema(), {.candidates = candidates,
                                          .folds = usual_folds(statistics.weights()),
                                          .seed = training.options.seed,
                                          .criterion = Criterion::error,
                                          .one_standard_error = true});
  const Selection selection = selection_of(training, selector);
  const CandidateResult& best = selection.candidates[static_cast<std::size_t>(selection.best)];
  return FoundThreshold{.delta = best.options.shrink_means->value,
                        .compared = std::ssize(candidates),
                        .folds = std::ssize(selection.folds),
                        .error_rate = best.score.error_rate,
                        .log_loss = best.score.log_loss};
}

std::optional<FoundCalibration> calibrate(Training& training, Model& model) {
  if (!training.options.calibrates_again() || model.calibration()) return std::nullopt;
  const Schema& schema = training.statistics().schema();
  const EstimateOptions& options = *model.parts().options;
  const RowTraining passes{.missing = model.parts().found.em_passes.empty()
                                          ? MissingNumbers::complete
                                          : MissingNumbers::em,
                           .passes = training.options.passes,
                           .restarts = training.options.restarts,
                           .seed = training.options.seed};
  const bool in_folds =
      no_leave_one_out(schema, options) || takes_passes(training.statistics(), options, passes);
  FoundCalibration found{.folds = in_folds ? usual_folds(model.weights()) : 0};
  try {
    Selector selector(schema, {.candidates = {options},
                               .folds = found.folds,
                               .seed = training.options.seed,
                               .calibrate = true,
                               .training = passes});
    const Selection selection = selection_of(training, selector);
    if (training.options.by_groups) found.folds = std::ssize(selection.folds);
    const CandidateResult& result = selection.candidates.front();
    model = model.with_calibration(result.calibration);
    found.log_loss_before = result.uncalibrated.log_loss;
    found.log_loss = result.score.log_loss;
    found.frequency_log_loss = selection.frequency_log_loss;
    return found;
  } catch (const InvalidArgument& error) {
    training.warn("the model is not calibrated: " + error.message());
    return std::nullopt;
  }
}

}  // namespace suffice
