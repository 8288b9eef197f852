#include "contrast/joint_drift.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "contrast/box_m.hpp"
#include "contrast/column_drift.hpp"
#include "contrast/simulated_auc.hpp"
#include "contrast/two_sides.hpp"
#include "core/at.hpp"
#include "core/special_functions.hpp"
#include "stats/thin.hpp"
#include "suffice/core/error.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/stats/separation.hpp"

namespace suffice {
namespace {

constexpr std::size_t pairs_shown = 10;
/// What a flag of a correlation allows for beyond the normal distribution: with the tails of the
/// exponential one its error is about √3 times as large.
constexpr double heavy_tails = 1.7320508075688772;

std::optional<Index> block_of_numbers(const Schema& schema) {
  const auto found = std::ranges::find(schema.blocks(), Family::gaussian, &Block::family);
  if (found == schema.blocks().end()) return {};
  return found - schema.blocks().begin();
}

LinearDistance distance_of(const Separation& separation) {
  LinearDistance result;
  const double n_a = separation.weight[0], n_b = separation.weight[1], n = n_a + n_b;
  const double size = n_a * n_b / n, rest = n - 2;
  const auto p = static_cast<double>(separation.rank());
  result.d2 = rest * squared_distance(separation, 0, 1);
  const double df2 = rest - p + 1;
  result.t2 = {.statistic = size * result.d2,
               .f = df2 / (p * rest) * size * result.d2,
               .df1 = p,
               .df2 = df2,
               .p = 1};
  if (df2 > 0)
    result.t2.p = f_tail(result.t2.f, p, df2);
  else
    result.t2.f = result.t2.p = result.t2.df2 = std::numeric_limits<double>::quiet_NaN();
  result.unbiased_d2 = std::max((n - p - 3) / rest * result.d2 - p / size, 0.0);
  result.auc = normal_probability(std::sqrt(result.unbiased_d2 / 2));
  return result;
}

/// (S⁻¹δ)_j² / (S⁻¹)_jj, by which D² falls without column j; S⁻¹ = (n − 2) P Pᵀ.
std::vector<double> unique_distances(const Separation& separation) {
  const Index d = separation.features(), r = separation.rank();
  const double rest = separation.rows() - 2;
  Vector z(r);
  for (Index j = 0; j < d; ++j)
    for (Index k = 0; k < r; ++k)
      z[k] +=
          (separation.deviations(0, j) - separation.deviations(1, j)) * separation.whitener(j, k);
  std::vector<double> result(at(d));
  for (Index j = 0; j < d; ++j) {
    double along = 0, own = 0;
    for (Index k = 0; k < r; ++k) {
      along += separation.whitener(j, k) * z[k];
      own += separation.whitener(j, k) * separation.whitener(j, k);
    }
    result[at(j)] = own > 0 ? rest * along * along / own : 0;
  }
  return result;
}

/// The pairs of columns whose correlation moved most; tested by Fisher's z.
CorrelationDrift correlation_drift(const GaussianStatistics& sums, const Separation& separation,
                                   const std::vector<std::string>& names,
                                   const DriftOptions& options) {
  CorrelationDrift result;
  const auto of = [&](Index k) -> const JointMoments& {
    return sums.classes[at(separation.classes[at(k)])].complete;
  };
  const double n_a = separation.weight[0], n_b = separation.weight[1];
  const Index d = separation.features();
  if (d < 2 || !(n_a > 3) || !(n_b > 3)) return result;
  const double error = std::sqrt(1 / (n_a - 3) + 1 / (n_b - 3));
  const Matrix before = scatter_of(of(0)), after = scatter_of(of(1));
  const auto roots = [&](const Matrix& scatter) {
    Vector root(d);
    for (Index j = 0; j < d; ++j) root[j] = std::sqrt(scatter(j, j));
    return root;
  };
  const Vector root_a = roots(before), root_b = roots(after);
  struct Moved {
    double z;
    Index i, j;
  };
  std::vector<Moved> moved;  // a heap, the smallest first
  const auto is_more = [](const Moved& a, const Moved& b) { return std::abs(a.z) > std::abs(b.z); };
  double pairs = 0;
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j < i; ++j) {
      if (!(root_a[i] * root_a[j] > 0) || !(root_b[i] * root_b[j] > 0)) continue;
      ++pairs;
      const auto clamped = [](double r) { return std::clamp(r, -(1 - 1e-15), 1 - 1e-15); };
      const double z = std::atanh(clamped(after(i, j) / (root_b[i] * root_b[j]))) -
                       std::atanh(clamped(before(i, j) / (root_a[i] * root_a[j])));
      if (moved.size() == pairs_shown && std::abs(z) <= std::abs(moved.front().z)) continue;
      moved.push_back({z, i, j});
      std::push_heap(moved.begin(), moved.end(), is_more);
      if (moved.size() > pairs_shown) {
        std::pop_heap(moved.begin(), moved.end(), is_more);
        moved.pop_back();
      }
    }
  std::ranges::sort(moved, is_more);
  double adjusted = 0;
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const auto& [z, i, j] = moved[k];
    CorrelationDrift::Pair pair{.a = names[at(j)],
                                .b = names[at(i)],
                                .before = before(i, j) / (root_a[i] * root_a[j]),
                                .after = after(i, j) / (root_b[i] * root_b[j]),
                                .z = z};
    const double left = pairs - static_cast<double>(k);  // Holm
    const auto tail = [&, distance = std::abs(z)](double scale) {
      return std::min(1.0, left * 2 * normal_probability(-distance / (scale * error)));
    };
    pair.change.p = 2 * normal_probability(-std::abs(z) / error);
    adjusted = std::max(adjusted, tail(1));
    pair.change.p_adjusted = adjusted;
    pair.change.found = adjusted < options.level;
    pair.change.flagged = pair.change.found && std::abs(z) >= options.correlation &&
                          tail(heavy_tails) < options.level;
    result.found = result.found || pair.change.found;
    result.flagged = result.flagged || pair.change.flagged;
    result.pairs.push_back(std::move(pair));
  }
  return result;
}

/// Documents have no density that knows how long they are.
std::vector<Index> columns_with_density(const Schema& schema) {
  std::vector<Index> result;
  for (Index j = 0; j < schema.size(); ++j)
    if (schema.feature(j).family != Family::multinomial && schema.feature(j).family != Family::text)
      result.push_back(j);
  return result;
}

/// How much of the differences of all tables is more than noise: √(1 − df / G).
double share_of_tables(const Statistics& two, Index before, Index after) {
  double g = 0, df = 0;
  for (const BlockStatistics& block : two.blocks())
    if (const auto* sums = std::get_if<CategoricalStatistics>(&block))
      for (const Matrix& count : sums->count) {
        if (count.empty()) continue;
        const TableTest test = table_test(Vector(count.row(before)), Vector(count.row(after)));
        g += test.g;
        df += test.df;
      }
  return g > df ? std::sqrt(1 - df / g) : df > 0 ? 0 : 1;
}

/// The densities of both sides as they are; shrunken where they have no inverse.
Model densities_of(const Statistics& two, Covariance covariance) {
  try {
    return estimate(two, {.covariance = covariance, .shrinkage = Shrinkage::none()});
  } catch (const SingularError&) {
    return estimate(two, {.covariance = covariance});
  }
}

/// Both AUCs: linear with the pooled covariance, quadratic with those of both sides.
void add_aucs(JointDrift& joint, const Statistics& two, const std::optional<LinearDistance>& linear,
              const DriftOptions& options, const Execution& execution) {
  const std::vector<Index> columns = columns_with_density(two.schema());
  if (columns.empty()) return;
  Shares shares;
  if (linear && linear->d2 > 0) shares.mean = std::sqrt(linear->unbiased_d2 / linear->d2);
  if (joint.box_m && joint.box_m->chi2 > joint.box_m->df)
    shares.scatter = std::sqrt(1 - joint.box_m->df / joint.box_m->chi2);
  else
    shares.scatter = 0;
  shares.tables =
      share_of_tables(two, two.labels().at(old_side, "side"), two.labels().at(new_side, "side"));
  const Statistics drawn = drawn_together(subset(two, columns), shares);
  const bool only_numbers = std::ranges::all_of(
      columns, [&](Index j) { return two.schema().feature(j).family == Family::gaussian; });
  const bool is_diagonal = scatter_of(two) == Scatter::diagonal;
  const auto auc_of = [&](Covariance covariance) {
    return simulated_auc(densities_of(drawn, covariance), options, execution);
  };
  joint.auc_quadratic = auc_of(is_diagonal ? Covariance::diag : Covariance::full);
  joint.auc = only_numbers && linear
                  ? linear->auc
                  : auc_of(is_diagonal ? Covariance::tied_diag : Covariance::tied);
  joint.auc_quadratic = std::max(joint.auc, joint.auc_quadratic);
}

}  // namespace

std::optional<LinearDistance> linear_distance(const Statistics& two) {
  const std::optional<Index> block = block_of_numbers(two.schema());
  if (!block) return {};
  try {
    return distance_of(separation_of(two, *block));
  } catch (const InvalidArgument&) {
    return {};
  }
}

JointFound joint_drift(const Statistics& two, const DriftOptions& options,
                       const Execution& execution) {
  JointFound found;
  JointDrift joint;
  std::optional<LinearDistance> linear;
  if (const std::optional<Index> block = block_of_numbers(two.schema())) {
    const Block& numbers = two.schema().blocks()[at(*block)];
    const auto& sums = std::get<GaussianStatistics>(two.blocks()[at(*block)]);
    try {
      Separation separation = separation_of(two, *block);
      linear = distance_of(separation);
      joint.d2 = linear->d2;
      joint.t2 = linear->t2;
      found.features = numbers.features;
      found.unique_d2 = unique_distances(separation);
      const BoxMFound box_m = box_m_of(sums, separation);
      joint.box_m = box_m.test;
      if (!box_m.test) found.notes.push_back("Box's M is not known: " + box_m.reason);
      // Classes stand in the order of their names, and old before new is wanted.
      CorrelationDrift correlations =
          correlation_drift(sums, separation, two.schema().names(numbers), options);
      if (two.labels()[0] == new_side)
        for (auto& pair : correlations.pairs) {
          std::swap(pair.before, pair.after);
          pair.z = -pair.z;
        }
      found.correlations = std::move(correlations);
      if (separation.rank() < separation.features())
        found.notes.push_back(
            "rows vary in " + name_of(static_cast<std::int64_t>(separation.rank())) + " of " +
            name_of(static_cast<std::int64_t>(separation.features())) +
            " directions (the rank of the numbers); the joint figures are about these" +
            (separation.is_separated ? ", and old and new rows differ in others" : ""));
    } catch (const InvalidArgument& error) {
      found.notes.push_back("the numbers are not compared together: " + error.sentence().text());
      if (numbers.features.size() == at(two.schema().size())) return found;
    }
  }
  try {
    add_aucs(joint, two, linear, options, execution);
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    if (linear) joint.auc = joint.auc_quadratic = linear->auc;
    found.notes.push_back("the quadratic rule is not known: " + error.sentence().text());
  }
  const double p_mean = linear ? linear->t2.p : 1;
  const double p_scatter = joint.box_m ? joint.box_m->p : 1;
  joint.found = std::min(p_mean, p_scatter) < options.level / 2;  // two tests
  joint.flagged = joint.found && std::max(joint.auc, joint.auc_quadratic) >= options.auc;
  found.joint = joint;
  return found;
}

}  // namespace suffice
