// The same data through other people's programs: scikit-learn and SciPy (make_sklearn.py). Counts
// of errors are equal; joint log-probabilities agree to 1e-12, Poisson ones, which have log x!, to
// 1e-11.

#include "peers.hpp"

namespace suffice::testing {
namespace {

/// Integers 0 … 15 as categories, all sixteen known for every feature.
TEST(Letter, CategoriesOfScikitLearn) {
  SUFFICE_NEEDS_DATA("letter.csv.gz");
  const LabelledNumbers data = read_numbers("letter.csv.gz", "letter");
  const LabelledNumbers train = rows_of(data, 0, 16000), test = rows_of(data, 16000, 20000);
  std::vector<Feature> features;
  for (const auto& name : data.names) {
    features.push_back({.name = name, .family = Family::categorical});
    for (int level = 0; level < 16; ++level)
      features.back().levels.push_back(std::to_string(level));
  }
  Statistics stats{Schema(features)};
  stats.update(RowBlock(train.x, train.labels));
  const Model model = estimate(stats, {.smoothing = 1});
  const json& expected = peers("sklearn.json").at("letter").at("categorical");
  EXPECT_EQ(errors(model, train), expected.at("errors"));
  EXPECT_EQ(errors(model, test), expected.at("test_errors"));
  const Matrix L = log_likelihood(model, RowBlock(test.x)).values;
  const Priors priors = Priors::from_counts(model);
  expect_rows(
      peers("sklearn.json").at("letter").at("rows"), expected.at("joint"),
      [&](Index i, Index c) { return L(i, c) + priors.log()[c]; }, 1e-12, 0);
}

TEST(Optdigits, PoissonCountsOfScipy) {
  SUFFICE_NEEDS_DATA("optdigits_train.csv.gz");
  const LabelledNumbers train = read_numbers("optdigits_train.csv.gz", "digit");
  const LabelledNumbers test = read_numbers("optdigits_test.csv.gz", "digit");
  const json& expected = peers("sklearn.json").at("optdigits").at("poisson");
  // Pixels that never had ink have rate 0 in every class, and are left out there as here.
  const auto kept = expected.at("kept").get<std::vector<Index>>();
  const auto columns = [&](const LabelledNumbers& data) {
    Matrix x(data.x.rows(), static_cast<Index>(kept.size()));
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < x.cols(); ++j) x(i, j) = data.x(i, kept[static_cast<std::size_t>(j)]);
    return x;
  };
  const Matrix x = columns(train), xt = columns(test);
  Statistics stats(Schema::numbered(x.cols(), Family::poisson));
  stats.update(RowBlock(x, train.labels));
  const Model model = estimate(stats, {.smoothing = 1});
  const Matrix L = log_likelihood(model, RowBlock(xt)).values;
  expect_rows(
      expected.at("rows"), expected.at("log_likelihood"), [&](Index i, Index c) { return L(i, c); },
      1e-11, 0);
  const auto best = best_class(model, RowBlock(xt));
  int wrong = 0;
  for (std::size_t i = 0; i < best.size(); ++i) wrong += model.labels()[best[i]] != test.labels[i];
  EXPECT_EQ(wrong, expected.at("test_errors"));
}

TEST(Spambase, BernoulliWordsOfScikitLearn) {
  SUFFICE_NEEDS_DATA("spambase.csv.gz");
  const Split data = spambase(true);
  Statistics stats(Schema::numbered(data.train.x.cols(), Family::bernoulli));
  stats.update(RowBlock(data.train.x, data.train.labels));
  const Model model = estimate(stats, {.smoothing = 1});
  const json& expected = peers("sklearn.json").at("spambase");
  EXPECT_EQ(errors(model, data.train), expected.at("bernoulli").at("errors"));
  EXPECT_EQ(errors(model, data.test), expected.at("bernoulli").at("test_errors"));
  const Matrix L = log_likelihood(model, RowBlock(data.test.x)).values;
  const Priors priors = Priors::from_counts(model);
  expect_rows(
      expected.at("rows"), expected.at("bernoulli").at("joint"),
      [&](Index i, Index c) { return L(i, c) + priors.log()[c]; }, 1e-12, 0);
}

/// Sparse rows of word counts; a word is a run of ASCII letters and digits, in lower case.
struct Documents {
  std::vector<std::int32_t> start{0}, word;
  std::vector<double> count;
  std::vector<std::string> labels;

  void add(const std::map<std::int32_t, double>& words, const std::string& label) {
    for (const auto& [w, n] : words) {
      word.push_back(w);
      count.push_back(n);
    }
    start.push_back(static_cast<std::int32_t>(word.size()));
    labels.push_back(label);
  }
  SparseView view(Index words) const {
    return {static_cast<Index>(labels.size()), words, start.data(), word.data(), count.data()};
  }
};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if ((lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9'))
      words.back() += lower;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

TEST(Sms, MultinomialWordsOfScikitLearn) {
  SUFFICE_NEEDS_DATA("sms_spam.csv.gz");
  const Csv csv = read_csv("sms_spam.csv.gz");
  const json& expected = peers("sklearn.json").at("sms");
  std::map<std::string, std::int32_t> vocabulary;
  std::vector<std::vector<std::string>> texts;
  for (const auto& text : csv.column("text")) {
    texts.push_back(words_of(text));
    for (const auto& word : texts.back()) vocabulary.emplace(word, 0);
  }
  std::int32_t next = 0;
  for (auto& [word, number] : vocabulary) number = next++;
  const Index d = next;
  ASSERT_EQ(d, expected.at("words").get<Index>());
  Documents train, test;
  const auto labels = csv.column("label");
  double total = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::map<std::int32_t, double> counts;
    for (const auto& word : texts[i]) ++counts[vocabulary[word]];
    total += static_cast<double>(texts[i].size());
    (i % 5 ? train : test).add(counts, labels[i]);
  }
  ASSERT_EQ(total, expected.at("total").get<double>());
  Statistics stats(Schema::numbered(d, Family::multinomial));
  stats.update(RowBlock(train.view(d), train.labels));
  const Model model = estimate(stats, {.smoothing = 1});
  EXPECT_EQ(errors(model, RowBlock(train.view(d)), train.labels), expected.at("errors"));
  EXPECT_EQ(errors(model, RowBlock(test.view(d)), test.labels), expected.at("test_errors"));
  const Matrix L = log_likelihood(model, RowBlock(test.view(d))).values;
  const Priors priors = Priors::from_counts(model);
  expect_rows(
      expected.at("rows"), expected.at("joint"),
      [&](Index i, Index c) { return L(i, c) + priors.log()[c]; }, 1e-12, 0);
}

// ---- Census: eight categorical columns, an empty cell taken as a level of its own

TEST(Adult, CategoriesOfScikitLearn) {
  SUFFICE_NEEDS_DATA("adult_train.csv.gz");
  const json& expected = peers("sklearn.json").at("adult");
  const auto names = expected.at("features").get<std::vector<std::string>>();
  const auto columns = [&](const Csv& csv) {
    std::vector<std::vector<std::string>> cells;
    for (const auto& name : names) {
      cells.push_back(csv.column(name));
      for (auto& cell : cells.back())
        if (cell.empty()) cell = "(none)";
    }
    return cells;
  };
  const Csv train_csv = read_csv("adult_train.csv.gz"), test_csv = read_csv("adult_test.csv.gz");
  const auto train = columns(train_csv), test = columns(test_csv);
  std::vector<Feature> features;
  for (std::size_t j = 0; j < names.size(); ++j) {
    std::vector<std::string> cells = train[j];
    cells.insert(cells.end(), test[j].begin(), test[j].end());
    const Names levels{std::move(cells)};
    EXPECT_EQ(levels.size(), expected.at("levels")[j].get<Index>());
    features.push_back({.name = names[j], .family = Family::categorical, .levels = levels.list()});
  }
  const auto view = [](const std::vector<std::vector<std::string>>& cells) {
    RowBlock rows(static_cast<Index>(cells[0].size()));
    for (const auto& column : cells) rows.feature(column);
    return rows;
  };
  const auto labels = train_csv.column("income"), test_labels = test_csv.column("income");
  Statistics stats{Schema(features)};
  stats.update(view(train).labels(labels));
  const Model model = estimate(stats, {.smoothing = 1});
  EXPECT_EQ(errors(model, view(train), labels), expected.at("errors"));
  EXPECT_EQ(errors(model, view(test), test_labels), expected.at("test_errors"));
  const Matrix L = log_likelihood(model, view(test)).values;
  const Priors priors = Priors::from_counts(model);
  expect_rows(
      expected.at("rows"), expected.at("joint"),
      [&](Index i, Index c) { return L(i, c) + priors.log()[c]; }, 1e-12, 0);
}

}  // namespace
}  // namespace suffice::testing
