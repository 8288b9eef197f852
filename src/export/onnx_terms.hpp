#pragma once
// The terms of log p(x | c) as ONNX nodes: rows × K scores of a block.

#include <functional>
#include <string>
#include <vector>

#include "export/formula.hpp"
#include "export/onnx_operations.hpp"

namespace suffice {

/// Transformed values of a block's columns, rows × columns, and what their derivatives add, rows ×
/// 1; empty: nothing.
struct OnnxValues {
  std::string x, derivatives = {};
};

class OnnxTerms : OnnxOperations {
 public:
  /// What has no scores is added to `bad`: rows × 1, above 0.
  OnnxTerms(const Formula& formula, OnnxGraph& graph, std::vector<std::string>& bad)
      : OnnxOperations(graph), classes_(formula.parts()), formula_(formula), bad_(bad) {}

  std::string score(const FormulaBlock& block, const JointTerms& terms, const OnnxValues& values);
  std::string score(const FormulaBlock& block, const LinearTerms& terms, const OnnxValues& values);
  std::string score(const FormulaBlock& block, const IndependentTerms& terms,
                    const OnnxValues& values);
  std::string score(const BinaryTerms& terms, const OnnxValues& values);
  std::string score(const CountTerms& terms, const OnnxValues& values);

 private:
  /// Scores of numbers, rows × n; `missing`: which of them are, or empty if none is.
  using Write = std::function<std::string(const std::string& x, const std::string& missing)>;
  /// Where a score that is no number comes from squares that overflowed, and is −inf.
  enum class Overflow { none, of_complete_rows, of_all_rows };
  std::string gaussian(const FormulaBlock& block, const OnnxValues& values, Overflow overflow,
                       const Write& write);
  std::string quadratic(const FormulaBlock& block, const LinearTerms& terms,
                        const OnnxValues& values);
  /// Scores of some centered numbers by one product with their squares, and by distances.
  std::string by_squares(const IndependentTerms& terms, const std::vector<Index>& which,
                         const std::string& z, const std::string& missing);
  std::string by_distances(const IndependentTerms& terms, const std::vector<Index>& which,
                           const std::string& z, const std::string& missing);
  /// power · log(1 + u), where `power` is 1 × … and u may be infinite.
  std::string student(const std::string& u, double largest_dof, const std::string& power);
  /// |W_c z − mean_c|² for each class.
  std::string distances(const JointTerms& terms, const std::string& z);
  std::string exclude(const std::string& scores, const std::string& values,
                      const Matrix& impossible);
  bool possible(Index c) const { return formula_.has_numbers(c); }
  /// Squares up to this can be multiplied out: (t − m)² = t² − 2 t m + m² loses digits of m².
  double most_square() const { return is_float() ? 50 : 1000; }

  Index classes_;  ///< or components
  const Formula& formula_;
  std::vector<std::string>& bad_;
};

}  // namespace suffice
