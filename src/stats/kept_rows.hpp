#pragma once
// Copies of rows with their classes and parts. Where parts are many and small, rows take less
// memory than the sums of each part.

#include <cstdint>
#include <span>
#include <vector>

#include "data/gather.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

class KeptRows {
 public:
  /// Arguments as those of GroupedStatistics::update.
  KeptRows(const RowBlock& rows, const Names& labels, std::span<const std::int32_t> label,
           std::span<const std::int32_t> part, const double* weight);

  Index size() const noexcept { return rows_.block().rows(); }
  const RowBlock& block() const noexcept { return rows_.block(); }
  const Names& labels() const noexcept { return labels_; }
  std::span<const std::int32_t> label() const noexcept { return label_; }
  std::span<const std::int32_t> part() const noexcept { return part_; }
  const double* weight() const noexcept { return weight_.data(); }

  /// Adds the rows of the parts that are marked.
  void add_to(Statistics& statistics, const std::vector<bool>& parts,
              const Execution& execution) const;

 private:
  KeptRows(const RowBlock& rows, const Names& labels, std::span<const std::int32_t> label,
           std::span<const std::int32_t> part, const double* weight,
           const std::vector<Index>& present);

  GatheredRows rows_;
  Names labels_;
  std::vector<std::int32_t> label_, part_;
  std::vector<double> weight_;
};

}  // namespace suffice
