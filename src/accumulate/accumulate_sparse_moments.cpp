#include <cmath>
#include <vector>

#include "accumulate/accumulate.hpp"
#include "core/compensated_sum.hpp"
#include "core/minus_or_zero.hpp"
#include "data/sparse.hpp"

namespace suffice {
namespace {

/// The moments of one class. With W the weight of its rows, E that of the rows with an entry of a
/// feature and M that of the rows in which its entry is missing,
///   m = Σ w x / (W − M),   Σ w (x − m)² over the entries + (W − M − E) m².
/// The sum of x has two words, so that m has the digits that a shift would give.
class ClassMoments {
 public:
  ClassMoments(const LabelledRows& rows, const Block& block, const SparseView& x)
      : rows_(rows),
        block_(block),
        entries_(x),
        d_(x.cols),
        result_{Vector(d_), Vector(d_), Vector(d_), Vector(d_)} {}

  Moments of(const std::vector<Index>& members) {
    for (const Index row : members) add(row);
    center();
    for (const Index row : members) add_squares(row);
    return std::move(result_);
  }

 private:
  void add(Index row) {
    const double w = rows_.weight_of(row);
    weight_ += w;
    entries_.read(row);
    for (std::size_t k = 0; k < entries_.columns().size(); ++k) {
      const Index j = entries_.columns()[k];
      const double x = entries_.values()[k];
      if (std::isnan(x)) {
        require_present(rows_, block_.features[static_cast<std::size_t>(j)], row);
        if (missing_.empty()) missing_ = Vector(d_);
        missing_[j] += w;
        continue;
      }
      if (std::isinf(x))
        throw_bad_value(rows_, block_.features[static_cast<std::size_t>(j)], row, x);
      const double product = w * x;
      const TwoSum sum = two_sum(result_.mean[j], product);
      result_.mean[j] = sum.sum;
      result_.mean_low[j] += sum.error + std::fma(w, x, -product);
      result_.weight[j] += w;
    }
  }

  /// From sums to means, and the squares of what has no entry.
  void center() {
    for (Index j = 0; j < d_; ++j) {
      const double present = missing_.empty() ? weight_ : minus_or_zero(weight_, missing_[j]);
      const double sum = result_.mean[j], low = result_.mean_low[j];
      const double without_entry = minus_or_zero(present, result_.weight[j]);
      result_.weight[j] = present;
      if (present == 0 || (sum == 0 && low == 0)) continue;
      const double mean = (sum + low) / present;
      const double rest = (std::fma(-mean, present, sum) + low) / present;
      const TwoSum words = two_sum(mean, rest);
      result_.mean[j] = words.sum;
      result_.mean_low[j] = words.error;
      result_.squares[j] = without_entry * words.sum * words.sum;
    }
  }

  void add_squares(Index row) {
    const double w = rows_.weight_of(row);
    entries_.read(row);
    for (std::size_t k = 0; k < entries_.columns().size(); ++k) {
      const Index j = entries_.columns()[k];
      const double t = (entries_.values()[k] - result_.mean[j]) - result_.mean_low[j];
      if (!std::isnan(t)) result_.squares[j] += w * t * t;
    }
  }

  const LabelledRows& rows_;
  const Block& block_;
  EntryReader entries_;
  Index d_;
  double weight_ = 0;
  Vector missing_;  // weight, per feature; empty: none
  Moments result_;
};

}  // namespace

GaussianStatistics accumulate_sparse_moments(const LabelledRows& rows, const Block& block,
                                             const SparseView& x) {
  std::vector<std::vector<Index>> members(static_cast<std::size_t>(rows.classes()));
  for (Index i = 0; i < rows.size(); ++i)
    if (rows.code[i] >= 0) members[static_cast<std::size_t>(rows.code[i])].push_back(i);
  GaussianStatistics result;
  result.kind = Scatter::diagonal;
  result.classes.resize(members.size());
  rows.workers.run(rows.classes(), [&](Index c, int) {
    const std::vector<Index>& own = members[static_cast<std::size_t>(c)];
    if (own.empty()) return;
    result.classes[static_cast<std::size_t>(c)].present = ClassMoments(rows, block, x).of(own);
    rows.progress.advance(static_cast<double>(own.size()));
  });
  return result;
}

}  // namespace suffice
