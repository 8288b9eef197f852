#pragma once
// Are two statistics the same, to the last bit or up to rounding? A scatter is compared relative to
// √(S_ii S_jj), a mean relative to the values' size and spread.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "suffice/suffice.hpp"
#include "support/table.hpp"

namespace suffice::testing {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}
inline bool same_bits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         same_bits(std::span(a.data(), static_cast<std::size_t>(a.size())),
                   std::span(b.data(), static_cast<std::size_t>(b.size())));
}

struct Tolerance {
  double relative = 1e-12;
  /// Labels and levels that only one of both knows are taken for weight 0 in the other.
  bool lenient_names = false;
  bool squared_weights = true;
  /// Errors are measured against this, if given, instead of the statistics themselves: what a
  /// subtraction started from.
  const Statistics* scale = nullptr;
};

class Comparison {
 public:
  Comparison(const Statistics& a, const Statistics& b, const Tolerance& tolerance)
      : a_(whole(a)),
        b_(whole(b)),
        scale_(whole(tolerance.scale ? *tolerance.scale : a)),
        t_(tolerance) {}

  AssertionResult run() {
    if (a_.blocks().size() != b_.blocks().size())
      return AssertionFailure() << "another number of blocks";
    if (!t_.lenient_names && a_.labels() != b_.labels())
      return AssertionFailure() << "labels " << list_for_message(a_.labels().list()) << " and "
                                << list_for_message(b_.labels().list());
    for (const std::string& label : join(a_.labels(), b_.labels())) {
      where_ = "class " + label;
      const auto a = a_.labels().find(label), b = b_.labels().find(label);
      near("weight", a ? a_.weights()[*a] : 0, b ? b_.weights()[*b] : 0, total(scale_, label));
      if (t_.squared_weights) {
        near("squared weight", a ? a_.squared_weights()[*a] : 0, b ? b_.squared_weights()[*b] : 0,
             3 * total(scale_, label));
      }
      for (std::size_t k = 0; k < a_.blocks().size(); ++k) {
        where_ = "class " + label + ", block " + std::to_string(k);
        std::visit([&](const auto& block) { compare(block, k, label); }, a_.blocks()[k]);
      }
    }
    if (failure_.empty()) return AssertionSuccess();
    return AssertionFailure() << failure_;
  }

 private:
  /// A thin scatter is compared as a dense one: its factor is one of many.
  static Statistics whole(const Statistics& s) {
    return is_thin(s) ? with_scatter(s, Scatter::dense) : s;
  }
  static double total(const Statistics& s, const std::string& label) {
    const auto at = s.labels().find(label);
    return at ? s.weights()[*at] : 0;
  }
  void near(const std::string& what, double a, double b, double scale) {
    if (std::abs(a - b) <= t_.relative * scale || a == b || !failure_.empty()) return;
    char text[200];
    std::snprintf(text, sizeof text, ": %.17g and %.17g differ by %.3g of %.3g", a, b,
                  std::abs(a - b) / scale, scale);
    failure_ = where_ + ", " + what + text;
  }

  /// The class of a label in a block, or null.
  static const GaussianStatistics::Class* find(const Statistics& s, std::size_t block,
                                               const std::string& label) {
    const auto at = s.labels().find(label);
    return at ? &std::get<GaussianStatistics>(s.blocks()[block])
                     .classes[static_cast<std::size_t>(*at)]
              : nullptr;
  }
  static double at(const Vector& v, Index i) { return i < v.size() ? v[i] : 0; }
  static double at(const Matrix& m, Index i, Index j) {
    return i < m.rows() && j < m.cols() ? m(i, j) : 0;
  }

  void compare(const GaussianStatistics& block, std::size_t k, const std::string& label) {
    if (block.kind != std::get<GaussianStatistics>(b_.blocks()[k]).kind) {
      failure_ = where_ + ": dense and diagonal";
      return;
    }
    static const GaussianStatistics::Class none{};
    const auto *a = find(a_, k, label), *b = find(b_, k, label), *s = find(scale_, k, label);
    if (!a) a = &none;
    if (!b) b = &none;
    if (!s) s = &none;
    const double weight = total(scale_, label);
    near("complete weight", a->complete.weight, b->complete.weight, weight);
    const Index d = static_cast<Index>(a_.schema().blocks()[k].features.size());
    if (block.kind == Scatter::dense && a->complete.weight > t_.relative * weight) {
      for (Index i = 0; i < d; ++i) {
        const double sii = at(s->complete.scatter, i, i);
        const double share = s->complete.weight / a->complete.weight;
        near_mean(a->complete.mean, a->complete.mean_low, b->complete.mean, b->complete.mean_low, i,
                  share, std::sqrt(sii / s->complete.weight));
        for (Index j = 0; j < d; ++j)
          near("scatter", at(a->complete.scatter, i, j), at(b->complete.scatter, i, j),
               std::sqrt(sii * at(s->complete.scatter, j, j)));
      }
    }
    if (block.kind == Scatter::pooled) compare_pooled(*a, *b, *s, k, weight);
    for (Index i = 0; i < d; ++i) {
      const double wa = at(a->present.weight, i), ws = at(s->present.weight, i);
      near("present weight", wa, at(b->present.weight, i), weight);
      if (wa <= t_.relative * weight) continue;
      near_mean(a->present.mean, a->present.mean_low, b->present.mean, b->present.mean_low, i,
                ws / wa, std::sqrt(at(s->present.squares, i) / ws));
      near("squares", at(a->present.squares, i), at(b->present.squares, i),
           at(s->present.squares, i));
    }
  }
  void compare_pooled(const GaussianStatistics::Class& a, const GaussianStatistics::Class& b,
                      const GaussianStatistics::Class& s, std::size_t k, double weight) {
    const Matrix& within = std::get<GaussianStatistics>(a_.blocks()[k]).pooled;
    const Matrix& other = std::get<GaussianStatistics>(b_.blocks()[k]).pooled;
    const Matrix& scale = std::get<GaussianStatistics>(scale_.blocks()[k]).pooled;
    const Index d = static_cast<Index>(a_.schema().blocks()[k].features.size());
    for (Index i = 0; i < d; ++i) {
      for (Index j = 0; j < d; ++j)
        near("pooled scatter", at(within, i, j), at(other, i, j),
             std::sqrt(at(scale, i, i) * at(scale, j, j)));
      if (a.complete.weight <= t_.relative * weight) continue;
      const double square = at(s.complete.squares, i);
      near("squares of complete rows", at(a.complete.squares, i), at(b.complete.squares, i),
           square);
      near_mean(a.complete.mean, a.complete.mean_low, b.complete.mean, b.complete.mean_low, i,
                s.complete.weight / a.complete.weight, std::sqrt(square / s.complete.weight));
    }
  }
  /// `share`: how much larger the weight was that the mean comes from.
  void near_mean(const Vector& a, const Vector& a_low, const Vector& b, const Vector& b_low,
                 Index i, double share, double deviation) {
    near("mean", at(a, i) + at(a_low, i), at(b, i) + at(b_low, i),
         share * (std::abs(at(a, i)) + deviation));
  }

  /// Sums whose members are K × d.
  template <class Sums>
  void compare(const Sums& a, std::size_t k, const std::string& label) {
    const auto& b = std::get<Sums>(b_.blocks()[k]);
    const auto& s = std::get<Sums>(scale_.blocks()[k]);
    const auto ia = a_.labels().find(label), ib = b_.labels().find(label),
               is = scale_.labels().find(label);
    const Index d = static_cast<Index>(a_.schema().blocks()[k].features.size());
    for_each_field<Sums>([&](const auto& field) {
      for (Index j = 0; j < d; ++j)
        near(std::string(field.name), ia ? at(field(a), *ia, j) : 0, ib ? at(field(b), *ib, j) : 0,
             is ? at(field(s), *is, j) : 0);
    });
  }

  void compare(const CategoricalStatistics&, std::size_t k, const std::string& label) {
    const auto& a = std::get<CategoricalStatistics>(a_.blocks()[k]);
    const auto& b = std::get<CategoricalStatistics>(b_.blocks()[k]);
    if (a.levels.size() != b.levels.size()) {
      failure_ = where_ + ": another number of features";
      return;
    }
    const auto ia = a_.labels().find(label), ib = b_.labels().find(label);
    for (std::size_t j = 0; j < a.levels.size(); ++j) {
      if (!t_.lenient_names && a.levels[j] != b.levels[j]) {
        failure_ = where_ + ": levels " + list_for_message(a.levels[j].list()) + " and " +
                   list_for_message(b.levels[j].list());
        return;
      }
      for (const std::string& level : join(a.levels[j], b.levels[j])) {
        const auto la = a.levels[j].find(level), lb = b.levels[j].find(level);
        near("count of " + level, ia && la ? a.count[j](*ia, *la) : 0,
             ib && lb ? b.count[j](*ib, *lb) : 0, total(scale_, label));
      }
    }
  }

  /// Words have no order of their own: they are found by name.
  void compare(const TextStatistics&, std::size_t k, const std::string& label) {
    const auto& a = std::get<TextStatistics>(a_.blocks()[k]);
    const auto& b = std::get<TextStatistics>(b_.blocks()[k]);
    const auto ia = a_.labels().find(label), ib = b_.labels().find(label);
    for (std::size_t j = 0; j < a.words.size(); ++j) {
      const auto column = static_cast<Index>(j);
      near("weight", ia ? a.weight(*ia, column) : 0, ib ? b.weight(*ib, column) : 0,
           total(scale_, label));
      if (!t_.lenient_names && a.words[j].size() != b.words[j].size())
        failure_ = where_ + ": another number of words";
      std::vector<std::string> words = a.words[j].list();
      for (const std::string& word : b.words[j].list()) words.push_back(word);
      for (const std::string& word : words) {
        const Index la = a.words[j].find(word), lb = b.words[j].find(word);
        const bool in_a = ia && la >= 0, in_b = ib && lb >= 0;
        near("count of " + word, in_a ? a.count[j](*ia, la) : 0, in_b ? b.count[j](*ib, lb) : 0,
             9 * total(scale_, label));
        near("rows of " + word, in_a ? a.rows[j](*ia, la) : 0, in_b ? b.rows[j](*ib, lb) : 0,
             total(scale_, label));
      }
    }
  }

  const Statistics a_, b_, scale_;
  Tolerance t_;
  std::string where_, failure_;
};

inline AssertionResult close(const Statistics& a, const Statistics& b,
                             const Tolerance& tolerance = {}) {
  return Comparison(a, b, tolerance).run();
}

/// Numbers of the same size that agree relative to `scale` (each at least) and their own size.
inline AssertionResult close(const Matrix& a, const Matrix& b, double relative, double scale = 1) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return AssertionFailure() << "another shape";
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j) {
      const double x = a(i, j), y = b(i, j);
      if (x == y || std::abs(x - y) <= relative * (scale + std::abs(x))) continue;
      return AssertionFailure() << "entry (" << i << ", " << j << "): " << x << " and " << y
                                << " differ by " << x - y;
    }
  return AssertionSuccess();
}

inline Statistics statistics_of(const Table& table, const StatisticsOptions& options,
                                const Execution& execution = {}) {
  Statistics stats(table.schema(), options);
  stats.update(table.block(), execution);
  return stats;
}

}  // namespace suffice::testing
