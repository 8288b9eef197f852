// Calibrated scores, models that carry a calibration, and calibrating by rows.

#include "suffice/models/calibration.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "calibrate/pav.hpp"
#include "suffice/suffice.hpp"

namespace suffice::calibration_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Numbers and a category; classes a and b, or a, b and c.
struct Rows {
  Matrix x;
  std::vector<std::string> color, y;

  explicit Rows(Index n, Index classes = 2, unsigned seed = 5) : x(n, 2) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (Index i = 0; i < n; ++i) {
      const auto c = static_cast<int>(i % classes);
      x(i, 0) = normal(random) + c;
      x(i, 1) = x(i, 0) + 0.1 * normal(random);
      color.push_back(random() % 10 < static_cast<unsigned>(3 + 3 * c) ? "red" : "blue");
      y.emplace_back(1, static_cast<char>('a' + c));
    }
  }
  RowBlock block() const {
    RowBlock rows{MatrixView(x)};
    return rows.feature(Column(color)).labels(Column(y));
  }
  static Schema schema() {
    return Schema({{.name = "u"}, {.name = "v"}, {.name = "color", .family = Family::categorical}});
  }
  Model model(Covariance covariance = Covariance::diag) const {
    return estimate(Statistics(schema()).update(block()),
                    {.covariance = covariance, .shrinkage = Shrinkage::none()});
  }
};

TEST(BlockScores, AddUpToTheLogLikelihood) {
  const Rows rows(200, 3);
  const Model model = rows.model();
  for (const bool relative : {false, true}) {
    const BlockScores apart = block_scores(model, rows.block(), {.relative = relative});
    ASSERT_EQ(apart.values.size(), 2u);
    EXPECT_EQ(apart.relative, relative);
    EXPECT_EQ(added_up(apart).values,
              log_likelihood(model, rows.block(), {.relative = relative}).values);
  }
}

TEST(CalibratedScores, AreWeighedSumsOfBlocks) {
  const Rows rows(50, 3);
  const Model model = rows.model();
  const Calibration calibration{.scale = {0.5, 0.25}, .offset = {1, 0, -1}};
  const BlockScores apart = block_scores(model, rows.block());
  const LogLikelihoods scores =
      calibrated_scores(model.with_calibration(calibration), rows.block());
  EXPECT_TRUE(scores.relative);
  for (Index i = 0; i < 50; ++i)
    for (Index c = 0; c < 3; ++c)
      EXPECT_DOUBLE_EQ(scores.values(i, c), 0.5 * apart.values[0](i, c) +
                                                0.25 * apart.values[1](i, c) + 1.0 -
                                                static_cast<double>(c));
}

TEST(CalibratedScores, WithoutAnEffectAreTheLogLikelihoodsToTheLastBit) {
  const Rows rows(100, 3);
  const Model model = rows.model();
  const Model same = model.with_calibration(Calibration{.scale = {1, 1}, .offset = {0, 0, 0}});
  EXPECT_EQ(calibrated_scores(same, rows.block()).values,
            log_likelihood(model, rows.block()).values);
  EXPECT_EQ(calibrated_scores(model, rows.block()).values,
            log_likelihood(model, rows.block()).values);
  EXPECT_EQ(best_class(same, rows.block()), best_class(model, rows.block()));
}

TEST(CalibratedScores, KeepWhatIsImpossible) {
  BlockScores scores{.values = {Matrix{{-infinity, -1}, {2, 3}}, Matrix{{-2, -2}, {-infinity, 0}}},
                     .labels = Names{"a", "b"}};
  const LogLikelihoods of = calibrated(scores, {.scale = {0, 0}, .offset = {1, -1}});
  EXPECT_EQ(of.values, (Matrix{{-infinity, -1}, {-infinity, -1}}));
  EXPECT_THROW(calibrated(scores, {.scale = {1}, .offset = {0, 0}}), InvalidArgument);
}

TEST(CalibratedScores, MapRatiosOfTwoClassesBetweenKnots) {
  const BlockScores scores{
      .values = {Matrix{{0, 9}, {0, 1}, {1, 0}, {4, 1}, {7, 1}, {-infinity, 5}}},
      .labels = Names{"a", "b"}};
  const Calibration calibration{
      .scale = {1}, .offset = {0, 0}, .knots = {-1, 1, 5}, .values = {-2, 0, 3}};
  const Matrix of = calibrated(scores, calibration).values;
  const double expected[] = {-2, -2, 0, 1.5, 3};  // ratios −9, −1, 1, 3, 6
  for (Index i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(of(i, 0) - of(i, 1), expected[i]) << i;
  EXPECT_EQ(of(5, 0), -infinity);
}

TEST(Model, CarriesACalibrationThatFits) {
  const Model model = Rows(60).model();
  EXPECT_FALSE(model.calibration());
  const Calibration good{.scale = {0.5, 0.5}, .offset = {1, -1}};
  const Model calibrated = model.with_calibration(good);
  EXPECT_EQ(*calibrated.calibration(), good);
  EXPECT_FALSE(calibrated == model);
  EXPECT_TRUE(calibrated.with_calibration({}) == model);
  const auto refused = [&](Calibration bad, const char* why) {
    EXPECT_THAT([&] { model.with_calibration(bad); },
                ThrowsMessage<InvalidArgument>(HasSubstr(why)));
    Model::Parts parts = model.parts();
    parts.calibration = bad;
    EXPECT_THAT([&] { Model{parts}; }, ThrowsMessage<InvalidArgument>(HasSubstr(why)));
  };
  refused({.scale = {1, 1, 1}, .offset = {0, 0}}, "a scale per block (2)");
  EXPECT_EQ(model.with_calibration(Calibration{.scale = {0.5}, .offset = {1, -1}}), calibrated);
  refused({.scale = {1, 1}, .offset = {0}}, "an offset per class (2)");
  refused({.scale = {1, -1}, .offset = {0, 0}}, "a scale of a calibration is -1");
  refused({.scale = {1, infinity}, .offset = {0, 0}}, "a scale of a calibration is inf");
  refused({.scale = {1, 1}, .offset = {0, std::nan("")}}, "an offset of a calibration is");
  refused({.scale = {1, 1}, .offset = {0, 0}, .knots = {1, 1}, .values = {0, 1}}, "must rise");
  refused({.scale = {1, 1}, .offset = {0, 0}, .knots = {1, 2}, .values = {1, 0}}, "must not fall");
  refused({.scale = {1, 1}, .offset = {0, 0}, .knots = {1}, .values = {}}, "as many knots");
}

TEST(ModelFile, KeepsTheCalibration) {
  const Model model = Rows(60).model();
  const Model calibrated = model.with_calibration(Calibration{
      .scale = {0.1, 1.0 / 3}, .offset = {0.7, -0.7}, .knots = {-1, 2}, .values = {-0.5, 0.5}});
  EXPECT_TRUE(model_from_bytes(to_bytes(calibrated)) == calibrated);
}

TEST(Calibrator, MakesPosteriorsOfOtherRowsBetter) {
  const Rows training(300), own(400, 2, 6), other(400, 2, 7);
  const Model model = training.model();
  Calibrator calibrator(model);
  calibrator.add(own.block().slice(0, 150));
  calibrator.add(own.block().slice(150, 250));
  const CalibrationFit fit = calibrator.finish();
  EXPECT_EQ(fit.rows, 400);
  EXPECT_LT(fit.log_loss, fit.log_loss_before);
  EXPECT_LT(fit.calibration.scale[0], 0.8);  // both numbers say the same
  const auto loss = [&](const Model& of) {
    const Matrix p = posteriors(calibrated_scores(of, other.block()), Priors::uniform(of));
    double sum = 0;
    for (Index i = 0; i < 400; ++i) sum -= std::log(p(i, i % 2));
    return sum / 400;
  };
  EXPECT_LT(loss(model.with_calibration(fit.calibration)), loss(model));
}

TEST(Calibrator, DividesThePriorsOfItsRowsOut) {
  // The same rows, once in equal parts and once with every row of class a three times.
  const Rows own(4000, 2, 6);
  const Model model = Rows(300).model();
  std::vector<double> weights;
  for (Index i = 0; i < 4000; ++i) weights.push_back(i % 2 ? 1 : 3);
  Calibrator even(model), odd(model);
  even.add(own.block());
  odd.add(own.block().weights(Column(weights)));
  const Calibration a = even.finish().calibration, b = odd.finish().calibration;
  EXPECT_NEAR(a.scale[0], b.scale[0], 0.03);
  EXPECT_NEAR(a.offset[0], b.offset[0], 0.03);
}

TEST(Calibrator, RefusesRowsThatTellNothing) {
  const Model model = Rows(60).model();
  const auto message = [&](const RowBlock& rows, CalibratorOptions options = {}) {
    Calibrator calibrator(model);
    try {
      calibrator.add(rows);
      calibrator.finish(options);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  Rows rows(30);
  EXPECT_THAT(message(RowBlock(MatrixView(rows.x)).feature(Column(rows.color))),
              HasSubstr("needs labelled rows"));
  EXPECT_THAT(message(rows.block().slice(0, 0)), HasSubstr("no rows with a label"));
  rows.y.assign(30, "zebra");
  EXPECT_THAT(message(rows.block()), HasSubstr("no row has a label that the model knows"));
  rows.y.assign(30, "a");
  EXPECT_THAT(message(rows.block()), HasSubstr("all rows are of class 'a'"));
  const Rows three(90, 3);
  const Model of_three = three.model();
  Calibrator calibrator(of_three);
  calibrator.add(three.block());
  EXPECT_THAT([&] { calibrator.finish({.method = CalibrationMethod::isotonic}); },
              ThrowsMessage<InvalidArgument>(HasSubstr("for two classes")));
  // A label that the model does not know is left out.
  Rows strange(60);
  strange.y[7] = "zebra";
  Calibrator counting(model);
  counting.add(strange.block());
  EXPECT_EQ(counting.unknown_label_rows(), 1);
  EXPECT_EQ(counting.finish().rows, 59);
}

TEST(Pav, IsScikitLearnsIsotonicRegression) {
  std::ifstream file(SUFFICE_SOURCE_DIR "/tests/reference/calibration.json");
  const nlohmann::json at = nlohmann::json::parse(file)["isotonic"];
  std::vector<ScoredWeights> rows;
  for (std::size_t i = 0; i < at["x"].size(); ++i) {
    const double weight = at["weights"][i];
    const bool first = at["first"][i] == 1;
    rows.push_back({at["x"][i], first ? weight : 0, first ? 0 : weight});
  }
  const std::vector<PooledStep> steps = pool_adjacent_violators(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto step = std::ranges::find_if(steps, [&](const PooledStep& s) {
      return s.low <= rows[i].score && rows[i].score <= s.high;
    });
    ASSERT_NE(step, steps.end());
    EXPECT_NEAR(step->first / (step->first + step->second), at["probability"][i].get<double>(),
                1e-12);
  }
  for (std::size_t k = 1; k < steps.size(); ++k) EXPECT_LT(steps[k - 1].high, steps[k].low);
}

TEST(Isotonic, HasTheLogRatiosOfItsSteps) {
  // Two rows of each class; with the row of a at −1 and that of b at 2, steps by hand:
  // −1: b, a(added) → a 1, b 1;  0: a → a 1;  1: b → b 1;  2: a, b(added).
  // Odds 1, ∞, 0, 1: all but the first and last violate, and pool to a 3, b 3 in the end.
  const std::vector<double> ratios{-1, 0, 1, 2};
  const std::vector<Index> labels{1, 0, 1, 0};
  const Calibration of = with_isotonic({.scale = {1}, .offset = {0, 0}}, ratios, labels);
  EXPECT_EQ(of.knots, (Vector{-1, 2}));
  EXPECT_NEAR(of.values[0], 0, 1e-15);
  // Perfectly apart: b at −1 and 0, a at 1 and 2: (a 1, b 1 at −1 | b at 0) pool to a 1, b 2.
  const Calibration apart =
      with_isotonic({.scale = {1}, .offset = {0, 0}}, ratios, std::vector<Index>{1, 1, 0, 0});
  EXPECT_EQ(apart.knots, (Vector{-1, 0, 1, 2}));
  EXPECT_NEAR(apart.values[0], -std::log(2.0), 1e-15);
  EXPECT_NEAR(apart.values[3], std::log(2.0), 1e-15);
  // One a, at 2, and three b: (a 1, b 1 at −1 | b | b) pool to a 1, b 3, before a 1, b 1 at 2; less
  // log((1 + 1) / (3 + 1)), the log-odds of all.
  const std::vector<Index> uneven{1, 1, 1, 0};
  const Calibration of_uneven = with_isotonic({.scale = {1}, .offset = {0, 0}}, ratios, uneven);
  EXPECT_EQ(of_uneven.knots, (Vector{-1, 1, 2}));
  EXPECT_NEAR(of_uneven.values[0], std::log(2. / 3), 1e-15);
  EXPECT_NEAR(of_uneven.values[2], std::log(2.0), 1e-15);
  // Half of the weight: a 1, b 1.5 before a 0.5, b 1, which violates; all pool.
  const Calibration of_halves = with_isotonic({.scale = {1}, .offset = {0, 0}}, ratios, uneven,
                                              std::vector<double>{0.5, 0.5, 0.5, 0.5});
  EXPECT_EQ(of_halves.knots, (Vector{-1, 2}));
  EXPECT_NEAR(of_halves.values[0], 0, 1e-15);
  EXPECT_THROW(with_isotonic({}, ratios, std::vector<Index>{0, 0, 0, 0}), InvalidArgument);
  EXPECT_THROW(with_isotonic({}, ratios, std::vector<Index>{0, 1}), InvalidArgument);
}

TEST(Isotonic, IsNotWorseThanAffineOnItsOwnRows) {
  const Rows own(1000, 2, 6);
  const Model model = Rows(300).model();
  Calibrator calibrator(model);
  calibrator.add(own.block());
  const CalibrationFit affine = calibrator.finish(),
                       steps = calibrator.finish({.method = CalibrationMethod::isotonic});
  EXPECT_EQ(steps.calibration.scale, affine.calibration.scale);
  EXPECT_GT(steps.calibration.knots.size(), 2);
  EXPECT_LT(steps.log_loss, affine.log_loss + 0.002);  // two rows were added
}

}  // namespace
}  // namespace suffice::calibration_test
