// What Gaussian statistics and models obey: shifts, units, projections, and what is kept of the
// second moments.

#include <random>

#include "compare.hpp"
#include "generate.hpp"

namespace suffice::testing {
namespace {

LAWS_WHERE(GaussianLaws, family.only(Family::gaussian));
// A projection needs a dense scatter.
LAWS_WHERE(ProjectionLaws, family.only(Family::gaussian) && family.scatter == Scatter::dense);

/// The table with `change(value, feature)` instead of each number.
template <class Change>
Table mapped(const Table& t, const Change& change) {
  Matrix values = t.parts().values;
  for (Index i = 0; i < t.rows(); ++i)
    for (Index j = 0; j < t.features(); ++j) values(i, j) = change(values(i, j), j);
  return t.with_values(std::move(values));
}

/// The statistics with their means moved by `offset`, so that scatters can be compared.
Statistics moved(const Statistics& stats, double offset) {
  Statistics::Parts parts = stats.parts();
  for (auto& block : parts.blocks)
    for (auto& c : std::get<GaussianStatistics>(block).classes) {
      for (Index j = 0; j < c.complete.mean.size(); ++j) c.complete.mean[j] += offset;
      for (Index j = 0; j < c.present.mean.size(); ++j)
        if (c.present.weight[j] > 0) c.present.mean[j] += offset;
    }
  return Statistics(std::move(parts));
}

// x + c is rounded once when it is stored. What was stored, y, and y − c (which is exact, both
// being multiples of an ulp of c) have the same scatter: nothing else may be lost, not even at 1e9.
TEST_P(GaussianLaws, AShiftLeavesTheScatterUnchanged) {
  const FamilyCase& family = GetParam();
  for (const double offset : {64.0, 1e6, 1e9, -1e9, 1e12}) {
    check_law(family, [&](const Table& t) {
      const Table shifted = mapped(t, [&](double x, Index) { return x + offset; });
      const Table rounded = mapped(shifted, [&](double y, Index) { return y - offset; });
      const auto a = statistics_of(shifted, family.options());
      const auto b = moved(statistics_of(rounded, family.options()), offset);
      // The comparison of the means is about those of size `offset`.
      if (auto r = close(a, b); !r)
        return AssertionFailure() << "offset " << offset << ": " << r.message();
      return AssertionSuccess();
    });
  }
}

// The same for scores: a model of y scores y as a model of y − c scores y − c.
TEST_P(GaussianLaws, AnOffsetLosesNoMoreThanTheDoublesLost) {
  const FamilyCase& family = GetParam();
  const double offset = 1e9;
  for (const Covariance structure : family.structures()) {
    check_law(family, [&](const Table& t) {
      const Table shifted = mapped(t, [&](double x, Index) { return x + offset; });
      const Table rounded = mapped(shifted, [&](double y, Index) { return y - offset; });
      const auto scores = [&](const Table& table) {
        const Model model =
            estimate(statistics_of(table, family.options()), {.covariance = structure});
        return log_likelihood(model, table.block()).values;
      };
      // A model's mean is one double; half an ulp of 1e9 is 6e-8, the smallest deviations are 0.03.
      const AssertionResult r = close(scores(shifted), scores(rounded), 3e-5, 10);
      if (!r) return AssertionFailure() << to_string(structure) << ": " << r.message();
      return AssertionSuccess();
    });
  }
}

// The unit in which a feature is measured decides nothing.
TEST_P(GaussianLaws, UnitsChangeNoDecision) {
  const FamilyCase& family = GetParam();
  for (const Covariance structure :
       {Covariance::full, Covariance::tied, Covariance::diag, Covariance::tied_diag}) {
    if (family.scatter == Scatter::diagonal &&
        (structure == Covariance::full || structure == Covariance::tied))
      continue;
    if (family.scatter == Scatter::pooled && structure == Covariance::full) continue;
    for (const std::vector<double>& units :
         {std::vector{1e6, 1.0, 1.0}, std::vector{1e-8, 1.0}, std::vector{1e6, 1e-8, 1.0},
          std::vector{1e-8, 1e-8, 1e6, 1e6}, std::vector{1e100, 1e-100}}) {
      check_law(family, [&](const Table& t) {
        const auto unit = [&](Index j) {
          return units[static_cast<std::size_t>(j) % units.size()];
        };
        const Table other = mapped(t, [&](double x, Index j) { return x * unit(j); });
        const Model a = estimate(statistics_of(t, family.options()), {.covariance = structure});
        const Model b = estimate(statistics_of(other, family.options()), {.covariance = structure});
        if (best_class(a, t.block()) != best_class(b, other.block()))
          return AssertionFailure() << to_string(structure) << ": a decision changed";
        // Not only decisions: log p changes by the log of the units of the values present.
        const Matrix before = log_likelihood(a, t.block()).values;
        Matrix after = log_likelihood(b, other.block()).values;
        for (Index i = 0; i < t.rows(); ++i)
          for (Index j = 0; j < t.features(); ++j)
            if (!std::isnan(t(i, j)))
              for (double& v : after.row(i)) v += std::log(unit(j));
        const AssertionResult r = close(after, before, 1e-9, 10);
        if (!r) return AssertionFailure() << to_string(structure) << ": " << r.message();
        return AssertionSuccess();
      });
    }
  }
}

TEST_P(GaussianLaws, ADiagonalModelIsTheSameWhateverWasKept) {
  const FamilyCase& family = GetParam();
  for (const Covariance structure : {Covariance::diag, Covariance::tied_diag, Covariance::spherical,
                                     Covariance::tied_spherical}) {
    for (const Normalize normalize : {Normalize::mle, Normalize::unbiased}) {
      check_law(family, [&](const Table& t) {
        const EstimateOptions options{.covariance = structure, .normalize = normalize};
        const Model a = estimate(statistics_of(t, {.scatter = Scatter::dense}), options);
        const Model b = estimate(statistics_of(t, {.scatter = Scatter::diagonal}), options);
        const auto& p = std::get<GaussianDensity>(a.densities()[0]);
        const auto& q = std::get<GaussianDensity>(b.densities()[0]);
        if (auto r = close(p.mean, q.mean, 1e-12, 0); !r) return r;
        if (auto r = close(p.covariance[0], q.covariance[0], 1e-12, 0); !r) return r;
        return close(log_likelihood(a, t.block()).values, log_likelihood(b, t.block()).values,
                     1e-10);
      });
    }
  }
}

TEST_P(ProjectionLaws, ProjectedStatisticsAreThoseOfProjectedRows) {
  const FamilyCase& family = GetParam();
  check_law(family, [&](const Table& t) {
    std::mt19937_64 random(5);
    const Index d = t.features(), k = (d + 1) / 2;
    Projection map{.block = 0, .matrix = Matrix(d, k), .offset = Vector(d)};
    for (Index i = 0; i < d; ++i) {
      map.offset[i] = uniform(random, -20, 20);
      for (Index j = 0; j < k; ++j) map.matrix(i, j) = uniform(random, -1, 1);
    }
    Matrix z(t.rows(), k);
    for (Index i = 0; i < t.rows(); ++i)
      for (Index j = 0; j < k; ++j) {
        long double sum = 0;
        for (Index l = 0; l < d; ++l)
          sum += (static_cast<long double>(t(i, l)) - map.offset[l]) * map.matrix(l, j);
        z(i, j) = static_cast<double>(sum);  // NaN where the row is incomplete
      }
    Table::Parts parts = t.parts();
    std::vector<Feature> features;
    for (Index j = 0; j < k; ++j) features.push_back({.name = "z" + std::to_string(j)});
    parts.schema = Schema(features);
    parts.values = z;
    parts.levels.clear();
    const Table projected(std::move(parts));
    const Statistics expected = statistics_of(projected, family.options());
    const Statistics got = project(statistics_of(t, family.options()), map);
    if (got.schema() != expected.schema()) return AssertionFailure() << "another schema";
    // A projected mean is a sum of d terms, each rounded; it may cancel.
    if (auto r = close(got, expected, {.relative = 1e-11}); !r) return r;
    const Model a = estimate(got), b = estimate(expected);
    return close(log_likelihood(a, projected.block()).values,
                 log_likelihood(b, projected.block()).values, 1e-9);
  });
}

// In a mixed table the other blocks stay as they are.
TEST(ProjectLaw, OtherBlocksStay) {
  const FamilyCase family{
      .name = "",
      .families = {Family::categorical, Family::gaussian, Family::poisson, Family::gaussian}};
  const Table t = generate(family, {.rows = 300, .features = 8, .classes = 3}, 41);
  const Statistics before = statistics_of(t, {});
  const Statistics after =
      project(before, {.block = 1, .matrix = Matrix{{1}, {1}, {0.5}, {-1}}, .offset = {}});
  ASSERT_EQ(after.blocks().size(), 3u);
  EXPECT_TRUE(after.blocks()[0] == before.blocks()[0]);
  EXPECT_TRUE(after.blocks()[2] == before.blocks()[2]);
  EXPECT_EQ(after.weights(), before.weights());
  EXPECT_EQ(after.schema().size(), 5);
  EXPECT_EQ(after.schema().blocks()[1].features.size(), 1u);
  const auto& old = std::get<GaussianStatistics>(before.blocks()[1]).classes[0].complete;
  const auto& now = std::get<GaussianStatistics>(after.blocks()[1]).classes[0].complete;
  const double m[4] = {1, 1, 0.5, -1};
  double mean = 0, scatter = 0;
  for (Index i = 0; i < 4; ++i) {
    mean += m[i] * old.mean[i];
    for (Index j = 0; j < 4; ++j) scatter += m[i] * m[j] * old.scatter(i, j);
  }
  EXPECT_NEAR(now.mean[0], mean, 1e-12 * (1 + std::abs(mean)));
  EXPECT_NEAR(now.scatter(0, 0), scatter, 1e-10 * scatter);
}

}  // namespace
}  // namespace suffice::testing
