#include "suffice/report/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/at.hpp"
#include "core/compensated_sum.hpp"
#include "core/constants.hpp"
#include "core/parallel.hpp"
#include "decide/for_rows.hpp"
#include "decide/row_decision.hpp"
#include "decide/row_ratios.hpp"
#include "decide/same_labels.hpp"
#include "report/losses.hpp"
#include "report/novelty.hpp"
#include "report/ratios.hpp"
#include "report/row_figures.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr Index most_classes_with_ratios = 100;

/// a / b, where nothing of nothing is not a number.
double share(double a, double b) { return b > 0 ? a / b : nan; }

/// Sums for each class that was decided: side by side where there are few classes. With many, rows
/// of one class are decided to be of a few others.
class DecidedSums {
 public:
  static constexpr Index few = 256;

  explicit DecidedSums(Index classes) : of_few_(at(classes <= few ? classes : 0)) {}
  void add(Index k, double weight) { (of_few_.empty() ? of_many_[k] : of_few_[at(k)]).add(weight); }
  /// Calls f(k, sum) in the order of the classes, at least for those that are not 0.
  template <class F>
  void for_each(const F& f) const {
    for (std::size_t k = 0; k < of_few_.size(); ++k) f(static_cast<Index>(k), of_few_[k].value());
    for (const auto& [k, sum] : of_many_) f(k, sum.value());
  }

 private:
  std::vector<CompensatedSum> of_few_;
  std::map<Index, CompensatedSum> of_many_;
};

/// Of the rows of one true class, so that classes can be added up side by side.
struct ClassSums {
  explicit ClassSums(Index classes) : decided(classes) {}

  CompensatedSum rows, log_loss, brier, rejected, outliers;
  CompensatedSum cost, costed_rows;  // without outliers
  DecidedSums decided;               // a row of the confusion matrix
};

/// One for two classes, otherwise one for each.
std::vector<Ratios> ratios_for(Index classes, bool wanted) {
  if (!wanted || classes < 2 || classes > most_classes_with_ratios) return {};
  constexpr Index exact_rows = Index{1} << 20;
  if (classes == 2) return {Ratios(exact_rows, 12)};
  return std::vector<Ratios>(static_cast<std::size_t>(classes), Ratios(exact_rows / classes, 8));
}

}  // namespace

double frequency_log_loss(std::span<const double> class_rows) {
  const double total = std::accumulate(class_rows.begin(), class_rows.end(), 0.0);
  double loss = 0;
  for (const double rows : class_rows)
    if (rows > 0) loss -= rows / total * std::log(rows / total);
  return loss;
}

struct Evaluator::State {
  Priors priors;
  EvaluatorOptions options;
  Vector log_others;  ///< of the priors of the other classes
  CompensatedSum unknown = {};
  std::vector<ClassSums> classes;
  std::vector<Ratios> ratios;
  NoveltyCounts novelty;
  double seen = 0;  ///< rows, of any weight
  // Kept over the calls, since memory that is new must be provided by the system first.
  std::vector<RowAnswer> answers = {};
  Vector curves = {};                    ///< the ratios of a call, curve by curve
  std::vector<std::uint32_t> bins = {};  ///< the same where they are binned
  std::vector<LossyRow> worst = {};
  struct Scratch {
    RowFigures::Scratch figures;
    RowDecider::Scratch decision;
  };
  std::vector<Scratch> scratch = {};  ///< of the workers

  const Names& labels() const { return priors.labels(); }
  void require_fit(const LogLikelihoods& scores, std::span<const Index> truth,
                   std::span<const double> weights) const;
  /// Fills `answers` and the ratios of the rows [first, last).
  void work_out(const LogLikelihoods& scores, std::span<const Index> truth,
                const RowDecider& decide, Index first, Index last, Scratch& of_worker);
  double cost(Index truth, Index decided) const {
    return options.costs ? (*options.costs)(truth, decided) : truth == decided ? 0 : 1;
  }
  double cost_of_priors() const;
  bool decides_by_probability() const { return !options.costs && !options.reject; }
  bool all_binned() const;
  /// Adds up the rows of the classes [first, last), in their order.
  void count_rows(Index first, Index last, std::span<const Index> truth,
                  std::span<const double> weights);
  void count(const RowAnswer& answer, Index truth, double weight);
  void note_loss(const RowAnswer& answer, Index truth, double row);
  void fill_confusion(Report& report) const;
  void fill_losses(Report& report) const;
  std::optional<ClassDetection> detection_of(Index c) const;
};

Evaluator::Evaluator(Priors priors, EvaluatorOptions options) {
  const Names labels = priors.labels();
  if (labels.empty()) throw InvalidArgument("an evaluation needs at least one class");
  if (options.costs)
    require_same_labels(labels, "the evaluator", options.costs->labels(), "the costs");
  const Index classes = labels.size();
  Vector log_others = log_of_other_priors(priors);
  state_ = std::make_unique<State>(State{.priors = std::move(priors),
                                         .options = options,
                                         .log_others = std::move(log_others),
                                         .classes = std::vector(at(classes), ClassSums(classes)),
                                         .ratios = ratios_for(labels.size(), options.detection),
                                         .novelty = NoveltyCounts(options.outlier)});
}

Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

void Evaluator::State::require_fit(const LogLikelihoods& scores, std::span<const Index> truth,
                                   std::span<const double> weights) const {
  require_columns(scores);
  require_same_labels(labels(), "the evaluator", scores.labels, "the scores");
  const Index rows = scores.rows();
  const auto require_rows = [rows](Index count, const char* what) {
    if (count != rows)
      throw InvalidArgument("there are " + std::to_string(rows) + " rows of scores, but " +
                                std::to_string(count) + " " + what,
                            "there must be one for each");
  };
  require_rows(std::ssize(truth), "true labels");
  if (!weights.empty()) require_rows(std::ssize(weights), "weights");
  bool fits = true;
  for (const Index c : truth) fits &= c >= -1 && c < labels().size();
  for (Index i = 0; !fits || i < std::ssize(weights); ++i) {
    if (truth[i] < -1 || truth[i] >= labels().size())
      throw InvalidArgument(
          "the true label of row " + std::to_string(i) + " is " + std::to_string(truth[i]),
          "it must be a position among the " + std::to_string(labels().size()) + " labels, or -1");
    if (!weights.empty() && !(weights[i] >= 0 && std::isfinite(weights[i])))
      throw InvalidArgument("the weight of row " + std::to_string(i) + " is " + name_of(weights[i]),
                            "it must be finite and not negative");
  }
}

void Evaluator::State::count(const RowAnswer& answer, Index truth, double weight) {
  ClassSums& of_class = classes[truth];
  of_class.rows.add(weight);
  of_class.log_loss.add(weight * answer.losses.log_loss);
  of_class.brier.add(weight * answer.losses.brier);
  switch (answer.status) {
    case Status::ok:
      of_class.decided.add(answer.decided, weight);
      of_class.cost.add(weight * cost(truth, answer.decided));
      break;
    case Status::reject:
      of_class.rejected.add(weight);
      of_class.cost.add(weight * answer.rejection);
      break;
    case Status::outlier:
      of_class.outliers.add(weight);
      return;
  }
  of_class.costed_rows.add(weight);
}

void Evaluator::State::note_loss(const RowAnswer& answer, Index truth, double row) {
  const double loss = answer.losses.log_loss;
  const auto full = std::ssize(worst) >= options.worst_rows;
  if (full && !(loss > worst.back().log_loss)) return;
  const auto place =
      std::ranges::upper_bound(worst, loss, std::ranges::greater(), &LossyRow::log_loss);
  worst.insert(place, {row, truth, answer.decided, loss});
  if (std::ssize(worst) > options.worst_rows) worst.pop_back();
}

bool Evaluator::State::all_binned() const {
  for (std::size_t c = 0; c < ratios.size(); ++c)
    if (!ratios[c].binned() && !(ratios.size() > 1 && log_others[c] == -infinity)) return false;
  return true;
}

void Evaluator::State::work_out(const LogLikelihoods& scores, std::span<const Index> truth,
                                const RowDecider& decide, Index first, Index last,
                                Scratch& of_worker) {
  const Index rows = scores.rows(), of_curves = std::ssize(ratios);
  const bool binned = all_binned();
  const auto keep = [&](Index c, Index i, const double* values, Index n) {
    if (binned)
      ratios[c].find_bins(values, n, bins.data() + c * rows + i);
    else
      std::copy_n(values, n, curves.data() + c * rows + i);
  };
  const RowFigures figures(priors, log_others, of_curves);
  auto& [of_figures, of_decision] = of_worker;
  for (Index i = first; i < last; i += RowFigures::most_rows) {
    const Index n = std::min(RowFigures::most_rows, last - i);
    figures(scores.values.row(i).data(), truth.subspan(i, n), &answers[i], of_figures);
    for (Index k = i; k < i + n; ++k) {
      RowAnswer& answer = answers[k];
      if (!decides_by_probability() && truth[k] >= 0) {
        const RowDecision decision = decide(scores.values.row(k).data(), k, of_decision);
        answer = {decision.decided, decision.status, decision.expected_cost, answer.losses};
      } else if (options.outlier && decide.is_outlier(k)) {
        answer.status = Status::outlier;
        answer.decided = -1;
      }
    }
    for (Index c = 0; c < of_curves; ++c)
      keep(c, i, of_figures.ratios.data() + c * RowFigures::most_rows, n);
  }
}

void Evaluator::State::count_rows(Index first, Index last, std::span<const Index> truth,
                                  std::span<const double> weights) {
  const auto is_counted = [&](Index i) { return truth[i] >= first && truth[i] < last; };
  const Index size = labels().size();
  if (!weights.empty() || !decides_by_probability() || size > DecidedSums::few) {
    for (Index i = 0; i < std::ssize(truth); ++i)
      if (is_counted(i) && (weights.empty() || weights[i] > 0))
        count(answers[i], truth[i], weights.empty() ? 1 : weights[i]);
    return;
  }
  // Rows that all count as one are whole numbers, which need no compensated sums one by one.
  std::vector<Index> decided(static_cast<std::size_t>((last - first) * size)),
      outliers(static_cast<std::size_t>(last - first));
  for (Index i = 0; i < std::ssize(truth); ++i) {
    if (!is_counted(i)) continue;
    const RowAnswer& answer = answers[i];
    classes[truth[i]].log_loss.add(answer.losses.log_loss);
    classes[truth[i]].brier.add(answer.losses.brier);
    if (answer.status == Status::outlier)
      ++outliers[truth[i] - first];
    else
      ++decided[(truth[i] - first) * size + answer.decided];
  }
  for (Index c = first; c < last; ++c) {
    Index of_class = 0;
    for (Index k = 0; k < size; ++k) {
      const Index rows = decided[(c - first) * size + k];
      of_class += rows;
      classes[c].decided.add(k, static_cast<double>(rows));
      if (k != c) classes[c].cost.add(static_cast<double>(rows));
    }
    classes[c].costed_rows.add(static_cast<double>(of_class));
    classes[c].outliers.add(static_cast<double>(outliers[c - first]));
    classes[c].rows.add(static_cast<double>(of_class + outliers[c - first]));
  }
}

void Evaluator::add(const LogLikelihoods& scores, std::span<const Index> truth,
                    std::span<const double> weights, std::span<const double> outlier_scores,
                    const Execution& execution) {
  State& state = *state_;
  state.require_fit(scores, truth, weights);
  const Index rows = scores.rows(), classes = state.labels().size();
  const auto weight_of = [&](Index i) { return weights.empty() ? 1 : weights[i]; };
  const RowDecider decide(state.priors, state.options.costs ? &*state.options.costs : nullptr,
                          {.reject = state.options.reject,
                           .outlier = state.options.outlier,
                           .outlier_scores = outlier_scores},
                          rows);

  // Exponentials row by row, sums class by class in the order of the rows: on any thread.
  const Index curves = std::ssize(state.ratios);
  const bool binned = state.all_binned();
  if (std::ssize(state.answers) < rows) state.answers.resize(static_cast<std::size_t>(rows));
  if (binned && std::ssize(state.bins) < curves * rows)
    state.bins.resize(static_cast<std::size_t>(curves * rows));
  if (binned)
    state.curves = {};
  else if (state.curves.size() < curves * rows)
    state.curves = Vector(curves * rows);
  const Index piece = rows_of_piece(classes), pieces = (rows + piece - 1) / piece;
  Workers workers(execution, pieces);
  while (std::ssize(state.scratch) < workers.size())
    state.scratch.push_back({RowFigures::Scratch(classes, curves), RowDecider::Scratch(classes)});
  workers.run(pieces, [&](Index k, int worker) {
    state.work_out(scores, truth, decide, k * piece, std::min(rows, (k + 1) * piece),
                   state.scratch[at(worker)]);
  });
  constexpr Index most_groups = 32;
  const Index groups = std::min(classes, most_groups);
  Workers(execution, rows < 1000 ? 1 : groups + curves).run(groups + curves, [&](Index task, int) {
    if (task >= curves) {
      const Index group = task - curves;
      return state.count_rows(group * classes / groups, (group + 1) * classes / groups, truth,
                              weights);
    }
    Ratios& ratios = state.ratios[task];
    if (curves > 1 && state.log_others[task] == -infinity) return;  // the others are ruled out
    if (binned) return ratios.count_bins(state.bins.data() + task * rows, truth, task, weights);
    for (Index i = 0; i < rows; ++i)
      if (truth[i] >= 0 && weight_of(i) > 0)
        ratios.add(state.curves[task * rows + i], truth[i] == task, weight_of(i));
  });
  if (rows > 0 && std::ranges::min(truth) < 0)
    for (Index i = 0; i < rows; ++i)
      if (truth[i] < 0 && weight_of(i) > 0) state.unknown.add(weight_of(i));
  for (Index i = 0; state.options.worst_rows > 0 && i < rows; ++i)
    if (truth[i] >= 0 && weight_of(i) > 0)
      state.note_loss(state.answers[i], truth[i], state.seen + static_cast<double>(i));
  state.seen += static_cast<double>(rows);
  if (classes == 1 && !scores.relative && state.options.detection)
    state.novelty.add(scores, truth, weights, outlier_scores);
}

void Evaluator::State::fill_confusion(Report& report) const {
  const Index count = labels().size();
  if (options.confusion) report.confusion = Matrix(count, count);
  report.recall = report.precision = report.f1 = Vector(count);
  CompensatedSum decided, errors;
  Vector truth(count), decision(count), correct(count);
  for (Index c = 0; c < count; ++c)
    classes[c].decided.for_each([&](Index k, double weight) {
      if (options.confusion) report.confusion(c, k) = weight;
      decided.add(weight);
      if (c != k) errors.add(weight);
      if (c == k) correct[c] = weight;
      truth[c] += weight;
      decision[k] += weight;
    });
  report.decided = decided.value();
  report.errors = std::min(errors.value(), report.decided);  // rounding of weights
  report.error_rate = share(report.errors, report.decided);
  report.error_interval = binomial_interval(report.errors, report.decided);

  double recalls = 0, with_rows = 0, f1s = 0, with_any = 0, weighted = 0;
  double both = 0, truths = 0, decisions = 0;  // shares, for the correlation
  for (Index c = 0; c < count; ++c) {
    const double right = correct[c];
    report.recall[c] = share(right, truth[c]);
    report.precision[c] = share(right, decision[c]);
    report.f1[c] = share(2 * right, truth[c] + decision[c]);
    if (truth[c] > 0) recalls += report.recall[c], ++with_rows;
    if (truth[c] + decision[c] > 0) {
      f1s += report.f1[c], ++with_any;
      weighted += truth[c] * report.f1[c];
    }
    const double p = share(truth[c], report.decided), q = share(decision[c], report.decided);
    both += share(right, report.decided) - p * q;
    truths += p * p;
    decisions += q * q;
  }
  report.balanced_accuracy = share(recalls, with_rows);
  report.macro_f1 = share(f1s, with_any);
  report.weighted_f1 = share(weighted, report.decided);
  report.matthews = share(both, std::sqrt((1 - truths) * (1 - decisions)));
}

/// Of the best decision that looks at no row.
double Evaluator::State::cost_of_priors() const {
  const Index count = labels().size();
  double least = infinity;
  if (options.costs) {
    for (Index k = 0; k < count; ++k) {
      double expected = 0;
      for (Index c = 0; c < count; ++c) expected += priors[c] * cost(c, k);
      least = std::min(least, expected);
    }
    return least;
  }
  Vector before(count), after(count);  // of the classes on both sides: no digits cancel
  for (Index c = 1; c < count; ++c) before[c] = before[c - 1] + priors[c - 1];
  for (Index c = count - 1; c > 0; --c) after[c - 1] = after[c] + priors[c];
  for (Index k = 0; k < count; ++k) least = std::min(least, before[k] + after[k]);
  return least;
}

void Evaluator::State::fill_losses(Report& report) const {
  const Index count = labels().size();
  report.class_rows = Vector(count);
  CompensatedSum rows, log_loss, brier, rejected, outliers, cost, costed_rows;
  double expected_cost = 0, cross_entropy = 0, entropy = 0;
  for (Index c = 0; c < count; ++c) {
    const ClassSums& of = classes[c];
    report.class_rows[c] = of.rows.value();
    rows.add(of.rows.value());
    log_loss.add(of.log_loss.value());
    brier.add(of.brier.value());
    rejected.add(of.rejected.value());
    outliers.add(of.outliers.value());
    cost.add(of.cost.value());
    costed_rows.add(of.costed_rows.value());
    if (!(priors[c] > 0)) continue;
    expected_cost += priors[c] * share(of.cost.value(), of.costed_rows.value());
    cross_entropy += priors[c] * share(of.log_loss.value(), of.rows.value());
    entropy -= priors[c] * priors.log()[c];
  }
  report.rows = rows.value();
  report.rejected = rejected.value();
  report.outliers = outliers.value();
  report.log_loss = share(log_loss.value(), report.rows);
  report.brier = share(brier.value(), report.rows);
  report.frequency_log_loss = frequency_log_loss(report.class_rows);
  if (options.costs || options.reject) report.cost = share(cost.value(), costed_rows.value());

  if (const double least = cost_of_priors(); least > 0 && !std::isnan(expected_cost))
    report.normalized_cost = expected_cost / least;
  if (entropy > 0 && !std::isnan(cross_entropy))
    report.normalized_cross_entropy = cross_entropy / entropy;
}

std::optional<ClassDetection> Evaluator::State::detection_of(Index c) const {
  std::vector<RatioCount> counts = ratios[c].counts();
  const auto some = [&](double RatioCount::*rows) {
    return std::ranges::any_of(counts, [rows](const RatioCount& of) { return of.*rows > 0; });
  };
  if (!some(&RatioCount::target) || !some(&RatioCount::other)) return std::nullopt;
  ClassDetection result{DetectionCurve(std::move(counts)), priors[c]};
  Application application{.prior = priors[c]};
  if (labels().size() == 2) {
    application.miss_cost = cost(0, 1) - cost(0, 0);
    application.false_alarm_cost = cost(1, 0) - cost(1, 1);
  }
  if (priors[c] > 0 && priors[c] < 1 && application.miss_cost > 0 &&
      application.false_alarm_cost > 0)
    result.application = application;
  return result;
}

Report Evaluator::report(const Execution& execution) const {
  const State& state = *state_;
  Report report;
  report.labels = state.labels();
  report.unknown_label_rows = state.unknown.value();
  report.worst = state.worst;
  state.fill_confusion(report);
  state.fill_losses(report);
  report.detection.resize(state.ratios.size());
  Workers(execution, std::ssize(state.ratios)).run(std::ssize(state.ratios), [&](Index c, int) {
    report.detection[c] = state.detection_of(c);
  });
  report.ratios_are_binned = std::ranges::any_of(state.ratios, &Ratios::binned);
  if (state.labels().size() == 2 && !report.detection.empty() && report.detection[0]) {
    report.auc = report.detection[0]->curve.auc();
    report.equal_error_rate = report.detection[0]->curve.equal_error_rate();
  }
  report.novelty = state.novelty.result();
  return report;
}

}  // namespace suffice
