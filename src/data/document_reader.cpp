#include "data/document_reader.hpp"

#include "data/row_checks.hpp"
#include "data/scalar.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

DocumentReader::DocumentReader(const RowBlock& rows, const Schema& schema, Index feature)
    : feature_(&schema.feature(feature)),
      column_(NameReader::column_of(rows, schema.column(feature))) {
  if (column_.kind != Column::Kind::strings) names_.emplace(column_, none_);
}

std::optional<std::string_view> DocumentReader::document(Index row, std::string& memory) const {
  if (!names_) return column_.valid(row) ? std::optional(column_.strings[row]) : std::nullopt;
  std::int32_t code = 0;
  names_->read(row, 1, &code, 1);
  if (code == NameReader::infinite) throw_infinite_category(feature_->name, row);
  if (code == NameReader::missing) return std::nullopt;
  if (column_.kind == Column::Kind::codes) return of_code(row);
  memory = names_->name_at(row);
  return memory;
}

/// Of a code that NameReader has checked.
std::string_view DocumentReader::of_code(Index row) const {
  return with_type(column_.type, [&]<class T>(std::type_identity<T>) {
    return column_
        .strings[static_cast<Index>(static_cast<const T*>(column_.data)[row * column_.stride])];
  });
}

bool DocumentReader::read(Index row, Tokenizer& tokenizer, std::string& memory,
                          const Tokenizer::Use& use, Index first_row) const {
  const std::optional<std::string_view> text = document(row, memory);
  if (!text) return false;
  try {
    tokenizer.read_some(*text, use);
  } catch (const DataError& error) {
    throw DataError({.row = first_row + row, .features = {feature_->name}}, error.sentence(),
                    error.advice());
  }
  return true;
}

}  // namespace suffice
