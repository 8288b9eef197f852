// An update cuts its rows into blocks of rows_per_block, so that calls with consecutive multiples
// of that many rows give the same bits as one call, whatever comes first where.

#include <gmock/gmock.h>

#include "compare.hpp"
#include "generate.hpp"
#include "support/message_of.hpp"

namespace suffice::testing {
namespace {

using ::testing::HasSubstr;

/// So many features that a block has few rows, and rows for a little more than three blocks. The
/// last class and the last levels come late.
Size several_blocks(const FamilyCase& family) {
  const bool fixed = family.sparse || family.only(Family::categorical) ||
                     family.has(Family::text);  // whatever the features
  Size size{.rows = 0, .features = fixed ? 3 : 120, .classes = 3};
  const Schema schema = generate(family, {1, size.features, 1}, 1).schema();
  size.rows = 3 * rows_per_block(schema, family.sparse) + 101;
  return size;
}

TEST_P(Laws, BlocksOfCallsGiveTheBitsOfOneCall) {
  const FamilyCase& family = GetParam();
  const Size size = several_blocks(family);
  for (const Weighting weighting : {Weighting::none, Weighting::real}) {
    const Table t = generate(family, size, 51, weighting);
    const Index block = rows_per_block(t.schema(), family.sparse);
    const Statistics whole = statistics_of(t, family.options(), {.threads = 2});
    for (const Index step : {block, 2 * block}) {
      Statistics parts(t.schema(), family.options());
      for (Index first = 0; first < t.rows(); first += step)
        parts.update(t.block().slice(first, std::min(step, t.rows() - first)));
      EXPECT_TRUE(parts == whole) << step;
    }
    // A third of a block as a step gives other roundings, and no more than that.
    Statistics other(t.schema(), family.options());
    for (Index first = 0; first < t.rows(); first += block / 3)
      other.update(t.block().slice(first, std::min(block / 3, t.rows() - first)));
    EXPECT_TRUE(close(other, whole));
  }
}

TEST_P(Laws, AnErrorInALaterBlockLeavesEverythingAsItWas) {
  const FamilyCase& family = GetParam();
  const Size size = several_blocks(family);
  const Table t = generate(family, size, 52);
  const Index bad = t.rows() - 7;
  Statistics stats = statistics_of(t.range(0, 50), family.options());
  const Statistics before = stats;
  std::vector<std::string> labels = t.parts().labels;
  std::vector<std::uint8_t> valid(labels.size() / 8 + 1, 0xff);
  valid[static_cast<std::size_t>(bad / 8)] &= static_cast<std::uint8_t>(~(1u << (bad % 8)));
  RowBlock rows = t.block();
  rows.labels(Column(Strings(labels), Validity{valid.data(), 0}));
  EXPECT_THAT(message_of<DataError>([&] { stats.update(rows); }),
              HasSubstr("row " + std::to_string(bad) + ": there is no label"));
  EXPECT_TRUE(stats == before);
  if (!family.has(Family::gaussian)) return;
  Matrix values = t.parts().values;
  Index number = 0;
  while (t.schema().feature(number).family != Family::gaussian) ++number;
  values(bad, number) = std::numeric_limits<double>::infinity();
  const Table infinite = t.with_values(std::move(values));
  EXPECT_THAT(message_of<DataError>([&] { stats.update(infinite.block()); }),
              HasSubstr("row " + std::to_string(bad) + ","));
  EXPECT_TRUE(stats == before);
}

}  // namespace
}  // namespace suffice::testing
