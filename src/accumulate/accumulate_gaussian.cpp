#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "accumulate/accumulate.hpp"
#include "accumulate/lanes.hpp"
#include "accumulate/shifted_moments.hpp"
#include "algebra/blas.hpp"
#include "core/compensated_sum.hpp"
#include "core/kernels.hpp"
#include "data/number_reader.hpp"
#include "stats/moments.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

namespace {

using kernels::padded;

/// Up to that many features a kernel of its own is faster than products, whose packing is made for
/// larger ones.
constexpr Index most_small = 160;

/// Few features, and room for the sums of many lanes.
bool is_small(Index d, Index classes) {
  constexpr double most_bytes = 8e6;
  const double width = static_cast<double>(padded(d + 1));
  return d <= most_small &&
         static_cast<double>(classes) * width * width * sizeof(double) <= most_bytes;
}

/// Sums whose lanes would cost too much to merge: many features or classes.
GaussianStatistics accumulate_by_class(const LabelledRows& rows, const Block& block,
                                       const NumberReader& reader) {
  const Index n = rows.size(), d = static_cast<Index>(block.features.size()),
              classes = rows.classes();
  NumberReader::Panel panel{nullptr, d};
  if (reader.in_place()) {
    panel = reader.read(0, n, nullptr);
  } else {
    constexpr Index piece = 64;
    double* values = WorkerMemory::room(rows.memory.workers[0].values, n * d);
    rows.workers.run((n + piece - 1) / piece, [&](Index k, int) {
      reader.read(k * piece, std::min(piece, n - k * piece), values + k * piece * d);
    });
    panel.values = values;
  }
  ShiftedMoments sums(classes, d);
  sums.add_by_class(rows, block, panel.values, panel.stride);
  GaussianStatistics result;
  result.kind = Scatter::diagonal;
  result.classes.resize(static_cast<std::size_t>(classes));
  for (Index c = 0; c < classes; ++c) result.classes[c].present = sums.finish(c);
  return result;
}

GaussianStatistics accumulate_diagonal(const LabelledRows& rows, const Block& block) {
  const Index n = rows.size(), d = static_cast<Index>(block.features.size()),
              classes = rows.classes();
  const NumberReader reader(rows.schema, block, rows.rows, &rows.workers);
  if (const SparseView* sparse = reader.sparse())
    return accumulate_sparse_moments(rows, block, *sparse);
  // A panel fits the second-level cache; with many classes it is longer, since their sums are kept
  // for the case that it has missing values.
  const Index panel_rows = std::clamp<Index>(std::max<Index>(16384 / d, 40 * classes), 16, 16384);
  // Means of two words make merging expensive.
  const Lanes lanes = Lanes::of(n, panel_rows, 25.0 * static_cast<double>(classes * d),
                                2.0 * static_cast<double>(d));
  const double total = static_cast<double>(n) * static_cast<double>(d);
  if (lanes.count < 4 && total > 1e6) return accumulate_by_class(rows, block, reader);
  std::vector<ShiftedMoments> sums;
  for (Index lane = 0; lane < lanes.count; ++lane) sums.emplace_back(classes, d);
  Workers& workers = rows.workers;
  workers.run(lanes.count, [&](Index lane, int worker) {
    double* scratch = WorkerMemory::room(rows.memory.workers[worker].values,
                                         reader.in_place() ? 0 : panel_rows * d);
    lanes.for_each_panel(lane, rows, [&](Index first, Index count) {
      const NumberReader::Panel panel = reader.read(first, count, scratch);
      sums[lane].add(rows, block, panel.values, panel.stride, first, count);
    });
  });
  GaussianStatistics result;
  result.kind = Scatter::diagonal;
  result.classes.resize(static_cast<std::size_t>(classes));
  workers.run(classes, [&](Index c, int) {
    Moments of_lane;
    for (const ShiftedMoments& lane : sums) {
      lane.finish(c, of_lane);
      merge_into(result.classes[c].present, of_lane);
    }
  });
  return result;
}

/// The joint sums of one class about a shift: the upper triangle of q is Σ w (x − s, 1)(x − s, 1)ᵀ,
/// so its last column is D = Σ w (x − s).
struct ShiftedScatter {
  double weight = 0;
  Index panels = 0;
  double* shift = nullptr;  // d numbers of the lane's table
  Matrix q;                 // (d + 1) × padded(d + 1); empty: nothing seen

  void begin(const double* x, Index d, double* shift_memory, SpareMatrices& zeros) {
    shift = shift_memory;
    std::copy_n(x, d, shift);
    q = zeros.take(d + 1, padded(d + 1));
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
    }
    for (Index j = 0; j < d; ++j) q(j, d) -= weight * moved[j];
  }

  /// Of the scatter the upper triangle only; the lower one is not set.
  JointMoments finish(SpareMatrices& spare) const {
    JointMoments result;
    if (q.empty()) return result;
    const Index d = q.rows() - 1;
    result = {weight, Vector(d), Vector(d), spare.take(d, d)};
    for (Index i = 0; i < d; ++i) {
      const double offset = q(i, d) / weight;
      const TwoSum mean = two_sum(shift[i], offset);
      result.mean[i] = mean.sum;
      result.mean_low[i] = mean.error;
      for (Index j = i; j < d; ++j) result.scatter(i, j) = q(i, j) - offset * q(j, d);
    }
    return result;
  }
};

/// The sums of all classes in one lane.
struct JointSums {
  std::vector<ShiftedScatter> scatter;  // per class
  Vector shift;                         // K × padded(d)
  ShiftedMoments incomplete;            // rows with missing values

  JointSums(Index classes, Index d)
      : scatter(static_cast<std::size_t>(classes)),
        shift(classes * padded(d)),
        incomplete(classes, d) {}
};

/// A panel of rows, packed class by class.
class PackedPanel {
 public:
  PackedPanel(const LabelledRows& rows, const Block& block, Index panel_rows, Vector& memory)
      : rows_(rows),
        block_(block),
        d_(static_cast<Index>(block.features.size())),
        width_(padded(d_ + 1)),
        code_(static_cast<std::size_t>(panel_rows)),
        packed_(WorkerMemory::room(memory, panel_rows * width_)),
        root_(rows.weight ? panel_rows : 0) {}

  /// Packs the rows from row0 on. Classes that begin here get their first complete row as shift.
  /// `for_pieces(body)` calls body(first, count) for all pieces of the panel, on any threads.
  template <class ForPieces>
  void pack(const NumberReader::Panel& panel, Index row0, Index n, JointSums& sums,
            const ForPieces& for_pieces) {
    std::copy_n(rows_.code + row0, n, code_.begin());
    for (Index i = 0; i < root_.size() && i < n; ++i) root_[i] = std::sqrt(rows_.weight[row0 + i]);
    begin_classes(panel, n, sums);
    places_.sort(code_.data(), n, rows_.classes());
    std::atomic<bool> complete = true;
    const auto pack_piece = [&](Index first, Index count) {
      if (!kernels::pack_centered(panel.values + first * panel.stride, panel.stride, count, d_,
                                  code_.data() + first, places_.place.data() + first,
                                  sums.shift.data(), root_.empty() ? nullptr : root_.data() + first,
                                  packed_)) {
        complete = false;
      }
    };
    for_pieces(pack_piece);
    if (!complete) {
      set_incomplete_aside(panel, row0, n, sums);
      places_.sort(code_.data(), n, rows_.classes());
      for_pieces(pack_piece);
    }
    if (rows_.weight) {
      for (Index i = 0; i < n; ++i)
        if (code_[i] >= 0) sums.scatter[code_[i]].weight += rows_.weight[row0 + i];
    } else {
      for (Index c = 0; c < rows_.classes(); ++c)
        sums.scatter[c].weight += static_cast<double>(count(c));
    }
  }

  Index count(Index c) const { return places_.count(c); }
  Index first_of(Index c) const { return places_.start[c]; }
  const double* rows_of(Index c) const { return packed_ + first_of(c) * width_; }

 private:
  void begin_classes(const NumberReader::Panel& panel, Index n, JointSums& sums) {
    const auto is_begun = [](const ShiftedScatter& scatter) { return !scatter.q.empty(); };
    if (std::ranges::all_of(sums.scatter, is_begun)) return;
    for (Index i = 0; i < n; ++i) {
      const std::int32_t c = code_[i];
      if (c < 0 || !sums.scatter[c].q.empty()) continue;
      const double* x = panel.values + i * panel.stride;
      if (kernels::all_pass(kernels::Check::finite, x, d_, 1, d_)) {
        sums.scatter[c].begin(x, d_, sums.shift.data() + c * padded(d_), rows_.memory.zeros);
      }
    }
  }

  /// Rows with a missing value leave the panel; their values are summed feature by feature.
  void set_incomplete_aside(const NumberReader::Panel& panel, Index row0, Index n,
                            JointSums& sums) {
    for (Index i = 0; i < n; ++i) {
      std::int32_t& code = code_[i];
      const double* x = panel.values + i * panel.stride;
      if (code < 0 || kernels::all_pass(kernels::Check::finite, x, d_, 1, d_)) continue;
      sums.incomplete.add_row(rows_, block_, x, row0 + i);  // throws for an infinite value
      code = -1;
    }
  }

  const LabelledRows& rows_;
  const Block& block_;
  Index d_, width_;
  std::vector<std::int32_t> code_;  // -1 also for rows set aside
  double* packed_;
  Vector root_;  // of the weights
  SortedRows places_;
};

GaussianStatistics finish(std::vector<JointSums>& lanes, const LabelledRows& rows) {
  const Index classes = rows.classes();
  GaussianStatistics result;
  result.classes.resize(static_cast<std::size_t>(classes));
  rows.workers.run(classes, [&](Index c, int) {
    GaussianStatistics::Class& to = result.classes[c];
    for (JointSums& lane : lanes) {
      ShiftedScatter& scatter = lane.scatter[c];
      JointMoments of_lane = scatter.finish(rows.memory.spare);
      if (to.complete.weight > 0) {
        merge_into(to.complete, of_lane);
        rows.memory.spare.give(std::move(of_lane.scatter));
      } else {
        to.complete = std::move(of_lane);
      }
      std::fill_n(scatter.q.data(), scatter.q.size(), 0.0);
      rows.memory.zeros.give(std::move(scatter.q));
      merge_into(to.present, lane.incomplete.finish(c));
    }
    mirror(to.complete.scatter);
  });
  return result;
}

/// Many features or classes: one set of sums; workers own different tiles of it.
GaussianStatistics accumulate_large(const LabelledRows& rows, const Block& block) {
  const Index n = rows.size(), d = static_cast<Index>(block.features.size()),
              classes = rows.classes();
  const Index width = padded(d + 1);
  const NumberReader reader(rows.schema, block, rows.rows, &rows.workers);
  // 48 MB of packed rows: long panels are what makes the products efficient.
  const Index panel_rows = std::min(n, std::clamp<Index>(6'000'000 / width, 64, 8192));

  // Tiles of the upper triangle: no wider than 400 columns, and enough of them to occupy many
  // workers.
  Index bands = (d + 1 + 399) / 400;
  while (classes * bands * (bands + 1) / 2 < 12 && (d + 1) / (bands + 1) >= 64) ++bands;
  constexpr Index unit = 24;  // columns that products work on at a time, or a multiple
  const auto band = [&](Index i) {
    return i == bands ? d + 1 : ((d + 1) * i / bands + unit / 2) / unit * unit;
  };
  struct Tile {
    Index label, row, column;
  };
  std::vector<Tile> tiles;
  for (Index c = 0; c < classes; ++c) {
    for (Index i = 0; i < bands; ++i) {
      for (Index j = i; j < bands; ++j) tiles.push_back({c, i, j});
    }
  }

  Workers& workers = rows.workers;
  std::vector<JointSums> sums;
  sums.emplace_back(classes, d);
  std::vector<ShiftedScatter>& scatter = sums[0].scatter;
  WorkerMemory& memory = rows.memory.workers[0];
  double* scratch = WorkerMemory::room(memory.values, reader.in_place() ? 0 : panel_rows * d);
  PackedPanel packed(rows, block, panel_rows, memory.packed);
  for (Index first = 0; first < n; first += panel_rows) {
    const Index count = std::min(panel_rows, n - first);
    constexpr Index piece = 64;  // rows that one worker reads or packs at a time
    const auto for_pieces = [&](const auto& body) {
      workers.run((count + piece - 1) / piece,
                  [&](Index k, int) { body(k * piece, std::min(piece, count - k * piece)); });
    };
    NumberReader::Panel panel{scratch, d};
    if (reader.in_place()) {
      panel = reader.read(first, count, nullptr);
    } else {
      for_pieces([&](Index k, Index size) { reader.read(first + k, size, scratch + k * d); });
    }
    packed.pack(panel, first, count, sums[0], for_pieces);
    workers.run(static_cast<Index>(tiles.size()), [&](Index t, int) {
      const auto [c, row, column] = tiles[t];
      if (packed.count(c) == 0) return;
      const double* x = packed.rows_of(c);
      const Index i = band(row), j = band(column);
      double* q = scatter[c].q.data() + i * width + j;
      if (bands == 1 && d <= most_small) {
        kernels::scatter(x, packed.count(c), d + 1, q, nullptr);
      } else if (row == column) {
        blas::syrk_tn(band(row + 1) - i, packed.count(c), x + i, width, q, width);
      } else {
        blas::gemm_tn(band(row + 1) - i, band(column + 1) - j, packed.count(c), 1.0, x + i, width,
                      x + j, width, 1.0, q, width);
      }
    });
    workers.run(classes, [&](Index c, int) {
      if (packed.count(c) > 0) scatter[c].recenter_if_due();
    });
    rows.progress.advance(static_cast<double>(count));
  }
  return finish(sums, rows);
}

/// Few features: each lane has sums of its own, unless it would take too long to merge them.
GaussianStatistics accumulate_small(const LabelledRows& rows, const Block& block) {
  const Index n = rows.size(), d = static_cast<Index>(block.features.size()),
              classes = rows.classes();
  const Index width = padded(d + 1);
  const NumberReader reader(rows.schema, block, rows.rows, &rows.workers);
  // A panel's packed rows fit the second-level cache; with many classes it is longer, so that each
  // has rows enough to pay for loading its sums.
  const Index panel_rows =
      std::min(n, std::clamp<Index>(std::max<Index>(24576 / width, 16 * classes), 64, 65536));
  // An element of a scatter is merged in the time of several multiplications of rows.
  const double state = 6.0 * static_cast<double>(classes) * static_cast<double>(width * width);
  const Lanes lanes = Lanes::of(n, panel_rows, state, 0.5 * static_cast<double>(width * width));
  if (lanes.count <= 4 && classes >= 16 && n >= 64 * classes) return accumulate_large(rows, block);
  std::vector<JointSums> sums;
  for (Index lane = 0; lane < lanes.count; ++lane) sums.emplace_back(classes, d);
  rows.workers.run(lanes.count, [&](Index l, int worker) {
    JointSums& lane = sums[l];
    WorkerMemory& memory = rows.memory.workers[worker];
    double* scratch = WorkerMemory::room(memory.values, reader.in_place() ? 0 : panel_rows * d);
    PackedPanel packed(rows, block, panel_rows, memory.packed);
    lanes.for_each_panel(l, rows, [&](Index first, Index count) {
      const NumberReader::Panel panel = reader.read(first, count, scratch);
      packed.pack(panel, first, count, lane, [&](const auto& pack_piece) { pack_piece(0, count); });
      // What the next panel reads comes into the cache while products are made.
      const bool follows = reader.in_place() && panel.stride == d && first + count < n;
      const double* next = follows ? panel.values + count * d : nullptr;
      for (Index c = 0; c < classes; ++c) {
        if (packed.count(c) == 0) continue;
        ShiftedScatter& scatter = lane.scatter[c];
        kernels::scatter(packed.rows_of(c), packed.count(c), d + 1, scatter.q.data(),
                         next ? next + packed.first_of(c) * d : nullptr);
        scatter.recenter_if_due();
      }
    });
  });
  return finish(sums, rows);
}

}  // namespace

// Tile by tile: a straight loop would miss the caches once a row.
void mirror(Matrix& scatter) {
  constexpr Index tile = 32;
  const Index d = scatter.rows();
  for (Index i0 = 0; i0 < d; i0 += tile) {
    for (Index j0 = 0; j0 <= i0; j0 += tile) {
      for (Index i = i0; i < std::min(d, i0 + tile); ++i) {
        for (Index j = j0; j < std::min(i, j0 + tile); ++j) scatter(i, j) = scatter(j, i);
      }
    }
  }
}

GaussianStatistics accumulate_gaussian(const LabelledRows& rows, const Block& block, Scatter kind) {
  switch (kind) {
    case Scatter::diagonal:
      return accumulate_diagonal(rows, block);
    case Scatter::thin:
      return accumulate_thin(rows, block);
    case Scatter::pooled:
      return accumulate_pooled(rows, block);
    case Scatter::dense:
      break;
  }
  return is_small(static_cast<Index>(block.features.size()), rows.classes())
             ? accumulate_small(rows, block)
             : accumulate_large(rows, block);
}

}  // namespace suffice
