#include "suffice/predict/predictor.hpp"

#include <algorithm>
#include <utility>

#include "decide/posteriors_into.hpp"
#include "decide/same_labels.hpp"
#include "score/best_classes.hpp"
#include "score/score_rows.hpp"
#include "score/shared_terms.hpp"
#include "suffice/score/block_scores.hpp"
#include "suffice/score/outlier.hpp"

namespace suffice {

struct Predictor::State {
  State(const Model& of, PredictorOptions given);

  bool finds_most_probable() const { return !options.costs && !options.reject && !options.outlier; }
  /// Whether anything but densities is wanted.
  bool needs_scores() const {
    const Wanted& w = options.wanted;
    return w.decisions || w.posteriors || w.log_posteriors || w.ratios || w.scores;
  }
  /// Whether log p(x | c) is part of the answers.
  bool keeps_plain() const {
    const Wanted& w = options.wanted;
    return w.uncalibrated || (w.scores && !model.calibration()) || (w.log_likelihoods && !twice);
  }
  /// What decisions are made of.
  LogLikelihoods& compared() {
    return model.calibration() ? answers.calibrated
           : twice             ? answers.relative
                               : answers.log_likelihoods;
  }

  void score(const RowBlock& rows, const Execution& execution);
  void decide_scored(const Execution& execution);
  void decide_at_once(const RowBlock& rows, const Execution& execution);
  void set_classes(std::vector<Index> best);
  void make_posteriors(const Execution& execution);

  const Model& model;
  PredictorOptions options;
  bool relative = true;  ///< terms that all classes share are left out of all scores
  bool twice = false;    ///< scores with these terms, and without them for what compares classes
  bool classes_only = true;  ///< no scores are needed
  std::optional<OutlierScorer> outliers;
  std::optional<TypicalityScorer> typicality;
  Predictions answers;
  Matrix* taken = nullptr;  ///< the answer that has the memory of the scores
};

Predictor::State::State(const Model& of, PredictorOptions given)
    : model(of), options(std::move(given)) {
  Wanted& wanted = options.wanted;
  wanted.outlier_scores |= options.outlier.has_value();
  if (wanted.log_likelihoods) require_densities(model, "log_likelihood");
  if (wanted.log_densities) require_densities(model, "log_density");
  if (wanted.outlier_scores) require_densities(model, "an outlier score");
  if (wanted.typicality) require_densities(model, "typicality");
  relative = !(wanted.log_likelihoods || wanted.log_densities || wanted.outlier_scores ||
               wanted.typicality);
  classes_only = relative && finds_most_probable() && wanted.decisions &&
                 !(wanted.posteriors || wanted.log_posteriors || wanted.ratios || wanted.scores ||
                   wanted.uncalibrated);
  // Far rows have digits left without these terms only. One class is judged by log p(x).
  twice = !relative && needs_scores() && model.labels().size() > 1 && has_shared_terms(model);
  const bool needs_priors = wanted.decisions || wanted.posteriors || wanted.log_posteriors ||
                            wanted.ratios || wanted.log_densities || wanted.outlier_scores;
  if (!options.priors && needs_priors) options.priors = Priors::from_counts(model);
  if (options.priors)
    require_same_labels(model.labels(), "the model", options.priors->labels(), "the priors");
  if (options.costs)
    require_same_labels(model.labels(), "the model", options.costs->labels(), "the costs");
  if (wanted.outlier_scores)
    outliers.emplace(model, options.priors->probabilities(),
                     OutlierOptions{.seed = options.seed,
                                    .samples = options.samples,
                                    .level = options.outlier.value_or(0)});
  if (wanted.typicality)
    typicality.emplace(model, OutlierOptions{.seed = options.seed, .samples = options.samples});
}

void Predictor::State::score(const RowBlock& rows, const Execution& execution) {
  const auto score_into = [&](LogLikelihoods& to, bool without_shared) {
    const ScoreOptions how{.relative = without_shared, .missing = options.missing};
    if (to.values.empty()) to.values = Matrix();  // moved out of the last answers
    score_rows({.model = model, .rows = rows, .options = how}, execution, to);
  };
  if (twice) score_into(answers.log_likelihoods, false);
  if (model.calibration() && needs_scores()) {
    const ScoreOptions how{.relative = relative || twice, .missing = options.missing};
    BlockScores blocks = block_scores(model, rows, how, execution);
    if (keeps_plain() || !how.relative)
      (twice ? answers.relative : answers.log_likelihoods) = added_up(blocks);
    answers.calibrated = calibrated(std::move(blocks), *model.calibration(), execution);
  } else if (twice) {
    score_into(answers.relative, true);
  } else {
    score_into(answers.log_likelihoods, relative);
  }
}

/// The first of the most probable ones. A row that no class can have gets the most frequent class.
void Predictor::State::set_classes(std::vector<Index> best) {
  const Vector& log_prior = options.priors->log();
  const Index most_frequent = std::ranges::max_element(log_prior) - log_prior.begin();
  std::ranges::replace(best, Index{-1}, most_frequent);
  answers.decisions.status.assign(best.size(), Status::ok);
  answers.decisions.classes = std::move(best);
  answers.decisions.labels = model.labels();
}

void Predictor::State::decide_at_once(const RowBlock& rows, const Execution& execution) {
  BestClasses best = best_classes(model, rows, options.priors->log(), options.missing, execution);
  set_classes(std::move(best.classes));
  answers.unknown_levels = std::move(best.unknown_levels);
  answers.unprojected_rows = best.unprojected_rows;
}

void Predictor::State::decide_scored(const Execution& execution) {
  const LogLikelihoods& scores = answers.scores();
  if (finds_most_probable())
    return set_classes(best_classes(scores.values, options.priors->log(), execution));
  const DecideOptions how{.reject = options.reject,
                          .outlier = options.outlier,
                          .outlier_scores = answers.outlier_scores};
  answers.decisions = options.costs
                          ? decide(scores, *options.priors, *options.costs, how, execution)
                          : decide(scores, *options.priors, how, execution);
}

/// The last of them takes the memory of the scores where nothing else needs these.
void Predictor::State::make_posteriors(const Execution& execution) {
  const Wanted& wanted = options.wanted;
  Matrix& scores = compared().values;
  const bool keeps = wanted.scores || (!model.calibration() && keeps_plain());
  const auto make = [&](Matrix& to, bool takes, const auto& fill) {
    if (takes) to = std::exchange(scores, Matrix()), taken = &to;
    fill(to, takes ? to : scores);
  };
  const auto fill_with = [&](bool log) {
    return [&, log](Matrix& to, const Matrix& from) {
      posteriors_into(to, from, *options.priors, log, execution);
    };
  };
  if (wanted.ratios)
    make(
        answers.ratios, !keeps && !wanted.posteriors && !wanted.log_posteriors && scores.cols() > 2,
        [&](Matrix& to, const Matrix& from) { ratios_into(to, from, *options.priors, execution); });
  if (wanted.posteriors)
    make(answers.posteriors, !keeps && !wanted.log_posteriors, fill_with(false));
  if (wanted.log_posteriors) make(answers.log_posteriors, !keeps, fill_with(true));
}

Predictor::Predictor(const Model& model, PredictorOptions options)
    : state_(new State(model, std::move(options))) {}
Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;

Predictions& Predictor::operator()(const RowBlock& rows, const Execution& execution) {
  State& s = *state_;
  Predictions& answers = s.answers;
  if (s.classes_only) {
    s.decide_at_once(rows, execution);
    return answers;
  }
  if (Matrix* const last = std::exchange(s.taken, nullptr); last && !s.model.calibration())
    s.compared().values = std::move(*last);
  s.score(rows, execution);
  const LogLikelihoods& scores = answers.scores();
  answers.unknown_levels = scores.unknown_levels;
  answers.unprojected_rows = scores.unprojected_rows;
  const LogLikelihoods& plain = answers.log_likelihoods;
  if (s.outliers) answers.outlier_scores = (*s.outliers)(rows, plain, execution);
  if (s.typicality) answers.typicality = (*s.typicality)(rows, plain, execution);
  if (s.options.wanted.log_densities)
    answers.log_densities = log_density(plain, *s.options.priors, execution);
  if (s.options.wanted.decisions) s.decide_scored(execution);
  s.make_posteriors(execution);
  return answers;
}

Predictions predict(const Model& model, const RowBlock& rows, const PredictorOptions& options,
                    const Execution& execution) {
  return std::move(Predictor(model, options)(rows, execution));
}

}  // namespace suffice
