// The choice of a model: what is compared, how it is decided, and input that leaves little to
// choose.

#include "suffice/select/choose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "suffice/calibrate/fit_calibration.hpp"
#include "suffice/core/error.hpp"
#include "suffice/left_out/leave_one_out.hpp"
#include "support/message_of.hpp"
#include "unit/leave_one_out_table.hpp"

namespace suffice::choose_test {
namespace {

using namespace testing::left_out;
using ::testing::HasSubstr;
using testing::message_of;

SampledRows sample_of(const Table& table, const ReservoirOptions& options = {}) {
  Reservoir reservoir(table.schema, options);
  reservoir.update(table.rows());
  return reservoir.sample();
}

Choice chosen(const Table& table, const ChooseOptions& options = {},
              const Execution& execution = {}) {
  return choose(table.statistics(), sample_of(table), options, execution);
}

/// Two classes about (0, 0) and (2, 0), normal or Student's t with 3 degrees of freedom.
Table two_clouds(Index rows, bool heavy, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::chi_squared_distribution<double> chi(3);
  Table table{Schema::numbered(2), Matrix(rows, 2), {}, Vector(rows), {"a", "b"}};
  for (Index i = 0; i < rows; ++i) {
    table.labels.push_back(i % 2 ? "b" : "a");
    table.weights[i] = 1;
    const double stretch = heavy ? std::sqrt(3 / chi(random)) : 1;
    table.x(i, 0) = (i % 2 ? 2.0 : 0.0) + normal(random) * stretch;
    table.x(i, 1) = normal(random) * stretch;
  }
  return table;
}

TEST(Choose, MeasuresWhatLeaveOneOutAndACalibrationSay) {
  const Table table = gaussian_table({.rows = 90, .features = 3, .weighted = true}, 1);
  const EstimateOptions given{.covariance = Covariance::diag, .shrinkage = Shrinkage::rows(4)};
  const Choice choice =
      chosen(table, {.fixed = {"covariance", "shrinkage", "pca", "tails"}, .given = given});
  ASSERT_EQ(choice.candidates.size(), 1U);
  EXPECT_EQ(choice.options, resolve(given));

  const LogLikelihoods scores = LeaveOneOut(table.statistics(), given)(table.rows());
  std::vector<Index> labels;
  for (const std::string& label : table.labels) labels.push_back(label[0] - 'a');
  Vector log_prior(3), share(3);
  for (Index i = 0; i < 90; ++i) share[labels[i]] += table.weights[i];
  const double total = share.map().sum();
  double entropy = 0;
  for (Index c = 0; c < 3; ++c) {
    log_prior[c] = std::log(share[c] / total);
    entropy -= share[c] / total * log_prior[c];
  }
  const CalibrationFit fit = fit_calibration({&scores.values, 1}, labels,
                                             {table.weights.data(), 90}, {log_prior.data(), 3});
  EXPECT_EQ(choice.calibration, fit.calibration);
  double log_loss = 0;  // with the frequencies of the other rows
  for (Index i = 0; i < 90; ++i) {
    double sum = 0, own = 0;
    for (Index c = 0; c < 3; ++c) {
      const double taken = c == labels[i] ? table.weights[i] : 0;
      const double p =
          (share[c] - taken) / (total - table.weights[i]) *
          std::exp(fit.calibration.offset[c] + fit.calibration.scale[0] * scores.values(i, c));
      sum += p;
      if (c == labels[i]) own = p;
    }
    log_loss -= table.weights[i] / total * std::log(own / sum);
  }
  EXPECT_NEAR(choice.best()->log_loss, log_loss, 1e-12);
  EXPECT_NEAR(choice.prior_log_loss, entropy, 1e-12);
  EXPECT_NEAR(choice.prior_error_rate, 1 - std::ranges::max(share) / total, 1e-12);
  EXPECT_EQ(choice.rows, 90);
}

/// Every row by a model of the others, which is estimated anew, under their class frequencies.
double log_loss_of_refits(const Table& table, const EstimateOptions& options) {
  double loss = 0, total = 0;
  for (Index i = 0; i < table.x.rows(); ++i) {
    const Statistics others = table.some([&](Index k) { return k != i; }).statistics();
    const Matrix x = table.some([&](Index k) { return k == i; }).x;
    const Matrix p =
        posteriors(log_likelihood(estimate(others, options), x), Priors::from_counts(others));
    loss -= table.weights[i] * std::log(p(0, table.labels[i][0] - 'a'));
    total += table.weights[i];
  }
  return loss / total;
}

TEST(Choose, LeavesARowOutOfTheClassFrequenciesAsWell) {
  for (const bool weighted : {false, true})
    for (const Covariance covariance :
         {Covariance::tied, Covariance::diag, Covariance::tied_diag}) {
      Table table = gaussian_table({.rows = 40, .features = 2, .weighted = weighted}, 30);
      for (Index i = 0; i < 20; ++i) table.labels[i] = "a";  // frequencies differ
      const EstimateOptions given{.covariance = covariance, .shrinkage = Shrinkage::none()};
      ChooseOptions options{.fixed = {}, .given = given, .calibrate = false};
      for (const EstimateOption& option : estimate_options())
        options.fixed.emplace_back(option.name);
      const Choice choice = chosen(table, options);
      ASSERT_NE(choice.best(), nullptr);
      EXPECT_NEAR(choice.best()->log_loss, log_loss_of_refits(table, given), 1e-10);
    }
}

TEST(Choose, PrefersTheTailsThatTheRowsHave) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Choice heavy = chosen(two_clouds(1500, true, seed));
    EXPECT_FALSE(heavy.options.tails->is_normal()) << seed;
    EXPECT_LT(heavy.options.tails->dof(), 10) << seed;
    EXPECT_LT(heavy.best()->log_loss, heavy.candidates[heavy.incumbent].log_loss);
  }
}

TEST(Choose, ListsTheCandidatesBestFirst) {
  const Choice choice = chosen(gaussian_table({.rows = 120, .features = 4}, 2));
  EXPECT_GT(choice.candidates.size(), 50U);
  EXPECT_TRUE(std::ranges::is_sorted(choice.candidates, {}, &Choice::Candidate::log_loss));
  for (std::size_t k = 1; k < choice.candidates.size(); ++k)  // each once
    for (std::size_t j = 0; j < k; ++j)
      ASSERT_NE(choice.candidates[j].options, choice.candidates[k].options);
  EXPECT_TRUE(choice.chosen == 0 || choice.chosen == choice.incumbent);
  EXPECT_EQ(choice.candidates[choice.incumbent].options, resolve({}));
  // Calibrated scores are never much worse than the frequencies: β = 0 is one of the candidates.
  for (const Choice::Candidate& candidate : choice.candidates)
    EXPECT_LT(candidate.log_loss, choice.prior_log_loss + 0.5 / 120);
}

TEST(Choose, KeepsTheDefaultUnlessAnotherIsClearlyBetter) {
  int kept = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Choice choice = chosen(two_clouds(40, false, seed));
    ASSERT_TRUE(choice.chosen == 0 || choice.chosen == choice.incumbent);
    kept += choice.chosen != 0;
  }
  // Of so few rows from two normal densities the differences are smaller than their errors.
  EXPECT_GT(kept, 5);
}

TEST(Choose, SphericalTargetsAreForFewClasses) {
  const auto spherical = [](Index classes) {
    std::vector<std::string> labels;
    Matrix x(3 * classes, 2);
    for (Index i = 0; i < x.rows(); ++i) {
      labels.push_back(std::to_string(i % classes));
      for (Index j = 0; j < 2; ++j) x(i, j) = static_cast<double>((i * i + 3 * j * i) % 17);
    }
    Statistics statistics(Schema::numbered(2));
    statistics.update(RowBlock(x).labels(labels));
    const std::vector<EstimateOptions> all = candidates_to_choose(statistics, {});
    EXPECT_GT(all.size(), 10U);
    return std::ranges::count(all, std::optional(Target::spherical), &EstimateOptions::target);
  };
  EXPECT_GT(spherical(2), 0);
  EXPECT_GT(spherical(100), 0);
  EXPECT_EQ(spherical(101), 0);  // it would take too long
}

TEST(Choose, TheModelHasTheFiguresOfTheChoice) {
  const Table table = gaussian_table({.rows = 90, .features = 2}, 4);
  const Choice choice = chosen(table);
  const EstimateFound found = choice.model(table.statistics()).parts().found;
  EXPECT_EQ(found.choice_candidates, std::vector{static_cast<double>(choice.candidates.size())});
  EXPECT_EQ(found.choice_rows, std::vector{90.0});
  EXPECT_EQ(found.choice_error_rate, std::vector{choice.best()->error_rate});
  EXPECT_EQ(found.choice_log_loss, std::vector{choice.best()->log_loss});
  EXPECT_EQ(found.choice_prior_error_rate, std::vector{choice.prior_error_rate});
  EXPECT_EQ(found.choice_prior_log_loss, std::vector{choice.prior_log_loss});
}

// Of 60 rows 40 are 'b': always deciding it is wrong in a third of them.
TEST(Choose, ByFoldsHasTheFiguresOfTheSelection) {
  Table table = two_clouds(60, false, 5);
  for (std::size_t i = 0; i < 60; ++i) table.labels[i] = i % 3 ? "b" : "a";
  const Statistics statistics = table.statistics();
  const Selection selection =
      select(table.schema, table.rows(), {.candidates = candidates_to_choose(statistics, {})});
  const Choice choice = choice_by_folds(selection, statistics, {});
  EXPECT_EQ(choice.rows, 60);
  EXPECT_EQ(choice.folds, std::ssize(selection.folds));
  EXPECT_NEAR(choice.prior_error_rate, 1.0 / 3, 1e-15);
  EXPECT_EQ(choice.prior_log_loss, selection.frequency_log_loss);
  EXPECT_TRUE(std::ranges::is_sorted(choice.candidates, {}, &Choice::Candidate::log_loss));
  EXPECT_TRUE(choice.chosen == 0 || choice.chosen == choice.incumbent);
  EXPECT_EQ(choice.options, choice.best()->options);
}

TEST(Choose, KeepsWhatIsGiven) {
  const Table table = gaussian_table({.rows = 90, .features = 3}, 3);
  for (const Choice::Candidate& candidate :
       chosen(table, {.fixed = {"tails"}, .given = {.tails = Tails::student(5)}}).candidates)
    EXPECT_EQ(candidate.options.tails, Tails::student(5));
  for (const Choice::Candidate& candidate :
       chosen(table, {.fixed = {"pca"}, .given = {.pca = Pca{.components = 2}}}).candidates)
    EXPECT_EQ(candidate.options.pca, Pca{.components = 2});
  const Choice plain =
      chosen(table, {.fixed = {"shrinkage"}, .given = {.shrinkage = Shrinkage::none()}});
  for (const Choice::Candidate& candidate : plain.candidates)
    EXPECT_EQ(candidate.options.shrinkage, Shrinkage::none());
  EXPECT_EQ(plain.candidates.size(), 16U);  // full, tied, diag, tied-diag; four tails each
  const Choice mixed = chosen(table, {.fixed = {"towards_tied"}, .given = {.towards_tied = 0.5}});
  for (const Choice::Candidate& candidate : mixed.candidates)
    EXPECT_EQ(candidate.options.towards_tied, 0.5);
  EXPECT_EQ(mixed.candidates.size(), 8U);  // full, diag
  const Choice raw = chosen(table, {.calibrate = false});
  EXPECT_FALSE(raw.calibration);
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { chosen(table, {.fixed = {"lda"}, .given = {.lda = 0}}); }),
      HasSubstr("lda must be at least 1"));
}

TEST(Choose, ThreadsChangeNothing) {
  const Table table = gaussian_table({.rows = 150, .features = 9, .missing = true}, 4);
  const Choice one = chosen(table, {}, {.threads = 1}), three = chosen(table, {}, {.threads = 3});
  EXPECT_EQ(one.options, three.options);
  EXPECT_EQ(one.calibration, three.calibration);
  ASSERT_EQ(one.candidates.size(), three.candidates.size());
  for (std::size_t k = 0; k < one.candidates.size(); ++k) {
    EXPECT_EQ(one.candidates[k].options, three.candidates[k].options);
    EXPECT_EQ(one.candidates[k].log_loss, three.candidates[k].log_loss);
  }
}

// ---- little to choose from
// -----------------------------------------------------------------------

Table table_of(const std::vector<std::vector<double>>& rows, const std::string& labels) {
  const auto d = std::ssize(rows[0]);
  Table table{Schema::numbered(d), Matrix(std::ssize(rows), d), {}, Vector(std::ssize(rows))};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(rows[i], table.x.row(static_cast<Index>(i)).begin());
    table.labels.emplace_back(1, labels[i]);
    table.weights[static_cast<Index>(i)] = 1;
  }
  return table;
}

TEST(ChooseFromLittle, AClassWithOneRowHasNoPart) {
  const Table table = table_of({{0}, {1}, {2}, {0.5}, {10}, {11}, {12}, {11.5}, {50}}, "aaaabbbbc");
  const Choice choice = chosen(table);
  EXPECT_EQ(choice.rows, 8);
  ASSERT_TRUE(choice.best());
  const Model model = choice.model(table.statistics());
  EXPECT_EQ(model.labels().size(), 3);
}

TEST(ChooseFromLittle, OneRowAClassIsNoSample) {
  const Choice choice = chosen(table_of({{0}, {1}, {2}}, "abc"));
  EXPECT_FALSE(choice.best());
  EXPECT_THAT(choice.reason.text(), HasSubstr("no row of the sample belongs to a class"));
  EXPECT_EQ(choice.options, resolve({}));
}

TEST(ChooseFromLittle, RowsThatAreAlikeSayWhatIsWrong) {
  const Table table = table_of({{1, 2}, {1, 2}, {1, 2}, {1, 2}}, "aabb");
  const Choice choice = chosen(table);
  EXPECT_THROW(choice.model(table.statistics()), InvalidArgument);  // as estimate does
}

TEST(ChooseFromLittle, AColumnThatOnlyDiffersBetweenClassesIsAnErrorOfTheEstimate) {
  const Table table = table_of({{1}, {1}, {2}, {2}}, "aabb");
  const Choice choice = chosen(table);
  EXPECT_FALSE(choice.best() && choice.incumbent >= 0);
}

/// With 40 columns of noise the best direction of 100 rows separates them by chance: whoever keeps
/// the direction while a row is left out finds 20 % of errors instead of 50 %.
TEST(Choose, DiscriminantComponentsAreFoundWithoutTheRowsThatTheyScore) {
  Table table = gaussian_table({.classes = 2, .rows = 100, .features = 40}, 8);
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  for (double& x : std::span(table.x.data(), 4000)) x = normal(random);
  const Choice choice = chosen(table, {.fixed = {"lda"}, .given = {.lda = 1}});
  ASSERT_NE(choice.best(), nullptr);
  EXPECT_EQ(choice.sample_folds, 5);
  EXPECT_GT(choice.best()->error_rate, 0.35);
  EXPECT_GT(choice.best()->log_loss, 0.65);
}

TEST(ChooseFromLittle, OneClassLeavesNothingToCompare) {
  const Table table = table_of({{1}, {3}, {2}, {7}}, "aaaa");
  const Choice choice = chosen(table);
  EXPECT_FALSE(choice.best());
  EXPECT_THAT(choice.reason.text(), HasSubstr("one class"));
  EXPECT_EQ(choice.model(table.statistics()), estimate(table.statistics()));
}

TEST(ChooseFromLittle, WeightsOfZeroAreNoRows) {
  Table table = gaussian_table({.rows = 60, .features = 2}, 5);
  for (Index i = 0; i < 20; ++i) table.weights[i] = 0;
  const Choice with = chosen(table);
  const Choice without = chosen(table.some([](Index i) { return i >= 20; }));
  EXPECT_EQ(with.rows, 40);
  EXPECT_EQ(with.options, without.options);
  EXPECT_NEAR(with.best()->log_loss, without.best()->log_loss, 1e-9);
}

TEST(Choose, AWeightIsANumberOfRows) {
  Table table = gaussian_table({.rows = 80, .features = 3}, 7);
  Table repeated = table.some([](Index) { return true; });
  std::vector<Index> from;
  for (Index i = 0; i < 80; ++i) {
    table.weights[i] = static_cast<double>(i % 3);
    for (Index copy = 0; copy < i % 3; ++copy) from.push_back(i);
  }
  const auto rows = std::ssize(from);
  repeated.x = Matrix(rows, 3);
  repeated.weights = Vector(rows);
  repeated.labels.clear();
  for (Index r = 0; r < rows; ++r) {
    std::ranges::copy(table.x.row(from[r]), repeated.x.row(r).begin());
    repeated.weights[r] = 1;
    repeated.labels.push_back(table.labels[from[r]]);
  }
  const Choice weighted = chosen(table), each = chosen(repeated);
  EXPECT_EQ(weighted.options, each.options);
  ASSERT_EQ(weighted.candidates.size(), each.candidates.size());
  for (std::size_t k = 0; k < each.candidates.size(); ++k)
    EXPECT_NEAR(weighted.candidates[k].log_loss, each.candidates[k].log_loss, 1e-9);
}

TEST(Choose, ProjectionsConcernNumbersOnly) {
  Table table = gaussian_table({.rows = 60, .features = 3}, 8);
  const Schema schema({{"a", Family::gaussian}, {"b", Family::gaussian}, {"n", Family::poisson}});
  for (Index i = 0; i < 60; ++i) table.x(i, 2) = static_cast<double>(i % 4);
  table.schema = schema;
  const Choice choice = chosen(table, {.fixed = {"pca"}, .given = {.pca = Pca{.components = 1}}});
  ASSERT_TRUE(choice.best());
  EXPECT_EQ(choice.options.pca, Pca{.components = 1});
  EXPECT_EQ(choice.options.smoothing, Smoothing::automatic());
}

TEST(ChooseFromLittle, MoreFeaturesThanRows) {
  const Choice choice = chosen(gaussian_table({.rows = 15, .features = 40}, 6));
  ASSERT_TRUE(choice.best());
  EXPECT_LT(choice.best()->log_loss, choice.prior_log_loss + 0.5 / 15);
}

TEST(ChooseFromLittle, MoreClassesThanSampledRows) {
  const Table table = gaussian_table({.classes = 20, .rows = 200, .features = 2}, 7);
  const Choice choice = choose(table.statistics(), sample_of(table, {.rows = 10}));
  ASSERT_TRUE(choice.best());
  EXPECT_EQ(choice.rows, 10);
  EXPECT_EQ(choice.model(table.statistics()).labels().size(), 20);
}

// A choice of features is compared in folds, which take rows of the sample; a weight is no row.
TEST(ChooseFromLittle, FoldsAreOfRowsWhateverTheyWeigh) {
  Table table = gaussian_table({.rows = 12, .features = 2}, 7);
  const ChooseOptions keeps{.fixed = {"keep"}, .given = {.keep = 1}};
  const Choice plain = chosen(table, keeps);
  EXPECT_EQ(plain.sample_folds, 4);
  EXPECT_EQ(plain.rows, 12);
  for (const double weight : {50.0, 0.25}) {
    for (Index i = 0; i < 12; ++i) table.weights[i] = weight;
    const Choice choice = chosen(table, keeps);
    ASSERT_TRUE(choice.best()) << choice.reason.text();
    EXPECT_EQ(choice.sample_folds, 4);
    EXPECT_EQ(choice.rows, 12);
  }
  // So are models of more features than rows.
  table = gaussian_table({.rows = 9, .features = 40}, 7);
  for (Index i = 0; i < 9; ++i) table.weights[i] = 50;
  Statistics statistics(table.schema, {.scatter = Scatter::thin, .labels = table.classes});
  statistics.update(table.rows());
  const Choice thin = choose(statistics, sample_of(table));
  ASSERT_TRUE(thin.best()) << thin.reason.text();
  EXPECT_EQ(thin.sample_folds, 3);
}

TEST(ChooseFromLittle, SampledRowsOfSomeClassesInFolds) {
  const Table table = gaussian_table({.classes = 20, .rows = 200, .features = 2}, 7);
  const ChooseOptions keeps{.fixed = {"keep"}, .given = {.keep = 1}};
  const Choice none = choose(table.statistics(), sample_of(table, {.rows = 10}), keeps);
  EXPECT_FALSE(none.best());
  EXPECT_THAT(none.reason.text(), HasSubstr("the sample has no two rows of a class"));
  EXPECT_EQ(none.model(table.statistics()).labels().size(), 20);
  Table some = table.some([](Index i) { return i % 20 < 6; });  // the other classes have no row
  some.classes.resize(6);
  const Choice choice = choose(table.statistics(), sample_of(some, {.rows = 15}), keeps);
  ASSERT_TRUE(choice.best()) << choice.reason.text();
  EXPECT_EQ(choice.rows, 15);
  EXPECT_EQ(choice.calibration->offset.size(), 20);
  EXPECT_EQ(choice.model(table.statistics()).labels().size(), 20);
}

TEST(ChooseFromLittle, OnlyCategories) {
  Statistics statistics(Schema({{.name = "c", .family = Family::categorical}}));
  const std::vector<std::string> levels{"x", "x", "y", "x", "y", "y"};
  const std::vector<std::string> labels{"a", "a", "a", "b", "b", "b"};
  RowBlock rows(6);
  rows.feature(Column(levels)).labels(Column(labels));
  statistics.update(rows);
  Reservoir reservoir(statistics.schema());
  reservoir.update(rows);
  const Choice choice = choose(statistics, reservoir.sample());
  EXPECT_EQ(choice.candidates.size(), 1U);
  EXPECT_EQ(choice.calibration->scale.size(), 1);
}

TEST(ChooseFromLittle, NumbersWithoutInformationBesideCategories) {
  Statistics statistics(Schema({{.name = "x"}, {.name = "c", .family = Family::categorical}}));
  const std::vector<double> numbers(6, 3.0);
  const std::vector<std::string> levels{"x", "x", "y", "x", "y", "y"};
  const std::vector<std::string> labels{"a", "a", "a", "b", "b", "b"};
  RowBlock rows(6);
  rows.feature(Column(numbers)).feature(Column(levels)).labels(Column(labels));
  statistics.update(rows);
  Reservoir reservoir(statistics.schema());
  reservoir.update(rows);
  const Choice choice = choose(statistics, reservoir.sample());
  ASSERT_TRUE(choice.best());
  EXPECT_EQ(choice.model(statistics).labels().size(), 2);
}

}  // namespace
}  // namespace suffice::choose_test
