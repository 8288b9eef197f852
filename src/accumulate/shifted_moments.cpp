#include "accumulate/shifted_moments.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "core/compensated_sum.hpp"
#include "core/kernels.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

using kernels::padded;

void SortedRows::sort(const std::int32_t* code, Index n, Index classes) {
  start.assign(static_cast<std::size_t>(classes) + 1, 0);
  for (Index i = 0; i < n; ++i) {
    if (code[i] >= 0) ++start[code[i] + 1];
  }
  std::partial_sum(start.begin(), start.end(), start.begin());
  next_.assign(start.begin(), start.end() - 1);
  place.resize(static_cast<std::size_t>(n));
  order.resize(static_cast<std::size_t>(start.back()));
  for (Index i = 0; i < n; ++i) {
    if (code[i] < 0) {
      place[i] = -1;
    } else {
      const Index at = next_[code[i]]++;
      place[i] = static_cast<std::int32_t>(at);
      order[at] = static_cast<std::int32_t>(i);
    }
  }
}

ShiftedMoments::ShiftedMoments(Index classes, Index d)
    : width_(padded(d)),
      d_(d),
      many_classes_(static_cast<double>(classes * width_) * 24 > 400e3),
      complete_(classes),
      shift_(classes * width_),
      sums_(classes * width_),
      squares_(classes * width_),
      seen_(static_cast<std::size_t>(classes)),
      begun_(seen_.size()),
      panels_(seen_.size()),
      sums_before_(many_classes_ ? 0 : sums_.size()),
      squares_before_(sums_before_.size()),
      panel_weight_(classes),
      panel_rows_(2 * (seen_.size() + 1)) {}

void ShiftedMoments::add(const LabelledRows& rows, const Block& block, const double* values,
                         Index stride, Index row0, Index n) {
  const std::int32_t* code = rows.code + row0;
  const double* weight = rows.weight ? rows.weight + row0 : nullptr;
  if (weight) {
    for (Index i = 0; i < n; ++i)
      if (code[i] >= 0) panel_weight_[code[i]] += weight[i];
  } else {
    // Two rows of the same class need not wait for each other.
    std::ranges::fill(panel_rows_, 0);
    std::int32_t* const even = panel_rows_.data() + 1;
    std::int32_t* const odd = even + complete_.size() + 1;
    Index i = 0;
    for (; i + 2 <= n; i += 2) {
      ++even[std::max(code[i], -1)];
      ++odd[std::max(code[i + 1], -1)];
    }
    if (i < n) ++even[std::max(code[i], -1)];
    for (Index c = 0; c < complete_.size(); ++c) panel_weight_[c] = even[c] + odd[c];
  }
  for (Index c = 0; c < complete_.size(); ++c) {
    if (panel_weight_[c] == 0) continue;
    in_panel_.push_back(static_cast<std::int32_t>(c));
    if (begun_[c]) continue;
    const Index first = std::find(code, code + n, static_cast<std::int32_t>(c)) - code;
    begin(c, values + first * stride);
  }
  const bool complete = many_classes_ ? add_sorted(values, stride, n, code, weight)
                                      : add_in_order(values, stride, n, code, weight);
  if (!complete) {
    for (Index i = 0; i < n; ++i) {
      if (code[i] >= 0) add_row(rows, block, values + i * stride, row0 + i);
    }
  }
  for (const std::int32_t c : in_panel_) {
    if (complete) complete_[c] += panel_weight_[c];
    panel_weight_[c] = 0;
    // A class's shift is checked after its first, second, fourth, … panel: between two checks its
    // panels at most double, which bounds what a bad shift can cost.
    const Index panels = ++panels_[c];
    if ((panels & (panels - 1)) == 0) recenter(c, 0, d_, complete_[c]);
  }
  in_panel_.clear();
}

void ShiftedMoments::add_by_class(const LabelledRows& rows, const Block& block,
                                  const double* values, Index stride) {
  const Index n = rows.size();
  if (!add_classes(rows, rows.code, values, stride, true)) {
    // Again, without the rows that have something else than numbers.
    *this = ShiftedMoments(complete_.size(), d_);
    constexpr Index piece = 64;
    std::vector<std::int32_t> code(rows.code, rows.code + n);
    rows.workers.run((n + piece - 1) / piece, [&](Index k, int) {
      const Index first = k * piece, count = std::min(piece, n - first);
      if (kernels::all_pass(kernels::Check::finite, values + first * stride, stride, count, d_))
        return;
      for (Index i = first; i < first + count; ++i)
        if (!kernels::all_pass(kernels::Check::finite, values + i * stride, stride, 1, d_))
          code[i] = -1;
    });
    add_classes(rows, code.data(), values, stride, false);
    for (Index i = 0; i < n; ++i)
      if (code[i] != rows.code[i]) add_row(rows, block, values + i * stride, i);
  }
  rows.progress.advance(static_cast<double>(n));
}

bool ShiftedMoments::add_classes(const LabelledRows& rows, const std::int32_t* code,
                                 const double* values, Index stride, bool checked) {
  const Index n = rows.size(), classes = complete_.size();
  constexpr Index panel = 256, band = 256;  // rows of a class, features
  sorted_.sort(code, n, classes);
  for (Index c = 0; c < classes; ++c) {
    const std::int32_t* order = sorted_.order.data() + sorted_.start[c];
    if (sorted_.count(c) > 0) begin(c, values + order[0] * stride);
    for (Index k = 0; k < sorted_.count(c); ++k) complete_[c] += rows.weight_of(order[k]);
  }
  const Index bands = (d_ + band - 1) / band;
  std::atomic<bool> finite = true;
  rows.workers.run(classes * bands, [&](Index task, int) {
    if (rows.execution.stop.stop_requested()) throw Cancelled();
    if (!finite.load(std::memory_order_relaxed)) return;
    const Index c = task / bands, first = task % bands * band, last = std::min(d_, first + band);
    const std::int32_t* order = sorted_.order.data() + sorted_.start[c];
    const Index at = c * width_ + first;
    double complete = 0;
    Index panels = 0;
    for (Index k = 0; k < sorted_.count(c); k += panel) {
      const Index count = std::min(panel, sorted_.count(c) - k);
      kernels::accumulate_moments(values + first, stride, count, last - first, order + k, nullptr,
                                  rows.weight, shift_.data() + at, sums_.data() + at,
                                  squares_.data() + at);
      if (checked &&
          !kernels::all_pass(kernels::Check::finite, squares_.data() + at, 0, 1, last - first)) {
        finite = false;
        return;
      }
      for (Index i = k; i < k + count; ++i) complete += rows.weight_of(order[i]);
      ++panels;
      if ((panels & (panels - 1)) == 0) recenter(c, first, last, complete);
    }
  });
  return finite;
}

void ShiftedMoments::add_row(const LabelledRows& rows, const Block& block, const double* x,
                             Index row) {
  const Index c = rows.code[row];
  const double w = rows.weight_of(row);
  if (!begun_[c]) begin(c, x);
  if (present_.empty()) present_ = Vector(complete_.size() * width_);
  for (Index j = 0; j < d_; ++j) {
    if (std::isnan(x[j])) {
      require_present(rows, block.features[j], row);
      continue;
    }
    if (std::isinf(x[j])) throw_bad_value(rows, block.features[j], row, x[j]);
    const Index at = c * width_ + j;
    const double t = x[j] - shift_[at];
    present_[at] += w;
    sums_[at] += w * t;
    squares_[at] += w * t * t;
  }
}

Moments ShiftedMoments::finish(Index c) const {
  Moments result;
  finish(c, result);
  return result;
}

void ShiftedMoments::finish(Index c, Moments& result) const {
  if (!seen_[c]) {
    result = {};
    return;
  }
  if (result.weight.size() != d_) result = {Vector(d_), Vector(d_), Vector(d_), Vector(d_)};
  for (Index j = 0; j < d_; ++j) {
    const Index at = c * width_ + j;
    const double w = weight(c, j);
    result.weight[j] = w;
    if (w == 0) {
      result.mean[j] = result.mean_low[j] = result.squares[j] = 0;
      continue;
    }
    const double offset = sums_[at] / w;
    const TwoSum mean = two_sum(shift_[at], offset);
    result.mean[j] = mean.sum;
    result.mean_low[j] = mean.error;
    result.squares[j] = squares_[at] - sums_[at] * offset;
  }
}

// Few classes: their sums fit the second-level cache. Whether the values were finite shows in the
// squares.
bool ShiftedMoments::add_in_order(const double* values, Index stride, Index n,
                                  const std::int32_t* code, const double* weight) {
  std::ranges::copy(sums_, sums_before_.begin());
  std::ranges::copy(squares_, squares_before_.begin());
  kernels::accumulate_moments(values, stride, n, d_, nullptr, code, weight, shift_.data(),
                              sums_.data(), squares_.data());
  const bool finite =
      kernels::all_pass(kernels::Check::finite, squares_.data(), 0, 1, squares_.size());
  if (!finite) {
    std::swap(sums_, sums_before_);
    std::swap(squares_, squares_before_);
  }
  return finite;
}

// Many classes: rows are taken class by class, so that only the sums of one are in use. The check
// brings the panel into the cache.
bool ShiftedMoments::add_sorted(const double* values, Index stride, Index n,
                                const std::int32_t* code, const double* weight) {
  if (!kernels::all_pass(kernels::Check::finite, values, stride, n, d_)) return false;
  sorted_.sort(code, n, complete_.size());
  kernels::accumulate_moments(values, stride, std::ssize(sorted_.order), d_, sorted_.order.data(),
                              code, weight, shift_.data(), sums_.data(), squares_.data());
  return true;
}

// The shift of a feature is a value of it that was seen; the first row of a class may lack it.
void ShiftedMoments::begin(Index c, const double* x) {
  seen_[c] = true;
  begun_[c] = true;
  for (Index j = 0; j < d_; ++j) {
    if (weight(c, j) > 0) continue;
    if (std::isfinite(x[j])) {
      shift_[c * width_ + j] = x[j];
    } else {
      begun_[c] = false;
    }
  }
}

// Moves the shift to the mean where more than half of Q is the distance between the two.
void ShiftedMoments::recenter(Index c, Index first, Index last, double complete) {
  for (Index j = first; j < last; ++j) {
    const Index at = c * width_ + j;
    const double w = complete + present(c, j), sum = sums_[at];
    if (!(sum * sum > 0.5 * w * squares_[at])) continue;
    const double shift = shift_[at] + sum / w;
    const double moved = shift - shift_[at];
    shift_[at] = shift;
    squares_[at] = squares_[at] - moved * (2 * sum - w * moved);
    sums_[at] = sum - w * moved;
  }
}

}  // namespace suffice
