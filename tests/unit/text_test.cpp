// Text columns from C++: vocabularies, sums, estimates worked by hand, and what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
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
