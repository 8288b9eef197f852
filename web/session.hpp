#pragma once
// A table that was scored once, and its figures for any priors and costs: what a slider in a page
// asks for, many times a second.

#include <functional>
#include <string>
#include <vector>

#include "cli/output/json.hpp"
#include "cli/verbs/context.hpp"
#include "cli/verbs/evaluation.hpp"
#include "suffice/models/model.hpp"
#include "suffice/score/log_likelihoods.hpp"

namespace suffice::web {

class Session {
 public:
  /// Reads and scores what the command names: a model and a table with labels, as `evaluate` does.
  /// Throws what `evaluate` throws.
  explicit Session(const cli::Context& context);

  const Names& labels() const { return model_.labels(); }
  /// Rows with a label that the model knows, by weight.
  double rows() const { return evaluated_.report.rows; }

  /// What `evaluate --json` prints for the priors, the costs and the cost of rejection of this
  /// command, and `operating_point`. For more than two classes the figures of detection and
  /// calibration, which need all rows sorted for each class, are there only if `all` are wanted.
  /// Throws InvalidArgument, and FileError about a file of costs.
  cli::Json figures(const cli::Context& context, bool all) const;

 private:
  struct Block {
    LogLikelihoods scores;
    LogLikelihoods uncalibrated;  ///< where the model has a calibration
    std::vector<Index> truth;
    std::vector<double> weights;
    Vector outlier_scores;  ///< where the session was opened with --outlier
  };
  Model model_;
  std::vector<Block> blocks_;
  cli::Evaluated evaluated_;
};

}  // namespace suffice::web
