// Figures of many rows at a time against their definitions, in long double.

#include "report/row_figures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/constants.hpp"
#include "decide/row_ratios.hpp"

namespace suffice::row_figures_test {

/// exp(z_k) summed over all classes but one, relative to `largest`.
long double sum_without(const double* score, const Priors& priors, Index left_out,
                        long double largest) {
  long double sum = 0;
  for (Index k = 0; k < priors.labels().size(); ++k)
    if (k != left_out)
      sum += std::exp(static_cast<long double>(score[k]) + priors.log()[k] - largest);
  return sum;
}

Priors priors_of(Index classes) {
  std::vector<std::string> names;
  std::vector<double> shares;
  for (Index c = 0; c < classes; ++c) {
    names.push_back("c" + std::to_string(1000 + c));
    shares.push_back(1.0 + static_cast<double>(c % 3));
  }
  double total = 0;
  for (const double share : shares) total += share;
  for (double& share : shares) share /= total;
  return Priors(Names(names), shares);
}

void compare(Index classes, Index rows, double spread, unsigned seed) {
  SCOPED_TRACE("classes " + std::to_string(classes) + ", rows " + std::to_string(rows) +
               ", spread " + std::to_string(spread) + ", seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const Priors priors = priors_of(classes);
  const Vector log_others = log_of_other_priors(priors);
  const double rounding = 1e-15 * (20 + 5 * spread);  // of scores that are sums, too
  Matrix scores(rows, classes);
  std::vector<Index> truth;
  for (Index i = 0; i < rows; ++i) {
    for (Index c = 0; c < classes; ++c) scores(i, c) = spread * normal(random);
    if (i % 5 == 1) scores(i, 0) = -infinity;
    truth.push_back(static_cast<Index>(random() % static_cast<unsigned>(classes)));
  }
  std::vector<RowAnswer> answers(static_cast<std::size_t>(rows));
  const RowFigures figures(priors, log_others, classes);
  RowFigures::Scratch scratch(classes, classes);
  figures(scores.data(), truth, answers.data(), scratch);
  for (Index i = 0; i < rows; ++i) {
    const double* score = scores.row(i).data();
    Index best = 0;
    for (Index c = 1; c < classes; ++c)
      if (score[c] + priors.log()[c] > score[best] + priors.log()[best]) best = c;
    EXPECT_EQ(answers[i].decided, best);
    const long double largest = score[best] + static_cast<long double>(priors.log()[best]);
    const long double total = sum_without(score, priors, -1, largest);
    const long double of_truth = score[truth[i]] + static_cast<long double>(priors.log()[truth[i]]);
    const auto log_loss = static_cast<double>(std::log(total) - (of_truth - largest));
    if (std::isfinite(log_loss))
      EXPECT_NEAR(answers[i].losses.log_loss, log_loss, rounding);
    else
      EXPECT_EQ(answers[i].losses.log_loss, log_loss);
    long double brier = 0;
    for (Index k = 0; k < classes; ++k) {
      const long double p =
          std::exp(static_cast<long double>(score[k]) + priors.log()[k] - largest) / total;
      brier += (p - (k == truth[i])) * (p - (k == truth[i]));
    }
    EXPECT_NEAR(answers[i].losses.brier, static_cast<double>(brier), rounding);
    for (Index c = 0; c < classes; ++c) {
      // Relative to the largest of the others, so that nothing underflows.
      long double second = -infinity;
      for (Index k = 0; k < classes; ++k)
        if (k != c) second = std::max(second, score[k] + static_cast<long double>(priors.log()[k]));
      const auto expected = static_cast<double>(
          score[c] - second - std::log(sum_without(score, priors, c, second)) + log_others[c]);
      const double ratio = scratch.ratios[c * RowFigures::most_rows + i];
      if (std::isfinite(expected))
        EXPECT_NEAR(ratio, expected, rounding);
      else
        EXPECT_EQ(ratio, expected);
    }
  }
}

TEST(RowFigures, AreTheirDefinitions) {
  unsigned seed = 1;
  for (const Index classes : {3, 4, 10, 33})
    for (const Index rows : {1, 7, 8, 31, 32})
      for (const double spread : {0.1, 3.0, 40.0, 2000.0}) compare(classes, rows, spread, seed++);
}

TEST(RowFigures, RowsThatTellNothingHaveThePriors) {
  const Priors priors(Names({"a", "b", "c"}), {0.2, 0.5, 0.3});
  const Vector log_others = log_of_other_priors(priors);
  const Matrix scores{{-infinity, -infinity, -infinity}, {0, 0, 0}};
  const std::vector<Index> truth = {0, 0};
  std::vector<RowAnswer> answers(2);
  RowFigures::Scratch scratch(3, 3);
  RowFigures(priors, log_others, 3)(scores.data(), truth, answers.data(), scratch);
  for (const RowAnswer& answer : answers) {
    EXPECT_EQ(answer.decided, 1);
    EXPECT_NEAR(answer.losses.log_loss, -std::log(0.2), 1e-15);
    EXPECT_NEAR(answer.losses.brier, 0.64 + 0.25 + 0.09, 1e-15);
  }
  EXPECT_EQ(scratch.ratios[0], 0);
  EXPECT_NEAR(scratch.ratios[1], 0, 1e-15);
}

}  // namespace suffice::row_figures_test
