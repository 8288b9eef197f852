#include "suffice/fit/row_source.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "data/name_reader.hpp"
#include "data/weights.hpp"

namespace suffice {

RowsInMemory::RowsInMemory(Schema schema, const RowBlock& rows, const Column& groups)
    : schema_(std::move(schema)), rows_(rows), groups_(groups) {
  if (rows.labels().kind == Column::Kind::none) return;
  const NameReader reader(rows.labels(), {});
  std::array<std::int32_t, 1024> codes = {};
  for (Index first = 0; first < rows.rows(); first += std::ssize(codes)) {
    const Index count = std::min(std::ssize(codes), rows.rows() - first);
    reader.read(first, count, codes.data(), 1);
    for (Index i = 0; i < count; ++i) {
      if (codes[static_cast<std::size_t>(i)] != NameReader::missing) continue;
      if (labelled_.empty()) {
        Vector scratch;
        const double* weights = read_weights(rows, scratch);
        labelled_ = Vector(rows.rows());
        for (Index k = 0; k < rows.rows(); ++k) labelled_[k] = weights ? weights[k] : 1;
      }
      labelled_[first + i] = 0;
      ++unlabelled_;
    }
  }
}

bool RowsInMemory::is_sparse() const {
  return std::ranges::any_of(rows_.parts(), [](const RowBlock::Part& part) {
    return part.kind == RowBlock::Part::Kind::sparse;
  });
}

RowCounts RowsInMemory::read(const Reading& reading, const Use& use) {
  RowBlock rows = rows_;
  if (!labelled_.empty() && !reading.unlabelled) rows.weights(labelled_);
  use(rows, groups_);
  return {static_cast<double>(rows_.rows()), unlabelled_};
}

}  // namespace suffice
