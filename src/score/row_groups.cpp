#include "score/row_groups.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "core/at.hpp"
#include "data/family.hpp"
#include "data/name_reader.hpp"
#include "data/number_reader.hpp"
#include "data/row_checks.hpp"
#include "data/scalar.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

using Key = std::vector<std::uint64_t>;

std::uint64_t words_of(double length, Index row) {
  if (!(length >= 0 && length < 0x1p53 && length == std::floor(length)))
    throw DataError({.row = row}, "the words add up to " + name_of(length),
                    "an outlier score compares a document with those of its length, which must be "
                    "a whole number of words: score counts, not weights");
  return static_cast<std::uint64_t>(length);
}

/// What tells groups apart: one bit for each feature that may be missing, then a document length
/// for each block.
class KeyReader {
 public:
  KeyReader(const Model& model, const RowBlock& rows)
      : model_(model), rows_(rows), bit_(at(model.schema().size()), -1) {
    if (const auto why = why_no_outlier_score(model))
      throw InvalidArgument(*why, "leave the column out, or use a model of densities");
    for (std::size_t b = 0; b < blocks().size(); ++b) {
      const Block& block = blocks()[b];
      if (!describe(block.family).documents)  // a word count is never missing
        for (const Index feature : block.features) bit_[at(feature)] = bits_++;
    }
    words_ = at((bits_ + 63) / 64);
  }

  std::size_t size() const { return words_ + blocks().size(); }

  /// keys[i] for row first + i; they are overwritten.
  void read(Index first, Index count, std::vector<Key>& keys) {
    for (Index i = 0; i < count; ++i) keys[at(i)].assign(size(), 0);
    for (std::size_t b = 0; b < blocks().size(); ++b) {
      if (std::holds_alternative<CategoricalDensity>(model_.densities()[b]))
        read_levels(b, first, count, keys);
      else
        read_numbers(b, first, count, keys);
    }
  }

  RowGroup group(const Key& key) const {
    RowGroup result{std::vector<bool>(bit_.size()), std::vector<Index>(blocks().size()), {}};
    for (std::size_t f = 0; f < bit_.size(); ++f)
      if (const Index bit = bit_[f]; bit >= 0)
        result.missing[f] = (key[at(bit / 64)] >> bit % 64) & 1;
    for (std::size_t b = 0; b < blocks().size(); ++b)
      result.document_length[b] = static_cast<Index>(key[words_ + b]);
    return result;
  }

 private:
  const std::vector<Block>& blocks() const { return model_.schema().blocks(); }

  /// A feature that has no part in its density, whatever its value.
  static bool is_left_out(const GaussianDensity& density, Index j) {
    if (density.projection.empty()) return std::ranges::binary_search(density.constant, j);
    return std::ranges::all_of(density.projection.matrix.row(j), [](double m) { return m == 0; });
  }

  /// The feature at position j of a block is missing; -1: all of them are, since a row that lacks a
  /// feature lacks all its projections.
  void set_missing(Key& key, const Block& block, Index j) const {
    if (j >= 0) return set_missing(key, block.features[at(j)]);
    for (const Index feature : block.features) set_missing(key, feature);
  }

  void set_missing(Key& key, Index feature) const {
    const Index bit = bit_[at(feature)];
    key[at(bit / 64)] |= std::uint64_t{1} << bit % 64;
  }

  void read_levels(std::size_t b, Index first, Index count, std::vector<Key>& keys) {
    const auto& levels = std::get<CategoricalDensity>(model_.densities()[b]).levels;
    codes_.resize(at(count));
    for (std::size_t j = 0; j < levels.size(); ++j) {
      const Index feature = blocks()[b].features[j];
      const auto [reader, is_new] = names_.try_emplace(
          feature, NameReader::column_of(rows_, model_.schema().column(feature)), levels[j]);
      reader->second.read(first, count, codes_.data(), 1);
      for (Index i = 0; i < count; ++i)
        if (codes_[at(i)] < 0) set_missing(keys[at(i)], feature);
    }
  }

  void read_numbers(std::size_t b, Index first, Index count, std::vector<Key>& keys) {
    const Block& block = blocks()[b];
    const bool documents = describe(block.family).documents;
    const auto [found, is_new] = numbers_.try_emplace(b, model_.schema(), block, rows_);
    const NumberReader& reader = found->second;
    if (documents && reader.sparse()) {
      read_sparse(*reader.sparse(), first, count, words_ + b, keys);
      return;
    }
    if (!reader.in_place() && scratch_.size() < count * reader.features())
      scratch_ = Vector(count * reader.features());
    const NumberReader::Panel panel = reader.read(first, count, scratch_.data());
    const auto* gaussian = std::get_if<GaussianDensity>(&model_.densities()[b]);
    for (Index i = 0; i < count; ++i) {
      const double* row = panel.values + i * panel.stride;
      double length = 0;
      for (Index j = 0; j < reader.features(); ++j) {
        if (documents)
          length += row[j];
        else if (std::isnan(row[j]) && !(gaussian && is_left_out(*gaussian, j)))
          set_missing(keys[at(i)], block, gaussian && !gaussian->projection.empty() ? -1 : j);
      }
      if (documents) keys[at(i)][words_ + b] = words_of(length, first + i);
    }
  }

  static void read_sparse(const SparseView& view, Index first, Index count, std::size_t word,
                          std::vector<Key>& keys) {
    const auto start = [&view](Index row) {
      return view.index_type == Scalar::int32
                 ? Index{static_cast<const std::int32_t*>(view.row_start)[row]}
                 : static_cast<Index>(static_cast<const std::int64_t*>(view.row_start)[row]);
    };
    with_type(view.type, [&]<class T>(std::type_identity<T>) {
      const T* values = static_cast<const T*>(view.values);
      for (Index i = 0; i < count; ++i) {
        double length = 0;
        for (Index k = start(first + i); k < start(first + i + 1); ++k)
          length += static_cast<double>(values[k]);
        keys[at(i)][word] = words_of(length, first + i);
      }
    });
  }

  const Model& model_;
  const RowBlock& rows_;
  std::vector<Index> bit_;  ///< per feature: its bit, or -1
  Index bits_ = 0;
  std::size_t words_ = 0;
  std::map<std::size_t, NumberReader> numbers_;  ///< by block
  std::map<Index, NameReader> names_;            ///< by feature
  Vector scratch_;
  std::vector<std::int32_t> codes_;
};

}  // namespace

std::optional<std::string> why_no_outlier_score(const Model& model) {
  for (std::size_t b = 0; b < model.densities().size(); ++b) {
    const Density& density = model.densities()[b];
    if (std::holds_alternative<TextDensity>(density))
      return "documents of different lengths cannot be compared, so rows with the text column '" +
             model.schema().feature(model.schema().blocks()[b].features[0]).name +
             "' have no outlier score";
    const auto* counts = std::get_if<MultinomialDensity>(&density);
    if (counts && (counts->event_model == EventModel::complement || !counts->length_power.empty()))
      return "scores of documents by their complement, or weighed by their length, are no "
             "densities, and have no outlier score";
  }
  return {};
}

std::vector<RowGroup> group_rows(const Model& model, const RowBlock& rows) {
  require_features(model.schema(), rows);
  KeyReader reader(model, rows);
  const Index panel_rows = std::clamp<Index>(65536 / model.schema().size(), 1, 1024);
  std::vector<Key> keys(at(panel_rows));
  std::map<Key, std::size_t> places;
  std::vector<RowGroup> groups;
  auto last = places.end();
  for (Index first = 0; first < rows.rows(); first += panel_rows) {
    const Index count = std::min(panel_rows, rows.rows() - first);
    reader.read(first, count, keys);
    for (Index i = 0; i < count; ++i) {
      const Key& key = keys[at(i)];
      if (last == places.end() || last->first != key) {  // most rows are like the one before
        bool is_new = false;
        std::tie(last, is_new) = places.try_emplace(key, groups.size());
        if (is_new) groups.push_back(reader.group(key));
      }
      groups[last->second].rows.push_back(first + i);
    }
  }
  return groups;
}

}  // namespace suffice
