#pragma once
// Several files as one table, in blocks of a fixed number of rows. The blocks are cut by the row
// number alone, so that sums do not depend on how the rows are spread over files or read.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cli/line/options.hpp"
#include "cli/line/paths.hpp"
#include "cli/readers/source.hpp"

namespace suffice::cli {

/// Files from paths, globs and folders (all files in it that have a known ending, in order of
/// name). Throws FileError where a path does not exist, or a glob or folder gives nothing;
/// Cancelled, since a glob may have millions of files to look at.
std::vector<std::string> expand_paths(const std::vector<std::string>& paths,
                                      const std::stop_token& stop = {});

/// The first of the files, also that of --labels, that can be read only once: standard input or a
/// pipe. Throws as expand_paths.
std::optional<std::string> read_only_once(const InputOptions& input,
                                          const std::stop_token& stop = {});

class Table {
 public:
  /// Opens the first file. Throws FileError.
  Table(const InputOptions& input, const Execution& execution);

  const std::vector<std::string>& files() const noexcept { return files_; }
  /// The columns of the first file, with what the first rows (of all files, if the first ones are
  /// short) show; those of --labels come last.
  /// Of a sparse table all files are read for them, when it is first asked: only the widest knows.
  const std::vector<SourceColumn>& columns();
  bool is_sparse() const noexcept { return sparse_; }
  /// Whether there is such a column; a sparse table has every column that its files can have.
  bool has(const std::string& name) const;
  /// Of a sparse table: the index, from 0, of the column of that name.
  std::optional<Index> sparse_index(const std::string& name) const;
  /// Where the format or --labels has the labels; empty: nowhere.
  const std::string& own_label() const noexcept { return own_label_; }

  /// Where the columns go, by name; what is not named is skipped. Every file must have them.
  struct Selection {
    Layout layout;
    Index block_rows = 4096;
    std::vector<std::pair<std::string, Target>> targets;
    std::vector<std::int32_t> slots = {};  ///< of a sparse table, as in SparseTargets
  };
  void select(Selection selection);
  /// The next rows, a whole block except at the end; false when there are none.
  bool next(Rows& rows);
  /// Empty rows of the block's size for this selection, or of fewer where sums do not depend on it.
  Rows make_rows(Index at_most = std::numeric_limits<Index>::max()) const;

  /// Rows that take about this many bytes, at least a block: for work that needs them twice.
  Rows make_rows_of_bytes(double bytes) const;

  Extent extent() const;
  std::int64_t rows_read() const noexcept { return rows_read_; }
  /// Values of a sparse table in columns that were not selected, so far.
  Index skipped_values() const noexcept {
    return skipped_values_ + (current_ ? current_->skipped_values() : 0);
  }

 private:
  void look();
  void open_labels();
  std::unique_ptr<Source> open(const std::string& path) const;
  /// What a source shows, under the names of --names.
  std::vector<SourceColumn> columns_of(Source& source, std::optional<Index> rows) const;
  bool open_next();
  void direct(Source& source, const std::vector<std::string>& columns) const;
  void direct_sparse(Source& source) const;
  void look_at_sparse();
  /// The names of a million columns take room, and are not needed to read rows.
  void forget_sparse_columns();
  void remember_sparse_columns();
  void read_labels(Rows& rows);
  /// --na -999
  void forget_missing_numbers(Rows& rows) const;
  /// In the rows of the labels file: the only text, or nothing where labels are not wanted.
  Target label_target() const;

  InputOptions input_;
  Execution execution_;
  std::vector<std::string> files_;
  MissingTokens missing_;
  std::vector<std::string> names_;                          ///< of --names
  std::vector<std::int64_t> sizes_;                         ///< of the files, in bytes
  std::unordered_map<std::string_view, Index> name_index_;  ///< of names_
  std::vector<SourceColumn> columns_;
  bool looked_ = false;
  std::size_t forgotten_ = 0;  ///< columns that can be made again
  bool sparse_ = false;
  std::string own_label_;
  Selection selection_;
  struct Opened {
    std::unique_ptr<Source> source;
    std::vector<std::string> columns;
  };
  std::vector<Opened> opened_;  ///< for the first look, not read yet
  std::unique_ptr<Source> current_;
  std::unique_ptr<Source> labels_;
  std::size_t next_file_ = 0;
  std::int64_t bytes_before_ = 0;
  std::int64_t rows_read_ = 0;
  Index skipped_values_ = 0;
};

}  // namespace suffice::cli
