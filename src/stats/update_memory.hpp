#pragma once
// Memory that the workers of an update keep over lanes and blocks.

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {

/// What a worker writes its panels to. It is kept over the lanes and blocks of an update: memory
/// that is new must be provided by the system first.
struct WorkerMemory {
  Vector values, packed;

  /// Room for `size` doubles, whatever they hold.
  static double* room(Vector& memory, Index size) {
    if (memory.size() < size) memory = Vector(size);
    return memory.data();
  }
};

/// Matrices that lanes are done with, for the lanes of the next block.
class SpareMatrices {
 public:
  /// Zeroed.
  Matrix take(Index rows, Index cols) {
    Matrix result = found(rows, cols);
    if (result.empty()) return Matrix(rows, cols);
    std::fill_n(result.data(), result.size(), 0.0);
    return result;
  }
  void give(Matrix&& matrix) {
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(matrix));
  }

 private:
  Matrix found(Index rows, Index cols) {
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(spare_.rbegin(), spare_.rend(), [&](const Matrix& matrix) {
      return matrix.rows() == rows && matrix.cols() == cols;
    });
    if (at == spare_.rend()) return {};
    std::swap(*at, spare_.back());
    Matrix result = std::move(spare_.back());
    spare_.pop_back();
    return result;
  }

  std::mutex mutex_;
  std::vector<Matrix> spare_;
};

/// The memory of an update.
struct UpdateMemory {
  explicit UpdateMemory(const Workers& of) : workers(static_cast<std::size_t>(of.size())) {}

  std::vector<WorkerMemory> workers;
  SpareMatrices spare;
};

}  // namespace suffice
