// Blocks whose densities have no marginals. A column that is not in a set has its mean over the
// training rows there, so that every set is a whole row.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "algebra/blas.hpp"
#include "core/at.hpp"
#include "core/kernels.hpp"
#include "evidence/block_game.hpp"
#include "evidence/block_numbers.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {
namespace {

/// The model of one block, whose rows are the block's numbers as densities take them.
Model model_of_block(const Model& model, std::size_t block) {
  const Block& of = model.schema().blocks()[block];
  std::vector<Feature> features;
  for (const Index feature : of.features) {
    Feature& copy = features.emplace_back(model.schema().feature(feature));
    copy.transform = Transform::none;
    copy.indicator.reset();
  }
  Model::Parts parts{.schema = Schema(std::move(features)),
                     .labels = model.labels(),
                     .weights = model.weights(),
                     .densities = {model.densities()[block]}};
  if (model.logistic()) {
    const LogisticFactor& factor = *model.factors().logistic;
    const Logistic& whole = *model.logistic();
    const Index classes = parts.labels.size(), first = factor.first_term[block];
    const Index terms = term_count(parts.densities[0]);
    const auto slice = [](const Vector& from, Index begin, Index size) {
      return Vector(std::span(from.data() + begin, at(size)));
    };
    Logistic& part =
        parts.logistic.emplace(Logistic{.weights = Matrix(classes, terms),
                                        .intercept = Vector(classes),
                                        .center = slice(whole.center, first, terms),
                                        .scale = slice(whole.scale, first, terms),
                                        .origin = slice(whole.origin, factor.first_origin[block],
                                                        origin_count(parts.densities[0]))});
    for (Index c = 0; c < classes; ++c)
      std::copy_n(whole.weights.row(c).data() + first, terms, part.weights.row(c).data());
  }
  return Model(std::move(parts));
}

class MeanRowGame : public BlockGame {
 public:
  explicit MeanRowGame(const BlockGameInput& input)
      : input_(input),
        density_(std::get<GaussianDensity>(input.model.densities()[input.block])),
        numbers_(input.model.schema(), input.schema_block(), input.rows, input.workers),
        of_block_(model_of_block(input.model, input.block)),
        factor_(std::get<GaussianFactor>(of_block_.factors().blocks[0])),
        logistic_(of_block_.logistic().has_value()),
        projected_(!density_.projection.empty()),
        mean_row_(numbers_.features()) {
    const LinearMap& map = density_.projection;
    for (Index j = 0; j < numbers_.features(); ++j)
      if (projected_ ? std::ranges::any_of(map.matrix.row(j), [](double m) { return m != 0; })
                     : std::ranges::binary_search(factor_.used, j))
        active_.push_back(j);
    if (projected_) {
      mean_row_ = map.offset;
    } else {
      const Vector& mean = of_block_.factors().logistic->expected.mean(0);
      for (std::size_t k = 0; k < factor_.used.size(); ++k)
        mean_row_[factor_.used[k]] = mean[static_cast<Index>(k)];
    }
    fills_in_jointly_ = logistic_ && !projected_ && !factor_.whitener.empty();
    Matrix rows(2, mean_row_.size());
    std::ranges::copy(mean_row_, rows.row(0).begin());
    std::ranges::fill(rows.row(1), std::numeric_limits<double>::quiet_NaN());
    scores_ = log_likelihood(of_block_, rows, {}, {.threads = 1}).values;
  }

  std::unique_ptr<Scratch> scratch() const override { return std::make_unique<Own>(); }

  void read(Index first, Index count, Scratch& scratch) const override {
    Own& own = static_cast<Own&>(scratch);
    numbers_.read(first, count, own.numbers);
    own.gaps.assign(at(count), false);
    for (Index i = 0; i < count; ++i)
      for (const Index j : active_)
        own.gaps[at(i)] = own.gaps[at(i)] || std::isnan(BlockNumbers::row(i, own.numbers)[j]);
  }

  void add_players(Index i, const Scratch& scratch, std::vector<bool>& columns) const override {
    const Own& own = static_cast<const Own&>(scratch);
    if (says_nothing(i, own)) return;
    for (const Index j : active_)
      if (const Index column = numbers_.owner(i, j, own.numbers);
          column < numbers_.columns() && !std::isnan(BlockNumbers::row(i, own.numbers)[j]))
        columns[at(column)] = true;
  }

  bool is_sampled() const override { return !is_quadratic() || fills_in_jointly_; }

  std::vector<Index> add_shares(Index c, double factor, double, std::span<const Index> rows,
                                Scratch& scratch, const Shares& shares) const override {
    Own& own = static_cast<Own&>(scratch);
    if (!is_quadratic()) return {rows.begin(), rows.end()};
    std::vector<Index> rest;
    for (const Index i : rows) {
      if (own.gaps[at(i)] && fills_in_jointly_)
        rest.push_back(i);
      else
        add_row(c, factor, i, own, shares.row(i));
    }
    return rest;
  }

  void add_worth(const Walk& walk, Index i, std::span<const Index> classes, double factor,
                 Scratch& scratch, double* worth) const override {
    Own& own = static_cast<Own&>(scratch);
    const double* x = BlockNumbers::row(i, own.numbers);
    const Index d = numbers_.features(), count = std::ssize(classes);
    const std::vector<Index> owner = owners(i, own);
    // Rows with each set, some at a time: those of the parents are needed.
    Matrix rows(walk.nodes(), d);
    for (Index node = 0; node < walk.nodes(); ++node) {
      const auto to = rows.row(node);
      if (node == 0) {
        std::ranges::copy(known_row(i, own), to.begin());
        continue;
      }
      std::ranges::copy(rows.row(walk.parent(node)), to.begin());
      const Index player = walk.players[at(walk.added(node))];
      for (const Index j : active_)
        if (owner[at(j)] == player) to[at(j)] = x[j];
    }
    const LogLikelihoods scores = log_likelihood(of_block_, rows, {}, {.threads = 1});
    for (Index node = 0; node < walk.nodes(); ++node)
      for (Index k = 0; k < count; ++k)
        worth[node * count + k] +=
            factor * (scores.values(node, classes[at(k)]) + correction(classes[at(k)]));
  }

 private:
  struct Own : Scratch {
    BlockNumbers::Scratch numbers;
    std::vector<bool> gaps;  ///< per row: whether a value is missing
  };

  bool is_quadratic() const { return logistic_ || (factor_.dof.empty() && factor_.thin.empty()); }
  /// A row that lacks a feature of a projection lacks all of it.
  bool says_nothing(Index i, const Own& own) const { return projected_ && own.gaps[at(i)]; }

  std::vector<Index> owners(Index i, const Own& own) const {
    std::vector<Index> owner(at(numbers_.features()));
    for (const Index j : active_) owner[at(j)] = numbers_.owner(i, j, own.numbers);
    return owner;
  }

  /// The row of no column: means, and what is known without asking. What is missing stays so.
  Vector known_row(Index i, const Own& own) const {
    const double* x = BlockNumbers::row(i, own.numbers);
    Vector row = mean_row_;
    for (const Index j : active_) {
      if (own.gaps[at(i)] && (projected_ || std::isnan(x[j])))
        row[j] = std::numeric_limits<double>::quiet_NaN();
      else if (numbers_.owner(i, j, own.numbers) == numbers_.columns())
        row[j] = x[j];
    }
    return row;
  }

  /// The scores of the block alone have a prior of their own divided out, and not the intercepts.
  double correction(Index c) const {
    if (!logistic_) return 0;
    const double base = input_.block == 0 ? input_.model.factors().logistic->base[c] : 0;
    return base - of_block_.factors().logistic->base[c];
  }

  /// The shares of a quadratic function: the way of each number from its mean times the slope
  /// half-way.
  void add_row(Index c, double factor, Index i, const Own& own, double* to) const {
    to[numbers_.columns()] += factor * correction(c);
    if (says_nothing(i, own)) {
      to[numbers_.columns()] += factor * scores_(1, c);
      return;
    }
    const Vector known = known_row(i, own);
    to[numbers_.columns()] += factor * score_of_known(c, i, known, own);
    const double* x = BlockNumbers::row(i, own.numbers);
    Vector half(known.size());
    for (const Index j : active_)
      half[j] = std::isnan(x[j]) ? mean_row_[j] : known[j] + 0.5 * (x[j] - known[j]);
    const Vector slope = slope_at(c, half);
    for (const Index j : active_)
      if (const Index column = numbers_.owner(i, j, own.numbers);
          column < numbers_.columns() && !std::isnan(x[j]))
        to[column] += factor * slope[j] * (x[j] - known[j]);
  }

  double score_of_known(Index c, Index i, const Vector& known, const Own& own) const {
    const bool is_mean_row = std::ranges::none_of(
        active_, [&](Index j) { return numbers_.owner(i, j, own.numbers) == numbers_.columns(); });
    if (is_mean_row) return scores_(0, c);
    Matrix row(1, known.size());
    std::ranges::copy(known, row.row(0).begin());
    return log_likelihood(of_block_, row, {}, {.threads = 1}).values(0, c);
  }

  /// The derivatives of the score by the numbers of a row.
  Vector slope_at(Index c, const Vector& x) const {
    const Index n = std::ssize(factor_.used);
    const LinearMap& map = density_.projection;
    Vector z(n), slope(n);  // by what the density is of, without constants
    if (projected_) {
      for (Index k = 0; k < n; ++k)
        for (const Index j : active_)
          z[k] += (x[j] - map.offset[j]) * map.matrix(j, factor_.used[at(k)]);
    } else {
      for (Index k = 0; k < n; ++k) z[k] = x[factor_.used[at(k)]];
    }
    if (logistic_)
      add_slope_of_terms(c, z, slope);
    else
      add_slope_of_density(c, z, slope);
    Vector result(numbers_.features());
    for (Index k = 0; k < n && !projected_; ++k) result[factor_.used[at(k)]] = slope[k];
    for (const Index j : active_)
      for (Index k = 0; k < n && projected_; ++k)
        result[j] += map.matrix(j, factor_.used[at(k)]) * slope[k];
    return result;
  }

  void add_slope_of_terms(Index c, const Vector& z, Vector& slope) const {
    const Logistic& of = *of_block_.logistic();
    const Powers powers = powers_of(density_);
    const Index n = z.size();
    const auto weight = of.weights.row(c);
    for (Index k = 0; k < n; ++k) slope[k] = weight[at(k)];
    if (powers == Powers::linear) return;
    Index t = n;
    for (Index i = 0; i < n; ++i)
      for (Index j = i; j < (powers == Powers::products ? n : i + 1); ++j, ++t) {
        slope[i] += weight[at(t)] * (z[j] - of.origin[j]);
        slope[j] += weight[at(t)] * (z[i] - of.origin[i]);
      }
  }

  /// −Σ⁻¹ (z − m); of densities that share Σ, Σ⁻¹ m: what is left out is the same for all.
  void add_slope_of_density(Index c, const Vector& z, Vector& slope) const {
    const Index n = z.size();
    if (!factor_.linear.empty()) {
      std::ranges::copy(factor_.linear.row(c), slope.begin());
      return;
    }
    Vector apart(n), white(n);
    for (Index k = 0; k < n; ++k) apart[k] = factor_.mean(c, k) - (z[k] - factor_.center[k]);
    if (factor_.whitener.empty()) {
      const auto inverse =
          factor_.inverse_deviation.row(factor_.inverse_deviation.rows() == 1 ? 0 : c);
      for (Index k = 0; k < n; ++k) slope[k] = apart[k] * inverse[at(k)] * inverse[at(k)];
      return;
    }
    const double* whitener = factor_.whitener[factor_.whitener.size() == 1 ? 0 : at(c)].data();
    kernels::rows_times(n, n, whitener, n, apart.data(), white.data());
    kernels::add_rows(n, n, whitener, n, white.data(), slope.data());
  }

  BlockGameInput input_;
  const GaussianDensity& density_;
  BlockNumbers numbers_;
  Model of_block_;
  const GaussianFactor& factor_;
  bool logistic_, projected_, fills_in_jointly_ = false;
  Vector mean_row_;            // per feature
  Matrix scores_;              // of the block: of the mean row, and of one without any value
  std::vector<Index> active_;  // features that have a part in the scores
};

}  // namespace

std::unique_ptr<BlockGame> make_mean_row_game(const BlockGameInput& input) {
  return std::make_unique<MeanRowGame>(input);
}

}  // namespace suffice
