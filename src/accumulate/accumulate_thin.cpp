// The rows of a class, one after the other: with m the mean of those before, of weight W, a row x
// of weight w adds √(W w / (W + w)) (x − m) to the factor, and S = Rᵀ R holds after each. Features
// do not depend on each other, so workers take stripes of them.

#include <algorithm>
#include <cmath>

#include "accumulate/accumulate.hpp"
#include "accumulate/shifted_moments.hpp"
#include "core/compensated_sum.hpp"
#include "core/kernels.hpp"
#include "data/number_reader.hpp"
#include "stats/moments.hpp"
#include "stats/thin.hpp"

namespace suffice {
namespace {

/// What a complete row does to the sums of its class.
struct ThinStep {
  Index row;     ///< in the panel
  Index label;   ///< its class
  Index place;   ///< row of the factor; −1: the first of its class
  double root;   ///< √(W w / (W + w))
  double share;  ///< w / (W + w)
};

class ThinSums {
 public:
  ThinSums(const LabelledRows& rows, const Block& block)
      : rows_(rows),
        block_(block),
        d_(std::ssize(block.features)),
        weight_(rows.classes()),
        counts_(static_cast<std::size_t>(rows.classes())),
        shift_(rows.classes(), d_),
        mean_(rows.classes(), d_),
        factors_(static_cast<std::size_t>(rows.classes())),
        incomplete_(rows.classes(), d_) {}

  void add(const NumberReader::Panel& panel, Index first, Index count) {
    std::vector<ThinStep> steps;
    for (Index i = 0; i < count; ++i) {
      const Index c = rows_.code[first + i];
      if (c < 0) continue;
      const double* x = panel.values + i * panel.stride;
      if (!kernels::all_pass(kernels::Check::finite, x, d_, 1, d_)) {
        incomplete_.add_row(rows_, block_, x, first + i);  // throws for an infinite value
        continue;
      }
      const double w = rows_.weight_of(first + i), before = weight_[c];
      weight_[c] += w;
      steps.push_back(
          {i, c, counts_[c]++ - 1, std::sqrt(before * (w / weight_[c])), w / weight_[c]});
    }
    make_room();
    constexpr Index stripe = 512;
    rows_.workers.run((d_ + stripe - 1) / stripe, [&](Index k, int) {
      const Index from = k * stripe, to = std::min(d_, from + stripe);
      for (const ThinStep& step : steps)
        take(step, panel.values + step.row * panel.stride, from, to);
    });
    rows_.progress.advance(static_cast<double>(count));
  }

  GaussianStatistics finish() {
    GaussianStatistics result;
    result.kind = Scatter::thin;
    result.classes.resize(factors_.size());
    rows_.workers.run(rows_.classes(), [&](Index c, int) {
      GaussianStatistics::Class& to = result.classes[c];
      to.present = incomplete_.finish(c);
      if (counts_[c] == 0) return;
      to.complete = {.weight = weight_[c],
                     .mean = Vector(d_),
                     .mean_low = Vector(d_),
                     .scatter = {},
                     .factor = std::move(factors_[c])};
      for (Index j = 0; j < d_; ++j) {
        const TwoSum mean = two_sum(shift_(c, j), mean_(c, j));
        to.complete.mean[j] = mean.sum;
        to.complete.mean_low[j] = mean.error;
      }
      compress(to.complete.factor);
    });
    return result;
  }

 private:
  /// Rows of the factors for what was counted.
  void make_room() {
    for (std::size_t c = 0; c < factors_.size(); ++c) {
      const Index wanted = std::max<Index>(counts_[c] - 1, 0);
      if (factors_[c].rows() >= wanted) continue;
      Matrix larger(wanted, d_);
      std::copy_n(factors_[c].data(), factors_[c].size(), larger.data());
      factors_[c] = std::move(larger);
    }
  }

  /// Means are relative to the first row of the class, which costs no digits of an offset.
  void take(const ThinStep& step, const double* x, Index from, Index to) {
    double* shift = shift_.row(step.label).data();
    double* mean = mean_.row(step.label).data();
    if (step.place < 0) {
      std::copy(x + from, x + to, shift + from);
      return;
    }
    double* row = factors_[static_cast<std::size_t>(step.label)].row(step.place).data();
    for (Index j = from; j < to; ++j) {
      const double apart = (x[j] - shift[j]) - mean[j];
      row[j] = step.root * apart;
      mean[j] += step.share * apart;
    }
  }

  const LabelledRows& rows_;
  const Block& block_;
  Index d_;
  Vector weight_;              // per class, of the complete rows
  std::vector<Index> counts_;  // of these
  Matrix shift_, mean_;        // K × d: the first row; the mean relative to it
  std::vector<Matrix> factors_;
  ShiftedMoments incomplete_;
};

}  // namespace

GaussianStatistics accumulate_thin(const LabelledRows& rows, const Block& block) {
  const Index n = rows.size(), d = std::ssize(block.features);
  const NumberReader reader(rows.schema, block, rows.rows, &rows.workers);
  const Index panel_rows = std::min(n, std::clamp<Index>(6'000'000 / d, 64, 8192));
  ThinSums sums(rows, block);
  double* scratch =
      WorkerMemory::room(rows.memory.workers[0].values, reader.in_place() ? 0 : panel_rows * d);
  for (Index first = 0; first < n; first += panel_rows) {
    const Index count = std::min(panel_rows, n - first);
    constexpr Index piece = 16;
    NumberReader::Panel panel{scratch, d};
    if (reader.in_place())
      panel = reader.read(first, count, nullptr);
    else
      rows.workers.run((count + piece - 1) / piece, [&](Index k, int) {
        reader.read(first + k * piece, std::min(piece, count - k * piece), scratch + k * piece * d);
      });
    sums.add(panel, first, count);
  }
  return sums.finish();
}

}  // namespace suffice
