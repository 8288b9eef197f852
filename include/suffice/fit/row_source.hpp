#pragma once
// Rows to learn from, whatever holds them: a table on disk, arrays in memory, a stream, a partition
// of a cluster. `fit` reads them once for the sums, and again where an option needs it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/data/schema.hpp"

namespace suffice {

/// What a pass over the rows is for.
struct Reading {
  /// Of the columns of RowSource::schema: their transformations and indicators may differ.
  const Schema& schema;
  /// For people who wait: "reading again". Empty: nothing is shown, and several threads may read.
  std::string what = {};
  bool unlabelled = false;  ///< whether rows without a label are wanted, too
  bool often = false;       ///< whether more passes will follow, so that rows are worth keeping
};

class RowSource {
 public:
  virtual ~RowSource() = default;

  /// What the columns mean, and which of them has the labels.
  virtual const Schema& schema() const = 0;
  /// Per column, whether its family was given by somebody. Empty: unknown.
  virtual std::vector<bool> given_families() const { return {}; }
  virtual bool is_sparse() const { return false; }
  /// What the rows come from, where they can be read only once: "standard input".
  virtual std::optional<std::string> read_only_once() const { return {}; }

  using Use = std::function<void(const RowBlock& rows, const Column& folds)>;
  /// Calls `use` with all rows, in the same order each time. `folds` names the fold of each row
  /// where rows come in groups, and is empty otherwise. Throws what `use` throws, with the place of
  /// the row, and what is wrong with the rows.
  virtual void read(const Reading& reading, const Use& use) = 0;
  /// The rows without a label that the last pass left out.
  virtual double unlabelled_rows() const { return 0; }
};

/// Rows in memory as a source. Keeps a view of them.
class RowsInMemory : public RowSource {
 public:
  RowsInMemory(Schema schema, const RowBlock& rows, const Column& folds = {});
  const Schema& schema() const override { return schema_; }
  void read(const Reading& reading, const Use& use) override;

 private:
  Schema schema_;
  RowBlock rows_;
  Column folds_;
};

}  // namespace suffice
