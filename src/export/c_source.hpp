#pragma once
// The text of a C header while it is written: templates, tables and strings.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suffice/export/export.hpp"

namespace suffice {

class CSource {
 public:
  CSource(std::string name, Real real) : name_(std::move(name)), real_(real) {}

  /// In a template '@' stands for the name, and '$' before a function of <math.h> or a number gives
  /// it the type: "$log(@_x)" is logf(model_x) with float.
  std::string expand(std::string_view text) const;
  void add(std::string_view text) { text_ += expand(text); }

  /// A table of numbers that the following code calls @_`name`; one that is too long for compilers
  /// is the bytes of a string. Throws InvalidArgument where a number does not fit the type.
  void add_table(const std::string& name, std::span<const double> numbers);
  void add_table(const std::string& name, const Matrix& matrix) {
    add_table(name, {matrix.data(), static_cast<std::size_t>(matrix.size())});
  }
  void add_table(const std::string& name, const Vector& vector) {
    add_table(name, {vector.data(), static_cast<std::size_t>(vector.size())});
  }
  void add_positions(const std::string& name, const std::vector<Index>& positions);
  void add_strings(const std::string& name, std::span<const std::string> strings);

  /// A number as a literal of the type. Both kinds of digits read back as the same number.
  std::string literal(double value, bool decimal) const;
  bool is_float() const { return real_ == Real::float32; }
  std::string take() && { return std::move(text_); }

 private:
  void add_bytes(const std::string& name, std::span<const double> numbers);

  std::string name_, text_;
  Real real_;
  bool has_bytes_ = false;
};

/// A C string literal, of any bytes.
std::string c_string(std::string_view text);

}  // namespace suffice
