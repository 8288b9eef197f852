// How good a model's answers are on labelled rows.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "data/weights.hpp"
#include "figures.hpp"
#include "rows.hpp"
#include "suffice/core/error.hpp"
#include "suffice/data/positions.hpp"
#include "suffice/draw/page.hpp"
#include "suffice/predict/predictor.hpp"
#include "suffice/report/report_figures.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

/// The evaluator of a model, and that of the model without its calibration.
class ModelEvaluator {
 public:
  ModelEvaluator(const Model& model, const Doubles& probabilities,
                 const std::optional<Doubles>& costs, std::optional<double> reject,
                 std::optional<double> outlier, std::uint64_t seed)
      : model_(model),
        options_{.reject = reject, .outlier = outlier, .worst_rows = 20},
        priors_(model.labels(), vector_of(probabilities, "the priors")),
        predictor_(model,
                   {.priors = priors_,
                    .outlier = outlier,
                    .wanted = {.decisions = false,
                               .log_likelihoods = model.labels().size() == 1,  // judged by log p(x)
                               .scores = true,
                               .uncalibrated = model.calibration().has_value()},
                    .seed = seed}) {
    if (costs) options_.costs = Costs(model.labels(), matrix_of(*costs, "the costs"));
    evaluator_ = std::make_unique<Evaluator>(priors_, options_);
    if (model.calibration())
      before_ = std::make_unique<Evaluator>(
          priors_,
          EvaluatorOptions{.costs = options_.costs, .detection = false, .confusion = false});
  }

  void add(const Rows& rows, int threads) {
    call(threads, rows.size(), [&](const Execution& execution) {
      const RowBlock& block = rows.block();
      const Predictions& answers = predictor_(block, execution);
      const std::vector<Index> truth = positions(model_.labels(), block.labels());
      Vector scratch;
      const double* given = read_weights(block, scratch);
      const std::span<const double> weights(given, given ? truth.size() : 0);
      if (before_) before_->add(answers.plain(), truth, weights, {}, execution);
      evaluator_->add(answers.scores(), truth, weights, answers.outlier_scores, execution);
    });
  }

  nb::dict picture(const std::string& kind) const {
    const Report report = evaluator_->report();
    if (kind == "bayes_error") return to_python(plot::bayes_error(report));
    if (kind == "confusion") return to_python(plot::confusion(report));
    if (kind == "det") return to_python(plot::det(report));
    if (kind == "ratios") return to_python(plot::ratios(report));
    if (kind == "reliability") return to_python(plot::reliability(report));
    if (kind == "roc") return to_python(plot::roc(report));
    throw InvalidArgument("there is no picture '" + kind + "'");
  }

  Report report() const { return evaluator_->report(); }
  std::optional<double> uncalibrated_log_loss() const {
    if (!before_) return std::nullopt;
    return before_->report().log_loss;
  }

  nb::dict finish() const {
    nb::dict result = to_python(report_figures(evaluator_->report()));
    result["prior"] = to_numpy(Vector(priors_.probabilities()));
    if (!before_) return result;
    const Report report = before_->report();
    result["uncalibrated"] = to_python(std::vector<Figure>{
        {"error_rate", report.error_rate}, {"log_loss", report.log_loss}, {"brier", report.brier}});
    return result;
  }

 private:
  const Model& model_;
  EvaluatorOptions options_;
  Priors priors_;
  Predictor predictor_;
  std::unique_ptr<Evaluator> evaluator_, before_;
};

/// The page about models that were evaluated, or about models alone.
std::string page_of(const std::vector<const Model*>& models,
                    const std::vector<const ModelEvaluator*>& evaluators,
                    const std::vector<std::string>& names,
                    const std::vector<std::vector<std::string>>& words, const Reservoir* reservoir,
                    const std::optional<Doubles>& probabilities,
                    const std::optional<Doubles>& costs, const std::string& data) {
  Page page{.models = {}, .data = data};
  const Names& labels = models.front()->labels();
  if (probabilities) page.priors = Priors(labels, vector_of(*probabilities, "the priors"));
  if (costs) page.costs = Costs(labels, matrix_of(*costs, "the costs"));
  std::optional<SampledRows> sample;
  if (reservoir) sample = reservoir->sample();
  page.rows = sample ? &*sample : nullptr;
  std::vector<Report> reports;
  for (const ModelEvaluator* evaluator : evaluators) reports.push_back(evaluator->report());
  for (std::size_t k = 0; k < models.size(); ++k) {
    page.models.push_back({.name = names[k], .model = *models[k], .words = words[k]});
    if (evaluators.empty()) continue;
    page.models[k].report = &reports[k];
    page.models[k].uncalibrated_log_loss = evaluators[k]->uncalibrated_log_loss();
  }
  std::string html;
  call(0, 1e6, [&](const Execution& execution) { html = report_page(page, execution); });
  return html;
}

}  // namespace

void bind_evaluate(nb::module_& module) {
  nb::class_<ModelEvaluator>(module, "Evaluator", "Compares a model's answers with known labels.")
      .def(nb::init<const Model&, const Doubles&, const std::optional<Doubles>&,
                    std::optional<double>, std::optional<double>, std::uint64_t>(),
           "model"_a, "priors"_a, "costs"_a.none(), "reject"_a.none(), "outlier"_a.none(), "seed"_a,
           nb::keep_alive<1, 2>())
      .def("add", &ModelEvaluator::add, "rows"_a, "threads"_a = 0)
      .def("picture", &ModelEvaluator::picture, "kind"_a)
      .def("finish", &ModelEvaluator::finish);
  module.def("page", page_of, "models"_a, "evaluators"_a, "names"_a, "words"_a,
             "reservoir"_a.none(), "priors"_a.none(), "costs"_a.none(), "data"_a);
}

}  // namespace suffice::python
