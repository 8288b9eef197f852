#include "data/transform.hpp"

#include <algorithm>

namespace suffice {

double transformed_back(Transform transform, double t) noexcept {
  constexpr double smallest = std::numeric_limits<double>::denorm_min();
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr double below_one = 1 - std::numeric_limits<double>::epsilon() / 2;
  switch (transform) {
    case Transform::none:
      return t;
    case Transform::log:
      return std::clamp(std::exp(t), smallest, largest);
    case Transform::log1p:
      return std::clamp(std::expm1(t), -below_one, largest);
    case Transform::sqrt:
      return t > 0 ? std::min(t * t, largest) : 0;
    case Transform::logit: {
      const double odds = std::exp(-std::abs(t));  // of the less probable side
      return std::clamp(t < 0 ? odds / (1 + odds) : 1 / (1 + odds), smallest, below_one);
    }
  }
  return t;
}

std::string transformed_name(const Feature& feature) {
  if (feature.transform == Transform::none) return feature.name;
  return std::string(to_string(feature.transform)) + "(" + feature.name + ")";
}

std::string advice_for_number(Transform transform, double x) {
  if (std::isinf(x) || transform == Transform::none)
    return "a Gaussian feature needs finite numbers: remove the row, or make the value missing "
           "(NaN)";
  const std::string ways_out = "remove the row, make the value missing (NaN), or ";
  switch (transform) {
    case Transform::log:
      return "log needs numbers above 0: " + ways_out +
             (x > -1 ? "use log1p, which takes 0 and numbers above -1"
                     : "leave the feature as it is");
    case Transform::log1p:
      return "log1p needs numbers above -1: " + ways_out + "leave the feature as it is";
    case Transform::sqrt:
      return "sqrt needs numbers from 0 on: " + ways_out + "leave the feature as it is";
    default:
      return "logit needs numbers between 0 and 1, without these two: " + ways_out +
             (x == 0 || x == 1 ? "move it inside, as counts do with (k + 0.5) / (n + 1)"
                               : "scale the feature (per cent: divide by 100)");
  }
}

}  // namespace suffice
