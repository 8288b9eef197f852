#include "call.hpp"

#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "suffice/core/error.hpp"

namespace suffice::python {
namespace {

/// Some milliseconds of work: less is over before anybody can press a key.
constexpr double long_work = 1e6;
constexpr std::chrono::milliseconds between_looks{20};

bool is_main_thread() {
  return until_exit([] {
    const nb::object threading = nb::module_::import_("threading");
    const nb::object main = threading.attr("main_thread")();
    return nb::cast<unsigned long>(main.attr("ident")) == PyThread_get_thread_ident();
  });
}

void check_threads(int threads) {
  if (threads < 0)
    throw InvalidArgument("the number of threads is " + std::to_string(threads),
                          "it must be at least 1, or 0 for all CPUs");
}

/// Tells Python how far the work is; false where it raises an exception.
class Progress {
 public:
  Progress(Execution& execution, const nb::object& told) : told_(told) {
    if (!told.is_none())
      execution.progress = [this](double share) { share_.store(share, std::memory_order_relaxed); };
  }
  bool tell() {
    const double share = share_.load(std::memory_order_relaxed);
    if (share == last_) return true;
    last_ = share;
    return until_exit(
        [&] { return nb::steal(PyObject_CallFunction(told_.ptr(), "d", share)).is_valid(); });
  }

 private:
  const nb::object& told_;
  std::atomic<double> share_ = 0;
  double last_ = 0;
};

/// Waits for `work` on another thread; asks it to stop when a signal's handler, or `progress`,
/// raises an exception.
void call_and_look(Execution execution, const std::function<void(const Execution&)>& work,
                   const nb::object& progress) {
  std::stop_source source;
  execution.stop = source.get_token();
  Progress told(execution, progress);
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr failure;
  std::thread thread([&] {
    try {
      work(execution);
    } catch (...) {
      failure = std::current_exception();
    }
    // Told under the lock: the caller destroys `changed` as soon as it has seen `done`.
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_one();
  });
  bool interrupted = false;
  for (bool waiting = true; waiting;) {
    {
      const WithoutLock without_lock;
      std::unique_lock lock(mutex);
      waiting = !changed.wait_for(lock, between_looks, [&] { return done; });
    }
    if (waiting && !interrupted && (PyErr_CheckSignals() != 0 || !told.tell())) {
      interrupted = true;
      source.request_stop();
    }
  }
  thread.join();
  if (interrupted) throw nb::python_error();  // the exception that was raised here
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

bool is_finalizing() {
  // Not in the stable interface; Python 3.13 has dropped the underscore.
  static const auto function = [] {
    void* found = dlsym(RTLD_DEFAULT, "Py_IsFinalizing");
    if (!found) found = dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");
    return reinterpret_cast<int (*)()>(found);
  }();
  return function && function() != 0;
}

void wait_for_exit() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

void call(int threads, double size, const std::function<void(const Execution&)>& work,
          const nb::object& progress) {
  check_threads(threads);
  Execution execution{.threads = threads};
  if (size >= long_work && (!progress.is_none() || is_main_thread())) {
    call_and_look(execution, work, progress);
  } else {
    const WithoutLock without_lock;
    work(execution);
  }
}

}  // namespace suffice::python
