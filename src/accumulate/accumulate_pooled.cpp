// Two passes over the rows of a block, which are in memory. The first one finds the moments of each
// class; the second one takes each row less the mean of its class, and adds up one product for the
// rows of all classes. With s_c the mean as a double and m_c the mean of two words, that is
//   Q = Σ w (x − s_c)(x − s_c)ᵀ = Σ_c S_c + Σ_c W_c (m_c − s_c)(m_c − s_c)ᵀ.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "accumulate/accumulate.hpp"
#include "accumulate/lanes.hpp"
#include "accumulate/shifted_moments.hpp"
#include "algebra/blas.hpp"
#include "core/kernels.hpp"
#include "data/number_reader.hpp"
#include "stats/pooled.hpp"

namespace suffice {
namespace {

using kernels::padded;

constexpr Index piece_rows = 64;  // that one worker reads, checks or packs at a time

/// Some rows of a reader, read by all workers into `memory` unless they lie in one piece already.
NumberReader::Panel read_by_workers(const LabelledRows& rows, const NumberReader& reader,
                                    Index first, Index count, Vector& memory) {
  if (reader.in_place()) return reader.read(first, count, nullptr);
  const Index d = reader.features();
  double* values = WorkerMemory::room(memory, count * d);
  rows.workers.run((count + piece_rows - 1) / piece_rows, [&](Index k, int) {
    const Index at = k * piece_rows;
    reader.read(first + at, std::min(piece_rows, count - at), values + at * d);
  });
  return {values, d};
}

class PooledSums {
 public:
  PooledSums(const LabelledRows& rows, const Block& block)
      : rows_(rows),
        block_(block),
        n_(rows.size()),
        d_(std::ssize(block.features)),
        width_(padded(d_ + 1)),
        reader_(rows.schema, block, rows.rows, &rows.workers),
        code_(rows.code, rows.code + n_),
        incomplete_(rows.classes(), d_),
        shift_(rows.classes() * padded(d_)) {}

  GaussianStatistics run() {
    set_incomplete_aside();
    take_moments();
    const bool some =
        std::ranges::any_of(result_.classes, [](const auto& of) { return of.complete.weight > 0; });
    if (some) add_up();
    return std::move(result_);
  }

 private:
  /// Rows with a missing value have no part in the scatter; their values are summed feature by
  /// feature, in order.
  void set_incomplete_aside() {
    std::vector<char> finite(static_cast<std::size_t>(n_), 1);
    const Index panel_rows = rows_of_panel();
    for (Index first = 0; first < n_; first += panel_rows) {
      const Index count = std::min(panel_rows, n_ - first);
      const NumberReader::Panel panel = read(first, count);
      const auto passes = [&](Index row, Index size) {
        return kernels::all_pass(kernels::Check::finite,
                                 panel.values + (row - first) * panel.stride, panel.stride, size,
                                 d_);
      };
      rows_.workers.run((count + piece_rows - 1) / piece_rows, [&](Index k, int) {
        const Index from = first + k * piece_rows, to = std::min(from + piece_rows, first + count);
        if (passes(from, to - from)) return;
        for (Index i = from; i < to; ++i) finite[i] = passes(i, 1);
      });
      for (Index i = first; i < first + count; ++i) {
        if (finite[i] || code_[i] < 0) continue;
        // Throws for an infinite value.
        incomplete_.add_row(rows_, block_, panel.values + (i - first) * panel.stride, i);
        code_[i] = -1;
      }
    }
  }

  /// The moments of each class over its complete rows.
  void take_moments() {
    Progress quiet({}, 1);
    const LabelledRows complete{.schema = rows_.schema,
                                .rows = rows_.rows,
                                .first_row = rows_.first_row,
                                .labels = rows_.labels,
                                .code = code_.data(),
                                .weight = rows_.weight,
                                .missing = rows_.missing,
                                .execution = rows_.execution,
                                .workers = rows_.workers,
                                .memory = rows_.memory,
                                .progress = quiet};
    result_ = accumulate_gaussian(complete, block_, Scatter::diagonal);
    result_.kind = Scatter::pooled;
    for (Index c = 0; c < rows_.classes(); ++c) {
      auto& [of, present] = result_.classes[c];
      if (!present.weight.empty() && present.weight[0] > 0) {
        of = {.weight = present.weight[0],
              .mean = std::move(present.mean),
              .mean_low = std::move(present.mean_low),
              .scatter = {}};
        of.squares = std::move(present.squares);
        std::ranges::copy(of.mean, shift_.begin() + c * padded(d_));
      }
      present = incomplete_.finish(c);
    }
  }

  void add_up() {
    Matrix& pooled = result_.pooled;
    pooled = d_ <= small_features ? by_lanes() : by_tiles();
    mirror(pooled);
    Matrix low(rows_.classes(), d_);  // √W_c (m_c − s_c)
    Vector squares(d_);
    for (Index c = 0; c < low.rows(); ++c) {
      const JointMoments& of = result_.classes[c].complete;
      for (Index j = 0; j < of.mean.size(); ++j) {
        low(c, j) = std::sqrt(of.weight) * of.mean_low[j];
        squares[j] += of.squares[j];
      }
    }
    add_products(low, -1, pooled);
    for (Index j = 0; j < d_; ++j)
      if (!(squares[j] > 0)) pooled(j, j) = 0;  // it is rounding
    clear_constants(pooled);
  }

  /// Packs the rows of [first, first + count) that have a part; returns how many there are.
  template <class ForPieces>
  Index pack(const NumberReader::Panel& panel, Index first, Index count, double* packed,
             const ForPieces& for_pieces) const {
    std::vector<std::int32_t> place(static_cast<std::size_t>(count), -1);
    Vector root(rows_.weight ? count : 0);
    std::int32_t next = 0;
    for (Index i = 0; i < count; ++i) {
      if (code_[first + i] >= 0) place[i] = next++;
      if (rows_.weight) root[i] = std::sqrt(rows_.weight[first + i]);
    }
    for_pieces([&](Index from, Index size) {
      kernels::pack_centered(panel.values + from * panel.stride, panel.stride, size, d_,
                             code_.data() + first + from, place.data() + from, shift_.data(),
                             root.empty() ? nullptr : root.data() + from, packed);
    });
    return next;
  }

  /// Few features: each lane has a sum of its own. All are about the same means, so they are added.
  Matrix by_lanes() const {
    const auto square = static_cast<double>(width_ * width_);
    const Index panel_rows = std::min(n_, std::clamp<Index>(24576 / width_, 64, 65536));
    const Lanes lanes = Lanes::of(n_, panel_rows, 2 * square, 0.5 * square);
    std::vector<Matrix> sums(static_cast<std::size_t>(lanes.count));
    rows_.workers.run(lanes.count, [&](Index lane, int worker) {
      WorkerMemory& memory = rows_.memory.workers[worker];
      double* scratch = WorkerMemory::room(memory.values, reader_.in_place() ? 0 : panel_rows * d_);
      double* packed = WorkerMemory::room(memory.packed, panel_rows * width_);
      Matrix& sum = sums[lane];
      sum = Matrix(d_ + 1, width_);
      lanes.for_each_panel(lane, rows_, [&](Index first, Index count) {
        const NumberReader::Panel panel = reader_.read(first, count, scratch);
        const Index packed_rows =
            pack(panel, first, count, packed, [&](const auto& body) { body(0, count); });
        kernels::scatter(packed, packed_rows, d_ + 1, sum.data(), nullptr);
      });
    });
    Matrix result(d_, d_);
    for (const Matrix& sum : sums)
      for (Index i = 0; i < d_; ++i)
        for (Index j = i; j < d_; ++j) result(i, j) += sum(i, j);
    return result;
  }

  /// Many features: one sum, of which each tile has one owner.
  Matrix by_tiles() {
    Index bands = (d_ + 399) / 400;
    while (bands * (bands + 1) / 2 < 12 && d_ / (bands + 1) >= 64) ++bands;
    const auto band = [&](Index i) { return d_ * i / bands; };
    std::vector<std::pair<Index, Index>> tiles;
    for (Index i = 0; i < bands; ++i)
      for (Index j = i; j < bands; ++j) tiles.emplace_back(i, j);
    Matrix result(d_, d_);
    const Index panel_rows = rows_of_panel();
    double* packed = WorkerMemory::room(rows_.memory.workers[0].packed, panel_rows * width_);
    for (Index first = 0; first < n_; first += panel_rows) {
      const Index count = std::min(panel_rows, n_ - first);
      const Index packed_rows =
          pack(read(first, count), first, count, packed, [&](const auto& body) {
            rows_.workers.run((count + piece_rows - 1) / piece_rows, [&](Index k, int) {
              body(k * piece_rows, std::min(piece_rows, count - k * piece_rows));
            });
          });
      rows_.workers.run(std::ssize(tiles), [&](Index t, int) {
        const auto [row, column] = tiles[t];
        const Index i = band(row), j = band(column);
        const Index height = band(row + 1) - i, breadth = band(column + 1) - j;
        double* q = result.data() + i * d_ + j;
        if (row == column)
          blas::syrk_tn(height, packed_rows, packed + i, width_, q, d_);
        else
          blas::gemm_tn(height, breadth, packed_rows, 1, packed + i, width_, packed + j, width_, 1,
                        q, d_);
      });
      rows_.progress.advance(static_cast<double>(count));
    }
    return result;
  }

  /// Long panels make the products efficient; 48 MB at most.
  Index rows_of_panel() const {
    return std::min(n_, std::clamp<Index>(6'000'000 / width_, 64, 8192));
  }
  NumberReader::Panel read(Index first, Index count) const {
    return read_by_workers(rows_, reader_, first, count, rows_.memory.workers[0].values);
  }

  static constexpr Index small_features = 160;  // as for class scatters

  const LabelledRows& rows_;
  const Block& block_;
  Index n_, d_, width_;
  NumberReader reader_;
  std::vector<std::int32_t> code_;  // -1 also for rows that lack a value
  ShiftedMoments incomplete_;
  Vector shift_;  // K × padded(d): the means
  GaussianStatistics result_;
};

}  // namespace

GaussianStatistics accumulate_pooled(const LabelledRows& rows, const Block& block) {
  return PooledSums(rows, block).run();
}

}  // namespace suffice
