#include "stats/kept_rows.hpp"

namespace suffice {
namespace {

std::vector<Index> rows_in_parts(std::span<const std::int32_t> part) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < part.size(); ++i)
    if (part[i] >= 0) rows.push_back(static_cast<Index>(i));
  return rows;
}

}  // namespace

KeptRows::KeptRows(const RowBlock& rows, const Names& labels, std::span<const std::int32_t> label,
                   std::span<const std::int32_t> part, const double* weight)
    : KeptRows(rows, labels, label, part, weight, rows_in_parts(part)) {}

KeptRows::KeptRows(const RowBlock& rows, const Names& labels, std::span<const std::int32_t> label,
                   std::span<const std::int32_t> part, const double* weight,
                   const std::vector<Index>& present)
    : rows_(rows, present, GatheredRows::Names::copied), labels_(labels) {
  for (const Index i : present) {
    label_.push_back(label[i]);
    part_.push_back(part[i]);
    weight_.push_back(weight ? weight[i] : 1);
  }
}

void KeptRows::add_to(Statistics& statistics, const std::vector<bool>& parts,
                      const Execution& execution) const {
  std::vector<Index> rows;
  std::vector<std::int32_t> label;
  std::vector<double> weight;
  for (std::size_t i = 0; i < part_.size(); ++i) {
    if (!parts[static_cast<std::size_t>(part_[i])]) continue;
    rows.push_back(static_cast<Index>(i));
    label.push_back(label_[i]);
    weight.push_back(weight_[i]);
  }
  if (rows.empty()) return;
  const GatheredRows gathered(rows_.block(), rows);
  RowBlock block = gathered.block();
  block.labels(Column(label.data(), std::ssize(label), Strings(labels_.list())))
      .weights(Column(weight));
  statistics.update(block, execution);
}

}  // namespace suffice
