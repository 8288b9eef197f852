#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/blas.hpp"
#include "core/kernels.hpp"
#include "core/numeric.hpp"
#include "stats/accumulate.hpp"
#include "stats/moments.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

namespace {

using kernels::padded;

// Up to this many features our own kernel is faster than BLAS, whose packing is made for larger
// ones.
constexpr Index small_dimension = 160;

Moments make_moments(Index d) { return {Vector(d), Vector(d), Vector(d), Vector(d)}; }

/// Sums about a shift, feature by feature:  W_j, D = Σ w (x − s), Q = Σ w (x − s)².
/// The shift is a value that was seen, moved to the mean once the sums show that it is far off;
/// that is one pass with the digits of two.
class ShiftedMoments {
 public:
  ShiftedMoments(Index classes, Index d)
      : width_(padded(d)),
        d_(d),
        complete_(classes),
        shift_(classes * width_),
        sums_(classes * width_),
        squares_(classes * width_),
        seen_(static_cast<std::size_t>(classes)),
        panels_(seen_.size()),
        last_panel_(seen_.size()) {}

  /// Rows of values; NaN is missing. `row0` is the block's row number of the first.
  void add(const LabelledRows& rows, const Block& block, const double* values, Index stride,
           Index row0, Index n) {
    const std::int32_t* code = rows.code + row0;
    const double* weight = rows.weight ? rows.weight + row0 : nullptr;
    for (Index i = 0; i < n; ++i) {
      if (code[i] >= 0 && !seen_[static_cast<std::size_t>(code[i])])
        begin(code[i], values + i * stride);
    }
    if (kernels::all_pass(kernels::Check::finite, values, stride, n, d_)) {
      kernels::accumulate_moments(values, stride, n, d_, code, weight, shift_.data(), sums_.data(),
                                  squares_.data());
      for (Index i = 0; i < n; ++i) {
        if (code[i] >= 0) complete_[code[i]] += weight ? weight[i] : 1.0;
      }
    } else {
      for (Index i = 0; i < n; ++i) {
        if (code[i] >= 0) add_row(rows, block, values + i * stride, row0 + i);
      }
    }
    // A class's shift is checked after its first, second, fourth, … panel: between two checks its
    // rows at most double, which bounds what a bad shift can cost.
    ++panel_;
    for (Index i = 0; i < n; ++i) {
      if (code[i] < 0 || last_panel_[static_cast<std::size_t>(code[i])] == panel_) continue;
      last_panel_[static_cast<std::size_t>(code[i])] = panel_;
      const Index panels = ++panels_[static_cast<std::size_t>(code[i])];
      if ((panels & (panels - 1)) == 0) recenter(code[i]);
    }
  }

  /// One row of which some values may be missing.
  void add_row(const LabelledRows& rows, const Block& block, const double* x, Index row) {
    const Index c = rows.code[row];
    const double w = rows.weight_of(row);
    if (!seen_[static_cast<std::size_t>(c)]) begin(c, x);
    if (present_.empty()) present_ = Vector(complete_.size() * width_);
    for (Index j = 0; j < d_; ++j) {
      if (std::isnan(x[j])) continue;
      if (std::isinf(x[j]))
        throw_bad_value(rows, block.features[static_cast<std::size_t>(j)], row, x[j]);
      const Index at = c * width_ + j;
      const double t = x[j] - shift_[at];
      present_[at] += w;
      sums_[at] += w * t;
      squares_[at] += w * t * t;
    }
  }

  bool seen(Index c) const { return seen_[static_cast<std::size_t>(c)]; }

  /// Centred moments of a class; empty where it has seen nothing.
  Moments finish(Index c) const {
    if (!seen(c)) return {};
    Moments result = make_moments(d_);
    for (Index j = 0; j < d_; ++j) {
      const Index at = c * width_ + j;
      const double w = weight(c, j);
      if (w == 0) continue;
      const double offset = sums_[at] / w;
      const TwoSum mean = two_sum(shift_[at], offset);
      result.weight[j] = w;
      result.mean[j] = mean.sum;
      result.mean_low[j] = mean.error;
      result.squares[j] = std::max(0.0, squares_[at] - sums_[at] * offset);
    }
    return result;
  }

 private:
  double weight(Index c, Index j) const {
    return complete_[c] + (present_.empty() ? 0.0 : present_[c * width_ + j]);
  }

  void begin(Index c, const double* x) {
    seen_[static_cast<std::size_t>(c)] = true;
    for (Index j = 0; j < d_; ++j) shift_[c * width_ + j] = std::isfinite(x[j]) ? x[j] : 0.0;
  }

  // Moves the shift to the mean where more than half of Q is the distance between the two.
  void recenter(Index c) {
    for (Index j = 0; j < d_; ++j) {
      const Index at = c * width_ + j;
      const double w = weight(c, j), sum = sums_[at];
      if (!(sum * sum > 0.5 * w * squares_[at])) continue;
      const double shift = shift_[at] + sum / w;
      const double moved = shift - shift_[at];
      shift_[at] = shift;
      squares_[at] = std::max(0.0, squares_[at] - moved * (2 * sum - w * moved));
      sums_[at] = sum - w * moved;
    }
  }

  Index width_, d_;
  Vector complete_;  // weight of the rows without a missing value, per class
  Vector shift_, sums_, squares_;
  Vector present_;  // weight of the values present in the other rows; empty: there are none
  std::vector<char> seen_;
  std::vector<Index> panels_;
  std::vector<Index> last_panel_;  // per class: the last panel that had a row of it
  Index panel_ = 0;
};

GaussianStatistics accumulate_diagonal(const LabelledRows& rows, const Block& block) {
  const Index n = rows.size(), d = static_cast<Index>(block.features.size()),
              classes = rows.labels.size();
  const NumberReader reader(rows.schema, block, rows.rows);
  // A panel stays in the second-level cache between the check and the sums.
  const Index panel_rows = std::clamp<Index>(16384 / d, 16, 4096);
  const Lanes lanes = Lanes::of(n, panel_rows, 3.0 * static_cast<double>(classes * d),
                                2.0 * static_cast<double>(d));
  std::vector<ShiftedMoments> sums;
  for (Index lane = 0; lane < lanes.count; ++lane) sums.emplace_back(classes, d);
  Workers& workers = rows.workers;
  workers.run(lanes.count, [&](Index lane, int) {
    Vector scratch(reader.in_place() ? 0 : panel_rows * d);
    lanes.for_each_panel(lane, rows, [&](Index first, Index count) {
      const NumberReader::Panel panel = reader.read(first, count, scratch.data());
      sums[static_cast<std::size_t>(lane)].add(rows, block, panel.values, panel.stride, first,
                                               count);
    });
  });
  GaussianStatistics result;
  result.kind = Scatter::diagonal;
  result.classes.resize(static_cast<std::size_t>(classes));
  workers.run(classes, [&](Index c, int) {
    for (const ShiftedMoments& lane : sums) {
      merge_into(result.classes[static_cast<std::size_t>(c)].present, lane.finish(c));
    }
  });
  return result;
}

/// The joint sums of one class about a shift: the upper triangle of q is Σ w (x − s, 1)(x − s, 1)ᵀ,
/// so its last column is D = Σ w (x − s).
struct ShiftedScatter {
  double weight = 0;
  Index panels = 0;
  Vector shift;
  Matrix q;  // (d + 1) × padded(d + 1); empty: nothing seen

  void begin(const double* x, Index d) {
    shift = Vector(padded(d));
    std::copy_n(x, d, shift.data());
    q = Matrix(d + 1, padded(d + 1));
  }

  // Moves the shift to the mean where, for some feature, more than half of Q is the distance
  // between the two: Q := Q − D eᵀ − e Dᵀ + W e eᵀ, D := D − W e.
  void recenter_if_due() {
    ++panels;
    if ((panels & (panels - 1)) != 0) return;
    const Index d = q.rows() - 1;
    bool far = false;
    for (Index j = 0; j < d && !far; ++j) far = q(j, d) * q(j, d) > 0.5 * weight * q(j, j);
    if (!far) return;
    Vector moved(d);
    for (Index j = 0; j < d; ++j) {
      const double target = shift[j] + q(j, d) / weight;
      moved[j] = target - shift[j];
      shift[j] = target;
    }
    for (Index i = 0; i < d; ++i) {
      const double sum = q(i, d), e = moved[i];
      for (Index j = i; j < d; ++j) q(i, j) -= sum * moved[j] + e * q(j, d) - weight * e * moved[j];
      if (q(i, i) < 0) q(i, i) = 0;
    }
    for (Index j = 0; j < d; ++j) q(j, d) -= weight * moved[j];
  }

  JointMoments finish() const {
    JointMoments result;
    if (q.empty()) return result;
    const Index d = q.rows() - 1;
    result = {weight, Vector(d), Vector(d), Matrix(d, d)};
    for (Index i = 0; i < d; ++i) {
      const double offset = q(i, d) / weight;
      const TwoSum mean = two_sum(shift[i], offset);
      result.mean[i] = mean.sum;
      result.mean_low[i] = mean.error;
      for (Index j = i; j < d; ++j) result.scatter(i, j) = q(i, j) - offset * q(j, d);
      if (result.scatter(i, i) < 0) result.scatter(i, i) = 0;
    }
    // The lower triangle, tile by tile: a straight loop would miss the caches once a row.
    constexpr Index tile = 32;
    for (Index i0 = 0; i0 < d; i0 += tile) {
      for (Index j0 = 0; j0 <= i0; j0 += tile) {
        for (Index i = i0; i < std::min(d, i0 + tile); ++i) {
          for (Index j = j0; j < std::min(i, j0 + tile); ++j)
            result.scatter(i, j) = result.scatter(j, i);
        }
      }
    }
    return result;
  }
};

/// The rows of a panel, class after class.
struct SortedRows {
  std::vector<std::int32_t> index;  // rows of the panel
  std::vector<Index> start;         // per class, and the end

  void sort(const std::int32_t* code, Index n, Index classes) {
    start.assign(static_cast<std::size_t>(classes) + 1, 0);
    for (Index i = 0; i < n; ++i) {
      if (code[i] >= 0) ++start[static_cast<std::size_t>(code[i]) + 1];
    }
    std::partial_sum(start.begin(), start.end(), start.begin());
    index.resize(static_cast<std::size_t>(start.back()));
    next_.assign(start.begin(), start.end() - 1);
    for (Index i = 0; i < n; ++i) {
      if (code[i] >= 0)
        index[static_cast<std::size_t>(next_[static_cast<std::size_t>(code[i])]++)] =
            static_cast<std::int32_t>(i);
    }
  }

 private:
  std::vector<Index> next_;
};

/// Puts the rows without a missing value first, in order; the others go to `incomplete`.
Index keep_complete(const LabelledRows& rows, const Block& block, const NumberReader::Panel& panel,
                    Index row0, std::int32_t* index, Index n, ShiftedMoments& incomplete) {
  const Index d = static_cast<Index>(block.features.size());
  Index kept = 0;
  for (Index k = 0; k < n; ++k) {
    const double* x = panel.values + index[k] * panel.stride;
    bool missing = false;
    for (Index j = 0; j < d; ++j) {
      if (std::isinf(x[j]))
        throw_bad_value(rows, block.features[static_cast<std::size_t>(j)], row0 + index[k], x[j]);
      missing |= std::isnan(x[j]);
    }
    if (missing) {
      incomplete.add_row(rows, block, x, row0 + index[k]);
    } else {
      index[kept++] = index[k];
    }
  }
  return kept;
}

/// Gathers the rows of one class; returns how many were complete. Sets the class's shift if need
/// be.
Index gather(const LabelledRows& rows, const Block& block, const NumberReader::Panel& panel,
             Index row0, const double* root_weight, std::int32_t* index, Index n,
             ShiftedScatter& sums, ShiftedMoments& incomplete, double* packed) {
  const Index d = static_cast<Index>(block.features.size());
  const auto is_complete = [&](const double* x) {
    return kernels::all_pass(kernels::Check::finite, x, d, 1, d);
  };
  if (sums.q.empty()) {
    const double* x = panel.values + index[0] * panel.stride;
    if (!is_complete(x)) {
      n = keep_complete(rows, block, panel, row0, index, n, incomplete);
      if (n == 0) return 0;
      x = panel.values + index[0] * panel.stride;
    }
    sums.begin(x, d);
  }
  if (!kernels::gather_centered(panel.values, panel.stride, index, n, d, sums.shift.data(),
                                root_weight, packed)) {
    n = keep_complete(rows, block, panel, row0, index, n, incomplete);
    kernels::gather_centered(panel.values, panel.stride, index, n, d, sums.shift.data(),
                             root_weight, packed);
  }
  for (Index k = 0; k < n; ++k) sums.weight += rows.weight_of(row0 + index[k]);
  return n;
}

Vector roots(const double* weight, Index n) {
  Vector result(weight ? n : 0);
  for (Index i = 0; i < result.size(); ++i) result[i] = std::sqrt(weight[i]);
  return result;
}

/// Few features: each lane has sums of its own.
GaussianStatistics accumulate_small(const LabelledRows& rows, const Block& block) {
  const Index n = rows.size(), d = static_cast<Index>(block.features.size()),
              classes = rows.labels.size();
  const Index width = padded(d + 1);
  const NumberReader reader(rows.schema, block, rows.rows);
  const Vector root_weight = roots(rows.weight, n);
  // A panel's packed rows fit the second-level cache; with many classes it is longer, so that each
  // has rows enough to pay for loading its sums.
  const Index panel_rows =
      std::clamp<Index>(std::max<Index>(24576 / width, 16 * classes), 64, 65536);
  const double state = static_cast<double>(classes) * static_cast<double>(width * width);
  const Lanes lanes = Lanes::of(n, panel_rows, state, 0.5 * static_cast<double>(width * width));

  struct Lane {
    std::vector<ShiftedScatter> scatter;
    ShiftedMoments incomplete;
    Lane(Index classes, Index d)
        : scatter(static_cast<std::size_t>(classes)), incomplete(classes, d) {}
  };
  std::vector<Lane> sums;
  for (Index lane = 0; lane < lanes.count; ++lane) sums.emplace_back(classes, d);

  Workers& workers = rows.workers;
  workers.run(lanes.count, [&](Index l, int) {
    Lane& lane = sums[static_cast<std::size_t>(l)];
    Vector scratch(reader.in_place() ? 0 : panel_rows * d), packed(std::min(n, panel_rows) * width);
    SortedRows sorted;
    lanes.for_each_panel(l, rows, [&](Index first, Index count) {
      const NumberReader::Panel panel = reader.read(first, count, scratch.data());
      const double* root = rows.weight ? root_weight.data() + first : nullptr;
      sorted.sort(rows.code + first, count, classes);
      for (Index c = 0; c < classes; ++c) {
        const Index start = sorted.start[static_cast<std::size_t>(c)];
        const Index of_class = sorted.start[static_cast<std::size_t>(c) + 1] - start;
        if (of_class == 0) continue;
        ShiftedScatter& scatter = lane.scatter[static_cast<std::size_t>(c)];
        const Index kept = gather(rows, block, panel, first, root, sorted.index.data() + start,
                                  of_class, scatter, lane.incomplete, packed.data());
        if (kept == 0) continue;
        kernels::scatter(packed.data(), kept, d + 1, scatter.q.data());
        scatter.recenter_if_due();
      }
    });
  });
  GaussianStatistics result;
  result.classes.resize(static_cast<std::size_t>(classes));
  workers.run(classes, [&](Index c, int) {
    GaussianStatistics::Class& to = result.classes[static_cast<std::size_t>(c)];
    for (const Lane& lane : sums) {
      merge_into(to.complete, lane.scatter[static_cast<std::size_t>(c)].finish());
      merge_into(to.present, lane.incomplete.finish(c));
    }
  });
  return result;
}

/// Many features: one set of sums; workers own different tiles of it.
GaussianStatistics accumulate_large(const LabelledRows& rows, const Block& block) {
  const Index n = rows.size(), d = static_cast<Index>(block.features.size()),
              classes = rows.labels.size();
  const Index width = padded(d + 1);
  const NumberReader reader(rows.schema, block, rows.rows);
  const Vector root_weight = roots(rows.weight, n);
  // 24 MB of packed rows: long panels are what makes the products efficient.
  const Index panel_rows = std::min(n, std::clamp<Index>(3'000'000 / width, 64, 8192));

  // Tiles of the upper triangle: no wider than 400 columns, and enough of them to occupy many
  // workers.
  Index bands = (d + 1 + 399) / 400;
  while (classes * bands * (bands + 1) / 2 < 12 && (d + 1) / (bands + 1) >= 64) ++bands;
  struct Tile {
    Index label, row, column;
  };
  std::vector<Tile> tiles;
  for (Index c = 0; c < classes; ++c) {
    for (Index i = 0; i < bands; ++i) {
      for (Index j = i; j < bands; ++j) tiles.push_back({c, i, j});
    }
  }
  const auto band = [&](Index i) { return (d + 1) * i / bands; };

  Workers& workers = rows.workers;
  std::vector<ShiftedScatter> sums(static_cast<std::size_t>(classes));
  ShiftedMoments incomplete(classes, d);
  Vector scratch(reader.in_place() ? 0 : panel_rows * d), packed(panel_rows * width);
  SortedRows sorted;
  std::vector<Index> kept(sums.size());
  constexpr Index chunk = 64;  // rows that one worker reads or gathers at a time
  for (Index first = 0; first < n; first += panel_rows) {
    const Index count = std::min(panel_rows, n - first);
    NumberReader::Panel panel{};
    if (reader.in_place()) {
      panel = reader.read(first, count, nullptr);
    } else {
      workers.run((count + chunk - 1) / chunk, [&](Index k, int) {
        reader.read(first + k * chunk, std::min(chunk, count - k * chunk),
                    scratch.data() + k * chunk * d);
      });
      panel = {scratch.data(), d};
    }
    const double* root = rows.weight ? root_weight.data() + first : nullptr;
    sorted.sort(rows.code + first, count, classes);
    // Gathering is done class by class by one worker each where it may meet missing values; the
    // usual case, complete rows, is spread over all of them.
    struct Piece {
      Index label, start, count;
    };
    std::vector<Piece> pieces;
    for (Index c = 0; c < classes; ++c) {
      const Index end = sorted.start[static_cast<std::size_t>(c) + 1];
      Index start = sorted.start[static_cast<std::size_t>(c)];
      kept[static_cast<std::size_t>(c)] = end - start;
      ShiftedScatter& sum = sums[static_cast<std::size_t>(c)];
      if (start < end && sum.q.empty()) {
        // The first row that is complete gives the shift.
        Index k = start;
        const auto row_at = [&](Index at) {
          return panel.values + sorted.index[static_cast<std::size_t>(at)] * panel.stride;
        };
        while (k < end && !kernels::all_pass(kernels::Check::finite, row_at(k), d, 1, d)) ++k;
        if (k < end) sum.begin(row_at(k), d);
      }
      for (; start < end; start += chunk)
        pieces.push_back({c, start, std::min(chunk, end - start)});
    }
    std::vector<char> clean(pieces.size(), 1);
    workers.run(static_cast<Index>(pieces.size()), [&](Index p, int) {
      const Piece& piece = pieces[static_cast<std::size_t>(p)];
      const ShiftedScatter& sum = sums[static_cast<std::size_t>(piece.label)];
      clean[static_cast<std::size_t>(p)] =
          !sum.q.empty() &&
          kernels::gather_centered(panel.values, panel.stride, sorted.index.data() + piece.start,
                                   piece.count, d, sum.shift.data(), root,
                                   packed.data() + piece.start * width);
    });
    std::vector<char> redo(sums.size(), 0);
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      if (!clean[p]) redo[static_cast<std::size_t>(pieces[p].label)] = 1;
    }
    for (Index c = 0; c < classes; ++c) {
      const std::size_t at = static_cast<std::size_t>(c);
      const Index start = sorted.start[at];
      std::int32_t* index = sorted.index.data() + start;
      if (redo[at]) {
        kept[at] = keep_complete(rows, block, panel, first, index, kept[at], incomplete);
        if (kept[at] > 0) {
          kernels::gather_centered(panel.values, panel.stride, index, kept[at], d,
                                   sums[at].shift.data(), root, packed.data() + start * width);
        }
      }
      for (Index k = 0; k < kept[at]; ++k) sums[at].weight += rows.weight_of(first + index[k]);
    }
    workers.run(static_cast<Index>(tiles.size()), [&](Index t, int) {
      const Tile& tile = tiles[static_cast<std::size_t>(t)];
      const std::size_t c = static_cast<std::size_t>(tile.label);
      if (kept[c] == 0) return;
      const double* x = packed.data() + sorted.start[c] * width;
      const Index i = band(tile.row), j = band(tile.column);
      double* q = sums[c].q.data() + i * width + j;
      if (tile.row == tile.column) {
        blas::syrk_tn(band(tile.row + 1) - i, kept[c], x + i, width, q, width);
      } else {
        blas::gemm_tn(band(tile.row + 1) - i, band(tile.column + 1) - j, kept[c], 1.0, x + i, width,
                      x + j, width, 1.0, q, width);
      }
    });
    workers.run(classes, [&](Index c, int) {
      if (kept[static_cast<std::size_t>(c)] > 0)
        sums[static_cast<std::size_t>(c)].recenter_if_due();
    });
    rows.progress.advance(static_cast<double>(count));
  }
  GaussianStatistics result;
  result.classes.resize(static_cast<std::size_t>(classes));
  workers.run(classes, [&](Index c, int) {
    ShiftedScatter& sum = sums[static_cast<std::size_t>(c)];
    GaussianStatistics::Class& to = result.classes[static_cast<std::size_t>(c)];
    to.complete = sum.finish();
    sum = {};
    to.present = incomplete.finish(c);
  });
  return result;
}

}  // namespace

GaussianStatistics accumulate_gaussian(const LabelledRows& rows, const Block& block, Scatter kind) {
  if (kind == Scatter::diagonal) return accumulate_diagonal(rows, block);
  return static_cast<Index>(block.features.size()) <= small_dimension
             ? accumulate_small(rows, block)
             : accumulate_large(rows, block);
}

}  // namespace suffice
