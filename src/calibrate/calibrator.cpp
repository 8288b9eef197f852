#include "suffice/calibrate/calibrator.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "data/weights.hpp"
#include "suffice/calibrate/isotonic.hpp"
#include "suffice/calibrate/set_thresholds.hpp"
#include "suffice/core/error.hpp"
#include "suffice/data/positions.hpp"
#include "suffice/score/block_scores.hpp"

namespace suffice {

std::string_view to_string(CalibrationMethod method) {
  switch (method) {
    case CalibrationMethod::affine:
      return "affine";
    case CalibrationMethod::isotonic:
      return "isotonic";
  }
  return "unknown";
}

CalibrationMethod calibration_method_from_string(std::string_view name) {
  for (const CalibrationMethod method : {CalibrationMethod::affine, CalibrationMethod::isotonic})
    if (name == to_string(method)) return method;
  throw InvalidArgument("there is no calibration method '" + std::string(name) +
                        "'; choose affine or isotonic");
}

struct Calibrator::State {
  const Model* model;
  std::vector<std::vector<double>> scores;  ///< per block, K numbers a row
  std::vector<Index> labels;
  std::vector<double> weights;
  Vector class_rows;
  double unknown = 0;

  std::vector<Matrix> blocks() const {
    std::vector<Matrix> result;
    for (const std::vector<double>& block : scores) {
      Matrix& values = result.emplace_back(std::ssize(labels), class_rows.size());
      std::ranges::copy(block, values.data());
    }
    return result;
  }
  CalibrationFit isotonic(CalibrationFit fit, std::vector<Matrix> kept,
                          std::span<const double> log_priors) const;
  Matrix posteriors_in_training(const Calibration& calibration, std::vector<Matrix> kept) const;
};

Calibrator::Calibrator(const Model& model) : state_(std::make_unique<State>()) {
  state_->model = &model;
  state_->scores.resize(static_cast<std::size_t>(score_parts(model.parts())));
  state_->class_rows = Vector(model.labels().size());
}
Calibrator::~Calibrator() = default;
Calibrator::Calibrator(Calibrator&&) noexcept = default;
Calibrator& Calibrator::operator=(Calibrator&&) noexcept = default;

const Vector& Calibrator::class_rows() const noexcept { return state_->class_rows; }
double Calibrator::unknown_label_rows() const noexcept { return state_->unknown; }

void Calibrator::add(const RowBlock& rows, const Execution& execution) {
  State& s = *state_;
  if (rows.labels().kind == Column::Kind::none)
    throw InvalidArgument("calibrating needs labelled rows; give the RowBlock its labels");
  const Index classes = s.model->labels().size();
  Vector weight_memory;
  const double* weight = read_weights(rows, weight_memory);
  const std::vector<Index> truth = positions(s.model->labels(), rows.labels());
  const BlockScores scores = block_scores(*s.model, rows, {.relative = true}, execution);
  for (Index i = 0; i < rows.rows(); ++i) {
    const double w = weight ? weight[i] : 1;
    if (w == 0) continue;
    if (truth[i] < 0) {
      s.unknown += w;
      continue;
    }
    s.labels.push_back(truth[i]);
    s.weights.push_back(w);
    s.class_rows[truth[i]] += w;
    for (std::size_t b = 0; b < s.scores.size(); ++b) {
      const std::span<const double> row = scores.values[b].row(i);
      s.scores[b].insert(s.scores[b].end(), row.begin(), row.begin() + classes);
    }
  }
}

/// A monotone function of the calibrated ratios, and what the log-loss is with it.
CalibrationFit Calibrator::State::isotonic(CalibrationFit fit, std::vector<Matrix> kept,
                                           std::span<const double> log_priors) const {
  BlockScores before{.values = std::move(kept), .labels = model->labels()};
  const LogLikelihoods affine = calibrated(before, fit.calibration);
  std::vector<double> ratios(labels.size());
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const std::span<const double> row = affine.values.row(static_cast<Index>(i));
    ratios[i] = row[0] == row[1] ? 0 : row[0] - row[1];
  }
  fit.calibration = with_isotonic(std::move(fit.calibration), ratios, labels, weights);
  const LogLikelihoods after = calibrated(std::move(before), fit.calibration);
  double loss = 0;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const std::span<const double> row = after.values.row(static_cast<Index>(i));
    const double joint[] = {row[0] + log_priors[0], row[1] + log_priors[1]};
    const double total = log_sum_exp(joint);
    loss += weights[i] * (total == -infinity ? -log_priors[labels[i]] : total - joint[labels[i]]);
  }
  fit.log_loss = loss / fit.rows;
  return fit;
}

Matrix Calibrator::State::posteriors_in_training(const Calibration& calibration,
                                                 std::vector<Matrix> kept) const {
  Matrix result =
      calibrated({.values = std::move(kept), .labels = model->labels()}, calibration).values;
  const double all = model->weights().map().sum();
  for (Index i = 0; i < result.rows(); ++i) {
    const std::span<double> row = result.row(i);
    for (std::size_t c = 0; c < row.size(); ++c)
      row[c] += std::log(model->weights()[static_cast<Index>(c)] / all);
    const double total = log_sum_exp(row);
    for (std::size_t c = 0; c < row.size(); ++c)
      row[c] = total == -infinity ? model->weights()[static_cast<Index>(c)] / all
                                  : std::exp(row[c] - total);
  }
  return result;
}

CalibrationFit Calibrator::finish(const CalibratorOptions& options) const {
  const State& s = *state_;
  const Names& names = s.model->labels();
  std::vector<std::string> seen;
  for (Index c = 0; c < names.size(); ++c)
    if (s.class_rows[c] > 0) seen.push_back(names[c]);
  if (seen.empty())
    throw InvalidArgument(s.unknown > 0 ? "no row has a label that the model knows"
                                        : "there are no rows with a label to calibrate by");
  if (seen.size() == 1)
    throw InvalidArgument("all rows are of class '" + seen.front() + "'",
                          "a calibration needs rows of at least two classes");
  if (options.method == CalibrationMethod::isotonic && names.size() != 2)
    throw InvalidArgument("an isotonic calibration is for two classes, and the model has " +
                              std::to_string(names.size()),
                          "use " + Option{"method", "affine"});
  const double total = s.class_rows.map().sum();
  std::vector<double> log_priors;
  for (const double rows : s.class_rows) log_priors.push_back(std::log(rows / total));
  std::vector<Matrix> blocks = s.blocks();
  CalibrationFit fit = fit_calibration(blocks, s.labels, s.weights, log_priors,
                                       {.largest_scale = options.largest_scale});
  if (fit.impossible >= fit.rows)
    throw InvalidArgument("the model rules out the own class of every row",
                          "are these rows of the same kind as those it was trained on?");
  if (options.method == CalibrationMethod::isotonic)
    fit = s.isotonic(std::move(fit), blocks, log_priors);
  // Sets are of posteriors under the frequencies in training, whatever the classes of these rows.
  fit.calibration.thresholds = set_thresholds(
      s.posteriors_in_training(fit.calibration, std::move(blocks)), s.labels, s.weights);
  return fit;
}

}  // namespace suffice
