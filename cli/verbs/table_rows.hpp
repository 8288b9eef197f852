#pragma once
// Tables as rows to learn from.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/plan.hpp"
#include "cli/input/table.hpp"
#include "cli/verbs/context.hpp"
#include "suffice/fit/row_source.hpp"

namespace suffice::cli {

class TableRows : public RowSource {
 public:
  /// The tables of the command, whose columns are what the flags, or the file of --like, say.
  /// Throws FileError, and UsageError for columns that do not exist; so does `read` for rows.
  explicit TableRows(const Context& context);
  /// Other tables. The plan is made when the first one is open.
  TableRows(const Context& context, InputOptions input,
            const std::function<Plan(Table& table)>& plan);

  const Schema& schema() const override { return plan_.schema; }
  std::vector<bool> given_families() const override { return plan_.chosen; }
  bool is_sparse() const override { return is_sparse_; }
  std::optional<std::string> read_only_once() const override;
  bool keeps_rows() const override { return true; }
  RowCounts read(const Reading& reading, const Use& use) override;

  const std::vector<std::string>& files() const { return files_; }
  /// What the columns are for, those of --keep among them.
  const Plan& plan() const { return plan_; }
  /// During a pass: the rows that are being handed over.
  const Rows& at_hand() const { return *at_hand_; }
  /// Columns that were left out, as asked for.
  const std::vector<std::string>& skipped() const { return plan_.skipped; }

 private:
  void hand_over(const Plan& plan, const Rows& rows, const Use& use);
  RowCounts read_kept(const Reading& reading, const Use& use);
  Plan plan_again(Table& table, const Schema& schema) const;

  const Context& context_;
  const InputOptions input_;
  std::optional<std::string> once_;  ///< in words
  std::optional<Table> table_;       ///< until the first pass
  std::vector<std::string> files_;
  bool is_sparse_ = false;
  Plan plan_;
  const Rows* at_hand_ = nullptr;
  std::vector<Rows> kept_;  ///< of the first pass, those without a label included
  RowCounts kept_counts_;
};

/// What the columns of the command's tables are for, by its flags or by --like.
Plan plan_of(const Context& context, Table& table);

/// Throws FileError for a table without rows, or without a label in any of them.
void require_labelled_rows(const Table& table, const Plan& plan, double unlabelled_rows);

}  // namespace suffice::cli
