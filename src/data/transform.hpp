#pragma once
// What the transformations of Gaussian features do to numbers (the list is in data/schema.hpp).

#include <cmath>
#include <limits>
#include <string>

#include "suffice/data/schema.hpp"

namespace suffice {

/// t(x). A missing value (NaN) stays one; a number outside the domain becomes infinite, so that it
/// is refused where infinite numbers are, and not where its row does not count.
inline double transformed(const Transform& transform, double x) noexcept {
  constexpr double outside = std::numeric_limits<double>::infinity();
  switch (transform.kind) {
    case Transform::Kind::none:
      return x;
    case Transform::Kind::log:
      return x <= 0 ? outside : std::log(x);
    case Transform::Kind::log1p:
      return x <= -1 ? outside : std::log1p(x);
    case Transform::Kind::sqrt:
      return x < 0 ? outside : std::sqrt(x);
    case Transform::Kind::logit:
      return x <= 0 || x >= 1 ? outside : std::log(x) - std::log1p(-x);
    case Transform::Kind::signed_log: {
      const double size = std::abs(x), ratio = size / transform.scale;
      return std::copysign(
          std::isinf(ratio) ? std::log(size) - std::log(transform.scale) : std::log1p(ratio), x);
    }
  }
  return x;
}

/// The x whose t(x) is `t`, or the one in the domain that is nearest: rounding would make 1 of
/// logit's 40, and there is no number whose root is −1.
double transformed_back(const Transform& transform, double t) noexcept;

/// log |dt/dx| at the x whose t(x) is `t`. 0 at the root of 0, where the derivative is infinite.
inline double log_derivative(const Transform& transform, double t) noexcept {
  switch (transform.kind) {
    case Transform::Kind::none:
      return 0;
    case Transform::Kind::log:    // 1/x
    case Transform::Kind::log1p:  // 1/(1 + x)
      return -t;
    case Transform::Kind::sqrt:  // 1/(2√x)
      return t > 0 ? -std::log(2 * t) : 0;
    case Transform::Kind::logit: {  // 1/(x (1 − x)) = 2 + e^t + e^−t
      const double size = std::abs(t);
      return size + 2 * std::log1p(std::exp(-size));
    }
    case Transform::Kind::signed_log:  // 1/(s + |x|)
      return -std::log(transform.scale) - std::abs(t);
  }
  return 0;
}

/// "log(x)", "signed-log(x / 0.5)": the name of the transformed feature; that of the feature where
/// it has none.
std::string transformed_name(const Feature& feature);

/// The rest of a message about a number that a Gaussian feature cannot have: what it needs, and
/// what to do.
std::string advice_for_number(const Transform& transform, double x);

}  // namespace suffice
