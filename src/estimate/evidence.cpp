#include "estimate/evidence.hpp"

#include <cmath>

#include "core/constants.hpp"

namespace suffice {
namespace {

/// Where the slope changes from above 0 (low) to not above 0 (high), in ln s: regula falsi, the
/// weight of an end that stays being halved.
double falling_zero(const EvidenceOfStrength& evidence, double low, double high) {
  double at_low = evidence.slope(std::exp(low));
  double at_high = evidence.slope(std::exp(high));
  for (int step = 0; step < 200 && high - low > 1e-14 * (1 + std::abs(high)); ++step) {
    double middle = (low * at_high - high * at_low) / (at_high - at_low);
    if (!(middle > low && middle < high)) middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    const double slope = evidence.slope(std::exp(middle));
    if (slope > 0) {
      low = middle;
      at_low = slope;
      at_high /= 2;
    } else if (slope < 0) {
      high = middle;
      at_high = slope;
      at_low /= 2;
    } else {
      return middle;
    }
  }
  return low + (high - low) / 2;
}

}  // namespace

double best_strength(const EvidenceOfStrength& evidence, int first, int last) {
  int best = first;
  double highest = -infinity;
  for (int power = first; power <= last; ++power)
    if (const double value = evidence.value(std::ldexp(1, power)); value > highest) {
      highest = value;
      best = power;
    }
  const double log_2 = std::log(2.0);
  const bool rises = evidence.slope(std::ldexp(1, best)) > 0;
  if (best == (rises ? last : first)) return std::ldexp(1, best);
  const double low = (rises ? best : best - 1) * log_2;
  return std::exp(falling_zero(evidence, low, low + log_2));
}

}  // namespace suffice
