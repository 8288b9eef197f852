#pragma once
// Scatters of which a factor is kept: S = Rᵀ R, R with at most as many rows as there were. For
// tables with more features than rows.

#include "suffice/stats/statistics.hpp"

namespace suffice {

/// The diagonal of S; of a pooled scatter only where the squares of classes are known.
Vector squares_of(const JointMoments& moments);
/// S itself, d × d, of a thin scatter or a dense one.
Matrix scatter_of(const JointMoments& moments);

/// a := the moments of the rows of both, thin ones. Requires rows in both.
void merge_thin(JointMoments& a, const JointMoments& b);

/// As with_scatter, of one block.
void keep_scatter(GaussianStatistics& sums, Scatter kind);

/// No more rows than columns, and the same Rᵀ R.
void compress(Matrix& factor);

/// R with Rᵀ R = S, of as many rows as S has directions above rounding.
Matrix factor_of(const Matrix& scatter);

/// R of what remains of `all` (r × d) without `part`: Rᵀ R = allᵀ all − partᵀ part. With B the rows
/// of the part in terms of those of the whole, that is allᵀ (I − Bᵀ B) all. Returns false where the
/// part is no part of the whole. `digits_lost`: the rows of the whole nearly depend on each other,
/// and half of the digits or more are rounding.
bool subtract_thin(const Matrix& all, const Matrix& part, Matrix& rest, bool& digits_lost);

}  // namespace suffice
