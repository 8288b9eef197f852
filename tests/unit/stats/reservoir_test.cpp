// A sample of the rows: what it keeps, and that only row numbers and labels decide.

#include "suffice/stats/reservoir.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "suffice/score/log_likelihood.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::reservoir_test {
namespace {

const Schema schema({{.name = "row"},
                     {.name = "colour", .family = Family::categorical},
                     {.name = "count", .family = Family::poisson}});

/// Rows whose first feature is their number; class by `label_of`.
struct Table {
  std::vector<double> number, count, weight;
  std::vector<std::string> colour, label;
  std::vector<std::uint8_t> valid;

  template <class LabelOf>
  Table(Index rows, const LabelOf& label_of) : valid(static_cast<std::size_t>(rows + 7) / 8) {
    for (Index i = 0; i < rows; ++i) {
      number.push_back(i % 7 == 3 ? std::nan("") : static_cast<double>(i));
      count.push_back(static_cast<double>(i % 5));
      weight.push_back(i % 11 == 4 ? 0 : 1 + static_cast<double>(i % 3));
      colour.push_back(i % 2 ? "red" : "");
      if (i % 9 != 2) valid[i >> 3] = static_cast<std::uint8_t>(valid[i >> 3] | (1 << (i & 7)));
      label.push_back(label_of(i));
    }
  }
  RowBlock rows(bool weighted) const {
    RowBlock result(std::ssize(number));
    result.feature(Column(number))
        .feature(Column(Strings(colour), {valid.data(), 0}))
        .feature(Column(count))
        .labels(Column(label));
    if (weighted) result.weights(Column(weight));
    return result;
  }
};

SampledRows sampled(const Table& table, Index capacity, Index rows_at_a_time, bool weighted = false,
                    std::uint64_t seed = 0) {
  Reservoir reservoir(schema, {.rows = capacity, .seed = seed});
  const RowBlock all = table.rows(weighted);
  for (Index first = 0; first < all.rows(); first += rows_at_a_time)
    reservoir.update(all.slice(first, std::min(rows_at_a_time, all.rows() - first)));
  return reservoir.sample();
}

/// Everything about the kept rows: what statistics of them say, and how much each stands for.
void expect_same(const SampledRows& a, const SampledRows& b) {
  ASSERT_EQ(a.size(), b.size());
  for (Index i = 0; i < a.size(); ++i) {
    Statistics one(schema), other(schema);
    one.update(a.rows().slice(i, 1));
    other.update(b.rows().slice(i, 1));
    EXPECT_EQ(one, other) << i;
    EXPECT_EQ(a.importance()[i], b.importance()[i]);
  }
}

TEST(Reservoir, KeepsAllRowsWhereThereIsRoom) {
  const Table table(50, [](Index i) { return i % 3 ? "a" : "b"; });
  for (const bool weighted : {false, true}) {
    const SampledRows sample = sampled(table, 50, 7, weighted);
    Statistics all(schema), kept(schema);
    all.update(table.rows(weighted));
    kept.update(sample.rows());
    EXPECT_EQ(sample.size(), weighted ? 45 : 50);  // 4, 15, 26, 37 and 48 weigh nothing
    if (!weighted) {
      EXPECT_EQ(all, kept);
    }
    EXPECT_EQ(all.weights(), kept.weights());
    EXPECT_EQ(all.blocks()[1], kept.blocks()[1]);
    for (const double importance : sample.importance()) EXPECT_EQ(importance, 1);
  }
}

TEST(Reservoir, GivesTheRowsOfABlock) {
  const Table table(40, [](Index i) { return i % 3 ? "a" : "b"; });
  const SampledRows sample = sampled(table, 40, 40);
  for (const Block& block : schema.blocks()) {
    std::vector<Feature> features;
    for (const Index j : block.features) features.push_back(schema.feature(j));
    Statistics alone{Schema(features)};
    alone.update(sample.rows(schema, block));
    EXPECT_EQ(alone.weights().map().sum(), 40);
    EXPECT_EQ(alone.missing()[0], block.family == Family::gaussian      ? 6  // 3, 10, …, 38
                                  : block.family == Family::categorical ? 5  // 2, 11, …, 38
                                                                        : 0);
  }
}

TEST(Reservoir, DoesNotDependOnTheCuts) {
  const Table table(3000, [](Index i) { return i % 10 == 0 ? "rare" : i % 2 ? "a" : "b"; });
  const SampledRows whole = sampled(table, 100, 3000, true);
  EXPECT_EQ(whole.size(), 100);
  for (const Index cut : {1, 37, 2999}) expect_same(sampled(table, 100, cut, true), whole);
}

TEST(Reservoir, KeepsRareClassesAndSaysWhatTheyStandFor) {
  // 20 of 4000 rows are rare, at the end: less than a quarter of an equal share.
  const Table table(4000, [](Index i) { return i < 3980 ? "common" : "rare"; });
  const SampledRows sample = sampled(table, 100, 512);
  std::map<std::string, double> rows, stands_for;
  for (Index i = 0; i < sample.size(); ++i) {
    Statistics one(schema);
    one.update(sample.rows().slice(i, 1));
    rows[one.labels()[0]] += 1;
    stands_for[one.labels()[0]] += sample.importance()[i];
  }
  EXPECT_EQ(rows["common"] + rows["rare"], 100);
  EXPECT_EQ(rows["rare"], 11);  // r / (1/8) = (100 − r) / (3980/4000)
  EXPECT_NEAR(stands_for["rare"], 100 * 20 / 4000.0, 1e-12);
  EXPECT_NEAR(stands_for["common"], 100 * 3980 / 4000.0, 1e-9);
}

TEST(Reservoir, TakesEveryRowWithTheSameProbability) {
  // How often each tenth of a sorted table is taken, over seeds: binomial, 200 · 100 / 10 expected.
  const Table table(1000, [](Index i) { return i < 500 ? "a" : "b"; });
  std::vector<double> taken(10);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const SampledRows sample = sampled(table, 100, 1000, false, seed);
    for (Index i = 0; i < sample.size(); ++i) {
      Statistics one(schema);
      one.update(sample.rows().slice(i, 1));
      const Moments moments = std::get<GaussianStatistics>(one.blocks()[0]).moments(0);
      if (moments.weight[0] > 0) taken[static_cast<std::size_t>(moments.mean[0] / 100)] += 1;
    }
  }
  // A seventh of the rows lacks its number.
  for (const double count : taken) EXPECT_NEAR(count, 2000 * 6 / 7.0, 5 * std::sqrt(1700.0));
}

TEST(Reservoir, HasNoMoreNumbersThanItMay) {
  const Table table(300, [](Index i) { return i % 2 ? "a" : "b"; });
  Reservoir reservoir(schema, {.rows = 200, .numbers = 90});
  reservoir.update(table.rows(false));
  EXPECT_EQ(reservoir.sample().size(), 30);
  EXPECT_EQ(reservoir.seen(), 300);
}

// ---- several ---------------------------------------------------------------------------------

Reservoir kept(const Table& table, Index capacity) {
  Reservoir result(schema, {.rows = capacity});
  result.update(table.rows(false));
  return result;
}

TEST(MergedReservoirs, HaveTheRowsOfBothWhereThereIsRoom) {
  const Table one(30, [](Index i) { return i % 3 ? "a" : "b"; });
  const Table two(20, [](Index i) { return i % 2 ? "a" : "c"; });
  const SampledRows sample = merge(kept(one, 100), kept(two, 60)).sample();
  Statistics expected(schema), found(schema);
  expected.update(one.rows(false));
  expected.update(two.rows(false));
  found.update(sample.rows());
  EXPECT_EQ(found.weights(), expected.weights());
  EXPECT_EQ(found.blocks()[1], expected.blocks()[1]);
  EXPECT_EQ(sample.size(), 50);
}

TEST(MergedReservoirs, TheOrderDoesNotMatter) {
  const Table one(400, [](Index i) { return i % 3 ? "a" : "b"; });
  const Table two(300, [](Index i) { return i % 2 ? "c" : "b"; });
  const auto all = [](const Reservoir& of) {
    Statistics sums(schema);
    const SampledRows sample = of.sample();
    sums.update(sample.rows());
    return sums;
  };
  EXPECT_EQ(all(merge(kept(one, 50), kept(two, 80))), all(merge(kept(two, 80), kept(one, 50))));
}

TEST(MergedReservoirs, ClassesHaveRowsInProportion) {
  const Table one(1000, [](Index) { return "a"; });
  const Table two(9000, [](Index) { return "a"; });
  const Reservoir small = kept(one, 500);
  const Reservoir merged = merge(small, kept(two, 500));
  EXPECT_LE(merged.size(), 500);
  EXPECT_GT(merged.size(), 400);
  EXPECT_EQ(merged.seen(), 10000);
  // Every row of either had the same chance: of the first, some 50 of 1000.
  const auto parts = merged.parts();
  Index low = 0;
  for (const std::int64_t number : parts.number) low += number < 1000 ? 1 : 0;
  EXPECT_GT(low, 2 * 25);  // of both inputs
  EXPECT_LT(low, 2 * 85);
}

TEST(MergedReservoirs, SurviveTheirParts) {
  const Table table(300, [](Index i) { return i % 3 ? "a" : "b"; });
  const Reservoir reservoir = kept(table, 40);
  const Reservoir again(reservoir.parts());
  const Reservoir::Parts before = reservoir.parts(), after = again.parts();
  EXPECT_EQ(before.hash, after.hash);
  EXPECT_EQ(before.number, after.number);
  EXPECT_EQ(before.names, after.names);
  EXPECT_EQ(before.seen, after.seen);
  EXPECT_EQ(again.seen(), reservoir.seen());
  EXPECT_NO_THROW(Reservoir{kept(table, 1).parts()});
  EXPECT_EQ(reservoir.limited(10).size(), 10);
  Reservoir::Parts wrong = before;
  wrong.hash.pop_back();
  EXPECT_THROW(Reservoir{wrong}, InvalidArgument);
  wrong = before;
  wrong.label[0] = 7;
  EXPECT_THROW(Reservoir{wrong}, InvalidArgument);
}

}  // namespace
}  // namespace suffice::reservoir_test
