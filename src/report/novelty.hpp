#pragma once
// How well the density of one class tells its rows from rows of other labels.

#include <optional>
#include <span>

#include "core/compensated_sum.hpp"
#include "report/ratios.hpp"
#include "suffice/report/report.hpp"

namespace suffice {

class NoveltyCounts {
 public:
  /// Rows with an outlier score below `outlier` are outliers.
  explicit NoveltyCounts(std::optional<double> outlier) : outlier_(outlier) {}

  /// Scores of one class, not relative; arguments as those of Evaluator::add.
  void add(const LogLikelihoods& scores, std::span<const Index> truth,
           std::span<const double> weights, std::span<const double> outlier_scores);
  /// Nothing where no row was added.
  std::optional<Novelty> result() const;

 private:
  std::optional<double> outlier_;
  bool has_rows_ = false;
  CompensatedSum own_, log_density_, others_, detected_;
  Ratios log_p_ = Ratios(Index{1} << 20, 12);
};

}  // namespace suffice
