#pragma once
// The inner loops, written once with Highway and compiled for each instruction set; the best one
// for this CPU is picked at run time. Rows are row-major doubles; `stride` is the distance between
// them.

#include <cstdint>

#include "suffice/core/matrix.hpp"

namespace suffice::kernels {

/// Accumulators and packed rows have their columns padded to a multiple of this.
inline constexpr Index lane_unit = 8;
inline constexpr Index padded(Index columns) {
  return (columns + lane_unit - 1) / lane_unit * lane_unit;
}

// ---- statistics ------------------------------------------------------------------------------

/// What is wrong with some values, if anything.
enum class Check { finite, zero_or_one, count, not_negative };
/// Whether all are finite, and (zero_or_one) 0 or 1, (count) whole and not negative, or just not
/// negative.
bool all_pass(Check check, const double* rows, Index stride, Index n, Index d);

/// For each row i of class c = label[i] (c < 0: none; null: all of class 0) and feature j, with w =
/// weight[i] (null: 1):
///   sums[c][j] += w (x_ij − shift[c][j]),   squares[c][j] += w (x_ij − shift[c][j])².
/// shift, sums and squares are K × padded(d). Rows are taken in `order`, n of them (null: as they
/// come). A value that is not finite shows in its square.
void accumulate_moments(const double* rows, Index stride, Index n, Index d,
                        const std::int32_t* order, const std::int32_t* label, const double* weight,
                        const double* shift, double* sums, double* squares);
/// sums[c][j] += w x_ij; as above, for values that were checked.
void accumulate_sums(const double* rows, Index stride, Index n, Index d, const std::int32_t* label,
                     const double* weight, double* sums);

/// For each row i with place[i] ≥ 0, class c = label[i] and r = root_weight[i] (null: 1):
///   packed[place[i]] = r (x_i − shift[c], 1, 0 …).
/// shift is K × padded(d), packed rows have padded(d + 1) columns. Returns whether all values were
/// finite. Rows are read in their order, which is what makes reading fast.
bool pack_centered(const double* rows, Index stride, Index n, Index d, const std::int32_t* label,
                   const std::int32_t* place, const double* shift, const double* root_weight,
                   double* packed);
/// The upper triangle of q += packedᵀ packed; q is columns × padded(columns), packed has n rows of
/// padded(columns). `next`: n × columns numbers that will be read soon and are fetched into the
/// second-level cache meanwhile (null: none).
void scatter(const double* packed, Index n, Index columns, double* q, const double* next);

/// Moments of d features: weights, means of two words (high, low), sums of squares about the mean.
template <class T>
struct MomentsOf {
  T *weight, *high, *low, *squares;
};
/// Merges b into a, feature by feature, as merge_into of stats/moments.hpp does. Returns how many
/// of the first features are done: those that fill vectors, where there are fused products.
Index merge_moments(const MomentsOf<double>& a, const MomentsOf<const double>& b, Index d);

// ---- scores: rows as lanes -------------------------------------------------------------------

/// Rows that are scored together. Their values are transposed: feature j of row r at [j *
/// rows_at_once + r].
inline constexpr Index rows_at_once = 32;

/// to[j * to_stride + i] = from[i * from_stride + j] − center[j] (null: 0), for rows × cols values.
void transpose(const double* from, Index from_stride, Index rows, Index cols, const double* center,
               double* to, Index to_stride);
/// out[c][r] = base[c] − ½ Σ_j (x_jr scale[c][j] − offset[c][j])²; scale and offset are K × d.
void score_diagonal(const double* x, Index d, Index classes, const double* scale,
                    const double* offset, const double* base, double* out);
/// out[r] = base − ½ |W x_r − offset|² for the first `rows` ≤ rows_at_once, W lower triangular, d ×
/// d. Few rows take less time; the bits of a row are the same.
void score_lower(const double* x, Index d, Index rows, const double* w, const double* offset,
                 double base, double* out);
/// Floats have twice the lanes: rows that are worked on together.
inline constexpr Index float_rows_at_once = 2 * rows_at_once;
/// out[r] = |W x_r − offset|² in single precision for the first `rows` ≤ float_rows_at_once;
/// feature j of row r is at x[j * float_rows_at_once + r]. Each sum adds its terms one by one.
void squares_lower(const float* x, Index d, Index rows, const float* w, const float* offset,
                   float* out);
/// For rows_at_once rows: out[j * float_rows_at_once + r] = scale_j x_jr, and norm[r] the root of
/// the sum of their squares.
void scale_to_float(const double* x, Index d, const double* scale, float* out, double* norm);
/// scores[r] = base + slope log(1 + factor scores[r]) for rows_at_once numbers, where the product
/// is not negative. Those that are not finite stay so.
void student_from_normal(double factor, double slope, double base, double* scores);
/// out[i][r] = (W x_r)_i, W lower triangular, d × d.
void multiply_lower(const double* x, Index d, const double* w, double* out);

// ---- scores: classes as lanes ----------------------------------------------------------------

/// out[i][c] = base[c] + Σ_j (x_ij − center[j]) table[j][c] for n ≤ rows_at_once rows and the
/// classes c < classes; out is n × classes. table is d × padded(classes), base and center (null: 0)
/// are padded, and scratch has room for 8 × padded(d).
void score_linear(const double* rows, Index stride, Index n, Index d, const double* center,
                  Index classes, const double* table, const double* base, double* scratch,
                  double* out);
/// out[k] += Σ_i factor[i] table[row[i]][k]; the table's rows are `width` = padded(classes), or 2
/// or 4, long. Where factor is null it is 1. Rows below 0 are passed over; to the others first[i]
/// (null: 0) is added. `known` ≥ n rows may be looked at, to fetch what the next call needs.
void add_table_rows(const double* table, Index width, const std::int32_t* row,
                    const std::int32_t* first, const double* factor, Index n, Index known,
                    double* out);

// ---- scores without a row --------------------------------------------------------------------

/// What removing a row does to the variances of its class, features one by one. Each table has
/// padded(d) numbers, 0 behind the last feature.
struct Removal {
  const double *mean, *loss, *inverse, *gain;
};
/// For rows r < n ≤ rows_at_once, with s_j = (x_rj − mean_j)² and h_j = 1 − loss_j s_j:
///   weight[r][j] = inverse_j / h_j,          q[r] = Σ_j gain_j s_j weight[r][j],
///   log_h[r] = Σ_j log h_j,                  least[r] = the least h_j (none: 1).
/// Where least[r] is below 1e-6, the others are undefined. weight is n × padded(d); the other
/// results have rows_at_once numbers.
void remove_from_each(const double* rows, Index stride, Index n, Index d, const Removal* removal,
                      double* weight, double* q, double* log_h, double* least);
/// The same for one variance of all features: h = 1 − Σ_j loss_j s_j and q[r] = Σ_j gain_j s_j;
/// log_h[r] = log h, least[r] = h.
void remove_from_one(const double* rows, Index stride, Index n, Index d, const Removal* removal,
                     double* q, double* log_h, double* least);
/// out[r][c] = Σ_j weight[r][j] (x_rj − mean[j][c])² for n rows and c < padded(classes); weight is
/// n × padded(d), mean is d × padded(classes).
void weighted_squares(const double* rows, Index stride, Index n, Index d, const double* weight,
                      const double* mean, Index classes, double* out);

// ---- posteriors ------------------------------------------------------------------------------

/// Rows as lanes: z[k][r] = score of class k and row r, `stride` apart, for `rows` of them, a
/// multiple of lane_unit. z[k][r] becomes exp(z[k][r]) / Σ_k exp(z[k][r]), and log_sum[r] the
/// logarithm of that sum. −inf is allowed, where another class of the row is finite.
void softmax(double* z, Index stride, Index classes, Index rows, double* log_sum);
/// The same with the largest score of each row instead: −inf where no class is possible, NaN where
/// a score is one; those rows are undefined. `log`: the logarithm of the quotient.
void posteriors(double* z, Index stride, Index classes, Index rows, bool log, double* largest);

/// Numbers of rows as lanes, at most rows_at_once.
struct RowLanes {
  double *largest, *best, *others;
};
/// For score[k][r], rows_at_once apart, and `rows` rows, a multiple of lane_unit: the largest of
/// z = score + log_prior, its class (the first of equals), mass[k][r] = exp(z − largest), and the
/// mass of the classes other than the best. Where `largest` is not finite (NaN where a score is),
/// the others are undefined.
void row_masses(const double* score, Index classes, Index rows, const double* log_prior,
                double* mass, const RowLanes& of);
/// −log P(truth) and Σ_k (P(k) − [k is true])² of these rows; truth has numbers of classes.
void row_losses(const double* score, const double* mass, Index classes, Index rows,
                const double* log_prior, const RowLanes& of, const double* truth, double* log_loss,
                double* brier);
/// out[k][r] = score − log(Σ_{j≠k} exp(z_j)) + log_others[k], 0 where both are −inf.
void row_ratios(const double* score, const double* mass, Index classes, Index rows,
                const double* log_others, const RowLanes& of, double* out);
/// best[i] = the position of the largest of the scores of row i (n × classes) plus their offsets
/// (null: 0), the first of equals; -1 where all are −inf or NaN.
void best_of_rows(const double* scores, Index n, Index classes, const double* offset, Index* best);

// ---- products --------------------------------------------------------------------------------

/// A factor of a product of matrices: entry (i, p) is data[i * row_step + p * term_step], where p
/// is what the product sums over.
struct Factor {
  const double* data;
  Index row_step, term_step;
};
/// Which part of a square result is wanted, with its diagonal.
enum class Triangle { both, upper, lower };
/// c(i, j) += alpha · Σ_p a(i, p) b(j, p) for the wanted part of c (m × n, rows ldc apart); the
/// rest of c is left alone.
void add_product(Index m, Index n, Index k, double alpha, const Factor& a, const Factor& b,
                 double* c, Index ldc, Triangle part = Triangle::both);

/// y = A x for a symmetric A, n × n, of which the lower triangle is read.
void symmetric_times(Index n, const double* a, Index lda, const double* x, double* y);
/// out = A x, A is m × n.
void rows_times(Index m, Index n, const double* a, Index lda, const double* x, double* out);
/// y += Aᵀ factor, A is m × n.
void add_rows(Index m, Index n, const double* a, Index lda, const double* factor, double* y);

/// The instruction set that was picked, for people.
const char* target_name();

}  // namespace suffice::kernels
