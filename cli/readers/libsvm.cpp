#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "cli/readers/cells.hpp"
#include "cli/readers/csv_text.hpp"
#include "cli/readers/formats.hpp"
#include "cli/readers/number_text.hpp"
#include "cli/readers/packed_entries.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

/// The largest index taken seriously: every column has a name in memory.
constexpr std::int64_t most_columns = std::int64_t{1} << 26;

/// A file with more columns than this must have a value for every `sparsest` of them: otherwise a
/// few bytes would take gigabytes.
constexpr std::int64_t plausible_columns = std::int64_t{1} << 20, sparsest = 1000;
/// Rows of a file that are parsed and kept while its largest index is looked for, in bytes.
constexpr std::size_t most_kept = std::size_t{64} << 20;
/// The longest line, in bytes.
constexpr std::size_t longest_line = std::size_t{256} << 20;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Lines without their comments, one after the other.
class Lines {
 public:
  Lines(const std::string& path, const std::stop_token& stop, std::unique_ptr<Bytes> bytes)
      : path_(path), bytes_(std::move(bytes)), stop_(stop), buffer_(1 << 20, '\0') {}

  /// False at the end. The line is valid until the next call.
  bool next(std::string_view& line) {
    for (;;) {
      const char* const begin = buffer_.data() + at_;
      if (const void* end = std::memchr(begin, '\n', size_ - at_)) {
        const auto length = static_cast<std::size_t>(static_cast<const char*>(end) - begin);
        line = {begin, length};
        at_ += length + 1;
        break;
      }
      if (ended_) {
        if (at_ == size_) return false;
        line = {begin, size_ - at_};
        at_ = size_;
        break;
      }
      fill();
    }
    ++number_;
    line = line.substr(0, line.find('#'));
    return true;
  }
  /// Of the line that was returned last, from 1.
  std::int64_t number() const noexcept { return number_; }
  Extent extent() const { return bytes_->extent(); }

 private:
  /// Moves what is left of a line to the front and reads on behind it.
  void fill() {
    if (stop_.stop_requested()) throw Cancelled();
    std::memmove(buffer_.data(), buffer_.data() + at_, size_ - at_);
    size_ -= at_;
    at_ = 0;
    if (size_ >= longest_line)
      throw FileError({.path = path_, .line = static_cast<std::size_t>(number_ + 1)},
                      "the line is longer than " + std::to_string(longest_line >> 20) + " MB",
                      "is this a LIBSVM file?");
    if (size_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    const std::size_t room = buffer_.size() - size_;
    const std::size_t got = bytes_->read(buffer_.data() + size_, room);
    ended_ = got < room;
    size_ += got;
  }

  std::string path_;
  std::unique_ptr<Bytes> bytes_;
  std::stop_token stop_;
  std::string buffer_;
  std::size_t at_ = 0, size_ = 0;
  bool ended_ = false;
  std::int64_t number_ = 0;
};

/// One line, taken apart.
class LineParser {
 public:
  explicit LineParser(const std::string& path) : path_(path) {}

  /// Returns false where the line has nothing but blanks.
  bool parse(std::string_view line, std::int64_t number) {
    line_ = line;
    number_ = number;
    at_ = 0;
    entries_.clear();
    skip_blanks();
    if (at_ == line_.size()) return false;
    label_ = token();
    if (label_.find(':') != label_.npos)
      fail(0, "the line begins with '" + shown(label_) + "', where a label belongs",
           "write a label, 0 if it is unknown, before it");
    for (skip_blanks(); at_ < line_.size(); skip_blanks()) entry();
    put_in_order();
    return true;
  }
  std::string_view label() const noexcept { return label_; }
  /// With rising indices, as they are in the file.
  const std::vector<Entry>& entries() const noexcept { return entries_; }

  /// What is wrong next is wrong with this line, which was parsed before.
  void be_at(std::int64_t number) { number_ = number; }

  /// Throws at byte `at` of the line.
  [[noreturn]] void fail(std::size_t at, const std::string& reason,
                         const Sentence& advice = {}) const {
    const auto line = static_cast<std::size_t>(number_);
    throw FileError({.path = path_, .line = line, .column = at + 1}, reason, advice);
  }

 private:
  void skip_blanks() {
    while (at_ < line_.size() && is_space(line_[at_])) ++at_;
  }
  std::string_view token() {
    const std::size_t first = at_;
    while (at_ < line_.size() && !is_space(line_[at_])) ++at_;
    return line_.substr(first, at_ - first);
  }

  void entry() {
    const std::size_t first = at_;
    const char* const end = line_.data() + line_.size();
    Entry entry{};
    const auto [colon, error] = std::from_chars(line_.data() + at_, end, entry.index);
    if (error == std::errc() && colon != end && *colon == ':') {
      at_ = static_cast<std::size_t>(colon + 1 - line_.data());
      const std::size_t value_at = at_;
      const std::string_view value = token();
      const auto [rest, wrong] =
          std::from_chars(value.data(), value.data() + value.size(), entry.value);
      if (wrong != std::errc() || rest != value.data() + value.size()) {
        const std::optional<double> number = parse_number(value);  // a plus, or out of range
        if (!number)
          fail(value_at, "the value of index " + std::to_string(entry.index) + ", '" +
                             shown(value) + "', is not a number");
        entry.value = *number;
      }
      if (entry.index < 0 || entry.index > most_columns)
        fail(first, "the index " + std::to_string(entry.index) + " is not between 0 and " +
                        std::to_string(most_columns));
      ordered_ = entries_.empty() || (ordered_ && entries_.back().index < entry.index);
      entries_.push_back(entry);
      return;
    }
    at_ = first;
    const std::string_view word = token();
    if (!word.starts_with("qid:"))
      fail(first, "'" + shown(word) + "' is not of the form index:value");
  }

  void put_in_order() {
    if (ordered_ || entries_.empty()) return;
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.index < b.index; });
    const auto twice =
        std::adjacent_find(entries_.begin(), entries_.end(),
                           [](const Entry& a, const Entry& b) { return a.index == b.index; });
    if (twice == entries_.end()) return;
    // The second one is where the reader must look.
    const std::string text = std::to_string(twice->index) + ":";
    std::size_t at = 0;
    for (int seen = 0; at < line_.size(); ++at) {
      const bool begins = at > 0 && is_space(line_[at - 1]) && line_.substr(at).starts_with(text);
      if (begins && ++seen == 2) break;
    }
    fail(at < line_.size() ? at : 0,
         "the index " + std::to_string(twice->index) + " comes twice in this line");
  }

  const std::string& path_;
  std::string_view line_;
  std::int64_t number_ = 0;
  std::size_t at_ = 0;
  std::string_view label_;
  std::vector<Entry> entries_;
  bool ordered_ = true;
};

/// The largest index of a file.
class IndexScan {
 public:
  void add(std::span<const Entry> entries, std::int64_t number) {
    values_ += std::ssize(entries);
    if (entries.empty() || entries.back().index <= largest_) return;
    largest_ = entries.back().index;
    line_ = number;
  }
  /// Of a line that is not taken apart: whatever is wrong with it is found when it is read.
  void add(std::string_view line, std::int64_t number) {
    const char* const begin = line.data();
    const char* const end = begin + line.size();
    for (const char* at = begin; at < end;) {
      const void* const found = std::memchr(at, ':', static_cast<std::size_t>(end - at));
      if (!found) break;
      const char* const colon = static_cast<const char*>(found);
      const std::int64_t index = index_before(colon, begin);
      at = colon + 1;
      if (index < 0 || index > most_columns) continue;
      ++values_;
      if (index <= largest_) continue;
      largest_ = index;
      line_ = number;
    }
  }
  std::int64_t largest() const noexcept { return largest_; }  ///< -1: there is none
  std::int64_t line() const noexcept { return line_; }        ///< the first one that has it
  std::int64_t values() const noexcept { return values_; }

 private:
  /// The number that ends at the colon and begins after a blank; -1: there is none.
  static std::int64_t index_before(const char* colon, const char* begin) {
    constexpr std::int64_t too_large = most_columns + 1;
    std::int64_t index = 0, unit = 1;
    const char* p = colon;
    for (; p > begin && p[-1] >= '0' && p[-1] <= '9'; --p) {
      if (unit <= too_large) index = std::min(index + unit * (p[-1] - '0'), too_large);
      if (unit > too_large && p[-1] != '0') index = too_large;
      unit = std::min(unit * 10, 10 * too_large);
    }
    return p == colon || p == begin || !is_space(p[-1]) ? -1 : index;
  }

  std::int64_t largest_ = -1, line_ = 0, values_ = 0;
};

class LibsvmSource : public Source {
 public:
  LibsvmSource(const std::string& path, const SourceOptions& options)
      : path_(path),
        stop_(options.execution.stop),
        missing_(options.input.na),
        parser_(path_),
        base_(options.input.index_base) {
    std::error_code ignored;
    readable_again_ = path != "-" && std::filesystem::is_regular_file(path, ignored);
    lines_.emplace(path_, stop_, open_bytes(path_, stop_));
  }

  const std::string& path() const override { return path_; }
  std::string own_label() const override { return "label"; }
  bool is_sparse() const override { return true; }
  bool in_lines() const override { return true; }
  Extent extent() const override { return lines_->extent(); }
  Index skipped_values() const override { return skipped_; }

  /// The label, then x0, x1, … With 0 rows to look at, none are kept.
  std::vector<SourceColumn> look(std::optional<Index> rows) override {
    if (!width_) scan(rows == 0 ? 0 : most_kept);
    std::vector<SourceColumn> columns;
    columns.reserve(static_cast<std::size_t>(*width_ + 1));
    columns.push_back({"label", CellKind::text});
    for (Index j = 0; j < *width_; ++j)
      columns.push_back({"x" + std::to_string(j), CellKind::number});
    return columns;
  }

  void select(const std::vector<Target>& targets) override {
    SparseTargets sparse;
    sparse.label = targets.front();
    sparse.slots.assign(targets.size() - 1, -1);
    for (std::size_t j = 1; j < targets.size(); ++j) {
      const auto index = static_cast<Index>(j - 1);
      if (targets[j].kind == Target::Kind::text)
        throw FileError({.path = path_},
                        "'" + path_ + "': column 'x" + std::to_string(index) +
                            "' is sparse, and names cannot be: give it another family");
      if (targets[j].kind == Target::Kind::number)
        sparse.numbers.emplace_back(index, targets[j].slot);
      if (targets[j].kind == Target::Kind::sparse)
        sparse.slots[j - 1] = static_cast<std::int32_t>(targets[j].slot);
    }
    select(sparse);
  }
  void select(const SparseTargets& targets) override { targets_ = targets; }

  bool read(Rows& rows) override {
    places_.clear();
    while (std::ssize(places_) < rows.room() && kept_.next(row_)) {
      parser_.be_at(row_.line);
      append(rows, row_.label, row_.entries);
      places_.push_back(row_.line);
    }
    bool more = true;
    std::string_view line;
    while (std::ssize(places_) < rows.room()) {
      more = lines_->next(line);
      if (!more) break;
      if (!parser_.parse(line, lines_->number())) continue;
      append(rows, parser_.label(), parser_.entries());
      places_.push_back(lines_->number());
    }
    rows.commit(places_);
    return more;
  }

 private:
  /// Finds the largest index. Rows are parsed and kept meanwhile. Where they take more than `most`
  /// bytes, the rest of a file is only looked at, and read again.
  void scan(std::size_t most) {
    IndexScan found;
    std::string_view line;
    bool more = true;
    while ((!readable_again_ || kept_.bytes() < most) && (more = lines_->next(line))) {
      if (!parser_.parse(line, lines_->number())) continue;
      found.add(parser_.entries(), lines_->number());
      kept_.add(lines_->number(), parser_.label(), parser_.entries());
    }
    const std::int64_t parsed = lines_->number();
    while (more && (more = lines_->next(line))) found.add(line, lines_->number());
    if (found.largest() > plausible_columns && found.largest() / sparsest > found.values())
      throw FileError({.path = path_, .line = static_cast<std::size_t>(found.line())},
                      "the index " + std::to_string(found.largest()) +
                          " makes that many columns, and the file has only " +
                          std::to_string(found.values()) + " values",
                      "number the columns that are used");
    width_ = std::max<std::int64_t>(found.largest() - base_ + 1, 0);
    if (lines_->number() == parsed) return;  // nothing is left to read
    lines_.emplace(path_, stop_, open_bytes(path_, stop_));
    while (lines_->number() < parsed && lines_->next(line)) {
    }
  }

  /// Indices rise, so the first one is the least.
  void require_base(std::span<const Entry> entries) const {
    if (!entries.empty() && entries.front().index < base_)
      parser_.fail(0, "the line has the index 0, but indices count from 1",
                   "if they count from 0 here, use " + Option{"index_base", "0"});
  }

  void append(Rows& rows, std::string_view label, std::span<const Entry> entries) {
    const Index row = rows.size() + std::ssize(places_);
    if (targets_.label.kind == Target::Kind::text) {
      TextColumn& texts = rows.texts()[targets_.label.slot];
      if (!is_utf8(label)) parser_.fail(0, "the label is not UTF-8", "convert the file with iconv");
      missing_(label) ? texts.add_missing() : texts.add(label);
    } else if (targets_.label.kind == Target::Kind::number) {
      const std::optional<double> number = parse_number(label);
      if (!number) parser_.fail(0, "the label '" + shown(label) + "' is not a number");
      rows.numbers(row)[targets_.label.slot] = *number;
    }
    require_base(entries);
    for (const auto& [index, slot] : targets_.numbers) rows.numbers(row)[slot] = 0;
    SparseRows& sparse = rows.sparse();
    for (const Entry& entry : entries) {
      const Index index = entry.index - base_;
      if (targets_.named && index >= *targets_.named)
        parser_.fail(0, "the index " + std::to_string(entry.index) + " has no name",
                     Option{"names"} + " has " + std::to_string(*targets_.named) + " of them");
      if (const Index slot = slot_of(index); slot >= 0) {
        sparse.column.push_back(slot);
        sparse.value.push_back(entry.value);
      } else if (!is_number(rows, row, index, entry.value)) {
        ++skipped_;
      }
    }
    sparse.row_start.push_back(std::ssize(sparse.column));
  }

  Index slot_of(Index index) const {
    if (targets_.slots.empty()) return index < targets_.width ? index : -1;
    return index < std::ssize(targets_.slots) ? targets_.slots[static_cast<std::size_t>(index)]
                                              : -1;
  }
  /// Stores the value of a column that goes to the matrix of numbers.
  bool is_number(Rows& rows, Index row, Index index, double value) const {
    for (const auto& [known, slot] : targets_.numbers)
      if (known == index) {
        rows.numbers(row)[slot] = value;
        return true;
      }
    return false;
  }

  std::string path_;
  std::stop_token stop_;
  MissingTokens missing_;
  LineParser parser_;
  std::int64_t base_;
  bool readable_again_ = false;
  std::optional<Index> width_;  ///< columns, once they are known
  SparseTargets targets_;
  std::optional<Lines> lines_;
  Index skipped_ = 0;
  std::vector<std::int64_t> places_;
  PackedEntries kept_;  ///< rows that were parsed by scan()
  PackedEntries::Row row_;
};

}  // namespace

std::unique_ptr<Source> open_libsvm(const std::string& path, const SourceOptions& options) {
  return std::make_unique<LibsvmSource>(path, options);
}

}  // namespace suffice::cli
