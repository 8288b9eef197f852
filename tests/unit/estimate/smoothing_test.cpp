// Pseudo-counts that the counts ask for: each value by the others, evidence by log Γ in long
// double, leave-one-out, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "suffice/suffice.hpp"
#include "support/message_of.hpp"
#include "unit/leave_one_out_table.hpp"

namespace suffice::smoothing_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using testing::left_out::Table;
using Real = long double;

constexpr Family discrete[]{Family::bernoulli, Family::categorical, Family::poisson,
                            Family::multinomial, Family::exponential};

Table table_of(Family family, unsigned seed, bool weighted = false) {
  std::mt19937 engine(seed);
  const auto random = [&] { return static_cast<unsigned>(engine()); };
  const Index d = 4, n = 60;
  std::vector<Feature> features;
  for (Index j = 0; j < d; ++j) features.push_back({"x" + std::to_string(j), family});
  Table table{Schema(features), Matrix(n, d), {}, Vector(n), {"a", "b", "c"}};
  for (Index i = 0; i < n; ++i) {
    const unsigned c = random() % 3;
    table.labels.push_back(table.classes[c]);
    table.weights[i] = weighted ? static_cast<double>(1 + random() % 3) : 1;
    for (Index j = 0; j < d; ++j) {
      const unsigned most = family == Family::bernoulli ? 2 : family == Family::categorical ? 3 : 6;
      // Some features hardly vary in a class.
      const unsigned value = random() % 8 == 0 ? random() % most : (c * (1 + unsigned(j))) % most;
      table.x(i, j) = family == Family::exponential
                          ? (0.1 + static_cast<double>(random() % 100)) * (1 + c)
                          : static_cast<double>(value);
    }
  }
  return table;
}

double found_in(const Model& model) { return model.parts().found.pseudo_counts.at(0); }
Model automatic(const Table& table) {
  return estimate(table.statistics(), {.smoothing = Smoothing::automatic()});
}

/// How probable the rows are, worked out from them: each value of a level by the counts without it;
/// Poisson and exponential by the evidence, with log Γ as the textbook writes it.
Real probability(const Table& table, Family family, Real alpha) {
  const Index d = table.x.cols();
  const auto left_out = [&](const std::vector<Real>& counts) {
    Real total = 0, sum = 0;
    for (const Real n : counts) total += n;
    for (const Real n : counts)
      for (Real value = 0; value < n; ++value)
        sum += std::log((n - 1 + alpha) / (total - 1 + alpha * static_cast<Real>(counts.size())));
    return sum;
  };
  Real result = 0;
  for (const std::string& label : table.classes) {
    std::vector<Real> words;
    for (Index j = 0; j < d; ++j) {
      std::map<double, Real> of_level;  // those that occur in some class
      if (family == Family::bernoulli) of_level = {{0, 0}, {1, 0}};
      for (Index i = 0; i < table.x.rows(); ++i) of_level[table.x(i, j)] = 0;
      Real weight = 0, sum = 0, all_weight = 0, all_sum = 0;
      for (Index i = 0; i < table.x.rows(); ++i) {
        const Real w = table.weights[i], x = table.x(i, j);
        all_weight += w;
        all_sum += w * x;
        if (table.labels[static_cast<std::size_t>(i)] != label) continue;
        weight += w;
        sum += w * x;
        of_level[table.x(i, j)] += w;
      }
      const Real mean = all_sum / all_weight;
      std::vector<Real> counts;
      for (const auto& [level, count] : of_level) counts.push_back(count);
      if (family == Family::bernoulli || family == Family::categorical) result += left_out(counts);
      if (family == Family::poisson)
        result += alpha * mean * std::log(alpha) - std::lgamma(alpha * mean) +
                  std::lgamma(sum + alpha * mean) - (sum + alpha * mean) * std::log(weight + alpha);
      if (family == Family::exponential)
        result += alpha * std::log(alpha * mean) - std::lgamma(alpha) +
                  std::lgamma(weight + alpha) - (weight + alpha) * std::log(sum + alpha * mean);
      words.push_back(sum);
    }
    if (family == Family::multinomial) result += left_out(words);
  }
  return result;
}

TEST(SmoothingAuto, MakesTheRowsMostProbable) {
  int inside = 0;
  for (const Family family : discrete)
    for (const bool weighted : {false, true})
      for (const unsigned seed : {1u, 2u}) {
        SCOPED_TRACE(std::string(to_string(family)) + " seed " + std::to_string(seed));
        const Table table = table_of(family, seed, weighted);
        const double alpha = found_in(automatic(table));
        const bool at_bound = alpha == std::ldexp(1, -20) || alpha == 1024;
        inside += at_bound ? 0 : 1;
        const Real best = probability(table, family, alpha);
        for (double other = 1e-6; other < 1e3; other *= 1.5)
          EXPECT_LE(probability(table, family, other), best) << other;
        // A maximum to more digits than its values could tell.
        for (const double factor : {0.9999, 1.0001}) {
          if (at_bound) continue;
          EXPECT_LT(probability(table, family, factor * alpha), best);
        }
      }
  EXPECT_GE(inside, 15);  // of 20
}

TEST(SmoothingAuto, IsTheEstimateWithThatPseudoCount) {
  for (const Family family : discrete)
    for (const Inference inference : {Inference::plugin, Inference::map, Inference::bayes}) {
      const Table table = table_of(family, 3);
      const Model model = estimate(table.statistics(),
                                   {.smoothing = Smoothing::automatic(), .inference = inference});
      const Model given =
          estimate(table.statistics(), {.smoothing = found_in(model), .inference = inference});
      EXPECT_EQ(model.densities(), given.densities());
      EXPECT_EQ(model.parts().options->smoothing, Smoothing::automatic());
      EXPECT_TRUE(given.parts().found.pseudo_counts.empty());
      EXPECT_EQ(model_from_bytes(to_bytes(model)), model);
    }
}

TEST(SmoothingAuto, WeightsAreRows) {
  for (const Family family : discrete) {
    const Table weighted = table_of(family, 4, true);
    Statistics rows = weighted.statistics();
    Table ones = weighted;
    for (double& weight : ones.weights) weight = 1;
    Statistics repeated = ones.statistics();
    for (const double times : {2.0, 3.0}) {
      Table more = ones.some([&](Index i) { return weighted.weights[i] >= times; });
      repeated.update(more.rows());
    }
    const EstimateOptions options{.smoothing = Smoothing::automatic()};
    const double alpha = found_in(estimate(rows, options));
    EXPECT_NEAR(found_in(estimate(repeated, options)), alpha, 1e-10 * alpha) << to_string(family);
  }
}

TEST(SmoothingAuto, IsHeldWhenARowIsLeftOut) {
  for (const Family family : discrete)
    for (const Inference inference : {Inference::plugin, Inference::bayes}) {
      SCOPED_TRACE(to_string(family));
      const Table table = table_of(family, 5);
      const EstimateOptions options{.smoothing = Smoothing::automatic(), .inference = inference};
      const LeaveOneOut left(table.statistics(), options);
      const LeaveOneOut given(table.statistics(),
                              {.smoothing = found_in(left.model()), .inference = inference});
      EXPECT_EQ(left(table.rows()).values, given(table.rows()).values);
    }
}

TEST(SmoothingAuto, IsFoundForEachBlock) {
  const Schema schema({{"n", Family::gaussian},
                       {"c", Family::categorical},
                       {"b", Family::bernoulli},
                       {"m", Family::gaussian}});
  Table table{schema, Matrix(40, 4), {}, Vector(40), {"a", "b"}};
  std::mt19937 random(7);
  for (Index i = 0; i < 40; ++i) {
    table.labels.push_back(table.classes[static_cast<std::size_t>(i % 2)]);
    table.weights[i] = 1;
    table.x(i, 0) = static_cast<double>(random() % 100);
    table.x(i, 1) = static_cast<double>(random() % 4);
    table.x(i, 2) = random() % 10 == 0 ? static_cast<double>(i % 2) : 0;
    table.x(i, 3) = static_cast<double>(random() % 100);
  }
  const EstimateOptions options{.smoothing = Smoothing::automatic()};
  const Model model = estimate(table.statistics(), options);
  ASSERT_EQ(model.parts().found.pseudo_counts.size(), 2u);
  EXPECT_NE(model.parts().found.pseudo_counts[0], model.parts().found.pseudo_counts[1]);
  EXPECT_EQ(model_from_bytes(to_bytes(model)), model);
  const EstimateOptions folds{.shrinkage = Shrinkage::none()};
  EXPECT_TRUE(estimate(table.statistics(), folds).parts().found.pseudo_counts.empty());
}

// One count of a class says nothing of α; levels that are certain ask for as little as possible,
// classes that are alike for as much.
TEST(SmoothingAuto, AtTheBounds) {
  const auto words = [](const Matrix& x, const std::vector<std::string>& labels, Family family) {
    Statistics statistics(Schema::numbered(x.cols(), family));
    statistics.update(RowBlock(x, labels));
    return found_in(estimate(statistics, {.smoothing = Smoothing::automatic()}));
  };
  EXPECT_EQ(words({{1, 0, 0}, {0, 1, 0}}, {"a", "b"}, Family::multinomial), 1);
  EXPECT_LT(words({{50, 0, 0}, {0, 50, 0}}, {"a", "b"}, Family::multinomial), 1e-6);
  EXPECT_GT(words({{50, 50, 50}, {50, 50, 50}}, {"a", "b"}, Family::multinomial), 1e3);
  EXPECT_GT(words({{5}, {5}, {5}, {5}}, {"a", "a", "b", "b"}, Family::poisson), 1e3);
}

TEST(SmoothingAuto, IsReadAndWritten) {
  const EstimateOption& option = estimate_option("smoothing");
  EstimateOptions options;
  for (const char* text : {"auto", "0.5", "0", "1"}) {
    option.set(options, text);
    EXPECT_EQ(option.text(options), text);
  }
  EXPECT_THAT(message_of([&] { option.set(options, "some"); }),
              AllOf(HasSubstr("'some'"), HasSubstr("auto, NUMBER")));
  EXPECT_THAT(message_of([&] { option.set(options, "-1"); }), HasSubstr("at least 0, not -1"));
}

}  // namespace
}  // namespace suffice::smoothing_test
