#include "web/session.hpp"

#include "cli/verbs/files.hpp"

namespace suffice::web {
namespace {

/// Where the application lies on the curves: per class, or the first of two.
cli::Json operating_points(const Report& report) {
  cli::Json points = cli::Json::array();
  for (std::size_t c = 0; c < report.detection.size(); ++c) {
    const std::optional<ClassDetection>& of = report.detection[c];
    if (!of || !of->application) continue;
    const double log_odds = of->application->log_odds();
    const ErrorRates rates = of->curve.rates(-log_odds);
    points.push_back({{"label", report.labels[static_cast<Index>(c)]},
                      {"prior", cli::to_json(of->prior)},
                      {"log_odds", cli::to_json(log_odds)},
                      {"miss", cli::to_json(rates.miss)},
                      {"false_alarm", cli::to_json(rates.false_alarm)}});
  }
  return points;
}

}  // namespace

Session::Session(const cli::Context& context) : model_(cli::open_model(context.options.model)) {
  const cli::Options& options = context.options;
  const cli::Decision decision = cli::decision_for(options.decision, model_, context);
  cli::Table table(options.input, context.execution);
  cli::require_columns(table, model_.schema());
  const std::string label = cli::label_column(options, model_, table);
  const cli::Plan plan = cli::plan_scoring(table, model_.schema(), label, options.columns.weight);
  const auto keep = [&](const cli::EvaluatedRows& rows) {
    const Predictions& answers = rows.scored.answers;
    blocks_.push_back(
        {.scores = answers.scores(),
         .uncalibrated = model_.calibration() ? answers.log_likelihoods : LogLikelihoods{},
         .truth = {rows.truth.begin(), rows.truth.end()},
         .weights = {rows.weights.begin(), rows.weights.end()},
         .outlier_scores = answers.outlier_scores});
  };
  evaluated_ = cli::evaluate_table(context, table, plan, model_, decision, {.use_rows = keep});
  cli::require_known_rows(evaluated_, table, label);
}

cli::Json Session::figures(const cli::Context& context, bool all) const {
  const cli::Decision decision = cli::decision_for(context.options.decision, model_, context);
  if (decision.outlier && blocks_.front().outlier_scores.empty())
    throw InvalidArgument("the session has no outlier scores",
                          "open it with " + Option{"outlier", "0.01"});
  const bool detection = all || model_.labels().size() == 2;
  Evaluator evaluator(decision.priors, {.costs = decision.costs,
                                        .reject = decision.reject,
                                        .outlier = decision.outlier,
                                        .detection = detection});
  std::optional<Evaluator> before;
  if (model_.calibration())
    before.emplace(decision.priors, EvaluatorOptions{.costs = decision.costs, .detection = false});
  for (const Block& block : blocks_) {
    evaluator.add(block.scores, block.truth, block.weights, block.outlier_scores,
                  context.execution);
    if (before) before->add(block.uncalibrated, block.truth, block.weights, {}, context.execution);
  }
  cli::Evaluated evaluated{.report = evaluator.report(),
                           .unlabelled_rows = evaluated_.unlabelled_rows,
                           .unknown_labels = evaluated_.unknown_labels};
  if (before) evaluated.uncalibrated = before->report();
  cli::Json json = cli::evaluation_json(evaluated, decision, {});
  json["confusion"]["matrix"] = cli::to_json(evaluated.report.confusion);
  if (detection) json["operating_point"] = operating_points(evaluated.report);
  return json;
}

}  // namespace suffice::web
