// Leave-one-out of real data: beside MASS with CV = TRUE (make_mass_cv.R), and beside models of the
// other rows.

#include "suffice/left_out/leave_one_out.hpp"

#include <algorithm>

#include "peers.hpp"

namespace suffice::testing {
namespace {

/// The most probable class of each row under given log-priors, and the posteriors.
struct Decided {
  int errors = 0;
  Matrix posterior;
};
Decided decided(const LogLikelihoods& scores, const LabelledNumbers& data, const Vector& weights) {
  Decided result{0, Matrix(scores.rows(), scores.values.cols())};
  for (Index i = 0; i < scores.rows(); ++i) {
    double highest = -std::numeric_limits<double>::infinity(), sum = 0;
    Index best = 0;
    for (Index c = 0; c < weights.size(); ++c) {
      const double joint = scores.values(i, c) + std::log(weights[c]);
      result.posterior(i, c) = joint;
      if (joint > highest) {
        highest = joint;
        best = c;
      }
    }
    for (double& p : result.posterior.row(i)) sum += p = std::exp(p - highest);
    for (double& p : result.posterior.row(i)) p /= sum;
    result.errors += scores.labels[best] != data.labels[static_cast<std::size_t>(i)];
  }
  return result;
}

class LeaveOneOutOf : public ::testing::TestWithParam<std::string> {
 protected:
  static std::string file() {
    return GetParam() == "wdbc" ? "breast_cancer_wdbc.csv.gz" : GetParam() + ".csv.gz";
  }
};

TEST_P(LeaveOneOutOf, IsThatOfMass) {
  SUFFICE_NEEDS_DATA(file());
  const LabelledNumbers data = read_set(GetParam());
  const Statistics statistics = statistics_of(data);
  const json& expected = peers("mass_cv.json").at(GetParam());
  for (const char* method : {"lda", "qda"}) {
    SCOPED_TRACE(method);
    const LeaveOneOut leave_one_out(
        statistics, {.covariance = method[0] == 'l' ? Covariance::tied : Covariance::full,
                     .normalize = Normalize::unbiased,
                     .shrinkage = Shrinkage::none()});
    const Decided found =
        decided(leave_one_out(RowBlock(data.x, data.labels)), data, statistics.weights());
    EXPECT_EQ(found.errors, expected.at(method).at("errors").get<int>());
    const auto rows = expected.at(method).at("rows").get<std::vector<Index>>();
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (Index c = 0; c < found.posterior.cols(); ++c)
        EXPECT_NEAR(found.posterior(rows[k], c),
                    expected.at(method).at("posterior")[k][c].get<double>(), 1e-8)
            << "row " << rows[k];
  }
}

TEST_P(LeaveOneOutOf, IsThatOfModelsOfTheOtherRows) {
  SUFFICE_NEEDS_DATA(file());
  const LabelledNumbers data = read_set(GetParam());
  const Statistics all = statistics_of(data);
  const Index step = GetParam() == "wdbc" ? 9 : 1;
  std::vector<EstimateOptions> candidates;
  for (const Covariance covariance :
       {Covariance::full, Covariance::tied, Covariance::diag, Covariance::tied_diag,
        Covariance::spherical, Covariance::tied_spherical}) {
    candidates.push_back({.covariance = covariance, .shrinkage = Shrinkage::none()});
    candidates.push_back(
        {.covariance = covariance, .shrinkage = Shrinkage::none(), .inference = Inference::map});
    candidates.push_back(
        {.covariance = covariance, .shrinkage = Shrinkage::none(), .inference = Inference::bayes});
    for (const Target target : {Target::diag, Target::spherical})
      candidates.push_back(
          {.covariance = covariance, .shrinkage = Shrinkage::share(0.1), .target = target});
    if (!is_tied(covariance)) candidates.push_back({.covariance = covariance, .towards_tied = 0.3});
  }
  std::vector<Matrix> found;
  std::vector<int> errors(candidates.size()), expected_errors(candidates.size());
  for (const EstimateOptions& options : candidates) {
    found.push_back(LeaveOneOut(all, options)(RowBlock(data.x, data.labels)).values);
  }
  for (Index i = 0; i < data.x.rows(); i += step) {
    // The other rows, summed up anew.
    LabelledNumbers others{data.names, Matrix(data.x.rows() - 1, data.x.cols()), {}};
    for (Index k = 0; k < data.x.rows(); ++k) {
      if (k == i) continue;
      std::ranges::copy(data.x.row(k), others.x.row(k - (k > i)).begin());
      others.labels.push_back(data.labels[static_cast<std::size_t>(k)]);
    }
    const Statistics statistics = statistics_of(others);
    Matrix one(1, data.x.cols());
    std::ranges::copy(data.x.row(i), one.row(0).begin());
    const Index truth = *all.labels().find(data.labels[static_cast<std::size_t>(i)]);
    for (std::size_t m = 0; m < candidates.size(); ++m) {
      const Matrix scores = log_likelihood(estimate(statistics, candidates[m]), one).values;
      std::vector<double> here, slow;
      for (Index c = 0; c < scores.cols(); ++c) {
        const double log_weight = std::log(statistics.weights()[c]);
        here.push_back(found[m](i, c) + log_weight);
        slow.push_back(scores(0, c) + log_weight);
        EXPECT_NEAR(found[m](i, c), scores(0, c), 1e-9 * std::abs(scores(0, c)))
            << "candidate " << m << ", row " << i;
      }
      errors[m] += std::ranges::max_element(here) - here.begin() != truth;
      expected_errors[m] += std::ranges::max_element(slow) - slow.begin() != truth;
    }
  }
  EXPECT_EQ(errors, expected_errors);
}

INSTANTIATE_TEST_SUITE_P(Sets, LeaveOneOutOf, ::testing::Values("iris", "wine", "wdbc"),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace suffice::testing
