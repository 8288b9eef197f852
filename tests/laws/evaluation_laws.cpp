// What follows from every family's densities: leave-one-out and cross-validation are refits without
// the rows in question, samples have the density that the model states, outlier scores are shares
// of them.

#include <cmath>
#include <numeric>

#include "compare.hpp"
#include "generate.hpp"

namespace suffice::testing {
namespace {

constexpr Size small{.rows = 60, .features = 4, .classes = 3};

/// The table's schema with all levels that the statistics know.
Schema with_levels(const Statistics& stats) {
  std::vector<Feature> features = stats.schema().features();
  for (std::size_t b = 0; b < stats.blocks().size(); ++b)
    if (const auto* sums = std::get_if<CategoricalStatistics>(&stats.blocks()[b]))
      for (std::size_t j = 0; j < sums->levels.size(); ++j)
        features[static_cast<std::size_t>(stats.schema().blocks()[b].features[j])].levels =
            sums->levels[j].list();
  return Schema(features);
}

/// The statistics of some rows, with the classes and levels of all.
Statistics statistics_of_rows(const FamilyCase& family, const Table& t, const Statistics& all,
                              const std::vector<Index>& rows) {
  Statistics stats(with_levels(all), {.scatter = family.scatter, .labels = all.labels().list()});
  stats.update(t.take(rows).block());
  return stats;
}

std::vector<Index> rows_where(Index count, const std::function<bool(Index)>& wanted) {
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i)
    if (wanted(i)) rows.push_back(i);
  return rows;
}

/// Estimates that have an exact leave-one-out.
std::vector<EstimateOptions> estimates(const FamilyCase& family) {
  std::vector<EstimateOptions> result;
  for (const Covariance structure : family.structures())
    for (const Tails& tails : {Tails::normal(), Tails::student(5)})
      if (tails.is_normal() || family.has(Family::gaussian))
        result.push_back({.covariance = structure, .shrinkage = Shrinkage::none(), .tails = tails});
  if (family.has(Family::text)) {
    result.push_back({.shrinkage = Shrinkage::none(), .length_power = 0.5});
    return result;
  }
  if (!family.has(Family::gaussian)) result.push_back({.inference = Inference::bayes});
  return result;
}

TEST_P(Laws, LeaveOneOutIsARefitWithoutTheRow) {
  const FamilyCase& family = GetParam();
  for (const EstimateOptions& options : estimates(family))
    check_law(
        family,
        [&](const Table& t) {
          const Statistics all = statistics_of(t, family.options());
          const Matrix found = LeaveOneOut(all, options)(t.block()).values;
          for (Index i = 0; i < t.rows(); ++i) {
            const std::vector<Index> others = rows_where(t.rows(), [&](Index k) { return k != i; });
            const Model model = estimate(statistics_of_rows(family, t, all, others), options);
            const Matrix expected = log_likelihood(model, t.take({i}).block()).values;
            for (Index c = 0; c < found.cols(); ++c) {
              const double e = expected(0, c), f = found(i, c);
              if (f != e && !(std::abs(f - e) <= 1e-8 * (1 + std::abs(e))))
                return AssertionFailure() << to_string(options.covariance) << ", row " << i
                                          << ", class " << c << ": " << f << ", not " << e;
            }
          }
          return AssertionSuccess();
        },
        small);
}

TEST_P(Laws, SelectionScoresRowsByTheOtherFolds) {
  const FamilyCase& family = GetParam();
  std::vector<EstimateOptions> candidates = estimates(family);
  if (family.has(Family::gaussian))
    for (const Covariance structure : {Covariance::diag, Covariance::tied_diag})
      candidates.push_back({.covariance = structure, .shrink_means = 1.5});
  for (const Covariance structure : {family.structures().front(), family.structures().back()})
    for (const Index keep : {1, 3}) candidates.push_back({.covariance = structure, .keep = keep});
  candidates.push_back({.covariance = family.structures().back(), .keep_above = 0.001});
  check_law(
      family,
      [&](const Table& t) {
        std::vector<std::string> fold;
        for (Index i = 0; i < t.rows(); ++i) fold.push_back(std::to_string(i % 3));
        const Statistics all = statistics_of(t, family.options());
        const Selection selection = select(
            t.schema(), t.block(), {.candidates = candidates, .calibrate = false}, Column(fold));
        for (std::size_t k = 0; k < candidates.size(); ++k) {
          if (!selection.candidates[k].error.empty())
            return AssertionFailure() << selection.candidates[k].error.text();
          double loss = 0, weight = 0;
          for (Index f = 0; f < 3; ++f) {
            const auto inside = rows_where(t.rows(), [&](Index i) { return i % 3 == f; });
            const auto outside = rows_where(t.rows(), [&](Index i) { return i % 3 != f; });
            const Model model =
                estimate(statistics_of_rows(family, t, all, outside), candidates[k]);
            const Table part = t.take(inside);
            const RowBlock rows =
                part.block().columns(positions_of_columns(t.schema(), model.schema()));
            const Matrix p = posteriors(log_likelihood(model, rows), Priors::from_counts(model));
            for (Index i = 0; i < part.rows(); ++i) {
              if (part.weight(i) == 0) continue;
              loss -= part.weight(i) * std::log(p(i, *model.labels().find(part.label(i))));
              weight += part.weight(i);
            }
          }
          const double found = selection.candidates[k].score.log_loss, expected = loss / weight;
          if (found != expected && !(std::abs(found - expected) <= 1e-8 * (1 + expected)))
            return AssertionFailure()
                   << "candidate " << k << ": log-loss " << found << ", not " << expected;
        }
        return AssertionSuccess();
      },
      {.rows = 150, .features = 4, .classes = 3});
}

/// A model of the family, and one beside it: that of most of the rows.
struct Neighbours {
  Model model, other;
};
Neighbours neighbours(const FamilyCase& family, Covariance structure, std::uint64_t seed) {
  const Table t = generate(family, {.rows = 2000, .features = 4, .classes = 2}, seed);
  const EstimateOptions options{.covariance = structure, .shrinkage = Shrinkage::none()};
  const Statistics all = statistics_of(t, family.options());
  return {estimate(all, options),
          estimate(statistics_of_rows(family, t, all,
                                      rows_where(t.rows(), [](Index i) { return i % 3 != 0; })),
                   options)};
}

// If X has the density p, the mean of q(X) / p(X) is 1 for every density q. One that is close to p
// keeps the deviation of the quotient small.
TEST_P(Laws, SamplesHaveTheDensityOfTheModel) {
  const FamilyCase& family = GetParam();
  constexpr Index count = 20000;
  for (const Covariance structure : family.structures()) {
    const auto [model, other] = neighbours(family, structure, 105);
    for (const std::string& label : model.labels()) {
      const Sample rows = sample(model, count, label, {.seed = 7, .document_length = 12});
      const Index c = *model.labels().find(label);
      const Matrix p = log_likelihood(model, rows.rows()).values;
      const Matrix q = log_likelihood(other, rows.rows()).values;
      double sum = 0, squares = 0;
      for (Index i = 0; i < count; ++i) {
        const double quotient = std::exp(q(i, c) - p(i, c));
        sum += quotient;
        squares += quotient * quotient;
      }
      const double n = static_cast<double>(count), mean = sum / n;
      const double error = std::sqrt((squares / n - mean * mean) / n);
      EXPECT_GT(error, 0) << family.name;
      EXPECT_LT(error, 0.02) << family.name << ": the models are too far apart to tell";
      EXPECT_NEAR(mean, 1, 5 * error) << family.name << ", " << to_string(structure);
      // And a family's own estimate of them is the model, to within their number.
      Statistics drawn(with_levels(statistics_of(
                           generate(family, {.rows = 2000, .features = 4, .classes = 2}, 105),
                           family.options())),
                       {.scatter = family.scatter, .labels = model.labels().list()});
      drawn.update(rows.rows());
      const Model again =
          estimate(drawn, {.covariance = structure, .shrinkage = Shrinkage::none()});
      const Matrix r = log_likelihood(again, rows.rows()).values;
      double gain = 0;
      for (Index i = 0; i < count; ++i) gain += (r(i, c) - p(i, c)) / n;
      EXPECT_LT(std::abs(gain), 60 / n) << family.name << ", " << to_string(structure);
    }
  }
}

LAWS_WHERE(OutlierLaws, !family.has(Family::text));

TEST_P(OutlierLaws, OutlierScoresAreSharesOfSamplesThatAreNotMoreProbable) {
  const FamilyCase& family = GetParam();
  constexpr Index count = 4000;
  const Model model = neighbours(family, family.structures().front(), 106).model;
  const std::vector<double> mixture{0.3, 0.7};
  const auto log_p = [&](const LogLikelihoods& scores) {
    return log_density(scores, Priors(model.labels(), Vector{0.3, 0.7}));
  };
  const Sample rows = sample(model, 40, mixture, {.seed = 1, .document_length = 12});
  const Sample others = sample(model, count, mixture, {.seed = 2, .document_length = 12});
  const LogLikelihoods scores = log_likelihood(model, rows.rows());
  const Vector found = outlier_score(model, rows.rows(), scores, mixture);
  const Vector own = log_p(scores), theirs = log_p(log_likelihood(model, others.rows()));
  for (Index i = 0; i < own.size(); ++i) {
    const double slack = 1e-12 * (1 + std::abs(own[i]));
    const auto below =
        std::ranges::count_if(theirs, [&](double log) { return log <= own[i] + slack; });
    const double share = static_cast<double>(below) / count;
    // Five standard errors of both samples, and what an equally probable row may be.
    const double error = std::sqrt(share * (1 - share) / count) + 1.0 / count;
    EXPECT_NEAR(found[i], share, 6 * error) << family.name << ", row " << i;
  }
}

}  // namespace
}  // namespace suffice::testing
