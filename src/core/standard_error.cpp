#include "core/standard_error.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/compensated_sum.hpp"
#include "core/constants.hpp"

namespace suffice {

Mean mean_of(std::span<const double> values, std::span<const double> weights,
             std::span<const double> copies) {
  const auto of = [](std::span<const double> numbers, std::size_t i) {
    return numbers.empty() ? 1 : numbers[i];
  };
  CompensatedSum total, sum;
  double rows = 0, count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    total.add(of(weights, i));
    sum.add(of(weights, i) * values[i]);
    count += of(copies, i);
    ++rows;
  }
  const double mean = sum.value() / total.value(), n = std::max(count, rows);
  if (!std::isfinite(mean) || !(n > 1)) return {mean, infinity};
  double variance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const double deviation = of(weights, i) / total.value() * (values[i] - mean);
    variance += deviation * deviation / of(copies, i);
  }
  return {mean, std::sqrt(n / (n - 1) * variance)};
}

double standard_error(double weight, double sum, double squares, double rows) {
  const double mean = sum / weight;
  if (!std::isfinite(mean)) return infinity;
  const double seen = std::max(weight, rows);
  return std::sqrt(std::max(0.0, squares / weight - mean * mean) / (seen - 1));
}

Mean gain(std::span<const double> first, std::span<const double> other,
          std::span<const double> weights, std::span<const double> copies) {
  std::vector<double> differences(first.size());
  for (std::size_t i = 0; i < first.size(); ++i)
    differences[i] = first[i] == other[i] ? 0 : first[i] - other[i];
  return mean_of(differences, weights, copies);
}

bool is_better(std::span<const double> other, std::span<const double> first,
               std::span<const double> weights, std::span<const double> copies) {
  const Mean gained = gain(first, other, weights, copies);
  return gained.value == infinity || gained.value > gained.standard_error;
}

}  // namespace suffice
