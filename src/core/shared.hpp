#pragma once
// A value that several threads read and change, for languages whose objects threads share.

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace suffice {

/// Held by one thread at a time, and by none while the process forks: fork waits until all are
/// free, so that the child finds them free and their values whole. Who holds one must not fork, nor
/// wait for a thread that might.
class ForkSafeLock {
 public:
  void lock();
  bool try_lock();
  void unlock();

 private:
  std::atomic<bool> held_ = false;
};

/// Readers get a version that stays as it is, however long they keep it, and never wait for each
/// other. A change waits for other changes only: it is made in place where nobody else has the
/// version, and on a copy otherwise. Reading waits while a change is made in place.
template <class T>
class Shared {
  struct Version {
    T value;
    std::atomic<int> users = 0;
  };

 public:
  class Reading {
   public:
    Reading(Reading&&) noexcept = default;
    Reading& operator=(Reading&& other) noexcept {
      std::swap(version_, other.version_);
      return *this;
    }
    ~Reading() {
      if (version_) version_->users.fetch_sub(1, std::memory_order_release);
    }
    const T& operator*() const noexcept { return version_->value; }

   private:
    friend Shared;
    explicit Reading(std::shared_ptr<Version> version) : version_(std::move(version)) {
      version_->users.fetch_add(1, std::memory_order_relaxed);
    }
    std::shared_ptr<Version> version_;
  };

  explicit Shared(T value) : version_(std::make_shared<Version>(std::move(value))) {}
  /// What was read; it is copied when one of the two is changed.
  explicit Shared(Reading version) : version_(std::move(version)) {}
  /// Of an object that no other thread knows yet.
  Shared(Shared&& other) noexcept : version_(std::move(other.version_)) {}
  Shared& operator=(Shared&&) = delete;

  Reading read() const {
    const std::lock_guard hold(lock_);
    return Reading(version_.version_);
  }
  /// Nothing where it would have to wait.
  std::optional<Reading> try_read() const {
    const std::unique_lock hold(lock_, std::try_to_lock);
    return hold ? std::optional(Reading(version_.version_)) : std::nullopt;
  }
  /// Calls change(T&). What it throws is thrown here, and what it has changed by then stays.
  template <class Change>
  void change(const Change& change) {
    const std::lock_guard hold(lock_);
    if (version_.version_->users.load(std::memory_order_acquire) > 1)
      version_ = Reading(std::make_shared<Version>(*version_));
    change(version_.version_->value);
  }

 private:
  mutable ForkSafeLock lock_;
  Reading version_;
};

}  // namespace suffice
