#pragma once
// Merging the moments of two sets of rows: mean and squares about it, by the formula of
// stats/statistics.hpp. Moments without vectors, or of weight 0, have seen nothing.

#include "suffice/stats/statistics.hpp"

namespace suffice {

/// a := the moments of the rows of both, which are both thin or both dense.
void merge_into(JointMoments& a, const JointMoments& b);

/// What a merge adds to the scatter: δδᵀ · factor.
struct MergedMean {
  Vector delta;       ///< m_B − m_A
  double factor = 0;  ///< W_A W_B / W
};
/// a := the weight and mean of the rows of both, which have some. The scatter is the caller's.
MergedMean merge_means(JointMoments& a, const JointMoments& b);

/// The same feature by feature, each with its own weight.
void merge_into(Moments& a, const Moments& b);

/// The weight, mean and diagonal of joint moments; empty where they have seen nothing.
Moments diagonal_of(const JointMoments& joint);

/// A number as the sum of a double and a low-order word.
struct TwoWords {
  double high = 0, low = 0;
};
/// a − b, to twice the digits of a double.
TwoWords difference(TwoWords a, TwoWords b) noexcept;
/// a + delta · numerator / denominator, to nearly twice the digits of a double.
TwoWords moved(TwoWords a, TwoWords delta, double numerator, double denominator) noexcept;

}  // namespace suffice
