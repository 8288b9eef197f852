#include "export/onnx_operations.hpp"

#include <cmath>
#include <limits>

#include "core/at.hpp"

namespace suffice {

std::string OnnxOperations::row(const Vector& numbers) {
  return graph_.tensor({numbers.data(), at(numbers.size())}, {1, numbers.size()});
}

std::string OnnxOperations::of_classes(const Matrix& matrix) {
  return graph_.tensor({matrix.data(), at(matrix.size())}, {1, matrix.rows(), matrix.cols()});
}

std::string OnnxOperations::as_real(const std::string& truth) {
  return graph_.node("Cast", {truth}, {{"to", {static_cast<int>(graph_.real())}}});
}

std::string OnnxOperations::sum(const std::vector<std::string>& terms) {
  std::string result = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) result = node("Add", {result, terms[i]});
  return result;
}

std::string OnnxOperations::side_by_side(const Inputs& parts) {
  return parts.size() == 1 ? parts[0] : graph_.node("Concat", parts, {{"axis", {1}}});
}

std::string OnnxOperations::total(const std::string& values) {
  return graph_.node("ReduceSum", {values, graph_.integers({1})}, {{"keepdims", {1}}});
}

std::string OnnxOperations::total_of_last(const std::string& values) {
  return graph_.node("ReduceSum", {values, graph_.integers({2})}, {{"keepdims", {0}}});
}

std::string OnnxOperations::for_classes(const std::string& values) {
  return node("Unsqueeze", {values, graph_.integers({1})});
}

std::string OnnxOperations::columns_between(const std::string& values, Index first, Index end) {
  return node("Slice",
              {values, graph_.integers({first}), graph_.integers({end}), graph_.integers({1})});
}

std::string OnnxOperations::any_not_finite(const std::string& values) {
  const std::string zero = node("Sub", {values, values});  // NaN where it is not
  return node("IsNaN", {graph_.node("ReduceSum", {zero}, {{"keepdims", {0}}})});
}

std::string OnnxOperations::any(const std::string& truths) {
  return node("Greater",
              {graph_.node("ReduceSum", {as_real(truths)}, {{"keepdims", {0}}}), number(0)});
}

std::string OnnxOperations::infinite(const std::string& values) {
  const double largest = is_float() ? static_cast<double>(std::numeric_limits<float>::max())
                                    : std::numeric_limits<double>::max();
  return node("Greater", {node("Abs", {values}), number(largest)});
}

std::string OnnxOperations::log1p(const std::string& u) {
  // log w + (u − (w − 1)) / w, where w is 1 + u as it is rounded.
  const std::string one = number(1), w = node("Add", {u, one});
  const std::string lost = node("Sub", {u, node("Sub", {w, one})});
  return node("Add", {node("Log", {w}), node("Div", {lost, w})});
}

std::string OnnxOperations::log_gamma_excess_of(const Matrix& a, const std::vector<Index>& shape,
                                                const std::string& x) {
  const auto of_a = [&](const auto& function) {
    Matrix result = a;
    for (Index k = 0; k < a.size(); ++k) result.data()[k] = function(a.data()[k]);
    return graph_.tensor({result.data(), at(result.size())}, shape);
  };
  std::string steps[2];  // where x is large, the product of all would overflow
  for (int i = 0; i < 8; ++i) {
    const std::string step =
        node("Add", {node("Div", {x, of_a([i](double value) { return value + i; })}), number(1)});
    std::string& half = steps[i / 4];
    half = i % 4 == 0 ? step : node("Mul", {half, step});
  }
  const std::string log_of_steps = node(
      "Where", {node("Less", {x, number(is_float() ? 1e9 : 1e30)}),
                node("Add", {node("Log", {steps[0]}), node("Log", {steps[1]})}),
                node("Sub", {node("Mul", {node("Log", {x}), number(8)}), of_a([](double value) {
                               double sum = 0;
                               for (int i = 0; i < 8; ++i) sum += std::log(value + i);
                               return sum;
                             })})});
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
  const std::string log = log1p(node("Div", {x, large}));
  const std::string slope = of_a([](double value) { return 1 - std::log((value + 8) / value); });
  const std::string first =
      node("Mul", {x, node("Sub", {log, slope})});  // no infinity less another
  const std::string second = node("Mul", {of_a([](double value) { return value + 7.5; }), log});
  const std::string third =
      node("Sub", {rest_of_y, of_a([&](double value) { return rest(value + 8); })});
  return node("Sub", {node("Add", {node("Add", {first, second}), third}), log_of_steps});
}

}  // namespace suffice
