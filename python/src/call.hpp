#pragma once
// How Python calls the engine: the interpreter's lock is released, and Ctrl-C stops long work.

#include <cxxabi.h>
#include <nanobind/nanobind.h>

#include <exception>
#include <functional>

#include "suffice/core/execution.hpp"

namespace suffice::python {

namespace nb = nanobind;

[[noreturn]] void wait_for_exit();
/// Whether the interpreter shuts down. Unlike sys.is_finalizing() it needs no lock.
bool is_finalizing();

/// Calls f, which takes the interpreter's lock or calls Python. While the interpreter shuts down it
/// ends threads that want the lock, and unwinding their stack would end the process: a daemon
/// thread then waits for the exit instead.
template <class F>
auto until_exit(const F& f) {
  try {
    return f();
  } catch (const abi::__forced_unwind&) {
    wait_for_exit();
  }
}

/// Takes the interpreter's lock, on any thread, and releases it at the end. Unlike
/// nb::gil_scoped_acquire it waits for the exit.
class WithLock {
 public:
  /// `finalizing`: what is_finalizing() was when the work began. Earlier work is that of a daemon
  /// thread, for which there may be no lock any more.
  explicit WithLock(bool finalizing)
      : state_(until_exit([&] {
          if (is_finalizing() && !finalizing) wait_for_exit();
          return PyGILState_Ensure();
        })) {}
  ~WithLock() { PyGILState_Release(state_); }
  WithLock(const WithLock&) = delete;
  WithLock& operator=(const WithLock&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Releases the interpreter's lock and takes it again at the end. Unlike nb::gil_scoped_release it
/// waits for the exit.
class WithoutLock {
 public:
  WithoutLock() : state_(PyEval_SaveThread()) {}
  ~WithoutLock() {
    until_exit([&] { PyEval_RestoreThread(state_); });
  }
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;

 private:
  PyThreadState* state_;
};

/// Runs `work` without the interpreter's lock. `size` says roughly how many numbers it looks at:
/// where that is much and the caller is Python's main thread, the only one that hears of signals,
/// the work goes to another thread and the caller waits for it and for Ctrl-C. So it does where
/// there is a `progress`, which is then called with the share that is done where that is another
/// one than before, and may also raise. Throws what `work` throws; nb::python_error where it was
/// stopped, with KeyboardInterrupt or what `progress` has raised.
void call(int threads, double size, const std::function<void(const Execution&)>& work,
          const nb::object& progress = nb::none());

}  // namespace suffice::python
