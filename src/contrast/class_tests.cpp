#include "suffice/contrast/class_tests.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "contrast/box_m.hpp"
#include "core/at.hpp"
#include "core/special_functions.hpp"
#include "stats/moments.hpp"
#include "suffice/core/error.hpp"
#include "suffice/stats/separation.hpp"

namespace suffice {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double outside = 0.05;  ///< of intervals, on both sides together
/// Intervals of distances take some work.
constexpr std::size_t most_intervals = 300;

FTest f_test(double statistic, double f, double df1, double df2) {
  if (!(df2 > 0)) return {statistic, none, df1, none, none};
  return {statistic, f, df1, df2, f_tail(f, df1, df2)};
}

/// As R's summary.manova: p columns, q = K − 1, and n − K rows beyond what the means take.
void add_manova(JointTests& tests, double rest, double q) {
  const auto p = static_cast<double>(tests.rank);
  double pillai = 0, trace = 0, log_wilks = 0;
  for (const double value : tests.eigenvalues) {
    pillai += value / (1 + value);
    trace += value;
    log_wilks -= std::log1p(value);
  }
  const double s = std::min(p, q), m = 0.5 * (std::abs(p - q) - 1), n = 0.5 * (rest - p - 1);

  const double k = rest - 0.5 * (p - q + 1), lost = (p * q - 2) / 2;
  const double squares = p * p + q * q - 5;
  const double root = squares > 0 ? std::sqrt((p * p * q * q - 4) / squares) : 1;
  const double wilks_df = k * root - lost;
  tests.wilks = f_test(std::exp(log_wilks), std::expm1(-log_wilks / root) * wilks_df / (p * q),
                       p * q, wilks_df);

  const double a = 2 * m + s + 1, b = 2 * n + s + 1;
  tests.pillai = f_test(pillai, b / a * pillai / (s - pillai), s * a, s * b);

  const double c = 2 * (s * n + 1);
  tests.hotelling_lawley = f_test(trace, c * trace / (s * s * a), s * a, c);

  const double most = std::max(p, q), roy_df = rest - most + q;
  const double largest = tests.eigenvalues.empty() ? 0 : tests.eigenvalues[0];
  tests.roy = f_test(largest, roy_df * largest / most, most, roy_df);
}

void add_functions(JointTests& tests, const Separation& separation, double classes) {
  const double n = separation.rows(), within_rows = n - classes;
  const Index d = separation.features(), functions = separation.eigenvalues.size();
  tests.canonical_correlations = Vector(functions);
  tests.explained = Vector(functions);
  const double trace = tests.hotelling_lawley.statistic;
  double log_wilks = 0;
  tests.remaining.resize(at(functions));
  for (Index k = functions - 1; k >= 0; --k) {
    const double value = separation.eigenvalues[k];
    tests.canonical_correlations[k] = std::sqrt(value / (1 + value));
    tests.explained[k] = trace > 0 ? value / trace : 0;
    log_wilks -= std::log1p(value);
    const auto p = static_cast<double>(tests.rank), first = static_cast<double>(k);
    RemainingFunctions& of = tests.remaining[at(k)];
    of.first = k;
    of.wilks = std::exp(log_wilks);
    of.chi2 = -(n - 1 - (p + classes) / 2) * log_wilks;
    of.df = (p - first) * (classes - first - 1);
    of.p = chi_squared_tail(of.chi2, of.df);
  }
  tests.raw = Matrix(d, functions);
  tests.standardized = Matrix(d, functions);
  tests.structure = Matrix(d, functions);
  tests.constant = Vector(functions);
  tests.centroids = Matrix(separation.deviations.rows(), functions);
  const auto along = separation.within.map() * separation.directions.map();
  const Matrix::EigenType covariances = along;  // times √(n − K), of columns and functions
  const double scale = std::sqrt(within_rows);
  for (Index k = 0; k < functions; ++k)
    for (Index j = 0; j < d; ++j) {
      const double deviation = std::sqrt(separation.within(j, j));
      tests.raw(j, k) = scale * separation.directions(j, k);
      tests.standardized(j, k) = deviation * separation.directions(j, k);
      tests.structure(j, k) = deviation > 0 ? covariances(j, k) / deviation : 0;
      tests.constant[k] -= tests.raw(j, k) * separation.mean[j];
    }
  tests.centroids.map() = separation.deviations.map() * tests.raw.map();
}

/// The λ with P(F(dof1, dof2, λ) ≤ f) = probability; 0 where even λ = 0 has less.
double noncentrality(double probability, double f, double dof1, double dof2) {
  if (noncentral_f(f, dof1, dof2, 0) <= probability) return 0;
  double low = 0, high = dof1 * f + 10;
  while (noncentral_f(f, dof1, dof2, high) > probability) high *= 2;
  for (int step = 0; step < 60 && high - low > 1e-10 * high; ++step) {
    const double middle = low + (high - low) / 2;
    (noncentral_f(f, dof1, dof2, middle) > probability ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

void add_pairs(JointTests& tests, const Separation& separation, double rest) {
  const Index classes = std::ssize(separation.classes);
  const auto p = static_cast<double>(tests.rank);
  const bool with_intervals = at(classes * (classes - 1) / 2) <= most_intervals;
  for (Index a = 0; a < classes; ++a)
    for (Index b = a + 1; b < classes; ++b) {
      PairTest pair{.a = separation.classes[at(a)], .b = separation.classes[at(b)]};
      const double n_a = separation.weight[a], n_b = separation.weight[b];
      const double size = n_a * n_b / (n_a + n_b);
      pair.d2 = rest * squared_distance(separation, a, b);
      pair.df1 = p;
      pair.df2 = rest - p + 1;
      const FTest test = f_test(pair.d2, pair.df2 / (p * rest) * size * pair.d2, p, pair.df2);
      pair.f = test.f;
      pair.df2 = test.df2;
      pair.p = test.p;
      pair.low = pair.high = none;
      if (with_intervals && std::isfinite(pair.f)) {
        pair.low = noncentrality(1 - outside / 2, pair.f, p, pair.df2) / size;
        pair.high = noncentrality(outside / 2, pair.f, p, pair.df2) / size;
      }
      const double share = n_a / (n_a + n_b), distance = std::sqrt(pair.d2);
      if (distance > 0) {
        const double shift = std::log(n_b / n_a) / distance;
        pair.error = share * normal_probability(shift - distance / 2) +
                     (1 - share) * normal_probability(-shift - distance / 2);
      } else {
        pair.error = std::min(share, 1 - share);
      }
      tests.pairs.push_back(pair);
    }
}

/// One column: the moments of each class, over the rows that have it.
ColumnTest column_test(const std::string& name, const std::vector<Moments>& moments, Index j) {
  const auto classes = std::ssize(moments);
  ColumnTest test{
      .name = name, .mean = Vector(classes), .low = Vector(classes), .high = Vector(classes)};
  Moments total{Vector(1), Vector(1), Vector(1), Vector(1)};
  double within = 0, seen = 0;
  for (Index c = 0; c < classes; ++c) {
    const Moments& of = moments[at(c)];
    test.mean[c] = test.low[c] = test.high[c] = none;
    if (of.weight.empty() || !(of.weight[j] > 0)) continue;
    const double n = of.weight[j];
    merge_into(total, Moments{Vector{n}, Vector{of.mean[j]}, Vector{of.mean_low[j]},
                              Vector{of.squares[j]}});
    within += of.squares[j];
    ++seen;
    test.mean[c] = of.mean[j] + of.mean_low[j];
    if (n > 1) {
      const double margin = std::sqrt(f_quantile(outside, 1, n - 1) * of.squares[j] / (n - 1) / n);
      test.low[c] = test.mean[c] - margin;
      test.high[c] = test.mean[c] + margin;
    }
  }
  test.rows = total.weight[0];
  test.df1 = seen - 1;
  test.df2 = test.rows - seen;
  double between = 0;
  for (Index c = 0; c < classes; ++c) {
    const Moments& of = moments[at(c)];
    if (of.weight.empty() || !(of.weight[j] > 0)) continue;
    const double apart =
        difference({of.mean[j], of.mean_low[j]}, {total.mean[0], total.mean_low[0]}).high;
    between += of.weight[j] * apart * apart;
  }
  if (!(test.df1 > 0) || !(test.df2 > 0) || !(within + between > 0)) {
    test.f = test.p = none;
    return test;
  }
  test.wilks = within / (within + between);
  test.eta2 = between / (within + between);
  test.f = (between / test.df1) / (within / test.df2);
  test.p = f_tail(test.f, test.df1, test.df2);
  return test;
}

std::string number(double value) { return name_of(value); }

JointTests joint_tests(const GaussianStatistics& sums, const Statistics& statistics, Index block,
                       std::vector<std::string>& notes) {
  const Separation separation = separation_of(statistics, block);
  const auto classes = static_cast<double>(separation.classes.size());
  const double rest = separation.rows() - classes;
  JointTests tests;
  for (const Index c : separation.classes) tests.classes.push_back(statistics.labels()[c]);
  tests.rows = separation.rows();
  tests.rank = separation.rank();
  tests.eigenvalues = separation.eigenvalues;
  add_manova(tests, rest, classes - 1);
  add_functions(tests, separation, classes);
  add_pairs(tests, separation, rest);
  if (separation.rank() < separation.features())
    notes.push_back(
        "rows vary within classes in " + number(static_cast<double>(separation.rank())) + " of " +
        number(static_cast<double>(separation.features())) +
        " directions (the rank within classes); the joint tests are about these" +
        (separation.is_separated ? ", and classes differ in others, in which no class varies"
                                 : ""));
  const auto left_out = statistics.labels().size() - std::ssize(separation.classes);
  if (left_out > 0)
    notes.push_back(number(static_cast<double>(left_out)) +
                    (left_out == 1 ? " class has" : " classes have") +
                    " no row with all columns and no part in the joint tests");
  BoxMFound found = box_m_of(sums, separation);
  if (found.test)
    tests.box_m = found.test;
  else
    notes.push_back("Box's M is not known: " + found.reason);
  return tests;
}

}  // namespace

void require_frequencies(const Statistics& statistics) {
  for (Index c = 0; c < statistics.labels().size(); ++c) {
    const double sum = statistics.weights()[c], squares = statistics.squared_weights()[c];
    // Of whole numbers the sum is whole, and the squares are no less than the numbers.
    if (sum != std::floor(sum) || squares < sum * (1 - 1e-12))
      throw InvalidArgument("the weights of class '" + statistics.labels()[c] + "' sum to " +
                                number(sum) + ", their squares to " + number(squares) +
                                ": they are not numbers of rows, which the tests count",
                            "sum the rows up without weights, or with whole ones");
  }
}

ClassTests class_tests(const Statistics& statistics) {
  const std::vector<Block>& blocks = statistics.schema().blocks();
  const auto found = std::ranges::find(blocks, Family::gaussian, &Block::family);
  if (found == blocks.end())
    throw InvalidArgument(
        "there are no columns of numbers (family gaussian), and the tests are "
        "about such columns");
  const Index seen = std::ranges::count_if(statistics.weights(), [](double w) { return w > 0; });
  if (seen < 2)
    throw InvalidArgument(seen == 0 ? "there are no rows" : "there is one class with rows",
                          "tests compare two classes or more");
  require_frequencies(statistics);
  const double rows = statistics.weights().map().sum();
  if (!(rows > static_cast<double>(seen)))
    throw InvalidArgument(
        "every class has one row, so nothing is known of what rows vary within "
        "a class",
        "give several rows of each class");
  const Index block = found - blocks.begin();
  const auto& sums = std::get<GaussianStatistics>(statistics.blocks()[at(block)]);
  ClassTests tests{.labels = statistics.labels(), .features = statistics.schema().names(*found)};
  if (std::ssize(found->features) < statistics.schema().size())
    tests.notes.push_back(
        number(static_cast<double>(statistics.schema().size() - std::ssize(found->features))) +
        " other columns have no part in the tests, which are about numbers");
  if (sums.has_class_squares()) {
    std::vector<Moments> moments;
    for (Index c = 0; c < std::ssize(sums.classes); ++c) moments.push_back(sums.moments(c));
    for (std::size_t j = 0; j < tests.features.size(); ++j)
      tests.columns.push_back(column_test(tests.features[j], moments, static_cast<Index>(j)));
  } else {
    tests.notes.push_back(
        "the columns by themselves are not tested: after a projection of a "
        "shared scatter their variances in each class are not known");
  }
  if (sums.kind == Scatter::diagonal) {
    tests.notes.push_back(
        "the joint tests are not there: these statistics kept the diagonal of "
        "the scatter only");
    return tests;
  }
  try {
    tests.joint = joint_tests(sums, statistics, block, tests.notes);
  } catch (const InvalidArgument& error) {
    tests.notes.push_back("the joint tests are not there: " + error.sentence().text());
  }
  return tests;
}

namespace {

Figure::Record record(const FTest& test) {
  return {{"statistic", test.statistic},
          {"f", test.f},
          {"df1", test.df1},
          {"df2", test.df2},
          {"p", test.p}};
}

void add_joint(Figure::Record& figures, const JointTests& tests, const Names& labels) {
  figures.push_back({"rows", tests.rows});
  figures.push_back({"classes", tests.classes});
  figures.push_back({"rank", static_cast<double>(tests.rank)});
  figures.push_back({"manova", Figure::Record{{"wilks", record(tests.wilks)},
                                              {"pillai", record(tests.pillai)},
                                              {"hotelling_lawley", record(tests.hotelling_lawley)},
                                              {"roy", record(tests.roy)}}});
  figures.push_back({"eigenvalues", tests.eigenvalues});
  figures.push_back({"canonical_correlations", tests.canonical_correlations});
  figures.push_back({"explained", tests.explained});
  std::vector<Figure::Record> remaining, pairs;
  for (const RemainingFunctions& of : tests.remaining)
    remaining.push_back({{"first", static_cast<double>(of.first + 1)},
                         {"wilks", of.wilks},
                         {"chi2", of.chi2},
                         {"df", of.df},
                         {"p", of.p}});
  figures.push_back({"remaining", std::move(remaining)});
  figures.push_back(box_m_figure(tests.box_m));
  for (const PairTest& pair : tests.pairs)
    pairs.push_back({{"a", labels[pair.a]},
                     {"b", labels[pair.b]},
                     {"d2", pair.d2},
                     {"f", pair.f},
                     {"df1", pair.df1},
                     {"df2", pair.df2},
                     {"p", pair.p},
                     {"low", pair.low},
                     {"high", pair.high},
                     {"error", pair.error}});
  figures.push_back({"pairs", std::move(pairs)});
  figures.push_back({"raw", tests.raw});
  figures.push_back({"constant", tests.constant});
  figures.push_back({"standardized", tests.standardized});
  figures.push_back({"structure", tests.structure});
  figures.push_back({"centroids", tests.centroids});
}

}  // namespace

std::vector<Figure> test_figures(const ClassTests& tests) {
  Figure::Record figures = {{"labels", tests.labels}, {"features", tests.features}};
  if (tests.joint) add_joint(figures, *tests.joint, tests.labels);
  std::vector<Figure::Record> columns;
  for (const ColumnTest& test : tests.columns)
    columns.push_back({{"name", test.name},
                       {"wilks", test.wilks},
                       {"f", test.f},
                       {"p", test.p},
                       {"eta2", test.eta2},
                       {"df1", test.df1},
                       {"df2", test.df2},
                       {"rows", test.rows},
                       {"mean", test.mean},
                       {"low", test.low},
                       {"high", test.high}});
  figures.push_back({"columns", std::move(columns)});
  figures.push_back({"notes", tests.notes});
  return figures;
}

}  // namespace suffice
