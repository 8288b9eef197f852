#pragma once
// The logarithm of a product of many numbers.

#include <cmath>

namespace suffice {

/// log Π of many positive numbers with few logarithms.
class LogProduct {
 public:
  void multiply(double factor) {
    constexpr double room = 1e150;
    if (!(factor > 1 / room && factor < room)) {  // also where it is 0
      sum_ += std::log(factor);
      return;
    }
    product_ *= factor;
    if (product_ > 1 / room && product_ < room) return;
    sum_ += std::log(product_);
    product_ = 1;
  }
  void multiply_log(double log_factor) { sum_ += log_factor; }
  double value() const { return sum_ + std::log(product_); }

 private:
  double sum_ = 0, product_ = 1;
};

/// log Π (1 + t) of many t ≥ 0 with few logarithms, without losing the digits of small t.
class Log1pProduct {
 public:
  void multiply(double t) {
    constexpr double room = 1e150;
    if (!(t < room)) {  // also where it is not a number
      sum_ += std::log1p(t);
      return;
    }
    above_one_ += t * (1 + above_one_);
    if (above_one_ <= room) return;
    sum_ += std::log1p(above_one_);
    above_one_ = 0;
  }
  double value() const { return sum_ + std::log1p(above_one_); }

 private:
  double sum_ = 0, above_one_ = 0;  // the product is 1 + above_one_
};

}  // namespace suffice
