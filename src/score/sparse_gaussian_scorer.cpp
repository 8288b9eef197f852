#include <algorithm>
#include <cmath>

#include "core/compensated_sum.hpp"
#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "data/number_reader.hpp"
#include "data/sparse.hpp"
#include "factor/gaussian_factor.hpp"
#include "score/row_projector.hpp"
#include "score/scorer.hpp"

namespace suffice {
namespace {

/// Gaussian features one by one, from the entries of sparse rows. With t = x/σ_cj − m_cj/σ_cj a
/// class has log p(x | c) = constant − ½ Σ_j g(t), where g(t) = t², or (ν + 1) log(1 + t²/ν) of
/// Student's t for each feature. A row of zeros has t₀ = −m_cj/σ_cj everywhere; each entry puts
/// g(t) where g(t₀) was. t² − t₀² = (x/σ)(x/σ + 2 t₀) loses no digits, but a sum of large t₀²
/// would: columns far from 0 are left out of it and added row by row.
class SparseGaussianScorer : public BlockScorer {
 public:
  SparseGaussianScorer(const ScorerInput& input, NumberReader reader)
      : input_(input),
        factor_(std::get<GaussianFactor>(input.model.factors().blocks[input.block])),
        reader_(std::move(reader)),
        d_(std::ssize(factor_.used)),
        classes_(input.model.labels().size()),
        joint_(factor_.dof.cols() == 1),
        alone_(!factor_.dof.empty() && !joint_),
        scales_(factor_.inverse_deviation.rows() == 1 ? 1 : classes_),
        cells_(d_, scales_ + classes_),
        at_zero_(classes_) {
    if (d_ < reader_.features()) position_.assign(static_cast<std::size_t>(reader_.features()), -1);
    for (Index u = 0; u < d_ && !position_.empty(); ++u)
      position_[static_cast<std::size_t>(factor_.used[static_cast<std::size_t>(u)])] =
          static_cast<std::int32_t>(u);
    fill_cells();
  }

  std::unique_ptr<Workspace> workspace(Index) const override {
    auto own = std::make_unique<Own>(*reader_.sparse());
    own->form = Vector(classes_);
    own->logs = Vector(classes_);
    own->seen.assign(far_.size(), 0);
    return own;
  }
  void prepare(const Chunk&, Workspace&) const override {}

  void score(const Tile& tile, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    for (Index i = 0; i < tile.count; ++i) {
      const Index present = add_entries(tile.first + i, own);
      double* out = tile.out + i * classes_;
      for (Index c = 0; c < classes_; ++c) {
        const double score = is_empty(c) ? 0 : log_density(c, present, own);
        out[c] = (tile.add ? out[c] : 0.0) + score;
      }
    }
  }

 private:
  struct Own : Workspace {
    explicit Own(const SparseView& view) : entries(view) {}
    EntryReader entries;
    Vector form;             // K: Σ g
    Vector logs;             // K: log densities at the mean of what is missing, to be taken back
    std::vector<char> seen;  // per far column: it has an entry
  };
  static constexpr double far = 32;  // deviations

  bool is_empty(Index c) const { return input_.model.weights()[c] == 0; }
  double scale(Index u, Index c) const { return cells_(u, scales_ == 1 ? 0 : c); }
  double zero(Index u, Index c) const { return cells_(u, scales_ + c); }
  double g(double t, Index c, Index u) const {
    if (!alone_) return t * t;
    const double dof = factor_.dof(c, u);
    return (dof + 1) * std::log1p(t * t / dof);
  }

  /// 1/σ (one, where classes share it) and t₀ per feature and class, side by side, and the forms of
  /// a row of zeros.
  void fill_cells() {
    const Matrix& inverse = factor_.inverse_deviation;
    std::vector<CompensatedSum> sums(static_cast<std::size_t>(classes_));
    for (Index u = 0; u < d_; ++u) {
      double most = 0;
      for (Index c = 0; c < classes_; ++c) {
        const double s = inverse(inverse.rows() == 1 ? 0 : c, u);
        cells_(u, scales_ == 1 ? 0 : c) = s;
        cells_(u, scales_ + c) = -factor_.center[u] * s - factor_.whitened_mean(c, u);
        if (!is_empty(c)) most = std::max(most, std::abs(zero(u, c)));
      }
      if (!(most <= far)) {
        if (far_.empty()) far_position_.assign(static_cast<std::size_t>(d_), -1);
        far_position_[static_cast<std::size_t>(u)] = static_cast<std::int32_t>(far_.size());
        far_.push_back(u);
        continue;
      }
      for (Index c = 0; c < classes_; ++c)
        sums[static_cast<std::size_t>(c)].add(g(zero(u, c), c, u));
    }
    for (Index c = 0; c < classes_; ++c) at_zero_[c] = sums[static_cast<std::size_t>(c)].value();
  }

  /// Fills own.form and own.logs; returns how many of the used features are present.
  Index add_entries(Index row, Own& own) const {
    std::ranges::copy(at_zero_, own.form.begin());
    std::ranges::fill(own.logs, 0.0);
    std::ranges::fill(own.seen, 0);
    own.entries.read(row);
    Index present = d_;
    for (std::size_t k = 0; k < own.entries.columns().size(); ++k) {
      const Index j = own.entries.columns()[k];
      const double x = own.entries.values()[k];
      const Index u = position_.empty() ? j : position_[static_cast<std::size_t>(j)];
      if (std::isnan(x)) input_.require_present(j, row);
      if (u < 0) continue;
      if (std::isinf(x))
        throw_not_gaussian(input_.model.schema(), input_.rows,
                           input_.schema_block().features[static_cast<std::size_t>(j)], row);
      const Index at = far_.empty() ? -1 : far_position_[static_cast<std::size_t>(u)];
      if (at >= 0) own.seen[static_cast<std::size_t>(at)] = 1;
      if (std::isnan(x)) {
        --present;
        take_out(u, at >= 0, own);
      } else {
        put_in(u, x, at >= 0, own);
      }
    }
    for (std::size_t at = 0; at < far_.size(); ++at)
      for (Index c = 0; c < classes_ && !own.seen[at]; ++c)
        own.form[c] += g(zero(far_[at], c), c, far_[at]);
    return present;
  }

  void put_in(Index u, double x, bool is_far, Own& own) const {
    for (Index c = 0; c < classes_; ++c) {
      const double y = x * scale(u, c), t0 = zero(u, c);
      own.form[c] += is_far   ? g(y + t0, c, u)
                     : alone_ ? g(y + t0, c, u) - g(t0, c, u)
                              : y * (y + 2 * t0);
    }
  }

  /// The feature is missing: its marginal has no term.
  void take_out(Index u, bool is_far, Own& own) const {
    for (Index c = 0; c < classes_; ++c) {
      if (!is_far) own.form[c] -= g(zero(u, c), c, u);
      if (!(scale(u, c) > 0)) continue;  // a class of weight 0
      own.logs[c] += std::log(scale(u, c)) - 0.5 * log_2pi;
      if (alone_) own.logs[c] += log_gamma_excess(factor_.dof(c, u) / 2, 0.5);
    }
  }

  double log_density(Index c, Index present, const Own& own) const {
    const double form = own.form[c], constant = factor_.log_norm[c] - own.logs[c];
    if (!joint_) return constant - 0.5 * form;
    // One t of all features that are present; log_norm has the constant of all.
    const double dof = factor_.dof(c, 0), spread = factor_.spread.empty() ? 1 : factor_.spread[c];
    const auto half = [](Index n) { return static_cast<double>(n) / 2; };
    double changed = 0;
    if (present < d_)
      changed = log_gamma_excess(dof / 2, half(present)) - log_gamma_excess(dof / 2, half(d_)) +
                (half(d_) - half(present)) * std::log(spread);
    return constant + changed - (dof / 2 + half(present)) * std::log1p(form / (dof * spread));
  }

  ScorerInput input_;
  const GaussianFactor& factor_;
  NumberReader reader_;
  Index d_, classes_;
  bool joint_, alone_;                  // one Student's t of all features; one for each
  Index scales_;                        // 1/σ per feature: K, or one
  std::vector<std::int32_t> position_;  // per column: among the used ones, or −1; empty: all are
  Matrix cells_;                        // used × (scales + K)
  std::vector<Index> far_;              // columns far from 0
  std::vector<std::int32_t> far_position_;  // per used feature: among them, or −1; empty: none is
  Vector at_zero_;                          // K
};

}  // namespace

std::unique_ptr<BlockScorer> make_sparse_gaussian_scorer(const ScorerInput& input,
                                                         NumberReader reader) {
  return std::make_unique<SparseGaussianScorer>(input, std::move(reader));
}

}  // namespace suffice
