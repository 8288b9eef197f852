#pragma once
// The log-likelihood ratios of rows, in bounded memory.

#include <cstdint>
#include <span>
#include <vector>

#include "suffice/core/matrix.hpp"
#include "suffice/report/detection.hpp"

namespace suffice {

class Ratios {
 public:
  /// Up to `exact_rows` rows are kept one by one; beyond, they are counted in bins of a relative
  /// width of 2 to the power of −`fraction_bits`.
  Ratios(Index exact_rows, int fraction_bits)
      : exact_rows_(exact_rows), fraction_bits_(fraction_bits) {}

  /// A row of the class in question (`target`) or of another. Weights are positive.
  void add(double ratio, bool target, double weight);
  bool binned() const noexcept { return !binned_.empty(); }
  /// The bin of each of n ratios: for rows that are counted later, when ratios are binned.
  void find_bins(const double* ratios, Index n, std::uint32_t* bins) const;
  /// Counts rows in their bins, each as add does; targets are those of class `target`. Rows of a
  /// class below 0 and rows of weight 0 do not count; no weights are 1.
  void count_bins(const std::uint32_t* bins, std::span<const Index> classes, Index target,
                  std::span<const double> weights);
  /// By rising ratio; that of a bin is its middle.
  std::vector<RatioCount> counts() const;

 private:
  struct Row {
    std::uint64_t key;  ///< in the order of the ratios
    double weight;      ///< negative for other classes
  };
  struct Bin {
    double target = 0, other = 0;
  };
  void count(const Row& row);

  Index exact_rows_;
  int fraction_bits_;
  std::vector<Row> rows_;
  std::vector<Bin> binned_;
};

}  // namespace suffice
