#include "contrast/column_drift.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "stats/moments.hpp"

namespace suffice {
namespace {

constexpr double rare = 5;
/// What the test of a spread allows for: the variance of log s is about (κ − 1) / 4n.
constexpr double kurtosis = 9;

double auc_of_distance(double distance) { return normal_probability(distance / std::sqrt(2.0)); }
double two_sided(double z) { return 2 * normal_probability(-std::abs(z)); }

class ColumnTests {
 public:
  ColumnTests(const Statistics& two, Index before, Index after)
      : two_(two), before_(before), after_(after), columns_(at(two.schema().size())) {
    for (Index j = 0; j < two.schema().size(); ++j) {
      columns_[at(j)].name = two.schema().feature(j).name;
      columns_[at(j)].family = two.schema().feature(j).family;
    }
  }

  std::vector<ColumnDrift> operator()() && {
    for (std::size_t b = 0; b < two_.blocks().size(); ++b) {
      block_ = &two_.schema().blocks()[b];
      std::visit(*this, two_.blocks()[b]);
    }
    for (ColumnDrift& column : columns_) column.p = column.mean.p;
    return std::move(columns_);
  }

  void operator()(const GaussianStatistics& sums) {
    const Moments a = sums.moments(before_), b = sums.moments(after_);
    for (Index j = 0; j < std::ssize(block_->features); ++j)
      if (!a.weight.empty() && !b.weight.empty() && a.weight[j] > 0 && b.weight[j] > 0)
        number(a, b, j, column(j));
  }

  void operator()(const CountStatistics& sums) {
    if (sums.weight.empty()) return words_of_block(sums);
    for (Index j = 0; j < std::ssize(block_->features); ++j) {
      const double n_a = sums.weight(before_, j), n_b = sums.weight(after_, j);
      const double x_a = sums.sum(before_, j), x_b = sums.sum(after_, j);
      if (!(n_a > 0) || !(n_b > 0)) continue;
      ColumnDrift& of = column(j);
      of.old_mean = x_a / n_a;
      of.new_mean = x_b / n_b;
      if (of.family == Family::bernoulli)
        yes_or_no({n_a - x_a, x_a}, {n_b - x_b, x_b}, of);
      else if (of.family == Family::exponential)
        waiting_time(n_a, x_a, n_b, x_b, of);
      else
        count(n_a, x_a, n_b, x_b, of);
    }
  }

  void operator()(const CategoricalStatistics& sums) {
    for (Index j = 0; j < std::ssize(block_->features); ++j) table(sums.count[at(j)], column(j));
  }

  void operator()(const TextStatistics& sums) {
    for (Index j = 0; j < std::ssize(block_->features); ++j) table(sums.rows[at(j)], column(j));
  }

 private:
  ColumnDrift& column(Index j) { return columns_[at(block_->features[at(j)])]; }

  /// Welch's t of the means, and the ratio of the deviations.
  static void number(const Moments& a, const Moments& b, Index j, ColumnDrift& of) {
    const double n_a = a.weight[j], n_b = b.weight[j];
    const double s_a = a.squares[j], s_b = b.squares[j];
    const double apart = difference({b.mean[j], b.mean_low[j]}, {a.mean[j], a.mean_low[j]}).high;
    of.old_mean = a.mean[j] + a.mean_low[j];
    of.new_mean = b.mean[j] + b.mean_low[j];
    of.old_deviation = n_a > 1 ? std::sqrt(s_a / (n_a - 1)) : 0;
    of.new_deviation = n_b > 1 ? std::sqrt(s_b / (n_b - 1)) : 0;
    if (!(n_a + n_b > 2)) return;
    const double pooled = std::sqrt((s_a + s_b) / (n_a + n_b - 2));
    if (!(pooled > 0)) {
      of.effect = apart == 0 ? 0 : std::copysign(infinity, apart);
      of.mean.p = apart == 0 ? 1 : 0;
    } else {
      of.effect = apart / pooled;
      const double v_a = n_a > 1 ? s_a / (n_a - 1) / n_a : 0;
      const double v_b = n_b > 1 ? s_b / (n_b - 1) / n_b : 0;
      if (n_a > 1 && n_b > 1) {
        const double dof =
            (v_a + v_b) * (v_a + v_b) / (v_a * v_a / (n_a - 1) + v_b * v_b / (n_b - 1));
        of.mean.p = f_tail(apart * apart / (v_a + v_b), 1, dof);
      } else {  // one row on a side: Student's t with the pooled deviation
        const double t2 = apart * apart / (pooled * pooled * (1 / n_a + 1 / n_b));
        of.mean.p = f_tail(t2, 1, n_a + n_b - 2);
      }
    }
    of.auc = auc_of_distance(std::abs(of.effect));
    if (!(n_a > 1) || !(n_b > 1)) return;
    of.spread = of.new_deviation / of.old_deviation;
    if (s_a == 0 && s_b == 0) of.spread = 1;
    const double log_ratio = std::log(*of.spread);
    const double error = std::sqrt((kurtosis - 1) / 4 * (1 / n_a + 1 / n_b));
    of.spread_change.p = log_ratio == 0 ? 1 : two_sided(log_ratio / error);
  }

  static void take(const TableTest& test, ColumnDrift& of) {
    of.effect = test.total_variation;
    of.auc = test.auc;
    of.mean.p = test.p;
  }
  void table(const Matrix& count, ColumnDrift& of) const {
    const auto row = [&](Index c) { return count.empty() ? Vector() : Vector(count.row(c)); };
    take(table_test(row(before_), row(after_)), of);
  }
  static void yes_or_no(const Vector& a, const Vector& b, ColumnDrift& of) {
    take(table_test(a, b), of);
    of.effect = std::copysign(of.effect, b[1] / (b[0] + b[1]) - a[1] / (a[0] + a[1]));
  }
  /// Sums of counts: Poisson with means n λ.
  static void count(double n_a, double x_a, double n_b, double x_b, ColumnDrift& of) {
    const double rate = (x_a + x_b) / (n_a + n_b);
    if (!(rate > 0)) return;
    const auto term = [&](double x, double n) { return x > 0 ? x * std::log(x / (n * rate)) : 0; };
    of.effect = (x_b / n_b - x_a / n_a) / std::sqrt(rate);
    of.mean.p = chi_squared_tail(std::max(2 * (term(x_a, n_a) + term(x_b, n_b)), 0.0), 1);
    of.auc = auc_of_distance(std::abs(of.effect));
  }
  /// The ratio of means of exponential times has an F distribution.
  static void waiting_time(double n_a, double x_a, double n_b, double x_b, ColumnDrift& of) {
    if (!(x_a > 0) || !(x_b > 0)) return;
    const double ratio = (x_b / n_b) / (x_a / n_a);
    of.effect = std::log(ratio);
    of.auc = std::max(ratio, 1 / ratio) / (1 + std::max(ratio, 1 / ratio));
    of.mean.p = std::min(
        1.0, 2 * std::min(f_tail(ratio, 2 * n_b, 2 * n_a), f_tail(1 / ratio, 2 * n_a, 2 * n_b)));
  }
  /// The columns of a multinomial block are words: each against all others.
  void words_of_block(const CountStatistics& sums) {
    double all_a = 0, all_b = 0;
    for (Index j = 0; j < sums.sum.cols(); ++j) {
      all_a += sums.sum(before_, j);
      all_b += sums.sum(after_, j);
    }
    for (Index j = 0; j < sums.sum.cols(); ++j) {
      const double a = sums.sum(before_, j), b = sums.sum(after_, j);
      yes_or_no({all_a - a, a}, {all_b - b, b}, column(j));
    }
  }

  const Statistics& two_;
  Index before_, after_;
  const Block* block_ = nullptr;
  std::vector<ColumnDrift> columns_;
};

}  // namespace

std::vector<ColumnDrift> column_drifts(const Statistics& two, Index before, Index after) {
  return ColumnTests(two, before, after)();
}

TableTest table_test(const Vector& before, const Vector& after) {
  TableTest test;
  const double n_a = std::accumulate(before.begin(), before.end(), 0.0);
  const double n_b = std::accumulate(after.begin(), after.end(), 0.0);
  if (!(n_a > 0) || !(n_b > 0)) return test;
  const double least = std::min(n_a, n_b) / (n_a + n_b);
  std::vector<std::pair<double, double>> cells;
  std::pair<double, double> others;
  for (Index l = 0; l < before.size(); ++l) {
    const double both = before[l] + after[l];
    if (both * least >= rare) {
      cells.emplace_back(before[l], after[l]);
    } else {
      others.first += before[l];
      others.second += after[l];
    }
  }
  if (others.first + others.second > 0) cells.push_back(others);
  // The two classes of the AUC's rule in the order of the ratio of their shares.
  std::ranges::sort(
      cells, [&](const auto& x, const auto& y) { return x.first * y.second > y.first * x.second; });
  double below = 0;  // the share of `after` that comes before
  double auc = 0;
  for (const auto& [a, b] : cells) {
    const double both = a + b;
    if (a > 0) test.g += 2 * a * std::log(a / (both * n_a / (n_a + n_b)));
    if (b > 0) test.g += 2 * b * std::log(b / (both * n_b / (n_a + n_b)));
    test.total_variation += 0.5 * std::abs(a / n_a - b / n_b);
    auc += a / n_a * (1 - below - 0.5 * b / n_b);
    below += b / n_b;
  }
  test.g = std::max(test.g, 0.0);
  test.df = static_cast<double>(cells.size()) - 1;
  test.p = test.df > 0 ? chi_squared_tail(test.g, test.df) : 1;
  test.auc = std::max(auc, 0.5);
  return test;
}

namespace {

struct WeightedNumber {
  double value, weight;
};

/// The numbers of a column that are there, each with the rows that it stands for.
std::vector<WeightedNumber> numbers_of(const Reservoir::Parts& rows, Index numeric) {
  Vector kept(std::ssize(rows.labels));
  for (const std::int64_t label : rows.label) ++kept[static_cast<Index>(label)];
  std::vector<WeightedNumber> result;
  for (Index i = 0; i < rows.numbers.rows(); ++i) {
    const double value = rows.numbers(i, numeric);
    if (std::isnan(value)) continue;
    const auto label = static_cast<Index>(rows.label[at(i)]);
    result.push_back({value, rows.weight[i] * rows.seen[label] / kept[label]});
  }
  std::ranges::sort(result, {}, &WeightedNumber::value);
  return result;
}

/// 2 Σ (−1)^(k−1) exp(−2 k² λ²), Kolmogorov's distribution.
double kolmogorov_tail(double lambda) {
  if (lambda < 0.2) return 1;
  double sum = 0;
  for (int k = 1; k < 200; ++k) {
    const double term = std::exp(-2.0 * k * k * lambda * lambda);
    sum += k % 2 ? term : -term;
    if (term < 1e-17 * sum) break;
  }
  return std::clamp(2 * sum, 0.0, 1.0);
}

/// The largest distance of the distribution functions, and how many rows the samples are worth.
struct Distance {
  double value = 0, rows = 0;
};

Distance distance_of(const std::vector<WeightedNumber>& a, const std::vector<WeightedNumber>& b) {
  const auto sums = [](const std::vector<WeightedNumber>& of) {
    double sum = 0, squares = 0;
    for (const auto& [value, weight] : of) {
      sum += weight;
      squares += weight * weight;
    }
    return std::pair{sum, sum * sum / squares};
  };
  const auto [sum_a, rows_a] = sums(a);
  const auto [sum_b, rows_b] = sums(b);
  Distance result{.rows = rows_a * rows_b / (rows_a + rows_b)};
  double below_a = 0, below_b = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double x = std::min(a[i].value, b[j].value);
    for (; i < a.size() && a[i].value == x; ++i) below_a += a[i].weight;
    for (; j < b.size() && b[j].value == x; ++j) below_b += b[j].weight;
    result.value = std::max(result.value, std::abs(below_a / sum_a - below_b / sum_b));
  }
  return result;
}

}  // namespace

void add_rank_tests(const Reservoir& before, const Reservoir& after,
                    std::vector<ColumnDrift>& columns) {
  const Reservoir::Parts a = before.parts(), b = after.parts();
  std::map<std::string, std::pair<Index, Index>> numeric;  // positions among the numbers
  const auto find = [](const Schema& schema, const auto& use) {
    Index position = 0;
    for (Index column = 0; column < schema.column_count(); ++column)
      if (!schema.has_strings(column)) use(schema.columns()[at(column)], position++);
  };
  find(a.schema, [&](const std::string& name, Index i) { numeric[name] = {i, -1}; });
  find(b.schema, [&](const std::string& name, Index i) {
    if (numeric.contains(name)) numeric[name].second = i;
  });
  for (ColumnDrift& column : columns) {
    const auto found = numeric.find(column.name);
    if (found == numeric.end() || found->second.second < 0) continue;
    const auto numbers_a = numbers_of(a, found->second.first);
    const auto numbers_b = numbers_of(b, found->second.second);
    if (numbers_a.empty() || numbers_b.empty()) continue;
    const Distance distance = distance_of(numbers_a, numbers_b);
    const double root = std::sqrt(distance.rows);
    column.distance = distance.value;
    column.rank.p = kolmogorov_tail((root + 0.12 + 0.11 / root) * distance.value);
  }
}

void adjust(const std::vector<Change*>& changes, double level) {
  std::vector<Change*> order = changes;
  std::ranges::stable_sort(order, {}, [](const Change* change) { return change->p; });
  double before = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    before = std::max(before, std::min(1.0, order[i]->p * static_cast<double>(order.size() - i)));
    order[i]->p_adjusted = before;
    order[i]->found = before < level;
  }
}

}  // namespace suffice
