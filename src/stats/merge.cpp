#include "stats/merge.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include "core/kernels.hpp"
#include "stats/dictionary.hpp"
#include "stats/moments.hpp"
#include "stats/pooled.hpp"
#include "suffice/core/error.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {
namespace {

/// a := both; what `a` has not seen is moved from a `b` that may be changed.
void add(JointMoments& a, JointMoments& b) {
  if (a.weight > 0 || !(b.weight > 0))
    merge_into(a, b);
  else
    a = std::move(b);
}
void add(JointMoments& a, const JointMoments& b) { merge_into(a, b); }

/// Adds a block whose class c is class position[c] of the block that it joins.
struct Merge {
  const std::vector<Index>& position;
  bool fresh;        ///< it joins a block without classes, and position[c] is c
  bool unseen;       ///< the same, or a block without rows that has the same classes
  Workers* workers;  ///< null: none

  template <class Same>
  requires std::same_as<std::remove_const_t<Same>, GaussianStatistics>
  void operator()(GaussianStatistics& a, Same& b) const {
    if (b.kind == Scatter::pooled) return merge_pooled(a, b, position);
    const auto add_class = [&](Index c) {
      auto& into = a.classes[position[c]];
      add(into.complete, b.classes[c].complete);
      merge_into(into.present, b.classes[c].present);
    };
    const Index d = b.classes.empty() ? 0 : b.classes[0].complete.mean.size();
    for_classes(std::ssize(b.classes), d * d, add_class);
  }
  void operator()(CountStatistics& a, CountStatistics& b) const {
    if (unseen)
      a = std::move(b);
    else
      (*this)(a, std::as_const(b));
  }
  void operator()(CountStatistics& a, const CountStatistics& b) const {
    add_rows(a.weight, b.weight);
    add_rows(a.sum, b.sum);
  }
  void operator()(CategoricalStatistics& a, const CategoricalStatistics& b) const {
    for (std::size_t j = 0; j < b.levels.size(); ++j) {
      join_levels(a, static_cast<Index>(j), b.levels[j]);
      const std::vector<Index> level = a.levels[j].positions_of(b.levels[j]);
      for (Index c = 0; c < b.count[j].rows(); ++c)
        for (Index l = 0; l < b.count[j].cols(); ++l)
          a.count[j](position[c], level[l]) += b.count[j](c, l);
    }
  }
  void operator()(TextStatistics& a, TextStatistics& b) const {
    if (fresh)
      a = std::move(b);
    else
      (*this)(a, std::as_const(b));
  }
  void operator()(TextStatistics& a, const TextStatistics& b) const {
    add_rows(a.weight, b.weight);
    for (std::size_t j = 0; j < b.words.size(); ++j) {
      const std::vector<Index> word = join_words(a, static_cast<Index>(j), b.words[j]);
      add_words(a.count[j], b.count[j], word);
      add_words(a.rows[j], b.rows[j], word);
      for (std::size_t i = 0; i < word.size() && !b.heaviest.empty(); ++i)
        vote_for_heaviest(a.heaviest[j][word[i]], a.lead[j][word[i]], b.heaviest[j][i],
                          b.lead[j][static_cast<Index>(i)]);
    }
  }
  template <class A, class B>
  requires(!std::same_as<A, std::remove_const_t<B>>) void operator()(A&, B&) const {
  }  // never: compatible schemas have the same families

 private:
  /// add(c) for all classes; `size` numbers each.
  void for_classes(Index classes, Index size, const std::function<void(Index)>& add) const {
    if (workers && classes > 1 && size > 10000)
      workers->run_to_end(classes, [&](Index c, int) { add(c); });
    else
      for (Index c = 0; c < classes; ++c) add(c);
  }
  void add_rows(Matrix& a, const Matrix& b) const {
    for_classes(b.rows(), b.cols(), [&](Index c) {
      for (Index j = 0; j < b.cols(); ++j) a(position[c], j) += b(c, j);
    });
  }
  void add_words(Matrix& a, const Matrix& b, const std::vector<Index>& word) const {
    for (Index c = 0; c < b.rows(); ++c) {
      double* into = a.row(position[c]).data();
      const double* from = b.row(c).data();
      for (std::size_t i = 0; i < word.size(); ++i) into[word[i]] += from[i];
    }
  }
};

/// `a` with the levels that either declares.
Schema join_declared_levels(const Schema& a, const Schema& b) {
  std::vector<Feature> features = a.features();
  for (std::size_t i = 0; i < features.size(); ++i) {
    const std::vector<std::string>& other = b.features()[i].levels;
    if (features[i].levels != other)
      features[i].levels = join(Names(features[i].levels), Names(other)).list();
  }
  std::vector<std::vector<Index>> blocks;
  for (const Block& block : a.blocks()) blocks.push_back(block.features);
  return Schema(std::move(features), std::move(blocks))
      .with_label(a.label().empty() ? b.label() : a.label());
}

/// Parts is const where `b` must stay as it is.
template <class Parts>
void add(Statistics::Parts& a, Parts& b, Workers* workers = nullptr) {
  if (a.schema != b.schema) a.schema = join_declared_levels(a.schema, b.schema);
  const bool fresh = a.labels.empty();
  const bool unseen = fresh || (a.labels == b.labels &&
                                std::ranges::all_of(a.weights, [](double w) { return w == 0; }));
  join_labels(a, b.labels);
  const std::vector<Index> position = a.labels.positions_of(b.labels);
  for (Index c = 0; c < b.labels.size(); ++c) {
    a.weights[position[c]] += b.weights[c];
    a.squared_weights[position[c]] += b.squared_weights[c];
  }
  for (std::size_t i = 0; i < a.blocks.size(); ++i)
    std::visit(Merge{position, fresh, unseen, workers}, a.blocks[i], b.blocks[i]);
}

/// What is infinite if a sum of class c and feature j is. The weight of the class bounds counts of
/// levels.
struct Largest {
  Index c, j;

  // The diagonal bounds the rest of a scatter.
  double operator()(const GaussianStatistics& sums) const {
    const auto& [complete, present] = sums.classes[c];
    double sum = present.squares.empty() ? 0 : present.squares[j];
    if (!complete.squares.empty()) sum += complete.squares[j];
    if (!sums.pooled.empty()) sum += sums.pooled(j, j);
    if (!complete.scatter.empty()) sum += complete.scatter(j, j);
    for (Index i = 0; i < complete.factor.rows(); ++i)
      sum += complete.factor(i, j) * complete.factor(i, j);
    return sum;
  }
  double operator()(const CountStatistics& sums) const { return sums.sum(c, j); }
  double operator()(const CategoricalStatistics&) const { return 0; }
  double operator()(const TextStatistics& sums) const {
    const auto counts = sums.count[j].row(c);
    return std::reduce(counts.begin(), counts.end());
  }
};

/// The first feature of which class c of one block and class k of another have an infinite sum
/// together; −1: none.
struct InfiniteTogether {
  Index c, k;

  Index operator()(const GaussianStatistics& a, const GaussianStatistics& b) const {
    if (c >= std::ssize(a.classes)) return -1;
    Moments both = a.moments(c);
    merge_into(both, b.moments(k));
    return first(both.squares.size(), [&](Index j) { return both.squares[j]; });
  }
  Index operator()(const CountStatistics& a, const CountStatistics& b) const {
    if (c >= a.sum.rows()) return -1;
    return first(b.sum.cols(), [&](Index j) { return a.sum(c, j) + b.sum(k, j); });
  }
  Index operator()(const CategoricalStatistics&, const CategoricalStatistics&) const { return -1; }
  // Less than half of the last digit of the largest double changes no sum of `a` to infinity, and
  // need not be compared with a vocabulary that may be large.
  Index operator()(const TextStatistics& a, const TextStatistics& b) const {
    return first(std::ssize(b.count), [&](Index j) {
      const double more = Largest{k, j}(b);
      return c < a.count[j].rows() && more > 0x1p969 ? Largest{c, j}(a) + more : 0;
    });
  }
  template <class A, class B>
  requires(!std::same_as<A, B>) Index operator()(const A&, const B&) const {
    return -1;  // never: compatible schemas have the same families
  }

 private:
  template <class Sum>
  static Index first(Index features, const Sum& sum) {
    for (Index j = 0; j < features; ++j)
      if (!std::isfinite(sum(j))) return j;
    return -1;
  }
};

bool all_below(const double* values, Index count, double bound) {
  bool below = true;
  for (Index i = 0; i < count; ++i) below &= std::abs(values[i]) < bound;
  return below;
}

bool all_below(const Vector& values, double bound) {
  return all_below(values.data(), values.size(), bound);
}

bool diagonal_below(const Matrix& matrix, double bound) {
  for (Index j = 0; j < matrix.rows(); ++j)
    if (!(matrix(j, j) < bound)) return false;
  return true;
}

constexpr double most_squares = 1e300;

/// Whether a class is so far from infinite sums that it stays finite together with another such
/// class: the squared distance of means below 1e100, times a weight below 1e100, is below 4e300.
/// The usual case, which is told without adding anything.
bool is_small(const GaussianStatistics::Class& sums) {
  constexpr double most = 1e100, most_factor = 1e140;
  const auto& [complete, present] = sums;
  return complete.weight < most && all_below(complete.mean, most) &&
         all_below(complete.squares, most_squares) && all_below(present.weight, most) &&
         all_below(present.mean, most) && all_below(present.squares, most_squares) &&
         diagonal_below(complete.scatter, most_squares) &&
         all_below(complete.factor.data(), complete.factor.rows() * complete.factor.cols(),
                   most_factor);
}

bool are_small(const BlockStatistics& a, const BlockStatistics& b,
               const std::vector<Index>& position) {
  const auto* old = std::get_if<GaussianStatistics>(&a);
  if (!old) return false;
  const auto& more = std::get<GaussianStatistics>(b);
  if (!diagonal_below(old->pooled, most_squares) || !diagonal_below(more.pooled, most_squares))
    return false;
  for (std::size_t k = 0; k < position.size(); ++k)
    if (!is_small(more.classes[k]) ||
        (position[k] < std::ssize(old->classes) && !is_small(old->classes[position[k]])))
      return false;
  return true;
}

/// The first feature of which the pooled scatter of both is infinite; −1: none. It grows by what
/// the squares of each class do.
Index infinite_pooled(const BlockStatistics& a, const BlockStatistics& b,
                      const std::vector<Index>& position) {
  const auto* old = std::get_if<GaussianStatistics>(&a);
  if (!old || old->pooled.empty()) return -1;
  const auto& more = std::get<GaussianStatistics>(b);
  Vector sum(old->pooled.cols());
  for (Index j = 0; j < sum.size(); ++j) sum[j] = old->pooled(j, j);
  for (std::size_t k = 0; k < position.size(); ++k) {
    Moments both = more.moments(static_cast<Index>(k));
    if (position[k] < std::ssize(old->classes)) {
      const Moments before = old->moments(position[k]);
      merge_into(both, before);
      for (Index j = 0; j < before.squares.size(); ++j) sum[j] -= before.squares[j];
    }
    for (Index j = 0; j < both.squares.size(); ++j) sum[j] += both.squares[j];
  }
  const auto found = std::ranges::find_if(sum, [](double value) { return !std::isfinite(value); });
  return found == sum.end() ? -1 : found - sum.begin();
}

[[noreturn]] void throw_infinite(std::string_view verb, const std::string& what,
                                 const std::string& label, std::vector<std::string> features) {
  throw DataError({.label = label, .features = std::move(features)},
                  std::string(verb) + ": " + what + " is beyond what a double can hold",
                  "use smaller weights or other units");
}

}  // namespace

void require_compatible(const Statistics::Parts& a, const Statistics::Parts& b,
                        std::string_view verb) {
  a.schema.require_compatible(b.schema, verb);
  for (std::size_t i = 0; i < a.blocks.size(); ++i) {
    const auto* left = std::get_if<GaussianStatistics>(&a.blocks[i]);
    const auto* right = std::get_if<GaussianStatistics>(&b.blocks[i]);
    const auto is_whole = [](const GaussianStatistics& of) { return of.kind != Scatter::diagonal; };
    if (left && right && is_whole(*left) != is_whole(*right))
      throw InvalidArgument(
          "cannot " + std::string(verb) +
              " statistics of which one kept the whole scatter and the other its diagonal only",
          "collect both with the same kind of scatter");
  }
}

std::optional<Scatter> common_kind(const Statistics::Parts& a, const Statistics::Parts& b) {
  std::optional<Scatter> result;
  for (std::size_t i = 0; i < a.blocks.size(); ++i) {
    const auto* left = std::get_if<GaussianStatistics>(&a.blocks[i]);
    const auto* right = std::get_if<GaussianStatistics>(&b.blocks[i]);
    if (!left || !right || left->kind == right->kind) continue;
    const bool pooled = left->kind == Scatter::pooled || right->kind == Scatter::pooled;
    if (pooled || !result) result = pooled ? Scatter::pooled : Scatter::dense;
  }
  return result;
}

void merge_into(Statistics::Parts& a, Statistics::Parts&& b, Workers* workers) {
  add(a, b, workers);
}

void merge_into(BlockStatistics& a, BlockStatistics&& b, const std::vector<Index>& position,
                bool fresh, Workers* workers) {
  std::visit(Merge{position, fresh, fresh, workers}, a, b);
}

void require_finite(const Statistics::Parts& parts, std::string_view verb) {
  require_finite(parts.schema, parts.labels.list(), parts.weights, parts.squared_weights,
                 parts.blocks, verb);
}

void require_finite(const Schema& schema, std::span<const std::string> labels,
                    const Vector& weights, const Vector& squared_weights,
                    const std::vector<BlockStatistics>& blocks, std::string_view verb) {
  const auto check = [&](Index c, double value, const std::string& what,
                         std::vector<std::string> names = {}) {
    if (!std::isfinite(value)) throw_infinite(verb, what, labels[c], std::move(names));
  };
  for (Index c = 0; c < std::ssize(labels); ++c) {
    check(c, weights[c] + squared_weights[c], "the weight");
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const std::vector<Index>& features = schema.blocks()[b].features;
      const auto* counts = std::get_if<CountStatistics>(&blocks[b]);
      const Index d = std::ssize(features);
      if (counts && kernels::all_pass(kernels::Check::finite, counts->sum.row(c).data(), d, 1, d))
        continue;
      const auto* gaussian = std::get_if<GaussianStatistics>(&blocks[b]);
      if (gaussian && gaussian->pooled.empty() && is_small(gaussian->classes[c])) continue;
      for (Index j = 0; j < d; ++j) {
        const double sum = std::visit(Largest{c, j}, blocks[b]);
        if (!std::isfinite(sum)) check(c, sum, "the sum", {schema.feature(features[j]).name});
      }
    }
  }
}

void require_finite_merge(const Schema& schema, std::span<const std::string> labels,
                          const std::vector<BlockStatistics>& a,
                          const std::vector<BlockStatistics>& b, const std::vector<Index>& position,
                          std::string_view verb) {
  const auto check = [&](const std::string& label, std::size_t block, Index j) {
    if (j >= 0)
      throw_infinite(verb, "the sum", label,
                     {schema.feature(schema.blocks()[block].features[j]).name});
  };
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (are_small(a[i], b[i], position)) continue;
    for (std::size_t c = 0; c < labels.size(); ++c)
      check(labels[c], i,
            std::visit(InfiniteTogether{position[c], static_cast<Index>(c)}, a[i], b[i]));
    check("", i, infinite_pooled(a[i], b[i], position));
  }
}

void require_finite_merge(const Statistics::Parts& a, const Statistics::Parts& b,
                          std::string_view verb) {
  std::vector<Index> position = a.labels.positions_of(b.labels);
  Vector weights = b.weights, squares = b.squared_weights;
  for (Index c = 0; c < b.labels.size(); ++c) {
    Index& of = position[static_cast<std::size_t>(c)];
    if (of < 0) {
      of = a.labels.size();
      continue;
    }
    weights[c] += a.weights[of];
    squares[c] += a.squared_weights[of];
  }
  require_finite(b.schema, b.labels.list(), weights, squares, {}, verb);
  require_finite_merge(b.schema, b.labels.list(), a.blocks, b.blocks, position, verb);
}

Statistics merge(Statistics a, const Statistics& b) {
  require_compatible(a.parts(), b.parts(), "merge");
  if (const auto kind = common_kind(a.parts(), b.parts()))
    return merge(with_scatter(a, *kind), with_scatter(b, *kind));
  add(a.parts_, b.parts());
  require_finite(a.parts_, "merge");
  return a;
}

}  // namespace suffice
