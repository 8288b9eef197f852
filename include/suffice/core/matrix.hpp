#pragma once
// Owned numbers. Vector and Matrix are value types whose memory comes from the compiled library, 64
// bytes aligned, so that a program built for another instruction set than the library can hold and
// free them; map() hands them to Eigen without a copy.

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <span>
#include <utility>

#include "suffice/core/error.hpp"

namespace suffice {

using Index = std::ptrdiff_t;

namespace detail {
/// Zeroed memory, 64 bytes aligned; large pieces in huge pages. Throws std::bad_alloc.
void* allocate(std::size_t bytes);
void release(void* memory, std::size_t bytes) noexcept;
}  // namespace detail

/// A fixed number of doubles, zero at first.
class Vector {
 public:
  Vector() = default;
  explicit Vector(Index size)
      : data_(size > 0 ? static_cast<double*>(
                             detail::allocate(static_cast<std::size_t>(size) * sizeof(double)))
                       : nullptr),
        size_(size > 0 ? size : 0) {}
  Vector(std::initializer_list<double> values) : Vector(static_cast<Index>(values.size())) {
    std::copy(values.begin(), values.end(), data_);
  }
  explicit Vector(std::span<const double> values) : Vector(static_cast<Index>(values.size())) {
    std::copy(values.begin(), values.end(), data_);
  }
  Vector(const Vector& other) : Vector(other.size_) {
    std::copy(other.begin(), other.end(), data_);
  }
  Vector(Vector&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Vector& operator=(Vector other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Vector() {
    if (data_) detail::release(data_, static_cast<std::size_t>(size_) * sizeof(double));
  }

  Index size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  double* data() noexcept { return data_; }
  const double* data() const noexcept { return data_; }
  double& operator[](Index i) noexcept { return data_[i]; }
  double operator[](Index i) const noexcept { return data_[i]; }
  double* begin() noexcept { return data_; }
  double* end() noexcept { return data_ + size_; }
  const double* begin() const noexcept { return data_; }
  const double* end() const noexcept { return data_ + size_; }
  Eigen::Map<const Eigen::VectorXd> map() const { return {data_, size_}; }
  Eigen::Map<Eigen::VectorXd> map() { return {data_, size_}; }

  friend bool operator==(const Vector& a, const Vector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  double* data_ = nullptr;
  Index size_ = 0;
};

/// rows × cols doubles in row-major order, zero at first.
class Matrix {
 public:
  using EigenType = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Matrix() = default;
  Matrix(Index rows, Index cols)
      : values_(rows < 0 || cols < 0 ? throw InvalidArgument("a Matrix cannot have negative sizes")
                                     : rows * cols),
        rows_(rows),
        cols_(cols) {}
  Matrix(std::initializer_list<std::initializer_list<double>> rows)
      : Matrix(static_cast<Index>(rows.size()),
               rows.size() ? static_cast<Index>(rows.begin()->size()) : 0) {
    Index i = 0;
    for (const auto& row : rows) {
      if (static_cast<Index>(row.size()) != cols_)
        throw InvalidArgument("a Matrix in braces needs rows of one length");
      std::copy(row.begin(), row.end(), values_.data() + i++ * cols_);
    }
  }

  Index rows() const noexcept { return rows_; }
  Index cols() const noexcept { return cols_; }
  Index size() const noexcept { return values_.size(); }
  bool empty() const noexcept { return values_.empty(); }
  double* data() noexcept { return values_.data(); }
  const double* data() const noexcept { return values_.data(); }
  double& operator()(Index i, Index j) noexcept { return values_[i * cols_ + j]; }
  double operator()(Index i, Index j) const noexcept { return values_[i * cols_ + j]; }
  std::span<double> row(Index i) noexcept {
    return {values_.data() + i * cols_, static_cast<std::size_t>(cols_)};
  }
  std::span<const double> row(Index i) const noexcept {
    return {values_.data() + i * cols_, static_cast<std::size_t>(cols_)};
  }
  Eigen::Map<const EigenType> map() const { return {values_.data(), rows_, cols_}; }
  Eigen::Map<EigenType> map() { return {values_.data(), rows_, cols_}; }

  friend bool operator==(const Matrix& a, const Matrix& b) {
    return a.rows_ == b.rows_ && a.cols_ == b.cols_ && a.values_ == b.values_;
  }

 private:
  Vector values_;
  Index rows_ = 0;
  Index cols_ = 0;
};

}  // namespace suffice
