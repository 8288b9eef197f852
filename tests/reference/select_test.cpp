// Cross-validation from sums against the slow way: for each fold the rows of the others are copied
// out, summed up, estimated and made to score the rows of the fold, one candidate at a time; errors
// and log-loss are then counted by hand. Nothing is shared and nothing is merged.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <set>

#include "suffice/score/log_likelihood.hpp"
#include "suffice/select/select.hpp"
#include "support/data.hpp"

namespace suffice::select_test {
namespace {

using testing::data_path;

/// A table in plain C++: numbers and words by column.
struct Table {
  std::vector<Feature> features;
  std::vector<std::vector<double>> numbers;     // of features that are numbers
  std::vector<std::vector<std::string>> words;  // of categorical ones; "" is missing
  std::vector<std::string> labels;
  std::vector<double> weights;
  std::vector<std::string> folds;

  void number(const std::string& name, Family family, std::vector<double> values,
              Transform transform = Transform::none) {
    features.push_back({.name = name, .family = family, .transform = transform});
    numbers.push_back(std::move(values));
    words.emplace_back();
  }
  /// All levels are declared: they are known in every fold.
  void category(const std::string& name, std::vector<std::string> values) {
    std::set<std::string> levels(values.begin(), values.end());
    levels.erase("");
    features.push_back(
        {.name = name, .family = Family::categorical, .levels = {levels.begin(), levels.end()}});
    numbers.emplace_back();
    words.push_back(std::move(values));
  }
  std::size_t rows() const { return labels.size(); }
  Schema schema() const { return Schema(features); }

  Table at(const std::vector<std::size_t>& wanted) const {
    Table part;
    part.features = features;
    for (std::size_t j = 0; j < features.size(); ++j) {
      part.numbers.emplace_back();
      part.words.emplace_back();
      for (const std::size_t i : wanted) {
        if (!numbers[j].empty()) part.numbers[j].push_back(numbers[j][i]);
        if (!words[j].empty()) part.words[j].push_back(words[j][i]);
      }
    }
    for (const std::size_t i : wanted) {
      part.labels.push_back(labels[i]);
      part.weights.push_back(weights[i]);
    }
    return part;
  }

  /// `bits` are the validities of the words.
  RowBlock block(std::vector<std::vector<std::uint8_t>>& bits) const {
    RowBlock result(static_cast<Index>(rows()));
    for (std::size_t j = 0; j < features.size(); ++j) {
      if (!numbers[j].empty()) {
        result.feature(Column(numbers[j]));
        continue;
      }
      auto& valid = bits.emplace_back(rows() / 8 + 1);
      for (std::size_t i = 0; i < rows(); ++i)
        if (!words[j][i].empty())
          valid[i / 8] = static_cast<std::uint8_t>(valid[i / 8] | 1 << i % 8);
      result.feature(Column(Strings(words[j]), Validity{valid.data()}));
    }
    result.labels(Column(labels));
    return result.weights(Column(weights));
  }
};

struct Slow {
  double rows = 0, errors = 0, close = 0, log_loss = 0;
};

/// The rows of one fold by the model of all others.
Slow refit(const Table& table, const std::string& fold, const EstimateOptions& options,
           const std::vector<std::string>& classes) {
  std::vector<std::size_t> inside, outside;
  for (std::size_t i = 0; i < table.rows(); ++i)
    (table.folds[i] == fold ? inside : outside).push_back(i);
  const Table train = table.at(outside), test = table.at(inside);
  std::vector<std::vector<std::uint8_t>> train_bits, test_bits;
  Statistics sums(table.schema(), {.labels = classes});
  sums.update(train.block(train_bits));
  const Model model = estimate(sums, options);
  const LogLikelihoods scores = log_likelihood(model, test.block(test_bits));

  std::vector<long double> prior(classes.size());
  long double total = 0;
  const Names names(classes);
  for (std::size_t i = 0; i < train.rows(); ++i) {
    prior[static_cast<std::size_t>(*names.find(train.labels[i]))] += train.weights[i];
    total += train.weights[i];
  }
  Slow slow;
  for (std::size_t i = 0; i < test.rows(); ++i) {
    const Index truth = *names.find(test.labels[i]);
    std::vector<long double> joint;
    for (Index c = 0; c < names.size(); ++c)
      joint.push_back(scores.values(static_cast<Index>(i), c) +
                      std::log(prior[static_cast<std::size_t>(c)] / total));
    const long double largest = *std::max_element(joint.begin(), joint.end());
    long double sum = 0;
    for (const long double value : joint) sum += std::exp(value - largest);
    const long double p_best = 1 / sum;
    long double p_second = 0;
    const auto best = std::max_element(joint.begin(), joint.end());
    for (auto other = joint.begin(); other != joint.end(); ++other)
      if (other != best) p_second = std::max(p_second, std::exp(*other - largest) / sum);
    const double weight = test.weights[i];
    slow.rows += weight;
    if (p_best - p_second < 1e-9)
      slow.close += weight;
    else if (best - joint.begin() != truth)
      slow.errors += weight;
    slow.log_loss +=
        weight *
        static_cast<double>(std::log(sum) - (joint[static_cast<std::size_t>(truth)] - largest));
  }
  return slow;
}

std::string text_of(const EstimateOptions& options) {
  std::string text = std::string(to_string(options.covariance)) + " shrinkage " +
                     to_string(*options.shrinkage) + " " +
                     std::string(to_string(options.inference)) + " smoothing " +
                     to_string(options.smoothing);
  if (options.pca) text += " pca " + to_string(*options.pca);
  if (options.lda) text += " lda " + std::to_string(*options.lda);
  return text;
}

void expect_refits(const Table& table, const std::vector<EstimateOptions>& candidates) {
  std::vector<std::vector<std::uint8_t>> bits;
  const std::set<std::string> fold_set(table.folds.begin(), table.folds.end());
  const std::set<std::string> class_set(table.labels.begin(), table.labels.end());
  const std::vector<std::string> classes(class_set.begin(), class_set.end());
  const Selection fast =
      select(table.schema(), table.block(bits), {.candidates = candidates, .calibrate = false},
             Column(table.folds));
  ASSERT_EQ(fast.folds.size(), fold_set.size());
  for (std::size_t j = 0; j < candidates.size(); ++j) {
    SCOPED_TRACE(text_of(candidates[j]));
    const CandidateResult& result = fast.candidates[j];
    ASSERT_EQ(result.error.text(), "");
    Slow total;
    for (std::size_t f = 0; f < fast.folds.size(); ++f) {
      const Slow slow = refit(table, fast.folds[f], candidates[j], classes);
      EXPECT_NEAR(result.folds[f].rows, slow.rows, 1e-9);
      EXPECT_NEAR(result.folds[f].log_loss, slow.log_loss / slow.rows, 1e-9);
      const double errors = result.folds[f].error_rate * slow.rows;
      EXPECT_GE(errors, slow.errors - 1e-9);
      EXPECT_LE(errors, slow.errors + slow.close + 1e-9);
      total.rows += slow.rows;
      total.errors += slow.errors;
      total.close += slow.close;
      total.log_loss += slow.log_loss;
    }
    EXPECT_NEAR(result.score.log_loss, total.log_loss / total.rows, 1e-9);
    EXPECT_NEAR(result.score.error_rate * total.rows, total.errors + total.close / 2,
                total.close / 2 + 1e-9);
  }
}

/// Folds by a rule of the test's own.
std::vector<std::string> folds_for(std::size_t rows, unsigned count, unsigned seed = 4) {
  std::mt19937 generator(seed);
  std::vector<std::string> folds;
  for (std::size_t i = 0; i < rows; ++i)
    folds.push_back("f" + std::to_string(i < 2 * count ? i % count : generator() % count));
  return folds;
}

const std::vector<Covariance> structures{Covariance::full,      Covariance::tied,
                                         Covariance::diag,      Covariance::tied_diag,
                                         Covariance::spherical, Covariance::tied_spherical};

constexpr Shrinkage automatic = Shrinkage::automatic();

/// Every structure, regularisation and projection that d features and K classes allow.
std::vector<EstimateOptions> grid(Index d, Index classes) {
  std::vector<EstimateOptions> candidates;
  for (const Covariance structure : structures) {
    for (const Shrinkage& shrinkage : {Shrinkage::none(), automatic}) {
      const auto add = [&](EstimateOptions options) {
        options.covariance = structure;
        options.shrinkage = shrinkage;
        candidates.push_back(options);
      };
      add({});
      add({.normalize = Normalize::unbiased});
      add({.smoothing = 0.3, .inference = Inference::map});
      add({.smoothing = 2, .inference = Inference::bayes});
      add({.pca = Pca{.components = d - 1}});
      add({.pca = Pca{.components = 2}});
      add({.pca = Pca{.share = 0.9}});
      add({.lda = classes - 1});
      add({.pca = Pca{.components = d - 1}, .lda = 1});
    }
  }
  for (const double share : {0.05, 0.5, 1.0}) {
    candidates.push_back({.shrinkage = Shrinkage::share(share)});
    candidates.push_back({.shrinkage = Shrinkage::share(share), .target = Target::spherical});
    candidates.push_back({.covariance = Covariance::tied, .shrinkage = Shrinkage::share(share)});
    candidates.push_back({.towards_tied = share});
  }
  candidates.push_back({.shrinkage = Shrinkage::oas(), .target = Target::spherical});
  candidates.push_back({.shrinkage = Shrinkage::rows(12.5)});
  return candidates;
}

/// Three classes of six correlated numbers on different scales, with weights and missing values.
Table generated_numbers(double missing) {
  std::mt19937 generator(17);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const std::size_t n = 420;
  std::vector<std::vector<double>> x(6, std::vector<double>(n));
  Table table;
  for (std::size_t i = 0; i < n; ++i) {
    const int c = static_cast<int>(generator() % 3);
    table.labels.push_back(std::string(1, static_cast<char>('a' + c)));
    table.weights.push_back(generator() % 5 == 0 ? 0
                                                 : 0.5 * static_cast<double>(1 + generator() % 4));
    double last = 0;
    for (std::size_t j = 0; j < 6; ++j) {
      last = normal(generator) * (1 + 0.3 * c) + 0.6 * last + (j == static_cast<std::size_t>(c));
      x[j][i] = (j == 2 ? 1e3 : 1) * last + (j == 3 ? 50 : 0);
      if (uniform(generator) < missing) x[j][i] = std::nan("");
    }
  }
  for (std::size_t j = 0; j < 6; ++j) table.number("x" + std::to_string(j), Family::gaussian, x[j]);
  table.folds = folds_for(n, 4);
  return table;
}

TEST(CrossValidation, EqualsRefitsOfGaussiansWithWeights) {
  expect_refits(generated_numbers(0), grid(6, 3));
}

TEST(CrossValidation, EqualsRefitsOfGaussiansWithMissingValues) {
  expect_refits(generated_numbers(0.05), grid(6, 3));
}

TEST(CrossValidation, EqualsRefitsOfTransformedFeatures) {
  std::mt19937 generator(23);
  std::normal_distribution<double> normal;
  std::vector<double> a, b;
  Table table;
  for (int i = 0; i < 200; ++i) {
    const int c = i % 2;
    table.labels.push_back(c ? "yes" : "no");
    table.weights.push_back(1);
    const double u = normal(generator) + c, v = normal(generator) - 0.5 * u;
    a.push_back(std::exp(u));
    b.push_back(1 / (1 + std::exp(-v)));
  }
  table.number("a", Family::gaussian, a, Transform::log);
  table.number("b", Family::gaussian, b, Transform::logit);
  table.folds = folds_for(200, 3);
  expect_refits(table, {{},
                        {.shrinkage = Shrinkage::none()},
                        {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()},
                        {.pca = Pca{.components = 1}, .shrinkage = Shrinkage::none()}});
}

/// All families in one table; the Gaussian block has others before, between and after.
TEST(CrossValidation, EqualsRefitsOfMixedFamilies) {
  std::mt19937 generator(29);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const std::size_t n = 360;
  std::vector<double> flag, x0, x1, x2, count, word0, word1, word2;
  std::vector<std::string> color;
  Table table;
  for (std::size_t i = 0; i < n; ++i) {
    const int c = static_cast<int>(generator() % 3);
    table.labels.push_back(std::to_string(c));
    table.weights.push_back(generator() % 2 ? 2 : 1);
    flag.push_back(uniform(generator) < 0.3 + 0.2 * c ? 1 : 0);
    x0.push_back(normal(generator) + c);
    x1.push_back(normal(generator) - 0.5 * c + 0.7 * x0.back());
    x2.push_back(uniform(generator) < 0.05 ? std::nan("") : normal(generator));
    count.push_back(std::floor(uniform(generator) * (4 + c)));
    word0.push_back(std::floor(uniform(generator) * 3));
    word1.push_back(std::floor(uniform(generator) * (2 + c)));
    word2.push_back(std::floor(uniform(generator) * 2));
    color.push_back(uniform(generator) < 0.05      ? ""
                    : uniform(generator) < 0.2 * c ? "red"
                    : uniform(generator) < 0.5     ? "green"
                                                   : "blue");
  }
  color[5] = "seen once";
  table.number("flag", Family::bernoulli, flag);
  table.number("x0", Family::gaussian, x0);
  table.category("color", color);
  table.number("x1", Family::gaussian, x1);
  table.number("count", Family::poisson, count);
  table.number("word0", Family::multinomial, word0);
  table.number("word1", Family::multinomial, word1);
  table.number("word2", Family::multinomial, word2);
  table.number("x2", Family::gaussian, x2);
  table.folds = folds_for(n, 5);
  std::vector<EstimateOptions> candidates;
  for (const Inference inference : {Inference::plugin, Inference::map, Inference::bayes})
    for (const double smoothing : {0.2, 1.0})
      for (const Covariance structure : structures)
        for (const Shrinkage& shrinkage : {Shrinkage::none(), automatic}) {
          candidates.push_back({.covariance = structure,
                                .smoothing = smoothing,
                                .shrinkage = shrinkage,
                                .inference = inference});
          candidates.push_back({.covariance = structure,
                                .smoothing = smoothing,
                                .pca = Pca{.components = 2},
                                .shrinkage = shrinkage,
                                .inference = inference});
        }
  candidates.push_back({.lda = 2, .shrinkage = Shrinkage::none()});
  candidates.push_back({.pca = Pca{.components = 3}, .lda = 2});
  expect_refits(table, candidates);
}

Table real(const std::string& file, const std::string& label, unsigned folds) {
  const testing::LabelledNumbers data = testing::read_numbers(file, label);
  Table table;
  for (Index j = 0; j < data.x.cols(); ++j) {
    std::vector<double> values;
    for (Index i = 0; i < data.x.rows(); ++i) values.push_back(data.x(i, j));
    table.number(data.names[static_cast<std::size_t>(j)], Family::gaussian, std::move(values));
  }
  table.labels = data.labels;
  table.weights.assign(table.rows(), 1);
  table.folds = folds_for(table.rows(), folds);
  return table;
}

TEST(CrossValidation, EqualsRefitsOnIris) {
  SUFFICE_NEEDS_DATA("iris.csv.gz");
  expect_refits(real("iris.csv.gz", "species", 5), grid(4, 3));
}

TEST(CrossValidation, EqualsRefitsOnWine) {
  SUFFICE_NEEDS_DATA("wine.csv.gz");
  expect_refits(real("wine.csv.gz", "cultivar", 5), grid(13, 3));
}

// The number of rows of a task is passed, and classes are many.
TEST(CrossValidation, EqualsRefitsOnLetters) {
  SUFFICE_NEEDS_DATA("letter.csv.gz");
  expect_refits(real("letter.csv.gz", "letter", 3),
                {{},
                 {.shrinkage = Shrinkage::none()},
                 {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()},
                 {.covariance = Covariance::diag},
                 {.pca = Pca{.components = 12}, .shrinkage = Shrinkage::none()},
                 {.covariance = Covariance::tied, .pca = Pca{.components = 12}, .lda = 9}});
}

}  // namespace
}  // namespace suffice::select_test
