#pragma once
// Rows to learn from, whatever holds them: a table on disk, arrays in memory, a stream, a partition
// of a cluster. `fit` reads them once for the sums, and again where an option needs it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "suffice/core/matrix.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/data/schema.hpp"

namespace suffice {

/// What a pass over the rows is for.
struct Reading {
  /// Of the columns of RowSource::schema: their transformations and indicators may differ.
  const Schema& schema;
  /// For people who wait: "reading again". Empty: nothing is shown, and several threads may read
  /// at a time.
  std::string what = {};
  bool unlabelled = false;  ///< whether rows without a label are wanted, too
  bool often = false;       ///< whether more passes will follow, so that rows are worth keeping
};

/// What a pass has read.
struct RowCounts {
  double rows = 0;
  double unlabelled = 0;  ///< of these, without a label: left out unless they were wanted
};

class RowSource {
 public:
  virtual ~RowSource() = default;

  /// What the columns mean, and which of them has the labels.
  virtual const Schema& schema() const = 0;
  /// Per column, whether its family was given by somebody. Empty: unknown.
  virtual std::vector<bool> given_families() const { return {}; }
  virtual bool is_sparse() const { return false; }
  /// What the rows come from, where they cannot be read again: "standard input".
  virtual std::optional<std::string> read_only_once() const { return {}; }
  /// Whether rows that can be read only once are kept where Reading::often asks for it; then
  /// read_only_once() says after the first pass whether there was room for them.
  virtual bool keeps_rows() const { return false; }

  using Use = std::function<void(const RowBlock& rows, const Column& groups)>;
  /// Calls `use` with all rows, in the same order each time. `groups` names the group of each row
  /// where rows come in groups, and is empty otherwise. Throws what `use` throws, with the place of
  /// the row, and what is wrong with the rows.
  virtual RowCounts read(const Reading& reading, const Use& use) = 0;
};

/// Rows in memory as a source. Keeps views of them. Rows without a label weigh nothing unless they
/// are wanted.
class RowsInMemory : public RowSource {
 public:
  RowsInMemory(Schema schema, const RowBlock& rows, const Column& groups = {});
  const Schema& schema() const override { return schema_; }
  bool is_sparse() const override;
  RowCounts read(const Reading& reading, const Use& use) override;

 private:
  Schema schema_;
  RowBlock rows_;
  Column groups_;
  Vector labelled_ =
      {};  ///< the weights without those of rows that have no label, if there are any
  double unlabelled_ = 0;
};

}  // namespace suffice
