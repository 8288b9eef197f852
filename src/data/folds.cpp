#include "data/folds.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/random.hpp"
#include "data/name_encoder.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// 64 bits of a name (the hash FNV-1a).
std::uint64_t bits_of(std::string_view name) {
  std::uint64_t bits = 0xcbf29ce484222325;
  for (const char byte : name) bits = (bits ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3;
  return bits;
}

/// 0 … count − 1 in a random order (Fisher and Yates).
void shuffle(RowRandom random, std::vector<std::int32_t>& order) {
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t left = order.size(); left > 1; --left) {
    const auto pick = static_cast<std::size_t>(random.uniform() * static_cast<double>(left));
    std::swap(order[left - 1], order[pick]);
  }
}

}  // namespace

Folds Folds::dealt(Index count, std::uint64_t seed) {
  Folds folds;
  folds.count_ = count;
  folds.seed_ = seed;
  for (Index fold = 1; fold <= count; ++fold) folds.names_.push_back(std::to_string(fold));
  return folds;
}

std::vector<std::int32_t> Folds::next(const Names& labels, const std::int32_t* label, Index rows,
                                      const Column& names, const double* weight) {
  std::vector<std::int32_t> folds(static_cast<std::size_t>(rows), -1);
  if (has_names())
    read(label, names, weight, folds);
  else
    deal(labels, label, folds);
  return folds;
}

Index Folds::add(const std::string& name) {
  const auto [at, fresh] = positions_.emplace(name, static_cast<std::int32_t>(names_.size()));
  if (fresh) names_.push_back(name);
  return at->second;
}

void Folds::rewind() {
  for (auto& [name, deal] : deals_) deal.dealt = 0;
  rows_ = 0;
  second_ = true;
}

Index Folds::rows_of_largest_class() const {
  Index most = 0;
  for (const auto& [name, deal] : deals_) most = std::max(most, deal.dealt);
  return most;
}

void Folds::deal(const Names& labels, const std::int32_t* label, std::vector<std::int32_t>& folds) {
  std::vector<Deal*> of_label;
  for (const std::string& name : labels) {
    Deal& deal = deals_[name];
    if (deal.order.empty()) {
      deal.stream = seed_ ^ bits_of(name);
      deal.order.resize(static_cast<std::size_t>(count_));
    }
    of_label.push_back(&deal);
  }
  for (std::size_t i = 0; i < folds.size(); ++i) {
    if (label[i] < 0) continue;
    Deal& deal = *of_label[label[i]];
    const Index group = deal.dealt / count_, place = deal.dealt % count_;
    if (place == 0) shuffle(RowRandom(deal.stream, static_cast<std::uint64_t>(group)), deal.order);
    folds[i] = deal.order[place];
    ++deal.dealt;
    ++rows_;
  }
}

void Folds::read(const std::int32_t* label, const Column& column, const double* weight,
                 std::vector<std::int32_t>& folds) {
  const auto rows = static_cast<Index>(folds.size());
  if (column.kind == Column::Kind::none || column.size != rows)
    throw InvalidArgument("the column of folds has " + std::to_string(column.size) +
                              " names for a block of " + std::to_string(rows) + " rows",
                          "give it with every block of both passes");
  Workers alone({.threads = 1}, 1);
  const EncodedNames found = encode_names(column, {}, weight, alone);
  std::vector<std::int32_t> position;
  for (const std::string& name : found.names) {
    const auto [at, fresh] = positions_.emplace(name, static_cast<std::int32_t>(names_.size()));
    if (fresh && second_)
      throw InvalidArgument("the second pass has a fold '" + name + "' that the first had not",
                            "both must be over the same rows");
    if (fresh) names_.push_back(name);
    position.push_back(at->second);
  }
  for (Index i = 0; i < rows; ++i) {
    if (label[i] < 0) continue;
    if (found.code[i] < 0)
      throw DataError({.row = i}, "the column of folds has no value",
                      "name a fold there, or leave the row out");
    folds[i] = position[found.code[i]];
    ++rows_;
  }
}

}  // namespace suffice
