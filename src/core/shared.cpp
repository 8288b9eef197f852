#include "core/shared.hpp"

#include <pthread.h>

namespace suffice {
namespace {

std::atomic<int> holders = 0, forks = 0;

void leave() {
  if (holders.fetch_sub(1) == 1 && forks > 0) holders.notify_all();
}

void enter() {
  for (;;) {
    for (int forking = forks; forking > 0; forking = forks) forks.wait(forking);
    ++holders;
    if (forks == 0) return;
    leave();  // a fork began meanwhile
  }
}

void before_fork() {
  ++forks;
  for (int holding = holders; holding > 0; holding = holders) holders.wait(holding);
}
void in_parent() {
  --forks;
  forks.notify_all();
}
void in_child() {
  // Of other threads that were about to enter, or to fork, none is here.
  holders = 0;
  forks = 0;
}

[[maybe_unused]] const int registered = pthread_atfork(before_fork, in_parent, in_child);

}  // namespace

bool ForkSafeLock::try_lock() {
  enter();
  if (!held_.exchange(true, std::memory_order_acquire)) return true;
  leave();
  return false;
}

void ForkSafeLock::lock() {
  while (!try_lock()) held_.wait(true);
}

void ForkSafeLock::unlock() {
  held_.store(false, std::memory_order_release);
  held_.notify_one();
  leave();
}

}  // namespace suffice
