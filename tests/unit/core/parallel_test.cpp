#include "core/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "suffice/core/error.hpp"

namespace suffice::parallel_test {
namespace {

TEST(WorkersThread, EachTaskRunsOnceWhateverTheNumberOfThreads) {
  for (const int threads : {0, 1, 2, 3, 7, 16}) {
    Workers workers({.threads = threads}, 100);
    for (const Index count : {0, 1, 2, 5, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
      workers.run(count, [&](Index i, int worker) {
        ASSERT_GE(worker, 0);
        ASSERT_LT(worker, workers.size());
        ++runs[i];
      });
      workers.run_ranges(count, [&](Index i) { ++runs[i]; });
      for (const auto& run : runs) EXPECT_EQ(run, 2);
    }
  }
}

TEST(WorkersThread, CallsShareThePoolAndACallWithinACallRunsAlone) {
  const Execution execution{.threads = 4, .pool = make_thread_pool()};
  for (int repeat = 0; repeat < 20; ++repeat) {
    Workers outer(execution, 8), other(execution, 2);
    std::atomic<Index> sum = 0;
    outer.run(8, [&](Index i, int) {
      Workers inner(execution, 100);
      inner.run(10, [&](Index k, int) { sum += 100 * i + k; });
    });
    EXPECT_EQ(sum, 10 * 2800 + 8 * 45);
    other.run(5, [&](Index i, int) { sum -= i; });
    EXPECT_EQ(sum, 10 * 2800 + 8 * 45 - 10);
  }
}

// Threads wait for the next run awake at first, and asleep later.
TEST(WorkersThread, RunsMayFollowAtOnceOrAfterAPause) {
  Workers workers({.threads = 4}, 100);
  Index sum = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    std::atomic<Index> of_run = 0;
    workers.run(6, [&](Index i, int) { of_run += i; });
    sum += of_run;
    if (repeat % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(sum, 300 * 15);
}

TEST(WorkersThread, SmallWorkStaysOnOneThread) {
  Workers workers({.threads = 16}, 1);
  EXPECT_EQ(workers.size(), 1);
}

TEST(WorkersThread, TheFirstFailureIsThrownAndTheWorkersGoOn) {
  Workers workers({.threads = 4}, 100);
  for (int repeat = 0; repeat < 50; ++repeat) {
    try {
      workers.run(64, [](Index i, int) {
        if (i >= 20) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "20");
    }
    std::atomic<Index> sum = 0;
    workers.run(10, [&](Index i, int) { sum += i; });
    EXPECT_EQ(sum, 45);
  }
}

TEST(WorkersThread, AStopIsHeardBetweenTasks) {
  std::stop_source source;
  Workers workers({.threads = 3, .stop = source.get_token()}, 100);
  std::atomic<Index> done = 0;
  EXPECT_THROW(workers.run(100000,
                           [&](Index, int) {
                             if (++done == 10) source.request_stop();
                           }),
               Cancelled);
  EXPECT_LT(done, 1000);
}

TEST(Workers, ANegativeNumberOfThreadsIsRefused) {
  EXPECT_THROW(Workers({.threads = -1}, 10), InvalidArgument);
}

TEST(ProgressThread, NeverFallsAndEndsAtOne) {
  std::vector<double> told;
  const Execution execution{
      .threads = 4, .stop = {}, .progress = [&](double share) { told.push_back(share); }};
  Workers workers(execution, 100);
  Progress progress(execution, 5000);
  workers.run(5000, [&](Index, int) { progress.advance(1); });
  progress.finish();
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), 1.0);
  EXPECT_LE(told.size(), 101u);
}

}  // namespace
}  // namespace suffice::parallel_test
