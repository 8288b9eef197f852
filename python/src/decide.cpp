// From rows to answers: log-likelihoods, posteriors, ratios, decisions, outlier scores.

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "rows.hpp"
#include "suffice/core/error.hpp"
#include "suffice/decide/estimate_priors.hpp"
#include "suffice/predict/predictor.hpp"
#include "suffice/score/block_scores.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

Missing missing(bool allow) { return allow ? Missing::allow : Missing::refuse; }

Priors priors_of(const Model& model, const Doubles& probabilities) {
  const Vector given = vector_of(probabilities, "the priors");
  return Priors(model.labels(), std::span<const double>(given.begin(), given.end()));
}

double work_of(const Model& model, const Rows& rows) {
  return rows.size() * static_cast<double>(model.labels().size());
}

Predictions predicted(const Model& model, const Rows& rows, const PredictorOptions& options,
                      int threads) {
  const double samples = options.wanted.outlier_scores ? static_cast<double>(options.samples) : 0;
  Predictions answers;
  call(threads, work_of(model, rows) + samples, [&](const Execution& execution) {
    answers = predict(model, rows.block(), options, execution);
  });
  return answers;
}

std::tuple<OutArray, OutClasses, Index> scored(const Model& model, const Rows& rows, int threads,
                                               bool allow_missing, bool relative) {
  const Wanted wanted{.decisions = false, .log_likelihoods = !relative, .uncalibrated = relative};
  Predictions answers =
      predicted(model, rows, {.wanted = wanted, .missing = missing(allow_missing)}, threads);
  return {to_numpy(std::move(answers.log_likelihoods.values)),
          to_numpy(std::move(answers.unknown_levels)), answers.unprojected_rows};
}

OutClasses best(const Model& model, const Rows& rows, const Doubles& offset, int threads,
                bool allow_missing) {
  const Vector offsets = vector_of(offset, "the offsets");
  std::vector<Index> classes;
  call(threads, work_of(model, rows), [&](const Execution& execution) {
    classes = best_class(model, rows.block(), {offsets.begin(), offsets.end()},
                         {.missing = missing(allow_missing)}, execution);
  });
  return to_numpy(std::move(classes));
}

/// The answers of one kind, under priors.
template <auto member>
auto answers_of(const Model& model, const Rows& rows, const Doubles& probabilities, Wanted wanted,
                int threads, bool allow_missing) {
  wanted.decisions = false;
  Predictions answers = predicted(model, rows,
                                  {.priors = priors_of(model, probabilities),
                                   .wanted = wanted,
                                   .missing = missing(allow_missing)},
                                  threads);
  return to_numpy(std::move(answers.*member));
}

OutArray posterior(const Model& model, const Rows& rows, const Doubles& probabilities, int threads,
                   bool allow_missing, bool log) {
  return log ? answers_of<&Predictions::log_posteriors>(
                   model, rows, probabilities, {.log_posteriors = true}, threads, allow_missing)
             : answers_of<&Predictions::posteriors>(model, rows, probabilities,
                                                    {.posteriors = true}, threads, allow_missing);
}

OutArray density(const Model& model, const Rows& rows, const Doubles& probabilities, int threads,
                 bool allow_missing) {
  return answers_of<&Predictions::log_densities>(model, rows, probabilities,
                                                 {.log_densities = true}, threads, allow_missing);
}

OutArray ratios(const Model& model, const Rows& rows, const Doubles& probabilities, int threads,
                bool allow_missing) {
  return answers_of<&Predictions::ratios>(model, rows, probabilities, {.ratios = true}, threads,
                                          allow_missing);
}

std::tuple<OutClasses, OutBytes> decided(const Model& model, const Rows& rows,
                                         const Doubles& probabilities,
                                         const std::optional<Doubles>& cost,
                                         std::optional<double> reject,
                                         std::optional<double> outlier, std::uint64_t seed,
                                         int threads, bool allow_missing) {
  PredictorOptions options{.priors = priors_of(model, probabilities),
                           .reject = reject,
                           .outlier = outlier,
                           .missing = missing(allow_missing),
                           .seed = seed};
  if (cost) options.costs = Costs(model.labels(), matrix_of(*cost, "the costs"));
  Decisions decisions = predicted(model, rows, options, threads).decisions;
  std::vector<std::uint8_t> status(decisions.status.size());
  std::transform(decisions.status.begin(), decisions.status.end(), status.begin(),
                 [](Status s) { return static_cast<std::uint8_t>(s); });
  return {to_numpy(std::move(decisions.classes)), to_numpy(std::move(status))};
}

OutArray outlier_scores(const Model& model, const Rows& rows, const Doubles& probabilities,
                        std::uint64_t seed, Index samples, int threads) {
  Predictions answers = predicted(model, rows,
                                  {.priors = priors_of(model, probabilities),
                                   .wanted = {.decisions = false, .outlier_scores = true},
                                   .seed = seed,
                                   .samples = samples},
                                  threads);
  return to_numpy(std::move(answers.outlier_scores));
}

OutArray typicalities(const Model& model, const Rows& rows, std::uint64_t seed, Index samples,
                      int threads) {
  Predictions answers = predicted(
      model, rows,
      {.wanted = {.decisions = false, .typicality = true}, .seed = seed, .samples = samples},
      threads);
  return to_numpy(std::move(answers.typicality));
}

}  // namespace

void bind_decide(nb::module_& module, nb::class_<Model>& model) {
  nb::class_<PriorsEstimator>(module, "PriorsEstimator", "The class shares of rows.")
      .def("__init__", [](PriorsEstimator* place,
                          const Model& of) { new (place) PriorsEstimator(of.labels()); })
      .def(
          "add",
          [](PriorsEstimator& self, const Model& of, const Rows& rows, int threads) {
            call(threads, work_of(of, rows), [&](const Execution& execution) {
              self.add(calibrated_scores(of, rows.block(), {.relative = true}, execution));
            });
          },
          "model"_a, "rows"_a, "threads"_a = 0)
      .def(
          "finish",
          [](const PriorsEstimator& self, const Model& of, double confidence, int threads) {
            std::optional<PriorsEstimate> found;
            call(threads, 1e9, [&](const Execution& execution) {
              found = self.finish(Priors::from_counts(of), confidence, execution);
            });
            return std::tuple(to_numpy(Vector(found->priors.probabilities())),
                              to_numpy(std::move(found->low)), to_numpy(std::move(found->high)),
                              found->rows, found->impossible, found->gain);
          },
          "model"_a, "confidence"_a = 0.95, "threads"_a = 0);
  model
      .def("log_likelihood", scored, "rows"_a, "threads"_a = 0, "allow_missing"_a = true,
           "relative"_a = false)
      .def("best_class", best, "rows"_a, "offset"_a, "threads"_a = 0, "allow_missing"_a = true)
      .def("posterior", posterior, "rows"_a, "priors"_a, "threads"_a = 0, "allow_missing"_a = true,
           "log"_a = false)
      .def("log_density", density, "rows"_a, "priors"_a, "threads"_a = 0, "allow_missing"_a = true)
      .def("llr", ratios, "rows"_a, "priors"_a, "threads"_a = 0, "allow_missing"_a = true)
      .def("decide", decided, "rows"_a, "priors"_a, "costs"_a = nb::none(), "reject"_a = nb::none(),
           "outlier"_a = nb::none(), "seed"_a = 0, "threads"_a = 0, "allow_missing"_a = true)
      .def("typicality", typicalities, "rows"_a, "seed"_a = 0, "samples"_a = 20000, "threads"_a = 0)
      .def("outlier_score", outlier_scores, "rows"_a, "priors"_a, "seed"_a = 0, "samples"_a = 20000,
           "threads"_a = 0);
}

}  // namespace suffice::python
