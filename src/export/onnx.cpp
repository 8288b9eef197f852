#include "export/onnx.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "export/onnx_graph.hpp"
#include "export/text.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

Matrix transposed(const Matrix& matrix) {
  Matrix result(matrix.cols(), matrix.rows());
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j) result(j, i) = matrix(i, j);
  return result;
}

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

std::string unused_prefix(const Formula& formula) {
  std::string prefix = "suffice_";
  while (std::ranges::any_of(formula.columns, [&](const FormulaColumn& column) {
    return column.name.starts_with(prefix);
  }))
    prefix += '_';
  return prefix;
}

/// Names in comments are shapes: rows × …; n is the width of a block.
class OnnxWriter {
 public:
  OnnxWriter(const Formula& formula, const ExportOptions& options)
      : formula_(formula),
        graph_(options.name.value_or("model"), options.real.value_or(Real::float64),
               unused_prefix(formula)),
        matrix_(options.input.value_or(OnnxInput::columns) == OnnxInput::matrix),
        classes_(formula.classes()) {}

  std::string write() {
    add_inputs();
    const std::string zero = graph_.scalar(0);
    std::vector<std::string> parts;
    for (const FormulaBlock& block : formula_.blocks)
      parts.push_back(
          std::visit([&](const auto& terms) { return score(block, terms); }, block.terms));
    std::string raw = sum(parts);
    // Without scores: a value that is impossible, or NaN where a joint block lacks a value.
    std::string lacks = graph_.node("IsNaN", {total(raw)});
    if (!bad_.empty())
      lacks = graph_.node("Or", {lacks, graph_.node("Greater", {sum(bad_), zero})});
    const auto settle = [&](const std::string& scores, const std::string& name) {
      std::string result = scores;
      if (std::ranges::find(formula_.possible, false) != formula_.possible.end()) {
        Matrix none(1, classes_);
        for (Index c = 0; c < classes_; ++c) none(0, c) = formula_.possible[at(c)] ? 0 : 1;
        result = graph_.node("Where", {graph_.node("Greater", {graph_.tensor(none), zero}),
                                       graph_.scalar(-infinity), result});
      }
      return graph_.node("Where",
                         {lacks, graph_.scalar(std::numeric_limits<double>::quiet_NaN()), result},
                         {}, name);
    };
    const std::string log_likelihood = settle(raw, "log_likelihood");
    graph_.add_output("label", OnnxGraph::Type::text, {-1});
    graph_.add_output("log_likelihood", graph_.real(), {-1, classes_});
    graph_.add_output("posterior", graph_.real(), {-1, classes_});
    std::string calibrated = log_likelihood;
    if (formula_.calibrated()) {
      std::vector<std::string> scaled;
      for (Index b = 0; b < std::ssize(parts); ++b) {
        const std::string& part = parts[at(b)];
        std::string product = graph_.node("Mul", {part, graph_.scalar(formula_.scale[b])});
        if (!(formula_.scale[b] > 0))  // what is impossible stays impossible
          product = graph_.node(
              "Where", {graph_.node("Equal", {part, graph_.scalar(-infinity)}), part, product});
        scaled.push_back(product);
      }
      scaled.push_back(row(formula_.offset));
      calibrated = settle(mapped(sum(scaled)), {});
    }
    write_answers(calibrated, lacks);
    return graph_.file();
  }

 private:
  using Inputs = OnnxGraph::Inputs;

  std::string node(const char* operation, const Inputs& inputs) {
    return graph_.node(operation, inputs);
  }
  std::string row(const Vector& numbers) {
    return graph_.tensor({numbers.data(), at(numbers.size())}, {1, numbers.size()});
  }
  std::string number(double value) { return graph_.scalar(value); }
  std::string as_real(const std::string& truth) {
    return graph_.node("Cast", {truth}, {{"to", {static_cast<int>(graph_.real())}}});
  }
  std::string sum(const std::vector<std::string>& terms) {
    std::string result = terms[0];
    for (std::size_t i = 1; i < terms.size(); ++i) result = node("Add", {result, terms[i]});
    return result;
  }
  /// rows × m → rows × 1
  std::string total(const std::string& values) {
    return graph_.node("ReduceSum", {values, graph_.integers({1})}, {{"keepdims", {1}}});
  }
  /// rows × K × n → rows × K
  std::string total_of_last(const std::string& values) {
    return graph_.node("ReduceSum", {values, graph_.integers({2})}, {{"keepdims", {0}}});
  }
  /// rows × n → rows × 1 × n
  std::string for_classes(const std::string& values) {
    return node("Unsqueeze", {values, graph_.integers({1})});
  }
  /// K × n → 1 × K × n
  std::string of_classes(const Matrix& matrix) {
    return graph_.tensor({matrix.data(), at(matrix.size())}, {1, matrix.rows(), matrix.cols()});
  }
  /// Calibrated scores after the knots, where there are some: f is its first value and, from each
  /// knot to the next, a ramp.
  std::string mapped(const std::string& scores) {
    const Vector &knots = formula_.knots, &values = formula_.values;
    if (knots.empty()) return scores;
    const auto column = [&](std::int64_t c) {
      return graph_.node("Gather", {scores, graph_.integers({c})}, {{"axis", {1}}});
    };
    const Index ramps = knots.size() - 1;
    const std::string first = column(0), second = column(1), ratio = node("Sub", {first, second});
    std::string f = node("Add", {node("Mul", {ratio, number(0)}), number(values[0])});
    if (ramps > 0) {
      Vector begin(ramps), width(ramps);
      Matrix slope(ramps, 1);
      for (Index k = 0; k < ramps; ++k) {
        begin[k] = knots[k];
        width[k] = knots[k + 1] - knots[k];
        slope(k, 0) = (values[k + 1] - values[k]) / width[k];
      }
      const std::string within =
          node("Min", {node("Max", {node("Sub", {ratio, row(begin)}), number(0)}), row(width)});
      f = node("Add", {f, node("MatMul", {within, graph_.tensor(slope)})});
    }
    const std::string both =
        graph_.node("Concat", {f, node("Mul", {f, number(0)})}, {{"axis", {1}}});
    const std::string lowest = number(-infinity);
    const std::string finite =
        node("And", {node("Greater", {first, lowest}), node("Greater", {second, lowest})});
    return node("Where", {finite, both, scores});
  }

  /// log(1 + u) without loss where u is small.
  std::string log1p(const std::string& u) {
    const std::string one = number(1), w = node("Add", {u, one}), d = node("Sub", {w, one});
    const std::string exact = node("Div", {node("Mul", {u, node("Log", {w})}), d});
    return node("Where", {node("Equal", {d, number(0)}), u, exact});
  }

  /// log Γ(a + x) − log Γ(a) − x log a of tensors that fit each other: 8 steps up, and Stirling's
  /// series.
  std::string log_gamma_excess_of(const Matrix& a, const std::vector<Index>& shape,
                                  const std::string& x) {
    const auto of_a = [&](const auto& function) {
      Matrix result = a;
      for (Index k = 0; k < a.size(); ++k) result.data()[k] = function(a.data()[k]);
      return graph_.tensor({result.data(), at(result.size())}, shape);
    };
    std::string steps;
    for (int i = 0; i < 8; ++i) {
      const std::string step =
          node("Add", {node("Div", {x, of_a([i](double value) { return value + i; })}), number(1)});
      steps = i == 0 ? step : node("Mul", {steps, step});
    }
    constexpr double series[] = {1. / 12,    -1. / 360, 1. / 1260,
                                 -1. / 1680, 1. / 1188, -691. / 360360};
    const auto rest = [&](double y) {
      double result = 0;
      for (int k = 5; k >= 0; --k) result = result / (y * y) + series[k];
      return result / y;
    };
    const std::string large = of_a([](double value) { return value + 8; });
    const std::string y = node("Add", {x, large});
    const std::string square = node("Mul", {y, y});
    std::string rest_of_y = number(series[5]);
    for (int k = 4; k >= 0; --k)
      rest_of_y = node("Add", {node("Div", {rest_of_y, square}), number(series[k])});
    rest_of_y = node("Div", {rest_of_y, y});
    const std::string first =
        node("Mul", {node("Sub", {y, number(0.5)}), log1p(node("Div", {x, large}))});
    const std::string second =
        node("Mul", {x, of_a([](double value) { return 1 - std::log((value + 8) / value); })});
    const std::string third =
        node("Sub", {rest_of_y, of_a([&](double value) { return rest(value + 8); })});
    return node("Sub", {node("Add", {node("Sub", {first, second}), third}), node("Log", {steps})});
  }

  void add_inputs() {
    require_text(formula_, "ONNX");
    const auto taken = [](const std::string& name) {
      return name == "log_prior" || name == "cost" || name == "label" || name == "log_likelihood" ||
             name == "posterior";
    };
    if (matrix_) {
      graph_.add_input("input", graph_.real(), {-1, std::ssize(formula_.columns)});
    } else {
      for (const FormulaColumn& column : formula_.columns) {
        if (taken(column.name))
          throw InvalidArgument({.features = {column.name}},
                                "the graph has an input or output of this name itself",
                                "use " + Option{"input", "matrix"} + ", or rename the column");
        graph_.add_input(
            column.name,
            column.family == Family::categorical ? OnnxGraph::Type::text : graph_.real(), {-1, 1});
      }
    }
    graph_.add_input("log_prior", graph_.real(), {classes_});
    graph_.add_input("cost", graph_.real(), {classes_, classes_});
  }

  /// Some columns side by side.
  std::string columns(const std::vector<Index>& positions) {
    if (matrix_) {
      if (std::ssize(positions) == std::ssize(formula_.columns) && is_run(positions))
        return "input";
      return graph_.node("Gather", {"input", graph_.integers({positions.begin(), positions.end()})},
                         {{"axis", {1}}});
    }
    Inputs names;
    for (const Index j : positions) names.push_back(formula_.columns[at(j)].name);
    return names.size() == 1 ? names[0] : graph_.node("Concat", names, {{"axis", {1}}});
  }

  /// Which values lie outside the domain; a missing value does not.
  std::string outside(Domain domain, const std::string& x) {
    const bool single = graph_.real() == OnnxGraph::Type::float32;
    const double largest = single ? static_cast<double>(std::numeric_limits<float>::max())
                                  : std::numeric_limits<double>::max();
    const std::string infinite = node("Greater", {node("Abs", {x}), number(largest)});
    const auto or_infinite = [&](const std::string& condition) {
      return node("Or", {condition, infinite});
    };
    switch (domain) {
      case Domain::finite:
      case Domain::level:
        return infinite;
      case Domain::positive:
        return or_infinite(node("LessOrEqual", {x, number(0)}));
      case Domain::above_minus_one:
        return or_infinite(node("LessOrEqual", {x, number(-1)}));
      case Domain::not_negative:
        return or_infinite(node("Less", {x, number(0)}));
      case Domain::unit_interval:
        return node("Or",
                    {node("LessOrEqual", {x, number(0)}), node("GreaterOrEqual", {x, number(1)})});
      case Domain::zero_or_one:
        return node("Greater",
                    {node("Abs", {node("Mul", {x, node("Sub", {x, number(1)})})}), number(0)});
      case Domain::count:
        return or_infinite(node(
            "Or",
            {node("Less", {x, number(0)}),
             node("Greater", {node("Abs", {node("Sub", {x, node("Floor", {x})})}), number(0)})}));
    }
    return infinite;
  }

  /// `f` of the scale of each column, 1 × columns.
  std::string of_scales(const std::vector<Index>& positions, double (*f)(double)) {
    Vector numbers(std::ssize(positions));
    for (Index k = 0; k < numbers.size(); ++k)
      numbers[k] = f(formula_.columns[at(positions[at(k)])].transform.scale);
    return row(numbers);
  }

  /// Columns of one kind of transformation, side by side in x.
  std::string transformed_tensor(Transform::Kind kind, const std::vector<Index>& positions,
                                 const std::string& x) {
    switch (kind) {
      case Transform::Kind::none:
        break;
      case Transform::Kind::log:
        return node("Log", {x});
      case Transform::Kind::log1p:
        return log1p(x);
      case Transform::Kind::sqrt:
        return node("Sqrt", {x});
      case Transform::Kind::logit:
        return node("Sub", {node("Log", {x}), log1p(node("Neg", {x}))});
      case Transform::Kind::signed_log: {
        const std::string scales = of_scales(positions, [](double s) { return s; });
        return node("Mul", {node("Sign", {x}), log1p(node("Div", {node("Abs", {x}), scales}))});
      }
    }
    return x;
  }
  /// Of transformed values; 0 where one is missing.
  std::string derivative(Transform::Kind kind, const std::vector<Index>& positions,
                         const std::string& t) {
    std::string result;
    switch (kind) {
      case Transform::Kind::none:
      case Transform::Kind::log:
      case Transform::Kind::log1p:
        result = node("Neg", {t});
        break;
      case Transform::Kind::signed_log: {
        const std::string logs = of_scales(positions, [](double s) { return -std::log(s); });
        result = node("Sub", {logs, node("Abs", {t})});
        break;
      }
      case Transform::Kind::sqrt:
        result =
            node("Where", {node("Greater", {t, number(0)}),
                           node("Neg", {node("Log", {node("Mul", {t, number(2)})})}), number(0)});
        break;
      case Transform::Kind::logit: {
        const std::string size = node("Abs", {t});
        result = node("Add",
                      {size, node("Mul", {log1p(node("Exp", {node("Neg", {size})})), number(2)})});
      }
    }
    return node("Where", {node("IsNaN", {t}), number(0), result});
  }

  /// The transformed values of a block's columns, in their order. What lies outside its domain is
  /// remembered.
  std::string values_of(const FormulaBlock& block, std::string* derivatives = nullptr) {
    std::map<Transform::Kind, std::vector<Index>> groups;
    for (const Index j : block.columns) groups[formula_.columns[at(j)].transform.kind].push_back(j);
    Inputs parts;
    std::vector<Index> order;
    for (const auto& [kind, positions] : groups) {
      const std::string x = columns(positions);
      const Domain domain = formula_.columns[at(positions[0])].domain();
      bad_.push_back(total(as_real(outside(domain, x))));
      parts.push_back(transformed_tensor(kind, positions, x));
      order.insert(order.end(), positions.begin(), positions.end());
      if (!derivatives || !block.derivatives || kind == Transform::Kind::none) continue;
      const std::string own = total(derivative(kind, positions, parts.back()));
      *derivatives = derivatives->empty() ? own : node("Add", {*derivatives, own});
    }
    if (parts.size() == 1) return parts[0];
    const std::string all = graph_.node("Concat", parts, {{"axis", {1}}});
    std::vector<std::int64_t> places;
    for (const Index j : block.columns)
      places.push_back(std::ranges::find(order, j) - order.begin());
    return graph_.node("Gather", {all, graph_.integers(places)}, {{"axis", {1}}});
  }

  /// What the terms of a Gaussian block are over, less their center: rows × n; and whether the
  /// block is left out, rows × 1.
  struct Centered {
    std::string z, left_out, derivatives;
  };
  Centered centered(const FormulaBlock& block, const Vector& center) {
    Centered result;
    std::string x = values_of(block, &result.derivatives);
    if (block.projection.empty()) {
      const std::string missing = total(as_real(node("IsNaN", {x})));
      result.left_out = node("Equal", {missing, number(static_cast<double>(block.columns.size()))});
    } else {
      x = node("MatMul", {node("Sub", {x, row(block.projection.offset)}),
                          graph_.tensor(block.projection.matrix)});
      result.left_out = node("IsNaN", {total(x)});
    }
    result.z = node("Sub", {x, row(center)});
    return result;
  }
  /// 0 where the block is left out; the derivatives are added.
  std::string finish(const Centered& input, const std::string& scores) {
    const std::string result = node("Where", {input.left_out, number(0), scores});
    return input.derivatives.empty() ? result : node("Add", {result, input.derivatives});
  }

  std::string score(const FormulaBlock& block, const JointTerms& terms) {
    const Centered input = centered(block, terms.center);
    const Index n = block.width();
    std::string y;
    if (terms.whitener.empty()) {
      y = node("Mul", {for_classes(input.z), of_classes(terms.scale)});
    } else if (terms.whitener.size() == 1) {
      y = for_classes(node("MatMul", {input.z, graph_.tensor(transposed(terms.whitener[0]))}));
    } else {  // the whiteners of all classes side by side
      Matrix all(n, n * classes_);
      for (Index c = 0; c < classes_; ++c)
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j <= i; ++j) all(j, c * n + i) = terms.whitener[at(c)](i, j);
      y = node("Reshape",
               {node("MatMul", {input.z, graph_.tensor(all)}), graph_.integers({-1, classes_, n})});
    }
    const std::string q = graph_.node("ReduceSumSquare", {node("Sub", {y, of_classes(terms.mean)})},
                                      {{"axes", {2}, {}, true}, {"keepdims", {0}}});
    const std::string constant = row(terms.constant);
    if (terms.dof.empty())
      return finish(input, node("Add", {node("Mul", {q, number(-0.5)}), constant}));
    Vector power = terms.dof;
    for (double& value : power) value = -0.5 * (value + static_cast<double>(n));
    return finish(
        input, node("Add", {node("Mul", {log1p(node("Div", {q, row(terms.spread)})), row(power)}),
                            constant}));
  }

  std::string score(const FormulaBlock& block, const LinearTerms& terms) {
    const Centered input = centered(block, terms.center);
    return finish(input,
                  node("Add", {node("MatMul", {input.z, graph_.tensor(transposed(terms.weight))}),
                               row(terms.constant)}));
  }

  std::string score(const FormulaBlock& block, const IndependentTerms& terms) {
    if (block.columns.empty()) return graph_.tensor(Matrix(1, classes_));
    const Centered input = centered(block, terms.center);
    const std::string t = node("Sub", {node("Mul", {for_classes(input.z), of_classes(terms.scale)}),
                                       of_classes(terms.mean)});
    std::string term = node("Mul", {t, t});
    if (terms.dof.empty()) {
      term = node("Mul", {term, number(-0.5)});
    } else {
      Matrix power = terms.dof;
      for (double& value : std::span(power.data(), at(power.size()))) value = -0.5 * (value + 1);
      term = node("Mul", {log1p(node("Div", {term, of_classes(terms.dof)})), of_classes(power)});
    }
    term = node("Add", {term, of_classes(terms.constant)});
    return finish(input, total_of_last(node("Where", {node("IsNaN", {t}), number(0), term})));
  }

  /// −inf where one of the values marked in rows × d meets one marked in K × d.
  std::string exclude(const std::string& scores, const std::string& values,
                      const Matrix& impossible) {
    const std::string count =
        node("MatMul", {as_real(values), graph_.tensor(transposed(impossible))});
    return node("Where", {node("Greater", {count, number(0)}), number(-infinity), scores});
  }

  std::string score(const FormulaBlock& block, const BinaryTerms& terms) {
    const std::string x = values_of(block);
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

  std::string score(const FormulaBlock& block, const CountTerms& terms) {
    const std::string read = values_of(block), missing = node("IsNaN", {read});
    const std::string x = node("Where", {missing, number(0), read});
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

  std::string score(const FormulaBlock& block, const LevelTerms& terms) {
    std::vector<std::string> parts;
    for (std::size_t j = 0; j < block.columns.size(); ++j) {
      const FormulaColumn& column = formula_.columns[at(block.columns[j])];
      const Matrix& table = terms.log_probability[j];
      const auto levels = static_cast<std::int64_t>(table.rows());
      if (levels == 0) continue;
      std::string code;
      if (matrix_) {
        const std::string x = columns({block.columns[j]});
        const std::string known =
            node("And", {node("And", {node("GreaterOrEqual", {x, number(0)}),
                                      node("Less", {x, number(static_cast<double>(levels))})}),
                         node("Equal", {x, node("Floor", {x})})});
        code = graph_.node("Cast", {node("Where", {known, x, number(static_cast<double>(levels))})},
                           {{"to", {static_cast<int>(OnnxGraph::Type::int64)}}});
      } else {
        std::vector<std::int64_t> numbers(at(levels));
        for (std::size_t l = 0; l < numbers.size(); ++l) numbers[l] = static_cast<std::int64_t>(l);
        code = graph_.node("LabelEncoder", {column.name},
                           {{"keys_strings", {}, column.levels},
                            {"values_int64s", numbers, {}, true},
                            {"default_int64", {levels}}},
                           {}, "ai.onnx.ml");
      }
      // One more row, of zeros, for what is missing.
      Matrix rows(levels + 1, classes_);
      std::copy_n(table.data(), table.size(), rows.data());
      const std::string gathered =
          graph_.node("Gather", {graph_.tensor(rows), code}, {{"axis", {0}}});
      parts.push_back(node("Squeeze", {gathered, graph_.integers({1})}));
    }
    if (parts.empty()) return graph_.tensor(Matrix(1, classes_));
    return sum(parts);
  }

  void write_answers(const std::string& scores, const std::string& lacks) {
    const std::string log_prior =
        graph_.tensor({formula_.log_prior.data(), at(classes_)}, {classes_}, "log_prior");
    Matrix zero_one(classes_, classes_);
    for (Index c = 0; c < classes_; ++c)
      for (Index k = 0; k < classes_; ++k) zero_one(c, k) = c == k ? 0 : 1;
    const std::string cost =
        graph_.tensor(formula_.cost.empty() ? zero_one : formula_.cost, "cost");

    // A row that is impossible under every class tells nothing: its posteriors are the priors.
    const auto largest = [&](const std::string& values) {
      return graph_.node("ReduceMax", {values}, {{"axes", {1}, {}, true}, {"keepdims", {1}}});
    };
    std::string joint = node("Add", {scores, log_prior});
    const std::string none = node("Equal", {largest(joint), number(-infinity)});
    joint = node("Where", {none, log_prior, joint});
    const std::string mass = node("Exp", {node("Sub", {joint, largest(joint)})});
    const std::string posterior = graph_.node("Div", {mass, total(mass)}, {}, "posterior");

    // With cost 1 for every mistake ties go to the first class, whatever rounding does to costs.
    const auto best = [&](const std::string& values) {
      return graph_.node("ArgMax", {values}, {{"axis", {1}}, {"keepdims", {0}}});
    };
    const std::string other =
        as_real(node("Not", {node("Equal", {cost, graph_.tensor(zero_one)})}));
    const std::string plain =
        node("Equal", {graph_.node("ReduceSum", {other}, {{"keepdims", {0}}}), number(0)});
    const std::string cheapest = best(node("Neg", {node("MatMul", {posterior, cost})}));
    const std::string decided = node("Where", {plain, best(joint), cheapest});
    const std::string undecided = node("Squeeze", {lacks, graph_.integers({1})});
    std::vector<std::string> labels = formula_.labels;
    labels.emplace_back();
    const std::string position = node("Where", {undecided, graph_.integers({classes_}), decided});
    graph_.node("Gather", {graph_.strings(labels), position}, {{"axis", {0}}}, "label");
  }

  const Formula& formula_;
  OnnxGraph graph_;
  bool matrix_;
  Index classes_;
  std::vector<std::string> bad_;  ///< rows × 1: above 0 where a value is outside its domain
};

}  // namespace

std::string write_onnx(const Formula& formula, const ExportOptions& options) {
  return OnnxWriter(formula, options).write();
}

}  // namespace suffice
