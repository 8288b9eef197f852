// Random tables, schemas and options through update → merge → subtract → file → estimate → score,
// against the slow reference of the tests. The input is a seed and the options.
#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "laws/generate.hpp"
#include "reference/slow.hpp"
#include "suffice/suffice.hpp"

namespace suffice::fuzz {
namespace {

using testing::Table;

/// Enough rows of each class for covariances that are far from singular.
bool is_sound(const Table& table) {
  std::map<std::string, Index> rows;
  for (Index i = 0; i < table.rows(); ++i)
    if (table.weight(i) > 0 && table.complete(i)) ++rows[table.label(i)];
  for (const auto& [label, count] : rows)
    if (count < 2 * table.features() + 4) return false;
  for (Index i = 0; i < table.rows(); ++i)
    if (table.weight(i) > 0 && !rows.contains(table.label(i))) return false;
  return !rows.empty();
}

Statistics sums_of(const Table& table, Scatter scatter, int threads) {
  Statistics statistics(table.schema(), {.scatter = scatter});
  if (table.rows() > 0) statistics.update(table.block(), {.threads = threads});
  return statistics;
}

void compare(const Model& model, const Table& train, const Table& rows,
             const EstimateOptions& options, double tolerance) {
  const slow::Classifier reference(train, options);
  const LogLikelihoods got = log_likelihood(model, rows.block(), {}, {.threads = 1});
  for (Index i = 0; i < rows.rows(); i += 3)
    for (Index c = 0; c < model.labels().size(); ++c) {
      if (!reference.classes().contains(model.labels()[c])) {
        require(std::isinf(got.values(i, c)), "a class without rows is impossible");
        continue;
      }
      const auto expected =
          static_cast<double>(reference.log_likelihood(rows, i, model.labels()[c]));
      const double found = got.values(i, c);
      const bool same = std::isinf(expected)
                            ? found == expected
                            : std::abs(found - expected) <= tolerance * (1 + std::abs(expected));
      if (!same)
        std::fprintf(stderr, "row %d, class %s: %.17g instead of %.17g\n", static_cast<int>(i),
                     model.labels()[c].c_str(), found, expected);
      require(same, "scores are those of the slow reference");
    }
}

void try_one(Choices choices) {
  static const std::vector<testing::FamilyCase> families = testing::all_families();
  const testing::FamilyCase& family = families[choices.below(families.size())];
  const testing::Size extent{.rows = 20 + static_cast<Index>(choices.below(100)),
                             .features = 1 + static_cast<Index>(choices.below(6)),
                             .classes = 1 + static_cast<Index>(choices.below(4))};
  const auto weighting = static_cast<testing::Weighting>(choices.below(3));
  const std::vector<Covariance> structures = family.structures();
  EstimateOptions options;
  options.covariance = structures[choices.below(structures.size())];
  options.normalize = choices.yes() ? Normalize::unbiased : Normalize::mle;
  options.smoothing = 0.25 * static_cast<double>(choices.below(5));
  options.shrinkage = Shrinkage::none();
  const int threads = choices.below(64) == 0 ? 3 : 1;
  const Index first = static_cast<Index>(choices.byte()) * extent.rows / 512;
  const Index last = extent.rows - static_cast<Index>(choices.byte()) * extent.rows / 512;
  const Table all = generate(family, extent, choices.value<std::uint64_t>(), weighting);
  if (!is_sound(all)) return;

  // Three parts, merged in another order, are the whole.
  const Statistics a = sums_of(all.range(0, first), family.scatter, threads);
  const Statistics b = sums_of(all.range(first, last), family.scatter, threads);
  const Statistics c = sums_of(all.range(last, extent.rows), family.scatter, threads);
  const Statistics merged = merge(merge(c, a), b);
  succeeds([&] { compare(estimate(merged, options, {.threads = 1}), all, all, options, 1e-8); });
  require(statistics_from_bytes(to_bytes(merged)) == merged, "a file keeps every bit");

  // The whole without the part in the middle is what the other rows give.
  std::vector<Index> others;
  for (Index i = 0; i < extent.rows; ++i)
    if (i < first || i >= last) others.push_back(i);
  const Table rest = all.take(others);
  if (!is_sound(rest)) return;
  // Levels that only the other rows had stay known, and smoothing gives them a probability; without
  // it a row of weight 0 that has one is impossible, where the reference does not know the level.
  if (family.has(Family::categorical)) options.smoothing = 0.0;
  std::vector<Index> weighed;
  for (Index i = 0; i < rest.rows(); ++i)
    if (rest.weight(i) > 0) weighed.push_back(i);
  succeeds([&] {
    const Statistics without = subtract(merged, b).rest;
    compare(estimate(without, options, {.threads = 1}), rest, rest.take(weighed), options, 1e-6);
  });
}

}  // namespace
}  // namespace suffice::fuzz

FUZZ_TARGET(pipeline) { suffice::fuzz::try_one({data, size}); }
