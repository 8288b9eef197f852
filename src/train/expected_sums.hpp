#pragma once
// The E-step for missing numbers of a joint Gaussian block: a missing number is replaced by its
// expectation given those of the same row, and the covariance of what is missing is added to the
// scatter (factor/conditional.hpp). With x̂ the completed row and m what is missing in it,
//
//   log p(x_o) = log N(x̂; μ, Σ) + ½ |m| log 2π − ½ log det P_mm.

#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/models/model.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

class ExpectedSums {
 public:
  /// Which rows are added; the others are passed over. Rows without any number never have a part.
  enum class Which { incomplete, all };

  /// `model` is full or tied and has the block alone (stats/one_block.hpp); `schema` and `block`
  /// say how rows are read.
  ExpectedSums(const Model& model, const Schema& schema, const Block& block, Which which);

  /// Labelled rows; those of weight 0 are passed over. The result depends on how rows are cut into
  /// calls in its last bits only; calls with more than rows_per_block(schema) rows are cut there.
  void add(const RowBlock& rows, const Execution& execution);

  /// The completed rows, without conditional covariances.
  const GaussianStatistics& completed() const;
  /// completed(), conditional covariances included, as statistics of the block.
  Statistics expected() const;
  /// Adds the conditional covariances to scatters of the same classes.
  void add_spread(GaussianStatistics& to) const;
  /// Per class: Σ w (½ |m| log 2π − ½ log det P_mm).
  const Vector& log_terms() const { return log_terms_; }

  /// log p(x_o) of rows whose completed sums are `sums`, without log_terms(): Σ w log N(x̂; μ, Σ).
  double log_density(const GaussianStatistics& sums) const;

 private:
  struct Row;
  void add_block(const RowBlock& rows, Workers& workers);
  /// Fills in the missing numbers of rows that are of one class and lack the same features.
  /// `values` has the rows of a block, d numbers each.
  void complete(std::span<const Row> rows, Vector& values, Matrix& spread, double& log_term) const;

  const Model& model_;
  const GaussianDensity& density_;
  const Schema& schema_;
  const Block& block_;
  Which which_;
  Index d_;                      ///< features of the block
  std::vector<Index> position_;  ///< of a feature among those that vary; −1: it does not
  std::vector<Index> varying_;
  std::vector<Matrix> precision_;  ///< of the features that vary; per class, or one
  Statistics sums_;
  std::vector<Matrix> spread_;  ///< per class, Σ w P_mm⁻¹; empty: nothing was missing
  Vector log_terms_;
};

}  // namespace suffice
