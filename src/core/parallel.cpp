#include "core/parallel.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "suffice/core/error.hpp"

namespace suffice {

struct Workers::State {
  std::stop_token stop;
  int size = 1;

  // One run at a time: its tasks are taken from `next` in order.
  const std::function<void(Index, int)>* task = nullptr;
  Index count = 0;
  std::atomic<Index> next{0};
  std::atomic<bool> abandoned{false};

  std::mutex mutex;
  std::condition_variable start, finish;
  std::uint64_t generation = 0;  // of runs, so that a worker joins each run once
  int busy = 0;
  bool closing = false;
  Index failed_at = std::numeric_limits<Index>::max();
  std::exception_ptr failure;

#ifdef SUFFICE_THREADS
  std::vector<std::thread> threads;
#endif

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

#ifdef SUFFICE_THREADS
  void serve(int worker) {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      start.wait(lock, [&] { return closing || generation != seen; });
      if (closing) return;
      seen = generation;
      lock.unlock();
      work(worker);
      lock.lock();
      if (--busy == 0) finish.notify_one();
    }
  }
#endif
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
  state_->threads.reserve(static_cast<std::size_t>(state_->size - 1));
  for (int worker = 1; worker < state_->size; ++worker) {
    try {
      state_->threads.emplace_back([state = state_.get(), worker] { state->serve(worker); });
    } catch (const std::exception&) {  // no more threads for this process: fewer do the same work
      state_->size = worker;
    }
  }
#else
  (void)most;
#endif
}

Workers::~Workers() {
#ifdef SUFFICE_THREADS
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
  }
  state_->start.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
#endif
}

int Workers::size() const noexcept { return state_->size; }

void Workers::run(Index count, const std::function<void(Index, int)>& task) {
  State& state = *state_;
  state.task = &task;
  state.count = count;
  state.next = 0;
  state.abandoned = false;
  state.failed_at = std::numeric_limits<Index>::max();
  state.failure = nullptr;
  const bool alone = state.size == 1 || count <= 1;
  if (!alone) {
    {
      const std::lock_guard lock(state.mutex);
      ++state.generation;
      state.busy = state.size - 1;
    }
    state.start.notify_all();
  }
  state.work(0);
  if (!alone) {
    std::unique_lock lock(state.mutex);
    state.finish.wait(lock, [&] { return state.busy == 0; });
  }
  if (state.stop.stop_requested()) throw Cancelled();
  if (state.failure) std::rethrow_exception(state.failure);
}

void Workers::run_ranges(Index count, const std::function<void(Index)>& task) {
  run(size(), [&](Index range, int) {
    const Index last = count * (range + 1) / size();
    for (Index i = count * range / size(); i < last; ++i) task(i);
  });
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
