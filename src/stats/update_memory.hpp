#pragma once
// Memory that the workers of an update keep over lanes and blocks, and over updates with the same
// pool of threads.

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {

/// What a worker writes its panels to.
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
  explicit SpareMatrices(std::vector<Matrix> matrices) : spare_(std::move(matrices)) {}

  /// One that was given, as it is, or a new one.
  Matrix take(Index rows, Index cols) {
    {
      const std::lock_guard lock(mutex_);
      const auto at = std::find_if(spare_.rbegin(), spare_.rend(), [&](const Matrix& matrix) {
        return matrix.rows() == rows && matrix.cols() == cols;
      });
      if (at != spare_.rend()) {
        std::swap(*at, spare_.back());
        Matrix result = std::move(spare_.back());
        spare_.pop_back();
        return result;
      }
    }
    return Matrix(rows, cols);
  }
  void give(Matrix&& matrix) {
    if (matrix.empty()) return;
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(matrix));
  }
  std::vector<Matrix> take_all() { return std::exchange(spare_, {}); }

 private:
  std::mutex mutex_;
  std::vector<Matrix> spare_;
};

/// The memory of an update.
class UpdateMemory {
 public:
  explicit UpdateMemory(Workers& of) : UpdateMemory(of, of.take_memory()) {}
  ~UpdateMemory() {
    SpareMemory left{.vectors = {}, .matrices = spare.take_all(), .zeros = zeros.take_all()};
    for (WorkerMemory& worker : workers) {
      left.vectors.push_back(std::move(worker.values));
      left.vectors.push_back(std::move(worker.packed));
    }
    of_.leave_memory(std::move(left));
  }
  UpdateMemory(const UpdateMemory&) = delete;
  UpdateMemory& operator=(const UpdateMemory&) = delete;

  std::vector<WorkerMemory> workers;
  SpareMatrices spare;
  SpareMatrices zeros;  ///< those that are given must be zero

 private:
  UpdateMemory(Workers& of, SpareMemory left)
      : workers(static_cast<std::size_t>(of.size())),
        spare(std::move(left.matrices)),
        zeros(std::move(left.zeros)),
        of_(of) {
    for (std::size_t k = 0; k < workers.size() && 2 * k + 1 < left.vectors.size(); ++k) {
      workers[k].values = std::move(left.vectors[2 * k]);
      workers[k].packed = std::move(left.vectors[2 * k + 1]);
    }
  }

  Workers& of_;
};

}  // namespace suffice
