// Hints about a best candidate that stands at the end of its list.

#include "select/list_ends.hpp"

#include <gmock/gmock.h>

namespace suffice::list_ends_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Selection, SaysWhereTheBestStandsAtTheEndOfAList) {
  const auto hints = [](const std::vector<EstimateOptions>& options, Index best) {
    Selection selection;
    for (const EstimateOptions& of : options)
      selection.candidates.push_back({.options = resolve(of)});
    selection.best = best;
    return list_ends(selection, {.features = 30, .numbers = 30, .classes = 3});
  };
  const auto share = [](double value) {
    return EstimateOptions{.covariance = Covariance::tied, .shrinkage = Shrinkage::share(value)};
  };
  EXPECT_THAT(hints({share(0.1), share(0.3), share(0.5)}, 0),
              ElementsAre("the best shrinkage, 0.1, is the smallest that was compared: try smaller "
                          "ones as well, such as 0.033"));
  EXPECT_THAT(hints({share(0.1), share(0.5)}, 1),
              ElementsAre(HasSubstr("largest that was compared: try larger ones as well, such as "
                                    "0.75")));
  EXPECT_THAT(hints({share(0), share(0.1), share(0.5)}, 1), ElementsAre());
  EXPECT_THAT(hints({share(0), share(0.1)}, 0), ElementsAre());  // nothing is below 0
  EXPECT_THAT(hints({share(0.5), share(1)}, 1), ElementsAre());
  EXPECT_THAT(hints({share(0.1)}, 0), ElementsAre());
  const auto components = [](Index count) {
    return EstimateOptions{.pca = Pca{.components = count}};
  };
  EXPECT_THAT(hints({components(5), components(10)}, 1), ElementsAre(HasSubstr("such as 20")));
  EXPECT_THAT(hints({components(5), components(20)}, 1), ElementsAre(HasSubstr("such as 30")));
  EXPECT_THAT(hints({components(5), components(30)}, 1), ElementsAre());      // all of them
  EXPECT_THAT(hints({components(5), components(10), {}}, 1), ElementsAre());  // none is all of them
  const auto keeping = [](Index count) { return EstimateOptions{.keep = count}; };
  EXPECT_THAT(hints({keeping(5), keeping(10)}, 1), ElementsAre(HasSubstr("such as 20")));
  EXPECT_THAT(hints({keeping(5), keeping(30)}, 1), ElementsAre());
  EXPECT_THAT(hints({keeping(5), keeping(10), {}}, 1), ElementsAre());
}

}  // namespace
}  // namespace suffice::list_ends_test
