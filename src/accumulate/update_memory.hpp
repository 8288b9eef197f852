#pragma once
// Memory that the workers of an update keep over lanes and blocks, and over updates with the same
// pool of threads.

#include <mutex>
#include <new>
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

/// Matrices that are no longer needed, for the next ones of the same shape.
class SpareMatrices {
 public:
  explicit SpareMatrices(MatricesByShape matrices) : spare_(std::move(matrices)) {}

  /// One that was given, as it is, or a new one.
  Matrix take(Index rows, Index cols) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = spare_.find({rows, cols});
          found != spare_.end() && !found->second.empty()) {
        Matrix result = std::move(found->second.back());
        found->second.pop_back();
        return result;
      }
    }
    return Matrix(rows, cols);
  }
  void give(Matrix matrix) noexcept {
    if (matrix.empty()) return;
    try {
      const std::lock_guard lock(mutex_);
      std::vector<Matrix>& same = spare_[{matrix.rows(), matrix.cols()}];
      same.push_back(std::move(matrix));
    } catch (const std::bad_alloc&) {  // then it is freed
    }
  }
  MatricesByShape take_all() noexcept { return std::move(spare_); }

 private:
  std::mutex mutex_;
  MatricesByShape spare_;
};

/// The memory of an update.
class UpdateMemory {
 public:
  explicit UpdateMemory(Workers& of) : UpdateMemory(of, of.take_memory()) {}
  ~UpdateMemory() {  // allocates nothing: memory may be what is short
    for (std::size_t k = 0; k < workers.size(); ++k) {
      vectors_[2 * k] = std::move(workers[k].values);
      vectors_[2 * k + 1] = std::move(workers[k].packed);
    }
    of_.leave_memory(
        {.vectors = std::move(vectors_), .matrices = spare.take_all(), .zeros = zeros.take_all()});
  }
  UpdateMemory(const UpdateMemory&) = delete;
  UpdateMemory& operator=(const UpdateMemory&) = delete;

  std::vector<WorkerMemory> workers;
  SpareMatrices spare;
  SpareMatrices zeros;  ///< all-zero matrices, for reuse

 private:
  UpdateMemory(Workers& of, SpareMemory left)
      : workers(static_cast<std::size_t>(of.size())),
        spare(std::move(left.matrices)),
        zeros(std::move(left.zeros)),
        vectors_(std::move(left.vectors)),
        of_(of) {
    vectors_.resize(2 * workers.size());
    for (std::size_t k = 0; k < workers.size(); ++k) {
      workers[k].values = std::move(vectors_[2 * k]);
      workers[k].packed = std::move(vectors_[2 * k + 1]);
    }
  }

  std::vector<Vector> vectors_;  // those of the workers, before and after
  Workers& of_;
};

}  // namespace suffice
