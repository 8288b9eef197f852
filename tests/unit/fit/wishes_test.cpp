// What FitOptions ask for: what it needs, and what excludes what.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "suffice/fit/fit_options.hpp"
#include "support/message_of.hpp"

namespace suffice::wishes_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using Change = std::function<void(FitOptions&)>;

FitOptions options_with(const std::vector<Change>& changes) {
  FitOptions options;
  for (const Change& change : changes) change(options);
  return options;
}

Change set(std::string name, std::string text) {
  return [=](FitOptions& options) { options.set(name, text); };
}

const Change calibration = [](FitOptions& o) { o.calibrate = true; };
const Change groups = [](FitOptions& o) { o.by_groups = true; };
const Change em = [](FitOptions& o) { o.missing = MissingNumbers::em; };
const Change unlabelled = [](FitOptions& o) { o.use_unlabelled = true; };
const Change transforms = [](FitOptions& o) { o.find_transforms = {"x0"}; };
const Change within = [](FitOptions& o) { o.categories = Categories::within; };
const Change categories = [](FitOptions& o) { o.categories = Categories::automatic; };
const Change with_gaps = [](FitOptions& o) { o.missing_indicators = MissingIndicators::yes; };
const Change gaps = [](FitOptions& o) { o.missing_indicators = MissingIndicators::automatic; };
const Change some_rows = [](FitOptions& o) { o.max_rows = 100; };
const Change full = set("covariance", "full"), naive = set("covariance", "tied-diag"),
             discriminative = set("discriminative", "yes"), mixture = set("components", "2");

struct Need {
  std::vector<Change> wishes;
  Material least;
  bool classes;
  std::string name;
};

/// What the documentation says of each option: whether it reads the rows, and how often.
const Need needs[] = {
    {{}, Material::sums, false, ""},
    {{full}, Material::sums, false, ""},
    {{naive, set("shrink_means", "2")}, Material::sums, false, ""},
    {{set("keep", "2")}, Material::sums, true, "keep"},
    {{set("keep_above", "0.5")}, Material::sums, true, "keep_above"},
    {{set("covariance", "auto")}, Material::sums, true, "covariance 'auto'"},
    {{full, set("tails", "auto")}, Material::sample, true, "tails 'auto'"},
    {{calibration}, Material::sample, true, "calibration 'auto'"},
    {{full, calibration}, Material::rows, true, "calibration 'auto'"},
    {{full, set("shrinkage", "loo")}, Material::rows, true, "shrinkage 'loo'"},
    {{naive, set("shrink_means", "auto")}, Material::rows, true, "shrink_means 'auto'"},
    {{transforms}, Material::rows_once, true, "transforms 'auto'"},
    {{categories}, Material::rows_once, true, "categories 'auto'"},
    {{within}, Material::rows_once, false, "categories 'within'"},
    {{gaps}, Material::rows_once, true, "missing_indicators 'auto'"},
    {{with_gaps}, Material::rows_once, false, "missing_indicators 'yes'"},
    {{groups}, Material::rows, true, "fold_column"},
    {{em}, Material::rows, false, "missing 'em'"},
    {{mixture}, Material::rows_kept, false, "components"},
    {{unlabelled}, Material::rows_kept, false, "unlabelled 'use'"},
    {{discriminative}, Material::rows_kept, true, "discriminative 'yes'"},
    {{some_rows}, Material::rows_once, false, "max_rows"},
};

TEST(Wishes, NeedRowsOrNot) {
  for (const Need& need : needs) {
    const FitOptions options = options_with(need.wishes);
    for (int k = 0; k <= static_cast<int>(Material::rows); ++k) {
      const auto material = static_cast<Material>(k);
      if (material >= need.least) {
        EXPECT_NO_THROW(require_possible(options, material)) << need.name << k;
        continue;
      }
      const std::string said =
          message_of<InvalidArgument>([&] { require_possible(options, material, "the pipe"); });
      EXPECT_THAT(said, HasSubstr(need.name)) << k;
      EXPECT_THAT(said, HasSubstr(material <= Material::sample
                                      ? "needs the rows again, and statistics have only their sums"
                                      : "a second time, which the pipe does not allow"))
          << k;
    }
    EXPECT_EQ(needs_classes(options).has_value(), need.classes) << need.name;
    EXPECT_EQ(needs_more_than(Material::sums, options).has_value(), need.least > Material::sums);
  }
}

TEST(Wishes, AreGrantedByRowsThatAreDrawnAndKept) {
  const FitOptions options = options_with({some_rows, full, calibration});
  EXPECT_NO_THROW(require_possible(options, Material::rows_once));
  EXPECT_THROW(require_possible(options, Material::sample), InvalidArgument);
}

TEST(Wishes, AreNamedAsTheyWereAsked) {
  EXPECT_EQ(needs_classes(options_with({transforms}))->text(), "transforms 'auto'");
  EXPECT_EQ(needs_more_than(Material::rows_once, options_with({within}))->text(),
            "categories 'within'");
  EXPECT_FALSE(needs_more_than(Material::rows, options_with({full, calibration, within})));
}

struct Clash {
  std::vector<Change> wishes;
  std::vector<std::string> says;
};

const Clash clashes[] = {
    {{full, set("shrinkage", "loo"), transforms},
     {"shrinkage 'loo' and transforms 'auto'", "name the transformations"}},
    {{full, set("shrinkage", "loo"), categories}, {"shrinkage 'loo' and categories 'auto'"}},
    {{set("covariance", "auto"), set("shrinkage", "loo")},
     {"shrinkage 'loo' and covariance 'auto'", "strengths of its own"}},
    {{full, set("shrinkage", "loo"), groups, calibration}, {"shrinkage 'loo' and fold_column"}},
    {{full, set("shrinkage", "loo"), mixture}, {"shrinkage 'loo' and components"}},
    {{full, set("shrinkage", "loo"), unlabelled}, {"shrinkage 'loo' and unlabelled 'use'"}},
    {{set("shrinkage", "loo"), set("covariance", "diag")}, {"full and tied"}},
    {{set("shrinkage", "loo"), set("pca", "2")}, {"projection"}},
    {{set("keep", "2"), transforms}, {"keep and transforms 'auto'"}},
    {{set("keep_above", "2"), transforms}, {"keep_above and transforms 'auto'"}},
    {{naive, set("shrink_means", "1"), transforms}, {"shrink_means and transforms 'auto'"}},
    {{naive, set("shrink_means", "1"), categories}, {"shrink_means and categories 'auto'"}},
    {{naive, set("shrink_means", "1"), mixture}, {"shrink_means and components"}},
    {{naive, set("shrink_means", "1"), set("tails", "auto")}, {"shrink_means and tails 'auto'"}},
    {{groups, transforms}, {"fold_column and transforms 'auto'", "name the transformations"}},
    {{groups, categories}, {"fold_column and categories 'auto'"}},
    {{mixture, gaps}, {"missing_indicators 'auto' and components", "no value of a column"}},
    {{mixture, with_gaps}, {"missing_indicators 'yes' and components"}},
    {{groups, gaps}, {"fold_column and missing_indicators 'auto'", "choose yes or no"}},
    {{full, set("shrinkage", "loo"), gaps}, {"shrinkage 'loo' and missing_indicators 'auto'"}},
    {{set("keep", "2"), gaps}, {"keep and missing_indicators 'auto'"}},
    {{set("keep", "2"), with_gaps}, {"keep and missing_indicators 'yes'", "by name"}},
    {{set("keep_above", "2"), with_gaps}, {"keep_above and missing_indicators 'yes'"}},
    {{naive, set("shrink_means", "1"), gaps}, {"shrink_means and missing_indicators 'auto'"}},
    {{discriminative, gaps}, {"discriminative 'yes' and missing_indicators 'auto'", "yes or no"}},
    {{full, groups}, {"fold_column has no effect", "chosen or calibrated"}},
    {{discriminative, mixture}, {"discriminative 'yes' and components", "no densities"}},
    {{discriminative, unlabelled}, {"discriminative 'yes' and unlabelled 'use'"}},
    {{discriminative, calibration}, {"discriminative 'yes' and calibration 'auto'"}},
    {{discriminative, set("covariance", "auto")}, {"discriminative 'yes' and covariance 'auto'"}},
    {{discriminative, set("tails", "auto")}, {"discriminative 'yes' and tails 'auto'"}},
    {{discriminative, set("shrinkage", "loo")}, {"discriminative 'yes' and shrinkage 'loo'"}},
    {{discriminative, set("shrink_means", "1")}, {"discriminative 'yes'", "shrink_means"}},
    {{discriminative, transforms}, {"transforms 'auto'"}},
    {{unlabelled, calibration}, {"calibration 'auto' and unlabelled 'use'"}},
    {{unlabelled, some_rows}, {"unlabelled 'use' and max_rows"}},
    {{set("penalty", "1")}, {"penalty is for logistic regression"}},
    {{set("covariance", "diag"), em}, {"missing 'em' is for full and tied covariances"}},
    {{set("covariance", "tied"), set("towards_tied", "0.5")}, {"towards_tied"}},
};

TEST(Wishes, ExcludeEachOther) {
  for (const Clash& clash : clashes) {
    const std::string said = message_of<InvalidArgument>(
        [&] { require_possible(options_with(clash.wishes), Material::rows); });
    for (const std::string& words : clash.says) EXPECT_THAT(said, HasSubstr(words));
  }
}

TEST(FitOptions, AreSetByName) {
  FitOptions options = FitOptions().set("covariance", "tied").set("tails", "auto");
  EXPECT_EQ(options.estimate.covariance, Covariance::tied);
  EXPECT_TRUE(options.is_fixed("covariance"));
  EXPECT_FALSE(options.is_fixed("tails"));
  EXPECT_TRUE(options.chooses());
  EXPECT_FALSE(FitOptions().set("covariance", "full").chooses());
  EXPECT_FALSE(FitOptions().set("shrinkage", "loo").chooses());
  EXPECT_FALSE(FitOptions().set("discriminative", "yes").chooses());
  EXPECT_TRUE(FitOptions().set("shrinkage", "0.5").chooses());
  EXPECT_TRUE(FitOptions().chooses());
  EXPECT_THROW(FitOptions().set("covarianse", "full"), InvalidArgument);
  EXPECT_THROW(FitOptions().set("covariance", "ful"), InvalidArgument);
}

}  // namespace
}  // namespace suffice::wishes_test
