#include "export/sql_terms.hpp"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

std::string square(const std::string& expression) { return "power(" + expression + ", 2e0)"; }

/// Of the numbers that a Gaussian block multiplies with; at least 1.
double largest_factor(const FormulaBlock& block) {
  double largest = 1;
  const auto look = [&](const Matrix& matrix) {
    for (Index k = 0; k < matrix.size(); ++k)
      largest = std::max(largest, std::abs(matrix.data()[k]));
  };
  if (const auto* joint = std::get_if<JointTerms>(&block.terms)) {
    look(joint->scale);
    for (const Matrix& whitener : joint->whitener) look(whitener);
  } else if (const auto* linear = std::get_if<LinearTerms>(&block.terms)) {
    look(linear->weight);
    look(linear->product);
  } else if (const auto* independent = std::get_if<IndependentTerms>(&block.terms)) {
    look(independent->scale);
  }
  return largest;
}

}  // namespace

std::string sql_numbered(const char* name, Index i) { return name + std::to_string(i); }
std::string sql_numbered(const char* name, Index i, Index j) {
  return name + std::to_string(i) + "_" + std::to_string(j);
}

/// ln w + (u − (w − 1)) / w, where w is 1 + u as it is rounded; of infinity it is infinite.
std::string sql_log1p(const std::string& u) {
  const std::string w = "(1e0 + " + u + ")";
  return "(CASE WHEN " + u + " > 1e300 THEN ln(" + u + ") ELSE ln" + w + " + (" + u + " - (" + w +
         " - 1e0)) / " + w + " END)";
}

double sql_far_from(const Formula& formula, Index column) {
  constexpr double far_away = 1e150;  // deviations, whose square is just a number
  double factor = 1;
  for (const FormulaBlock& block : formula.blocks) {
    const auto place = std::ranges::find(block.columns, column);
    if (place == block.columns.end()) continue;
    double own = largest_factor(block) * static_cast<double>(block.columns.size());
    if (!block.projection.empty()) {
      double largest = 0;
      for (const double m : block.projection.matrix.row(place - block.columns.begin()))
        largest = std::max(largest, std::abs(m));
      own *= std::max(largest, 1.0);
    }
    factor = std::max(factor, own);
  }
  return far_away / factor;
}

std::string SqlTerms::score(Index b, Index c) const {
  const FormulaBlock& block = formula_.blocks[at(b)];
  return std::visit([&](const auto& terms) { return score(b, block, terms, c); }, block.terms);
}

/// Σ_j numbers[j] z_j
std::string SqlTerms::product(Index b, std::span<const double> numbers) const {
  std::vector<std::string> terms;
  for (std::size_t j = 0; j < numbers.size(); ++j)
    terms.push_back(number(numbers[j]) + " * " + sql_numbered("z", b, static_cast<Index>(j)));
  return sql_sum(terms);
}

std::string SqlTerms::unless_left_out(Index b) const {
  return "CASE " + sql_numbered("left", b) + " WHEN 1 THEN 0e0 WHEN 2 THEN " + number(-infinity) +
         " ELSE ";
}

/// q of a joint block and class.
std::string SqlTerms::distance(Index b, const JointTerms& terms, Index c) const {
  std::vector<std::string> squares;
  for (Index i = 0; i < terms.mean.cols(); ++i) {
    const std::string z = sql_numbered("z", b, i), mean = " - " + number(terms.mean(c, i));
    if (terms.whitener.empty())
      squares.push_back(square(z + " * " + number(terms.scale(c, i)) + mean));
    else if (terms.shares_whitener())
      squares.push_back(square(z + mean));
    else
      squares.push_back(square(
          product(b,
                  terms.whitener[terms.whitener.size() == 1 ? 0 : at(c)].row(i).first(at(i + 1))) +
          mean));
  }
  return sql_sum(squares);
}

std::string SqlTerms::score(Index b, const FormulaBlock&, const JointTerms& terms, Index c) const {
  const std::string constant = number(terms.constant[c]);
  const auto n = static_cast<double>(terms.mean.cols());
  return unless_left_out(b) + constant +
         (terms.dof.empty() ? " - 5e-1 * " + distance(b, terms, c)
                            : " - " + number(0.5 * (terms.dof[c] + n)) + " * " +
                                  sql_log1p(sql_numbered("q", b, c))) +
         " END";
}
std::string SqlTerms::score(Index b, const FormulaBlock&, const LinearTerms& terms, Index c) const {
  const Index n = terms.weight.cols();
  if (n == 0) return "0e0";
  std::string text =
      unless_left_out(b) + number(terms.constant[c]) + " + " + product(b, terms.weight.row(c));
  std::vector<std::string> products;
  Index t = 0;
  for (Index i = 0; i < n && !terms.product.empty(); ++i)
    for (Index j = i; j < (terms.has_all_products() ? n : i + 1); ++j, ++t)
      products.push_back(number(terms.product(c, t)) + " * (" + sql_numbered("z", b, i) + " * " +
                         sql_numbered("z", b, j) + ")");
  if (!products.empty()) text += " + " + sql_sum(products);
  return text + " END";
}
std::string SqlTerms::score(Index b, const FormulaBlock& block, const IndependentTerms& terms,
                            Index c) const {
  std::vector<std::string> all;
  for (Index j = 0; j < terms.scale.cols(); ++j) {
    if (terms.is_linear()) {
      all.push_back("coalesce(" + number(terms.constant(c, j)) + " + " + sql_numbered("z", b, j) +
                    " * " + number(terms.scale(c, j)) + ", 0e0)");
      continue;
    }
    const std::string t = "(" + sql_numbered("z", b, j) + " * " + number(terms.scale(c, j)) +
                          " - " + number(terms.mean(c, j)) + ")";
    std::string term = number(terms.constant(c, j)) + " - ";
    if (terms.dof.empty())
      term += "5e-1 * " + square(t);
    else
      term += number(0.5 * (terms.dof(c, j) + 1)) + " * " +
              sql_log1p("(" + square(t) + " / " + number(terms.dof(c, j)) + ")");
    all.push_back("coalesce(" + term + ", 0e0)");
  }
  return block.projection.empty() ? sql_sum(all) : unless_left_out(b) + sql_sum(all) + " END";
}
std::string SqlTerms::score(Index, const FormulaBlock& block, const BinaryTerms& terms,
                            Index c) const {
  std::vector<std::string> all;
  for (Index j = 0; j < terms.log_one.cols(); ++j)
    all.push_back("CASE " + sql_numbered("x", block.columns[at(j)]) + " WHEN 0e0 THEN " +
                  number(terms.log_zero(c, j)) + " WHEN 1e0 THEN " + number(terms.log_one(c, j)) +
                  " ELSE 0e0 END");
  return sql_sum(all);
}
std::string SqlTerms::score(Index, const FormulaBlock& block, const LevelTerms& terms,
                            Index c) const {
  std::vector<std::string> all;
  for (std::size_t j = 0; j < terms.log_probability.size(); ++j) {
    const Matrix& table = terms.log_probability[j];
    if (table.rows() == 0) continue;
    std::string text = "CASE " + sql_numbered("x", block.columns[j]);
    for (Index l = 0; l < table.rows(); ++l)
      text += " WHEN " + std::to_string(l) + " THEN " + number(table(l, c));
    all.push_back(text + " ELSE 0e0 END");
  }
  return sql_sum(all);
}
std::string SqlTerms::score(Index, const FormulaBlock& block, const CountTerms& terms,
                            Index c) const {
  std::vector<std::string> all, total;
  for (Index j = 0; j < terms.slope.cols(); ++j) {
    const std::string x = sql_numbered("x", block.columns[at(j)]);
    total.push_back(x);
    std::vector<std::string> parts;
    if (!terms.constant.empty()) parts.push_back(number(terms.constant(c, j)));
    if (std::isinf(terms.slope(c, j)))  // only 0 is possible
      parts.push_back("CASE WHEN " + x + " > 0e0 THEN " + number(-infinity) + " ELSE " + x +
                      " END");
    else
      parts.push_back(number(terms.slope(c, j)) + " * " + x);
    if (terms.beyond == CountTerms::Beyond::rising && terms.shape(c, j) > 0)
      parts.push_back(log_gamma_excess_text(terms.shape(c, j), x));
    if (terms.beyond == CountTerms::Beyond::lomax)
      parts.push_back("(-" + number(terms.shape(c, j) + 1) + ") * " +
                      sql_log1p("(" + number(terms.rate(c, j)) + " * " + x + ")"));
    if (terms.factorial) parts.push_back("(-" + log_gamma_excess_text(1, x) + ")");
    const std::string sum = sql_sum(parts);
    all.push_back(terms.documents ? sum : "coalesce(" + sum + ", 0e0)");
  }
  if (!terms.concentration.empty() && terms.concentration[c] > 0) {
    const std::string words = sql_sum(total);
    if (words.size() > 2000)
      throw InvalidArgument("the densities of " + describe(formula_, block) +
                                " mention the length of a document many times, which is too "
                                "long in SQL for that many words",
                            "export to C or ONNX, or fit with " + Option{"estimate", "plugin"});
    all.push_back("(-" + log_gamma_excess_text(terms.concentration[c], words) + ")");
  }
  return sql_sum(all);
}

/// log Γ(a + x) − log Γ(a) − x log a: 8 steps up, and Stirling's series.
std::string SqlTerms::log_gamma_excess_text(double a, const std::string& x) const {
  const double large = a + 8;
  std::string steps;
  double logs = 0;
  for (int i = 0; i < 8; ++i) {
    steps += (i ? " * " : "") + std::string("(1e0 + ") + x + " / " + number(a + i) + ")";
    logs += std::log(a + i);
  }
  const auto rest = [](double y) {
    const double u = 1 / (y * y);
    return (1. / 12 - u * (1. / 360 - u * (1. / 1260 -
                                           u * (1. / 1680 - u * (1. / 1188 - u * 691 / 360360))))) /
           y;
  };
  const std::string y = "(" + x + " + " + number(large) + ")", u = "power(" + y + ", -2e0)";
  const std::string rest_of_y = "(" + number(1. / 12) + " - " + u + " * (" + number(1. / 360) +
                                " - " + u + " * (" + number(1. / 1260) + " - " + u + " * (" +
                                number(1. / 1680) + " - " + u + " * (" + number(1. / 1188) + " - " +
                                u + " * " + number(691. / 360360) + "))))) / " + y;
  // Neither the product of the steps nor a difference overflows where x is large.
  const std::string log = sql_log1p("(" + x + " / " + number(large) + ")");
  return "(" + x + " * (" + log + " - " + number(1 - std::log(large / a)) + ") + " +
         number(large - 0.5) + " * " + log + " + (" + rest_of_y + " - " + number(rest(large)) +
         ") - CASE WHEN " + x + " < 1e30 THEN ln(" + steps + ") ELSE 8e0 * ln(" + x + ") - " +
         number(logs) + " END)";
}

}  // namespace suffice
