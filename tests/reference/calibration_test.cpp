// Calibrations against SciPy's minimiser and scikit-learn's logistic regression
// (make_calibration.py).

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "suffice/calibrate/fit_calibration.hpp"

namespace suffice::calibration_reference_test {
namespace {

using nlohmann::json;

const json& expected() {
  static const json values = [] {
    std::ifstream file(SUFFICE_SOURCE_DIR "/tests/reference/calibration.json");
    return json::parse(file);
  }();
  return values;
}

Matrix matrix_of(const json& rows) {
  Matrix result(std::ssize(rows), std::ssize(rows[0]));
  for (Index i = 0; i < result.rows(); ++i)
    for (Index j = 0; j < result.cols(); ++j) result(i, j) = rows[i][j];
  return result;
}

class Penalised : public ::testing::TestWithParam<const char*> {};

TEST_P(Penalised, IsTheMinimumThatSciPyFinds) {
  const json& at = expected()["penalised"][GetParam()];
  std::vector<Matrix> scores;
  for (const json& block : at["scores"]) scores.push_back(matrix_of(block));
  const double largest = at["largest"] == "inf" ? std::numeric_limits<double>::infinity()
                                                : at["largest"].get<double>();
  const CalibrationFit fit = fit_calibration(
      scores, at["labels"].get<std::vector<Index>>(), at["weights"].get<std::vector<double>>(),
      at["log_priors"].get<std::vector<double>>(), {.largest_scale = largest});
  for (std::size_t b = 0; b < scores.size(); ++b) {
    const double scale = at["scale"][b];
    EXPECT_NEAR(fit.calibration.scale[b], scale, 1e-8 * scale);
  }
  for (std::size_t c = 0; c < at["offset"].size(); ++c)
    EXPECT_NEAR(fit.calibration.offset[c], at["offset"][c].get<double>(), 1e-8);
  EXPECT_LE(fit.log_loss, fit.log_loss_before);
}

INSTANTIATE_TEST_SUITE_P(Cases, Penalised,
                         ::testing::Values("two classes", "three classes", "two blocks",
                                           "at the bound", "steeper", "weights",
                                           "a class without rows", "huge scores"),
                         [](const auto& of) {
                           std::string name = of.param;
                           std::erase(name, ' ');
                           return name;
                         });

TEST(Calibration, OfManyRowsIsScikitLearnsLogisticRegression) {
  const json& at = expected()["unpenalised"];
  const auto difference = at["difference"].get<std::vector<double>>();
  Matrix scores(std::ssize(difference), 2);
  for (Index i = 0; i < scores.rows(); ++i) scores(i, 0) = difference[i];
  // Rows of such a weight leave nothing of the penalty.
  const std::vector<double> weights(difference.size(), 1e9), log_priors(2, 0.0);
  const CalibrationFit fit =
      fit_calibration({&scores, 1}, at["labels"].get<std::vector<Index>>(), weights, log_priors,
                      {.largest_scale = std::numeric_limits<double>::infinity()});
  const Calibration& found = fit.calibration;
  EXPECT_NEAR(found.scale[0], at["scale"].get<double>(), 1e-6);
  EXPECT_NEAR(found.offset[0] - found.offset[1], at["difference_of_offsets"].get<double>(), 1e-6);
}

}  // namespace
}  // namespace suffice::calibration_reference_test
