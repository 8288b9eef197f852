#pragma once
// The log-likelihood ratios of two classes' rows, and the curve of their error rates: a row is
// taken for the first class where its ratio reaches a threshold, and the threshold runs over all
// values.

#include <cstdint>
#include <optional>
#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

class Ratios {
 public:
  /// Rows that are kept one by one; beyond, they are counted in `bins` bins.
  static constexpr Index exact_rows = Index{1} << 20;
  static constexpr Index bins = Index{1} << 20;

  /// A row of the first class (`truth` 0) or the second (1). Weights are positive.
  void add(double ratio, Index truth, double weight);
  bool binned() const noexcept { return !binned_.empty(); }

  struct Curve {
    double auc, equal_error_rate;
  };
  /// Nothing where a class has no rows.
  std::optional<Curve> curve() const;

 private:
  struct Row {
    std::uint64_t key;  ///< in the order of the ratios
    double weight;      ///< negative for the second class
  };
  struct Bin {
    double weight[2];
  };
  void count(const Row& row);

  std::vector<Row> rows_;
  std::vector<Bin> binned_;
};

}  // namespace suffice
