#include "left_out/removed_rows.hpp"

#include <utility>

#include "core/minus_or_zero.hpp"
#include "data/name_reader.hpp"
#include "data/weights.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

RemovedRows::RemovedRows(const RowBlock& rows, const Names& labels, const Vector& class_weights)
    : code_(static_cast<std::size_t>(rows.rows()), -1), weight_(read_weights(rows, scratch_)) {
  if (rows.rows() == 0) return;
  if (rows.labels().kind == Column::Kind::none)
    throw InvalidArgument(
        "leave-one-out takes each row out of its class, and the rows have no labels",
        "give the RowBlock its labels");
  const NameReader reader(rows.labels(), labels);
  reader.read(0, rows.rows(), code_.data(), 1);
  for (Index i = 0; i < rows.rows(); ++i) {
    const double weight = weight_ ? weight_[i] : 1;
    if (weight == 0) {
      code_[i] = -1;
      continue;
    }
    if (code_[i] == NameReader::missing) throw_not_among(i, "it has no label");
    if (code_[i] < 0) throw_not_among(i, "its label is new");
    if (weight > class_weights[code_[i]] * (1 + 1e-9))
      throw_not_among(i, "it has the weight " + name_of(weight) + ", and all of class '" +
                             labels[code_[i]] + "' the weight " + name_of(class_weights[code_[i]]));
    if (minus_or_zero(class_weights[code_[i]], weight) == 0) whole_classes_.push_back(i);
  }
}

void throw_not_among(Index row, const std::string& why) {
  throw DataError({.row = row}, "the row cannot be among the rows of the statistics: " + why,
                  "give the rows that the statistics were made from");
}

void throw_singular_without(const RemovedRow& row, const std::string& label,
                            std::vector<std::string> features, const RankOf& of,
                            const std::string& what, const std::string& is_wrong) {
  const bool removed = row.label >= 0;
  throw SingularError(
      {.row = removed ? row.row : -1, .label = label, .features = std::move(features)}, of.rank,
      of.dimension,
      (removed ? "without this row " : "") + what + (label.empty() ? " of all classes " : " ") +
          is_wrong,
      "use a structure that needs less, shrinkage, or a number of folds");
}

}  // namespace suffice
