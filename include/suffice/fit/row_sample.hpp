#pragma once
// A random sample of the rows of a source, as a source of its own.

#include <cstdint>
#include <vector>

#include "suffice/fit/row_source.hpp"
#include "suffice/stats/reservoir.hpp"

namespace suffice {

/// Rows with a label and a weight, drawn without replacement: those with the smallest hashes of the
/// seed and the row's number among them, so the sample is the same for any blocks, threads and file
/// formats. The source is read once. The sample is kept in memory, zeros of sparse rows included.
class RowSample : public RowSource {
 public:
  /// `most` rows, or all if there are fewer. Throws InvalidArgument for fewer than one, and for
  /// sparse rows that would take more than 2 GB; what the source throws.
  RowSample(RowSource& rows, Index most, std::uint64_t seed = 0);
  RowSample(const RowSample&) = delete;

  /// How many rows the source has, those without a label included.
  const RowCounts& counts() const { return counts_; }
  Index size() const { return sample_.size(); }

  const Schema& schema() const override { return schema_; }
  std::vector<bool> given_families() const override { return given_families_; }
  RowCounts read(const Reading& reading, const Use& use) override;

 private:
  Schema schema_;
  std::vector<bool> given_families_;
  RowCounts counts_;
  SampledRows sample_;
  bool in_groups_ = false;  ///< the last column of the sample has the folds
};

}  // namespace suffice
