#include "suffice/models/model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suffice/core/error.hpp"
#include "unit/make_statistics.hpp"

namespace suffice::model_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::nan;
using testing::thrown_by;

TEST(Covariance, HasTheNamesOfTheOutside) {
  const std::vector<std::pair<Covariance, std::string>> names{
      {Covariance::full, "full"},           {Covariance::tied, "tied"},
      {Covariance::diag, "diag"},           {Covariance::tied_diag, "tied-diag"},
      {Covariance::spherical, "spherical"}, {Covariance::tied_spherical, "tied-spherical"}};
  for (const auto& [value, name] : names) {
    EXPECT_EQ(to_string(value), name);
    EXPECT_EQ(covariance_from_string(name), value);
    EXPECT_EQ(is_tied(value), name.starts_with("tied")) << name;
  }
  const auto error = thrown_by<InvalidArgument>([] { covariance_from_string("tied_diag"); });
  EXPECT_THAT(error.what(), AllOf(HasSubstr("'tied_diag'"), HasSubstr("tied-diag")));
}

Model::Parts two_classes() {
  return {.schema = Schema::numbered(2),
          .labels = {"a", "b"},
          .weights = {},
          .densities = {GaussianDensity{.structure = Covariance::tied,
                                        .mean = {{0, 0}, {1, 2}},
                                        .covariance = {{{4, 2}, {2, 5}}}}}};
}
GaussianDensity& gaussian(Model::Parts& parts) {
  return std::get<GaussianDensity>(parts.densities[0]);
}
std::string invalid(const Model::Parts& parts) {
  return thrown_by<InvalidArgument>([&] { Model{parts}; }).what();
}

TEST(Model, KeepsGivenParametersAndHasUnitWeights) {
  const Model model(two_classes());
  EXPECT_EQ(model.weights(), (Vector{1, 1}));
  EXPECT_EQ(std::get<GaussianDensity>(model.densities()[0]).mean, (Matrix{{0, 0}, {1, 2}}));
  Model::Parts other = two_classes();
  gaussian(other).mean(1, 1) = 3;
  EXPECT_EQ(model, Model(two_classes()));
  EXPECT_FALSE(model == Model(other));
}

TEST(Model, RefusesShapesThatDoNotFit) {
  Model::Parts parts = two_classes();
  parts.labels = {};
  EXPECT_THAT(invalid(parts), HasSubstr("at least one class"));

  parts = two_classes();
  gaussian(parts).mean = {{0, 0}};
  EXPECT_THAT(invalid(parts), AllOf(HasSubstr("mean"), HasSubstr("2 × 2"), HasSubstr("1 × 2")));

  parts = two_classes();
  gaussian(parts).structure = Covariance::full;
  EXPECT_THAT(invalid(parts), AllOf(HasSubstr("'full'"), HasSubstr("2 matrices")));

  parts = two_classes();
  gaussian(parts).structure = Covariance::tied_spherical;
  EXPECT_THAT(invalid(parts), HasSubstr("1 × 1"));

  parts = two_classes();
  gaussian(parts).constant = {2};
  EXPECT_THAT(invalid(parts), HasSubstr("constant"));

  parts = two_classes();
  parts.densities.clear();
  EXPECT_THAT(invalid(parts), HasSubstr("a density for each"));

  parts = two_classes();
  parts.densities = {BernoulliDensity{{{0.5, 0.5}, {0.5, 0.5}}}};
  EXPECT_THAT(invalid(parts), HasSubstr("'gaussian'"));
}

TEST(Model, RefusesWeightsThatCannotBe) {
  Model::Parts parts = two_classes();
  parts.weights = {1};
  EXPECT_THAT(invalid(parts), HasSubstr("2 classes"));
  parts.weights = {1, -1};
  EXPECT_THAT(invalid(parts), AllOf(HasSubstr("'b'"), HasSubstr("-1")));
  parts.weights = {1, nan};
  EXPECT_THAT(invalid(parts), HasSubstr("'b'"));
  parts.weights = {0, 0};
  EXPECT_THAT(invalid(parts), HasSubstr("positive weight"));
}

TEST(Model, RefusesCovariancesThatCannotBe) {
  Model::Parts parts = two_classes();
  gaussian(parts).mean(1, 0) = nan;
  EXPECT_THAT(invalid(parts), AllOf(HasSubstr("class 'b'"), HasSubstr("'x0'")));

  parts = two_classes();
  gaussian(parts).covariance[0](0, 1) = 2.1;
  EXPECT_THAT(invalid(parts), AllOf(HasSubstr("not symmetric"), HasSubstr("2.1")));
  for (const double unit : {1e-9, 1e9}) {  // in any units
    gaussian(parts).covariance[0] = {{4 * unit, 1.01 * unit}, {unit, 9 * unit}};
    EXPECT_THAT(invalid(parts), HasSubstr("not symmetric")) << unit;
  }
  gaussian(parts).covariance[0] = {{INFINITY, 0}, {0, 1}};
  EXPECT_THAT(invalid(parts), HasSubstr("not finite"));

  parts = two_classes();
  gaussian(parts).structure = Covariance::diag;
  gaussian(parts).covariance = {{{1, 1}, {1, -4}}};
  EXPECT_THAT(invalid(parts), HasSubstr("-4"));

  // Not positive definite: a correlation of 3/√2.
  parts = two_classes();
  gaussian(parts).covariance = {{{1, 3}, {3, 2}}};
  const auto tied = thrown_by<SingularError>([&] { Model{parts}; });
  EXPECT_EQ(tied.label(), "");
  EXPECT_EQ(tied.rank(), 1);
  EXPECT_EQ(tied.dimension(), 2);
  EXPECT_THAT(tied.features(), ElementsAre("x1"));
  EXPECT_THAT(tied.what(), HasSubstr("the covariance of all classes has no inverse"));

  parts = two_classes();
  gaussian(parts).structure = Covariance::diag;
  gaussian(parts).covariance = {{{1, 1}, {0, 4}}};
  const auto diag = thrown_by<SingularError>([&] { Model{parts}; });
  EXPECT_EQ(diag.label(), "b");
  EXPECT_EQ(diag.rank(), 1);
  EXPECT_THAT(diag.features(), ElementsAre("x0"));
  EXPECT_THAT(diag.what(),
              AllOf(HasSubstr("class 'b'"), HasSubstr("'x0'"), HasSubstr("tied-diag")));
}

TEST(Model, RefusesProbabilitiesThatCannotBe) {
  Model::Parts parts{.schema = Schema::numbered(2, Family::bernoulli),
                     .labels = {"a", "b"},
                     .weights = {},
                     .densities = {BernoulliDensity{{{0.5, 1}, {0, 1.5}}}}};
  EXPECT_THAT(invalid(parts), AllOf(HasSubstr("class 'b'"), HasSubstr("'x1'"), HasSubstr("1.5")));
  parts.densities = {BernoulliDensity{{{0.5, nan}, {0, 1}}}};
  EXPECT_THAT(invalid(parts), HasSubstr("class 'a'"));

  parts.schema = Schema::numbered(2, Family::multinomial);
  parts.densities = {MultinomialDensity{{{0.5, 0.5}, {0.5, 0.25}}}};
  EXPECT_THAT(invalid(parts), AllOf(HasSubstr("class 'b'"), HasSubstr("sum to 0.75")));
  parts.weights = {1, 0};  // a class without weight needs none
  parts.densities = {MultinomialDensity{{{0.5, 0.5}, {0, 0}}}};
  EXPECT_NO_THROW(Model{parts});

  parts.weights = {};
  parts.schema = Schema::numbered(2, Family::poisson);
  parts.densities = {PoissonDensity{{{1, 2}, {-1, 0}}}};
  EXPECT_THAT(invalid(parts), AllOf(HasSubstr("class 'b'"), HasSubstr("'x0'"), HasSubstr("-1")));

  parts.schema = Schema({{.name = "colour", .family = Family::categorical}});
  parts.densities = {
      CategoricalDensity{.levels = {{"blue", "red"}}, .probability = {{{0.5, 0.5}, {0.5, 0.4}}}}};
  EXPECT_THAT(invalid(parts),
              AllOf(HasSubstr("class 'b'"), HasSubstr("'colour'"), HasSubstr("0.9")));
  parts.densities = {CategoricalDensity{.levels = {{"blue", "red"}}, .probability = {}}};
  EXPECT_THAT(invalid(parts), HasSubstr("levels"));
}

}  // namespace
}  // namespace suffice::model_test
