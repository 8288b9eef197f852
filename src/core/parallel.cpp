#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "hwy/cache_control.h"
#include "suffice/core/error.hpp"

namespace suffice {

#ifdef SUFFICE_THREADS
namespace {

/// Waits a moment for what usually comes soon, since to sleep and be woken takes longer than many
/// runs do.
template <class Ready>
void wait_briefly(const Ready& ready) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds moment(50);
  const Clock::time_point end = Clock::now() + moment;
  while (!ready() && Clock::now() < end) {
    for (int i = 0; i < 16 && !ready(); ++i) hwy::Pause();
  }
}

}  // namespace
#endif

/// Threads that join runs: worker 0 of a run is the thread that asks for it.
class ThreadPool {
 public:
  ThreadPool() = default;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  SpareMemory take_memory() {
    const std::lock_guard lock(memory_mutex_);
    return std::exchange(memory_, {});
  }
  void leave_memory(SpareMemory memory) {
    constexpr Index most = Index{32} << 20;  // doubles
    Index size = 0;
    for (const Vector& vector : memory.vectors) size += vector.size();
    for (const MatricesByShape* all : {&memory.matrices, &memory.zeros})
      for (const auto& [shape, matrices] : *all)
        size += shape.first * shape.second * std::ssize(matrices);
    if (size > most) return;
    const std::lock_guard lock(memory_mutex_);
    memory_ = std::move(memory);
  }

#ifdef SUFFICE_THREADS
  ~ThreadPool() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    start_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// work(worker) once for each worker in [0, size), at the same time; fewer where the process
  /// cannot have that many threads or they are at work for another run.
  void run(int size, const std::function<void(int)>& work) {
    const std::unique_lock one_run(runs_, std::try_to_lock);
    const int others = one_run && size > 1 ? start_threads(size - 1) : 0;
    if (others == 0) return work(0);
    {
      const std::lock_guard lock(mutex_);
      work_ = &work;
      busy_ = wanted_ = others;
      ++generation_;
    }
    start_.notify_all();
    work(0);
    wait_briefly([&] { return busy_ == 0; });
    std::unique_lock lock(mutex_);
    finish_.wait(lock, [&] { return busy_ == 0; });
  }

 private:
  /// Returns how many there are, at most `count`.
  int start_threads(int count) {
    while (std::ssize(threads_) < count) {
      const int worker = static_cast<int>(threads_.size()) + 1;
      try {
        threads_.emplace_back([this, worker] { serve(worker); });
      } catch (const std::exception&) {  // no more for this process: fewer do the same work
        break;
      }
    }
    return std::min(count, static_cast<int>(threads_.size()));
  }

  void serve(int worker) {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      lock.unlock();
      wait_briefly([&] { return closing_ || generation_ != seen; });
      lock.lock();
      start_.wait(lock, [&] { return closing_ || (generation_ != seen && worker <= wanted_); });
      if (closing_) return;
      seen = generation_;
      const auto& work = *work_;
      lock.unlock();
      work(worker);
      lock.lock();
      if (--busy_ == 0) finish_.notify_one();
    }
  }

  std::mutex runs_;  // held during a run
  std::mutex mutex_;
  std::condition_variable start_, finish_;
  const std::function<void(int)>* work_ = nullptr;
  std::atomic<std::uint64_t> generation_ = 0;  // of runs, so that a worker joins each run once
  std::atomic<int> busy_ = 0;
  int wanted_ = 0;
  std::atomic<bool> closing_ = false;
  std::vector<std::thread> threads_;
#else
  void run(int, const std::function<void(int)>& work) { work(0); }

 private:
#endif
  std::mutex memory_mutex_;
  SpareMemory memory_;
};

std::shared_ptr<ThreadPool> make_thread_pool() { return std::make_shared<ThreadPool>(); }

struct Workers::State {
  std::stop_token stop;
  int size = 1;
  std::shared_ptr<ThreadPool> pool;

  // One run at a time: its tasks are taken from `next` in order.
  const std::function<void(Index, int)>* task = nullptr;
  Index count = 0;
  std::atomic<Index> next{0};
  std::atomic<bool> abandoned{false};
  std::mutex mutex;
  Index failed_at = std::numeric_limits<Index>::max();
  std::exception_ptr failure;

  void work(int worker) {
    while (!abandoned.load(std::memory_order_relaxed)) {
      const Index i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= count) return;
      if (stop.stop_requested()) {
        abandoned = true;
        return;
      }
      try {
        (*task)(i, worker);
      } catch (...) {
        const std::lock_guard lock(mutex);
        abandoned = true;
        // Tasks start in order, so every task below a failed one has started and will be heard of:
        // the lowest failure is the same on any number of threads.
        if (i < failed_at) {
          failed_at = i;
          failure = std::current_exception();
        }
      }
    }
  }
};

Workers::Workers(const Execution& execution, Index most) : state_(std::make_unique<State>()) {
  if (execution.threads < 0) {
    throw InvalidArgument("threads is " + std::to_string(execution.threads),
                          "it must be 1 or more, or 0 for the CPUs that there are");
  }
  state_->stop = execution.stop;
#ifdef SUFFICE_THREADS
  const int wanted = execution.threads ? execution.threads : available_threads();
  state_->size = static_cast<int>(std::clamp<Index>(most, 1, wanted));
#else
  (void)most;
#endif
  state_->pool = execution.pool;
  if (state_->size > 1 && !state_->pool) state_->pool = make_thread_pool();
}

Workers::~Workers() = default;

int Workers::size() const noexcept { return state_->size; }

void Workers::run(Index count, const std::function<void(Index, int)>& task) {
  State& state = *state_;
  state.task = &task;
  state.count = count;
  state.next = 0;
  state.abandoned = false;
  state.failed_at = std::numeric_limits<Index>::max();
  state.failure = nullptr;
  const int size = static_cast<int>(std::min<Index>(state.size, count));
  if (size > 1)
    state.pool->run(size, [&state](int worker) { state.work(worker); });
  else
    state.work(0);
  if (state.stop.stop_requested()) throw Cancelled();
  if (state.failure) std::rethrow_exception(state.failure);
}

void Workers::run_ranges(Index count, const std::function<void(Index)>& task) {
  run(size(), [&](Index range, int) {
    const Index last = count * (range + 1) / size();
    for (Index i = count * range / size(); i < last; ++i) task(i);
  });
}

void Workers::run_to_end(Index count, const std::function<void(Index, int)>& task) {
  const struct WithoutStop {
    std::stop_token& of;
    std::stop_token stop = std::exchange(of, {});
    ~WithoutStop() { of = std::move(stop); }
  } without_stop{state_->stop};
  run(count, task);
}

SpareMemory Workers::take_memory() {
  return state_->pool ? state_->pool->take_memory() : SpareMemory();
}

void Workers::leave_memory(SpareMemory memory) {
  if (state_->pool) state_->pool->leave_memory(std::move(memory));
}

struct Progress::State {
  const std::function<void(double)>* callback;
  double total;
  std::mutex mutex;
  double done = 0, told = 0;
};

Progress::Progress(const Execution& execution, double total) {
  if (execution.progress) {
    state_ = std::make_unique<State>();
    state_->callback = &execution.progress;
    state_->total = std::max(total, 1.0);
  }
}

Progress::~Progress() = default;

void Progress::advance(double units) {
  if (!state_) return;
  const std::lock_guard lock(state_->mutex);
  state_->done += units;
  const double share = std::min(1.0, state_->done / state_->total);
  // A hundred calls are enough for any bar.
  if (share >= state_->told + 0.01 || (share == 1.0 && state_->told < 1.0)) {
    state_->told = share;
    (*state_->callback)(share);
  }
}

void Progress::finish() {
  if (state_) advance(state_->total);
}

}  // namespace suffice
