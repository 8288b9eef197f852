#pragma once
// From tables to statistics: what `fit`, `stats` and `select` have in common.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/plan.hpp"
#include "cli/verbs/context.hpp"
#include "suffice/select/choose.hpp"
#include "suffice/stats/reservoir.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::cli {

/// Columns whose meaning was changed, since a model of the changed ones predicts better.
struct BetterColumns {
  std::vector<std::string> changes;          ///< in words
  double log_loss_before = 0, log_loss = 0;  ///< of rows that were left out
  bool in_folds = false;                     ///< several at a time
};

/// The rows of the tables, as they were read; those without a label only where they are used.
struct KeptRows {
  Plan plan;
  std::vector<Rows> blocks;
};

struct Training {
  Statistics statistics;
  std::vector<std::string> files;
  double rows = 0;                          ///< read, with or without a label
  double unlabelled_rows = 0;               ///< left out, since their class is unknown
  std::vector<std::string> skipped = {};    ///< columns left out, as asked for
  std::optional<Reservoir> reservoir = {};  ///< stats --reservoir
  std::optional<SampledRows> sample = {};   ///< where a model is to be chosen
  std::optional<BetterColumns> better_columns = {};
  /// For training in several passes; null: they are too many, or were not asked for.
  std::shared_ptr<const KeptRows> kept = {};
};

/// What `choose` is told by the flags of the model.
ChooseOptions choose_options(const Options& options);

/// What statistics are for: a file, an estimate with the options of the command, one whose columns
/// are compared with others, or a choice of the options.
enum class Purpose { file, estimate, comparison, choice };
Purpose purpose_of_fit(const Options& options);

/// One pass over the tables of the command, which keeps the scatter that is needed, and a sample of
/// the rows where something is to be compared. Warns of columns that look like identifiers.
/// `schema`, if it is given, is what the same columns mean instead; they were warned of before.
Training read_training(const Context& context, Purpose purpose = Purpose::estimate,
                       const std::optional<Schema>& schema = {});
/// What is needed, for that many rows; none: it is not known how many.
Scatter scatter_for(const Options& options, const Schema& schema, Purpose purpose,
                    std::optional<Index> rows = {});

/// What the columns of the command's tables are for, by its flags or by --like.
Plan plan_of(const Context& context, Table& table);

/// Throws FileError for a table without rows, or without a label in any of them.
void require_labelled_rows(const Table& table, const Plan& plan, double unlabelled_rows);

/// Whether the inputs are statistics files. Throws FileError for a mixture, and for a model.
bool are_statistics(const std::vector<std::string>& paths);

}  // namespace suffice::cli
