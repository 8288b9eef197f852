#include "data/transform.hpp"

#include <algorithm>

namespace suffice {

double transformed_back(const Transform& transform, double t) noexcept {
  constexpr double smallest = std::numeric_limits<double>::denorm_min();
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr double below_one = 1 - std::numeric_limits<double>::epsilon() / 2;
  switch (transform.kind) {
    case Transform::Kind::none:
      return t;
    case Transform::Kind::log:
      return std::clamp(std::exp(t), smallest, largest);
    case Transform::Kind::log1p:
      return std::clamp(std::expm1(t), -below_one, largest);
    case Transform::Kind::sqrt:
      return t > 0 ? std::min(t * t, largest) : 0;
    case Transform::Kind::logit: {
      const double odds = std::exp(-std::abs(t));  // of the less probable side
      return std::clamp(t < 0 ? odds / (1 + odds) : 1 / (1 + odds), smallest, below_one);
    }
    case Transform::Kind::signed_log:
      return std::copysign(std::min(transform.scale * std::expm1(std::abs(t)), largest), t);
  }
  return t;
}

std::string transformed_name(const Feature& feature) {
  if (feature.transform == Transform::none) return feature.name;
  const std::string scale =
      feature.transform.scale == 1 ? "" : " / " + name_of(feature.transform.scale);
  return std::string(to_string(feature.transform.kind)) + "(" + feature.name + scale + ")";
}

std::string advice_for_number(const Transform& transform, double x) {
  if (std::isinf(x) || transform == Transform::none)
    return "a Gaussian feature needs finite numbers: remove the row, or make the value missing "
           "(NaN)";
  const std::string ways_out = "remove the row, make the value missing (NaN), or ";
  switch (transform.kind) {
    case Transform::Kind::log:
      return "log needs numbers above 0: " + ways_out +
             (x > -1 ? "use log1p, which takes 0 and numbers above -1"
                     : "leave the feature as it is");
    case Transform::Kind::log1p:
      return "log1p needs numbers above -1: " + ways_out + "leave the feature as it is";
    case Transform::Kind::sqrt:
      return "sqrt needs numbers from 0 on: " + ways_out + "leave the feature as it is";
    case Transform::Kind::logit:
    case Transform::Kind::signed_log:  // takes all finite numbers
    case Transform::Kind::none:
      break;
  }
  return "logit needs numbers between 0 and 1, without these two: " + ways_out +
         (x == 0 || x == 1 ? "move it inside, as counts do with (k + 0.5) / (n + 1)"
                           : "scale the feature (per cent: divide by 100)");
}

}  // namespace suffice
