#pragma once
// A model as formulas: what a program needs to score rows without this library. Every target is
// written from this description alone.
//
//   row → inputs → columns (a transformation each) → blocks, per class a sum of terms = log p(x |
//   c)
//       → Σ_b scale_b · block_b(c) + offset_c → + log prior → posterior → smallest expected cost
//
// Of a mixture, the terms are those of components, which become scores of classes before anything
// is scaled (FormulaMixture).
//
// Rules for all targets:
//   a missing value       of independent terms: its terms are left out; of a joint block: no
//                         scores; of a projected block: the block is left out; of documents: no
//                         scores
//   a level not listed    is missing; of an input with indicators it is none of the levels
//   outside the domain    no scores
//   a square overflows    its distance is infinite, and the score is −inf: normal and Student's t
//   no scores             all scores are NaN (NULL), and there is no decision
//   no class is possible  the posteriors are the priors; if all priors are 0 there is no decision

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "suffice/export/export.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

/// The numbers that a column can have.
enum class Domain {
  finite,
  positive,         ///< x > 0
  above_minus_one,  ///< x > −1
  not_negative,     ///< x ≥ 0
  unit_interval,    ///< 0 < x < 1
  zero_or_one,
  count,  ///< 0, 1, 2, …
  level,  ///< a name, or its number
};

/// A column of the table.
struct FormulaInput {
  std::string name;
  bool has_names = false;
  std::vector<std::string> levels = {};  ///< of names
  /// Names that count as a level, and its position: "True" for "true", as tables are read.
  std::vector<std::pair<std::string, Index>> spellings = {};
};

/// A number or a name that the terms are over.
struct FormulaColumn {
  std::string name;
  Index input = 0;  ///< where it is read from
  /// An indicator is 1 at this level of the input and 0 elsewhere; −1: 1 where it is missing.
  std::optional<Index> level = {};
  Family family = Family::gaussian;
  Transform transform = Transform::none;
  std::vector<std::string> levels = {};  ///< categorical
  bool used = false;                     ///< by a block; others are not looked at

  Domain domain() const;
};

/// constant[c] − ½ q, q = |W_c (x − center) − mean_c|². Student's t: constant[c] − ½ (dof[c] + n)
/// log(1 + q / spread[c]).
struct JointTerms {
  Vector center = {};  ///< n
  std::vector<Matrix> whitener =
      {};                ///< W: lower triangular, one for each class or for all; or empty:
  Matrix scale = {};     ///< K × n, W is diagonal
  Matrix mean = {};      ///< K × n: W_c (m_c − center)
  Vector constant = {};  ///< K
  Vector dof = {};       ///< K; empty: normal
  Vector spread = {};    ///< K: dof times the scale of the class

  bool shares_whitener() const { return whitener.size() == 1 && mean.rows() > 1; }
};

/// Σ_j constant(c, j) − ½ t², t = (x_j − center_j) scale(c, j) − mean(c, j). Student's t:
/// constant(c, j) − ½ (dof(c, j) + 1) log(1 + t² / dof(c, j)). Without what classes of one variance
/// share: constant(c, j) + (x_j − center_j) scale(c, j).
struct IndependentTerms {
  Vector center = {};              ///< n
  Matrix scale = {}, mean = {};    ///< K × n; mean empty: linear
  Matrix constant = {}, dof = {};  ///< K × n; dof empty: normal

  bool is_linear() const { return mean.empty(); }
};

/// constant[c] + Σ_j weight(c, j) z_j, z_j = x_j − center_j: a joint block whose classes share W,
/// without what the classes share; or the numbers of a discriminative model, which may also have
/// + Σ product(c, ·) z_i z_j over i = j, or over i ≤ j.
struct LinearTerms {
  Vector center = {};
  Matrix weight = {};    ///< K × n
  Vector constant = {};  ///< K
  Matrix product = {};   ///< K × n or K × n (n + 1) / 2; empty: linear

  bool has_all_products() const { return product.cols() > weight.cols(); }
  /// The same scores as a function of z + by.
  LinearTerms moved(const Vector& by) const;
};

/// Σ_j log_zero(c, j) or log_one(c, j), which may be −inf.
struct BinaryTerms {
  Matrix log_zero = {}, log_one = {};
};

/// Σ_j constant(c, j) + slope(c, j) x_j + beyond(c, j, x_j) − [log x_j!]. A slope of −inf: only 0
/// is possible. beyond:
///   none    0
///   rising  log_gamma_excess(shape, x) where shape > 0: negative binomials, and documents, which
///           lose log_gamma_excess(concentration[c], Σ_j x_j) besides
///   lomax   −(shape + 1) log(1 + rate x)
struct CountTerms {
  enum class Beyond { none, rising, lomax };
  bool documents = false;  ///< none may be missing
  bool factorial = false;  ///< − log x!
  Matrix constant = {};    ///< K × d; empty: 0
  Matrix slope = {};       ///< K × d
  Beyond beyond = Beyond::none;
  Matrix shape = {};          ///< K × d
  Matrix rate = {};           ///< K × d: lomax
  Vector concentration = {};  ///< K; empty: no documents, or known probabilities
};

/// Σ_j log_probability[j](level of x_j, c), which may be −inf.
struct LevelTerms {
  std::vector<Matrix> log_probability = {};  ///< per column, levels × K
};

/// Documents: Σ_j [constant(j, c) + N^(length_power − 1) Σ_words x · weight[j](word, c)], where x
/// is how often column j has the word (`presence`: whether it has it) and N is Σ x. Only JSON has
/// them.
struct TextTerms {
  std::vector<Words> words = {};         ///< per column
  std::vector<Matrix> weight = {};       ///< per column, words × K
  std::vector<std::string> tokens = {};  ///< per column: what its words are
  Matrix constant = {};                  ///< columns × K
  bool presence = false;
  double length_power = 1;
};

using Terms = std::variant<JointTerms, IndependentTerms, LinearTerms, BinaryTerms, CountTerms,
                           LevelTerms, TextTerms>;

struct FormulaBlock {
  std::vector<Index> columns = {};  ///< positions in Formula::columns
  /// Empty: the terms are over the columns. Otherwise over (x − offset) · matrix.
  LinearMap projection = {};
  /// Whether Σ log |dt/dx| of the columns' transformations is added, for all classes alike.
  bool derivatives = false;
  Terms terms;

  /// How many numbers the terms are over.
  Index width() const {
    return projection.empty() ? static_cast<Index>(columns.size()) : projection.matrix.cols();
  }
};

/// log p(x | c) = log Σ_{g of c} exp(log_share[g] + Σ_b block_b(g)).
struct FormulaMixture {
  std::vector<Index> label;  ///< per component: its class
  Vector log_share;          ///< −inf: no row belongs to it
  /// The components of class c.
  std::vector<Index> of(Index c) const;
};

struct Formula {
  std::vector<std::string> labels = {};
  std::vector<FormulaInput> inputs = {};    ///< in the order of the schema's columns
  std::vector<FormulaColumn> columns = {};  ///< in the order of the schema's features
  std::vector<FormulaBlock> blocks = {};
  std::vector<bool> possible = {};  ///< K: false for a class of weight 0, whose scores are −inf
  std::optional<FormulaMixture> mixture = {};  ///< then K is the number of components in all terms
  /// K: what is added to the log-likelihoods, and is not part of calibrated scores; empty: 0. Of a
  /// discriminative model, which has relative scores instead of log-likelihoods.
  Vector base = {};
  /// Calibrated scores are Σ_b scale[b] · block_b(c) + offset[c] (of a mixture, which counts as one
  /// block, scale[0] · log p(x | c) + offset[c]), where 0 · −inf is −inf; both empty: the
  /// log-likelihoods. With knots, for two classes whose scores are both finite: the
  /// score of the first becomes f(first − second) and that of the second 0, where f is linear
  /// between the knots, has these values there, and is constant outside of them.
  Vector scale = {}, offset = {}, knots = {}, values = {};
  Vector prior = {}, log_prior = {};  ///< K
  Matrix cost = {};                   ///< K × K, true × decided; empty: 1 for every mistake
  bool relative = false;

  Index classes() const { return static_cast<Index>(labels.size()); }
  /// What terms are of: components of a mixture, otherwise classes.
  Index parts() const { return mixture ? std::ssize(mixture->label) : classes(); }
  /// Whether the terms of a part have numbers; those of the others are ignored.
  bool has_numbers(Index part) const {
    return mixture ? mixture->log_share[part] > -std::numeric_limits<double>::infinity()
                   : possible[static_cast<std::size_t>(part)];
  }
  bool calibrated() const { return !scale.empty(); }
  const FormulaInput& input_of(const FormulaColumn& column) const {
    return inputs[static_cast<std::size_t>(column.input)];
  }
};

Formula make_formula(const Model& model, const ExportOptions& options);

/// "a joint Gaussian block over 'a', 'b' and 2 more": for messages and comments.
std::string describe(const Formula& formula, const FormulaBlock& block);

/// How many numbers the terms of a block have.
Index numbers_of(const FormulaBlock& block);
Index numbers_of(const Formula& formula);

/// Whether log p(x | c) needs logarithms.
bool needs_logarithms(const Formula& formula);

/// Numbers of classes × features as features × classes.
Matrix transposed(const Matrix& matrix);

/// Throws InvalidArgument where a name is no UTF-8, or holds a NUL.
void require_text(const Formula& formula, std::string_view target);

}  // namespace suffice
