// Text columns from C++: vocabularies, sums, estimates worked by hand, and what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "suffice/suffice.hpp"
#include "support/message_of.hpp"

namespace suffice::text_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

using List = std::vector<std::string>;

RowBlock block(const List& documents, const List& labels) {
  RowBlock rows(static_cast<Index>(documents.size()));
  rows.feature(Column(Strings(documents))).labels(labels);
  return rows;
}

Schema schema(const char* options = "words") {
  return Schema({{.name = "t", .family = Family::text, .text = text_options_from_string(options)}});
}

const List documents{"a b a", "b c", "", "c c c d"};
const List labels{"x", "x", "y", "y"};

Statistics sums(const char* options = "words") {
  Statistics result{schema(options)};
  result.update(block(documents, labels));
  return result;
}

const TextStatistics& text_of(const Statistics& statistics) {
  return std::get<TextStatistics>(statistics.blocks()[0]);
}

double count(const Statistics& statistics, Index label, const char* word) {
  const TextStatistics& text = text_of(statistics);
  return text.count[0](label, text.words[0].find(word));
}

TEST(Words, JoinByNameAndKeepTheirNumbers) {
  Words a(List{"one", "two"});
  const Words before = a;
  const Words b(List{"three", "two", "four"});
  EXPECT_THAT(a.positions_of(b), ElementsAre(-1, 1, -1));
  EXPECT_THAT(a.join(b), ElementsAre(2, 1, 3));
  EXPECT_THAT(a.list(), ElementsAre("one", "two", "three", "four"));
  EXPECT_EQ(before.size(), 2);  // a copy does not grow with the original
  EXPECT_EQ(a.find("four"), 3);
  EXPECT_EQ(a.find("five"), -1);
  EXPECT_TRUE(a == Words(List{"one", "two", "three", "four"}));
  EXPECT_FALSE(a == before);
  EXPECT_THAT(message_of<InvalidArgument>([] {
                Words(List{"same", "same"});
              }),
              HasSubstr("the word 'same' comes twice"));
}

TEST(Text, SumsCountWordsAndDocuments) {
  const Statistics statistics = sums();
  EXPECT_THAT(text_of(statistics).words[0].list(), ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(text_of(statistics).count[0], (Matrix{{2, 2, 1, 0}, {0, 0, 3, 1}}));
  EXPECT_EQ(text_of(statistics).rows[0], (Matrix{{1, 2, 1, 0}, {0, 0, 1, 1}}));
  EXPECT_EQ(text_of(statistics).weight, (Matrix{{2}, {2}}));
  EXPECT_EQ(text_of(sums("words presence")).count[0], text_of(statistics).rows[0]);
}

/// Documents whose words are counted by a map, in order of arrival; so many that they need lanes.
class ManyDocuments : public ::testing::Test {
 protected:
  ManyDocuments() {
    std::uint64_t state = 7;
    const auto draw = [&](std::uint64_t below) {
      state = state * 6364136223846793005 + 1442695040888963407;
      return (state >> 33) % below;
    };
    for (int i = 0; i < 20000; ++i) {
      labels_.push_back(std::string(1, static_cast<char>('a' + draw(3))));
      std::map<std::string, int> of_document;
      std::string document;
      for (std::uint64_t k = draw(12); k > 0; --k) {
        const std::uint64_t rank = draw(1 + draw(900));
        std::string word = "w" + std::to_string(rank);
        if (rank % 7 == 0) word += "longer_than_a_slot_has_room_for";
        if (of_document[word]++ == 0 && !number_.contains(word))
          number_.emplace(word, names_.size()), names_.push_back(word);
        document += word + (draw(3) == 0 ? ", " : " ");
      }
      const auto label = static_cast<std::size_t>(labels_.back()[0] - 'a');
      for (const auto& [word, count] : of_document) {
        counts_[word][label] += count;
        rows_[word][label] += 1;
      }
      documents_.push_back(document);
    }
  }
  Statistics summed(const char* options, int threads, bool weighted = false) const {
    const std::vector<double> ones(documents_.size(), 1.0);
    RowBlock rows = block(documents_, labels_);
    if (weighted) rows.weights(ones);
    Statistics result{schema(options)};
    result.update(rows, Execution{.threads = threads});
    return result;
  }

  List documents_, labels_, names_;
  std::map<std::string, std::size_t> number_;
  std::map<std::string, std::array<int, 3>> counts_, rows_;
};

TEST_F(ManyDocuments, AreCountedAsAMapCountsThem) {
  for (const int threads : {1, 2, 5}) {
    const Statistics statistics = summed("words", threads),
                     once = summed("words presence", threads);
    const TextStatistics& text = text_of(statistics);
    EXPECT_EQ(text.words[0].list(), names_);
    for (std::size_t i = 0; i < names_.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c) {
        const auto row = static_cast<Index>(c), word = static_cast<Index>(i);
        ASSERT_EQ(text.count[0](row, word), counts_.at(names_[i])[c]) << names_[i];
        ASSERT_EQ(text.rows[0](row, word), rows_.at(names_[i])[c]) << names_[i];
        ASSERT_EQ(text_of(once).count[0](row, word), rows_.at(names_[i])[c]) << names_[i];
      }
  }
}

TEST_F(ManyDocuments, HaveTheSameSumsWithWeightsOfOne) {
  for (const char* options : {"words", "words presence", "words hash-bits:6", "words hash-bits:21"})
    for (const int threads : {1, 3})
      EXPECT_TRUE(summed(options, threads) == summed(options, 2, true)) << options;
}

TEST(Text, AMissingDocumentIsNoEmptyOne) {
  const std::vector<std::uint8_t> valid{0b1011};
  RowBlock rows(4);
  rows.feature(Column(Strings(documents), {valid.data(), 0})).labels(labels);
  Statistics statistics{schema()};
  statistics.update(rows);
  EXPECT_EQ(text_of(statistics).weight, (Matrix{{2}, {1}}));
  EXPECT_EQ(statistics.missing()[0], 1);
  EXPECT_THAT(message_of<DataError>([&] {
                Statistics(schema()).update(rows, UpdateOptions{.missing = Missing::refuse});
              }),
              HasSubstr("row 2"));
}

// McCallum and Nigam (1998), worked by hand for the table above.
TEST(Text, EventModelsByHand) {
  const Statistics statistics = sums();
  const List new_document{"c d d new"};
  RowBlock row(1);
  row.feature(Column(Strings(new_document)));

  const Matrix multinomial = log_likelihood(estimate(statistics), row).values;
  EXPECT_NEAR(multinomial(0, 0), std::log(2. / 9) + 2 * std::log(1. / 9), 1e-14);
  EXPECT_NEAR(multinomial(0, 1), std::log(4. / 8) + 2 * std::log(2. / 8), 1e-14);

  const Matrix complement =
      log_likelihood(estimate(statistics, {.event_model = EventModel::complement}), row).values;
  EXPECT_NEAR(complement(0, 0), -std::log(4. / 8) - 2 * std::log(2. / 8), 1e-14);
  EXPECT_NEAR(complement(0, 1), -std::log(2. / 9) - 2 * std::log(1. / 9), 1e-14);

  // x: a 2/4, b 3/4, c 2/4, d 1/4; y: a 1/4, b 1/4, c 2/4, d 2/4.
  const Matrix bernoulli =
      log_likelihood(estimate(statistics, {.event_model = EventModel::bernoulli}), row).values;
  EXPECT_NEAR(bernoulli(0, 0), std::log(.5 * .25 * .5 * .25), 1e-14);
  EXPECT_NEAR(bernoulli(0, 1), std::log(.75 * .75 * .5 * .5), 1e-14);

  const Matrix half = log_likelihood(estimate(statistics, {.length_power = 0.5}), row).values;
  EXPECT_NEAR(half(0, 1), multinomial(0, 1) / std::sqrt(3), 1e-14);

  // idf of c: 1 + ln(5/3), of d: 1 + ln(5/2); counts 3 and 1 of y, none of a and b.
  const double c = 1 + std::log(5. / 3), d = 1 + std::log(5. / 2), all = 3 * c + d + 4;
  const Matrix idf = log_likelihood(estimate(statistics, {.idf = true}), row).values;
  EXPECT_NEAR(idf(0, 1), c * std::log((3 * c + 1) / all) + 2 * d * std::log((d + 1) / all), 1e-13);
}

TEST(Text, PruningBelongsToTheEstimate) {
  const auto words = [](const EstimateOptions& options) {
    return std::get<TextDensity>(estimate(sums(), options).densities()[0]).words[0].list();
  };
  EXPECT_THAT(words({.min_rows = 2}), ElementsAre("b", "c"));
  EXPECT_THAT(words({.max_words = 1}), ElementsAre("c"));
  EXPECT_THAT(words({.max_words = 2}), ElementsAre("a", "c"));  // a and b: by name
  // A word that is in no row any more is unknown, and its place is not smoothed.
  Statistics part{schema()};
  part.update(block({"c c c d"}, {"y"}));
  const Statistics rest = subtract(sums(), part).rest;
  EXPECT_EQ(text_of(rest).words[0].size(), 4);
  EXPECT_EQ(count(rest, 1, "c"), 0);
  const Model model = estimate(rest);
  EXPECT_THAT(std::get<TextDensity>(model.densities()[0]).words[0].list(),
              ElementsAre("a", "b", "c"));
}

TEST(Text, UnknownWordsAreCounted) {
  const List asked{"a new newer", "b"};
  RowBlock rows(2);
  rows.feature(Column(Strings(asked)));
  const LogLikelihoods scores = log_likelihood(estimate(sums()), rows);
  EXPECT_THAT(scores.unknown_levels, ElementsAre(2));
}

TEST(Text, HashedWordsKeepTheHeaviest) {
  const Statistics statistics = sums("words hash-bits:4");
  const TextStatistics& text = text_of(statistics);
  EXPECT_LE(text.words[0].size(), 16);
  double total = 0;
  for (Index i = 0; i < text.words[0].size(); ++i)
    total += text.count[0](0, i) + text.count[0](1, i);
  EXPECT_EQ(total, 9);
  ASSERT_EQ(text.heaviest.size(), 1u);
  EXPECT_EQ(std::ssize(text.heaviest[0]), text.words[0].size());
  EXPECT_THAT(text.heaviest[0], ::testing::Contains("c"));
  const Statistics merged = merge(statistics, statistics);
  EXPECT_EQ(text_of(merged).heaviest, text.heaviest);
}

TEST(Text, MultinomialColumnsHaveTheSameOptions) {
  const Schema counts({{"a", Family::multinomial},
                       {"b", Family::multinomial},
                       {"c", Family::multinomial},
                       {"d", Family::multinomial}});
  const Matrix x{{2, 1, 0, 0}, {0, 1, 1, 0}, {0, 0, 0, 0}, {0, 0, 3, 1}};
  Statistics statistics(counts);
  statistics.update(RowBlock(MatrixView(x), Column(labels)));
  const List new_document{"c d d"};
  RowBlock text(1);
  text.feature(Column(Strings(new_document)));
  const Matrix numbers{{0, 0, 1, 2}};
  const std::int32_t start[] = {0, 2}, column[] = {2, 3};
  const double value[] = {1, 2};
  for (const EstimateOptions& options :
       {EstimateOptions{.event_model = EventModel::complement},
        EstimateOptions{.length_power = 0.5},
        EstimateOptions{.event_model = EventModel::complement, .length_power = 0}}) {
    const Matrix expected = log_likelihood(estimate(sums(), options), text).values;
    const Model model = estimate(statistics, options);
    const Matrix dense = log_likelihood(model, numbers).values;
    const Matrix sparse = log_likelihood(model, SparseView(1, 4, start, column, value)).values;
    for (Index c = 0; c < 2; ++c) {
      EXPECT_NEAR(dense(0, c), expected(0, c), 1e-13);
      EXPECT_NEAR(sparse(0, c), expected(0, c), 1e-13);
    }
  }
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { estimate(statistics, {.event_model = EventModel::bernoulli}); }),
              HasSubstr("event model 'bernoulli'"));
}

TEST(Text, ImpossibleOptionsAndModelsAreRefused) {
  EXPECT_THAT(message_of<InvalidArgument>(
                  [] { estimate(sums(), {.smoothing = 0, .event_model = EventModel::bernoulli}); }),
              HasSubstr("needs pseudo-counts"));
  EXPECT_THAT(
      message_of<InvalidArgument>([] { estimate(sums(), {.inference = Inference::bayes}); }),
      HasSubstr("posterior predictive"));
  EXPECT_THAT(message_of<InvalidArgument>([] {
                sample(estimate(sums(), {.event_model = EventModel::complement}), 1, "x");
              }),
              HasSubstr("no density"));
  EXPECT_THAT(message_of<InvalidArgument>([] { LeaveOneOut(sums(), {.min_rows = 2}); }),
              HasSubstr("Choose a number of folds"));
  EXPECT_THAT(message_of<InvalidArgument>([] { merge(sums(), sums("words ngrams:1-2")); }),
              HasSubstr("the words of feature 't'"));
}

}  // namespace
}  // namespace suffice::text_test
