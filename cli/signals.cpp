#include "cli/signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace suffice::cli {
namespace {

// What a handler may touch: numbers that are written in one step, and write().
std::atomic<int> seen = 0;
std::atomic<int> exit_code_of_second = 1;
int pipe_ends[2] = {-1, -1};

constexpr char stop_byte = 's', end_byte = 'e';

void on_signal(int) {
  const int error = errno;
  if (seen.fetch_add(1) > 0) ::_exit(exit_code_of_second);
  [[maybe_unused]] const ssize_t written = ::write(pipe_ends[1], &stop_byte, 1);
  errno = error;
}

constexpr int handled[2] = {SIGINT, SIGTERM};
struct sigaction before[2] = {};

void install() {
  for (int i = 0; i < 2; ++i) {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(handled[i], nullptr, &before[i]);
    // Who started us in the background, or under nohup, wants them ignored.
    if (before[i].sa_handler != SIG_IGN) ::sigaction(handled[i], &action, nullptr);
  }
}

void restore() {
  for (int i = 0; i < 2; ++i) ::sigaction(handled[i], &before[i], nullptr);
}

}  // namespace

void open_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != descriptor)
      ::_exit(1);  // open gives the lowest free number; without /dev/null there is no way to go on
}

StopOnSignal::StopOnSignal(std::stop_source stop, int exit_code) {
  seen = 0;
  exit_code_of_second = exit_code;
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  const auto watch = [stop = std::move(stop)]() mutable {
    char byte = 0;
    while (true) {
      const ssize_t count = ::read(pipe_ends[0], &byte, 1);
      if (count < 0 && errno == EINTR) continue;
      if (count == 1 && byte == stop_byte) {
        stop.request_stop();
        continue;
      }
      return;
    }
  };
  try {
    thread_ = std::thread(watch);
  } catch (const std::system_error& error) {
    ::close(pipe_ends[0]);
    ::close(pipe_ends[1]);
    throw std::system_error(error.code(), "cannot start a thread");
  }
  install();
}

StopOnSignal::~StopOnSignal() {
  restore();
  while (::write(pipe_ends[1], &end_byte, 1) < 0 && errno == EINTR) {
  }
  thread_.join();
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
}

}  // namespace suffice::cli
