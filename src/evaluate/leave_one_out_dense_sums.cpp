#include <algorithm>
#include <utility>

#include "evaluate/leave_one_out_dense.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

DenseSums DenseSums::of(const RestInput& input) {
  const auto& statistics = std::get<GaussianStatistics>(input.statistics.blocks()[input.block]);
  DenseSums sums{.model = input.model,
                 .density = std::get<GaussianDensity>(input.model.densities()[input.block]),
                 .options = input.options,
                 .names = input.model.schema().names(input.schema_block()),
                 .weight = Vector(input.model.labels().size())};
  const Index classes = sums.classes(), d = sums.density.mean.cols();
  const bool needs_base = sums.weak_prior() || sums.share() > 0;
  const auto scatter = [&](Index c) { return statistics.classes[c].complete.scatter.map(); };
  Matrix pooled(needs_base ? d : 0, needs_base ? d : 0);
  for (Index c = 0; c < classes; ++c) {
    if (!sums.seen_class(c)) continue;
    sums.weight[c] = statistics.classes[c].complete.weight;
    sums.pooled_weight += sums.weight[c];
    ++sums.seen;
    if (needs_base) pooled.map() += scatter(c);
  }
  if (!needs_base) return sums;
  sums.pooled = Vector(d);
  for (Index j = 0; j < d; ++j) sums.pooled[j] = pooled(j, j);
  const double towards = sums.towards();
  for (Index c = 0; c < (sums.tied() ? 1 : classes); ++c) {
    Matrix base(d, d);
    if (towards > 0) base.map() += towards * pooled.map();
    if (!sums.tied() && sums.seen_class(c)) base.map() += (1 - towards) * scatter(c);
    sums.base.push_back(std::move(base));
  }
  return sums;
}

Removal DenseSums::removal(const TakenRow& row) const {
  if (row.label < 0) return {};
  const double whole = weight[row.label];
  if (row.weight > whole * (1 + 1e-9))
    throw_not_among(row.row, "the complete rows of its class weigh less");
  if (rest(whole, row.weight) == 0 && !vanishes(row))
    throw InvalidArgument(without_row(model.labels(), row) +
                          "its class has no row in which all features are present; choose a "
                          "structure that takes features one by one, or a number of folds");
  return Removal::of(whole, row.weight);
}

Spread DenseSums::spread(Index c, const TakenRow& row, Index n) const {
  if (!remains(c, row)) return {};
  const double own = c == row.label ? rest(weight[c], row.weight) : weight[c];
  if (prior()) {
    const double dof = tied() ? pooled_dof(row) : std::max(own - 1, 0.0);
    const double rows =
        options.shrinkage->kind() == Shrinkage::Kind::rows ? options.shrinkage->value() : 1;
    return Spread::of_posterior({dof, rows, static_cast<double>(n)}, options.inference, own);
  }
  const bool mle = options.normalize == Normalize::mle;
  const double together = mle ? pooled_weight - (row.label < 0 ? 0 : row.weight) : pooled_dof(row);
  const double one = mle ? own : own - 1;
  const double divisor = tied() ? together : (1 - towards()) * one + towards() * together;
  if (!(divisor > 0)) throw_singular(c, row, 0, n, {});
  return {1 / divisor};
}

void DenseSums::throw_singular(Index c, const TakenRow& row, Index rank, Index n,
                               std::vector<std::string> features) const {
  const std::string label = tied() || c < 0 ? std::string() : model.labels()[c];
  throw SingularError(
      (row.label < 0 ? std::string() : without_row(model.labels(), row)) + "the covariance " +
          (label.empty() ? "of all classes together" : "of class '" + label + "'") +
          " has no inverse; choose a structure that needs less, shrinkage, or a number of folds",
      label, rank, n, std::move(features));
}

}  // namespace suffice
