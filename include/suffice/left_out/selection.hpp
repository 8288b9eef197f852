#pragma once
// What candidates are worth, measured on rows that their models have not seen, and the best of
// them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suffice/core/error.hpp"
#include "suffice/models/calibration.hpp"
#include "suffice/models/estimate_options.hpp"

namespace suffice {

enum class Criterion { error, log_loss, cost };
std::string_view to_string(Criterion criterion);  ///< "error", "log-loss", "cost"
Criterion criterion_from_string(std::string_view name);

/// What was measured on some rows.
struct Score {
  double rows = 0;  ///< their weight
  double error_rate = 0, log_loss = 0, cost = 0;
  /// The weight of rows whose own class had the probability 0: each makes the log-loss infinite.
  double impossible = 0;
};

struct CandidateResult {
  EstimateOptions options;
  Sentence error = {};  ///< why it could not be estimated, and where; then nothing else is told
  Score score = {};     ///< over all rows
  /// With SelectOptions::calibrate: what made these scores, and what they were without it.
  std::optional<Calibration> calibration = {};
  Score uncalibrated = {};
  /// Standard errors: the deviation of the folds' scores over the root of their number; for
  /// leave-one-out that of the rows'. Of an infinite mean it is infinite.
  double error_rate_se = 0, log_loss_se = 0, cost_se = 0;
  std::vector<Score> folds = {};  ///< in the order of Selection::folds
  double parameters = 0;          ///< numbers that its densities have (projections do not count)
  double seconds = 0;             ///< of processors, spent on this candidate alone
};

struct Selection {
  std::vector<CandidateResult> candidates;  ///< in the order of the options
  /// "1", "2", …, or the names that the column has, sorted; none for leave-one-out.
  std::vector<std::string> folds;
  /// Best first by the criterion: errors (ties: log-loss), log-loss (ties: errors), or cost (ties:
  /// log-loss). Those with an error come last.
  std::vector<Index> ranking;
  Index best = -1;  ///< by the rule that was asked for
  /// The log-loss of the classes' frequencies alone: what a candidate must stay below to be of use.
  double frequency_log_loss = 0;
  /// One sentence for each class that the training rows of some fold lack.
  std::vector<std::string> notes;

  /// Where the best candidate has the smallest or largest number of an option that was compared:
  /// one sentence for each, with a number to try.
  std::vector<std::string> hints;

  const EstimateOptions& best_options() const { return candidates[best].options; }
};

}  // namespace suffice
