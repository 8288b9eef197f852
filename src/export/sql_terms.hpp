#pragma once
// The terms of log p(x | c) as SQL expressions over the columns of earlier stages: xJ is the
// transformed value of column J, zB_K the K-th centered (or whitened) number of block B, leftB
// is 1 where block B is left out and 2 where a number is too large for it, qB_C the distance of a
// joint Student's t.

#include <span>
#include <string>

#include "export/formula.hpp"
#include "export/sql_dialect.hpp"

namespace suffice {

std::string sql_numbered(const char* name, Index i);           ///< x7
std::string sql_numbered(const char* name, Index i, Index j);  ///< z0_7
/// log(1 + u) without loss where u is small, also of infinity; u is a short expression.
std::string sql_log1p(const std::string& u);

/// From which number on a Gaussian column is infinitely far away where an overflow would end the
/// query: the largest number that it is multiplied with decides.
double sql_far_from(const Formula& formula, Index column);

class SqlTerms {
 public:
  SqlTerms(const Formula& formula, const SqlSyntax& syntax) : formula_(formula), syntax_(syntax) {}

  /// What block b adds to the score of class c, without derivatives.
  std::string score(Index b, Index c) const;
  /// Σ_j numbers[j] z_j
  std::string product(Index b, std::span<const double> numbers) const;
  /// q of a joint block and class.
  std::string distance(Index b, const JointTerms& terms, Index c) const;

 private:
  std::string score(Index b, const FormulaBlock& block, const JointTerms& terms, Index c) const;
  std::string score(Index b, const FormulaBlock& block, const LinearTerms& terms, Index c) const;
  std::string score(Index b, const FormulaBlock& block, const IndependentTerms& terms,
                    Index c) const;
  std::string score(Index b, const FormulaBlock& block, const BinaryTerms& terms, Index c) const;
  std::string score(Index b, const FormulaBlock& block, const LevelTerms& terms, Index c) const;
  std::string score(Index, const FormulaBlock&, const TextTerms&, Index) const { return {}; }
  std::string score(Index b, const FormulaBlock& block, const CountTerms& terms, Index c) const;
  std::string unless_left_out(Index b) const;
  std::string log_gamma_excess_text(double a, const std::string& x) const;
  std::string number(double value) const { return sql_number(syntax_, value); }

  const Formula& formula_;
  const SqlSyntax& syntax_;
};

}  // namespace suffice
