#include "evaluate/ratios.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/compensated_sum.hpp"
#include "core/constants.hpp"

namespace suffice {
namespace {

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

/// The bits of a double in an order that is that of the numbers: those of a negative one turned
/// round, those of a positive one above them.
std::uint64_t key_of(double ratio) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(ratio + 0.0);  // −0 becomes 0
  return bits & sign_bit ? ~bits : bits | sign_bit;
}

/// Bins by the leading 12 bits of the fraction, for magnitudes from 2⁻⁶⁴ to 2⁶⁴. What is smaller
/// has the innermost bin of its sign; the outermost one has what is larger, infinity with it.
std::size_t bin_of(std::uint64_t key) noexcept {
  constexpr int fraction_bits = 12;
  constexpr std::int64_t half = Ratios::bins / 2;
  constexpr std::int64_t smallest = std::int64_t{1023 - 64} << fraction_bits;
  const bool positive = key & sign_bit;
  const std::uint64_t magnitude = (positive ? key : ~key) & ~sign_bit;
  const auto leading = static_cast<std::int64_t>(magnitude >> (52 - fraction_bits));
  const std::int64_t step = std::clamp<std::int64_t>(leading - smallest, 0, half - 1);
  return static_cast<std::size_t>(positive ? half + step : half - 1 - step);
}

/// Sorts by the key, 11 bits at a time: for a million rows several times faster than by comparing.
template <class Row>
void sort_by_key(std::vector<Row>& rows) {
  constexpr int digit_bits = 11;
  constexpr std::size_t digits = std::size_t{1} << digit_bits;
  std::vector<Row> sorted(rows.size());
  for (int shift = 0; shift < 64; shift += digit_bits) {
    const auto digit = [shift](const Row& row) { return (row.key >> shift) & (digits - 1); };
    std::array<std::size_t, digits> place{};
    for (const Row& row : rows) ++place[digit(row)];
    if (std::ranges::find(place, rows.size()) != place.end()) continue;  // all alike
    std::size_t before = 0;
    for (std::size_t& at : place) before += std::exchange(at, before);
    for (const Row& row : rows) sorted[place[digit(row)]++] = row;
    rows.swap(sorted);
  }
}

/// Walks along the thresholds from the smallest ratio to the largest. Below a threshold lie the
/// missed rows of the first class; the others of the second class are false alarms.
class Walk {
 public:
  Walk(double first_total, double second_total) : total_{first_total, second_total} {}

  /// The rows of one ratio: they pass the threshold together.
  void step(double first, double second) {
    area_.add(first * (below_[1] + second / 2));
    const double gap = this->gap(), missed = below_[0] / total_[0];
    below_[0] += first;
    below_[1] += second;
    const double next_gap = this->gap();
    if (gap <= 0 && next_gap > 0) {
      const double part = -gap / (next_gap - gap);
      equal_error_rate_ = missed + part * (below_[0] / total_[0] - missed);
    }
  }
  Ratios::Curve curve() const { return {area_.value() / total_[0] / total_[1], equal_error_rate_}; }

 private:
  /// Share of missed rows minus share of false alarms: from −1 to 1.
  double gap() const { return below_[0] / total_[0] - (1 - below_[1] / total_[1]); }

  double total_[2];
  double below_[2] = {0, 0};
  CompensatedSum area_;
  double equal_error_rate_ = 0;
};

}  // namespace

void Ratios::add(double ratio, Index truth, double weight) {
  const Row row{key_of(ratio), truth == 0 ? weight : -weight};
  if (!binned() && std::ssize(rows_) < exact_rows) {
    rows_.push_back(row);
    return;
  }
  if (!binned()) {
    binned_.resize(static_cast<std::size_t>(bins), Bin{{0, 0}});
    for (const Row& kept : rows_) count(kept);
    rows_ = {};
  }
  count(row);
}

void Ratios::count(const Row& row) {
  binned_[bin_of(row.key)].weight[row.weight < 0] += std::abs(row.weight);
}

std::optional<Ratios::Curve> Ratios::curve() const {
  CompensatedSum total[2];
  for (const Row& row : rows_) total[row.weight < 0].add(std::abs(row.weight));
  for (const Bin& bin : binned_)
    for (const int of : {0, 1}) total[of].add(bin.weight[of]);
  if (!(total[0].value() > 0 && total[1].value() > 0)) return std::nullopt;

  Walk walk(total[0].value(), total[1].value());
  for (const Bin& bin : binned_)
    if (bin.weight[0] > 0 || bin.weight[1] > 0) walk.step(bin.weight[0], bin.weight[1]);
  std::vector<Row> sorted = rows_;
  sort_by_key(sorted);
  for (std::size_t i = 0; i < sorted.size();) {
    double weight[2] = {0, 0};
    const std::uint64_t key = sorted[i].key;
    for (; i < sorted.size() && sorted[i].key == key; ++i)
      weight[sorted[i].weight < 0] += std::abs(sorted[i].weight);
    walk.step(weight[0], weight[1]);
  }
  return walk.curve();
}

}  // namespace suffice
