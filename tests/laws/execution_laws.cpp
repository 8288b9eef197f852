// How a call runs does not change what it returns: the same bits for any number of threads; stopped
// work leaves no trace; progress never falls and ends at 1.

#include <mutex>

#include "compare.hpp"
#include "generate.hpp"
#include "support/sanitized.hpp"

namespace suffice::testing {
namespace {

// Each takes long under a sanitizer. Races do not count threads, and the tables still have several
// panels and lanes.
const std::vector<int> thread_counts =
    is_sanitized() ? std::vector{2, 7} : std::vector{2, 3, 7, 16};
const Index many_rows = is_sanitized() ? 6000 : 20000, wide_rows = is_sanitized() ? 1200 : 3000;
/// With gaps each row has a pattern of its own, and a factor for it.
const Index many_rows_with_gaps = is_sanitized() ? 2100 : many_rows,
            rows_with_gaps = is_sanitized() ? 3000 : 4000;

/// Large enough that each has several panels and lanes; with 200 Gaussian features, workers own
/// tiles of the scatter.
struct Large {
  FamilyCase family;
  Size size;
};
std::vector<Large> large_tables(const FamilyCase& family) {
  FamilyCase few_missing = family;  // so that most rows of 200 cells are complete
  few_missing.missing_share /= 100;
  const bool gaps = family.missing_share > 0;
  if (family.has(Family::text))  // each column has documents
    return {{family, {.rows = many_rows_with_gaps, .features = 2, .classes = 5}},
            {family, {.rows = rows_with_gaps, .features = 3, .classes = 60}}};
  return {{family, {.rows = gaps ? many_rows_with_gaps : many_rows, .features = 20, .classes = 5}},
          {family, {.rows = gaps ? rows_with_gaps : 5000, .features = 40, .classes = 60}},
          {few_missing, {.rows = wide_rows, .features = 200, .classes = 3}}};
}

/// A structure whose estimate exists for the large tables, and one that is linear.
std::vector<Covariance> large_structures(const FamilyCase& family, Size size) {
  if (family.scatter == Scatter::diagonal) return {Covariance::diag, Covariance::tied_diag};
  if (family.scatter == Scatter::pooled) return {Covariance::diag, Covariance::tied};
  // 60 classes of 80 rows have too few complete rows for a covariance each.
  if (family.has(Family::gaussian) && family.missing_share > 0 && size.classes == 60)
    return {Covariance::tied, Covariance::diag};
  return {Covariance::full, Covariance::tied};
}

TEST_P(Laws, ThreadsChangeNoBit) {
  for (const auto& [family, size] : large_tables(GetParam())) {
    const std::uint64_t seed = 7;
    SCOPED_TRACE(std::to_string(size.rows) + " × " + std::to_string(size.features) + ", " +
                 std::to_string(size.classes) + " classes, seed " + std::to_string(seed));
    const Table t = generate(family, size, seed, Weighting::real);
    const RowBlock rows = t.block();
    const Statistics one = statistics_of(t, family.options(), {.threads = 1});
    // A second update, onto what is there already.
    Statistics twice = one;
    twice.update(rows, {.threads = 1});
    for (const int threads : thread_counts) {
      EXPECT_TRUE(statistics_of(t, family.options(), {.threads = threads}) == one)
          << "update, threads " << threads;
      Statistics again = one;
      again.update(rows, {.threads = threads});
      EXPECT_TRUE(again == twice) << "second update, threads " << threads;
    }
    for (const Covariance structure : large_structures(family, size)) {
      SCOPED_TRACE(to_string(structure));
      const Model model = estimate(one, {.covariance = structure});
      const LogLikelihoods full = log_likelihood(model, rows, {}, {.threads = 1});
      const LogLikelihoods relative =
          log_likelihood(model, rows, {.relative = true}, {.threads = 1});
      const std::vector<double> offset(static_cast<std::size_t>(model.labels().size()), 0.5);
      const auto best = best_class(model, rows, offset, {.threads = 1});
      const Priors priors = Priors::from_counts(model);
      const Sample drawn = sample(model, 1500, priors.probabilities(), {.seed = 3}, {.threads = 1});
      for (const int threads : thread_counts) {
        SCOPED_TRACE("threads " + std::to_string(threads));
        const Execution execution{.threads = threads};
        EXPECT_TRUE(same_bits(log_likelihood(model, rows, {}, execution).values, full.values));
        EXPECT_TRUE(same_bits(log_likelihood(model, rows, {.relative = true}, execution).values,
                              relative.values));
        EXPECT_EQ(best_class(model, rows, offset, execution), best);
        const Sample s = sample(model, 1500, priors.probabilities(), {.seed = 3}, execution);
        EXPECT_TRUE(same_bits(s.values, drawn.values));
        EXPECT_EQ(s.classes, drawn.classes);
      }
    }
  }
}

TEST_P(Laws, LargeTablesMergeAsIfInOne) {
  for (const auto& [family, size] : large_tables(GetParam())) {
    SCOPED_TRACE(std::to_string(size.rows) + " × " + std::to_string(size.features) + ", seed 8");
    const Table t = generate(family, size, 8, Weighting::real);
    const Statistics whole = statistics_of(t, family.options());
    Statistics parts(t.schema(), family.options());
    const Index n = t.rows(), cut[] = {0, n / 7, n / 2, n};
    for (int k = 0; k < 3; ++k)
      parts = merge(std::move(parts), statistics_of(t.range(cut[k], cut[k + 1]), family.options()));
    EXPECT_TRUE(close(parts, whole));
  }
}

// Alone or among others, row i is scored the same.
TEST_P(Laws, ARowsScoreDoesNotDependOnItsCompany) {
  const FamilyCase& family = GetParam();
  const Table t = generate(family, {.rows = 2000, .features = 12, .classes = 4}, 21);
  const Model model =
      estimate(statistics_of(t, family.options()), {.covariance = family.structures().front()});
  const LogLikelihoods all = log_likelihood(model, t.block());
  for (const Index i : {0, 1, 63, 64, 65, 777, 1999}) {
    const Table row = t.take({i});
    const LogLikelihoods alone = log_likelihood(model, row.block());
    for (Index c = 0; c < model.labels().size(); ++c)
      EXPECT_NEAR(alone.values(0, c), all.values(i, c), 1e-11 * (1 + std::abs(all.values(i, c))))
          << "seed 21, row " << i << ", class " << c;
  }
}

TEST_P(Laws, SampledRowsDoNotDependOnTheirCompany) {
  const FamilyCase& family = GetParam();
  const Table t = generate(family, {.rows = 600, .features = 6, .classes = 3}, 22);
  const Model model =
      estimate(statistics_of(t, family.options()), {.covariance = family.structures().front()});
  const Priors mixture = Priors::uniform(model);
  const Sample all = sample(model, 100, mixture.probabilities(), {.seed = 9});
  const Sample tail = sample(model, 50, mixture.probabilities(), {.seed = 9, .first_row = 50});
  for (Index i = 0; i < 50; ++i) {
    EXPECT_TRUE(same_bits(all.values.row(50 + i), tail.values.row(i))) << "row " << 50 + i;
    EXPECT_EQ(all.classes[static_cast<std::size_t>(50 + i)],
              tail.classes[static_cast<std::size_t>(i)]);
    for (std::size_t j = 0; j < all.texts.size(); ++j)
      EXPECT_TRUE(all.texts[j].empty() || all.texts[j][50 + i] == tail.texts[j][i]);
  }
  const Sample other = sample(model, 100, mixture.probabilities(), {.seed = 10});
  EXPECT_FALSE(same_bits(all.values, other.values) && all.texts == other.texts)
      << "another seed gives the same rows";
}

TEST_P(Laws, AStopRequestedBeforeLeavesEverythingAsItWas) {
  const FamilyCase& family = GetParam();
  const Table t = generate(family, {.rows = 500, .features = 6, .classes = 3}, 23);
  Statistics stats = statistics_of(t, family.options());
  const Statistics before = stats;
  const Model model = estimate(stats, {.covariance = family.structures().front()});
  std::stop_source source;
  source.request_stop();
  const Execution stopped{.stop = source.get_token()};
  EXPECT_THROW(stats.update(t.block(), stopped), Cancelled);
  EXPECT_TRUE(stats == before);
  EXPECT_THROW(log_likelihood(model, t.block(), {}, stopped), Cancelled);
  EXPECT_THROW(best_class(model, t.block(), {}, stopped), Cancelled);
}

void expect_no_trace_of_a_stop(const FamilyCase& family, Size size) {
  // New classes and levels on the way: they must not stay either.
  const Table t = generate(family, size, 24);
  for (const int threads : {1, 4}) {
    SCOPED_TRACE("seed 24, threads " + std::to_string(threads));
    Statistics stats = statistics_of(t.range(0, 200), family.options());
    const Statistics before = stats;
    std::stop_source source;
    const Execution execution{
        .threads = threads, .stop = source.get_token(), .progress = [&](double share) {
          if (share < 1) source.request_stop();
        }};
    EXPECT_THROW(stats.update(t.block(), execution), Cancelled);
    EXPECT_TRUE(source.stop_requested()) << "no progress was told before the end";
    EXPECT_TRUE(stats == before);
  }
}

TEST_P(Laws, AStopOnTheWayLeavesEverythingAsItWas) {
  expect_no_trace_of_a_stop(GetParam(), {.rows = 40000, .features = 10, .classes = 3});
}

TEST(StopLaw, AStopAmongTilesLeavesEverythingAsItWas) {
  expect_no_trace_of_a_stop({.name = "", .families = {Family::gaussian}},
                            {.rows = 20000, .features = 200, .classes = 3});
}

TEST_P(Laws, ProgressNeverFallsAndEndsAtOne) {
  const FamilyCase& family = GetParam();
  const Table t = generate(family, {.rows = 40000, .features = 10, .classes = 3}, 25);
  for (const int threads : {1, 4}) {
    SCOPED_TRACE("seed 25, threads " + std::to_string(threads));
    std::vector<double> told;
    std::mutex one_at_a_time;
    const auto observe = [&](double share) {
      // From one thread at a time: the lock is never held by another.
      const std::unique_lock lock(one_at_a_time, std::try_to_lock);
      EXPECT_TRUE(lock.owns_lock());
      told.push_back(share);
    };
    const auto expect_rising = [&](const char* what) {
      SCOPED_TRACE(what);
      ASSERT_FALSE(told.empty());
      EXPECT_GE(told.front(), 0);
      EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
      EXPECT_EQ(told.back(), 1);
      told.clear();
    };
    const Execution execution{.threads = threads, .progress = observe};
    const Statistics stats = statistics_of(t, family.options(), execution);
    expect_rising("update");
    const Model model = estimate(stats, {.covariance = family.structures().front()});
    log_likelihood(model, t.block(), {}, execution);
    expect_rising("log_likelihood");
    best_class(model, t.block(), {}, execution);
    expect_rising("best_class");
    sample(model, 20000, model.labels()[0], {}, execution);
    expect_rising("sample");
  }
}

}  // namespace
}  // namespace suffice::testing
