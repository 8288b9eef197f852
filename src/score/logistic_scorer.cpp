#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "score/block_terms.hpp"
#include "score/linear_table.hpp"
#include "score/scorer.hpp"

namespace suffice {
namespace {

using kernels::rows_at_once;

/// Σ_t w_ct (φ_t − center_t) of a block; the first block has the intercepts, from which the
/// training prior is taken out.
class LogisticScorer : public BlockScorer {
 public:
  explicit LogisticScorer(const ScorerInput& input)
      : classes_(input.model.labels().size()), weights_(input.model.weights()) {
    const LogisticFactor& factor = *input.model.factors().logistic;
    const Logistic& logistic = *input.model.logistic();
    const Density& density = input.model.densities()[input.block];
    count_ = term_count(density);
    const auto part = [&](const Vector& of, Index first, Index size) {
      return std::span<const double>(of.data() + first, static_cast<std::size_t>(size));
    };
    const Index first = factor.first_term[input.block];
    terms_ = make_block_terms(
        input, factor.expected,
        {.origin = part(logistic.origin, factor.first_origin[input.block], origin_count(density)),
         .center = part(logistic.center, first, count_)});
    Matrix weights(classes_, count_);
    for (Index c = 0; c < classes_; ++c)
      std::copy_n(logistic.weights.row(c).data() + first, count_, weights.row(c).data());
    table_ = LinearTable(weights, input.block == 0 ? factor.base : Vector(classes_));
  }

  std::unique_ptr<Workspace> workspace(Index) const override {
    auto own = std::make_unique<Own>();
    own->scratch = terms_->scratch(rows_at_once);
    own->terms = Vector(rows_at_once * count_);
    own->packed = Vector(8 * kernels::padded(count_));
    own->scores = Vector(rows_at_once * classes_);
    return own;
  }

  void prepare(const Chunk&, Workspace&) const override {}

  void score(const Tile& tile, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    terms_->read(tile.first, tile.count, *own.scratch, own.terms.data(), count_);
    double* scores = target_of(tile, own.scores);
    kernels::score_linear(own.terms.data(), count_, tile.count, count_, nullptr, classes_,
                          table_.weight.data(), table_.base.data(), own.packed.data(), scores);
    for (Index i = 0; i < tile.count; ++i) {
      double* const row = scores + i * classes_;
      if (!std::all_of(row, row + classes_, [](double s) { return std::isfinite(s); }))
        score_far_terms(own.terms.data() + i * count_, row);
    }
    settle(tile, classes_, scores);
  }

 private:
  /// Squares and products of terms that overflowed count as the largest numbers.
  void score_far_terms(double* terms, double* scores) const {
    constexpr double most = std::numeric_limits<double>::max();
    for (Index t = 0; t < count_; ++t)
      terms[t] = std::isnan(terms[t]) ? 0 : std::clamp(terms[t], -most, most);
    score_far(weights_, scores, [&](Index c) { return table_.wide(c, terms); });
  }

  struct Own : Workspace {
    std::unique_ptr<BlockTerms::Scratch> scratch;
    Vector terms, packed, scores;
  };

  Index classes_, count_ = 0;
  const Vector& weights_;
  std::unique_ptr<BlockTerms> terms_;
  LinearTable table_;
};

}  // namespace

std::unique_ptr<BlockScorer> make_logistic_scorer(const ScorerInput& input) {
  return std::make_unique<LogisticScorer>(input);
}

}  // namespace suffice
