#include "draw/scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/random.hpp"
#include "core/special_functions.hpp"

namespace suffice::draw {
namespace {

/// 1, 2 or 5 times a power of ten, so that about that many steps cover the range.
double round_step(double range, int about) {
  const double raw = range / std::max(about, 1);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  const double lead = raw / power;
  return power * (lead >= 7.07 ? 10 : lead >= 3.16 ? 5 : lead >= 1.41 ? 2 : 1);
}

std::string percent(double share) { return short_number(100 * share) + "%"; }

}  // namespace

std::string short_number(double value, int digits) {
  if (std::isnan(value)) return "—";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  if (value == 0) return "0";
  char text[48];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  std::string result = text;
  if (result.find('e') != std::string::npos && std::abs(value) < 1e7 && std::abs(value) >= 1) {
    std::snprintf(text, sizeof text, "%.0f", value);
    result = text;
  }
  if (const std::size_t e = result.find('e'); e != std::string::npos) {  // 1e-05 → 1e-5
    std::size_t first = e + 1;
    if (result[first] == '+') result.erase(first, 1);
    if (result[first] == '-') ++first;
    while (first + 1 < result.size() && result[first] == '0') result.erase(first, 1);
  }
  if (result[0] == '-') result.replace(0, 1, "−");
  return result;
}

Scale::Scale(Kind kind, double from, double to, double begin, double end)
    : kind_(kind), from_(from), to_(to), begin_(begin), end_(end) {
  low_ = forward(from);
  high_ = forward(to);
  if (!(high_ != low_)) high_ = low_ + 1;
}

double Scale::forward(double value) const {
  switch (kind_) {
    case Kind::linear:
      return value;
    case Kind::log:
      return std::log(value);
    case Kind::probit:
      return normal_quantile(std::clamp(value, 1e-12, 1 - 1e-12));
  }
  return value;
}

double Scale::backward(double position) const {
  switch (kind_) {
    case Kind::linear:
      return position;
    case Kind::log:
      return std::exp(position);
    case Kind::probit:
      return normal_probability(position);
  }
  return position;
}

double Scale::operator()(double value) const {
  double share = (forward(value) - low_) / (high_ - low_);
  if (std::isnan(share)) share = 0;  // the logarithm of what is not positive
  const bool at_end = std::isinf(share);
  share = std::clamp(share, at_end ? 0.0 : -20.0, at_end ? 1.0 : 21.0);
  return begin_ + share * (end_ - begin_);
}

double Scale::at(double pixel) const {
  return backward(low_ + (pixel - begin_) / (end_ - begin_) * (high_ - low_));
}

std::vector<Tick> Scale::ticks(int about) const {
  std::vector<Tick> result;
  const double low = std::min(from_, to_), high = std::max(from_, to_);
  if (kind_ == Kind::probit) {
    double last = -1e9;
    for (const double p : {0.0001, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8,
                           0.9, 0.95, 0.98, 0.99, 0.999}) {
      const double at = (*this)(p);
      if (p < low || p > high || std::abs(at - last) < 24) continue;
      result.push_back({p, percent(p)});
      last = at;
    }
    return result;
  }
  if (kind_ == Kind::log && high / low >= 8) {
    const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
    const int every = std::max(1, (last - first + about) / std::max(about, 1));
    for (int power = first; power <= last; power += every)
      result.push_back({std::pow(10, power), short_number(std::pow(10, power))});
    return result;
  }
  const double step = round_step(high - low, about);
  if (!(step > 0) || !std::isfinite(step)) return {{low, short_number(low)}};
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
    result.push_back({k * step, short_number(k * step, 6)});
  return result;
}

Domain rounded_domain(double low, double high, int about) {
  if (!(std::isfinite(low) && std::isfinite(high)) || low > high) return {0, 1};
  if (low == high) {
    const double around = low == 0 ? 1 : std::abs(low) * 0.1;
    low -= around;
    high += around;
  }
  const double step = round_step(high - low, about);
  return {std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step};
}

}  // namespace suffice::draw
