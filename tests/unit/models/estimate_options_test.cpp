// The table of options: every row reads what it writes, refuses nonsense, and has its words.

#include "suffice/models/estimate_options.hpp"

#include <gmock/gmock.h>

#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

EstimateOptions with(std::string_view name, std::string_view text) {
  EstimateOptions options;
  estimate_option(name).set(options, text);
  return options;
}

/// The words among "auto|loo|oas|NUMBER" that are values themselves.
std::vector<std::string> words_of(const EstimateOption& option) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= option.values.size();) {
    const std::size_t end = std::min(option.values.find('|', begin), option.values.size());
    const std::string word(option.values.substr(begin, end - begin));
    const bool needs_rows =
        word == "loo" ||
        (word == "auto" &&
         (option.name == "covariance" || option.name == "tails" || option.name == "shrink_means"));
    if (std::islower(static_cast<unsigned char>(word[0])) && !needs_rows) words.push_back(word);
    begin = end + 1;
  }
  return words;
}

TEST(EstimateOptionTable, RowsReadWhatTheyWrite) {
  for (const EstimateOption& option : estimate_options()) {
    SCOPED_TRACE(option.name);
    std::vector<std::string> texts = words_of(option);
    if (texts.empty() || option.values.ends_with("NUMBER"))
      texts.insert(texts.end(), {"1", "0.25"});
    if (option.name == "lda" || option.name == "keep") texts = {"1", "7"};
    if (option.name == "pca") texts = {"7", "90%", "100%"};
    if (option.name == "pooling") texts = {"1,0.25"};
    if (option.name == "shrinkage") texts.emplace_back("12.5 rows");
    if (option.name == "tails") texts = {"normal", "30", "2.5"};
    if (option.name == "components") texts = {"auto", "1", "4"};
    if (option.name == "shrink_means") texts = {"0", "1", "4.34"};
    if (option.name == "min_rows" || option.name == "max_words") texts = {"5", "50000"};
    for (const std::string& text : texts) EXPECT_EQ(option.text(with(option.name, text)), text);
    EXPECT_TRUE(option.is_default(with(option.name, option.default_text)));
    EXPECT_TRUE(option.is_default(EstimateOptions()));
    EXPECT_TRUE(option.is_default(resolve({})));
  }
}

TEST(EstimateOptionTable, RowsRefuseNonsenseByTheirName) {
  for (const EstimateOption& option : estimate_options())
    for (const char* nonsense : {"", "often", "0.2x", "1,-"})
      EXPECT_THAT(message_of<InvalidArgument>([&] { with(option.name, nonsense); }),
                  HasSubstr(std::string(option.name)))
          << option.name << " " << nonsense;
  EXPECT_THAT(message_of<InvalidArgument>([] { estimate_option("colour"); }), HasSubstr("colour"));
}

TEST(EstimateOptionTable, RowsChangeTheirOwnMemberAlone) {
  for (const EstimateOption& option : estimate_options())
    for (const std::string& word : words_of(option)) {
      const EstimateOptions changed = with(option.name, word);
      for (const EstimateOption& other : estimate_options()) {
        if (other.name == option.name) continue;
        EXPECT_TRUE(other.is_default(changed)) << other.name;
      }
    }
}

TEST(EstimateOptionTable, HasWords) {
  for (const EstimateOption& option : estimate_options()) {
    EXPECT_FALSE(option.values.empty());
    EXPECT_FALSE(option.default_text.empty());
    EXPECT_TRUE(option.description.ends_with('.')) << option.name;
  }
}

TEST(EstimateOptionTable, ListsWhatProgramsAreTold) {
  std::vector<std::string> names, texts;
  for (const auto& [name, value] :
       listed(resolve({.smoothing = 0.5, .pca = Pca{.share = 0.9}, .lda = 2}))) {
    names.emplace_back(name);
    texts.push_back(to_string(value));
  }
  EXPECT_THAT(names, ElementsAre("pca", "lda", "covariance", "shrinkage", "estimate", "normalize",
                                 "smoothing"));
  EXPECT_THAT(texts, ElementsAre("90%", "2", "full", "auto", "plugin", "mle", "0.5"));
}

TEST(EstimateOptions, StandardiseFeaturesOfPrincipalComponentsOnly) {
  EXPECT_FALSE(resolve({.standardize = true}).standardize);
  const EstimateOptions asked = resolve({.pca = Pca{.components = 3}, .standardize = true});
  EXPECT_TRUE(asked.standardize);
  EXPECT_TRUE(components_of(asked)->standardize);
  EXPECT_EQ(resolve({.pca = Pca{.components = 3, .standardize = true}}), asked);
  EXPECT_EQ(resolve(asked), asked);
}

TEST(Shrinkage, HasTexts) {
  EXPECT_EQ(Shrinkage(), Shrinkage::automatic());
  EXPECT_EQ(with("shrinkage", "auto").shrinkage, Shrinkage::automatic());
  EXPECT_EQ(with("shrinkage", "oas").shrinkage, Shrinkage::oas());
  EXPECT_EQ(with("shrinkage", "0").shrinkage, Shrinkage::none());
  EXPECT_EQ(with("shrinkage", "0.25").shrinkage, Shrinkage::share(0.25));
  EXPECT_EQ(with("shrinkage", "12.5 rows").shrinkage, Shrinkage::rows(12.5));
  EXPECT_EQ(with("shrinkage", "1 row").shrinkage, Shrinkage::rows(1));
  EXPECT_EQ(to_string(Shrinkage::rows(1)), "1 row");
  EXPECT_THAT(message_of([] { with("shrinkage", "loo"); }), HasSubstr("only fit does"));
  for (const char* wrong : {"", "often", "0.2x", "x rows"})
    EXPECT_THAT(message_of([&] { with("shrinkage", wrong); }), HasSubstr("auto, loo, oas"));
}

}  // namespace
}  // namespace suffice
