// Choosing by cross-validation: rules and messages, on rows small enough to reason about. That the
// scores equal refits from the rows is in reference/select_test.cpp.

#include "suffice/select/select.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <random>

#include "data/gather.hpp"
#include "suffice/core/error.hpp"
#include "suffice/decide/posteriors.hpp"
#include "suffice/left_out/leave_one_out.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice::select_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

/// Two classes of normal numbers, `apart` deviations from each other.
struct TwoClasses {
  Matrix x;
  std::vector<std::string> y;

  TwoClasses(Index rows, Index features, double apart, unsigned seed = 1) : x(rows, features) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    for (Index i = 0; i < rows; ++i) {
      y.push_back(i % 2 ? "b" : "a");
      for (Index j = 0; j < features; ++j) x(i, j) = normal(generator) + (i % 2 ? apart : 0);
    }
  }
  RowBlock rows() const { return RowBlock(MatrixView(x), Column(y)); }
  Schema schema() const { return Schema::numbered(x.cols()); }
};

TEST(Selector, ChoosesTheStructureThatTheRowsWereDrawnFrom) {
  // Class b is class a rotated about the same mean: only a full covariance can tell.
  std::mt19937 generator(5);
  std::normal_distribution<double> normal;
  Matrix x(400, 2);
  std::vector<int> y;
  for (Index i = 0; i < 400; ++i) {
    const double u = 3 * normal(generator), v = normal(generator), sign = i % 2 ? 1 : -1;
    x(i, 0) = u + sign * v;
    x(i, 1) = sign * u - v;
    y.push_back(static_cast<int>(i % 2));
  }
  const Selection chosen = select(Schema::numbered(2), RowBlock(MatrixView(x), Column(y)),
                                  {.candidates = {{.covariance = Covariance::tied},
                                                  {.covariance = Covariance::diag},
                                                  {.covariance = Covariance::full}}});
  EXPECT_EQ(chosen.best, 2);
  EXPECT_EQ(chosen.best_options().covariance, Covariance::full);
  EXPECT_THAT(chosen.folds, ElementsAre("1", "2", "3", "4", "5"));
  ASSERT_EQ(chosen.candidates[2].folds.size(), 5u);
  double rows = 0, errors = 0;
  for (const Score& fold : chosen.candidates[2].folds) {
    EXPECT_EQ(fold.rows, 80);
    rows += fold.rows;
    errors += fold.rows * fold.error_rate;
  }
  EXPECT_EQ(chosen.candidates[2].score.rows, rows);
  EXPECT_NEAR(chosen.candidates[2].score.error_rate, errors / rows, 1e-12);
  // Means 2 × 2; two symmetric 2 × 2 matrices, one of them, or 2 × 2 variances.
  EXPECT_EQ(chosen.candidates[2].parameters, 4 + 6);
  EXPECT_EQ(chosen.candidates[0].parameters, 4 + 3);
  EXPECT_EQ(chosen.candidates[1].parameters, 4 + 4);
}

TEST(Selector, GivesTheSameBitsOnAnyNumberOfThreads) {
  const TwoClasses data(6000, 12, 0.5);
  const SelectOptions options{.candidates = {{},
                                             {.covariance = Covariance::tied},
                                             {.pca = Pca{.components = 4}},
                                             {.pca = Pca{.components = 7}, .lda = 1}},
                              .calibrate = true};
  const Selection one = select(data.schema(), data.rows(), options, {}, {.threads = 1});
  const Selection four = select(data.schema(), data.rows(), options, {}, {.threads = 4});
  for (std::size_t j = 0; j < options.candidates.size(); ++j) {
    EXPECT_EQ(one.candidates[j].error.text(), "");
    EXPECT_EQ(one.candidates[j].score.error_rate, four.candidates[j].score.error_rate);
    EXPECT_EQ(one.candidates[j].score.log_loss, four.candidates[j].score.log_loss);
    EXPECT_EQ(one.candidates[j].calibration, four.candidates[j].calibration);
  }
}

TEST(Selector, DoesNotDependOnHowTheRowsAreCut) {
  const TwoClasses data(500, 3, 1);
  const SelectOptions options{
      .candidates = {{}, {.covariance = Covariance::diag}}, .folds = 4, .calibrate = true};
  const Selection whole = select(data.schema(), data.rows(), options);
  Selector selector(data.schema(), options);
  const auto pieces = [&](Index size, auto pass) {
    for (Index i = 0; i < 500; i += size) {
      const Index count = std::min(size, 500 - i);
      const std::vector<std::string> y(data.y.begin() + i, data.y.begin() + i + count);
      pass(RowBlock(MatrixView(data.x.row(i).data(), count, 3), Column(y)));
    }
  };
  pieces(130, [&](const RowBlock& rows) { selector.learn(rows); });
  pieces(77, [&](const RowBlock& rows) { selector.score(rows); });
  const Selection cut = selector.finish();
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_EQ(cut.candidates[j].score.error_rate, whole.candidates[j].score.error_rate);
    EXPECT_NEAR(cut.candidates[j].score.log_loss, whole.candidates[j].score.log_loss, 1e-10);
  }
  // And the statistics of all rows are those of one pass.
  Statistics all(data.schema());
  all.update(data.rows());
  EXPECT_EQ(selector.statistics().weights(), all.weights());
}

TEST(Selector, CountsACandidateThatCannotBeEstimatedAsNeverBest) {
  TwoClasses data(60, 3, 1);
  for (Index i = 0; i < 60; ++i) data.x(i, 2) = data.x(i, 0) + data.x(i, 1);  // singular
  const Selection chosen = select(data.schema(), data.rows(),
                                  {.candidates = {{.shrinkage = Shrinkage::none()},
                                                  {.covariance = Covariance::diag},
                                                  {.pca = Pca{.components = 3}},
                                                  {.lda = 2}}});
  EXPECT_EQ(chosen.best, 1);
  EXPECT_THAT(chosen.candidates[0].error.text(), HasSubstr("fold '1': "));
  EXPECT_THAT(chosen.candidates[2].error.text(), HasSubstr("pca has at most 2 components, not 3"));
  EXPECT_THAT(chosen.candidates[3].error.text(), HasSubstr("lda has at most 1, not 2"));
  EXPECT_TRUE(chosen.candidates[0].folds.empty());
}

// Options in the messages of folds are data as well, and each edge spells them.
TEST(Selector, OptionsInWhatIsWrongAreSpelledByTheEdge) {
  const TwoClasses data(60, 3, 1);
  const SelectOptions options{.candidates = {{.keep_above = 1e9}}};
  const auto as_words = [](const Option& option) { return "the flag " + option.name; };
  try {
    select(data.schema(), data.rows(), options);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("fold '1': "));
    EXPECT_THAT(error.what(), HasSubstr("choose a smaller keep_above"));
    EXPECT_THAT(error.text({.option = as_words}),
                HasSubstr("choose a smaller the flag keep_above"));
  }
}

TEST(Selector, CountsTheRowsOfAClassThatTheOtherFoldsLack) {
  TwoClasses data(41, 2, 3);
  data.y[40] = "rare";
  const Selection chosen =
      select(data.schema(), data.rows(), {.candidates = {{.covariance = Covariance::tied}}});
  const Score& score = chosen.candidates[0].score;
  EXPECT_EQ(score.impossible, 1);
  EXPECT_EQ(score.log_loss, std::numeric_limits<double>::infinity());
  EXPECT_GE(score.error_rate, 1.0 / 41);
  EXPECT_EQ(chosen.candidates[0].log_loss_se, std::numeric_limits<double>::infinity());
  ASSERT_EQ(chosen.notes.size(), 1u);
  EXPECT_THAT(chosen.notes[0], HasSubstr("class 'rare' has rows in fold"));
}

TEST(Selector, TakesPriorsAndCostsWhenTheClassesAreKnown) {
  const TwoClasses data(200, 1, 1);
  const SelectOptions options{.candidates = {{}}, .criterion = Criterion::cost};
  Selector selector(data.schema(), options);
  selector.learn(data.rows());
  const Names labels = selector.statistics().labels();
  selector.decide_with(Priors(labels, {1.0, 0.0}), Costs(labels, Matrix{{0, 1}, {7, 0}}));
  selector.score(data.rows());
  const Selection chosen = selector.finish();
  // Class a is always decided: the 100 rows of b are errors, at 7 each.
  EXPECT_EQ(chosen.candidates[0].score.error_rate, 0.5);
  EXPECT_EQ(chosen.candidates[0].score.cost, 3.5);
  EXPECT_EQ(chosen.candidates[0].score.impossible, 100);
}

TEST(Selector, StandardErrorsOfFolds) {
  const TwoClasses data(100, 2, 1);
  const CandidateResult result =
      select(data.schema(), data.rows(), {.candidates = {{}}, .folds = 5}).candidates[0];
  ASSERT_EQ(result.folds.size(), 5U);
  for (const auto& [of, found] : {std::pair{&Score::error_rate, result.error_rate_se},
                                  {&Score::log_loss, result.log_loss_se},
                                  {&Score::cost, result.cost_se}}) {
    double mean = 0, squares = 0;
    for (const Score& fold : result.folds) mean += fold.*of / 5;
    for (const Score& fold : result.folds) squares += (fold.*of - mean) * (fold.*of - mean);
    EXPECT_GT(found, 0);
    EXPECT_NEAR(found, std::sqrt(squares / 4 / 5), 1e-12);
  }
}

// Costs of 0 and 7, errors of 0 and 1, for half of the rows each.
TEST(Selector, StandardErrorsOfRowsLeftOut) {
  const TwoClasses data(200, 1, 1);
  const SelectOptions options{
      .candidates = {{.shrinkage = Shrinkage::none()}}, .folds = 0, .criterion = Criterion::cost};
  Selector selector(data.schema(), options);
  selector.learn(data.rows());
  const Names labels = selector.statistics().labels();
  selector.decide_with(Priors(labels, {1.0, 0.0}), Costs(labels, Matrix{{0, 1}, {7, 0}}));
  selector.score(data.rows());
  const CandidateResult result = selector.finish().candidates[0];
  EXPECT_EQ(result.score.cost, 3.5);
  EXPECT_NEAR(result.cost_se, 3.5 / std::sqrt(199.0), 1e-12);
  EXPECT_NEAR(result.error_rate_se, 0.5 / std::sqrt(199.0), 1e-12);
}

TEST(Selector, LeavesOutOneRowAtATimeAsIfEachWereAFold) {
  const TwoClasses data(90, 3, 1);
  std::vector<double> weights;
  std::vector<int> folds;
  for (int i = 0; i < 90; ++i) {
    weights.push_back(i % 10 == 3 ? 0 : 1 + i % 3);
    folds.push_back(i);
  }
  const RowBlock rows(MatrixView(data.x), Column(data.y), Column(weights));
  const SelectOptions options{
      .candidates = {{.shrinkage = Shrinkage::none()},
                     {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()},
                     {.covariance = Covariance::diag, .shrinkage = Shrinkage::none()},
                     {.shrinkage = Shrinkage::share(0.3)},
                     {.shrinkage = Shrinkage::none(), .inference = Inference::bayes},
                     {.pca = Pca{.components = 2}}},
      .folds = 0,
      .calibrate = true};
  const Selection left_out = select(data.schema(), rows, options);
  const Selection by_fold = select(data.schema(), rows, options, Column(folds));
  EXPECT_TRUE(left_out.folds.empty());
  EXPECT_EQ(by_fold.folds.size(), 81u);
  for (std::size_t j = 0; j < 5; ++j) {
    const CandidateResult &one = left_out.candidates[j], &other = by_fold.candidates[j];
    EXPECT_EQ(one.error.text(), "");
    EXPECT_DOUBLE_EQ(one.score.rows, other.score.rows);
    EXPECT_NEAR(one.score.error_rate, other.score.error_rate, 1e-12);
    EXPECT_NEAR(one.score.log_loss, other.score.log_loss, 1e-9);
    EXPECT_EQ(one.parameters, other.parameters);
  }
  EXPECT_THAT(left_out.candidates[5].error.text(), HasSubstr("principal components change"));
  EXPECT_EQ(by_fold.candidates[5].error.text(), "");
}

TEST(Selector, CountsTheOnlyRowOfAClassAsAnErrorWhenItIsLeftOut) {
  TwoClasses data(41, 2, 3);
  data.y[40] = "rare";
  const Selection chosen =
      select(data.schema(), data.rows(),
             {.candidates = {{.covariance = Covariance::tied, .shrinkage = Shrinkage::none()}},
              .folds = 0});
  EXPECT_EQ(chosen.candidates[0].score.impossible, 1);
  EXPECT_GE(chosen.candidates[0].score.error_rate, 1.0 / 41);
  ASSERT_EQ(chosen.notes.size(), 1u);
  EXPECT_THAT(chosen.notes[0], HasSubstr("class 'rare' has one row"));
}

/// Nearly independent copies of one column: naive Bayes counts the same evidence four times.
TwoClasses copies(Index rows) {
  TwoClasses data(rows, 4, 1.5);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 1; j < 4; ++j) data.x(i, j) = data.x(i, 0) + 0.05 * data.x(i, j);
  return data;
}

TEST(Selector, CalibratesOnTheScoresOfTheOtherFolds) {
  const TwoClasses data = copies(400);
  const std::vector<EstimateOptions> candidates{
      {.covariance = Covariance::diag, .shrinkage = Shrinkage::none()},
      {.covariance = Covariance::full, .shrinkage = Shrinkage::none()}};
  const Selection chosen =
      select(data.schema(), data.rows(), {.candidates = candidates, .calibrate = true});
  const Selection plain =
      select(data.schema(), data.rows(), {.candidates = candidates, .calibrate = false});
  EXPECT_NEAR(chosen.frequency_log_loss, std::log(2.0), 1e-14);
  for (std::size_t j = 0; j < 2; ++j) {
    const CandidateResult& of = chosen.candidates[j];
    EXPECT_EQ(of.uncalibrated.log_loss, plain.candidates[j].score.log_loss);
    EXPECT_EQ(of.uncalibrated.error_rate, plain.candidates[j].score.error_rate);
    EXPECT_LE(of.score.log_loss, of.uncalibrated.log_loss);
    EXPECT_FALSE(plain.candidates[j].calibration);
    ASSERT_TRUE(of.calibration);
  }
  // Four copies of the evidence.
  EXPECT_NEAR(chosen.candidates[0].calibration->scale[0], 0.25, 0.1);
  EXPECT_GT(chosen.candidates[1].calibration->scale[0], 0.7);
}

TEST(Selector, CalibratedNeverEndsAboveTheFrequencies) {
  TwoClasses data(300, 2, 0);  // the features tell nothing
  for (Index i = 0; i < 300; i += 17) data.x(i, 0) *= 1000;
  for (const Index folds : {0, 5}) {
    const Selection chosen =
        select(data.schema(), data.rows(),
               {.candidates = {{.shrinkage = Shrinkage::none()},
                               {.covariance = Covariance::diag, .shrinkage = Shrinkage::none()}},
                .folds = folds,
                .calibrate = true});
    for (const CandidateResult& candidate : chosen.candidates)
      EXPECT_LE(candidate.score.log_loss, chosen.frequency_log_loss + 1.5 / 300 + 1e-4) << folds;
  }
}

TEST(Selector, TellsHowFarItIs) {
  const TwoClasses data(500, 3, 1);
  std::vector<double> told;
  select(data.schema(), data.rows(), {.candidates = {{}}}, {},
         {.progress = [&](double share) { told.push_back(share); }});
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_DOUBLE_EQ(told.back(), 1);
}

TEST(Selector, CanBeStopped) {
  const TwoClasses data(500, 3, 1);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(
      select(data.schema(), data.rows(), {.candidates = {{}}}, {}, {.stop = stop.get_token()}),
      Cancelled);
}

template <class Call>
auto refuses(const Call& call, const std::string& why) {
  EXPECT_THAT(call, ThrowsMessage<InvalidArgument>(HasSubstr(why)));
}

TEST(Selector, RefusesWhatCannotBeChosenBy) {
  const TwoClasses data(12, 1, 1);
  const auto choose = [&](const SelectOptions& options) {
    return [&] { select(data.schema(), data.rows(), options); };
  };
  refuses(choose({}), "no candidate");
  refuses(choose({.candidates = {{}}, .folds = 1}), "the number of folds is 1");
  refuses(choose({.candidates = {{}}, .folds = 7}), "the largest class has 6 rows");
  refuses(choose({.candidates = {{}}, .folds = 10'001}), "there are at most 10000");
  refuses(choose({.candidates = {{}}, .priors = Priors(Names{"a", "c"}, {.5, .5})}),
          "different classes");
  refuses(choose({.candidates = {{.shrinkage = Shrinkage::share(2)}}}),
          "no candidate could be estimated");

  const std::vector<std::string> one_class(12, "a");
  refuses(
      [&] {
        select(data.schema(), RowBlock(MatrixView(data.x), Column(one_class)),
               {.candidates = {{}}});
      },
      "all rows are of class 'a'");
  const std::vector<int> one_fold(12, 3);
  refuses([&] { select(data.schema(), data.rows(), {.candidates = {{}}}, Column(one_fold)); },
          "one name only, '3'");
}

// Sums are kept by class and fold; a message has the class as the rows have it.
TEST(Selector, NamesTheClassOfAValueThatCannotBe) {
  TwoClasses data(40, 2, 1);
  data.x(7, 1) = std::numeric_limits<double>::infinity();
  try {
    select(data.schema(), data.rows(), {.candidates = {{}}});
    FAIL() << "nothing was thrown";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("row 7, class 'b', feature 'x1'"), Not(HasSubstr("fold"))));
    EXPECT_EQ(error.where().row, 7);
    EXPECT_EQ(error.where().features, std::vector<std::string>{"x1"});
    EXPECT_EQ(error.where().label, "b");
  }
}

TEST(Selector, RefusesOtherRowsInTheSecondPass) {
  const TwoClasses data(20, 1, 1), more(22, 1, 1);
  Selector selector(data.schema(), {.candidates = {{}}, .folds = 2});
  selector.learn(data.rows());
  selector.score(data.rows());
  EXPECT_NO_THROW(selector.finish());
  refuses([&] { selector.learn(data.rows()); }, "the first pass has ended");
  selector.score(data.rows());
  refuses([&] { selector.finish(); }, "the first pass had 20 rows and the second 40");
  TwoClasses renamed(20, 1, 1);
  renamed.y[3] = "z";
  refuses([&] { selector.score(renamed.rows()); }, "classes that the first had not");
}

TEST(Criterion, HasNames) {
  for (const Criterion criterion : {Criterion::error, Criterion::log_loss, Criterion::cost})
    EXPECT_EQ(criterion_from_string(to_string(criterion)), criterion);
  refuses([] { criterion_from_string("auc"); }, "choose error, log-loss or cost");
}

/// Both passes and the third.
FoldPredictions predicted(const TwoClasses& rows, const SelectOptions& options, Index piece,
                          const Column& folds = {}) {
  Selector selector(rows.schema(), options);
  const auto pieces = [&](const auto& use) {
    for (Index first = 0; first < rows.x.rows(); first += piece) {
      const Index count = std::min(piece, rows.x.rows() - first);
      Column names = folds;
      if (folds.kind != Column::Kind::none) {
        names.strings = folds.strings.slice(first, count);
        names.size = count;
      }
      use(rows.rows().slice(first, count), names);
    }
  };
  pieces([&](const RowBlock& block, const Column& names) { selector.learn(block, names); });
  EXPECT_THROW(selector.predict(rows.rows(), folds), InvalidArgument);
  pieces([&](const RowBlock& block, const Column& names) { selector.score(block, names); });
  selector.finish();
  FoldPredictions all{
      .labels = {}, .posteriors = Matrix(rows.x.rows(), 2), .classes = {}, .folds = {}};
  pieces([&](const RowBlock& block, const Column& names) {
    const FoldPredictions part = selector.predict(block, names);
    for (Index i = 0; i < block.rows(); ++i)
      std::ranges::copy(part.posteriors.row(i),
                        all.posteriors.row(std::ssize(all.classes) + i).begin());
    all.labels = part.labels;
    all.classes.insert(all.classes.end(), part.classes.begin(), part.classes.end());
    all.folds.insert(all.folds.end(), part.folds.begin(), part.folds.end());
  });
  return all;
}

// The folds are a column, so that each can be estimated without its rows.
TEST(Selector, PredictsRowsByTheModelOfTheOtherFolds) {
  const TwoClasses table(90, 3, 1);
  for (const Index count : {3, 30}) {  // few folds, and so many that sums are shared
    std::vector<std::string> names;
    for (Index i = 0; i < 90; ++i) names.push_back("f" + std::to_string((i / 2) % count));
    const SelectOptions options{
        .candidates = {{.covariance = Covariance::tied, .shrinkage = Shrinkage::none()}},
        .calibrate = false};
    for (const Index piece : {90, 17}) {
      const FoldPredictions found = predicted(table, options, piece, Column(names));
      for (Index i = 0; i < 90; ++i) {
        std::vector<Index> others;
        std::vector<std::string> y;
        for (Index k = 0; k < 90; ++k)
          if (names[k] != names[i]) {
            others.push_back(k);
            y.push_back(table.y[k]);
          }
        const GatheredRows training(table.rows(), others);
        RowBlock labelled = training.block();
        labelled.labels(Column(y));
        Statistics statistics(table.schema());
        statistics.update(labelled);
        const Model model = estimate(statistics, options.candidates[0]);
        const Index row[] = {i};
        const GatheredRows one(table.rows(), row);
        const Matrix expected =
            posteriors(log_likelihood(model, one.block()), Priors::from_counts(statistics));
        EXPECT_NEAR(found.posteriors(i, 0), expected(0, 0), 1e-10);
        EXPECT_EQ(found.classes[i], expected(0, 0) >= expected(0, 1) ? 0 : 1);
      }
    }
  }
}

TEST(Selector, PredictsByLeaveOneOutAndCalibrates) {
  const TwoClasses table(60, 2, 1.5);
  const EstimateOptions tied{.covariance = Covariance::tied, .shrinkage = Shrinkage::none()};
  const FoldPredictions left_out =
      predicted(table, {.candidates = {tied}, .folds = 0, .calibrate = false}, 60);
  EXPECT_EQ(left_out.folds, std::vector<Index>(60, -1));
  const LogLikelihoods scores = [&] {
    Statistics statistics(table.schema());
    statistics.update(table.rows());
    return LeaveOneOut(statistics, tied)(table.rows());
  }();
  for (Index i = 0; i < 60; ++i) {  // 29 rows of its own class are left, and 30 of the other
    const bool is_first = i % 2 == 0;
    const double odds =
        std::exp(scores.values(i, 0) - scores.values(i, 1)) * (is_first ? 29.0 / 30 : 30.0 / 29);
    EXPECT_NEAR(left_out.posteriors(i, 0), odds / (1 + odds), 1e-10);
  }
  // The figures of a calibrated selection are those of its predictions.
  Selector selector(table.schema(), {.candidates = {tied}, .folds = 4});
  selector.learn(table.rows());
  selector.score(table.rows());
  const Selection selection = selector.finish();
  const FoldPredictions found = selector.predict(table.rows());
  double loss = 0;
  for (Index i = 0; i < 60; ++i) loss -= std::log(found.posteriors(i, i % 2)) / 60;
  EXPECT_NEAR(loss, selection.candidates[0].score.log_loss, 1e-10);
}

}  // namespace
}  // namespace suffice::select_test
