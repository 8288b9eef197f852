#pragma once
// Everything that can be asked of `fit`. What each wish needs, and which of them exclude each
// other, is one table in src/fit/wishes.cpp.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suffice/models/estimate_options.hpp"
#include "suffice/select/choose.hpp"
#include "suffice/train/completion.hpp"
#include "suffice/train/mixture.hpp"

namespace suffice {

/// Where categorical columns are: independent of the others, given the class; or indicators of
/// their levels in the Gaussian block (stats/indicators.hpp).
enum class Categories { apart, within, automatic };

/// Whether each column with missing values has a feature beside it that says so
/// (stats/indicators.hpp).
enum class MissingIndicators { no, yes, automatic };

struct FitOptions {
  /// Of the model. `set` fills in these and the four members below.
  EstimateOptions estimate = {};
  std::vector<std::string> fixed = {};      ///< the options that are given; others may be chosen
  std::vector<std::string> to_choose = {};  ///< those that are "auto": covariance, tails
  bool shrinkage_by_leave_one_out = false;  ///< shrinkage "loo": the strength is found
  bool means_by_folds = false;              ///< shrink_means "auto": the threshold is found

  /// The columns of numbers of which transformations are tried, and taken if a model of them
  /// predicts better. Unset: all that have none, where the model is chosen; otherwise none.
  std::optional<std::vector<std::string>> find_transforms = {};
  /// Unset: automatic where the model is chosen, otherwise apart.
  std::optional<Categories> categories = {};
  /// Unset: automatic where the model is chosen, otherwise no.
  std::optional<MissingIndicators> missing_indicators = {};
  /// By rows that were left out. Unset: a model that is chosen is calibrated, others are not.
  std::optional<bool> calibrate = {};
  bool by_groups = false;  ///< the source names groups: rows of one group are left out together
  MissingNumbers missing = MissingNumbers::automatic;
  PassOptions passes = {};                     ///< of EM, whose seed is the one below
  Index restarts = MixtureOptions().restarts;  ///< of mixtures
  std::optional<Model> start = {};             ///< a mixture to begin with; then no other is tried
  bool use_unlabelled = false;                 ///< rows without a label have a part in EM
  double unlabelled_weight = 1;                ///< of such a row
  std::uint64_t seed = 0;
  /// Learns from that many rows at most, drawn at random by the seed (fit/row_sample.hpp).
  std::optional<Index> max_rows = {};
  /// Told what is being done, and the share of it that is done; Execution::progress is not.
  std::function<void(std::string_view what, double done)> progress = {};

  /// One option by its name, as estimate_options() has it, and "auto" or "loo" where these are
  /// possible: FitOptions().set("covariance", "tied").set("shrinkage", "loo"). Throws
  /// InvalidArgument.
  FitOptions& set(std::string_view name, std::string_view text);

  bool is_fixed(std::string_view name) const;
  /// Whether the model is chosen. It is unless its covariance is named.
  bool chooses() const;
  /// Whether classes are mixtures, or rows without a label have a part.
  bool mixes() const { return !estimate.components.is_one() || use_unlabelled || start; }
  /// Whether rows are read again for a calibration: that of a choice comes with it, except for
  /// mixtures.
  bool calibrates_again() const { return (!chooses() || mixes()) && calibrate.value_or(false); }
  /// Whether changed columns were asked for, to be compared with the others.
  bool compares_columns() const {
    return (find_transforms && !find_transforms->empty()) || categories == Categories::automatic ||
           missing_indicators == MissingIndicators::automatic;
  }
};

/// What there is to learn from, the least first.
enum class Material {
  sums,
  sample,     ///< sums, and some of the rows
  rows_once,  ///< all rows, one after the other
  rows_kept,  ///< these, kept in memory as far as it goes
  rows,       ///< as often as they are needed
};

/// Throws InvalidArgument for wishes that exclude each other, and for those that need more than
/// there is. `source` is what the rows come from, in the message.
void require_possible(const FitOptions& options, Material material,
                      const std::string& source = "the source");

/// The first wish, if any, that needs more than that.
std::optional<Sentence> needs_more_than(Material material, const FitOptions& options);
/// The first wish, if any, that is about telling several classes apart.
std::optional<Sentence> needs_classes(const FitOptions& options);

}  // namespace suffice
