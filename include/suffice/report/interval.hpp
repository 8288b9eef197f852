#pragma once
// An interval of rates.

namespace suffice {

struct Interval {
  double low = 0, high = 1;
};

/// Clopper and Pearson's interval for `errors` out of `rows`, which holds the true rate with at
/// least this probability; [0, 1] for no rows. Weighted counts need not be whole.
/// Throws InvalidArgument unless 0 ≤ errors ≤ rows and 0 < confidence < 1.
Interval binomial_interval(double errors, double rows, double confidence = 0.95);

}  // namespace suffice
