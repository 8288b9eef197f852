// The tables of discriminant analysis against R (make_class_tests.R), against published figures,
// and on data without any difference.

#include "suffice/contrast/class_tests.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "reference/peers.hpp"
#include "suffice/suffice.hpp"

namespace suffice::class_tests_test {

using testing::json;
using testing::peers;

Matrix matrix_of(const json& rows) {
  Matrix result(static_cast<Index>(rows.size()), static_cast<Index>(rows[0].size()));
  for (Index i = 0; i < result.rows(); ++i)
    for (Index j = 0; j < result.cols(); ++j)
      result(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return result;
}

Statistics sums_of(const json& set, Scatter scatter = Scatter::dense) {
  const Matrix x = matrix_of(set["x"]);
  const auto labels = set["y"].get<std::vector<std::string>>();
  Statistics statistics(Schema::numbered(x.cols()), {.scatter = scatter});
  statistics.update(RowBlock(x, labels));
  return statistics;
}

void expect_close(double got, const json& expected, const std::string& what,
                  double relative = 1e-8) {
  const auto e = expected.get<double>();
  EXPECT_NEAR(got, e, relative * std::max(std::abs(e), 1e-300)) << what;
}

void expect_f(const FTest& got, const json& expected, const std::string& what) {
  expect_close(got.statistic, expected[0], what);
  expect_close(got.f, expected[1], what + " F");
  expect_close(got.df1, expected[2], what + " df1");
  expect_close(got.df2, expected[3], what + " df2");
  expect_close(got.p, expected[4], what + " p", 1e-6);
}

/// R's functions may point the other way.
void expect_functions(const Matrix& got, const json& expected, const std::string& what) {
  const Matrix wanted = matrix_of(expected);
  ASSERT_EQ(got.rows(), wanted.rows()) << what;
  ASSERT_EQ(got.cols(), wanted.cols()) << what;
  for (Index k = 0; k < got.cols(); ++k) {
    Index largest = 0;
    for (Index j = 0; j < got.rows(); ++j)
      if (std::abs(wanted(j, k)) > std::abs(wanted(largest, k))) largest = j;
    const double sign = got(largest, k) * wanted(largest, k) < 0 ? -1 : 1;
    for (Index j = 0; j < got.rows(); ++j)
      EXPECT_NEAR(got(j, k), sign * wanted(j, k), 1e-8 * std::abs(wanted(largest, k)))
          << what << " " << j << ", " << k;
  }
}

class ClassTestsOfSets : public ::testing::TestWithParam<const char*> {};

TEST_P(ClassTestsOfSets, AreThoseOfR) {
  const json& set = peers("class_tests.json")[GetParam()];
  const ClassTests tests = class_tests(sums_of(set));
  EXPECT_TRUE(tests.notes.empty());
  ASSERT_TRUE(tests.joint);
  const JointTests& joint = *tests.joint;
  expect_f(joint.wilks, set["manova"]["wilks"], "Wilks");
  expect_f(joint.pillai, set["manova"]["pillai"], "Pillai");
  expect_f(joint.hotelling_lawley, set["manova"]["hotelling_lawley"], "Hotelling-Lawley");
  expect_f(joint.roy, set["manova"]["roy"], "Roy");
  ASSERT_EQ(joint.eigenvalues.size(), std::ssize(set["eigenvalues"]));
  for (Index k = 0; k < joint.eigenvalues.size(); ++k) {
    const json& value = set["eigenvalues"][static_cast<std::size_t>(k)];
    expect_close(joint.eigenvalues[k], value, "eigenvalue");
    expect_close(joint.canonical_correlations[k],
                 std::sqrt(value.get<double>() / (1 + value.get<double>())), "correlation");
    const json& remaining = set["remaining"][static_cast<std::size_t>(k)];
    const RemainingFunctions& of = joint.remaining[static_cast<std::size_t>(k)];
    expect_close(of.wilks, remaining[0], "remaining");
    expect_close(of.chi2, remaining[1], "remaining chi2");
    expect_close(of.df, remaining[2], "remaining df");
    expect_close(of.p, remaining[3], "remaining p", 1e-6);
  }
  for (std::size_t j = 0; j < tests.columns.size(); ++j) {
    const json& column = set["columns"][j];
    expect_close(tests.columns[j].wilks, column[0], "column wilks");
    expect_close(tests.columns[j].f, column[1], "column F");
    expect_close(tests.columns[j].p, column[2], "column p", 1e-6);
    expect_close(tests.columns[j].eta2, column[3], "column eta2");
    for (Index c = 0; c < tests.labels.size(); ++c) {
      expect_close(tests.columns[j].low[c], set["low"][static_cast<std::size_t>(c)][j], "low");
      expect_close(tests.columns[j].high[c], set["high"][static_cast<std::size_t>(c)][j], "high");
    }
  }
  ASSERT_TRUE(joint.box_m);
  const json& box = set["box_m"];
  expect_close(joint.box_m->m, box[0], "M");
  expect_close(joint.box_m->f, box[1], "M's F");
  expect_close(joint.box_m->chi2, box[2], "M's chi2");
  expect_close(joint.box_m->df, box[3], "M's df");
  expect_close(joint.box_m->p, box[4], "M's p", 1e-6);
  expect_close(joint.box_m->f_df2, box[5], "M's df2");
  expect_close(joint.box_m->f_p, box[6], "M's p by F", 1e-6);
  ASSERT_EQ(joint.pairs.size(), set["pairs"].size());
  for (std::size_t i = 0; i < joint.pairs.size(); ++i) {
    const json& pair = set["pairs"][i];
    expect_close(joint.pairs[i].d2, pair[0], "D2");
    expect_close(joint.pairs[i].f, pair[1], "D2's F");
    expect_close(joint.pairs[i].df1, pair[2], "D2's df1");
    expect_close(joint.pairs[i].df2, pair[3], "D2's df2");
    expect_close(joint.pairs[i].p, pair[4], "D2's p", 1e-6);
    expect_close(joint.pairs[i].low, pair[5], "D2's low", 1e-7);
    expect_close(joint.pairs[i].high, pair[6], "D2's high", 1e-7);
    expect_close(joint.pairs[i].error, pair[7], "error");
  }
  expect_functions(joint.raw, set["raw"], "raw");
  expect_functions(joint.standardized, set["standardized"], "standardized");
  expect_functions(joint.structure, set["structure"], "structure");
  expect_functions(joint.centroids, set["centroids"], "centroids");
}
INSTANTIATE_TEST_SUITE_P(Public, ClassTestsOfSets,
                         ::testing::Values("iris", "wine", "penguins", "crabs"));

// Johnson and Wichern, Applied Multivariate Statistical Analysis, example 6.9.
TEST(ClassTests, AreThoseOfATextbook) {
  const json& set = peers("class_tests.json")["manova"];
  const ClassTests tests = class_tests(sums_of(set));
  ASSERT_TRUE(tests.joint);
  EXPECT_NEAR(tests.joint->wilks.statistic, 239.0 / 6215, 1e-14);
  EXPECT_NEAR(tests.joint->wilks.f, 8.19, 0.01);
  expect_f(tests.joint->wilks, set["wilks"], "Wilks");
}

// Fisher's iris, as SAS's manual prints it for CANDISC and SPSS for DISCRIMINANT.
TEST(ClassTests, AreThoseThatManualsPrintForIris) {
  const ClassTests tests = class_tests(sums_of(peers("class_tests.json")["iris"]));
  const JointTests& joint = *tests.joint;
  EXPECT_NEAR(joint.wilks.statistic, 0.02343863, 5e-9);
  EXPECT_NEAR(joint.wilks.f, 199.15, 5e-3);
  EXPECT_NEAR(joint.pillai.f, 53.47, 5e-3);
  EXPECT_NEAR(joint.hotelling_lawley.f, 580.53, 5e-3);
  EXPECT_NEAR(joint.roy.f, 1166.96, 5e-3);
  EXPECT_NEAR(joint.canonical_correlations[0], 0.984821, 5e-7);
  EXPECT_NEAR(joint.canonical_correlations[1], 0.471197, 5e-7);
  EXPECT_NEAR(joint.box_m->m, 146.663, 5e-4);
  EXPECT_NEAR(joint.box_m->f, 7.045, 5e-4);
}

TEST(ClassTests, DoNotDependOnWhatWasKept) {
  const json& set = peers("class_tests.json")["wine"];
  const ClassTests dense = class_tests(sums_of(set));
  const ClassTests thin = class_tests(sums_of(set, Scatter::thin));
  const ClassTests pooled = class_tests(sums_of(set, Scatter::pooled));
  const ClassTests diagonal = class_tests(sums_of(set, Scatter::diagonal));
  EXPECT_NEAR(thin.joint->box_m->m, dense.joint->box_m->m, 1e-8 * dense.joint->box_m->m);
  EXPECT_NEAR(thin.joint->wilks.f, dense.joint->wilks.f, 1e-9 * dense.joint->wilks.f);
  EXPECT_NEAR(pooled.joint->wilks.f, dense.joint->wilks.f, 1e-9 * dense.joint->wilks.f);
  EXPECT_FALSE(pooled.joint->box_m);
  EXPECT_EQ(pooled.notes.size(), 1u);
  EXPECT_FALSE(diagonal.joint);
  EXPECT_EQ(diagonal.notes.size(), 1u);
  for (std::size_t j = 0; j < dense.columns.size(); ++j) {
    EXPECT_NEAR(pooled.columns[j].f, dense.columns[j].f, 1e-9 * dense.columns[j].f);
    EXPECT_NEAR(diagonal.columns[j].f, dense.columns[j].f, 1e-9 * dense.columns[j].f);
  }
}

/// The largest distance of the empirical distribution from the uniform one, times √n: above 1.63
/// with probability 0.01.
double kolmogorov_smirnov(std::vector<double> p) {
  std::sort(p.begin(), p.end());
  const auto n = static_cast<double>(p.size());
  double most = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    most = std::max({most, std::abs(p[i] - static_cast<double>(i) / n),
                     std::abs(p[i] - static_cast<double>(i + 1) / n)});
  return most * std::sqrt(n);
}

// Where the F of Wilks' Λ is exact (two or three classes here), and those of columns and distances.
TEST(ClassTests, HaveUniformPValuesWithoutDifferences) {
  const auto seed = 20261120u;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const std::vector<std::string> names = {"a", "b", "c"};
  std::vector<double> wilks, column, distance;
  for (int run = 0; run < 1000; ++run) {
    Matrix x(24, 3);
    std::vector<std::string> labels;
    for (Index i = 0; i < x.rows(); ++i) {
      const double shared = normal(random);
      for (Index j = 0; j < 3; ++j) x(i, j) = shared + normal(random) + 10;
      labels.push_back(names[static_cast<std::size_t>(i % 3)]);
    }
    Statistics three(Schema::numbered(3));
    three.update(RowBlock(x, labels));
    const ClassTests tests = class_tests(three);
    wilks.push_back(tests.joint->wilks.p);
    column.push_back(tests.columns[1].p);
    distance.push_back(tests.joint->pairs[1].p);
  }
  EXPECT_LT(kolmogorov_smirnov(wilks), 1.63);
  EXPECT_LT(kolmogorov_smirnov(column), 1.63);
  EXPECT_LT(kolmogorov_smirnov(distance), 1.63);
}

TEST(ClassTests, UseTheSpaceThatIsLeft) {
  const json& set = peers("class_tests.json")["iris"];
  const Matrix x = matrix_of(set["x"]);
  Matrix more(x.rows(), 6);  // a sum of two columns, and a constant
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < 4; ++j) more(i, j) = x(i, j);
    more(i, 4) = x(i, 0) + x(i, 2);
    more(i, 5) = 7;
  }
  Statistics statistics(Schema::numbered(6));
  statistics.update(RowBlock(more, set["y"].get<std::vector<std::string>>()));
  const ClassTests tests = class_tests(statistics);
  ASSERT_TRUE(tests.joint);
  EXPECT_EQ(tests.joint->rank, 4);
  expect_f(tests.joint->wilks, set["manova"]["wilks"], "Wilks");
  expect_close(tests.joint->pairs[0].d2, set["pairs"][0][0], "D2");
  EXPECT_NE(tests.notes.at(0).find("4 of 6 directions"), std::string::npos) << tests.notes[0];
}

TEST(ClassTests, SayWhatIsMissing) {
  const Schema schema = Schema::numbered(2);
  const auto message = [&](const std::vector<std::string>& labels, Matrix x,
                           std::vector<double> weights = {}) {
    Statistics statistics(schema);
    RowBlock rows(x, labels);
    if (!weights.empty()) rows.weights(weights);
    statistics.update(rows);
    try {
      class_tests(statistics);
    } catch (const InvalidArgument& error) {
      return error.sentence().text();
    }
    return std::string();
  };
  EXPECT_EQ(message({"a", "a"}, {{1, 2}, {2, 1}}), "there is one class with rows");
  EXPECT_NE(message({"a", "b"}, {{1, 2}, {2, 1}}).find("every class has one row"),
            std::string::npos);
  EXPECT_NE(message({"a", "a", "b", "b"}, {{1, 2}, {2, 1}, {3, 1}, {4, 2}}, {0.5, 0.5, 1, 1})
                .find("weights of class 'a'"),
            std::string::npos);
}

}  // namespace suffice::class_tests_test
