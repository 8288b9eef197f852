#include "export/onnx_graph.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "core/at.hpp"
#include "suffice/core/error.hpp"
#include "suffice/core/names.hpp"

namespace suffice {
namespace {

/// Opset 17 is of IR version 8. LabelEncoder is in ai.onnx.ml.
constexpr int ir_version = 8, opset = 17, ml_opset = 3;

// Attribute types of onnx.proto.
constexpr int attribute_int = 2, attribute_graph = 5, attribute_ints = 7, attribute_strings = 8;

/// The bytes of a number, the least significant first.
template <class Bits>
void append_little_endian(std::string& bytes, Bits bits) {
  for (std::size_t k = 0; k < sizeof bits; ++k) bytes += static_cast<char>(bits >> (8 * k));
}

ProtoMessage value_info(const std::string& name, OnnxGraph::Type type,
                        const std::vector<Index>& shape) {
  ProtoMessage dimensions;
  for (const Index size : shape) {
    ProtoMessage dimension;
    if (size < 0)
      dimension.add_bytes(2, "rows");
    else
      dimension.add_number(1, size);
    dimensions.add_message(1, dimension);
  }
  ProtoMessage tensor;
  tensor.add_number(1, static_cast<int>(type));
  tensor.add_message(2, dimensions);
  ProtoMessage of_type;
  of_type.add_message(1, tensor);
  ProtoMessage info;
  info.add_bytes(1, name);
  info.add_message(2, of_type);
  return info;
}

}  // namespace

void ProtoMessage::add_varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

void ProtoMessage::add_number(int field, std::int64_t value) {
  add_varint(static_cast<std::uint64_t>(field) << 3);
  add_varint(static_cast<std::uint64_t>(value));
}

void ProtoMessage::add_bytes(int field, std::string_view bytes) {
  add_varint(static_cast<std::uint64_t>(field) << 3 | 2);
  add_varint(bytes.size());
  bytes_ += bytes;
}

std::string OnnxGraph::new_name(std::string name) {
  return name.empty() ? prefix_ + std::to_string(count_++) : name;
}

void OnnxGraph::add_input(const std::string& name, Type type, const std::vector<Index>& shape) {
  inputs_.push_back(value_info(name, type, shape));
}

void OnnxGraph::add_output(const std::string& name, Type type, const std::vector<Index>& shape) {
  outputs_.push_back(value_info(name, type, shape));
}

std::string OnnxGraph::tensor(std::span<const double> numbers, const std::vector<Index>& shape,
                              std::string name) {
  ProtoMessage message;
  for (const Index size : shape) message.add_number(1, size);
  message.add_number(2, static_cast<int>(real()));
  std::string bytes;
  bytes.reserve(numbers.size() * sizeof(double));
  for (const double value : numbers) {
    if (real_ == Real::float64) {
      append_little_endian(bytes, std::bit_cast<std::uint64_t>(value));
      continue;
    }
    if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max())
      throw InvalidArgument("the number " + name_of(value) + " of the model is too large for float",
                            "use " + Option{"real", "double"} + ", or other units of the data");
    append_little_endian(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  }
  message.add_bytes(9, bytes);
  return add_tensor(std::move(message), std::move(name));
}

std::string OnnxGraph::add_tensor(ProtoMessage message, std::string name) {
  if (name.empty()) {
    const auto [known, is_new] = names_of_tensors_.try_emplace(message.bytes());
    if (!is_new) return known->second;
    known->second = name = new_name({});
  }
  message.add_bytes(8, name);
  tensors_.push_back(std::move(message));
  return name;
}

std::string OnnxGraph::tensor(const Matrix& matrix, std::string name) {
  return tensor({matrix.data(), at(matrix.size())}, {matrix.rows(), matrix.cols()},
                std::move(name));
}

std::string OnnxGraph::integers(const std::vector<std::int64_t>& numbers) {
  ProtoMessage message;
  message.add_number(1, std::ssize(numbers));
  message.add_number(2, static_cast<int>(Type::int64));
  std::string bytes;
  for (const std::int64_t value : numbers)
    append_little_endian(bytes, static_cast<std::uint64_t>(value));
  message.add_bytes(9, bytes);
  return add_tensor(std::move(message), {});
}

std::string OnnxGraph::strings(std::span<const std::string> strings) {
  const std::string name = new_name({});
  ProtoMessage message;
  message.add_number(1, std::ssize(strings));
  message.add_number(2, static_cast<int>(Type::text));
  for (const std::string& text : strings) message.add_bytes(6, text);
  message.add_bytes(8, name);
  tensors_.push_back(std::move(message));
  return name;
}

std::string OnnxGraph::node(const std::string& operation, const Inputs& inputs,
                            const std::vector<Attribute>& attributes, std::string result,
                            const std::string& domain) {
  result = new_name(std::move(result));
  ProtoMessage message;
  for (const std::string& input : inputs) message.add_bytes(1, input);
  message.add_bytes(2, result);
  message.add_bytes(4, operation);
  for (const Attribute& attribute : attributes) {
    ProtoMessage own;
    own.add_bytes(1, attribute.name);
    if (!attribute.strings.empty()) {
      for (const std::string& text : attribute.strings) own.add_bytes(9, text);
      own.add_number(20, attribute_strings);
    } else if (attribute.is_list) {
      for (const std::int64_t value : attribute.numbers) own.add_number(8, value);
      own.add_number(20, attribute_ints);
    } else {
      own.add_number(3, attribute.numbers[0]);
      own.add_number(20, attribute_int);
    }
    message.add_message(5, own);
  }
  if (!domain.empty()) message.add_bytes(7, domain);
  nodes_.push_back(std::move(message));
  return result;
}

/// A graph of its own, which sees the names of this one; its constants are this one's.
ProtoMessage OnnxGraph::part(const std::string& name, const std::vector<Index>& shape, Type type,
                             const std::function<std::string()>& write) {
  std::vector<ProtoMessage> outside;
  std::swap(nodes_, outside);
  // A node of its own: the result may be a name of the graph around it.
  const std::string result = node("Identity", {write()});
  ProtoMessage graph;
  for (const ProtoMessage& own : nodes_) graph.add_message(1, own);
  graph.add_bytes(2, new_name({}));
  graph.add_message(12, value_info(result, type, shape));
  std::swap(nodes_, outside);
  ProtoMessage attribute;
  attribute.add_bytes(1, name);
  attribute.add_message(6, graph);
  attribute.add_number(20, attribute_graph);
  return attribute;
}

std::string OnnxGraph::choose(const std::string& condition, const std::vector<Index>& shape,
                              const std::function<std::string()>& then,
                              const std::function<std::string()>& otherwise, Type type) {
  const ProtoMessage first = part("then_branch", shape, type, then);
  const ProtoMessage second = part("else_branch", shape, type, otherwise);
  const std::string result = new_name({});
  ProtoMessage message;
  message.add_bytes(1, condition);
  message.add_bytes(2, result);
  message.add_bytes(4, "If");
  message.add_message(5, first);
  message.add_message(5, second);
  nodes_.push_back(std::move(message));
  return result;
}

std::string OnnxGraph::file() const {
  ProtoMessage graph;
  for (const ProtoMessage& node : nodes_) graph.add_message(1, node);
  graph.add_bytes(2, name_);
  for (const ProtoMessage& tensor : tensors_) graph.add_message(5, tensor);
  for (const ProtoMessage& input : inputs_) graph.add_message(11, input);
  for (const ProtoMessage& output : outputs_) graph.add_message(12, output);
  constexpr std::size_t most_bytes = std::numeric_limits<std::int32_t>::max();
  if (graph.bytes().size() > most_bytes - 1000)
    throw InvalidArgument("the model is larger than the 2 GB that an ONNX file can have",
                          "use " + Option{"real", "float"} + ", or fit it with fewer features");
  ProtoMessage model;
  model.add_number(1, ir_version);
  model.add_bytes(2, "suffice");
  model.add_message(7, graph);
  ProtoMessage operators, ml_operators;
  operators.add_bytes(1, "");
  operators.add_number(2, opset);
  ml_operators.add_bytes(1, "ai.onnx.ml");
  ml_operators.add_number(2, ml_opset);
  model.add_message(8, operators);
  model.add_message(8, ml_operators);
  return model.bytes();
}

}  // namespace suffice
