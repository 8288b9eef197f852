#pragma once
// What the columns of a table are for: from the first look and the flags (training) or from a
// model's schema (scoring) to a schema, and from rows to the library's view of them.

#include <string>
#include <utility>
#include <vector>

#include "cli/input/table.hpp"
#include "cli/line/suggest.hpp"
#include "suffice/data/schema.hpp"

namespace suffice::cli {

struct Plan {
  Schema schema;
  Table::Selection selection;
  std::vector<Target> columns;                       ///< slot of each column of the schema
  std::vector<bool> chosen;                          ///< per column: its family was given
  Index label = -1;                                  ///< text slot; -1: none
  bool one_class = false;                            ///< --no-label: all rows are of one class
  Index weight = -1;                                 ///< number slot; -1: none
  Index fold = -1;                                   ///< text slot; -1: none
  std::vector<std::string> skipped;                  ///< columns that are left out, as asked for
  std::vector<std::pair<std::string, Target>> kept;  ///< columns that are carried along
};

/// For fit, stats and select. Throws UsageError and FileError: a column that does not exist (with
/// the nearest that does), nothing left to learn from, a type that no family describes.
Plan plan_training(Table& table, const ColumnOptions& options);

/// Throws FileError where the table lacks features of the schema. plan_scoring does it, too.
void require_columns(Table& table, const Schema& schema);

/// For predict and evaluate: the model's features by name, and the columns of the label, the weight
/// and the fold where they are wanted (empty: none). `is_fixed`: nobody can choose other families.
Plan plan_scoring(Table& table, const Schema& schema, const std::string& label,
                  const std::string& weight, const std::string& fold = {}, bool is_fixed = true);

/// predict --keep: also reads the columns that match a pattern, in the order of the table. Throws
/// FileError for a pattern that matches none, and for a sparse table.
void keep_columns(Plan& plan, Table& table, const std::vector<std::string>& patterns);

/// Takes out the rows that have no label; returns how many.
Index drop_unlabelled(const Plan& plan, Rows& rows);

/// The rows as the library sees them, with labels and weights where the plan has them. A view.
RowBlock view(const Plan& plan, const Rows& rows);

/// Runs `work`, and turns a DataError about a row of `rows` into a FileError that says in which
/// file and line the row stands.
template <class Work>
void with_places(const Rows& rows, Work&& work) {
  try {
    work();
  } catch (const DataError& error) {
    const Place& in_block = error.where();
    if (in_block.row < 0 || in_block.row >= rows.size()) throw;
    Place in_file = rows.place(in_block.row);
    in_file.label = in_block.label;
    in_file.features = in_block.features;
    throw FileError(std::move(in_file), error.sentence(), error.advice());
  }
}

}  // namespace suffice::cli
