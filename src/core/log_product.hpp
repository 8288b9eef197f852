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

}  // namespace suffice
