// A selection whose rows are in several places: sums of each fold, and scores of parts, put
// together.

#include <gmock/gmock.h>

#include <random>

#include "suffice/core/error.hpp"
#include "suffice/select/select.hpp"

namespace suffice::select_parts_test {
namespace {

using ::testing::HasSubstr;

constexpr Index rows = 400;

/// Three classes of normal numbers beside a category; class "c" has rows in the last half only.
struct Table {
  Matrix x{rows, 2};
  std::vector<std::string> y, colour, fold;
  std::vector<double> weight;

  Table() {
    std::mt19937 generator(3);
    std::normal_distribution<double> normal;
    const std::string classes[] = {"a", "b", "c"}, colours[] = {"red", "green", "blue"};
    for (Index i = 0; i < rows; ++i) {
      const Index c = i % (i < rows / 2 ? 2 : 3);
      y.push_back(classes[c]);
      colour.push_back(colours[generator() % (i < rows / 2 ? 2 : 3)]);
      fold.push_back("f" + std::to_string(generator() % 3));
      weight.push_back(static_cast<double>(generator() % 3));
      x(i, 0) = normal(generator) + static_cast<double>(c);
      x(i, 1) = normal(generator) * static_cast<double>(c + 1);
    }
  }
  Schema schema() const {
    return Schema(std::vector<Feature>{
        {.name = "u"}, {.name = "v"}, {.name = "colour", .family = Family::categorical}});
  }
  RowBlock block() const {
    RowBlock result{MatrixView(x)};
    result.feature(Column(colour)).labels(Column(y)).weights(Column(weight));
    return result;
  }
};

Column slice(const std::vector<std::string>& names, Index first, Index count) {
  Column column(names);
  column.strings = column.strings.slice(first, count);
  column.size = count;
  return column;
}

/// The rows of a fold weigh what they did, all others nothing.
Statistics sums_of_fold(const Table& table, const std::string& fold) {
  std::vector<double> weight = table.weight;
  for (std::size_t i = 0; i < weight.size(); ++i)
    if (table.fold[i] != fold) weight[i] = 0;
  RowBlock block = table.block();
  block.weights(Column(weight));
  return Statistics(table.schema()).update(block);
}

SelectOptions some_candidates() {
  return {.candidates = {{}, {.covariance = Covariance::tied}, {.covariance = Covariance::diag}},
          .calibrate = false};
}

TEST(SelectorOfParts, IsTheSelectorOfAllRows) {
  const Table table;
  const Selection whole =
      select(table.schema(), table.block(), some_candidates(), Column(table.fold));

  const auto learned = [&] {
    Selector selector(table.schema(), some_candidates());
    for (const char* fold : {"f2", "f0", "f1"}) selector.learn(fold, sums_of_fold(table, fold));
    return selector;
  };
  Selector driver = learned();
  for (const Index first : {Index{0}, Index{150}, rows}) {  // the last part has no rows
    const Index count = first == 0 ? 150 : rows - first;
    Selector worker = learned();
    worker.score(table.block().slice(first, count), slice(table.fold, first, count));
    driver.add_scores(worker.scores());
  }
  const Selection parts = driver.finish();

  EXPECT_EQ(parts.folds, whole.folds);
  EXPECT_EQ(parts.ranking, whole.ranking);
  EXPECT_EQ(parts.best, whole.best);
  EXPECT_NEAR(parts.frequency_log_loss, whole.frequency_log_loss, 1e-14);
  for (std::size_t j = 0; j < whole.candidates.size(); ++j) {
    const CandidateResult &a = parts.candidates[j], &b = whole.candidates[j];
    EXPECT_EQ(a.error.text(), b.error.text());
    EXPECT_EQ(a.parameters, b.parameters);
    EXPECT_EQ(a.score.rows, b.score.rows);
    EXPECT_EQ(a.score.error_rate, b.score.error_rate);
    EXPECT_NEAR(a.score.log_loss, b.score.log_loss, 1e-12);
    EXPECT_NEAR(a.log_loss_se, b.log_loss_se, 1e-12);
    for (std::size_t f = 0; f < 3; ++f)
      EXPECT_NEAR(a.folds[f].log_loss, b.folds[f].log_loss, 1e-12);
  }
  EXPECT_EQ(driver.statistics().labels(), (Names{"a", "b", "c"}));
}

TEST(SelectorOfParts, RefusesWhatCannotBePutTogether) {
  const Table table;
  Selector selector(table.schema(), some_candidates());
  const Statistics sums = sums_of_fold(table, "f0");
  EXPECT_THROW(selector.learn("f0", Statistics(Schema::numbered(2))), InvalidArgument);
  selector.learn("f0", sums);
  selector.learn("f1", sums_of_fold(table, "f1"));
  Selector other(table.schema(), {.candidates = {{}}, .calibrate = false});
  other.learn("f0", sums);
  other.learn("f1", sums);
  EXPECT_THROW(selector.add_scores(other.scores()), InvalidArgument);
  try {  // nothing was scored
    selector.finish();
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("the second of weight 0"));
  }
  Selector calibrated(table.schema(), {.candidates = {{}}});
  EXPECT_THROW(calibrated.learn("f0", sums), InvalidArgument);
}

TEST(SelectorOfParts, RefusesRowsBesideSums) {
  const Table table;
  const Statistics sums = sums_of_fold(table, "f0");
  const auto refused = [](const auto& learn) {
    try {
      learn();
      ADD_FAILURE() << "rows and sums were learned together";
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr("rows and sums of folds"));
    }
  };
  Selector of_sums(table.schema(), some_candidates());
  of_sums.learn("f0", sums);
  refused([&] { of_sums.learn(table.block(), Column(table.fold)); });
  Selector of_rows(table.schema(), some_candidates());
  of_rows.learn(table.block(), Column(table.fold));
  refused([&] { of_rows.learn("f0", sums); });
}

}  // namespace
}  // namespace suffice::select_parts_test
