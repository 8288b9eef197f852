#pragma once
// What the system hands to the program: signals, as stop requests, and the standard descriptors.

#include <stop_token>
#include <thread>

namespace suffice::cli {

/// Opens /dev/null as standard input, output or error where they are closed, as daemons do:
/// otherwise the next file, or a pipe of ours, would get their number.
void open_standard_descriptors();

/// While it lives, SIGINT and SIGTERM request a stop; the second one ends the process at once with
/// `exit_code`. One at a time.
///
/// The signals cannot be blocked in all threads, as sigwait would need: libraries that are loaded
/// may start their own. So a handler, which may run in any thread, passes them on to one of ours.
class StopOnSignal {
 public:
  StopOnSignal(std::stop_source stop, int exit_code);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  std::thread thread_;
};

}  // namespace suffice::cli
