#include "suffice/evaluate/report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/compensated_sum.hpp"
#include "core/parallel.hpp"
#include "decide/same_labels.hpp"
#include "evaluate/losses.hpp"
#include "evaluate/ratios.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// a / b, where nothing of nothing is not a number.
double share(double a, double b) {
  return b > 0 ? a / b : std::numeric_limits<double>::quiet_NaN();
}

constexpr Index rows_of_loss_task = 4096;

}  // namespace

struct Evaluator::State {
  Names labels;
  std::optional<Costs> costs;
  CompensatedSum unknown, rejected, outliers, log_loss, brier, cost;
  std::vector<CompensatedSum> class_rows;
  std::vector<CompensatedSum> confusion;  ///< true × decided
  Ratios ratios;

  void require_fit(const LogLikelihoods& scores, const Priors& priors, const Decisions& decisions,
                   std::span<const Index> truth, std::span<const double> weights) const;
  void count(Index truth, Index decided, Status status, double rejection, double weight);
};

Evaluator::Evaluator(Names labels, std::optional<Costs> costs) : state_(std::make_unique<State>()) {
  if (labels.empty()) throw InvalidArgument("an evaluation needs at least one class");
  if (costs) require_same_labels(labels, "the evaluator", costs->labels(), "the costs");
  const auto classes = static_cast<std::size_t>(labels.size());
  state_->class_rows.resize(classes);
  state_->confusion.resize(classes * classes);
  state_->labels = std::move(labels);
  state_->costs = std::move(costs);
}

Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

void Evaluator::State::require_fit(const LogLikelihoods& scores, const Priors& priors,
                                   const Decisions& decisions, std::span<const Index> truth,
                                   std::span<const double> weights) const {
  require_columns(scores);
  require_same_labels(labels, "the evaluator", scores.labels, "the scores");
  require_same_labels(labels, "the evaluator", priors.labels(), "the priors");
  require_same_labels(labels, "the evaluator", decisions.labels, "the decisions");
  const Index rows = scores.rows();
  const auto require_rows = [rows](Index count, const char* what) {
    if (count != rows)
      throw InvalidArgument("there are " + std::to_string(rows) + " rows of scores, but " +
                                std::to_string(count) + " " + what,
                            "there must be one for each");
  };
  require_rows(decisions.rows(), "decisions");
  require_rows(std::ssize(truth), "true labels");
  if (!weights.empty()) require_rows(std::ssize(weights), "weights");
  for (Index i = 0; i < rows; ++i) {
    if (truth[i] < -1 || truth[i] >= labels.size())
      throw InvalidArgument(
          "the true label of row " + std::to_string(i) + " is " + std::to_string(truth[i]),
          "it must be a position among the " + std::to_string(labels.size()) + " labels, or -1");
    if (!weights.empty() && !(weights[i] >= 0 && std::isfinite(weights[i])))
      throw InvalidArgument("the weight of row " + std::to_string(i) + " is " + name_of(weights[i]),
                            "it must be finite and not negative");
  }
}

void Evaluator::State::count(Index truth, Index decided, Status status, double rejection,
                             double weight) {
  class_rows[truth].add(weight);
  switch (status) {
    case Status::ok:
      confusion[truth * labels.size() + decided].add(weight);
      if (costs) cost.add(weight * (*costs)(truth, decided));
      break;
    case Status::reject:
      rejected.add(weight);
      if (costs) cost.add(weight * rejection);
      break;
    case Status::outlier:
      outliers.add(weight);
      break;
  }
}

void Evaluator::add(const LogLikelihoods& scores, const Priors& priors, const Decisions& decisions,
                    std::span<const Index> truth, std::span<const double> weights,
                    const Execution& execution) {
  State& state = *state_;
  state.require_fit(scores, priors, decisions, truth, weights);
  const Index rows = scores.rows(), classes = state.labels.size();
  const auto weight_of = [&](Index i) { return weights.empty() ? 1 : weights[i]; };

  // Exponentials on all threads; sums in the order of the rows.
  std::vector<Losses> losses(static_cast<std::size_t>(rows));
  const Index tasks = (rows + rows_of_loss_task - 1) / rows_of_loss_task;
  Workers(execution, tasks).run(tasks, [&](Index task, int) {
    Vector mass(classes);
    const Index end = std::min(rows, (task + 1) * rows_of_loss_task);
    for (Index i = task * rows_of_loss_task; i < end; ++i)
      if (truth[i] >= 0 && weight_of(i) > 0)
        losses[i] = losses_of(scores.values.row(i).data(), priors, classes, truth[i], mass.data());
  });
  const Matrix ratios = classes == 2 ? log_likelihood_ratios(scores, priors) : Matrix();
  for (Index i = 0; i < rows; ++i) {
    const double weight = weight_of(i);
    if (weight == 0) continue;
    if (truth[i] < 0) {
      state.unknown.add(weight);
      continue;
    }
    state.count(truth[i], decisions.classes[i], decisions.status[i], decisions.expected_cost[i],
                weight);
    state.log_loss.add(weight * losses[i].log_loss);
    state.brier.add(weight * losses[i].brier);
    if (classes == 2) state.ratios.add(ratios(i, 0), truth[i], weight);
  }
}

Report Evaluator::report() const {
  const State& state = *state_;
  const Index classes = state.labels.size();
  Report report;
  report.labels = state.labels;
  report.unknown_label_rows = state.unknown.value();
  report.rejected = state.rejected.value();
  report.outliers = state.outliers.value();

  report.confusion = Matrix(classes, classes);
  report.class_rows = Vector(classes);
  report.recall = Vector(classes);
  report.precision = Vector(classes);
  CompensatedSum rows, decided, errors;
  std::vector<CompensatedSum> of_truth(classes), of_decision(classes);
  for (Index c = 0; c < classes; ++c) {
    report.class_rows[c] = state.class_rows[c].value();
    rows.add(report.class_rows[c]);
    for (Index k = 0; k < classes; ++k) {
      const double weight = report.confusion(c, k) = state.confusion[c * classes + k].value();
      decided.add(weight);
      if (c != k) errors.add(weight);
      of_truth[c].add(weight);
      of_decision[k].add(weight);
    }
  }
  for (Index c = 0; c < classes; ++c) {
    report.recall[c] = share(report.confusion(c, c), of_truth[c].value());
    report.precision[c] = share(report.confusion(c, c), of_decision[c].value());
  }
  report.rows = rows.value();
  report.decided = decided.value();
  report.errors = std::min(errors.value(), report.decided);  // rounding of weights
  report.error_rate = share(report.errors, report.decided);
  report.error_interval = binomial_interval(report.errors, report.decided);
  report.log_loss = share(state.log_loss.value(), report.rows);
  report.brier = share(state.brier.value(), report.rows);
  if (state.costs) report.cost = share(state.cost.value(), report.rows - report.outliers);

  if (const auto curve = state.ratios.curve()) {
    report.auc = curve->auc;
    report.equal_error_rate = curve->equal_error_rate;
  }
  report.ratios_are_binned = state.ratios.binned();
  return report;
}

}  // namespace suffice
