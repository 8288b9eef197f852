// Sets of classes: thresholds worked by hand, who is in a set, and bad input.

#include "suffice/predict/sets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "suffice/calibrate/set_thresholds.hpp"
#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice::sets_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

/// The column of a level.
Index at_level(double coverage) {
  for (Index j = 0; j < Calibration::coverage_count; ++j)
    if (std::abs(Calibration::coverage_level(j) - coverage) < 1e-9) return j;
  return -1;
}

Model two_classes(double threshold) {
  Matrix thresholds(3, Calibration::coverage_count);
  for (Index i = 0; i < 3; ++i)
    for (double& value : thresholds.row(i)) value = threshold;
  return Model({.schema = Schema({{"flag", Family::bernoulli}}),
                .labels = {"a", "b"},
                .weights = {1, 1},
                .densities = {BernoulliDensity{{{0.8}, {0.2}}}},
                .calibration = Calibration{{1}, {0, 0}, {}, {}, std::move(thresholds)}});
}

TEST(Sets, ThresholdIsAQuantileOfThePosteriorsOfTheOwnClass) {
  // Nine rows: ⌊10 · (1 − P)⌋ is 1 at 90 %, 2 at 80 % and 5 at 50 %; 0 above 90 %.
  Matrix posteriors(9, 2);
  std::vector<Index> labels;
  for (Index i = 0; i < 9; ++i) {
    const double own = 0.1 * static_cast<double>(9 - i);
    labels.push_back(i % 2);
    posteriors(i, i % 2) = own;
    posteriors(i, 1 - i % 2) = 1 - own;
  }
  const Matrix found = set_thresholds(posteriors, labels);
  EXPECT_DOUBLE_EQ(found(0, at_level(0.9)), 0.1);
  EXPECT_DOUBLE_EQ(found(0, at_level(0.8)), 0.2);
  EXPECT_DOUBLE_EQ(found(0, at_level(0.5)), 0.5);
  EXPECT_EQ(found(0, at_level(0.91)), 0);
  // Class 0 has 0.9, 0.7, 0.5, 0.3, 0.1: ⌊6 · 0.5⌋ = 3.
  EXPECT_DOUBLE_EQ(found(1, at_level(0.5)), 0.5);
  EXPECT_EQ(found(1, at_level(0.9)), 0);
  // A weight is a number of rows, and a row without a label has no part.
  const std::vector<double> twice(9, 2);
  EXPECT_DOUBLE_EQ(set_thresholds(posteriors, labels, twice)(0, at_level(0.9)), 0.1);
  labels[8] = -1;
  EXPECT_EQ(set_thresholds(posteriors, labels)(0, at_level(0.9)), 0);
}

TEST(Sets, HaveTheClassesThatReachTheThreshold) {
  const double flag = 1;
  RowBlock row(1);
  row.feature(Column(&flag, 1));  // posteriors 0.8 and 0.2
  const auto members = [&](double threshold, const SetOptions& options = {}) {
    const ClassSets found = class_sets(two_classes(threshold), row, options);
    return std::vector<bool>{found.has(0, 0), found.has(0, 1)};
  };
  EXPECT_THAT(members(0.1), ElementsAre(true, true));
  EXPECT_THAT(members(0.5), ElementsAre(true, false));
  EXPECT_THAT(members(0.9), ElementsAre(true, false));
  EXPECT_THAT(members(0.9, {.allow_empty = true}), ElementsAre(false, false));
  // No threshold is known for more than 99.9 %.
  EXPECT_THAT(members(0.9, {.coverage = 0.9995}), ElementsAre(true, true));
}

TEST(Sets, FiguresCountTheTrueClass) {
  const std::vector<double> flags = {1, 1, 0};
  RowBlock rows(3);
  rows.feature(Column(flags.data(), 3));
  const ClassSets found = class_sets(two_classes(0.5), rows);
  SetFigures figures;
  figures.add(found, std::vector<Index>{0, 1, 1});
  figures.add(found, std::vector<Index>{-1, 0, -1}, std::vector<double>{1, 3, 1});
  EXPECT_DOUBLE_EQ(figures.rows, 6);
  EXPECT_DOUBLE_EQ(figures.coverage(), 5. / 6);
  EXPECT_DOUBLE_EQ(figures.mean_size(), 1);
  EXPECT_EQ(figures.class_rows, (Vector{4, 2}));
  EXPECT_EQ(figures.class_covered, (Vector{4, 1}));
}

TEST(Sets, RefuseWhatCannotBePromised) {
  for (const double coverage : {0.0, 1.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(message_of([&] { SetMaker(two_classes(0.5), {.coverage = coverage}); }),
                HasSubstr("cannot be promised"));
  EXPECT_THAT(message_of([] { SetMaker{two_classes(0.5).with_calibration({})}; }),
              HasSubstr("held out"));
  EXPECT_THAT(message_of([] { set_thresholds(Matrix(2, 2), std::vector<Index>{0}); }),
              HasSubstr("do not fit"));
}

}  // namespace
}  // namespace suffice::sets_test
