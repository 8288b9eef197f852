#pragma once
// Leave-one-out scores of sampled rows, block by block and for many estimates at once. Blocks are
// independent, so each is looked at by itself: its own statistics, its own rows.

#include <memory>
#include <optional>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/stats/reservoir.hpp"

namespace suffice {

/// The numbers of a Gaussian block, transformed, NaN where missing: rows × features.
Matrix numbers_of_block(const Schema& schema, std::size_t block, const RowBlock& rows);

/// One n × K matrix per estimate: log p(x | c) by the model without that row, up to a term that all
/// classes of a row share.
using ScoresOfEstimates = std::vector<Matrix>;

/// A Gaussian block.
class SampledGaussian {
 public:
  SampledGaussian(const Statistics& statistics, std::size_t block, const SampledRows& sample,
                  const Execution& execution);
  ~SampledGaussian();
  SampledGaussian(SampledGaussian&&) noexcept;

  /// Rows that lack a number take as long as a factorisation each, for every estimate; 0: all rows
  /// are complete.
  double work_for_incomplete_rows() const;
  /// Per row: whether it lacks a number, and whether its class has no other complete row.
  const std::vector<bool>& incomplete() const;
  const std::vector<bool>& last_of_class() const;

  /// Shapes that one decomposition serves have equal keys.
  struct Key {
    std::optional<Pca> pca;
    std::optional<Covariance> covariance;  ///< none: no grid
    Target target = Target::diag;
    std::optional<double> target_share;
    Index shape = -1;  ///< of one that stands alone
    friend bool operator==(const Key&, const Key&) = default;
  };
  /// Of resolved options without discriminant components, which change too much with every row;
  /// `shape` is their number.
  static Key key_of(const EstimateOptions& options, Index shape);

  /// Shapes with equal keys, each with all tails: shape by shape. Rows that are incomplete are
  /// scored by their exact marginal, or, if they are not `wanted`, have zeros. Throws
  /// InvalidArgument and SingularError as estimate and LeaveOneOut do.
  ScoresOfEstimates scores(const std::vector<EstimateOptions>& shapes,
                           const std::vector<Tails>& tails, bool incomplete_rows_wanted) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Any other block: log p(x | c) without the row, n × K.
Matrix scores_without_row(const Statistics& statistics, std::size_t block,
                          const EstimateOptions& options, const SampledRows& sample,
                          const Execution& execution);

}  // namespace suffice
