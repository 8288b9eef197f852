#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "algebra/blas.hpp"
#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/kernels.hpp"
#include "core/special_functions.hpp"
#include "evidence/block_game.hpp"
#include "evidence/block_numbers.hpp"
#include "evidence/joint_orders.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

/// Numbers that averages over orders may take, of all classes.
constexpr Index most_averages = Index{1} << 24;

class JointGame : public BlockGame {
 public:
  explicit JointGame(const BlockGameInput& input)
      : input_(input),
        density_(std::get<GaussianDensity>(input.model.densities()[input.block])),
        factor_(std::get<GaussianFactor>(input.model.factors().blocks[input.block])),
        numbers_(input.model.schema(), input.schema_block(), input.rows, input.workers),
        d_(std::ssize(factor_.used)),
        student_(!factor_.dof.empty()) {
    for (const Index j : factor_.used) column_.push_back(numbers_.column(j));
    const Index classes = input.model.labels().size();
    averages_ =
        !student_ &&
        classes * (d_ + 1) * (is_tied(density_.structure) ? d_ : d_ * d_ / 2) <= most_averages;
    // What Student's t of k features has beyond a normal density at the mean.
    if (student_) beyond_normal_ = Matrix(classes, d_ + 1);
    for (Index c = 0; c < beyond_normal_.rows(); ++c)
      for (Index k = 0; k <= d_ && input.model.weights()[c] > 0; ++k) {
        const double half = 0.5 * static_cast<double>(k);
        beyond_normal_(c, k) =
            log_gamma_excess(factor_.dof(c, 0) / 2, half) - half * std::log(spread(c));
      }
  }

  std::unique_ptr<Scratch> scratch() const override { return std::make_unique<Own>(); }

  void read(Index first, Index count, Scratch& scratch) const override {
    Own& own = static_cast<Own&>(scratch);
    numbers_.read(first, count, own.numbers);
    own.orders.assign(at(count), nullptr);
    own.whitened.assign(at(input_.model.labels().size()), {});
    own.rows = count;
    std::string parts(at(d_), JointOrders::absent), before;
    for (Index i = 0; i < count; ++i) {
      const double* x = BlockNumbers::row(i, own.numbers);
      for (Index k = 0; k < d_; ++k) {
        const Index j = factor_.used[at(k)];
        parts[at(k)] = std::isnan(x[j]) ? JointOrders::absent
                       : numbers_.owner(i, j, own.numbers) == numbers_.columns()
                           ? JointOrders::given
                           : JointOrders::present;
      }
      if (i == 0 || parts != before)
        own.orders[at(i)] = input_.averaged.of({input_.model, input_.block, input_.orders, column_},
                                               before = parts);
      else
        own.orders[at(i)] = own.orders[at(i - 1)];
    }
  }

  void add_players(Index i, const Scratch& scratch, std::vector<bool>& columns) const override {
    for (const Index player : static_cast<const Own&>(scratch).orders[at(i)]->players())
      columns[at(player)] = true;
  }

  bool is_sampled() const override { return true; }

  std::vector<Index> add_shares(Index c, double factor, double, std::span<const Index> rows,
                                Scratch& scratch, const Shares& shares) const override {
    if (!averages_) return {rows.begin(), rows.end()};
    Own& own = static_cast<Own&>(scratch);
    std::vector<Index> sorted(rows.begin(), rows.end()), group;
    std::ranges::stable_sort(sorted, {}, [&](Index i) { return own.orders[at(i)].get(); });
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      group.push_back(sorted[k]);
      if (k + 1 < sorted.size() && own.orders[at(sorted[k + 1])] == own.orders[at(sorted[k])])
        continue;
      add_averages(c, factor, group, own, shares);
      group.clear();
    }
    return {};
  }

  void add_worth(const Walk& walk, Index i, std::span<const Index> classes, double factor,
                 Scratch& scratch, double* worth) const override {
    Own& own = static_cast<Own&>(scratch);
    JointOrders& orders = *own.orders[at(i)];
    if (orders.features().empty()) return;
    const Index n = std::ssize(orders.features()), count = std::ssize(classes);
    remember(walk, classes, orders, own);
    for (Index k = 0; k < count; ++k) {
      const Index c = classes[at(k)];
      const Directions& directions = *own.directions[at(k)];
      const double* z = whitened(i, c, own);
      const Index vectors = directions.vectors.rows(), nodes = std::ssize(directions.features);
      if (own.along.size() < vectors) own.along = Vector(vectors);
      if (own.square.size() < nodes) own.square = own.value = Vector(nodes);
      kernels::rows_times(vectors, n, directions.vectors.data(), n, z, own.along.data());
      for (Index node = 0; node < nodes; ++node) {
        double square = node == 0 ? 0 : own.square[own.part.walk.parent(node)];
        for (Index v = directions.first[at(node)]; v < directions.first[at(node + 1)]; ++v)
          square += own.along[v] * own.along[v];
        own.square[node] = square;
        own.value[node] = factor * (log_density(c, directions.features[at(node)], square) -
                                    directions.log_deviation[node]);
      }
      for (Index node = 0; node < walk.nodes(); ++node)
        worth[node * count + k] += own.value[own.part.node[at(node)]];
    }
  }

 private:
  struct Whitened {
    Matrix z;  ///< rows × d
    std::vector<bool> done;
  };
  struct Own : Scratch {
    BlockNumbers::Scratch numbers;
    Index rows = 0;
    std::vector<std::shared_ptr<JointOrders>> orders;  ///< per row
    std::vector<Whitened> whitened;                    ///< per class
    // The walk that was asked for last, and what it needs.
    const JointOrders* of = nullptr;
    Walk walk;
    std::vector<Index> classes;
    PartOfWalk part;
    std::vector<std::shared_ptr<const Directions>> directions;  ///< per class asked for
    Vector along, square, value, centered;
  };

  double spread(Index c) const { return factor_.spread.empty() ? 1 : factor_.spread[c]; }

  /// log p of n features with the quadratic form q, without the deviations of the covariance.
  double log_density(Index c, Index n, double q) const {
    const double log_peak = -0.5 * log_2pi * static_cast<double>(n);
    if (!student_) return log_peak - 0.5 * q;
    const double dof = factor_.dof(c, 0);
    return log_peak + beyond_normal_(c, n) -
           0.5 * (dof + static_cast<double>(n)) * std::log1p(q / (dof * spread(c)));
  }

  /// x − center of the features that a row has, or x − mean of class c.
  void center(Index i, const Index* c, const Own& own, double* to) const {
    const double* x = BlockNumbers::row(i, own.numbers);
    for (const Index k : own.orders[at(i)]->features()) {
      const double centered = x[factor_.used[at(k)]] - factor_.center[k];
      *to++ = c ? centered - factor_.mean(*c, k) : centered;
    }
  }

  const double* whitened(Index i, Index c, Own& own) const {
    Whitened& of = own.whitened[at(c)];
    if (of.done.empty()) {
      of.done.assign(at(own.rows), false);
      of.z = Matrix(own.rows, d_);
    }
    double* z = of.z.row(i).data();
    if (of.done[at(i)]) return z;
    of.done[at(i)] = true;
    const Index n = std::ssize(own.orders[at(i)]->features());
    if (own.centered.size() < d_) own.centered = Vector(d_);
    center(i, &c, own, own.centered.data());
    kernels::rows_times(n, n, own.orders[at(i)]->whitener(c).data(), n, own.centered.data(), z);
    return z;
  }

  void remember(const Walk& walk, std::span<const Index> classes, JointOrders& orders,
                Own& own) const {
    if (own.of == &orders && own.walk.number == walk.number && own.walk.all_sets == walk.all_sets &&
        own.walk.players == walk.players && std::ranges::equal(own.classes, classes))
      return;
    std::vector<bool> mine(at(numbers_.columns()));
    for (const Index player : orders.players()) mine[at(player)] = true;
    own.of = &orders;
    own.walk = walk;
    own.classes.assign(classes.begin(), classes.end());
    own.part = part_of(walk, mine);
    own.directions.clear();
    for (const Index c : classes)
      own.directions.push_back(is_tied(density_.structure) && !own.directions.empty()
                                   ? own.directions.front()
                                   : orders.directions(c, own.part.walk));
  }

  /// Of rows that have the same features.
  void add_averages(Index c, double factor, const std::vector<Index>& rows, Own& own,
                    const Shares& shares) const {
    JointOrders& orders = *own.orders[at(rows.front())];
    const Index count = std::ssize(rows), n = std::ssize(orders.features());
    if (n == 0) return;
    const bool tied = is_tied(density_.structure);
    const std::vector<Index>& players = orders.players();
    const Index shared = std::ssize(players) + 1;
    Matrix centered(count, n), z(count, n), out(count, shared);
    for (Index r = 0; r < count; ++r)
      center(rows[at(r)], tied ? nullptr : &c, own, centered.row(r).data());
    blas::gemm_nt(count, n, n, 1, centered.data(), n, orders.whitener(c).data(), n, 0, z.data(), n);
    const double* constant = nullptr;
    if (tied) {
      const LinearForms& forms = orders.linear_forms();
      constant = forms.constant.row(c).data();
      blas::gemm_nt(count, shared, n, 1, z.data(), n, forms.linear[at(c)].data(), n, 0, out.data(),
                    shared);
    } else {
      const NormalForms& forms = orders.normal_forms(c);
      constant = forms.constant.data();
      Matrix products(count, forms.forms.cols());
      for (Index r = 0; r < count; ++r) {
        double* to = products.row(r).data();
        const double* of = z.row(r).data();
        for (Index i = 0; i < n; ++i)
          for (Index j = i; j < n; ++j) *to++ = of[i] * of[j];
      }
      blas::gemm_nt(count, shared, products.cols(), -0.5, products.data(), products.cols(),
                    forms.forms.data(), products.cols(), 0, out.data(), shared);
    }
    for (Index r = 0; r < count; ++r) {
      double* to = shares.row(rows[at(r)]);
      for (Index p = 0; p < shared; ++p)
        to[p + 1 < shared ? players[at(p)] : shares.columns] += factor * (out(r, p) + constant[p]);
    }
  }

  BlockGameInput input_;
  const GaussianDensity& density_;
  const GaussianFactor& factor_;
  BlockNumbers numbers_;
  Index d_;
  bool student_, averages_ = false;
  std::vector<Index> column_;  // per used feature
  Matrix beyond_normal_;       // K × (d + 1)
};

}  // namespace

std::unique_ptr<BlockGame> make_joint_game(const BlockGameInput& input) {
  return std::make_unique<JointGame>(input);
}

}  // namespace suffice
