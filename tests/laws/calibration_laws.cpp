// What calibrations obey for every family: scores of blocks add up, a calibration changes
// posteriors and decisions and nothing else, and priors still come last.

#include <cmath>
#include <vector>

#include "compare.hpp"
#include "generate.hpp"

namespace suffice::testing {
namespace {

constexpr Size calibration_size{.rows = 200, .features = 7, .classes = 3};

Model calibrated_model(const FamilyCase& family, const Table& t) {
  const Model model =
      estimate(statistics_of(t, family.options()), {.covariance = family.structures().front()});
  Calibration calibration{.scale = Vector(std::ssize(model.schema().blocks())),
                          .offset = Vector(model.labels().size())};
  for (Index b = 0; b < calibration.scale.size(); ++b)
    calibration.scale[b] = b == 1 ? 0 : 0.3 + 0.2 * static_cast<double>(b);
  for (Index c = 0; c < calibration.offset.size(); ++c)
    calibration.offset[c] =
        static_cast<double>(c) - 0.5 * static_cast<double>(model.labels().size() - 1);
  return model.with_calibration(calibration);
}

TEST_P(Laws, ScoresOfBlocksAddUpToTheLastBit) {
  check_law(
      GetParam(),
      [&](const Table& t) {
        const Model model = calibrated_model(GetParam(), t);
        if (added_up(block_scores(model, t.block())).values !=
            log_likelihood(model, t.block()).values)
          return AssertionFailure() << "the blocks do not add up";
        return AssertionSuccess();
      },
      calibration_size);
}

TEST_P(Laws, ACalibrationLeavesTheDensitiesAlone) {
  check_law(
      GetParam(),
      [&](const Table& t) {
        const Model with = calibrated_model(GetParam(), t), without = with.with_calibration({});
        const LogLikelihoods a = log_likelihood(with, t.block()),
                             b = log_likelihood(without, t.block());
        const Priors priors = Priors::from_counts(with);
        if (!(a.values == b.values)) return AssertionFailure() << "other log-likelihoods";
        if (!(log_density(a, priors) == log_density(b, priors)))
          return AssertionFailure() << "other densities";
        if (!(sample(with, 5, priors.probabilities()).values ==
              sample(without, 5, priors.probabilities()).values))
          return AssertionFailure() << "other samples";
        if (!(with.densities() == without.densities()))
          return AssertionFailure() << "other parameters";
        if (!(model_from_bytes(to_bytes(with)) == with))
          return AssertionFailure() << "another model after saving";
        return AssertionSuccess();
      },
      calibration_size);
}

TEST_P(Laws, ACalibrationOfOnesChangesNoBit) {
  check_law(
      GetParam(),
      [&](const Table& t) {
        const Model model = calibrated_model(GetParam(), t).with_calibration({});
        Calibration ones{.scale = Vector(std::ssize(model.schema().blocks())),
                         .offset = Vector(model.labels().size())};
        std::ranges::fill(ones.scale, 1.0);
        for (const bool relative : {false, true})
          if (!(calibrated_scores(model.with_calibration(ones), t.block(), {.relative = relative})
                    .values == log_likelihood(model, t.block(), {.relative = relative}).values))
            return AssertionFailure() << "other scores";
        return AssertionSuccess();
      },
      calibration_size);
}

TEST_P(Laws, CalibratedPosteriorsFollowThePriors) {
  check_law(
      GetParam(),
      [&](const Table& t) {
        const Model model = calibrated_model(GetParam(), t);
        const Index classes = model.labels().size();
        const LogLikelihoods scores = calibrated_scores(model, t.block());
        const Priors from = Priors::from_counts(model), to = Priors::uniform(model);
        const Matrix p = posteriors(scores, from), q = posteriors(scores, to);
        for (Index i = 0; i < p.rows(); ++i) {
          double total = 0;
          for (Index c = 0; c < classes; ++c)
            if (from[c] > 0) total += p(i, c) * to[c] / from[c];
          for (Index c = 0; c < classes; ++c) {
            if (!(from[c] > 0)) continue;
            const double expected = p(i, c) * to[c] / from[c] / total;
            if (!(std::abs(q(i, c) - expected) <= 1e-9))
              return AssertionFailure() << "row " << i << ": " << q(i, c) << ", not " << expected;
          }
        }
        return AssertionSuccess();
      },
      calibration_size);
}

TEST_P(Laws, CalibratedThreadsGiveTheSameBits) {
  check_law(
      GetParam(),
      [&](const Table& t) {
        const Model model = calibrated_model(GetParam(), t);
        const Matrix one = calibrated_scores(model, t.block(), {}, {.threads = 1}).values;
        for (const int threads : {2, 5})
          if (!(calibrated_scores(model, t.block(), {}, {.threads = threads}).values == one))
            return AssertionFailure() << threads << " threads give other scores";
        return AssertionSuccess();
      },
      calibration_size);
}

}  // namespace
}  // namespace suffice::testing
