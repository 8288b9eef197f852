#pragma once
// The cells of a row that is written, from left to right.

#include <string_view>

namespace suffice::cli {

class CellSink {
 public:
  virtual void add(std::string_view text) = 0;
  /// `digits`: significant ones, in text; 0: as many as read back as the same number.
  virtual void add(double number, int digits = 0) = 0;
  /// An empty cell; null in JSON and Arrow.
  virtual void add_nothing() = 0;

 protected:
  ~CellSink() = default;
};

}  // namespace suffice::cli
