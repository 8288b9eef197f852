#include "contrast/box_m.hpp"

#include <cmath>

#include "core/at.hpp"
#include "core/special_functions.hpp"
#include "stats/thin.hpp"

namespace suffice {
namespace {

/// Where log|S| is 0: P whitens W, so that Pᵀ S P = I / (n − K).
/// M = −Σ (n_c − 1) [log det Pᵀ S_c P + p log((n − K) / (n_c − 1))], with S_c the scatter here.
std::optional<double> box_m_statistic(const GaussianStatistics& sums, const Separation& separation,
                                      double rest) {
  const auto p = static_cast<double>(separation.rank());
  double m = 0;
  for (Index k = 0; k < std::ssize(separation.classes); ++k) {
    const double free = separation.weight[k] - 1;
    if (!(free >= p)) return {};
    const JointMoments& of_class = sums.classes[at(separation.classes[at(k)])].complete;
    const double log_det = of_class.scatter.empty()
                               ? log_determinant(separation, scatter_of(of_class))
                               : log_determinant(separation, of_class.scatter);
    if (!std::isfinite(log_det)) return {};
    m -= free * (log_det + p * std::log(rest / free));
  }
  return m;
}

}  // namespace

BoxMFound box_m_of(const GaussianStatistics& sums, const Separation& separation) {
  if (sums.kind == Scatter::pooled)
    return {{}, "these statistics kept one scatter for all classes together"};
  const auto classes = static_cast<double>(separation.classes.size());
  const double rest = separation.rows() - classes;
  const std::optional<double> m = box_m_statistic(sums, separation, rest);
  if (!m) return {{}, "a class has a singular covariance"};

  // χ² = (1 − c₁) M and F as Box (1949) approximated them.
  const auto p = static_cast<double>(separation.rank());
  double sum = -1 / rest, squares = -1 / (rest * rest);
  for (const double n : separation.weight) {
    sum += 1 / (n - 1);
    squares += 1 / ((n - 1) * (n - 1));
  }
  const double c1 = sum * (2 * p * p + 3 * p - 1) / (6 * (p + 1) * (classes - 1));
  const double c2 = squares * (p - 1) * (p + 2) / (6 * (classes - 1));
  BoxM test{.m = *m};
  test.df = p * (p + 1) * (classes - 1) / 2;
  test.chi2 = (1 - c1) * *m;
  test.p = chi_squared_tail(test.chi2, test.df);
  test.f_df2 = (test.df + 2) / std::abs(c2 - c1 * c1);
  if (c2 > c1 * c1) {
    test.f = *m * (1 - c1 - test.df / test.f_df2) / test.df;
  } else {
    const double b = test.f_df2 / (1 - c1 + 2 / test.f_df2);
    test.f = test.f_df2 * *m / (test.df * (b - *m));
  }
  test.f_p = f_tail(test.f, test.df, test.f_df2);
  return {test};
}

Figure box_m_figure(const std::optional<BoxM>& test) {
  if (!test) return {"box_m", std::monostate()};
  return {"box_m", Figure::Record{{"m", test->m},
                                  {"f", test->f},
                                  {"chi2", test->chi2},
                                  {"df", test->df},
                                  {"p", test->p},
                                  {"f_df2", test->f_df2},
                                  {"f_p", test->f_p}}};
}

}  // namespace suffice
