#include "data/name_encoder.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace suffice {
namespace {

constexpr Index rows_of_chunk = 8192;
constexpr Index first_rows = 4096;  // usually they have all the names that there are

bool is_counting(const std::vector<std::int32_t>& position) {
  for (std::size_t i = 0; i < position.size(); ++i)
    if (position[i] != static_cast<std::int32_t>(i)) return false;
  return true;
}

}  // namespace

NameEncoder::NameEncoder(const Column& column, const Names& known)
    : table_(std::make_shared<Table>(Table{NameReader(column, known), known.list()})) {}

void NameEncoder::read(Index first, Index count, std::int32_t* codes, const double* weights) {
  constexpr Index tile = 256;  // the names of one are known to the next
  for (Index begin = 0; begin < count; begin += tile) {
    const Index n = std::min(tile, count - begin), row = first + begin;
    std::int32_t* of_tile = codes + begin;
    table_->reader.read(row, n, of_tile, 1);
    if (weights)
      for (Index i = 0; i < n; ++i)
        if (weights[row + i] == 0) of_tile[i] = NameReader::missing;
    bool is_new = false;
    for (Index i = 0; i < n; ++i) is_new |= of_tile[i] == NameReader::unknown;
    for (Index i = 0; is_new && i < n; ++i)
      if (of_tile[i] == NameReader::unknown) of_tile[i] = add(row + i);
  }
}

std::int32_t NameEncoder::add(Index row) {
  if (table_.use_count() > 1) table_ = std::make_shared<Table>(*table_);
  const auto next = static_cast<std::int32_t>(table_->names.size());
  const std::int32_t code = table_->reader.learn(row, next);
  if (code == next) table_->names.push_back(table_->reader.name_at(row));
  return code;
}

JoinedNames::JoinedNames(std::span<const NameEncoder> encoders) : position(encoders.size()) {
  std::unordered_map<std::string_view, std::int32_t> found;
  for (const NameEncoder& encoder : encoders) {
    if (&encoder != encoders.data() && &encoder.names() == &encoders[0].names()) continue;
    for (const std::string& name : encoder.names()) found.emplace(name, 0);
  }
  std::vector<std::string> all;
  for (const auto& [name, code] : found) all.emplace_back(name);
  names = Names(std::move(all));
  for (Index i = 0; i < names.size(); ++i) found[names[i]] = static_cast<std::int32_t>(i);
  for (std::size_t k = 0; k < encoders.size(); ++k)
    if (k > 0 && &encoders[k].names() == &encoders[0].names())
      position[k] = position[0];
    else
      for (const std::string& name : encoders[k].names()) position[k].push_back(found[name]);
}

EncodedNames encode_names(const Column& column, const Names& known, const double* weights,
                          Workers& workers) {
  const Index chunks = (column.size + rows_of_chunk - 1) / rows_of_chunk;
  EncodedNames result{known, Buffer<std::int32_t>(column.size)};
  const auto for_chunks = [&](const auto& body) {
    workers.run(chunks, [&](Index k, int) {
      const Index first = k * rows_of_chunk, count = std::min(rows_of_chunk, column.size - first);
      body(k, first, count, result.code.data() + first);
    });
  };
  NameEncoder beginning(column, known);
  beginning.read(0, std::min(first_rows, column.size), result.code.data(), weights);
  std::vector<NameEncoder> encoders(static_cast<std::size_t>(chunks), beginning);
  std::atomic<bool> complete = true;
  for_chunks([&](Index k, Index first, Index count, std::int32_t* codes) {
    encoders[k].read(first, count, codes, weights);
    std::int32_t lowest = 0;
    for (Index i = 0; i < count; ++i) lowest = std::min(lowest, codes[i]);
    if (lowest < 0) complete = false;
  });
  result.complete = complete;
  const bool all_known = std::ranges::all_of(encoders, [&](const NameEncoder& encoder) {
    return std::ssize(encoder.names()) == known.size();
  });
  if (all_known) return result;
  JoinedNames joined(encoders);
  for_chunks([&](Index k, Index, Index count, std::int32_t* codes) {
    const std::vector<std::int32_t>& position = joined.position[k];
    if (is_counting(position)) return;
    for (Index i = 0; i < count; ++i)
      if (codes[i] >= 0) codes[i] = position[codes[i]];
  });
  result.names = std::move(joined.names);
  return result;
}

EncodedNames encode_names(const Column& column) {
  Workers alone({.threads = 1}, 1);
  return encode_names(column, {}, nullptr, alone);
}

}  // namespace suffice
