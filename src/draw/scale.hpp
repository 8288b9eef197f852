#pragma once
// Where a value lies on an axis, and which values are marked there.

#include <string>
#include <vector>

namespace suffice::draw {

struct Tick {
  double value;
  std::string label;
};

/// A number as people read it on an axis or in a table: up to `digits` significant digits.
std::string short_number(double value, int digits = 4);

/// From values to pixels. Infinite values lie at the ends.
class Scale {
 public:
  enum class Kind {
    linear,
    log,     ///< of positive values
    probit,  ///< of probabilities: the standard normal quantile
  };

  Scale() = default;
  /// `from` is at the pixel `begin`, `to` at `end` (which may be smaller).
  Scale(Kind kind, double from, double to, double begin, double end);
  static Scale linear(double from, double to, double begin, double end) {
    return {Kind::linear, from, to, begin, end};
  }

  double operator()(double value) const;
  /// The value at a pixel.
  double at(double pixel) const;
  Kind kind() const { return kind_; }
  double from() const { return from_; }
  double to() const { return to_; }
  double begin() const { return begin_; }
  double end() const { return end_; }
  /// About that many round values within the domain.
  std::vector<Tick> ticks(int about) const;

 private:
  double forward(double value) const;
  double backward(double position) const;

  Kind kind_ = Kind::linear;
  double from_ = 0, to_ = 1, begin_ = 0, end_ = 1;
  double low_ = 0, high_ = 1;  // of the transformed values
};

/// A domain widened to round numbers; never empty.
struct Domain {
  double from = 0, to = 1;
};
Domain rounded_domain(double low, double high, int about = 5);

}  // namespace suffice::draw
