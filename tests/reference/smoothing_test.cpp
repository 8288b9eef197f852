// Pseudo-counts by the counts of public data sets, against SciPy (make_smoothing.py).

#include <string>
#include <vector>

#include "peers.hpp"

namespace suffice::testing {
namespace {

double found_in(const Statistics& statistics) {
  const Model model = estimate(statistics, {.smoothing = Smoothing::automatic()});
  EXPECT_EQ(model.parts().found.pseudo_counts.size(), 1u);
  return model.parts().found.pseudo_counts.at(0);
}

void expect_found(double got, const json& expected) {
  EXPECT_NEAR(got, expected.get<double>(), 1e-5 * expected.get<double>());
}

/// Some columns as categories.
Statistics categories(const std::string& file, const std::string& label,
                      const std::vector<std::string>& columns) {
  const Csv csv = read_csv(file);
  std::vector<Feature> features;
  for (const std::string& name : columns) features.push_back({name, Family::categorical});
  std::vector<std::vector<std::string>> cells;
  for (const std::string& name : columns) cells.push_back(csv.column(name));
  const std::vector<std::string> labels = csv.column(label);
  RowBlock rows(csv.size());
  for (const auto& column : cells) rows.feature(column);
  rows.labels(labels);
  Statistics statistics{Schema(features)};
  statistics.update(rows);
  return statistics;
}

Statistics statistics_of_family(const Matrix& x, const std::vector<std::string>& labels,
                                Family family) {
  Statistics statistics(Schema::numbered(x.cols(), family));
  statistics.update(RowBlock(x, labels));
  return statistics;
}

TEST(SmoothingByTheCounts, OfCategories) {
  SUFFICE_NEEDS_DATA("penguins.csv.gz");
  SUFFICE_NEEDS_DATA("adult_train.csv.gz");
  const json& expected = peers("smoothing.json");
  expect_found(found_in(categories("penguins.csv.gz", "species", {"island", "sex"})),
               expected["penguins"]);
  expect_found(found_in(categories("adult_train.csv.gz", "income",
                                   {"workclass", "education", "occupation", "native_country"})),
               expected["adult"]);
}

TEST(SmoothingByTheCounts, OfCounts) {
  SUFFICE_NEEDS_DATA("optdigits_train.csv.gz");
  const json& expected = peers("smoothing.json")["digits"];
  LabelledNumbers digits = read_numbers("optdigits_train.csv.gz", "digit");
  for (const Family family : {Family::poisson, Family::multinomial})
    expect_found(found_in(statistics_of_family(digits.x, digits.labels, family)),
                 expected[std::string(to_string(family))]);
  for (Index k = 0; k < digits.x.size(); ++k) digits.x.data()[k] = digits.x.data()[k] > 0 ? 1 : 0;
  expect_found(found_in(statistics_of_family(digits.x, digits.labels, Family::bernoulli)),
               expected["bernoulli"]);
}

TEST(SmoothingByTheCounts, OfWaitingTimes) {
  SUFFICE_NEEDS_DATA("spambase.csv.gz");
  const json& expected = peers("smoothing.json")["spam"];
  const Csv csv = read_csv("spambase.csv.gz");
  const Matrix x = csv.numbers(expected["columns"].get<std::vector<std::string>>());
  expect_found(found_in(statistics_of_family(x, csv.column("is_spam"), Family::exponential)),
               expected["exponential"]);
}

}  // namespace
}  // namespace suffice::testing
