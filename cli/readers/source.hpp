#pragma once
// One file as rows. A source knows the names of its columns, tells from its first rows (or from the
// types that the file states) which are numbers and which are text, is told where each column goes,
// and then appends its rows, in order, to the blocks it is given.

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/line/options.hpp"
#include "cli/readers/rows.hpp"
#include "suffice/core/execution.hpp"

namespace suffice::cli {

enum class CellKind : std::uint8_t {
  missing,      ///< no value in the rows looked at
  number,       ///< numbers, all of them
  text,         ///< strings and booleans
  unsupported,  ///< a type that no family describes (a time, a list); `type` names it
};

/// Where the columns of a sparse file go, by their index from 0.
struct SparseTargets {
  Target label = {};
  std::vector<std::pair<Index, Index>> numbers = {};  ///< index, slot of the matrix of numbers
  /// Index → column of the sparse matrix, −1: none. Empty: as they are.
  std::vector<std::int32_t> slots = {};
  Index width = 0;                  ///< columns of the sparse matrix
  std::optional<Index> named = {};  ///< how many columns have names; an index beyond is an error
};

struct SourceColumn {
  std::string name;
  CellKind kind = CellKind::missing;
  std::string type = {};  ///< what the file calls the type, where it states one
};

std::vector<std::string> names_of(const std::vector<SourceColumn>& columns);

/// What column number j is called where the file has no name for it: as pandas calls it.
std::string unnamed_column(std::size_t j);
/// Whether a name is that of the index of a data frame, as pandas and R write it beside the
/// columns: one without a name, or Arrow's __index_level_0__.
bool is_index_column(std::string_view name);

/// How far a source has come, in bytes of the file as it is on the disk. A total of 0 is unknown.
struct Extent {
  std::int64_t done = 0;
  std::int64_t total = 0;
};

/// Rows that a first look reads: many, but fewer in a wide table, so that it does not take long.
Index rows_to_look_at(Index columns);

class Source {
 public:
  virtual ~Source() = default;

  virtual const std::string& path() const = 0;
  /// The column that has the labels where the format names it (LIBSVM); empty: none.
  virtual std::string own_label() const { return {}; }
  /// Features come as one sparse matrix (LIBSVM): every column but the label's is sparse.
  virtual bool is_sparse() const { return false; }
  /// Places are lines of text; otherwise numbers of rows.
  virtual bool in_lines() const { return false; }
  /// The columns, with what the first `rows` rows show; by default as many as rows_to_look_at says.
  /// Nothing is consumed. Throws FileError.
  virtual std::vector<SourceColumn> look(std::optional<Index> rows) = 0;
  /// Rows that the last look has seen, where kinds come from looking; otherwise more than any file
  /// has, since the file states them.
  virtual Index looked_at() const { return std::numeric_limits<Index>::max(); }
  /// Where column j goes. Called once, before the first read.
  virtual void select(const std::vector<Target>& targets) = 0;
  /// The same for a sparse source, without a list of its columns: nobody need look at them first.
  virtual void select(const SparseTargets&) {}
  /// Values of sparse columns that were selected nowhere, so far.
  virtual Index skipped_values() const { return 0; }
  /// Appends rows to `rows` until it is full or the file ends; returns false at the end, when
  /// there is nothing left to read. Throws FileError with line and column, Cancelled.
  virtual bool read(Rows& rows) = 0;
  virtual Extent extent() const = 0;
};

struct SourceOptions {
  InputOptions input;
  Execution execution;  ///< threads and stop
};

/// Opens a file by its name's ending, by --format, or by its first bytes; "-" is standard input.
/// Throws FileError.
std::unique_ptr<Source> open_source(const std::string& path, const SourceOptions& options);

/// The path in quotes, or "standard input".
std::string called(const std::string& path);

/// Whether a file in a folder is taken for a table.
bool has_table_ending(std::string_view path);

/// Whether a cell's text says that there is no value: empty, NA, NaN, nan, null, NULL, ?, or one of
/// --na. Blanks around it do not count.
class MissingTokens {
 public:
  explicit MissingTokens(const std::vector<std::string>& more = {});
  bool operator()(std::string_view cell) const noexcept;
  /// Tokens that read as numbers (-999): a number of this value is missing, in every format.
  const std::vector<double>& numbers() const noexcept { return numbers_; }

 private:
  std::vector<std::string> tokens_;
  std::size_t longest_ = 0;
  std::vector<double> numbers_;
  std::array<bool, 256> begins_{};  ///< bytes that a token begins with
};

}  // namespace suffice::cli
