// Three species of penguins, told apart by two measurements and the island they live on.

#include <cmath>
#include <cstdio>
#include <string>
#include <suffice/suffice.hpp>
#include <vector>

using namespace suffice;

int main() {
  // What the columns mean. The numbers are jointly normal within a species; the island stands
  // beside them as a categorical.
  const Schema schema({{"bill_length_mm", Family::gaussian},
                       {"body_mass_g", Family::gaussian},
                       {"island", Family::categorical}});

  // Rows are viewed where they lie: any Eigen matrix, array or Arrow batch would do as well.
  const Matrix measured = {{35.5, 3350}, {35.1, 4200}, {37.2, 3900}, {38.2, 3900}, {39.0, 3050},
                           {51.7, 3775}, {46.0, 4150}, {51.3, 3650}, {52.0, 4800}, {43.5, 3400},
                           {51.1, 5250}, {46.7, 5200}, {50.0, 5550}, {43.5, 4700}, {47.7, 4750}};
  const std::vector<std::string> island = {"Biscoe", "Torgersen", "Dream",  "Biscoe", "Torgersen",
                                           "Dream",  "Dream",     "Dream",  "Dream",  "Dream",
                                           "Biscoe", "Biscoe",    "Biscoe", "Biscoe", "Biscoe"};
  const std::vector<std::string> species = {
      "Adelie",    "Adelie",    "Adelie", "Adelie", "Adelie", "Chinstrap", "Chinstrap", "Chinstrap",
      "Chinstrap", "Chinstrap", "Gentoo", "Gentoo", "Gentoo", "Gentoo",    "Gentoo"};
  RowBlock rows(measured.rows());
  rows.features(measured).feature(island).labels(species);

  // One pass over the rows; more blocks of rows would be more calls of update.
  Statistics stats(schema);
  stats.update(rows);
  const Model model = estimate(stats, {.covariance = Covariance::tied});

  // Two new birds. The second one was not weighed: its body mass is missing, not zero.
  const Matrix new_measured = {{45.0, 4000}, {45.0, NAN}};
  const std::vector<std::string> new_island = {"Dream", "Biscoe"};
  RowBlock birds(new_measured.rows());
  birds.features(new_measured).feature(new_island);

  // The prior and the costs belong to the question, not to the model: choose them as late as here.
  const Priors priors = Priors::uniform(model);
  const Costs costs(model.labels(), {{.truth = "Chinstrap", .decided = "Gentoo", .cost = 20}});
  const Predictions likely =
      predict(model, birds, {.priors = priors, .wanted = {.posteriors = true}});
  const Predictions cheap = predict(model, birds, {.priors = priors, .costs = costs});
  for (Index i = 0; i < birds.rows(); ++i) {
    std::printf("bird %td:", i + 1);
    for (Index c = 0; c < model.labels().size(); ++c)
      std::printf("  %s %.3f", model.labels()[c].c_str(), likely.posteriors(i, c));
    std::printf("  likely: %s, cheapest: %s\n", std::string(likely.label(i)).c_str(),
                std::string(cheap.label(i)).c_str());
  }
}
