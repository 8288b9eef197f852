// What every family's statistics obey: merging is as if the rows had been in one table.

#include <algorithm>
#include <random>

#include "compare.hpp"
#include "generate.hpp"

namespace suffice::testing {
namespace {

Statistics part(const FamilyCase& family, const Table& table, Index first, Index last) {
  return statistics_of(table.range(first, last), family.options());
}

TEST_P(Laws, MergeIsAssociativeAndAsIfInOneTable) {
  const FamilyCase& family = GetParam();
  check_law(family, [&](const Table& t) {
    const Index n = t.rows();
    const Statistics a = part(family, t, 0, n / 5), b = part(family, t, n / 5, n / 2),
                     c = part(family, t, n / 2, n);
    const Statistics left = merge(merge(a, b), c), right = merge(a, merge(b, c));
    if (auto r = close(left, right); !r) return r;
    return close(left, statistics_of(t, family.options()));
  });
}

TEST_P(Laws, MergeIsCommutative) {
  const FamilyCase& family = GetParam();
  check_law(family, [&](const Table& t) {
    const Index n = t.rows();
    const Statistics a = part(family, t, 0, n / 3), b = part(family, t, n / 3, n);
    return close(merge(a, b), merge(b, a));
  });
}

TEST_P(Laws, MergeHasAnIdentity) {
  const FamilyCase& family = GetParam();
  check_law(family, [&](const Table& t) {
    const Statistics all = statistics_of(t, family.options());
    const Statistics empty(t.schema(), family.options());
    if (!(merge(all, empty) == all)) return AssertionFailure() << "all + nothing is not all";
    return close(merge(empty, all), all);
  });
}

TEST_P(Laws, ChunksAndOrderChangeRoundingOnly) {
  const FamilyCase& family = GetParam();
  check_law(family, [&](const Table& t) {
    const Statistics all = statistics_of(t, family.options());
    for (const Index step : {1, 2, 3, 7, 64}) {
      Statistics chunked(t.schema(), family.options());
      for (Index first = 0; first < t.rows(); first += step)
        chunked.update(t.range(first, std::min(t.rows(), first + step)).block());
      if (auto r = close(chunked, all); !r)
        return AssertionFailure() << step << " rows a chunk: " << r.message();
    }
    std::vector<Index> order;
    for (Index i = 0; i < t.rows(); ++i) order.push_back(i);
    std::mt19937_64 random(11);
    std::shuffle(order.begin(), order.end(), random);
    return close(statistics_of(t.take(order), family.options()), all);
  });
}

TEST_P(Laws, AnEmptyUpdateChangesNothing) {
  const FamilyCase& family = GetParam();
  check_law(family, [&](const Table& t) {
    Statistics stats = statistics_of(t, family.options());
    const Statistics before = stats;
    stats.update(t.range(0, 0).block());
    return stats == before ? AssertionSuccess() : AssertionFailure() << "something changed";
  });
}

TEST_P(Laws, AWeightIsANumberOfCopies) {
  const FamilyCase& family = GetParam();
  const auto law = [&](const Table& t) {
    std::vector<Index> copies;
    for (Index i = 0; i < t.rows(); ++i)
      for (double left = t.weight(i); left > 0; --left) copies.push_back(i);
    const Table repeated = t.take(copies).with_weights({});
    return close(statistics_of(t, family.options()), statistics_of(repeated, family.options()),
                 {.squared_weights = false});
  };
  check_law(family, law, {}, {Weighting::whole});
}

// Rows of weight 0 are absent, whatever they contain: their class, their levels, their position.
TEST_P(Laws, WeightZeroIsAbsence) {
  const FamilyCase& family = GetParam();
  check_law(family, [&](const Table& t) {
    std::vector<double> weights;
    std::vector<Index> kept;
    const std::string gone = t.label(t.rows() - 1);  // one class altogether
    for (Index i = 0; i < t.rows(); ++i) {
      const bool absent = t.label(i) == gone || i % 3 == 1 || 10 * i >= 9 * t.rows();
      weights.push_back(absent ? 0 : t.weight(i));
      if (weights.back() > 0) kept.push_back(i);
    }
    const Statistics some = statistics_of(t.with_weights(weights), family.options());
    if (some.labels().find(gone))
      return AssertionFailure() << "a class of weight 0 has joined the labels";
    return close(some, statistics_of(t.take(kept), family.options()));
  });
}

TEST_P(Laws, SubtractInvertsMerge) {
  const FamilyCase& family = GetParam();
  check_law(family, [&](const Table& t) {
    const Index n = t.rows();
    const Statistics a = part(family, t, 0, n / 3), b = part(family, t, n / 3, n);
    const Statistics all = merge(a, b);
    for (const auto& [out, left] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      const SubtractResult result = subtract(all, *out);
      if (result.rest.labels() != all.labels())
        return AssertionFailure() << "labels must stay in the dictionary";
      if (auto r = close(result.rest, *left, {.lenient_names = true, .scale = &all}); !r) return r;
      if (auto r = close(merge(*out, result.rest), all); !r) return r;
    }
    const SubtractResult nothing = subtract(all, all);
    for (Index c = 0; c < all.labels().size(); ++c)
      if (nothing.rest.weights()[c] != 0) return AssertionFailure() << "all − all has rows";
    return AssertionSuccess();
  });
}

TEST_P(Laws, TheOrderOfNamesIsNotTheOrderOfArrival) {
  const FamilyCase& family = GetParam();
  check_law(family, [&](const Table& t) {
    const Statistics forwards = statistics_of(t, family.options());
    std::vector<Index> reversed;
    for (Index i = t.rows(); i-- > 0;) reversed.push_back(i);
    Statistics backwards(t.schema(), family.options());
    for (const Index i : reversed) backwards.update(t.take({i}).block());
    if (forwards.labels() != backwards.labels()) return AssertionFailure() << "labels differ";
    if (!std::is_sorted(forwards.labels().begin(), forwards.labels().end()))
      return AssertionFailure() << "labels are not in the order of their bytes";
    return close(forwards, backwards);  // compares the dictionaries of levels as well
  });
}

TEST_P(Laws, MissingCellsAreCounted) {
  const FamilyCase& family = GetParam();
  check_law(family, [&](const Table& t) {
    const Vector counted = statistics_of(t, family.options()).missing();
    for (Index j = 0; j < t.features(); ++j) {
      double expected = 0, all = 0;
      for (Index i = 0; i < t.rows(); ++i) {
        if (std::isnan(t(i, j))) expected += t.weight(i);
        all += t.weight(i);
      }
      if (std::abs(counted[j] - expected) > 1e-12 * all)
        return AssertionFailure() << "feature " << j << ": " << counted[j] << ", not " << expected;
    }
    return AssertionSuccess();
  });
}

}  // namespace
}  // namespace suffice::testing
