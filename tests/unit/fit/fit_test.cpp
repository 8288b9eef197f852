// Training as one call: against the same steps taken by hand with the functions below it.

#include "suffice/fit/fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "suffice/estimate/shrunken_means.hpp"
#include "suffice/fit/row_sample.hpp"
#include "suffice/stats/indicators.hpp"
#include "suffice/train/logistic.hpp"
#include "support/message_of.hpp"
#include "unit/leave_one_out_table.hpp"

namespace suffice::fit_test {
namespace {

using namespace testing::left_out;
using ::testing::HasSubstr;
using testing::message_of;

Table small_table() { return gaussian_table({.rows = 90, .features = 3}, 1); }

Fit fitted(const Table& table, const FitOptions& options = {}) {
  RowsInMemory rows(table.schema, table.rows());
  return fit(rows, options);
}

SampledRows sample_of(const Table& table, std::uint64_t seed = 0) {
  Reservoir reservoir(table.schema, {.seed = seed});
  reservoir.update(table.rows());
  return reservoir.sample();
}

RowPass pass_of(const Table& table) {
  return [&table](const auto& use) { use(table.rows()); };
}

/// Rows that can be read once, or are kept after they were.
class Stream : public RowsInMemory {
 public:
  Stream(const Table& table, bool keeps)
      : RowsInMemory(table.schema, table.rows()), keeps_(keeps) {}
  std::optional<std::string> read_only_once() const override {
    return kept_ ? std::nullopt : std::optional<std::string>("the stream");
  }
  bool keeps_rows() const override { return keeps_; }
  RowCounts read(const Reading& reading, const Use& use) override {
    EXPECT_TRUE(passes++ == 0 || kept_) << reading.what;
    kept_ = kept_ || (reading.often && keeps_);
    return RowsInMemory::read(reading, use);
  }
  int passes = 0;

 private:
  bool keeps_, kept_ = false;
};

std::vector<std::string> texts(const std::vector<FitNote>& notes) {
  std::vector<std::string> result;
  for (const FitNote& note : notes) result.push_back(note.sentence.text());
  return result;
}

TEST(Fit, EstimatesWhatIsNamed) {
  const Table table = gaussian_table({.rows = 40, .weighted = true}, 2);
  const Fit found = fitted(table, FitOptions().set("covariance", "tied").set("shrinkage", "0.25"));
  EXPECT_EQ(found.model, estimate(table.statistics(), {.covariance = Covariance::tied,
                                                       .shrinkage = Shrinkage::share(0.25)}));
  EXPECT_EQ(found.statistics, table.statistics());
  EXPECT_EQ(found.rows, 40);
  EXPECT_FALSE(found.choice || found.columns || found.calibration || found.mixture);
  EXPECT_THAT(found.notes, ::testing::IsEmpty());
}

TEST(Fit, ChoosesByTheSample) {
  const Table table = small_table();
  const Fit found = fitted(table);
  const Choice expected = choose(table.statistics(), sample_of(table));
  ASSERT_TRUE(found.choice);
  EXPECT_EQ(found.choice->options, expected.options);
  EXPECT_EQ(found.choice->best()->log_loss, expected.best()->log_loss);
  EXPECT_EQ(found.model, expected.model(table.statistics()));
  EXPECT_TRUE(found.model.calibration());
}

TEST(Fit, LeavesWhatIsGivenOutOfTheChoice) {
  const Table table = small_table();
  const Fit found = fitted(table, FitOptions().set("covariance", "auto").set("shrinkage", "0.5"));
  const Choice expected =
      choose(table.statistics(), sample_of(table),
             {.fixed = {"shrinkage"}, .given = {.shrinkage = Shrinkage::share(0.5)}});
  EXPECT_EQ(found.model, expected.model(table.statistics()));
  EXPECT_NE(found.model, fitted(table).model);
}

TEST(Fit, FindsTheStrengthByLeavingOutRows) {
  const Table table = small_table();
  const Fit found = fitted(table, FitOptions().set("covariance", "full").set("shrinkage", "loo"));
  LeaveOneOutShrinkage strengths(table.statistics(), {.covariance = Covariance::full});
  strengths.score(table.rows());
  const auto expected = strengths.finish();
  ASSERT_TRUE(found.strength);
  EXPECT_EQ(found.strength->shrinkage, expected.shrinkage);
  EXPECT_EQ(found.strength->log_loss, expected.log_loss);
  EXPECT_EQ(found.model, estimate(table.statistics(), {.shrinkage = expected.shrinkage}));
}

TEST(Fit, FindsTheThresholdOfShrunkenMeansByFolds) {
  const Table table = gaussian_table({.rows = 60, .features = 5}, 3);
  FitOptions options;
  options.set("covariance", "tied-diag").set("shrink_means", "auto").seed = 7;
  const Fit found = fitted(table, options);
  const EstimateOptions given{.covariance = Covariance::tied_diag, .shrink_means = 0};
  std::vector<EstimateOptions> candidates;
  for (const double delta : mean_thresholds(table.statistics(), given)) {
    candidates.push_back(given);
    candidates.back().shrink_means = delta;
  }
  const Selection selection = select(table.schema, table.rows(),
                                     {.candidates = candidates,
                                      .folds = 5,
                                      .seed = 7,
                                      .criterion = Criterion::error,
                                      .one_standard_error = true});
  ASSERT_TRUE(found.threshold);
  EXPECT_EQ(found.threshold->delta, selection.best_options().shrink_means->value);
  EXPECT_EQ(found.threshold->compared, 30);
  EXPECT_EQ(found.threshold->error_rate, selection.candidates[selection.best].score.error_rate);
  EXPECT_EQ(found.model, estimate(table.statistics(), selection.best_options()));
}

TEST(Fit, CalibratesANamedModelByLeavingOutRows) {
  const Table table = small_table();
  FitOptions options = FitOptions().set("covariance", "diag").set("shrinkage", "4 rows");
  options.calibrate = true;
  const Fit found = fitted(table, options);
  const EstimateOptions named{.covariance = Covariance::diag, .shrinkage = Shrinkage::rows(4)};
  const Selection one_by_one =
      select(table.schema, table.rows(), {.candidates = {named}, .folds = 0});
  ASSERT_TRUE(found.calibration);
  EXPECT_EQ(found.calibration->folds, 0);
  EXPECT_EQ(found.calibration->log_loss, one_by_one.candidates[0].score.log_loss);
  EXPECT_EQ(found.calibration->log_loss_before, one_by_one.candidates[0].uncalibrated.log_loss);
  EXPECT_EQ(found.calibration->frequency_log_loss, one_by_one.frequency_log_loss);
  EXPECT_EQ(
      found.model,
      estimate(table.statistics(), named).with_calibration(one_by_one.candidates[0].calibration));
}

TEST(Fit, CalibratesByFoldsWhereLeavingOutRowsIsNotExact) {
  const Table table = small_table();
  FitOptions options = FitOptions().set("covariance", "diag");
  options.calibrate = true;
  options.seed = 5;
  const Fit found = fitted(table, options);
  const EstimateOptions named{.covariance = Covariance::diag};
  const Selection by_folds =
      select(table.schema, table.rows(), {.candidates = {named}, .folds = 5, .seed = 5});
  EXPECT_EQ(found.calibration->folds, 5);
  EXPECT_EQ(
      found.model,
      estimate(table.statistics(), named).with_calibration(by_folds.candidates[0].calibration));
}

TEST(Fit, LeavesOutGroupsOfRowsTogether) {
  const Table table = small_table();
  std::vector<std::string> groups;
  for (Index i = 0; i < 90; ++i) groups.push_back(std::to_string(i / 9 % 5));
  FitOptions options;
  options.by_groups = true;
  RowsInMemory rows(table.schema, table.rows(), groups);
  const Fit found = fit(rows, options);
  const Statistics statistics = table.statistics();
  const Selection selection =
      select(table.schema, table.rows(), {.candidates = candidates_to_choose(statistics)}, groups);
  EXPECT_EQ(found.model, choice_by_folds(selection, statistics).model(statistics));
  EXPECT_EQ(found.choice->folds, 5);

  options.set("covariance", "tied").calibrate = true;
  RowsInMemory again(table.schema, table.rows(), groups);
  const Fit calibrated = fit(again, options);
  const Selection of_tied = select(table.schema, table.rows(),
                                   {.candidates = {{.covariance = Covariance::tied}}}, groups);
  EXPECT_EQ(calibrated.model.calibration(), of_tied.candidates[0].calibration);
  EXPECT_EQ(calibrated.calibration->log_loss, of_tied.candidates[0].score.log_loss);
  EXPECT_EQ(calibrated.calibration->folds, 5);
}

TEST(Fit, CompletesMissingNumbers) {
  const Table table = gaussian_table({.rows = 80, .missing = true}, 5);
  FitOptions options = FitOptions().set("covariance", "tied");
  options.passes.iterations = 30;
  const Completion expected =
      complete(table.statistics(), pass_of(table),
               {.estimate = {.covariance = Covariance::tied}, .passes = options.passes});
  EXPECT_EQ(fitted(table, options).model, expected.model());  // a quarter of the rows lacks one
  options.missing = MissingNumbers::complete;
  const Model complete_rows = estimate(table.statistics(), {.covariance = Covariance::tied});
  EXPECT_EQ(fitted(table, options).model, complete_rows);
  options.missing = MissingNumbers::em;
  options.passes.iterations = 1;
  EXPECT_THAT(texts(fitted(table, options).notes),
              ::testing::ElementsAre("EM stopped after 1 pass before it converged; try more "
                                     "iterations"));
}

TEST(Fit, ChoosesWithCompletedNumbers) {
  const Table table = gaussian_table({.rows = 80, .missing = true}, 5);
  ChooseOptions options;
  options.missing.rows = [&](const Schema&, const auto& use) { use(table.rows()); };
  const Choice expected = choose(table.statistics(), sample_of(table), options);
  ASSERT_TRUE(expected.completion);
  FitOptions numbers_alone;  // each column lacks numbers in one class only, which would tell
  numbers_alone.missing_indicators = MissingIndicators::no;
  EXPECT_EQ(fitted(table, numbers_alone).model, expected.model(table.statistics()));
}

/// Two humps in one class.
Table humps(Index rows) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  Table table{Schema::numbered(1), Matrix(rows, 1), {}, Vector(rows), {"a", "b"}};
  for (Index i = 0; i < rows; ++i) {
    table.labels.push_back(i % 3 ? "a" : "b");
    table.weights[i] = 1;
    table.x(i, 0) = (i % 3 == 0 ? 0 : i % 3 == 1 ? -4 : 4) + normal(random);
  }
  return table;
}

TEST(Fit, FindsMixtures) {
  const Table table = humps(300);
  FitOptions options = FitOptions().set("covariance", "full").set("components", "auto");
  options.seed = 3;
  const Fit found = fitted(table, options);
  const MixtureFit expected = fit_mixture(
      table.statistics(), pass_of(table),
      {.estimate = {.components = Components::automatic()}, .seed = 3, .passes = {.seed = 3}});
  EXPECT_EQ(found.model, expected.model);
  ASSERT_TRUE(found.mixture);
  EXPECT_EQ(found.mixture->log_likelihood, expected.log_likelihood);
  ASSERT_TRUE(found.model.mixture());
  EXPECT_EQ(found.model.mixture()->names.size(), 3U);
}

TEST(Fit, UsesRowsWithoutALabel) {
  Table table = humps(300);
  std::vector<std::int32_t> codes;
  Vector labelled(300);
  for (Index i = 0; i < 300; ++i) {
    codes.push_back(i < 60 ? (i % 3 ? 0 : 1) : -1);
    labelled[i] = i < 60;
  }
  const Column labels(codes.data(), 300, table.classes);
  RowsInMemory rows(table.schema, RowBlock(table.x, labels));
  FitOptions options = FitOptions().set("covariance", "diag");
  const Fit without = fit(rows, options);
  EXPECT_EQ(without.rows, 300);
  EXPECT_EQ(without.unlabelled_rows, 240);
  const Statistics first = table.some([](Index i) { return i < 60; }).statistics();
  EXPECT_EQ(without.model, estimate(first, {.covariance = Covariance::diag}));

  options.use_unlabelled = true;
  options.unlabelled_weight = 0.5;
  const Fit with = fit(rows, options);
  const MixtureFit expected =
      fit_mixture(first, [&](const auto& use) { use(RowBlock(table.x, labels)); },
                  {.estimate = {.covariance = Covariance::diag}, .unlabelled_weight = 0.5});
  EXPECT_EQ(with.model, expected.model);
  EXPECT_EQ(with.mixture->unlabelled_rows, 240);
  EXPECT_THAT(texts(fitted(table, options).notes),
              ::testing::Contains("unlabelled 'use' has no effect: every row has a label"));
}

TEST(Fit, FindsWeightsOfLogisticRegression) {
  const Table table = gaussian_table({.classes = 2, .rows = 80}, 8);
  const Fit found = fitted(table, FitOptions().set("discriminative", "yes").set("penalty", "0.5"));
  const Model densities = estimate(table.statistics(), {.covariance = Covariance::tied});
  EXPECT_EQ(found.model, fit_logistic(densities, pass_of(table), {.penalty = 0.5}).model);
}

TEST(Fit, DensitiesBesideWeightsMayBeSingular) {
  Table table = gaussian_table({.classes = 2, .rows = 40}, 9);
  for (Index i = 0; i < 40; ++i) table.x(i, 2) = table.x(i, 0) + table.x(i, 1);
  FitOptions options = FitOptions().set("discriminative", "yes").set("penalty", "1");
  options.set("covariance", "full").set("shrinkage", "0");
  const Model densities = densities_beside(options.estimate, [&](const EstimateOptions& of) {
    return estimate(table.statistics(), of);
  });
  EXPECT_EQ(fitted(table, options).model,
            fit_logistic(densities, pass_of(table), {.penalty = 1}).model);
}

/// A column whose logarithm is normal in each class.
Table amounts(Index rows) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  Table table{Schema::numbered(2), Matrix(rows, 2), {}, Vector(rows), {"a", "b"}};
  for (Index i = 0; i < rows; ++i) {
    table.labels.push_back(i % 2 ? "b" : "a");
    table.weights[i] = 1;
    table.x(i, 0) = std::exp(normal(random) + 2 * static_cast<double>(i % 2));
    table.x(i, 1) = normal(random);
  }
  return table;
}

Table with_schema(Table table, Schema schema) {
  table.schema = std::move(schema);
  return table;
}

TEST(Fit, ChangesColumnsThatPredictBetter) {
  const Table table = amounts(300);
  const Fit found = fitted(table);
  ASSERT_TRUE(found.columns);
  EXPECT_EQ(found.columns->changes.size(), 1U);
  EXPECT_LT(found.columns->log_loss, found.columns->log_loss_before);
  const Schema& better = found.model.schema();
  EXPECT_NE(better.feature(0).transform, Transform::none);
  EXPECT_EQ(better.feature(1).transform, Transform::none);
  // It is the choice among models of the changed columns.
  const Table changed = with_schema(table, better);
  EXPECT_EQ(found.statistics, changed.statistics());
  EXPECT_EQ(found.model,
            choose(changed.statistics(), sample_of(table)).model(changed.statistics()));

  FitOptions none;
  none.find_transforms.emplace();
  EXPECT_FALSE(fitted(table, none).columns);
}

TEST(Fit, ChangesColumnsOfANamedModelWhereThatIsAskedFor) {
  const Table table = amounts(300);
  FitOptions options = FitOptions().set("covariance", "tied");
  EXPECT_FALSE(fitted(table, options).columns);
  options.find_transforms = {"x0", "x1"};
  const Fit found = fitted(table, options);
  ASSERT_TRUE(found.columns);
  const Table changed = with_schema(table, found.model.schema());
  EXPECT_EQ(found.model, estimate(changed.statistics(), {.covariance = Covariance::tied}));
  EXPECT_FALSE(found.choice);
  options.find_transforms = {"x1"};
  EXPECT_FALSE(fitted(table, options).columns);
}

TEST(Fit, PutsCategoriesAmongTheNumbers) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  const Schema schema({{"group", Family::categorical}, {"x"}});
  const Index n = 400;
  std::vector<std::string> groups, labels;
  Vector x(n);
  for (Index i = 0; i < n; ++i) {
    const bool high = i % 4 < 2, second = i % 2;
    groups.push_back(high ? "high" : "low");
    labels.push_back(second ? "b" : "a");
    x[i] = 10.0 * high + 3.0 * second + normal(random);
  }
  const RowBlock rows = RowBlock(n).feature(groups).feature(x).labels(labels);
  const Statistics apart = Statistics(schema).update(rows);
  const Schema within = indicators_of(apart).schema;
  RowsInMemory source(schema, rows);

  FitOptions options = FitOptions().set("covariance", "tied");
  EXPECT_EQ(fit(source, options).model.schema(), schema);
  options.categories = Categories::within;
  EXPECT_EQ(fit(source, options).model,
            estimate(Statistics(within).update(rows), {.covariance = Covariance::tied}));
  options.categories = Categories::automatic;
  EXPECT_EQ(fit(source, options).model.schema(), within);
  EXPECT_EQ(fit(source).model.schema(), within);
  FitOptions stay;
  stay.categories = Categories::apart;
  EXPECT_EQ(fit(source, stay).model.schema(), schema);
}

TEST(Fit, LearnsFromWhichValuesAreMissing) {
  // The number says nothing; it is missing in 9 of 10 rows of class a, and in none of class b.
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const Index n = 400;
  const Schema schema({{"x"}, {"y"}});
  Vector x(n), y(n);
  std::vector<std::string> labels;
  for (Index i = 0; i < n; ++i) {
    const bool second = i % 2;
    labels.push_back(second ? "b" : "a");
    x[i] = !second && i % 20 != 0 ? std::nan("") : normal(random);
    y[i] = normal(random);
  }
  const RowBlock rows = RowBlock(n).feature(x).feature(y).labels(labels);
  RowsInMemory source(schema, rows);
  const Schema told = with_missing_indicators(schema, {"x"});
  const double nothing = std::nan("");
  const RowBlock missing = RowBlock(1).feature(Column(&nothing, 1)).feature(Column(&y[0], 1));
  const auto chance_of_a = [&](const FitOptions& options) {
    return predict(fit(source, options).model, missing, {.wanted = {.posteriors = true}})
        .posteriors(0, 0);
  };

  FitOptions options = FitOptions().set("covariance", "diag");
  EXPECT_EQ(fit(source, options).model.schema(), schema);
  EXPECT_NEAR(chance_of_a(options), 0.5, 0.03);
  options.missing_indicators = MissingIndicators::yes;
  const Model by_hand = estimate(Statistics(told, {.scatter = Scatter::diagonal}).update(rows),
                                 {.covariance = Covariance::diag});
  EXPECT_EQ(fit(source, options).model.schema(), told);
  EXPECT_EQ(fit(source, options).model.densities(), by_hand.densities());
  // One pseudo-count: 181 of 202 rows of a lack it, and 1 of 202 of b.
  EXPECT_NEAR(chance_of_a(options), 181.0 / 182, 0.001);
  options.missing_indicators = MissingIndicators::automatic;
  EXPECT_EQ(fit(source, options).model.schema(), told);
  const Fit chosen = fit(source);
  EXPECT_EQ(chosen.model.schema(), told);
  ASSERT_TRUE(chosen.columns);
  EXPECT_EQ(chosen.columns->changes,
            std::vector<std::string>{"whether 'x' is missing is a feature of its own"});
  EXPECT_LT(chosen.columns->log_loss, chosen.columns->log_loss_before - 0.3);
  FitOptions stay;
  stay.missing_indicators = MissingIndicators::no;
  EXPECT_EQ(fit(source, stay).model.schema(), schema);
}

TEST(Fit, OfSumsAloneIsTheDefaultModel) {
  const Table table = small_table();
  const Fit found = fit(table.statistics());
  EXPECT_EQ(found.model, estimate(table.statistics()));
  EXPECT_EQ(found.rows, 90);
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(found.notes[0].kind, FitNote::Kind::note);
  EXPECT_THAT(found.notes[0].sentence.text(), HasSubstr("need rows"));
  Statistics diagonal(table.schema, {.scatter = Scatter::diagonal});
  diagonal.update(table.rows());
  EXPECT_EQ(fit(diagonal).model, estimate(diagonal, {.covariance = Covariance::diag}));
}

TEST(Fit, OfSumsAndASampleIsTheSameChoice) {
  const Table table = small_table();
  const Fit found =
      fit(Gathered{.statistics = table.statistics(), .rows = 90, .sample = sample_of(table)});
  EXPECT_EQ(found.model, fitted(table).model);
}

TEST(Fit, ReadsRowsOnceWhereTheSampleHasThemAll) {
  const Table table = amounts(300);
  Stream stream(table, false);
  const Fit found = fit(stream);
  EXPECT_EQ(stream.passes, 1);
  EXPECT_TRUE(found.columns);
  EXPECT_EQ(found.model, fitted(table).model);
}

TEST(Fit, LeavesColumnsAloneWhereRowsAreGone) {
  const Table table = amounts(3000);
  Stream stream(table, false);
  EXPECT_THAT(texts(fit(stream).notes), ::testing::IsEmpty());
  FitOptions options;
  options.find_transforms = {"x0"};
  Stream again(table, false);
  const Fit found = fit(again, options);
  EXPECT_FALSE(found.columns);
  EXPECT_THAT(texts(found.notes),
              ::testing::ElementsAre("Columns stay as they are: transforms 'auto' reads the rows a "
                                     "second time, which the stream does not allow."));
}

TEST(Fit, TakesPassesOverAStreamThatIsKept) {
  const Table table = humps(300);
  const FitOptions options = FitOptions().set("covariance", "full").set("components", "2");
  Stream stream(table, true);
  EXPECT_EQ(fit(stream, options).model, fitted(table, options).model);
  EXPECT_GT(stream.passes, 3);
  Stream gone(table, false);
  EXPECT_EQ(message_of<InvalidArgument>([&] { fit(gone, options); }),
            "components reads the rows a second time, which the stream does not allow; write them "
            "to a file first");
  EXPECT_EQ(gone.passes, 0);
}

TEST(Fit, OfSomeRowsIsThatOfTheRowsThatAreDrawn) {
  const Table table = amounts(300);
  FitOptions options;
  options.max_rows = 120;
  options.seed = 9;
  Stream stream(table, false);
  const Fit found = fit(stream, options);
  EXPECT_EQ(stream.passes, 1);
  RowsInMemory rows(table.schema, table.rows());
  RowSample sample(rows, 120, 9);
  options.max_rows.reset();
  EXPECT_EQ(found.model, fit(sample, options).model);
  EXPECT_EQ(found.rows, 120);
  EXPECT_THAT(texts(found.notes),
              ::testing::Contains("Learns from 120 of 300 rows, drawn at random."));
  // All further passes have the same rows, even of a stream.
  FitOptions mixture = FitOptions().set("covariance", "full").set("components", "2");
  mixture.max_rows = 120;
  Stream again(table, false);
  EXPECT_EQ(fit(again, mixture).rows, 120);
  // More than there are: all.
  options.max_rows = 1000;
  const Fit all = fitted(table, options);
  EXPECT_EQ(all.model, fitted(table, FitOptions{.seed = 9}).model);
  EXPECT_THAT(texts(all.notes), ::testing::IsEmpty());
}

TEST(Fit, OfOneClassKnowsHowUsualARowIs) {
  Table table = gaussian_table({.classes = 1, .rows = 30}, 6);
  table.schema = table.schema.with_label("kind");
  const Fit found = fitted(table);
  EXPECT_EQ(found.model, estimate(table.statistics()));
  EXPECT_THAT(texts(found.notes),
              ::testing::ElementsAre(HasSubstr("all rows have the label 'a': the model has one")));
}

TEST(Fit, SaysWhatChangesNothing) {
  const FitOptions options = FitOptions()
                                 .set("covariance", "tied-spherical")
                                 .set("shrinkage", "0.5")
                                 .set("standardize", "yes");
  EXPECT_THAT(texts(fitted(small_table(), options).notes),
              ::testing::ElementsAre(HasSubstr("shrinkage 0.5 changes nothing: covariance "
                                               "'tied-spherical' is its own target"),
                                     "standardize changes nothing without pca"));
}

TEST(Fit, RefusesDataWithoutAnythingToLearnFrom) {
  Table table = small_table();
  std::ranges::fill(table.weights, 0.0);
  EXPECT_THAT(message_of<DataError>([&] { fitted(table); }), HasSubstr("no row has a weight"));
  std::ranges::fill(table.weights, 1.0);
  for (Index i = 0; i < 90; ++i) table.x(i, 1) = nan;
  EXPECT_THAT(message_of<DataError>([&] { fitted(table, FitOptions().set("covariance", "diag")); }),
              HasSubstr("feature 'x1': there is no value in any row"));
}

TEST(Fit, TellsHowFarItIs) {
  std::vector<std::string> whats;
  FitOptions options;
  options.progress = [&](std::string_view what, double) { whats.emplace_back(what); };
  fitted(gaussian_table({.rows = 300, .features = 4}, 1), options);
  EXPECT_THAT(whats, ::testing::Contains("choosing a model"));
}

TEST(Fit, CanBeStopped) {
  const Table table = small_table();
  RowsInMemory rows(table.schema, table.rows());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(fit(rows, {}, {.stop = stop.get_token()}), Cancelled);
}

}  // namespace
}  // namespace suffice::fit_test
