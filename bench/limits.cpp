#include "limits.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "algebra/blas.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice::bench {
namespace {

/// Seconds until `work(thread)` has ended in all threads; the best of `repeats`.
double best_seconds(int threads, int repeats, const std::function<void(int)>& work) {
  double best = 1e300;
  for (int r = 0; r < repeats; ++r) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::jthread> pool;
    for (int t = 1; t < threads; ++t) pool.emplace_back(work, t);
    work(0);
    pool.clear();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    best = std::min(best, taken.count());
  }
  return best;
}

/// Integers, because a compiler may reorder their sum and so use the widest loads that it has.
std::uint64_t sum(const std::uint64_t* values, Index count) {
  std::array<std::uint64_t, 32> lanes{};
  for (Index i = 0; i + 32 <= count; i += 32)
    for (Index j = 0; j < 32; ++j) lanes[static_cast<std::size_t>(j)] += values[i + j];
  std::uint64_t total = 0;
  for (const std::uint64_t lane : lanes) total += lane;
  return total;
}

}  // namespace

double read_bandwidth(int threads) {
  const Index each = (Index{512} << 20) / 8 / threads;
  Vector memory(each * threads);
  std::fill(memory.begin(), memory.end(), 1.0);
  const auto* words = reinterpret_cast<const std::uint64_t*>(memory.data());
  std::vector<std::uint64_t> totals(static_cast<std::size_t>(threads));
  const double seconds = best_seconds(threads, 7, [&](int t) {
    volatile std::uint64_t total = sum(words + t * each, each);
    totals[static_cast<std::size_t>(t)] = total;
  });
  return static_cast<double>(each * threads) * 8 / seconds;
}

double gemm_rate(int threads) {
  constexpr Index n = 768;
  constexpr int products = 4;
  std::vector<Matrix> a, b, c;
  for (int t = 0; t < threads; ++t) {
    a.emplace_back(n, n);
    b.emplace_back(n, n);
    c.emplace_back(n, n);
    for (Index i = 0; i < n * n; ++i) a.back().data()[i] = b.back().data()[i] = 1.0 / n;
  }
  const double seconds = best_seconds(threads, 7, [&](int t) {
    const auto at = static_cast<std::size_t>(t);
    for (int p = 0; p < products; ++p)
      blas::gemm(n, n, n, 1, a[at].data(), n, b[at].data(), n, 0, c[at].data(), n);
  });
  return 2.0 * n * n * n * products * threads / seconds;
}

}  // namespace suffice::bench
