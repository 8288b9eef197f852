// `fit` without options has an answer for every table with rows of two classes.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "suffice/data/positions.hpp"
#include "suffice/fit/fit.hpp"
#include "suffice/predict/predictor.hpp"
#include "support/odd_tables.hpp"

namespace suffice::always_laws {
namespace {

/// The tables of a test, by their seeds; script/test --all asks for more.
int tables() {
  const char* const wanted = std::getenv("SUFFICE_TABLES");
  return wanted ? std::atoi(wanted) : 48;
}

void expect_answer(std::uint64_t seed) {
  const testing::OddTable table = testing::OddTables(seed).table();
  std::string columns = table.kind + ", " + std::to_string(table.rows()) + " rows:";
  for (std::size_t j = 0; j < table.columns.size() && j < 12; ++j)
    columns += " " + table.columns[j].kind + ",";
  SCOPED_TRACE("seed " + std::to_string(seed) + ": " + columns);
  const RowBlock rows = table.block();
  try {
    RowsInMemory source(table.schema(), rows);
    const Fit found = fit(source, {}, {.threads = 1});
    const Predictions answers = predict(
        found.model, rows.columns(positions_of_columns(table.schema(), found.model.schema())),
        {.wanted = {.posteriors = true, .log_posteriors = true}});
    const std::vector<Index> truth = positions(found.model.labels(), rows.labels());
    const Priors priors = Priors::from_counts(found.model);
    double loss = 0, alone = 0, all = 0;
    bool good = true;
    for (Index i = 0; i < rows.rows(); ++i) {
      double sum = 0;
      for (const double p : answers.posteriors.row(i)) {
        good &= p >= 0 && p <= 1;
        sum += p;
      }
      good &= std::abs(sum - 1) < 1e-9;
      const Index c = truth[static_cast<std::size_t>(i)];
      const double weight = table.weights.empty() ? 1 : table.weights[static_cast<std::size_t>(i)];
      loss -= weight * answers.log_posteriors(i, c);
      alone -= weight * priors.log()[c];
      all += weight;
    }
    EXPECT_TRUE(good) << "posteriors are no probabilities";
    EXPECT_LE(loss / all, 1.05 * alone / all + 1e-9);
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
}

/// In parts, so that several processes can share the tables.
class Always : public ::testing::TestWithParam<int> {};

TEST_P(Always, EveryTableHasAnAnswer) {
  const int first = GetParam() * tables() / 16, end = (GetParam() + 1) * tables() / 16;
  for (int seed = first; seed < end; ++seed) expect_answer(static_cast<std::uint64_t>(seed));
}
INSTANTIATE_TEST_SUITE_P(Tables, Always, ::testing::Range(0, 16));

}  // namespace
}  // namespace suffice::always_laws
