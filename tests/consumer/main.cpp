// A program outside of Suffice that uses the installed library: Eigen matrices in, numbers out, and
// Vector and Matrix held, copied and freed on this side of the boundary. All expected values are
// worked out by hand in the comments. Exits with 1 on a wrong one.

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <suffice/suffice.hpp>
#include <utility>
#include <vector>

using namespace suffice;

namespace {

int failures = 0;

void expect(bool right, const char* what) {
  if (right) return;
  ++failures;
  std::printf("wrong: %s\n", what);
}

void expect_near(double value, double expected, const char* what) {
  if (std::abs(value - expected) <= 1e-12 * std::max(1.0, std::abs(expected))) return;
  ++failures;
  std::printf("wrong: %s is %.17g instead of %.17g\n", what, value, expected);
}

/// Owns numbers of the library beside Eigen's own.
struct Answers {
  Matrix posterior;
  Vector log_density;
  Eigen::VectorXd total;
};

Answers answers(const LogLikelihoods& scores, const Priors& priors) {
  Answers result{posteriors(scores, priors), log_density(scores, priors), {}};
  result.total = result.posterior.map().rowwise().sum();
  return result;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string folder = count > 1 ? arguments[1] : ".";

  // Four points around (0, 0) are class a, four around (4, 0) class b: the scatter of each is
  // diag(2, 2), the tied covariance diag(4, 4) / 8 = I/2.
  Eigen::MatrixXd x(8, 2);
  x << 1, 0, -1, 0, 0, 1, 0, -1, 5, 0, 3, 0, 4, 1, 4, -1;
  const std::vector<std::string> label = {"a", "a", "a", "a", "b", "b", "b", "b"};
  // Three of four a are red, all b blue. With α = 1: P(red|a) = 4/6, P(red|b) = 1/6.
  const std::vector<std::string> colour = {"red",  "red",  "red",  "blue",
                                           "blue", "blue", "blue", "blue"};
  const Schema schema(
      {{"x", Family::gaussian}, {"y", Family::gaussian}, {"colour", Family::categorical, {}}});

  // In two parts, a block of a column-major matrix and a matrix of floats, then merged.
  const Eigen::MatrixXf tail = x.bottomRows(3).cast<float>();
  const std::vector<std::string> label_head(label.begin(), label.begin() + 5);
  const std::vector<std::string> label_tail(label.begin() + 5, label.end());
  const std::vector<std::string> colour_head(colour.begin(), colour.begin() + 5);
  const std::vector<std::string> colour_tail(colour.begin() + 5, colour.end());
  Statistics head_stats(schema);
  head_stats.update(RowBlock(5).features(x.topRows(5)).feature(colour_head).labels(label_head));
  Statistics tail_stats(schema);
  tail_stats.update(RowBlock(3).features(tail).feature(colour_tail).labels(label_tail));
  const Statistics stats = merge(head_stats, tail_stats);
  Vector weights = stats.weights();
  expect(weights == Vector({4, 4}), "class weights");
  expect_near(weights.map().sum(), 8, "sum of the weights");

  const Model model =
      estimate(stats, {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()});
  const auto& gaussian = std::get<GaussianDensity>(model.densities()[0]);
  Matrix covariance = gaussian.covariance[0];
  expect((covariance.map() - Eigen::MatrixXd::Identity(2, 2) / 2).norm() < 1e-14, "covariance");
  expect_near(gaussian.mean(1, 0), 4, "mean of b");

  // (1, 0, red) and (2, missing, missing).
  //   log N(z; m, I/2) = −log 2π + log 2 − |z − m|², in one dimension −½ log π − |z − m|².
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Eigen::Matrix<double, 2, 2, Eigen::RowMajor> z;
  z << 1, 0, 2, nan;
  const int code[] = {0, -1};
  const std::vector<std::string> colours = {"red"};
  const RowBlock rows = RowBlock(2).features(z).feature(Column(code, 2, colours));
  const LogLikelihoods scores = log_likelihood(model, rows);
  const double log_pi = std::log(std::acos(-1.0));
  expect_near(scores.values(0, 0), -log_pi - 1 + std::log(4.0 / 6), "log p(z0|a)");
  expect_near(scores.values(0, 1), -log_pi - 9 + std::log(1.0 / 6), "log p(z0|b)");
  expect_near(scores.values(1, 0), -log_pi / 2 - 4, "log p(z1|a)");
  expect_near(scores.values(1, 1), -log_pi / 2 - 4, "log p(z1|b)");
  expect_near(log_likelihood_ratios(scores, Priors::uniform(model))(0, 0), 8 + std::log(4.0),
              "log-likelihood ratio");

  // The second row tells nothing: its posterior is the prior, its decision the cost's.
  const Priors priors(model.labels(), {{"b", 0.25}, {"a", 0.75}});
  Answers held = answers(scores, priors);
  Answers copy = held;
  const Answers moved = std::exchange(held, Answers{});
  expect(copy.posterior == moved.posterior && held.posterior.empty(), "copy and move");
  expect_near(moved.posterior(1, 0), 0.75, "posterior of a");
  expect_near(moved.total[0], 1, "sum of the posteriors");
  expect_near(moved.log_density[1], -log_pi / 2 - 4, "log p(z1)");
  copy.posterior = Matrix(3, 3);
  copy.posterior.map() += Eigen::MatrixXd::Ones(3, 3);
  expect_near(copy.posterior.map().sum(), 9, "written through a map");

  // Deciding a costs P(b) · 5, deciding b costs P(a) · 1.
  const Costs costs(model.labels(), Matrix{{0, 1}, {5, 0}});
  const Decisions decisions = decide(scores, priors, costs);
  expect(decisions.label(0) == "a" && decisions.label(1) == "b", "decisions");
  expect_near(decisions.expected_cost[1], 0.75, "expected cost");
  // π_a C_ab / (π_a C_ab + π_b C_ba) = 0.75 / (0.75 + 1.25).
  expect_near(effective_prior(priors, costs), 0.375, "effective prior");

  save(model, folder + "/model.suffice");
  save(stats, folder + "/all.stats");
  expect(load_model(folder + "/model.suffice") == model, "the model that was saved");
  expect(load_statistics(folder + "/all.stats") == stats, "the statistics that were saved");
  expect(log_likelihood(load_model(folder + "/model.suffice"), rows).values == scores.values,
         "scores of the model that was saved");

  try {
    estimate(Statistics(schema));
    expect(false, "no rows, and no exception");
  } catch (const InvalidArgument&) {
  }
  return failures ? 1 : 0;
}
