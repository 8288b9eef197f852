#pragma once
// Small pieces of ONNX graphs. Comments have shapes: rows × …, K classes, n numbers of a block.

#include <string>
#include <vector>

#include "export/formula.hpp"
#include "export/onnx_graph.hpp"

namespace suffice {

/// For classes that write a part of a graph.
class OnnxOperations {
 protected:
  using Inputs = OnnxGraph::Inputs;
  explicit OnnxOperations(OnnxGraph& graph) : graph_(graph) {}

  std::string node(const char* operation, const Inputs& inputs) {
    return graph_.node(operation, inputs);
  }
  bool is_float() const { return graph_.real() == OnnxGraph::Type::float32; }
  std::string number(double value) { return graph_.scalar(value); }
  /// 1 × m
  std::string row(const Vector& numbers);
  /// K × n → 1 × K × n
  std::string of_classes(const Matrix& matrix);
  std::string as_real(const std::string& truth);
  std::string sum(const std::vector<std::string>& terms);
  std::string side_by_side(const Inputs& parts);
  /// rows × m → rows × 1
  std::string total(const std::string& values);
  /// rows × K × n → rows × K
  std::string total_of_last(const std::string& values);
  /// rows × n → rows × 1 × n
  std::string for_classes(const std::string& values);
  /// rows × m → rows × (end − first)
  std::string columns_between(const std::string& values, Index first, Index end);
  /// Whether an element is not finite, as one truth value.
  std::string any_not_finite(const std::string& values);
  /// Whether one of some truth values is true.
  std::string any(const std::string& truths);
  /// Elements that are infinite.
  std::string infinite(const std::string& values);

  /// log(1 + u) without loss where u is small; finite u only.
  std::string log1p(const std::string& u);
  /// log Γ(a + x) − log Γ(a) − x log a of tensors that fit each other: 8 steps up, and Stirling's
  /// series.
  std::string log_gamma_excess_of(const Matrix& a, const std::vector<Index>& shape,
                                  const std::string& x);

  OnnxGraph& graph_;
};

}  // namespace suffice
