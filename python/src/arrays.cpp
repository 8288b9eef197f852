#include "arrays.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "suffice/core/error.hpp"

namespace suffice::python {
namespace {

Scalar scalar_of_array(const AnyArray& array, const std::string& what) {
  const nb::dlpack::dtype type = array.dtype();
  if (type.lanes == 1) {
    switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
      case nb::dlpack::dtype_code::Float:
        if (type.bits == 64) return Scalar::float64;
        if (type.bits == 32) return Scalar::float32;
        break;
      case nb::dlpack::dtype_code::Int:
        if (type.bits == 64) return Scalar::int64;
        if (type.bits == 32) return Scalar::int32;
        if (type.bits == 16) return Scalar::int16;
        if (type.bits == 8) return Scalar::int8;
        break;
      case nb::dlpack::dtype_code::UInt:
        if (type.bits == 64) return Scalar::uint64;
        if (type.bits == 32) return Scalar::uint32;
        if (type.bits == 16) return Scalar::uint16;
        if (type.bits == 8) return Scalar::uint8;
        break;
      case nb::dlpack::dtype_code::Bool:
        if (type.bits == 8) return Scalar::uint8;
        break;
      default:
        break;
    }
  }
  throw InvalidArgument(what + " must be float64, float32, integers or booleans");
}

void require_dimensions(const AnyArray& array, std::size_t dimensions, const std::string& what) {
  if (array.ndim() != dimensions)
    throw InvalidArgument(what + " must have " + std::to_string(dimensions) + " dimension" +
                          (dimensions == 1 ? "" : "s") + ", not " + std::to_string(array.ndim()));
}

Index size_at(const AnyArray& array, std::size_t axis) {
  return static_cast<Index>(array.shape(axis));
}

/// An array that owns what `owner` points to.
template <class Array, class Owner>
Array hand_over(std::unique_ptr<Owner> owner, typename Array::Scalar* data,
                std::initializer_list<std::size_t> shape) {
  static typename Array::Scalar nothing = 0;  // an empty array needs an address too
  nb::capsule capsule(owner.get(),
                      [](void* memory) noexcept { delete static_cast<Owner*>(memory); });
  owner.release();
  return Array(data ? data : &nothing, shape, capsule);
}

}  // namespace

MatrixView matrix_view(const AnyArray& array, const std::string& what) {
  require_dimensions(array, 2, what);
  MatrixView view;
  view.data = array.data();
  view.type = scalar_of_array(array, what);
  view.rows = size_at(array, 0);
  view.cols = size_at(array, 1);
  view.row_stride = static_cast<Index>(array.stride(0));
  view.col_stride = static_cast<Index>(array.stride(1));
  return view;
}

Column column_view(const AnyArray& array, const std::string& what) {
  require_dimensions(array, 1, what);
  Column column;
  column.kind = Column::Kind::numbers;
  column.data = array.data();
  column.type = scalar_of_array(array, what);
  column.size = size_at(array, 0);
  column.stride = static_cast<Index>(array.stride(0));
  return column;
}

Matrix matrix_of(const Doubles& array, const std::string& what) {
  if (array.ndim() != 2) throw InvalidArgument(what + " must be a matrix");
  Matrix matrix(static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1)));
  std::copy_n(array.data(), matrix.size(), matrix.data());
  return matrix;
}

Vector vector_of(const Doubles& array, const std::string& what) {
  if (array.ndim() != 1) throw InvalidArgument(what + " must be a vector");
  return Vector(std::span<const double>(array.data(), array.size()));
}

OutArray to_numpy(Matrix matrix) {
  auto owner = std::make_unique<Matrix>(std::move(matrix));
  Matrix& kept = *owner;
  return hand_over<OutArray>(
      std::move(owner), kept.data(),
      {static_cast<std::size_t>(kept.rows()), static_cast<std::size_t>(kept.cols())});
}

OutArray to_numpy(Vector vector) {
  auto owner = std::make_unique<Vector>(std::move(vector));
  Vector& kept = *owner;
  return hand_over<OutArray>(std::move(owner), kept.data(),
                             {static_cast<std::size_t>(kept.size())});
}

OutClasses to_numpy(std::vector<Index> classes) {
  static_assert(std::is_same_v<Index, std::int64_t>);
  auto owner = std::make_unique<std::vector<Index>>(std::move(classes));
  std::vector<Index>& kept = *owner;
  return hand_over<OutClasses>(std::move(owner), kept.data(), {kept.size()});
}

OutCodes to_numpy(Buffer<std::int32_t> codes) {
  auto owner = std::make_unique<Buffer<std::int32_t>>(std::move(codes));
  Buffer<std::int32_t>& kept = *owner;
  return hand_over<OutCodes>(std::move(owner), kept.data(),
                             {static_cast<std::size_t>(kept.size())});
}

OutBytes to_numpy(std::vector<std::uint8_t> bytes) {
  auto owner = std::make_unique<std::vector<std::uint8_t>>(std::move(bytes));
  std::vector<std::uint8_t>& kept = *owner;
  return hand_over<OutBytes>(std::move(owner), kept.data(), {kept.size()});
}

OutArray to_numpy(const std::vector<const Matrix*>& matrices, Index rows, Index cols) {
  auto owner = std::make_unique<Vector>(static_cast<Index>(matrices.size()) * rows * cols);
  double* to = owner->data();
  for (const Matrix* matrix : matrices) {
    if (!matrix->empty()) std::copy_n(matrix->data(), rows * cols, to);
    to += rows * cols;
  }
  double* data = owner->data();
  return hand_over<OutArray>(
      std::move(owner), data,
      {matrices.size(), static_cast<std::size_t>(rows), static_cast<std::size_t>(cols)});
}

}  // namespace suffice::python
