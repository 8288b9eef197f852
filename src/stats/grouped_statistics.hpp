#pragma once
// Sums by class and part, from which the statistics of all rows outside a part are put together.
// The parts are the folds of a cross-validation. If there are so many folds that their sums
// would take more memory than the rows, the rows are kept instead.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stats/kept_rows.hpp"
#include "stats/labels.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

class GroupedStatistics {
 public:
  /// The whole scatter is kept as thin factors while there are no more rows than features. A pooled
  /// one is kept for each part.
  GroupedStatistics(Schema schema, Scatter scatter);

  /// Adds rows. Row i is of class label[i] of `labels` and in part part[i]; a negative part is
  /// absence. `labels` has the classes of all calls before. `weight` is null where all are 1.
  /// Throws as Statistics::update; on any exception the sums are unchanged.
  void update(const RowBlock& rows, const Names& labels, std::span<const std::int32_t> label,
              std::span<const std::int32_t> part, const double* weight, const Execution& execution);

  /// Adds the sums of rows of one part, which were summed up elsewhere. Throws InvalidArgument for
  /// another schema, and for a diagonal where the whole scatter is kept, and DataError where sums
  /// become infinite; then the sums are unchanged.
  void add(const Statistics& sums, Index part);

  const Schema& schema() const noexcept { return schema_; }
  /// What is kept of Gaussian blocks; dense where there are none.
  Scatter scatter() const;
  const Names& labels() const noexcept { return labels_; }
  /// The parts in which a class has rows.
  std::vector<Index> parts_of(Index label) const;

  /// Of all rows, of those outside a part, and of none; all with the same classes and levels.
  Statistics all(const Execution& execution = {}) const;
  Statistics without(Index part, const Execution& execution = {}) const;
  Statistics none() const;

  /// Hands over the statistics of all rows outside each of these parts, one after the other. Halves
  /// of the list share what lies outside both, so that n parts take log n passes over the sums or
  /// rows instead of n.
  using Visit = std::function<void(Index part, const Statistics& others)>;
  void for_each_without(std::span<const Index> parts, const Visit& visit,
                        const Execution& execution = {}) const;

 private:
  struct Group {
    Index label, part;
  };
  void add(const RowBlock& rows, const Names& labels, std::span<const std::int32_t> label,
           std::span<const std::int32_t> part, const double* weight, const Execution& execution);
  void choose_scatter(double rows);
  /// Scatter::pooled: the sums of each part instead of those of groups.
  void pool_parts();
  void add_to_parts(const RowBlock& rows, const Names& labels, std::span<const std::int32_t> label,
                    std::span<const std::int32_t> part, const double* weight,
                    const Execution& execution);
  /// The sums of a part and these.
  Statistics with_part(Index part, const Statistics& more);
  Statistics merged_parts(const std::function<bool(Index)>& is_wanted) const;
  bool rows_are_smaller(std::span<const Group> groups, Index rows) const;
  void sum_up_kept_rows(const Execution& execution);
  void add_parts(Statistics& statistics, std::span<const Index> parts,
                 const Execution& execution) const;
  void halve(std::span<const Index> parts, Statistics others, const Visit& visit,
             const Execution& execution) const;
  static std::vector<std::int32_t> groups_of(std::span<const std::int32_t> label,
                                             std::span<const std::int32_t> part, Index labels,
                                             std::vector<Group>& groups);
  /// Throws DataError where the sums would become infinite with these, of which class c goes to
  /// group group_of[c].
  void require_finite_with(std::span<const std::string> names, Vector weights,
                           Vector squared_weights, const std::vector<BlockStatistics>& sums,
                           const std::vector<Index>& group_of, std::string_view verb) const;
  void merge(std::vector<Group> groups, const ClassWeights& weights,
             std::vector<BlockStatistics> sums);
  /// Of the groups of each class.
  Statistics combined(const std::vector<std::vector<Index>>& groups,
                      const Execution& execution) const;
  void sort_members();
  double weight_of(Index group) const;

  Schema schema_;
  Scatter wanted_;  ///< of more rows than features
  Names labels_;
  Index rows_ = 0;                       ///< that were added
  std::vector<Group> groups_;            ///< those that have rows, in the order of their first rows
  Vector weights_, squared_weights_;     ///< per group
  std::vector<BlockStatistics> blocks_;  ///< their classes are the groups
  std::vector<std::vector<Index>> members_;  ///< the groups of each class, in the order of merging
  /// Scatter::pooled: the sums of each part; then there are groups, but no sums of these.
  std::optional<std::vector<std::optional<Statistics>>> parts_;
  /// Many small parts: copies of the rows, and one group per class.
  std::optional<std::vector<KeptRows>> kept_;
  std::vector<Group> groups_of_kept_;  ///< that the kept rows would have
};

}  // namespace suffice
