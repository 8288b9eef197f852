#pragma once
// One pass over labelled rows, for each kind of block. Panels and the order in which their sums are
// added depend on the rows and on the shape of the data, never on the number of threads.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "suffice/stats/statistics.hpp"

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

/// The rows of one block of an update.
struct LabelledRows {
  const Schema& schema;
  const RowBlock& rows;
  Index first_row;  ///< of the block in the update, for messages
  /// The names of the classes, for messages. Several may have the same name: those of the parts of
  /// a class.
  std::span<const std::string> labels;
  const std::int32_t* code;  ///< the class of each row; negative: weight 0, the row is absent
  const double* weight;      ///< null: all 1
  Missing missing;
  const Execution& execution;
  Workers& workers;
  UpdateMemory& memory;
  Progress& progress;  ///< in rows, once for each block

  Index size() const { return rows.rows(); }
  Index classes() const { return std::ssize(labels); }
  double weight_of(Index row) const { return weight ? weight[row] : 1.0; }
};

/// How many workers such rows could keep busy: one for small work.
Index worthwhile_workers(const Schema& schema, const std::vector<BlockStatistics>& blocks,
                         Index rows);

/// The sums of the rows, block by block; what is kept of a scatter is as in `like`. Throws
/// InvalidArgument where the scatters take more bytes than `memory_limit` (0: what is free).
std::vector<BlockStatistics> accumulate(const LabelledRows& rows,
                                        const std::vector<BlockStatistics>& like,
                                        double memory_limit);

GaussianStatistics accumulate_gaussian(const LabelledRows& rows, const Block& block, Scatter kind);
CountStatistics accumulate_counts(const LabelledRows& rows, const Block& block);
CategoricalStatistics accumulate_categorical(const LabelledRows& rows, const Block& block);

/// Sums of no rows.
CountStatistics zero_counts(const Block& block, Index classes);

/// Consecutive panels of rows that one worker adds up in order. How many lanes there are is fixed
/// by the shape: at most 16, and few enough that merging their sums costs little beside making
/// them.
struct Lanes {
  Index rows = 0, panel_rows = 0, count = 1;

  /// Both kinds of work in multiplications, roughly: that of merging a lane's sums, and that of a
  /// row.
  static Lanes of(Index rows, Index panel_rows, double merge_work, double row_work);
  /// body(first, count) for the panels of a lane; throws Cancelled between them when asked to stop.
  void for_each_panel(Index lane, const LabelledRows& rows,
                      const std::function<void(Index, Index)>& body) const;
};

/// An infinite value, or one that the family cannot have: never returns.
[[noreturn]] void throw_bad_value(const LabelledRows& rows, Index feature, Index row, double value);
/// A missing value: returns where these are allowed.
void require_present(const LabelledRows& rows, Index feature, Index row);

}  // namespace suffice
