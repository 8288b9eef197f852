#include "export/onnx_terms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/take.hpp"

namespace suffice {
namespace {

/// −inf becomes 0, and everything else 0 or 1: whether it was −inf.
bool take_impossible(Matrix& matrix, Matrix& impossible) {
  impossible = Matrix(matrix.rows(), matrix.cols());
  bool any = false;
  for (Index k = 0; k < matrix.size(); ++k) {
    double& value = matrix.data()[k];
    if (!std::isinf(value)) continue;
    value = 0;
    impossible.data()[k] = 1;
    any = true;
  }
  return any;
}

std::vector<Index> all_positions(Index count) {
  std::vector<Index> all(at(count));
  for (Index k = 0; k < count; ++k) all[at(k)] = k;
  return all;
}

double largest_of(std::span<const double> numbers) {
  double largest = 0;
  for (const double value : numbers) largest = std::max(largest, value);
  return largest;
}

}  // namespace

/// Most tables lack nothing, and scores that are numbers tell so: only where one is not, single
/// values are looked at.
std::string OnnxTerms::gaussian(const FormulaBlock& block, const OnnxValues& values,
                                Overflow overflow, const Write& write) {
  const std::string& x = values.x;
  const bool projected = !block.projection.empty();
  const std::string start = projected
                                ? node("MatMul", {node("Sub", {x, row(block.projection.offset)}),
                                                  graph_.tensor(block.projection.matrix)})
                                : x;
  const std::string complete = write(start, "");
  const std::string scores = graph_.choose(
      any_not_finite(complete), {-1, classes_},
      [&] {
        const std::string missing = node("IsNaN", {x}), count = total(as_real(missing));
        const double most = projected ? 1 : static_cast<double>(block.columns.size());
        const std::string left_out = node("GreaterOrEqual", {count, number(most)});
        const std::string some = projected ? complete : write(start, missing);
        std::string known = node("Where", {left_out, number(0), some});
        if (overflow != Overflow::none) {
          // What is still no number is a difference of squares that overflowed.
          std::string far = node("IsNaN", {known});
          if (overflow == Overflow::of_complete_rows)
            far = node("And", {far, node("Equal", {count, number(0)})});
          known = node("Where", {far, number(-infinity), known});
        }
        const std::string wrong = node("Greater", {total(as_real(infinite(x))), number(0)});
        return node("Where", {wrong, number(std::numeric_limits<double>::quiet_NaN()), known});
      },
      [&] { return complete; });
  return values.derivatives.empty() ? scores : node("Add", {scores, values.derivatives});
}

std::string OnnxTerms::student(const std::string& u, double largest_dof, const std::string& power) {
  // Where there are few degrees of freedom, 1 + u has all the digits that matter.
  if (largest_dof <= (is_float() ? 50 : 1000))
    return node("Mul", {node("Log", {node("Add", {u, number(1)})}), power});
  const std::string log = node("Where", {node("Equal", {u, number(infinity)}), u, log1p(u)});
  return node("Mul", {log, power});
}

std::string OnnxTerms::distances(const JointTerms& terms, const std::string& z) {
  const Index n = terms.mean.cols();
  const auto squares = [&](const std::string& y) { return total_of_last(node("Mul", {y, y})); };
  if (terms.whitener.size() <= 1) {
    const std::string y =
        terms.whitener.empty()
            ? node("Mul", {for_classes(z), of_classes(terms.scale)})
            : for_classes(node("MatMul", {z, graph_.tensor(transposed(terms.whitener[0]))}));
    return squares(node("Sub", {y, of_classes(terms.mean)}));
  }
  // The whiteners of all classes side by side. They are triangular: a band of their rows needs the
  // first columns only.
  const Index bands = n >= 64 ? 4 : n >= 24 ? 2 : 1;
  std::vector<std::string> parts;
  for (Index band = 0; band < bands; ++band) {
    const Index first = n * band / bands, end = n * (band + 1) / bands, wide = end - first;
    Matrix all(end, wide * classes_);
    Vector bias(wide * classes_);
    for (Index c = 0; c < classes_; ++c)
      for (Index i = 0; i < wide; ++i) {
        bias[c * wide + i] = -terms.mean(c, first + i);
        const Matrix& w = terms.whitener[at(c)];
        for (Index j = 0; j <= first + i && !w.empty(); ++j) all(j, c * wide + i) = w(first + i, j);
      }
    const std::string seen = end == n ? z : columns_between(z, 0, end);
    const std::string y = node("Gemm", {seen, graph_.tensor(all), row(bias)});
    parts.push_back(squares(node("Reshape", {y, graph_.integers({-1, classes_, wide})})));
  }
  return sum(parts);
}

std::string OnnxTerms::score(const FormulaBlock& block, const JointTerms& terms,
                             const OnnxValues& values) {
  double furthest = 0;  // of the whitened means
  for (Index c = 0; c < classes_; ++c) {
    double square = 0;
    for (const double m : terms.mean.row(c)) square += m * m;
    furthest = std::max(furthest, square);
  }
  const Overflow beyond = Overflow::of_complete_rows;
  return gaussian(block, values, beyond, [&](const std::string& x, const std::string&) {
    const std::string z = node("Sub", {x, row(terms.center)});
    if (terms.shares_whitener() && terms.dof.empty() && furthest <= most_square()) {
      // −½ |y − m|² = y · m − ½ |m|² − ½ |y|², and the last is the same for all classes.
      const std::string y = node("MatMul", {z, graph_.tensor(transposed(terms.whitener[0]))});
      Vector constant = terms.constant;
      for (Index c = 0; c < classes_; ++c)
        for (const double m : terms.mean.row(c)) constant[c] -= 0.5 * m * m;
      const std::string own =
          node("Gemm", {y, graph_.tensor(transposed(terms.mean)), row(constant)});
      return node("Add", {own, node("Mul", {total(node("Mul", {y, y})), number(-0.5)})});
    }
    const std::string q = distances(terms, z), constant = row(terms.constant);
    if (terms.dof.empty()) return node("Add", {node("Mul", {q, number(-0.5)}), constant});
    Vector power = terms.dof, inverse = terms.spread;
    for (double& value : power) value = -0.5 * (value + static_cast<double>(block.width()));
    for (double& value : inverse) value = 1 / value;
    const double dof = largest_of({terms.dof.data(), at(terms.dof.size())});
    const std::string u = node("Mul", {q, row(inverse)});
    return node("Add", {student(u, dof, row(power)), constant});
  });
}

std::string OnnxTerms::score(const FormulaBlock& block, const LinearTerms& terms,
                             const OnnxValues& values) {
  if (block.columns.empty()) return graph_.tensor(Matrix(1, classes_));
  if (!terms.product.empty()) return quadratic(block, terms, values);
  Vector constant = terms.constant;
  double largest = 0;  // what is lost where the center is multiplied out
  for (Index c = 0; c < classes_; ++c) {
    double size = 0;
    for (Index j = 0; j < terms.weight.cols(); ++j) {
      const double product = terms.weight(c, j) * terms.center[j];
      constant[c] -= product;
      size += std::abs(product);
    }
    largest = std::max(largest, size);
  }
  const bool centered = largest > most_square();
  const std::string weights = graph_.tensor(transposed(terms.weight));
  return gaussian(block, values, Overflow::none, [&](const std::string& x, const std::string&) {
    return centered
               ? node("Gemm", {node("Sub", {x, row(terms.center)}), weights, row(terms.constant)})
               : node("Gemm", {x, weights, row(constant)});
  });
}

/// One product of z and of z_i z_j with their weights.
std::string OnnxTerms::quadratic(const FormulaBlock& block, const LinearTerms& terms,
                                 const OnnxValues& values) {
  const Index n = terms.weight.cols(), products = terms.product.cols();
  Matrix weights(n + products, classes_);
  for (Index c = 0; c < classes_; ++c) {
    for (Index j = 0; j < n; ++j) weights(j, c) = terms.weight(c, j);
    for (Index t = 0; t < products; ++t) weights(n + t, c) = terms.product(c, t);
  }
  std::vector<std::int64_t> first, second;
  for (Index i = 0; i < n; ++i)
    for (Index j = i; j < (terms.has_all_products() ? n : i + 1); ++j) {
      first.push_back(i);
      second.push_back(j);
    }
  return gaussian(block, values, Overflow::none, [&](const std::string& x, const std::string&) {
    const std::string z = node("Sub", {x, row(terms.center)});
    std::string left = z, right = z;
    if (terms.has_all_products()) {
      left = graph_.node("Gather", {z, graph_.integers(first)}, {{"axis", {1}}});
      right = graph_.node("Gather", {z, graph_.integers(second)}, {{"axis", {1}}});
    }
    const std::string all = side_by_side({z, node("Mul", {left, right})});
    return node("Gemm", {all, graph_.tensor(weights), row(terms.constant)});
  });
}

std::string OnnxTerms::score(const FormulaBlock& block, const IndependentTerms& terms,
                             const OnnxValues& values) {
  if (block.columns.empty()) return graph_.tensor(Matrix(1, classes_));
  std::vector<Index> near, far;
  for (Index j = 0; j < block.width(); ++j) {
    double square = 0;
    for (Index c = 0; c < classes_ && !terms.is_linear(); ++c)
      square = std::max(square, terms.mean(c, j) * terms.mean(c, j));
    (terms.dof.empty() && square <= most_square() ? near : far).push_back(j);
  }
  if (2 * std::ssize(far) > block.width()) {
    near.clear();
    far = all_positions(block.width());
  }
  const Overflow beyond = terms.is_linear() ? Overflow::none : Overflow::of_all_rows;
  return gaussian(block, values, beyond, [&](const std::string& x, const std::string& missing) {
    const std::string z = node("Sub", {x, row(terms.center)});
    if (far.empty()) return by_squares(terms, near, z, missing);
    if (near.empty()) return by_distances(terms, far, z, missing);
    return node("Add", {by_squares(terms, near, z, missing), by_distances(terms, far, z, missing)});
  });
}

/// Numbers of some features; all of them are the tensor itself.
static std::string gathered(OnnxGraph& graph, const std::string& values,
                            const std::vector<Index>& which, Index all) {
  if (values.empty() || std::ssize(which) == all) return values;
  return graph.node("Gather", {values, graph.integers({which.begin(), which.end()})},
                    {{"axis", {1}}});
}

/// Σ_j constant − ½ (s z − m)² = Σ_j (constant − ½ m²) + s m z − ½ s² z²: one product. What is
/// missing is 0 in all three; the weights of other features are 0. Linear terms have no squares.
std::string OnnxTerms::by_squares(const IndependentTerms& terms, const std::vector<Index>& which,
                                  const std::string& z, const std::string& missing) {
  const Index n = terms.center.size();
  const bool may_miss = !missing.empty(), squares = !terms.is_linear();
  const Index inputs = squares ? 2 : 1;
  Matrix weights((inputs + (may_miss ? 1 : 0)) * n, classes_);
  Vector constants(classes_);
  for (Index c = 0; c < classes_; ++c)
    for (const Index j : which) {
      const double s = possible(c) ? terms.scale(c, j) : 1;
      const double m = squares ? terms.mean(c, j) : 1;
      const double constant = terms.constant(c, j) - (squares ? 0.5 * m * m : 0);
      weights(j, c) = s * m;
      if (squares) weights(n + j, c) = -0.5 * s * s;
      if (may_miss) weights(inputs * n + j, c) = constant;
      constants[c] += constant;
    }
  const std::string known = may_miss ? node("Where", {missing, number(0), z}) : z;
  std::vector<std::string> beside = {known};
  if (squares) beside.push_back(node("Mul", {known, known}));
  if (may_miss) beside.push_back(as_real(node("Not", {missing})));
  const std::string all = beside.size() > 1 ? side_by_side(beside) : known;
  if (may_miss) return node("MatMul", {all, graph_.tensor(weights)});
  return node("Gemm", {all, graph_.tensor(weights), row(constants)});
}

std::string OnnxTerms::by_distances(const IndependentTerms& terms, const std::vector<Index>& which,
                                    const std::string& all_z, const std::string& all_missing) {
  const Index all = terms.center.size();
  Matrix scale = some_columns(terms.scale, which), mean = some_columns(terms.mean, which);
  const Matrix constant = some_columns(terms.constant, which);
  const Matrix dof = terms.dof.empty() ? Matrix() : some_columns(terms.dof, which);
  for (Index k = 0; k < dof.size(); ++k) {  // t² / ν is the square of t / √ν
    scale.data()[k] /= std::sqrt(dof.data()[k]);
    mean.data()[k] /= std::sqrt(dof.data()[k]);
  }
  std::string t = node(
      "Sub", {node("Mul", {for_classes(gathered(graph_, all_z, which, all)), of_classes(scale)}),
              of_classes(mean)});
  if (!all_missing.empty()) t = node("Where", {node("IsNaN", {t}), number(0), t});
  const std::string squares = node("Mul", {t, t});
  std::string scores;
  if (dof.empty()) {
    scores = node("Mul", {total_of_last(squares), number(-0.5)});
  } else {
    Matrix power = dof;
    for (double& value : std::span(power.data(), at(power.size()))) value = -0.5 * (value + 1);
    const double largest = largest_of({dof.data(), at(dof.size())});
    scores = total_of_last(student(squares, largest, of_classes(power)));
  }
  if (all_missing.empty()) {
    Vector constants(classes_);
    for (Index c = 0; c < classes_; ++c)
      for (const double value : constant.row(c)) constants[c] += value;
    return node("Add", {scores, row(constants)});
  }
  const std::string present = as_real(node("Not", {gathered(graph_, all_missing, which, all)}));
  return node("Add", {scores, node("MatMul", {present, graph_.tensor(transposed(constant))})});
}

/// −inf where one of the values marked in rows × d meets one marked in K × d.
std::string OnnxTerms::exclude(const std::string& scores, const std::string& values,
                               const Matrix& impossible) {
  const std::string count =
      node("MatMul", {as_real(values), graph_.tensor(transposed(impossible))});
  return node("Where", {node("Greater", {count, number(0)}), number(-infinity), scores});
}

std::string OnnxTerms::score(const BinaryTerms& terms, const OnnxValues& values) {
  const std::string& x = values.x;
  const std::string zero = node("Equal", {x, number(0)}), one = node("Equal", {x, number(1)});
  Matrix log_zero = terms.log_zero, log_one = terms.log_one, no_zero, no_one;
  const bool excludes_zero = take_impossible(log_zero, no_zero);
  const bool excludes_one = take_impossible(log_one, no_one);
  std::string scores =
      node("Add", {node("MatMul", {as_real(zero), graph_.tensor(transposed(log_zero))}),
                   node("MatMul", {as_real(one), graph_.tensor(transposed(log_one))})});
  if (excludes_zero) scores = exclude(scores, zero, no_zero);
  if (excludes_one) scores = exclude(scores, one, no_one);
  return scores;
}

std::string OnnxTerms::score(const CountTerms& terms, const OnnxValues& values) {
  const std::string missing = node("IsNaN", {values.x});
  const std::string x = node("Where", {missing, number(0), values.x});
  if (terms.documents) bad_.push_back(total(as_real(missing)));
  Matrix slope = terms.slope, impossible;
  const bool excludes = take_impossible(slope, impossible);
  std::string scores = node("MatMul", {x, graph_.tensor(transposed(slope))});
  if (!terms.constant.empty())
    scores = node("Add", {scores, node("MatMul", {as_real(node("Not", {missing})),
                                                  graph_.tensor(transposed(terms.constant))})});
  if (terms.beyond == CountTerms::Beyond::rising) {
    Matrix shape = terms.shape, has_shape(shape.rows(), shape.cols());
    for (Index k = 0; k < shape.size(); ++k) {
      has_shape.data()[k] = shape.data()[k] > 0 ? 1 : 0;
      if (!(shape.data()[k] > 0)) shape.data()[k] = 1;
    }
    const std::string excess =
        log_gamma_excess_of(shape, {1, shape.rows(), shape.cols()}, for_classes(x));
    scores = node("Add", {scores, total_of_last(node("Mul", {excess, of_classes(has_shape)}))});
  }
  if (terms.beyond == CountTerms::Beyond::lomax) {
    Matrix power = terms.shape;
    for (double& value : std::span(power.data(), at(power.size()))) value = -(value + 1);
    const std::string tail = node(
        "Mul", {log1p(node("Mul", {for_classes(x), of_classes(terms.rate)})), of_classes(power)});
    scores = node("Add", {scores, total_of_last(tail)});
  }
  if (!terms.concentration.empty()) {
    Matrix concentration(1, classes_);
    for (Index c = 0; c < classes_; ++c)
      concentration(0, c) = terms.concentration[c] > 0 ? terms.concentration[c] : 1;
    scores = node("Sub", {scores, log_gamma_excess_of(concentration, {1, classes_}, total(x))});
  }
  if (terms.factorial) {
    Matrix one(1, 1);
    one(0, 0) = 1;
    scores = node("Sub", {scores, total(log_gamma_excess_of(one, {1, 1}, x))});
  }
  return excludes ? exclude(scores, node("Greater", {x, number(0)}), impossible) : scores;
}

}  // namespace suffice
