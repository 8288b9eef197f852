// Memory that runs out at any moment: the n-th allocation fails, for every n up to a thousand and
// some beyond. A call gives the right answer or throws std::bad_alloc. Under the address sanitizer
// this also shows that nothing leaks.

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>

#include "laws/generate.hpp"
#include "suffice/suffice.hpp"

namespace {

std::atomic<long> allocations_left = 0;  // the one that makes it 0 fails; below: none does

void* allocated(std::size_t size, std::size_t alignment) {
  if (allocations_left.load(std::memory_order_relaxed) > 0 && --allocations_left == 0)
    throw std::bad_alloc();
  const std::size_t rounded = (size + alignment) / alignment * alignment;
  void* memory = alignment <= alignof(std::max_align_t) ? std::malloc(rounded)
                                                        : std::aligned_alloc(alignment, rounded);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  return allocated(size, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocated(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return allocated(size, alignof(std::max_align_t));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace suffice::allocation_test {
namespace {

using testing::Table;

/// Calls `work` with failing allocations. It returns whether its answer is right.
void expect_right_or_out_of_memory(const std::function<bool()>& work) {
  ASSERT_TRUE(work());
  long failures = 0;
  for (long n = 1;; n += n < 1000 ? 1 : 211) {
    bool right = false, out_of_memory = false;
    allocations_left = n;
    try {
      right = work();
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
    }
    const bool reached = allocations_left.exchange(0) <= 0;
    ASSERT_TRUE(right || out_of_memory) << "allocation " << n;
    if (!reached) break;  // there are fewer than n
    failures += out_of_memory;
  }
  EXPECT_GT(failures, 0);
  ASSERT_TRUE(work()) << "afterwards";
}

class FailingAllocations : public ::testing::TestWithParam<testing::FamilyCase> {
 protected:
  const Table table_ = generate(GetParam(), {.rows = 60, .features = 5, .classes = 3}, 7);
  const Table more_ = generate(GetParam(), {.rows = 60, .features = 5, .classes = 3}, 7);
  const EstimateOptions options_ = {.covariance = GetParam().structures().front()};

  Statistics sums(const Table& table, int threads = 1) const {
    Statistics statistics(table.schema(), GetParam().options());
    statistics.update(table.block(), {.threads = threads});
    return statistics;
  }
};

TEST_P(FailingAllocations, Update) {
  const Statistics before = sums(table_);
  Statistics expected = before;
  expected.update(more_.block());
  for (const int threads : {1, 3})
    expect_right_or_out_of_memory([&] {
      Statistics at_work = before;
      at_work.update(more_.block(), {.threads = threads});
      return at_work == expected;
    });
}

TEST_P(FailingAllocations, MergeSubtractAndFiles) {
  const Statistics a = sums(table_), b = sums(more_), both = merge(a, b);
  const Statistics rest = subtract(both, b).rest;
  const std::string bytes = to_bytes(both);
  expect_right_or_out_of_memory([&] { return merge(a, b) == both; });
  expect_right_or_out_of_memory([&] { return subtract(both, b).rest == rest; });
  expect_right_or_out_of_memory([&] { return to_bytes(both) == bytes; });
  expect_right_or_out_of_memory([&] { return statistics_from_bytes(bytes) == both; });
}

TEST_P(FailingAllocations, EstimateScoreAndDecide) {
  const Statistics statistics = sums(table_);
  const Model model = estimate(statistics, options_);
  const std::string bytes = to_bytes(model);
  const LogLikelihoods scores = log_likelihood(model, table_.block());
  const Priors priors = Priors::from_counts(model);
  const Decisions decisions = decide(scores, priors);
  expect_right_or_out_of_memory([&] { return model_from_bytes(bytes) == model; });
  for (const int threads : {1, 3}) {
    const Execution execution{.threads = threads};
    expect_right_or_out_of_memory(
        [&] { return to_bytes(estimate(statistics, options_, execution)) == bytes; });
    expect_right_or_out_of_memory([&] {
      return log_likelihood(model, table_.block(), {}, execution).values == scores.values;
    });
    expect_right_or_out_of_memory(
        [&] { return decide(scores, priors, {}, execution).classes == decisions.classes; });
  }
}

INSTANTIATE_TEST_SUITE_P(Families, FailingAllocations,
                         ::testing::Values(testing::all_families().front(),
                                           testing::all_families()[3], testing::all_families()[8],
                                           testing::all_families().back()),
                         [](const auto& family) { return family.param.name; });

}  // namespace
}  // namespace suffice::allocation_test
