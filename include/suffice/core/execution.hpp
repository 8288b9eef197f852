#pragma once
// How a long call runs: on how many threads, how it is stopped, whom it tells how far it is.

#include <functional>
#include <memory>
#include <stop_token>

namespace suffice {

/// Threads that wait for work. Calls that are given the same ones need not start their own.
class ThreadPool;

struct Execution {
  /// Worker threads; 0 means the CPUs that this process may use. The result does not depend on it.
  int threads = 0;
  /// When a stop is requested the call throws Cancelled and leaves its arguments as they were.
  std::stop_token stop = {};
  /// Called with the share of the work that is done, in [0, 1] and never falling, from one thread
  /// at a time. Must not throw.
  std::function<void(double)> progress = {};
  /// For many short calls, one after the other; none: each call starts its own threads. A call that
  /// finds them at work for another runs on its own thread alone. Updates of statistics leave up to
  /// 256 MB of memory for the next one.
  std::shared_ptr<ThreadPool> pool = {};
};

/// A pool for Execution. Its threads start when they are first needed.
std::shared_ptr<ThreadPool> make_thread_pool();

/// The CPUs that this process may use: its affinity mask, at least 1.
int available_threads();

}  // namespace suffice
