#pragma once
// Our own workers. What is computed never depends on their number: tasks are fixed by the data's
// shape and only their assignment to threads varies.

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {

/// By rows and columns.
using MatricesByShape = std::map<std::pair<Index, Index>, std::vector<Matrix>>;

/// Memory that is kept for the next call: to have the system provide new pages takes longer than to
/// write them.
struct SpareMemory {
  std::vector<Vector> vectors;
  MatricesByShape matrices;
  MatricesByShape zeros;  ///< all of whose entries are 0
};

/// The threads of one call of the library: those of the Execution's pool, or some that live as long
/// as the call.
class Workers {
 public:
  /// At most `most` threads, the caller among them; `most` is the number of tasks that can run at a
  /// time. One thread starts no other.
  Workers(const Execution& execution, Index most);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int size() const noexcept;
  /// task(i, worker) for each i in [0, count), worker in [0, size()). Afterwards throws Cancelled
  /// if a stop was requested, or the exception of the lowest i that failed.
  void run(Index count, const std::function<void(Index, int)>& task);
  /// The same with one range of neighbours for each worker: for even work that writes side by side
  /// into memory that is new. Two workers in one huge page would have the system provide it twice.
  void run_ranges(Index count, const std::function<void(Index)>& task);
  /// The same as run for what must not be left half done: a stop does not end it.
  void run_to_end(Index count, const std::function<void(Index, int)>& task);

  /// What an earlier call with the same pool has left; empty: nothing.
  SpareMemory take_memory();
  /// For later calls with the same pool; more than 256 MB is freed instead.
  void leave_memory(SpareMemory memory);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Tells an Execution's callback how many of `total` units are done; from any thread.
class Progress {
 public:
  Progress(const Execution& execution, double total);
  ~Progress();
  void advance(double units);
  /// All is done.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace suffice
