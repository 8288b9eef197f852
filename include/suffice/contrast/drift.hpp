#pragma once
// Has the data changed? Two sets of sums compared without a row. Old against new is a problem of
// two classes, so that the tests and distances of classes are those of the change:
//   D² = (m_new − m_old)ᵀ S⁻¹ (m_new − m_old) with the pooled covariance S, and Φ(D/√2) is the AUC
// of the best linear rule that tells new rows from old ones.
//
// A change is *found* where a test finds it, at the level of DriftOptions, and *flagged* where it
// is found and large enough to matter. Sums see means, variances, correlations and counts; a change
// of shape alone shows only where both sides have kept some rows.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "suffice/contrast/class_tests.hpp"
#include "suffice/core/execution.hpp"
#include "suffice/core/figure.hpp"
#include "suffice/stats/reservoir.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// How large a change must be to matter, and how tests are made.
struct DriftOptions {
  double mean = 0.1;         ///< a mean, or a deviation's logarithm: in deviations
  double auc = 0.53;         ///< of a rule that tells old and new apart
  double share = 0.05;       ///< shares, in total variation
  double correlation = 0.1;  ///< in Fisher's z
  double level = 0.05;       ///< of each kind of test
  std::uint64_t seed = 0;
  Index samples = 20000;  ///< simulated rows; fewer where they take long
};

/// One side: its sums, and rows where some were kept.
struct DriftSide {
  const Statistics& statistics;
  const Reservoir* rows = nullptr;
};

/// A test and its verdict. `p_adjusted` is by Holm's method over all that are tested with it.
struct Change {
  double p = 1, p_adjusted = 1;
  bool found = false, flagged = false;
};

/// One column of the schema by itself.
struct ColumnDrift {
  std::string name;
  Family family = Family::gaussian;
  double auc = 0.5;  ///< of this column alone, linear: Φ(|effect|/√2); of tables by their shares
  /// Numbers: the difference of means (new − old) in pooled deviations. Counts: of means in the
  /// deviation of a Poisson. Waiting times: the logarithm of the ratio of means. Yes or no: the
  /// difference of shares. Names and words: the total variation of the shares.
  double effect = 0;
  Change mean;  ///< Welch's t for numbers, otherwise the likelihood ratio G
  /// Numbers: the deviation of new rows over that of old ones. As sums do not know the tails, the
  /// test allows for a kurtosis of 9, that of the exponential distribution.
  std::optional<double> spread = {};
  Change spread_change = {};
  /// Both sides have rows: the largest distance of their distribution functions
  /// (Kolmogorov–Smirnov), which sees shape.
  std::optional<double> distance = {};
  Change rank = {};
  /// By how much D² would fall without this column: its evidence given all others.
  std::optional<double> unique_d2 = {};
  double old_mean = 0, new_mean = 0, old_deviation = 0, new_deviation = 0;  ///< of numbers
  double p = 1, p_adjusted = 1;                                             ///< those of `mean`
  bool found = false, flagged = false;
};

/// All columns together.
struct JointDrift {
  double auc = 0.5;            ///< linear, corrected for the number of rows
  double auc_quadratic = 0.5;  ///< of the likelihood ratio, by simulation
  double d2 = 0;
  FTest t2 = {};                   ///< Hotelling's T² (`statistic`) with its F
  std::optional<BoxM> box_m = {};  ///< whether the covariances are the same
  bool found = false, flagged = false;
};

/// Shares of classes, or of missing values: G with its verdict.
struct ShareDrift {
  std::string name = {};
  Vector old_shares, new_shares;
  double total_variation = 0, g = 0, df = 0;
  Change change = {};
};

/// p(x | c) of one class.
struct ClassDrift {
  std::string label;
  double old_rows = 0, new_rows = 0;
  double auc = 0.5, d2 = 0;
  Change change = {};  ///< by Hotelling's T²
};

struct LevelDrift {
  std::string name;
  std::vector<std::string> added, gone;
};

struct CorrelationDrift {
  struct Pair {
    std::string a, b;
    double before = 0, after = 0;
    double z = 0;  ///< the difference of Fisher's z, new − old
    Change change = {};
  };
  std::vector<Pair> pairs;  ///< those that moved most, the most first
  bool found = false, flagged = false;
};

struct Drift {
  double old_rows = 0, new_rows = 0;
  bool found = false, flagged = false;
  std::optional<JointDrift> joint = {};
  std::vector<ColumnDrift> columns = {};
  Names labels = {};
  std::optional<ShareDrift> classes = {};
  std::vector<ClassDrift> densities = {};
  std::vector<ShareDrift> missing = {};  ///< columns that lack values on a side
  std::vector<LevelDrift> levels = {};   ///< columns with levels or words that are new or gone
  std::optional<CorrelationDrift> correlations = {};
  std::vector<std::string> notes = {};
};

/// Throws InvalidArgument: other columns, families or transformations (it names the first), no
/// rows on a side, weights that are no numbers of rows; Cancelled.
Drift drift(const DriftSide& before, const DriftSide& after, const DriftOptions& options = {},
            const Execution& execution = {});

/// The columns that both have, with one meaning. Throws InvalidArgument where there are none.
std::vector<std::string> common_columns(const Schema& a, const Schema& b);
/// The sums of these columns alone.
Statistics with_columns(const Statistics& statistics, const std::vector<std::string>& names);

/// For JSON and Python.
std::vector<Figure> drift_figures(const Drift& drift);

}  // namespace suffice
