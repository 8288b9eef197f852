// Where missing values are refused, a table without any is treated as ever, to the last bit, and
// one with some is refused as a whole, by the same message on any number of threads.

#include <gmock/gmock.h>

#include "compare.hpp"
#include "generate.hpp"
#include "support/message_of.hpp"

namespace suffice::testing {
namespace {

using ::testing::HasSubstr;

LAWS_WHERE(CompleteLaws, family.missing_share == 0);
LAWS_WHERE(IncompleteLaws, family.missing_share > 0);

constexpr Size size{.rows = 20000, .features = 8, .classes = 3};
constexpr Missing refuse = Missing::refuse;

TEST_P(CompleteLaws, RefusingMissingValuesChangesNoBit) {
  const FamilyCase& family = GetParam();
  const Table t = generate(family, size, 41, Weighting::real);
  const Statistics stats = statistics_of(t, family.options());
  Statistics strict(t.schema(), family.options());
  strict.update(t.block(), {.missing = refuse});
  EXPECT_TRUE(strict == stats);
  for (const Covariance structure : family.structures()) {
    SCOPED_TRACE(to_string(structure));
    const Model model = estimate(stats, {.covariance = structure});
    EXPECT_TRUE(same_bits(log_likelihood(model, t.block(), {.missing = refuse}).values,
                          log_likelihood(model, t.block()).values));
    EXPECT_EQ(best_class(model, t.block(), {}, {.missing = refuse}), best_class(model, t.block()));
  }
}

TEST_P(IncompleteLaws, MissingValuesAreRefusedByRowAndFeature) {
  const FamilyCase& family = GetParam();
  // Complete except for one cell, far from the first rows.
  Table t = generate(family, size, 42);
  Matrix values = t.parts().values;
  std::vector<Index> present(static_cast<std::size_t>(t.features()), -1);
  for (Index i = 0; i < t.rows(); ++i)
    for (Index j = 0; j < t.features(); ++j) {
      if (std::isnan(values(i, j))) values(i, j) = present[j] < 0 ? 0 : values(present[j], j);
      present[j] = i;
    }
  const Index row = 15001;
  for (Index j = 0; j < t.features(); ++j) {
    Matrix holed = values;
    holed(row, j) = missing;
    t = t.with_values(std::move(holed));
    const std::string name = t.schema().feature(j).name;
    const std::string expected = "row 15001, feature '" + name + "': the value is missing";
    SCOPED_TRACE(name);
    Statistics stats = statistics_of(t, family.options());
    const Statistics before = stats;
    const Model model = estimate(stats, {.covariance = family.structures().back()});
    for (const int threads : {1, 3}) {
      const Execution execution{.threads = threads};
      EXPECT_THAT(
          message_of<DataError>([&] { stats.update(t.block(), {.missing = refuse}, execution); }),
          HasSubstr(expected));
      EXPECT_TRUE(stats == before);
      EXPECT_THAT(message_of<DataError>(
                      [&] { log_likelihood(model, t.block(), {.missing = refuse}, execution); }),
                  HasSubstr(expected));
      EXPECT_THAT(message_of<DataError>(
                      [&] { best_class(model, t.block(), {}, {.missing = refuse}, execution); }),
                  HasSubstr(expected));
    }
    // A row of weight 0 is absent, and so is what it lacks.
    std::vector<double> weights(static_cast<std::size_t>(t.rows()), 1.0);
    weights[static_cast<std::size_t>(row)] = 0;
    EXPECT_NO_THROW(stats.update(t.with_weights(weights).block(), {.missing = refuse}));
  }
}

}  // namespace
}  // namespace suffice::testing
