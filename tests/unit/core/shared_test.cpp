#include "core/shared.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <thread>
#include <vector>

#include "suffice/io/file.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::shared_test {
namespace {

constexpr int writers = 3, updates = 40, rows = 50, d = 4;

Statistics empty_statistics() { return Statistics(Schema::numbered(d)); }

/// Whole numbers; each class has the same rows in each update.
struct Table {
  Matrix x{rows, d};
  std::vector<std::string> labels;
  Table() {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < d; ++j) x(i, j) = static_cast<double>((i * (j + 3)) % 17);
      labels.push_back(i % 2 == 0 ? "no" : "yes");
    }
  }
  void add_to(Statistics& statistics) const { statistics.update({x, labels}, {}, {.threads = 1}); }
};

const Matrix& scatter_of_class(const Statistics& statistics, std::size_t c) {
  return std::get<GaussianStatistics>(statistics.blocks().front()).classes[c].complete.scatter;
}

/// That the statistics are those of `times` whole updates, up to rounding.
void expect_whole(const Statistics& statistics, const Statistics& one) {
  if (statistics.weights().empty()) return;
  const double times = statistics.weights()[0] / one.weights()[0];
  EXPECT_EQ(times, std::floor(times));
  for (std::size_t c = 0; c < 2; ++c) {
    const Matrix& found = scatter_of_class(statistics, c);
    const Matrix& expected = scatter_of_class(one, c);
    EXPECT_EQ(statistics.weights()[static_cast<Index>(c)],
              times * one.weights()[static_cast<Index>(c)]);
    for (Index k = 0; k < found.size(); ++k)
      EXPECT_NEAR(found.data()[k], times * expected.data()[k], 1e-9 * times * expected(0, 0));
  }
}

// What the Python package does with one Statistics in several threads: updates, copies, files,
// comparisons.
TEST(SharedThread, UpdatesOfManyThreadsAreSumsOfAllAndReadersSeeWholeOnes) {
  const Table table;
  Statistics one = empty_statistics();
  table.add_to(one);
  Shared<Statistics> shared(empty_statistics());
  std::atomic<int> writing = writers;
  std::vector<std::thread> threads;
  for (int t = 0; t < writers; ++t)
    threads.emplace_back([&] {
      for (int k = 0; k < updates; ++k)
        shared.change([&](Statistics& statistics) { table.add_to(statistics); });
      --writing;
    });
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      while (writing > 0) {
        const auto reading = shared.read();
        expect_whole(*reading, one);
        const Statistics copy = *reading;
        expect_whole(statistics_from_bytes(to_bytes(copy)), one);
        EXPECT_EQ(copy, *reading);
        if (const auto now = shared.try_read()) expect_whole(**now, one);
      }
    });
  for (std::thread& thread : threads) thread.join();
  const auto last = shared.read();
  EXPECT_EQ((*last).weights()[0], writers * updates * one.weights()[0]);
  expect_whole(*last, one);
}

TEST(SharedThread, ChangesAndReadingsDoNotMeet) {
  constexpr int changes = 3000;
  Shared<std::vector<double>> shared(std::vector<double>(64, 0.0));
  std::atomic<int> writing = writers;
  std::vector<std::thread> threads;
  for (int t = 0; t < writers; ++t)
    threads.emplace_back([&] {
      for (int k = 0; k < changes; ++k)
        shared.change([](std::vector<double>& value) {
          for (double& x : value) ++x;
        });
      --writing;
    });
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      while (writing > 0) {
        const auto reading = shared.read();
        Shared<std::vector<double>> copy(shared.read());
        copy.change([](std::vector<double>& value) { value[0] = -1; });
        EXPECT_EQ((*copy.read())[0], -1);
        for (const double x : *reading) EXPECT_EQ(x, (*reading)[0]);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(*shared.read(), std::vector<double>(64, writers * changes));
}

TEST(SharedThread, AReaderKeepsItsVersionAndMayReadWhileItReads) {
  Shared<int> shared(1);
  const auto outer = shared.read();
  const auto inner = shared.read();
  std::thread([&] { shared.change([](int& value) { value = 2; }); }).join();
  EXPECT_EQ(*outer, 1);
  EXPECT_EQ(*inner, 1);
  EXPECT_EQ(*shared.read(), 2);
}

TEST(SharedThread, ACopyIsChangedByItself) {
  Shared<int> shared(1), copy(shared.read());
  copy.change([](int& value) { value = 2; });
  shared.change([](int& value) { value += 10; });
  EXPECT_EQ(*shared.read(), 11);
  EXPECT_EQ(*copy.read(), 2);
}

TEST(SharedThread, AChangeThatThrowsLeavesItFree) {
  Shared<int> shared(1);
  EXPECT_THROW(shared.change([](int&) { throw 3; }), int);
  shared.change([](int& value) { ++value; });
  EXPECT_EQ(*shared.read(), 2);
}

// The child has one thread; what the others were doing is over before it begins. (The thread
// sanitizer does not follow a fork.)
TEST(SharedFork, AChildFindsItFreeAndWhole) {
  const Table table;
  Statistics one = empty_statistics();
  table.add_to(one);
  Shared<Statistics> shared(empty_statistics());
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      while (!stop) shared.change([&](Statistics& statistics) { table.add_to(statistics); });
    });
  for (int k = 0; k < 30; ++k) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // a child that waits for ever is a failure
      shared.change([&](Statistics& statistics) { table.add_to(statistics); });
      expect_whole(*shared.read(), one);
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace suffice::shared_test
