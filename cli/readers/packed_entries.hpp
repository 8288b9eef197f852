#pragma once
// Rows of a LIBSVM file that were parsed before anybody could use them, usually in less memory than
// their text.

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace suffice::cli {

struct Entry {
  std::int64_t index;
  double value;
};

/// A queue of rows.
class PackedEntries {
 public:
  /// Indices rise.
  void add(std::int64_t line, std::string_view label, std::span<const Entry> entries);

  struct Row {
    std::int64_t line = 0;
    std::string_view label;  ///< valid until the next call of `next`
    std::vector<Entry> entries;
  };
  /// Takes out the first row; false where there is none. Memory is freed as rows leave.
  bool next(Row& row);

  std::size_t bytes() const noexcept { return bytes_; }

 private:
  void put(std::uint64_t number);
  std::uint64_t get();

  std::deque<std::string> pieces_;  ///< of whole rows
  std::size_t at_ = 0;              ///< in the first piece
  std::size_t bytes_ = 0;
  std::int64_t last_in_ = 0, last_out_ = 0;  ///< lines
};

}  // namespace suffice::cli
