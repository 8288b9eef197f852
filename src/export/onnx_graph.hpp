#pragma once
// An ONNX graph while it is built, and the file of it: the few messages of onnx.proto that are
// needed, written as protocol buffers.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "suffice/core/matrix.hpp"
#include "suffice/export/export.hpp"

namespace suffice {

/// Fields of a protocol buffer message.
class ProtoMessage {
 public:
  void add_number(int field, std::int64_t value);
  void add_bytes(int field, std::string_view bytes);
  void add_message(int field, const ProtoMessage& message) { add_bytes(field, message.bytes_); }
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  void add_varint(std::uint64_t value);
  std::string bytes_;
};

class OnnxGraph {
 public:
  enum class Type { float32 = 1, int64 = 7, text = 8, boolean = 9, float64 = 11 };
  using Inputs = std::vector<std::string>;
  struct Attribute {
    std::string name;
    std::vector<std::int64_t> numbers = {};
    std::vector<std::string> strings = {};
    bool is_list = false;  ///< a list also where it has one number
  };

  /// Names of results begin with `prefix`, which no input does.
  OnnxGraph(std::string name, Real real, std::string prefix)
      : name_(std::move(name)), prefix_(std::move(prefix)), real_(real) {}

  Type real() const { return real_ == Real::float64 ? Type::float64 : Type::float32; }

  /// -1: any number of rows. With a tensor of the same name, the input has a default.
  void add_input(const std::string& name, Type type, const std::vector<Index>& shape);
  void add_output(const std::string& name, Type type, const std::vector<Index>& shape);
  /// Throws InvalidArgument where a number does not fit the type.
  std::string tensor(std::span<const double> numbers, const std::vector<Index>& shape,
                     std::string name = {});
  std::string tensor(const Matrix& matrix, std::string name = {});
  std::string scalar(double value) { return tensor(std::span(&value, 1), {}); }
  std::string integers(const std::vector<std::int64_t>& numbers);
  std::string strings(std::span<const std::string> strings);

  /// A node with one result, whose name it returns.
  std::string node(const std::string& operation, const Inputs& inputs,
                   const std::vector<Attribute>& attributes = {}, std::string result = {},
                   const std::string& domain = {});
  /// The result of one of two parts of the graph, by a condition of one element; only that part is
  /// computed. Both give numbers of `shape`.
  std::string choose(const std::string& condition, const std::vector<Index>& shape,
                     const std::function<std::string()>& then,
                     const std::function<std::string()>& otherwise, Type type);
  std::string choose(const std::string& condition, const std::vector<Index>& shape,
                     const std::function<std::string()>& then,
                     const std::function<std::string()>& otherwise) {
    return choose(condition, shape, then, otherwise, real());
  }
  /// The whole file.
  std::string file() const;

 private:
  std::string new_name(std::string name);
  /// Constants without a name of their own that are equal are one.
  std::string add_tensor(ProtoMessage message, std::string name);
  ProtoMessage part(const std::string& name, const std::vector<Index>& shape, Type type,
                    const std::function<std::string()>& write);

  std::string name_, prefix_;
  Real real_;
  Index count_ = 0;
  std::vector<ProtoMessage> nodes_, tensors_, inputs_, outputs_;
  std::unordered_map<std::string, std::string> names_of_tensors_;
};

}  // namespace suffice
