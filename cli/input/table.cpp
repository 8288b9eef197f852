#include "cli/input/table.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <unordered_map>
#include <utility>

#include "cli/input/column_names.hpp"
#include "cli/line/suggest.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

CellKind join(CellKind a, CellKind b) {
  if (a == CellKind::missing) return b;
  if (b == CellKind::missing || a == b) return a;
  return a == CellKind::unsupported || b == CellKind::unsupported ? CellKind::unsupported
                                                                  : CellKind::text;
}

}  // namespace

Table::Table(const InputOptions& input, const Execution& execution)
    : input_(input),
      execution_(execution),
      files_(expand_paths(input.paths, execution.stop)),
      missing_(input.na) {
  for (const std::string& file : files_) {
    std::error_code error;
    const auto size = file == "-" ? 0 : std::filesystem::file_size(file, error);
    sizes_.push_back(error ? 0 : static_cast<std::int64_t>(size));
  }
  if (!input.names_file.empty()) names_ = read_column_names(input.names_file, execution.stop);
  for (std::size_t j = 0; j < names_.size(); ++j)
    name_index_.emplace(names_[j], static_cast<Index>(j));
  look();
  if (!input_.labels_file.empty()) open_labels();
}

/// The first rows may lie in several files, and how they are spread must not matter. A sparse table
/// waits until somebody asks for its columns.
void Table::look() {
  Index left = 0;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    std::unique_ptr<Source> source = open(files_[i]);
    if (i == 0) {
      sparse_ = source->is_sparse();
      own_label_ = source->own_label();
      if (sparse_) {
        opened_.push_back({std::move(source), {}});
        return;
      }
    }
    std::vector<SourceColumn> seen =
        columns_of(*source, i == 0 ? std::nullopt : std::optional(left));
    std::vector<std::string> names = names_of(seen);
    if (i == 0) {
      left = rows_to_look_at(std::ssize(seen));
      columns_ = std::move(seen);
    } else {
      std::unordered_map<std::string_view, CellKind> kinds;
      for (const SourceColumn& column : seen) kinds.emplace(column.name, column.kind);
      for (SourceColumn& column : columns_)
        if (const auto found = kinds.find(column.name); found != kinds.end())
          column.kind = join(column.kind, found->second);
    }
    left -= std::min(left, source->looked_at());
    opened_.push_back({std::move(source), std::move(names)});
    if (left == 0) break;
  }
  looked_ = true;
}

void Table::look_at_sparse() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (i == opened_.size()) opened_.push_back({open(files_[i]), {}});
    std::vector<SourceColumn> seen =
        columns_of(*opened_[i].source, i == 0 ? std::nullopt : std::optional(Index{0}));
    if (i == 0 || seen.size() > columns_.size()) columns_ = std::move(seen);
  }
  columns_.reserve(names_.size() + 2);
  // Also columns that are all 0.
  for (std::size_t j = columns_.size() - 1; j < names_.size(); ++j)
    columns_.push_back({names_[j], CellKind::number});
  looked_ = true;
}

const std::vector<SourceColumn>& Table::columns() {
  if (!looked_) look_at_sparse();
  if (forgotten_ > 0) remember_sparse_columns();
  return columns_;
}

void Table::forget_sparse_columns() {
  forgotten_ = columns_.size() - 1;
  columns_.resize(1);  // the label of the files
  columns_.shrink_to_fit();
}

void Table::remember_sparse_columns() {
  const std::size_t numbered = std::exchange(forgotten_, 0) - (labels_ ? 1 : 0);
  columns_.reserve(numbered + 2);
  for (std::size_t j = 0; j < numbered; ++j)
    columns_.push_back({j < names_.size() ? names_[j] : "x" + std::to_string(j), CellKind::number});
  if (labels_) columns_.push_back({own_label_, CellKind::text});
}

bool Table::has(const std::string& name) const {
  if (sparse_ && (name == own_label_ || sparse_index(name))) return true;
  return std::ranges::any_of(columns_,
                             [&](const SourceColumn& column) { return column.name == name; });
}

std::optional<Index> Table::sparse_index(const std::string& name) const {
  if (!names_.empty()) {
    const auto found = name_index_.find(name);
    return found == name_index_.end() ? std::nullopt : std::optional(found->second);
  }
  Index index = 0;
  if (name.size() < 2 || name[0] != 'x' || (name[1] == '0' && name.size() > 2)) return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), index);
  if (error != std::errc() || end != name.data() + name.size() || index < 0) return std::nullopt;
  return index;
}

std::vector<SourceColumn> Table::columns_of(Source& source, std::optional<Index> rows) const {
  std::vector<SourceColumn> columns = source.look(rows);
  if (!names_.empty()) name_columns(columns, names_, source.path(), source.is_sparse());
  return columns;
}

void Table::open_labels() {
  if (sparse_) columns();
  SourceOptions options{input_, execution_};
  options.input.format.clear();
  labels_ = open_source(input_.labels_file, options);
  const std::vector<SourceColumn> columns = labels_->look(0);
  if (columns.size() != 1)
    throw FileError(
        {.path = input_.labels_file},
        "'" + input_.labels_file + "' has " + std::to_string(columns.size()) + " columns",
        "a file of labels has one");
  own_label_ = labels_->in_lines() && input_.header ? columns.front().name : "label";
  for (const SourceColumn& column : columns_)
    if (column.name == own_label_)
      throw FileError({.path = input_.labels_file},
                      "both '" + files_.front() + "' and '" + input_.labels_file +
                          "' have a column '" + own_label_ + "'",
                      "rename one of them");
  columns_.push_back({own_label_, CellKind::text});
}

std::unique_ptr<Source> Table::open(const std::string& path) const {
  std::unique_ptr<Source> source = open_source(path, {input_, execution_});
  if (!opened_.empty() && source->is_sparse() != sparse_)
    throw FileError({.path = path},
                    called(path) + " and " + called(files_.front()) +
                        " cannot be one table: one is LIBSVM, the other is not",
                    "read them apart "
                    "with 'suffice stats' and merge");
  return source;
}

void Table::select(Selection selection) {
  selection_ = std::move(selection);
  if (sparse_ && looked_ && forgotten_ == 0) forget_sparse_columns();
}

Rows Table::make_rows(Index at_most) const {
  return Rows(selection_.layout, std::min(selection_.block_rows, at_most));
}

Rows Table::make_rows_of_bytes(double bytes) const {
  constexpr double text = 32, sparse_row = 2048;  // a cell, and a row, as they usually are
  const Layout& layout = selection_.layout;
  const double row = 8.0 * static_cast<double>(layout.numbers + 1) +
                     text * static_cast<double>(layout.texts) + (layout.sparse ? sparse_row : 0);
  return Rows(layout, std::max(selection_.block_rows, static_cast<Index>(bytes / row)));
}

/// Tells a source where its columns go, by their names.
void Table::direct(Source& source, const std::vector<std::string>& columns) const {
  std::unordered_map<std::string_view, std::size_t> position;
  position.reserve(columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) position.emplace(columns[j], j);
  std::vector<Target> targets(columns.size());
  for (const auto& [name, target] : selection_.targets) {
    if (labels_ && name == own_label_) continue;
    const auto found = position.find(name);
    if (found != position.end()) {
      targets[found->second] = target;
    } else if (target.kind != Target::Kind::sparse) {  // a sparse column that is absent is all zero
      throw FileError({.path = source.path()}, called(source.path()) + " has no column '" + name +
                                                   "'." + did_you_mean(name, columns));
    }
  }
  source.select(targets);
}

/// A column that the file lacks is all zero there.
void Table::direct_sparse(Source& source) const {
  SparseTargets targets;
  targets.slots = selection_.slots;
  targets.width = selection_.layout.sparse;
  if (!names_.empty()) targets.named = std::ssize(names_);
  for (const auto& [name, target] : selection_.targets) {
    if (labels_ && name == own_label_) continue;
    const std::optional<Index> index = sparse_index(name);
    if (name == source.own_label()) {
      targets.label = target;
    } else if (index && target.kind == Target::Kind::number) {
      targets.numbers.emplace_back(*index, target.slot);
    } else if (index) {
      throw FileError({.path = source.path()}, called(source.path()) + ": column '" + name +
                                                   "' is sparse, and names cannot be");
    } else {
      throw FileError({.path = source.path()},
                      called(source.path()) + " has no column '" + name + "'");
    }
  }
  source.select(targets);
}

bool Table::open_next() {
  if (next_file_ == files_.size()) return false;
  if (sparse_) {
    current_ = next_file_ < opened_.size() ? std::move(opened_[next_file_].source)
                                           : open(files_[next_file_]);
    direct_sparse(*current_);
  } else if (next_file_ < opened_.size()) {
    current_ = std::move(opened_[next_file_].source);
    direct(*current_, opened_[next_file_].columns);
  } else {
    current_ = open(files_[next_file_]);
    direct(*current_, names_of(columns_of(*current_, 0)));
  }
  if (labels_ && next_file_ == 0) labels_->select(std::vector<Target>{label_target()});
  ++next_file_;
  return true;
}

Target Table::label_target() const {
  for (const auto& [name, target] : selection_.targets)
    if (name == own_label_) return {Target::Kind::text, 0};
  return {};
}

bool Table::next(Rows& rows) {
  rows.clear();
  while (rows.room() > 0) {
    if (!current_) {
      if (!open_next()) break;
      rows.begin_file(current_->path(), current_->in_lines());
    }
    if (!current_->read(rows)) {
      skipped_values_ += current_->skipped_values();
      current_.reset();
      bytes_before_ += sizes_[next_file_ - 1];
    }
  }
  if (labels_) read_labels(rows);
  forget_missing_numbers(rows);
  rows_read_ += rows.size();
  return rows.size() > 0;
}

void Table::forget_missing_numbers(Rows& rows) const {
  for (const double number : missing_.numbers())
    std::replace(rows.numbers(0), rows.numbers(rows.size()), number,
                 std::numeric_limits<double>::quiet_NaN());
}

void Table::read_labels(Rows& rows) {
  const auto fail = [&](const std::string& what) {
    throw FileError(
        {.path = input_.labels_file},
        "'" + input_.labels_file + "' has " + what + " labels than the table has rows (" +
            std::to_string(rows_read_ + rows.size()) + (rows.size() ? " so far" : "") + ")",
        "row i of the one belongs to row i of the other");
  };
  const bool wanted = label_target().kind == Target::Kind::text;
  // At the end one row more is asked for, which must not be there.
  const Index count = std::max<Index>(rows.size(), 1);
  Rows labels({.texts = wanted}, count);
  labels.begin_file(input_.labels_file, labels_->in_lines());
  while (labels.room() > 0 && labels_->read(labels)) {
  }
  if (labels.size() < rows.size()) fail("fewer");
  if (rows.size() == 0 && labels.size() > 0) fail("more");
  if (!wanted) return;
  for (const auto& [name, target] : selection_.targets)
    if (name == own_label_ && rows.size() > 0)
      rows.texts()[target.slot].append(labels.texts()[0], 0, rows.size());
}

Extent Table::extent() const {
  Extent extent{bytes_before_ + (current_ ? current_->extent().done : 0), 0};
  for (const std::int64_t size : sizes_) {
    if (size == 0) return {extent.done, 0};
    extent.total += size;
  }
  return extent;
}

std::optional<std::string> read_only_once(const InputOptions& input, const std::stop_token& stop) {
  std::vector<std::string> files = expand_paths(input.paths, stop);
  if (!input.labels_file.empty()) files.push_back(input.labels_file);
  for (const std::string& file : files) {
    std::error_code ignored;
    const auto status = std::filesystem::status(file, ignored);
    if (file == "-" || (exists(status) && !is_regular_file(status))) return file;
  }
  return std::nullopt;
}

}  // namespace suffice::cli
