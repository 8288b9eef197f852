#pragma once
// The tables of a discriminant analysis, from sums: which columns differ between classes, whether
// they do so together, along which directions, and whether classes have one covariance.
//
// With W, B and T = W + B (stats/separation.hpp), n rows, K classes, p columns (the rank of W), and
// λ the eigenvalues of W⁻¹B:
//   Wilks Λ = Π 1/(1+λ),  Pillai Σ λ/(1+λ),  Hotelling–Lawley Σ λ,  Roy max λ,
// with the approximations by F that R's summary.manova has.

#include <optional>
#include <string>
#include <vector>

#include "suffice/core/figure.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// NaN for f, df2 and p where there are too few rows for the test.
struct FTest {
  double statistic = 0, f = 0, df1 = 0, df2 = 0, p = 0;
};

/// One column by itself, over the rows that have it: the analysis of variance.
struct ColumnTest {
  std::string name;
  double rows = 0;
  double wilks = 1;  ///< W_jj / T_jj
  double f = 0, df1 = 0, df2 = 0, p = 1;
  double eta2 = 0;                        ///< B_jj / T_jj
  Vector mean = {}, low = {}, high = {};  ///< per class, with an interval of 95 % by Student's t
};

/// Whether the eigenvalues from `first` on (from 0) are all 0: with
///   χ² = −(n − 1 − (p + K)/2) log Π 1/(1+λ) and (p − first) (K − first − 1) degrees of freedom.
struct RemainingFunctions {
  Index first = 0;
  double wilks = 1, chi2 = 0, df = 0, p = 1;
};

/// Whether all classes have one covariance (Box 1949): with S_c = scatter / (n_c − 1) and the
/// pooled S = W / (n − K), M = (n − K) log|S| − Σ (n_c − 1) log|S_c|.
struct BoxM {
  double m = 0;
  double chi2 = 0, df = 0, p = 1;    ///< (1 − c₁) M
  double f = 0, f_df2 = 0, f_p = 1;  ///< with df and f_df2 degrees of freedom
};

/// Two classes: the squared distance D² = (m_a − m_b)ᵀ S⁻¹ (m_a − m_b) with the pooled S, and
///   F = (n − K − p + 1) n_a n_b / (p (n − K) (n_a + n_b)) D².
struct PairTest {
  Index a = 0, b = 0;  ///< positions of labels
  double d2 = 0, f = 0, df1 = 0, df2 = 0, p = 1;
  double low = 0, high = 0;  ///< 95 % for the distance of the populations, by the noncentral F
  /// Of decisions between the two under their frequencies, if both are normal with one covariance.
  double error = 0;
};

/// What all columns together say.
struct JointTests {
  std::vector<std::string> classes;  ///< those with rows that have all columns
  double rows = 0;                   ///< the number of these
  Index rank = 0;                    ///< of W: the columns less those that depend on others
  FTest wilks, pillai, hotelling_lawley, roy;
  Vector eigenvalues;             ///< of W⁻¹B, descending
  Vector canonical_correlations;  ///< √(λ / (1 + λ))
  Vector explained;               ///< λ / Σ λ
  std::vector<RemainingFunctions> remaining;
  /// The discriminant functions, columns × functions. Raw coefficients are scaled so that the
  /// covariance of the scores within classes, with n − K, is the identity (as in MASS and SPSS);
  /// standardised ones are for columns in units of their deviation within classes. `structure` has
  /// the correlations within classes of a column and a function.
  Matrix raw, standardized, structure;
  Vector constant;   ///< scores are x · raw + constant, 0 at the mean of all rows
  Matrix centroids;  ///< classes × functions: the scores of the class means
  std::optional<BoxM> box_m;
  std::vector<PairTest> pairs;
};

struct ClassTests {
  Names labels;
  std::vector<std::string> features;  ///< columns of the tests
  std::vector<ColumnTest> columns = {};
  std::optional<JointTests> joint = {};
  /// What was left out of the tests, and why.
  std::vector<std::string> notes = {};
};

/// Of the first block of numbers. Throws InvalidArgument: no numbers, one class, one row per class,
/// weights that are no numbers of rows.
ClassTests class_tests(const Statistics& statistics);

/// Throws InvalidArgument where the weights cannot be numbers of rows, which tests count.
void require_frequencies(const Statistics& statistics);

/// For JSON and Python.
std::vector<Figure> test_figures(const ClassTests& tests);

}  // namespace suffice
