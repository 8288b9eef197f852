// The main job on real data: the Palmer penguins, four measurements, the island and the sex, some
// cells of them missing. Fits on every second pair of birds, decides about the others, asks again
// under another prior and other costs, finds an outlier, and makes up new birds.
//
// penguins [penguins.csv]

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <suffice/suffice.hpp>
#include <vector>

using namespace suffice;

namespace {

/// Birds as columns. An empty cell is missing: NaN among the numbers, code -1 among the names.
struct Birds {
  std::vector<std::vector<double>> numbers = std::vector<std::vector<double>>(4);
  std::vector<std::vector<int>> codes = std::vector<std::vector<int>>(2);
  std::vector<std::string> species;

  Index size() const { return static_cast<Index>(species.size()); }
};

const std::vector<std::string> islands = {"Biscoe", "Dream", "Torgersen"};
const std::vector<std::string> sexes = {"female", "male"};

const Schema schema({{"bill_length_mm", Family::gaussian},
                     {"bill_depth_mm", Family::gaussian},
                     {"flipper_length_mm", Family::gaussian},
                     {"body_mass_g", Family::gaussian},
                     {"island", Family::categorical},
                     {"sex", Family::categorical}});

RowBlock view(const Birds& birds) {
  RowBlock rows(birds.size());
  for (const auto& column : birds.numbers) rows.feature(column);
  rows.feature(Column(birds.codes[0].data(), birds.size(), islands));
  rows.feature(Column(birds.codes[1].data(), birds.size(), sexes));
  return rows.labels(birds.species);
}

int code_of(const std::vector<std::string>& names, const std::string& name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<int>(i);
  return -1;
}

/// species,island,bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g,sex,year; two birds
/// (a pair) go to `train`, the next two to `test`.
void read(const std::string& path, Birds& train, Birds& test) {
  std::ifstream file(path);
  if (!file) throw FileError({.path = path}, "cannot open " + path);
  std::string line, cell;
  std::getline(file, line);
  for (int number = 0; std::getline(file, line); ++number) {
    Birds& birds = number % 4 < 2 ? train : test;
    std::stringstream cells(line);
    std::getline(cells, cell, ',');
    birds.species.push_back(cell);
    std::getline(cells, cell, ',');
    birds.codes[0].push_back(code_of(islands, cell));
    for (auto& column : birds.numbers) {
      std::getline(cells, cell, ',');
      column.push_back(cell.empty() ? NAN : std::stod(cell));
    }
    std::getline(cells, cell, ',');
    birds.codes[1].push_back(code_of(sexes, cell));
  }
}

void run(const std::string& path) {
  Birds train, test;
  read(path, train, test);

  // Fit.
  Statistics stats(schema);
  stats.update(view(train));
  const Model model = estimate(stats, {.covariance = Covariance::full});
  std::printf("Fitted on %td penguins:", train.size());
  for (Index c = 0; c < stats.labels().size(); ++c)
    std::printf(" %s %g", stats.labels()[c].c_str(), stats.weights()[c]);
  const Vector missing = stats.missing();
  std::printf("\nMissing cells:");
  for (Index j = 0; j < schema.size(); ++j)
    if (missing[j] > 0) std::printf(" %s %g", schema.feature(j).name.c_str(), missing[j]);

  // Decide about the others.
  const RowBlock others = view(test);
  const auto right = [&](const Predictions& answers) {
    Index count = 0;
    for (Index i = 0; i < test.size(); ++i)
      count += answers.label(i) == test.species[static_cast<std::size_t>(i)];
    return count;
  };
  std::printf("\n\nThe other %td penguins, by measurements, island and sex: %td right\n",
              test.size(), right(predict(model, others)));

  // The numbers alone are less sure; there the prior and the costs matter.
  Birds plain = test;
  for (auto& column : plain.codes) column.assign(column.size(), -1);
  for (std::size_t j = 1; j < 4; ++j) plain.numbers[j].assign(plain.species.size(), NAN);
  const RowBlock bill = view(plain);
  const Priors rare(model.labels(), {{"Adelie", 0.2}, {"Chinstrap", 0.1}, {"Gentoo", 0.7}});
  const Costs costs(model.labels(), {{.truth = "Chinstrap", .decided = "Gentoo", .cost = 10}});
  const auto counts = [&](const char* name, const PredictorOptions& options) {
    const Predictions answers = predict(model, bill, options);
    const std::vector<Index>& classes = answers.decisions.classes;
    std::printf("  %-34s", name);
    for (Index c = 0; c < model.labels().size(); ++c)
      std::printf(" %s %td ", model.labels()[c].c_str(),
                  std::count(classes.begin(), classes.end(), c));
    std::printf(" (%td right)\n", right(answers));
  };
  std::printf("\nWith the length of the bill alone, from the same model:\n");
  counts("training frequencies as priors", {});
  counts("mostly Gentoo where we look", {.priors = rare});
  counts("and a missed Chinstrap costs 10", {.priors = rare, .costs = costs});

  // A typing mistake: the thirtieth bird's mass in kilograms.
  Birds mistaken = test;
  mistaken.numbers[3][29] /= 1000;
  Predictor predictor(model, {.wanted = {.outlier_scores = true}});
  const double usual = predictor(others).outlier_scores[29];
  const double unusual = predictor(view(mistaken)).outlier_scores[29];
  std::printf(
      "\nOutlier score of the thirtieth bird: %.2f; with its mass typed in kilograms: %.2g\n",
      usual, unusual);

  // New birds.
  const Sample birds = sample(model, 3, Priors::from_counts(model).probabilities(), {.seed = 1});
  std::printf("\nThree birds that the model made up:\n");
  for (Index i = 0; i < birds.values.rows(); ++i) {
    std::printf("  %-9s", birds.labels[birds.classes[static_cast<std::size_t>(i)]].c_str());
    for (Index j = 0; j < 4; ++j) std::printf(" %7.1f", birds.values(i, j));
    for (Index j = 4; j < 6; ++j) {
      const Names& levels = birds.levels[static_cast<std::size_t>(j)];
      std::printf("  %s", levels[static_cast<Index>(birds.values(i, j))].c_str());
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int count, char** arguments) {
  try {
    run(count > 1 ? arguments[1] : SUFFICE_EXAMPLE_DATA "/penguins.csv");
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
