#pragma once
// Names of classes and of category levels: a set of UTF-8 strings in an order that does not depend
// on the order of arrival. If all names are numeric the order is by value, then by bytes; otherwise
// it is by bytes.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

class Names {
 public:
  Names() = default;
  /// Sorts, and keeps one of each.
  explicit Names(std::vector<std::string> names);
  Names(std::initializer_list<std::string> names) : Names(std::vector<std::string>(names)) {}

  Index size() const noexcept { return static_cast<Index>(names_.size()); }
  bool empty() const noexcept { return names_.empty(); }
  const std::string& operator[](Index i) const noexcept {
    return names_[static_cast<std::size_t>(i)];
  }
  auto begin() const noexcept { return names_.begin(); }
  auto end() const noexcept { return names_.end(); }
  const std::vector<std::string>& list() const noexcept { return names_; }

  /// The position of `name`, or nothing.
  std::optional<Index> find(std::string_view name) const;
  /// The position of `name`. Throws InvalidArgument, which lists the names that there are; `what`
  /// says what is looked for ("class", "level").
  Index at(std::string_view name, std::string_view what) const;
  /// For each name of `others` its position here, or -1.
  std::vector<Index> positions_of(const Names& others) const;

  friend bool operator==(const Names&, const Names&) = default;

 private:
  std::vector<std::string> names_;
  bool numeric_ = true;
};

/// The union of both.
Names join(const Names& a, const Names& b);

/// An integer's name is its decimal digits; a whole number's name is the integer's; any other
/// number's is the shortest text that reads back as the same double.
std::string name_of(std::int64_t value);
std::string name_of(std::uint64_t value);
std::string name_of(double value);

/// "'a', 'b', 'c' and 7 more": for messages.
std::string list_for_message(std::span<const std::string> names, std::size_t at_most = 5);

}  // namespace suffice
