#pragma once
// The first pass of a selection: which fold a row is in, and the sums from which those of all rows
// outside a fold follow.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/folds.hpp"
#include "stats/grouped_statistics.hpp"
#include "stats/labels.hpp"
#include "suffice/select/select.hpp"

namespace suffice {

class FoldSums {
 public:
  /// 0 folds: one row is left out at a time, and all are in fold 1.
  FoldSums(const Schema& schema, Scatter scatter, Index folds, std::uint64_t seed);

  // The first pass, as in Selector.
  void learn(const RowBlock& rows, const Column& names, const Execution& execution);
  void learn(const std::string& fold, const Statistics& sums);
  void learn_beside(const Statistics& sums, Scatter scatter);
  /// Throws InvalidArgument where there is nothing to choose by, or too few rows for the folds.
  void end();
  bool has_ended() const noexcept { return all_.has_value(); }

  // Afterwards. Folds are counted in the order of their names.
  const Schema& schema() const noexcept { return sums_.schema(); }
  const Names& labels() const noexcept { return sums_.labels(); }
  const std::vector<std::string>& names() const noexcept { return names_; }
  Index rows() const noexcept { return rows_; }  ///< with a weight
  bool one_at_a_time() const noexcept { return one_at_a_time_; }
  const Statistics& all() const noexcept { return *all_; }
  Statistics nothing() const { return sums_.none(); }
  /// Hands over the statistics of all rows outside each of these folds.
  void for_each_without(std::span<const Index> folds,
                        const std::function<void(Index fold, const Statistics& others)>& use,
                        const Execution& execution) const;
  /// The rows outside a fold, of all rows once more.
  RowPass rows_outside(Index fold, const Selector::RowsOfFolds& rows) const;
  /// Classes that some rows are scored without.
  std::vector<std::string> notes() const;

  // A further pass over the same rows.
  void rewind() { folds_.rewind(); }
  struct Places {
    EncodedNames labels;
    std::vector<Index> fold;  ///< −1: a row of weight 0
    std::span<const std::int32_t> classes() const { return {labels.code.data(), fold.size()}; }
  };
  Places next(const RowBlock& block, const Column& names, const double* weight,
              const Execution& execution);
  /// Throws where this pass had other rows than the first; `scored` is the weight of its rows.
  void require_same_rows(double scored) const;

 private:
  EncodedNames labels_of(const RowBlock& block, const double* weight,
                         const Execution& execution) const;
  void require_first_pass() const;
  void sort_folds();

  Folds folds_;
  GroupedStatistics sums_;  ///< by class and fold
  bool leaves_one_out_, one_at_a_time_ = false;
  bool summed_elsewhere_ = false;  ///< then only weights can tell how many rows
  std::optional<Statistics> beside_;
  std::optional<Statistics> all_;
  Index rows_ = 0;
  std::vector<std::string> names_;  ///< sorted
  std::vector<Index> position_;     ///< of a number that Folds gives
  std::vector<Index> number_;       ///< that Folds gives, by position
};

/// Throws InvalidArgument where there are too many folds.
void require_few_folds(Index folds);

}  // namespace suffice
