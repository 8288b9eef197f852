#include "evidence/joint_orders.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "algebra/blas.hpp"
#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/kernels.hpp"
#include "factor/whitener.hpp"
#include "models/gaussian_density.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

/// What is kept of directions, and of all patterns of a block.
constexpr std::size_t most_directions = std::size_t{64} << 20, most_bytes = std::size_t{256} << 20;

Index upper_triangle(Index n) { return n * (n + 1) / 2; }

}  // namespace

JointOrders::JointOrders(const Input& input, std::string parts)
    : model_(input.model),
      density_(std::get<GaussianDensity>(input.model.densities()[input.block])),
      factor_(std::get<GaussianFactor>(input.model.factors().blocks[input.block])),
      orders_(input.orders),
      roots_(at(is_tied(density_.structure) ? 1 : input.model.labels().size())) {
  for (Index j = 0; j < std::ssize(parts); ++j)
    if (parts[at(j)] == given) features_.push_back(j);
  given_ = std::ssize(features_);
  for (Index j = 0; j < std::ssize(parts); ++j) {
    if (parts[at(j)] != present) continue;
    features_.push_back(j);
    players_.push_back(input.column[at(j)]);
  }
  std::ranges::sort(players_);
  players_.erase(std::unique(players_.begin(), players_.end()), players_.end());
  of_player_.resize(players_.size());
  for (Index k = given_; k < std::ssize(features_); ++k) {
    const auto player = std::ranges::lower_bound(players_, input.column[at(features_[at(k)])]);
    of_player_[at(player - players_.begin())].push_back(k);
  }
}

JointOrders::Root& JointOrders::root(Index c) {
  Root& root = roots_[roots_.size() == 1 ? 0 : at(c)];
  std::call_once(root.made, [&] {
    const Index n = std::ssize(features_), k = roots_.size() == 1 ? 0 : c;
    if (n == 0) return;
    std::vector<Index> in_block;
    for (const Index j : features_) in_block.push_back(factor_.used[at(j)]);
    double log_norm = 0;
    if (!is_dense(density_.structure)) {
      root.whitener = Matrix(n, n);
      for (Index i = 0; i < n; ++i) {
        const double inverse = factor_.inverse_deviation(
            factor_.inverse_deviation.rows() == 1 ? 0 : c, features_[at(i)]);
        root.whitener(i, i) = inverse;
        log_norm += std::log(inverse) - 0.5 * log_2pi;
      }
    } else {
      std::vector<Index> all(at(n));
      for (Index i = 0; i < n; ++i) all[at(i)] = i;
      const Index rank =
          density_.thin.empty()
              ? whiten(density_.covariance[at(k)], in_block, root.whitener, log_norm)
              : whiten(covariance_of(density_.thin, k, in_block), all, root.whitener, log_norm);
      if (rank != n) throw Error("a marginal of a positive definite covariance came out singular");
    }
    root.log_deviation = -log_norm - 0.5 * static_cast<double>(n) * log_2pi;
    root.root = root.whitener;
    blas::invert_lower(n, root.root.data(), n);
  });
  return root;
}

const Matrix& JointOrders::whitener(Index c) { return root(c).whitener; }

const std::vector<Index>& JointOrders::features_of(const Walk& walk, Index node) const {
  const Index player = walk.players[at(walk.added(node))];
  return of_player_[at(std::ranges::lower_bound(players_, player) - players_.begin())];
}

/// Gram and Schmidt, twice: once more takes out what rounding left of the span.
Directions JointOrders::make_directions(const Root& root, const Walk& walk) const {
  const Index n = std::ssize(features_), nodes = walk.nodes();
  Directions result{.vectors = {},
                    .first = {0},
                    .features = std::vector<Index>(at(nodes)),
                    .log_deviation = Vector(nodes)};
  for (Index node = 0; node < nodes; ++node)
    result.first.push_back(result.first.back() +
                           (node == 0 ? given_ : std::ssize(features_of(walk, node))));
  result.vectors = Matrix(result.first.back(), n);
  Matrix span(n, n);  // the vectors of the sets before a node
  Vector along(n);
  for (Index node = 0; node < nodes; ++node) {
    const Index parent = node == 0 ? 0 : walk.parent(node);
    Index known = node == 0 ? 0 : result.features[at(parent)];
    if (walk.all_sets) {
      Index to = known;
      for (Index k = parent; node > 0; k = walk.parent(k)) {
        for (Index v = result.first[at(k + 1)]; v-- > result.first[at(k)];)
          std::ranges::copy(result.vectors.row(v), span.row(--to).begin());
        if (k == 0) break;
      }
    }
    double log_deviation = node == 0 ? 0 : result.log_deviation[parent];
    for (Index v = result.first[at(node)]; v < result.first[at(node + 1)]; ++v, ++known) {
      const Index place = v - result.first[at(node)];
      const Index feature = node == 0 ? place : features_of(walk, node)[at(place)];
      const auto vector = result.vectors.row(v);
      std::ranges::copy(root.root.row(feature), vector.begin());
      std::fill(vector.begin() + feature + 1, vector.end(), 0.0);
      for (int pass = 0; pass < 2 && known > 0; ++pass) {
        kernels::rows_times(known, n, span.data(), n, vector.data(), along.data());
        for (Index k = 0; k < known; ++k) along[k] = -along[k];
        kernels::add_rows(known, n, span.data(), n, along.data(), vector.data());
      }
      double square = 0;
      for (const double x : vector) square += x * x;
      const double norm = std::sqrt(square);
      for (double& x : vector) x /= norm;
      log_deviation += std::log(norm);
      std::ranges::copy(vector, span.row(known).begin());
    }
    result.features[at(node)] = known;
    result.log_deviation[node] = known == n ? root.log_deviation : log_deviation;
  }
  return result;
}

std::shared_ptr<const Directions> JointOrders::directions(Index c, const Walk& walk) {
  const std::pair key{walk.all_sets ? Index{-1} : walk.number, roots_.size() == 1 ? 0 : c};
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = directions_.find(key); found != directions_.end()) return found->second;
  }
  auto made = std::make_shared<const Directions>(make_directions(root(c), walk));
  const std::size_t bytes = sizeof(double) * at(made->vectors.size());
  const std::lock_guard lock(mutex_);
  if (kept_ + bytes <= most_directions && directions_.emplace(key, made).second) kept_ += bytes;
  return made;
}

template <class Use>
Vector JointOrders::average(const Root& root, const Use& use) const {
  const Index players = std::ssize(players_), walks = orders_.count(players);
  const double share = 1 / static_cast<double>(walks);
  Vector constant(players + 1), unit(players + 1);
  unit[players] = 1;
  for (Index number = 0; number < walks; ++number) {
    const Walk walk = orders_.walk(number, players_);
    const Directions directions = make_directions(root, walk);
    const auto log_peak = [&](Index node) {
      return -0.5 * log_2pi * static_cast<double>(directions.features[at(node)]) -
             directions.log_deviation[node];
    };
    if (number == 0) {
      constant[players] = log_peak(0);
      for (Index v = 0; v < given_; ++v) use(directions.vectors.row(v), unit);
    }
    std::vector<Index> place;  // of the walk's players among all
    for (const Index player : walk.players)
      place.push_back(std::ranges::lower_bound(players_, player) - players_.begin());
    Matrix weights = walk.weights();
    for (Index node = 0; node < walk.nodes(); ++node)
      for (Index p = 0; p < players; ++p)
        constant[place[at(p)]] += share * weights(node, p) * log_peak(node);
    // A vector of a node is part of all sets that come from it.
    Vector of_node(players + 1);
    for (Index node = walk.nodes(); node-- > 1;) {
      const Index parent = walk.parent(node);
      for (Index p = 0; p < players; ++p) {
        of_node[place[at(p)]] = share * weights(node, p);
        weights(parent, p) += weights(node, p);
      }
      for (Index v = directions.first[at(node)]; v < directions.first[at(node + 1)]; ++v)
        use(directions.vectors.row(v), of_node);
    }
  }
  return constant;
}

const NormalForms& JointOrders::normal_forms(Index c) {
  Root& of = root(c);
  std::call_once(of.averaged, [&] {
    const Index n = std::ssize(features_);
    Matrix forms(std::ssize(players_) + 1, upper_triangle(n));
    Vector square(forms.cols());
    of.forms.constant = average(of, [&](std::span<const double> w, const Vector& weights) {
      double* to = square.data();
      for (std::size_t i = 0; i < w.size(); ++i) {
        *to++ = w[i] * w[i];
        for (std::size_t j = i + 1; j < w.size(); ++j) *to++ = 2 * w[i] * w[j];
      }
      for (Index p = 0; p < forms.rows(); ++p)
        if (weights[p] != 0) forms.map().row(p) += weights[p] * square.map().transpose();
    });
    of.forms.forms = std::move(forms);
  });
  return of.forms;
}

const LinearForms& JointOrders::linear_forms() {
  std::call_once(linear_made_, [&] {
    const Root& of = root(0);
    const Index n = std::ssize(features_), players = std::ssize(players_) + 1;
    const Index classes = model_.labels().size();
    Matrix means(classes, n);  // L⁻¹ (m − center)
    Vector mean(n);
    for (Index c = 0; c < classes && n > 0; ++c) {
      for (Index k = 0; k < n; ++k) mean[k] = factor_.mean(c, features_[at(k)]);
      kernels::rows_times(n, n, of.whitener.data(), n, mean.data(), means.row(c).data());
    }
    linear_ = {.linear = std::vector<Matrix>(at(classes), Matrix(players, n)),
               .constant = Matrix(classes, players)};
    average(of, [&](std::span<const double> w, const Vector& weights) {
      for (Index c = 0; c < classes; ++c) {
        const auto of_class = means.row(c);
        const double along = std::inner_product(w.begin(), w.end(), of_class.begin(), 0.0);
        for (Index p = 0; p < players; ++p) {
          if (weights[p] == 0) continue;
          linear_.constant(c, p) -= 0.5 * weights[p] * along * along;
          const auto to = linear_.linear[at(c)].row(p);
          for (std::size_t k = 0; k < w.size(); ++k) to[k] += weights[p] * along * w[k];
        }
      }
    });
  });
  return linear_;
}

std::size_t JointOrders::bytes() const noexcept {
  const auto n = features_.size(), players = players_.size() + 1;
  const bool tied = is_tied(density_.structure);
  return sizeof(double) * (roots_.size() * (2 * n * n + players * n * (n + 1) / 2) +
                           (tied ? at(model_.labels().size()) * players * n : 0)) +
         (n > 0 ? most_directions / 16 : 0);
}

std::shared_ptr<JointOrders> AveragedOrders::of(const JointOrders::Input& input,
                                                const std::string& parts) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_parts_.find(parts); found != by_parts_.end()) return found->second;
  auto made = std::make_shared<JointOrders>(input, parts);
  if (bytes_ + made->bytes() > most_bytes) {
    by_parts_.clear();
    bytes_ = 0;
  }
  bytes_ += made->bytes();
  return by_parts_.emplace(parts, std::move(made)).first->second;
}

}  // namespace suffice
