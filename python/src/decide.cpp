// From rows to answers: log-likelihoods, posteriors, ratios, decisions, outlier scores.

#include "suffice/decide/decide.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "rows.hpp"
#include "suffice/core/error.hpp"
#include "suffice/decide/estimate_priors.hpp"
#include "suffice/score/block_scores.hpp"
#include "suffice/score/outlier.hpp"

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

std::tuple<OutArray, OutClasses, Index> scored(const Model& model, const Rows& rows, int threads,
                                               bool allow_missing, bool relative) {
  if (!relative) require_densities(model, "log_likelihood");
  LogLikelihoods scores;
  call(threads, work_of(model, rows), [&](const Execution& execution) {
    scores = log_likelihood(model, rows.block(),
                            {.relative = relative, .missing = missing(allow_missing)}, execution);
  });
  return {to_numpy(std::move(scores.values)), to_numpy(std::move(scores.unknown_levels)),
          scores.unprojected_rows};
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

OutArray posterior(const Model& model, const Rows& rows, const Doubles& probabilities, int threads,
                   bool allow_missing, bool log) {
  const Priors priors = priors_of(model, probabilities);
  Matrix result;
  call(threads, work_of(model, rows), [&](const Execution& execution) {
    LogLikelihoods scores = calibrated_scores(
        model, rows.block(), {.relative = true, .missing = missing(allow_missing)}, execution);
    result = log ? log_posteriors(std::move(scores), priors, execution)
                 : posteriors(std::move(scores), priors, execution);
  });
  return to_numpy(std::move(result));
}

OutArray density(const Model& model, const Rows& rows, const Doubles& probabilities, int threads,
                 bool allow_missing) {
  require_densities(model, "log_density");
  const Priors priors = priors_of(model, probabilities);
  Vector result;
  call(threads, work_of(model, rows), [&](const Execution& execution) {
    result = log_density(
        log_likelihood(model, rows.block(), {.missing = missing(allow_missing)}, execution), priors,
        execution);
  });
  return to_numpy(std::move(result));
}

OutArray ratios(const Model& model, const Rows& rows, const Doubles& probabilities, int threads,
                bool allow_missing) {
  const Priors priors = priors_of(model, probabilities);
  Matrix result;
  call(threads, work_of(model, rows), [&](const Execution& execution) {
    result = log_likelihood_ratios(
        calibrated_scores(model, rows.block(),
                          {.relative = true, .missing = missing(allow_missing)}, execution),
        priors, execution);
  });
  return to_numpy(std::move(result));
}

std::tuple<OutClasses, OutBytes, OutArray> decided(
    const Model& model, const Rows& rows, const Doubles& probabilities,
    const std::optional<Doubles>& cost, std::optional<double> reject, std::optional<double> outlier,
    std::uint64_t seed, int threads, bool allow_missing) {
  const Priors priors = priors_of(model, probabilities);
  const Costs costs =
      cost ? Costs(model.labels(), matrix_of(*cost, "the costs")) : Costs::zero_one(model.labels());
  Decisions decisions;
  call(threads, work_of(model, rows), [&](const Execution& execution) {
    const ScoreOptions score_options{.relative = !outlier, .missing = missing(allow_missing)};
    BlockScores blocks = block_scores(model, rows.block(), score_options, execution);
    DecideOptions options{.reject = reject, .outlier = outlier};
    Vector tails;
    if (outlier) {
      tails = outlier_score(model, rows.block(), added_up(blocks), priors.probabilities(),
                            {.seed = seed, .level = *outlier}, execution);
      options.outlier_scores = {tails.begin(), tails.end()};
    }
    const LogLikelihoods scores = model.calibration()
                                      ? calibrated(std::move(blocks), *model.calibration())
                                      : added_up(std::move(blocks));
    decisions = decide(scores, priors, costs, options, execution);
  });
  std::vector<std::uint8_t> status(decisions.status.size());
  std::transform(decisions.status.begin(), decisions.status.end(), status.begin(),
                 [](Status s) { return static_cast<std::uint8_t>(s); });
  return {to_numpy(std::move(decisions.classes)), to_numpy(std::move(status)),
          to_numpy(std::move(decisions.expected_cost))};
}

OutArray outlier_scores(const Model& model, const Rows& rows, const Doubles& probabilities,
                        std::uint64_t seed, Index samples, int threads) {
  const Priors priors = priors_of(model, probabilities);
  Vector result;
  call(threads, work_of(model, rows) + static_cast<double>(samples),
       [&](const Execution& execution) {
         const LogLikelihoods scores = log_likelihood(model, rows.block(), {}, execution);
         result = outlier_score(model, rows.block(), scores, priors.probabilities(),
                                {.seed = seed, .samples = samples}, execution);
       });
  return to_numpy(std::move(result));
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
      .def("outlier_score", outlier_scores, "rows"_a, "priors"_a, "seed"_a = 0, "samples"_a = 20000,
           "threads"_a = 0);
}

}  // namespace suffice::python
