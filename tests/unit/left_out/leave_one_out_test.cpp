// Leave-one-out scores against models that are estimated from the other rows, summed up anew.

#include "suffice/left_out/leave_one_out.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "suffice/suffice.hpp"
#include "support/message_of.hpp"
#include "unit/leave_one_out_table.hpp"

namespace suffice::leave_one_out_test {
namespace {

using namespace testing::left_out;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using Kind = Shrinkage::Kind;

constexpr double inf = std::numeric_limits<double>::infinity();

/// The slow way: each row by the model of all others.
Matrix refitted(const Table& table, const EstimateOptions& options) {
  Matrix scores(table.x.rows(), std::ssize(table.classes));
  for (Index i = 0; i < table.x.rows(); ++i) {
    const Table others = table.some([&](Index k) { return k != i; });
    const Table one = table.some([&](Index k) { return k == i; });
    const Model model = estimate(others.statistics(), options);
    std::ranges::copy(log_likelihood(model, one.x).values.row(0), scores.row(i).begin());
  }
  return scores;
}

void expect_as_refitted(const Table& table, const EstimateOptions& options) {
  const LeaveOneOut leave_one_out(table.statistics(), options);
  expect_close(leave_one_out(table.rows()).values, refitted(table, options));
}

const EstimateOptions plain{.shrinkage = Shrinkage::none()};

const std::vector<Covariance> structures = {Covariance::full,      Covariance::tied,
                                            Covariance::diag,      Covariance::tied_diag,
                                            Covariance::spherical, Covariance::tied_spherical};

std::vector<EstimateOptions> exact_options() {
  std::vector<EstimateOptions> result;
  for (const Covariance covariance : structures) {
    for (const Normalize normalize : {Normalize::mle, Normalize::unbiased}) {
      result.push_back(
          {.covariance = covariance, .normalize = normalize, .shrinkage = Shrinkage::none()});
      for (const Target target : {Target::diag, Target::spherical})
        for (const double share : {0.3, 1.0})
          result.push_back({.covariance = covariance,
                            .normalize = normalize,
                            .shrinkage = Shrinkage::share(share),
                            .target = target});
      if (is_tied(covariance)) continue;
      for (const double towards : {0.4, 1.0}) {
        result.push_back(
            {.covariance = covariance, .normalize = normalize, .towards_tied = towards});
        for (const Target target : {Target::diag, Target::spherical})
          result.push_back({.covariance = covariance,
                            .normalize = normalize,
                            .shrinkage = Shrinkage::share(0.2),
                            .target = target,
                            .towards_tied = towards});
      }
    }
    for (const Inference estimate : {Inference::map, Inference::bayes})
      result.push_back(
          {.covariance = covariance, .shrinkage = Shrinkage::none(), .inference = estimate});
    if (covariance != Covariance::full && covariance != Covariance::tied &&
        covariance != Covariance::diag)
      for (const Inference estimate : {Inference::plugin, Inference::map, Inference::bayes})
        result.push_back(
            {.covariance = covariance, .shrinkage = Shrinkage::automatic(), .inference = estimate});
  }
  for (std::size_t i = 0, count = result.size(); i < count; ++i)
    if (result[i].inference != Inference::bayes) {
      result.push_back(result[i]);
      result.back().tails = Tails::student(i % 2 == 0 ? 2.5 : 9);
    }
  return result;
}

void expect_all_as_refitted(const Shape& shape, unsigned seed) {
  const Table table = gaussian_table(shape, seed);
  for (const EstimateOptions& options : exact_options()) {
    SCOPED_TRACE(describe(options));
    expect_as_refitted(table, options);
  }
}

TEST(LeaveOneOut, EveryStructureAndShrinkageEqualsRefitting) {
  expect_all_as_refitted({.classes = 3, .rows = 36, .features = 3}, 1);
}
TEST(LeaveOneOut, OneFeatureAndManyClasses) {
  expect_all_as_refitted({.classes = 4, .rows = 24, .features = 1}, 2);
}
TEST(LeaveOneOut, SixFeaturesAndAnOffset) {
  expect_all_as_refitted({.classes = 2, .rows = 40, .features = 6, .offset = 1e4}, 3);
}
TEST(LeaveOneOut, TheWeightOfARowIsWhatIsTakenOut) {
  expect_all_as_refitted({.classes = 2, .rows = 22, .features = 2, .weighted = true}, 4);
}
TEST(LeaveOneOut, MissingValuesLeaveWithTheirRow) {
  expect_all_as_refitted({.classes = 2, .rows = 32, .features = 3, .missing = true}, 5);
}
TEST(LeaveOneOut, MissingValuesAndWeights) {
  expect_all_as_refitted(
      {.classes = 3, .rows = 45, .features = 2, .weighted = true, .missing = true}, 6);
}

// Features have different numbers of values, and so different degrees of freedom.
TEST(LeaveOneOut, PredictiveDensitiesWithMissingValues) {
  const Table table = gaussian_table({.classes = 2, .rows = 32, .features = 4, .missing = true}, 7);
  for (const Covariance covariance : {Covariance::diag, Covariance::tied_diag})
    expect_as_refitted(
        table,
        {.covariance = covariance, .shrinkage = Shrinkage::none(), .inference = Inference::bayes});
}

TEST(LeaveOneOut, ManyFeaturesAndMoreOfThemThanRows) {
  for (const Index rows : {90, 26})
    for (const Covariance covariance : {Covariance::full, Covariance::tied})
      for (const double share : {0.05, 0.5})
        for (const double towards : {0.0, 0.3}) {
          if (towards > 0 && covariance == Covariance::tied) continue;
          const Table table = gaussian_table({.classes = 2, .rows = rows, .features = 27}, 14);
          const EstimateOptions options{.covariance = covariance,
                                        .shrinkage = Shrinkage::share(share),
                                        .target = Target::spherical,
                                        .towards_tied = towards};
          SCOPED_TRACE(describe(options) + " " + std::to_string(rows));
          expect_as_refitted(table, options);
        }
  expect_as_refitted(gaussian_table({.classes = 2, .rows = 90, .features = 27}, 15), plain);
  expect_as_refitted(gaussian_table({.classes = 3, .rows = 90, .features = 27}, 16),
                     {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()});
}

TEST(LeaveOneOut, AClassOfOneRowIsImpossibleThereAndOthersForgetIt) {
  Table table = gaussian_table({.classes = 3, .rows = 24, .features = 2}, 7);
  // All of class c become class b but one.
  bool first = true;
  for (std::string& label : table.labels)
    if (label == "c" && !std::exchange(first, false)) label = "b";
  for (EstimateOptions options : exact_options()) {
    // Those that give a class of one row a density.
    if (options.covariance != Covariance::tied && options.covariance != Covariance::tied_diag &&
        options.covariance != Covariance::tied_spherical && options.towards_tied < 1 &&
        options.inference == Inference::plugin)
      continue;
    SCOPED_TRACE(describe(options));
    expect_as_refitted(table, options);
    const Matrix scores = LeaveOneOut(table.statistics(), options)(table.rows()).values;
    EXPECT_EQ(scores(2, 2), -inf);
    EXPECT_TRUE(std::isfinite(scores(2, 0)));
  }
}

TEST(LeaveOneOut, AFeatureThatOnlyOneRowMakesVaryIsLeftOutWithoutIt) {
  Table table = gaussian_table({.classes = 2, .rows = 20, .features = 3}, 8);
  for (Index i = 0; i < 20; ++i) table.x(i, 1) = i == 5 ? 7.25 : 3.1;
  for (const EstimateOptions& options : exact_options()) {
    const bool tied = is_tied(options.covariance) || options.towards_tied > 0;
    const bool spherical = options.covariance == Covariance::spherical ||
                           options.covariance == Covariance::tied_spherical ||
                           (options.target == Target::spherical && options.shrinkage &&
                            options.shrinkage->value() > 0);
    if (!tied && !spherical && options.inference == Inference::plugin) continue;
    SCOPED_TRACE(describe(options));
    expect_as_refitted(table, options);
  }
}

TEST(LeaveOneOut, RowsThatAreNearlyAllOfTheirClassesScatter) {
  Table table = gaussian_table({.classes = 2, .rows = 40, .features = 3}, 9);
  for (Index j = 0; j < 3; ++j) table.x(6, j) += 3e4 * static_cast<double>(j + 1);
  for (const EstimateOptions& options : exact_options()) {
    SCOPED_TRACE(describe(options));
    const Matrix found = LeaveOneOut(table.statistics(), options)(table.rows()).values;
    // h is 1e-9 and less: as many digits are lost in the sums, whoever subtracts.
    expect_close(found, refitted(table, options), 1e-5);
  }
}

// ---- discrete families
// -----------------------------------------------------------------------------

Table discrete_table(Family family, unsigned seed, bool weighted, bool missing) {
  std::mt19937 random(seed);
  const Index rows = 30, d = 4;
  std::vector<Feature> features;
  for (Index j = 0; j < d; ++j) {
    features.push_back({.name = "x" + std::to_string(j), .family = family});
    if (family == Family::categorical) features.back().levels = {"0", "1", "2"};
  }
  Table table{Schema(features), Matrix(rows, d), {}, Vector(rows), {"a", "b", "c"}};
  for (Index i = 0; i < rows; ++i) {
    const auto c = static_cast<unsigned>(i % 3);
    table.labels.push_back(table.classes[c]);
    table.weights[i] = weighted ? static_cast<double>(1 + random() % 3) : 1;
    for (Index j = 0; j < d; ++j) {
      const unsigned most = family == Family::bernoulli ? 2 : family == Family::categorical ? 3 : 5;
      table.x(i, j) = static_cast<double>((random() % 8 + c * static_cast<unsigned>(j)) % most);
      if (missing && random() % 6 == 0) table.x(i, j) = nan;
    }
  }
  return table;
}

TEST(LeaveOneOut, DiscreteFamiliesEqualRefitting) {
  unsigned seed = 20;
  for (const Family family :
       {Family::bernoulli, Family::categorical, Family::poisson, Family::multinomial})
    for (const bool weighted : {false, true})
      for (const bool missing : {false, true}) {
        if (missing && family == Family::multinomial) continue;
        const Table table = discrete_table(family, seed++, weighted, missing);
        for (const double alpha : {0.0, 0.5, 1.0})
          for (const Inference estimate : {Inference::plugin, Inference::map, Inference::bayes}) {
            if (alpha == 0 && estimate == Inference::bayes) continue;
            SCOPED_TRACE(std::string(to_string(family)) + " " + std::to_string(alpha) + " " +
                         std::string(to_string(estimate)) + (weighted ? " weighted" : "") +
                         (missing ? " missing" : ""));
            expect_as_refitted(table, {.smoothing = alpha, .inference = estimate});
          }
      }
}

void expect_sparse_is_dense(Family family, bool in_pieces) {
  const Table table = discrete_table(family, 40, false, false);
  std::vector<std::int64_t> start = {0}, column;
  std::vector<float> value;
  for (Index i = 0; i < table.x.rows(); ++i) {
    for (Index j = 0; j < table.x.cols(); ++j) {
      const auto count = static_cast<float>(table.x(i, j));
      if (count == 0) continue;
      const bool two = in_pieces && count > 1;
      column.push_back(j);
      value.push_back(two ? count - 1 : count);
      if (!two) continue;
      column.push_back(j);
      value.push_back(1);
    }
    start.push_back(std::ssize(column));
  }
  RowBlock sparse(
      SparseView(table.x.rows(), table.x.cols(), start.data(), column.data(), value.data()));
  sparse.labels(table.labels);
  for (const Inference estimate : {Inference::plugin, Inference::bayes}) {
    SCOPED_TRACE(std::string(to_string(family)) + " " + std::string(to_string(estimate)));
    // The other classes of a word in pieces are those of log_likelihood.
    if (in_pieces && estimate == Inference::bayes) continue;
    const LeaveOneOut leave_one_out(table.statistics(), {.inference = estimate});
    expect_close(leave_one_out(sparse).values, leave_one_out(table.rows()).values, 1e-13);
  }
}

TEST(LeaveOneOut, SparseRowsAreDenseOnes) {
  for (const Family family : {Family::multinomial, Family::bernoulli, Family::poisson})
    expect_sparse_is_dense(family, false);
  expect_sparse_is_dense(Family::multinomial, true);
}

TEST(LeaveOneOut, BlocksAreAddedUp) {
  Table table = gaussian_table({.classes = 3, .rows = 36, .features = 6, .weighted = true}, 50);
  const std::vector<Family> families = {Family::gaussian,    Family::gaussian, Family::bernoulli,
                                        Family::categorical, Family::poisson,  Family::gaussian};
  std::vector<Feature> features;
  for (std::size_t j = 0; j < families.size(); ++j) {
    features.push_back({.name = "x" + std::to_string(j), .family = families[j]});
    if (families[j] == Family::categorical) features[j].levels = {"0", "1", "2"};
  }
  features[1].transform = Transform::signed_log(0.7);
  features[5].transform = Transform::log;
  table.schema = Schema(features);
  for (Index i = 0; i < table.x.rows(); ++i) {
    table.x(i, 2) = table.x(i, 2) > 1;
    table.x(i, 3) = static_cast<double>(i * 7 % 11 % 3);
    table.x(i, 4) = std::floor(std::abs(table.x(i, 4)));
    table.x(i, 5) = std::exp(table.x(i, 5) / 2);
    if (i % 9 == 4) table.x(i, i % 6) = nan;
  }
  for (const EstimateOptions& options : exact_options()) {
    SCOPED_TRACE(describe(options));
    expect_as_refitted(table, options);
  }
}

TEST(LeaveOneOut, ThreadsChangeNothing) {
  const Table table = gaussian_table({.classes = 3, .rows = 3000, .features = 12}, 60);
  for (const Covariance covariance : structures) {
    const EstimateOptions options{
        .covariance = covariance, .shrinkage = Shrinkage::share(0.1), .target = Target::spherical};
    const LeaveOneOut leave_one_out(table.statistics(), options);
    const Matrix one = leave_one_out(table.rows(), {.threads = 1}).values;
    EXPECT_EQ(leave_one_out(table.rows(), {.threads = 4}).values, one);
  }
}

TEST(LeaveOneOut, AClassWithoutRowsIsImpossibleAndOneClassIsEnough) {
  Table table = gaussian_table({.classes = 2, .rows = 24, .features = 2}, 62);
  table.classes = {"a", "another", "b"};
  Table single = table;
  for (std::string& label : single.labels) label = "a";
  single.classes = {"a"};
  for (const EstimateOptions& options : exact_options()) {
    SCOPED_TRACE(describe(options));
    expect_as_refitted(table, options);
    expect_as_refitted(single, options);
  }
  EXPECT_EQ(LeaveOneOut(table.statistics(), plain)(table.rows()).values(0, 1), -inf);
}

TEST(LeaveOneOut, AHeavyRowIsLeftOutWithoutItsDigits) {
  Table table = gaussian_table({.classes = 3, .rows = 30, .features = 3}, 74);
  table.weights[4] = 1e6;
  for (const double towards : {0.5, 1.0}) {
    const EstimateOptions options{.towards_tied = towards};
    SCOPED_TRACE(describe(options));
    expect_as_refitted(table, options);
  }
}

TEST(LeaveOneOut, DiagonalStatisticsAreEnoughForDiagonalStructures) {
  const Table table =
      gaussian_table({.classes = 3, .rows = 45, .features = 2, .missing = true}, 63);
  Statistics diagonal(table.schema, {.scatter = Scatter::diagonal, .labels = table.classes});
  diagonal.update(table.rows());
  for (const Covariance covariance : {Covariance::diag, Covariance::tied_diag,
                                      Covariance::spherical, Covariance::tied_spherical}) {
    const EstimateOptions options{.covariance = covariance, .shrinkage = Shrinkage::none()};
    expect_close(LeaveOneOut(diagonal, options)(table.rows()).values, refitted(table, options));
  }
  EXPECT_EQ(LeaveOneOut(diagonal, {.covariance = Covariance::diag, .shrinkage = Shrinkage::none()})(
                RowBlock(Matrix(0, 2)))
                .rows(),
            0);
}

TEST(LeaveOneOut, RowsOfWeightZeroWereNeverThere) {
  Table table = gaussian_table({.classes = 2, .rows = 20, .features = 2}, 61);
  table.weights[3] = 0;
  table.labels[3] = "another";
  const LeaveOneOut leave_one_out(table.statistics(),
                                  {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()});
  const Matrix whole = log_likelihood(leave_one_out.model(), table.x).values;
  const Matrix found = leave_one_out(table.rows()).values;
  for (Index c = 0; c < 2; ++c) EXPECT_NEAR(found(3, c), whole(3, c), 1e-12);
}

// ---- what is refused
// ------------------------------------------------------------------------------

TEST(LeaveOneOut, SaysWhereThereIsNoCheapExactForm) {
  const Schema wide = Schema::numbered(101), narrow = Schema::numbered(3);
  const auto reason = [](const Schema& schema, const EstimateOptions& options) {
    return no_leave_one_out(schema, options).value_or("");
  };
  EXPECT_THAT(reason(narrow, {.pca = Pca{.components = 2}}), HasSubstr("number of folds"));
  EXPECT_THAT(reason(narrow, {.lda = 1}), HasSubstr("number of folds"));
  // Said or left unsaid.
  for (const EstimateOptions& options : {EstimateOptions{.shrinkage = Shrinkage::automatic()}, {}})
    EXPECT_THAT(reason(narrow, options), AllOf(HasSubstr("'auto'"), HasSubstr("number of folds")));
  EXPECT_EQ(reason(narrow, plain), "");
  EXPECT_EQ(reason(narrow, {.towards_tied = 0.5}), "");
  EXPECT_THAT(reason(narrow, {.shrinkage = Shrinkage::oas(), .target = Target::spherical}),
              HasSubstr("'oas'"));
  EXPECT_THAT(reason(wide, {.shrinkage = Shrinkage::share(0.5)}), HasSubstr("101"));
  EXPECT_THAT(reason(wide, {.shrinkage = Shrinkage::none(), .inference = Inference::bayes}),
              HasSubstr("101"));
  EXPECT_EQ(reason(wide, {.shrinkage = Shrinkage::share(0.5), .target = Target::spherical}), "");
  EXPECT_EQ(reason(wide, {.shrinkage = Shrinkage::rows(3), .inference = Inference::bayes}), "");
  EXPECT_EQ(reason(wide, {.covariance = Covariance::diag,
                          .shrinkage = Shrinkage::none(),
                          .inference = Inference::bayes}),
            "");
  EXPECT_EQ(reason(Schema::numbered(101, Family::bernoulli), {.shrinkage = Shrinkage::automatic()}),
            "");
  const Table table = gaussian_table({}, 70);
  EXPECT_THROW(LeaveOneOut(table.statistics(), {.shrinkage = Shrinkage::automatic()}),
               InvalidArgument);
  EXPECT_THROW(LeaveOneOut(table.statistics(), {}), InvalidArgument);
}

TEST(LeaveOneOut, RefusesRowsThatCannotHaveBeenAmongThem) {
  Table table = gaussian_table({.classes = 2, .rows = 20, .features = 2}, 71);
  const LeaveOneOut leave_one_out(table.statistics(), plain);
  EXPECT_THROW(leave_one_out(RowBlock(table.x)), InvalidArgument);
  Table other = table;
  other.labels[4] = "z";
  EXPECT_THAT(message_of<Error>([&] { leave_one_out(other.rows()); }), HasSubstr("row 4"));
  other = table;
  other.weights[5] = 11;
  EXPECT_THAT(message_of<Error>([&] { leave_one_out(other.rows()); }), HasSubstr("row 5"));
  const Table counts = discrete_table(Family::categorical, 72, false, false);
  Table more = counts;
  more.x(2, 1) = 9;
  EXPECT_THAT(
      message_of<Error>([&] { LeaveOneOut(counts.statistics(), {.smoothing = 1})(more.rows()); }),
      HasSubstr("row 2"));
}

TEST(LeaveOneOut, ASingularRestIsAnErrorThatNamesTheRow) {
  // Class a has four rows in three dimensions: three of them are flat.
  Table table = gaussian_table({.classes = 2, .rows = 16, .features = 3}, 73);
  int of_a = 0;
  for (std::string& label : table.labels) label = label == "a" && of_a++ < 4 ? "a" : "b";
  const LeaveOneOut leave_one_out(table.statistics(), plain);
  EXPECT_THROW(leave_one_out(table.rows()), SingularError);
  EXPECT_THAT(message_of<Error>([&] { leave_one_out(table.rows()); }),
              AllOf(HasSubstr("row 0"), HasSubstr("class 'a'"), HasSubstr("folds")));
}

// One row of a class is left, and the mean of its variances is 0.
TEST(LeaveOneOut, ASphericalTargetThatVanishesIsAnError) {
  Table table = gaussian_table({.classes = 2, .rows = 16, .features = 3}, 75);
  int of_a = 0;
  for (std::string& label : table.labels) label = label == "a" && of_a++ < 2 ? "a" : "b";
  const EstimateOptions options{.shrinkage = Shrinkage::share(1), .target = Target::spherical};
  EXPECT_THROW(refitted(table, options), SingularError);
  const LeaveOneOut leave_one_out(table.statistics(), options);
  EXPECT_THAT(message_of<SingularError>([&] { leave_one_out(table.rows()); }),
              AllOf(HasSubstr("row 0"), HasSubstr("class 'a'")));
}

TEST(LeaveOneOut, FrequenciesWithoutARow) {
  std::vector<double> out(3);
  log_frequencies_without(Vector{2, 1, 5}, 1, 1, out);
  EXPECT_NEAR(out[0], std::log(2.0 / 7), 1e-15);
  EXPECT_EQ(out[1], -inf);
  log_frequencies_without(Vector{2, 1, 5}, -1, 0, out);
  EXPECT_NEAR(out[1], std::log(1.0 / 8), 1e-15);
}

}  // namespace
}  // namespace suffice::leave_one_out_test
