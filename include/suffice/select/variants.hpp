#pragma once
// Other meanings of the same columns (logarithms of numbers, for example), compared on a sample of
// the rows before all rows are read again.
//
//   const Choice choice = choose(statistics, sample);
//   const BetterSchema better = better_schema(statistics, sample, choice, {.transformable = {0,
//   2}}); if (better.is_other()) …  // read the rows again under better.schema, and choose again
//
// For each schema, statistics of the sampled rows alone are made, and a few models are scored on
// these rows by exact leave-one-out and calibrated, as in `choose`. A variant is taken only if its
// log-loss is below that of the schema as it is by more than one standard error of the difference,
// and by 3 nats over all sampled rows together.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "suffice/select/choose.hpp"

namespace suffice {

struct SchemaVariant {
  Schema schema;      ///< of the same columns, in the same order
  std::string words;  ///< for people: "12 of 20 columns of numbers are signed logarithms"
};

/// Signed logarithms of `columns` (positions), which are Gaussian and not transformed: of all of
/// them; of the skewed ones; of those that are nearer to a normal distribution in each class as
/// logarithms. Scales are 1, 0.1 and 0.01 times the median size of the numbers that are not 0, and
/// have two digits. Empty where no column has a skewness above 1, or above 400 features.
std::vector<SchemaVariant> transform_variants(const Schema& schema, const SampledRows& sample,
                                              std::span<const Index> columns);

/// Beside each column with missing values a feature that says so (stats/indicators.hpp). None where
/// nothing is missing.
std::optional<SchemaVariant> missing_variant(const Statistics& statistics);

struct VariantChoice {
  struct Result {
    bool measured = false;                ///< otherwise no model could be estimated
    double error_rate = 0, log_loss = 0;  ///< calibrated, leave-one-out; of the best model
  };
  std::vector<Result> results = {};  ///< of the schema as it is, then of the variants
  Index chosen = 0;                  ///< 0: the schema as it is; otherwise the variant's number + 1
};

/// `choice` is that of `statistics`, which have the schema as it is or another one for the same
/// rows. Models have the options of the choice or of the default; strengths that are numbers of
/// rows shrink with the sample. Throws Cancelled.
VariantChoice compare_variants(const Schema& schema, std::span<const SchemaVariant> variants,
                               const Statistics& statistics, const SampledRows& sample,
                               const Choice& choice, const ChooseOptions& options = {},
                               const Execution& execution = {});

/// What may be changed.
struct VariantOptions {
  std::vector<Index> transformable = {};  ///< positions of features for transform_variants
  bool missing_indicators = false;        ///< as in missing_variant
};

struct BetterSchema {
  Schema schema;
  std::vector<std::string> words = {};  ///< one for each kind of change; empty: the schema as it is
  bool is_other() const { return !words.empty(); }
};

/// One kind of variant after the other, each for the best schema so far.
BetterSchema better_schema(const Statistics& statistics, const SampledRows& sample,
                           const Choice& choice, const VariantOptions& variants,
                           const ChooseOptions& options = {}, const Execution& execution = {});

/// Categorical features as indicators in the Gaussian block (stats/indicators.hpp). None where
/// there are no such features, or where the block would have more than 400.
std::optional<SchemaVariant> category_variant(const Statistics& statistics);

/// Whether the log-loss of another choice, of the same rows under another schema, is lower by 3
/// nats over all sampled rows together.
bool gains_enough(const Choice& choice, const Choice& other);

/// Reads the rows again under another schema of the same columns.
using ReadAgain = std::function<Statistics(const Schema&)>;

struct ChangeableColumns {
  std::vector<Index> transformable = {};  ///< as in VariantOptions
  /// Whether categorical features may become indicators in the Gaussian block
  /// (stats/indicators.hpp).
  bool categories = false;
  bool missing_indicators = false;  ///< as in VariantOptions

  bool is_none() const { return transformable.empty() && !categories && !missing_indicators; }
};

struct ChosenColumns {
  Statistics statistics;
  Choice choice;
  std::vector<std::string> changes = {};  ///< in words; empty: the columns as they are
};

/// The better schema together with its model. `choice` is that of `statistics`. Transformations and
/// indicators of missing values are compared by better_schema, and taken if the choice among all
/// candidates has a lower log-loss, too. Indicators of levels need as many rows as there are, so
/// that all rows are read again with them; they are taken if the choice's log-loss is lower by 3
/// nats over all sampled rows together.
ChosenColumns choose_columns(const Statistics& statistics, const SampledRows& sample,
                             const Choice& choice, const ChangeableColumns& columns,
                             const ReadAgain& read, const ChooseOptions& options = {},
                             const Execution& execution = {});

}  // namespace suffice
