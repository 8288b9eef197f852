// The library against the slow reference, on random tables of every family and on public data.

#include "slow.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "laws/generate.hpp"
#include "suffice/suffice.hpp"
#include "support/data.hpp"

namespace suffice::slow_test {
namespace {

using testing::Table;

/// Log-likelihoods of some rows agree relative to their size (at least 1).
void expect_same(const Table& train, const Table& rows, const std::vector<Index>& which,
                 const EstimateOptions& options, double tolerance,
                 Scatter scatter = Scatter::dense) {
  Statistics stats(train.schema(), {.scatter = scatter});
  stats.update(train.block());
  const Model model = estimate(stats, options);
  const slow::Classifier reference(train, options);
  ASSERT_EQ(static_cast<std::size_t>(model.labels().size()), reference.classes().size());
  const LogLikelihoods got = log_likelihood(model, rows.block());
  for (const Index i : which) {
    for (Index c = 0; c < model.labels().size(); ++c) {
      const auto expected =
          static_cast<double>(reference.log_likelihood(rows, i, model.labels()[c]));
      if (std::isinf(expected)) {
        EXPECT_EQ(got.values(i, c), expected) << "row " << i;
        continue;
      }
      EXPECT_NEAR(got.values(i, c), expected, tolerance * (1 + std::abs(expected)))
          << "row " << i << ", class " << model.labels()[c];
    }
  }
}

std::vector<Index> every(Index rows, Index step) {
  std::vector<Index> which;
  for (Index i = 0; i < rows; i += step) which.push_back(i);
  return which;
}

constexpr Covariance all_structures[] = {Covariance::full,      Covariance::tied,
                                         Covariance::diag,      Covariance::tied_diag,
                                         Covariance::spherical, Covariance::tied_spherical};

class SlowReference : public ::testing::TestWithParam<testing::FamilyCase> {};

TEST_P(SlowReference, RandomTables) {
  const testing::FamilyCase& family = GetParam();
  for (const std::uint64_t seed : {51u, 52u}) {
    for (const auto weighting :
         {testing::Weighting::none, testing::Weighting::whole, testing::Weighting::real}) {
      const Table t = generate(family, {.rows = 250, .features = 7, .classes = 3}, seed, weighting);
      for (const Covariance structure : family.structures())
        for (const Normalize normalize : {Normalize::mle, Normalize::unbiased})
          for (const double smoothing : {0.0, 1.0, 0.3}) {
            if (family.only(Family::gaussian) && smoothing != 1) continue;
            if (!family.has(Family::gaussian) && normalize != Normalize::mle) continue;
            SCOPED_TRACE("seed " + std::to_string(seed) + ", weighting " +
                         std::to_string(static_cast<int>(weighting)) + ", " +
                         std::string(to_string(structure)) + ", " +
                         std::string(to_string(normalize)) + ", smoothing " +
                         std::to_string(smoothing));
            expect_same(t, t, every(t.rows(), 17),
                        {.covariance = structure,
                         .normalize = normalize,
                         .smoothing = smoothing,
                         .shrinkage = Shrinkage::none()},
                        1e-11, family.scatter);
          }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, SlowReference, ::testing::ValuesIn(testing::all_families()),
                         [](const auto& family) { return family.param.name; });

// Enough features for products of matrices; a tenth of the rows has a missing cell.
TEST(SlowReferenceLarge, ManyFeatures) {
  const testing::FamilyCase family{
      .name = "", .families = {Family::gaussian}, .missing_share = 0.0005};
  const Table t =
      generate(family, {.rows = 1200, .features = 190, .classes = 2}, 53, testing::Weighting::real);
  std::vector<Index> which = every(t.rows(), 300);
  for (Index i = 0; i < t.rows() && which.size() < 8; ++i)
    if (!t.complete(i)) which.push_back(i);
  for (const Covariance structure : {Covariance::full, Covariance::tied, Covariance::diag}) {
    SCOPED_TRACE("seed 53, " + std::string(to_string(structure)));
    expect_same(t, t, which, {.covariance = structure, .shrinkage = Shrinkage::none()}, 1e-10);
  }
}

// ---- Public data

Table numbers(const std::string& file, const std::string& label) {
  const testing::LabelledNumbers data = testing::read_numbers(file, label);
  return Table(
      {.schema = Schema::numbered(data.x.cols()), .values = data.x, .labels = data.labels});
}

struct Set {
  const char* name;
  const char* file;
  const char* label;
  double tolerance;  ///< for wdbc the correlations' condition of 1e6 to 1e7 takes as many digits
};

class SlowReferenceSets : public ::testing::TestWithParam<Set> {};

TEST_P(SlowReferenceSets, EveryStructureAndNormalisation) {
  SUFFICE_NEEDS_DATA(GetParam().file);
  const Table t = numbers(GetParam().file, GetParam().label);
  for (const Covariance structure : all_structures)
    for (const Normalize normalize : {Normalize::mle, Normalize::unbiased}) {
      SCOPED_TRACE(std::string(to_string(structure)) + ", " + std::string(to_string(normalize)));
      expect_same(t, t, every(t.rows(), 13),
                  {.covariance = structure, .normalize = normalize, .shrinkage = Shrinkage::none()},
                  GetParam().tolerance);
    }
}

INSTANTIATE_TEST_SUITE_P(Sets, SlowReferenceSets,
                         ::testing::Values(Set{"iris", "iris.csv.gz", "species", 1e-12},
                                           Set{"wine", "wine.csv.gz", "cultivar", 1e-12},
                                           Set{"wdbc", "breast_cancer_wdbc.csv.gz", "diagnosis",
                                               1e-9}),
                         [](const auto& set) { return std::string(set.param.name); });

// Two pixels are constant over all rows, more are constant within a class: what needs a covariance
// of its own for each class has none.
TEST(SlowReferenceOptdigits, EveryStructureThatExists) {
  SUFFICE_NEEDS_DATA("optdigits_train.csv.gz");
  const Table train = numbers("optdigits_train.csv.gz", "digit");
  const Table test = numbers("optdigits_test.csv.gz", "digit");
  for (const Covariance structure : all_structures)
    for (const Normalize normalize : {Normalize::mle, Normalize::unbiased}) {
      SCOPED_TRACE(std::string(to_string(structure)) + ", " + std::string(to_string(normalize)));
      const EstimateOptions options{
          .covariance = structure, .normalize = normalize, .shrinkage = Shrinkage::none()};
      if (structure == Covariance::full || structure == Covariance::diag) {
        Statistics stats(train.schema());
        stats.update(train.block());
        EXPECT_THROW(estimate(stats, options), SingularError);
      } else {
        expect_same(train, test, every(test.rows(), 199), options, 1e-11);
      }
    }
}

// Numbers and categories, with cells missing in both.
TEST(SlowReferencePenguins, MixedAndMissing) {
  SUFFICE_NEEDS_DATA("penguins.csv.gz");
  const testing::Csv csv = testing::read_csv("penguins.csv.gz");
  const std::vector<Feature> features{
      {"bill_length_mm"},           {"island", Family::categorical}, {"bill_depth_mm"},
      {"flipper_length_mm"},        {"sex", Family::categorical},    {"body_mass_g"},
      {"year", Family::categorical}};
  Table::Parts parts{.schema = Schema(features),
                     .values = Matrix(csv.size(), static_cast<Index>(features.size())),
                     .labels = csv.column("species"),
                     .weights = {},
                     .levels = std::vector<std::vector<std::string>>(features.size())};
  for (std::size_t j = 0; j < features.size(); ++j) {
    const auto cells = csv.column(features[j].name);
    auto& levels = parts.levels[j];
    for (std::size_t i = 0; i < cells.size(); ++i) {
      double& value = parts.values(static_cast<Index>(i), static_cast<Index>(j));
      if (cells[i].empty()) {
        value = testing::missing;
      } else if (features[j].family == Family::gaussian) {
        value = testing::number(cells[i]);
      } else {
        const auto at = std::find(levels.begin(), levels.end(), cells[i]);
        value = static_cast<double>(at - levels.begin());
        if (at == levels.end()) levels.push_back(cells[i]);
      }
    }
  }
  const Table t(std::move(parts));
  for (const Covariance structure : all_structures)
    for (const Normalize normalize : {Normalize::mle, Normalize::unbiased})
      for (const double smoothing : {0.0, 1.0}) {
        SCOPED_TRACE(std::string(to_string(structure)) + ", " + std::string(to_string(normalize)) +
                     ", smoothing " + std::to_string(smoothing));
        expect_same(t, t, every(t.rows(), 3),
                    {.covariance = structure,
                     .normalize = normalize,
                     .smoothing = smoothing,
                     .shrinkage = Shrinkage::none()},
                    1e-12);
      }
}

}  // namespace
}  // namespace suffice::slow_test
