#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/at.hpp"
#include "data/document_reader.hpp"
#include "data/word_table.hpp"
#include "stats/accumulate.hpp"
#include "stats/dictionary.hpp"
#include "stats/lanes.hpp"

namespace suffice {
namespace {

constexpr Index documents_of_panel = 64;

/// What a lane has counted of one feature, in a vocabulary of its own.
struct LaneCounts {
  explicit LaneCounts(const TextOptions& options) : document(options) {}

  WordTable words;
  std::vector<double> count, rows;    ///< words × classes
  std::vector<double> weight;         ///< per class
  std::vector<std::string> heaviest;  ///< of hashed words
  std::vector<double> lead;
  WordCounts document;

  void vote(std::int32_t number, std::string_view word, double of_word) {
    if (at(number) >= heaviest.size()) {
      heaviest.resize(at(number) + 1);
      lead.resize(at(number) + 1);
    }
    vote_for_heaviest(heaviest[at(number)], lead[at(number)], word, of_word);
  }
};

class TextCounts {
 public:
  TextCounts(const LabelledRows& rows, const Block& block)
      : rows_(rows), block_(block), classes_(at(rows.classes())) {
    for (const Index feature : block.features)
      readers_.emplace_back(rows.rows, rows.schema, feature);
  }

  TextStatistics result() {
    // Merging a lane takes a look at each of its words.
    const Lanes lanes = Lanes::of(rows_.size(), documents_of_panel, 5e5,
                                  1000.0 * static_cast<double>(readers_.size()));
    for (const DocumentReader& reader : readers_)
      lanes_.emplace_back(at(lanes.count), LaneCounts(reader.options()));
    rows_.workers.run(lanes.count, [&](Index lane, int) {
      for (std::vector<LaneCounts>& of_feature : lanes_)
        of_feature[at(lane)].weight.resize(classes_);
      lanes.for_each_panel(lane, rows_, [&](Index first, Index count) {
        for (std::size_t j = 0; j < readers_.size(); ++j)
          for (Index row = first; row < first + count; ++row) add(j, lane, row);
      });
    });
    TextStatistics sums = zero_text(rows_.schema, block_, std::ssize(rows_.labels));
    for (std::size_t j = 0; j < readers_.size(); ++j)
      for (LaneCounts& lane : lanes_[j]) {
        add_lane(sums, j, lane);
        lane = LaneCounts(readers_[j].options());
      }
    return sums;
  }

 private:
  void add(std::size_t feature, Index lane, Index row) {
    const std::int32_t label = rows_.code[row];
    if (label < 0) return;
    LaneCounts& own = lanes_[feature][at(lane)];
    const double weight = rows_.weight_of(row);
    const bool hashed = readers_[feature].options().hash_bits > 0;
    const auto number_of = [&](std::string_view word, double count) {
      const std::int32_t number = own.words.add(word);
      if (hashed) own.vote(number, own.document.tokenizer().original(), weight * count);
      return number;
    };
    if (!own.document.read(readers_[feature], row, number_of, rows_.first_row))
      return require_present(rows_, block_.features[feature], row);
    const std::size_t size = at(own.words.size()) * classes_;
    if (own.count.size() < size) {
      own.count.resize(size);
      own.rows.resize(size);
    }
    own.weight[at(label)] += weight;
    for (const auto& [number, count] : own.document.words()) {
      const std::size_t cell = at(number) * classes_ + at(label);
      own.count[cell] += weight * count;
      own.rows[cell] += weight;
    }
  }

  void add_lane(TextStatistics& sums, std::size_t j, LaneCounts& lane) const {
    const Words words(std::move(lane.words));
    const std::vector<Index> position = join_words(sums, static_cast<Index>(j), words);
    if (!lane.heaviest.empty())
      for (std::size_t i = 0; i < position.size(); ++i)
        vote_for_heaviest(sums.heaviest[j][at(position[i])], sums.lead[j][position[i]],
                          lane.heaviest[i], lane.lead[i]);
    for (std::size_t c = 0; c < classes_; ++c) {
      const auto label = static_cast<Index>(c);
      sums.weight(label, static_cast<Index>(j)) += lane.weight[c];
      const std::span<double> count = sums.count[j].row(label), rows = sums.rows[j].row(label);
      for (std::size_t i = 0; i < position.size(); ++i) {
        count[at(position[i])] += lane.count[i * classes_ + c];
        rows[at(position[i])] += lane.rows[i * classes_ + c];
      }
    }
  }

  const LabelledRows& rows_;
  const Block& block_;
  std::size_t classes_;
  std::vector<DocumentReader> readers_;         ///< per feature
  std::vector<std::vector<LaneCounts>> lanes_;  ///< feature × lane
};

}  // namespace

TextStatistics zero_text(const Schema& schema, const Block& block, Index classes) {
  TextStatistics sums;
  if (std::ranges::any_of(block.features,
                          [&](Index j) { return schema.feature(j).text.hash_bits > 0; })) {
    sums.heaviest.resize(block.features.size());
    sums.lead.resize(block.features.size());
  }
  sums.words.resize(block.features.size());
  sums.count.assign(block.features.size(), Matrix(classes, 0));
  sums.rows = sums.count;
  sums.weight = Matrix(classes, std::ssize(block.features));
  return sums;
}

TextStatistics accumulate_text(const LabelledRows& rows, const Block& block) {
  return TextCounts(rows, block).result();
}

}  // namespace suffice
