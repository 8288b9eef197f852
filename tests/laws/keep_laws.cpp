// Models of some features: their sums are those of the columns alone, and so are the models.

#include <algorithm>
#include <numeric>

#include "compare.hpp"
#include "generate.hpp"

namespace suffice::testing {
namespace {

RowBlock narrow(const Table& t, const Schema& schema) {
  return t.block().columns(positions_of_columns(t.schema(), schema));
}

/// The statistics of these columns, without looking at the others.
Statistics statistics_alone(const FamilyCase& family, const Table& t, const Statistics& all,
                            const Schema& schema) {
  Statistics stats(schema, {.scatter = family.scatter, .labels = all.labels().list()});
  stats.update(narrow(t, schema));
  return stats;
}

bool lacks_numbers(const FamilyCase& family) {
  return family.missing_share > 0 && family.has(Family::gaussian);
}

TEST_P(Laws, ASubsetHasTheSumsOfItsColumns) {
  const FamilyCase& family = GetParam();
  check_law(family, [&](const Table& t) {
    const std::vector<Index> some{1, 3, 4};
    if (t.features() < 5) return AssertionSuccess();
    const Statistics all = statistics_of(t, family.options());
    const Schema schema = t.schema().subset(some);
    if (schema.size() != 3 || schema.feature(1).name != t.schema().feature(3).name)
      return AssertionFailure() << "another schema";
    const auto comparable = [&](const Statistics& stats) {
      if (!family.has(Family::gaussian) || family.scatter == Scatter::diagonal) return stats;
      // Whether a row that lacks a number is complete in the subset, sums do not know.
      if (lacks_numbers(family)) return with_scatter(stats, Scatter::diagonal);
      return family.scatter == Scatter::pooled ? stats : with_scatter(stats, Scatter::dense);
    };
    const Statistics expected = comparable(statistics_alone(family, t, all, schema));
    return close(comparable(subset(all, some)), expected);
  });
}

/// The features with the largest divergences of the naive model; of equal ones the first.
std::vector<std::string> best_features(const Statistics& all, Covariance covariance,
                                       std::size_t count) {
  const bool tied = is_tied(covariance);
  const Vector apart =
      separation(estimate(all, {.covariance = tied ? Covariance::tied_diag : Covariance::diag}));
  std::vector<Index> order(static_cast<std::size_t>(apart.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return apart[a] > apart[b]; });
  order.resize(count);
  std::sort(order.begin(), order.end());
  std::vector<std::string> names;
  for (const Index j : order) names.push_back(all.schema().feature(j).name);
  return names;
}

TEST_P(Laws, KeptFeaturesGiveTheModelOfTheirColumns) {
  const FamilyCase& family = GetParam();
  for (const Covariance structure : family.structures()) {
    if (lacks_numbers(family) && is_dense(structure)) continue;  // other rows would be complete
    for (const Index keep : {1, 2, 9})
      check_law(family, [&](const Table& t) {
        const Statistics all = statistics_of(t, family.options());
        const EstimateOptions options{.covariance = structure, .keep = keep};
        const Model model = estimate(all, options);
        const auto count = static_cast<std::size_t>(std::min(keep, t.features()));
        std::vector<std::string> names;
        for (const Feature& feature : model.schema().features()) names.push_back(feature.name);
        if (names != best_features(all, structure, count))
          return AssertionFailure() << to_string(structure) << ": other features were kept";
        const Model alone =
            estimate(statistics_alone(family, t, all, model.schema()), {.covariance = structure});
        const RowBlock rows = narrow(t, model.schema());
        const Matrix found = log_likelihood(model, rows).values;
        const Matrix expected = log_likelihood(alone, rows).values;
        for (Index i = 0; i < found.rows(); ++i)
          for (Index c = 0; c < found.cols(); ++c)
            if (!(std::abs(found(i, c) - expected(i, c)) <= 1e-8 * (1 + std::abs(expected(i, c)))))
              return AssertionFailure() << to_string(structure) << ", row " << i << ": "
                                        << found(i, c) << ", not " << expected(i, c);
        if (estimate(all, options, {.threads = 1}) != estimate(all, options, {.threads = 4}))
          return AssertionFailure() << "another model on four threads";
        if (model_from_bytes(to_bytes(model)) != model)
          return AssertionFailure() << "a file gives another model";
        return AssertionSuccess();
      });
  }
}

}  // namespace
}  // namespace suffice::testing
