#include "suffice/report/interval.hpp"

#include <cmath>

#include "core/special_functions.hpp"
#include "suffice/core/error.hpp"
#include "suffice/core/names.hpp"

namespace suffice {
namespace {

/// The x with I_x(a, b) = probability, by halving.
double beta_quantile(double probability, double a, double b) {
  double low = 0, high = 1;
  while (high - low > 4e-16 * high) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (incomplete_beta(middle, a, b) < probability ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace

// The rates p that errors and rows do not contradict: with tail = (1 − confidence) / 2,
//   low   has P(as many errors or more)  = I_p(errors, rows − errors + 1) = tail
//   high  has P(as many errors or fewer) = 1 − I_p(errors + 1, rows − errors) = tail
Interval binomial_interval(double errors, double rows, double confidence) {
  if (!(errors >= 0 && errors <= rows && std::isfinite(rows)))
    throw InvalidArgument("there cannot be " + name_of(errors) + " errors in " + name_of(rows) +
                          " rows");
  if (!(confidence > 0 && confidence < 1))
    throw InvalidArgument("the confidence is " + name_of(confidence),
                          "it must lie between 0 and 1");
  const double tail = (1 - confidence) / 2;
  Interval interval;
  if (errors > 0) interval.low = beta_quantile(tail, errors, rows - errors + 1);
  if (errors < rows) interval.high = beta_quantile(1 - tail, errors + 1, rows - errors);
  return interval;
}

}  // namespace suffice
