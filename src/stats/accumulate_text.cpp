#include <algorithm>
#include <memory>
#include <mutex>
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
  LaneCounts(const TextOptions& options, std::size_t classes)
      : weight(classes), document(options) {}

  WordTable words;
  /// Count and rows side by side, words × classes: they are all over the memory.
  struct Cell {
    double count = 0, rows = 0;
  };
  std::vector<Cell> cells;
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
  /// Keeps the memory for another lane.
  void clear() {
    words.clear();
    cells.clear();
    std::ranges::fill(weight, 0.0);
    heaviest.clear();
    lead.clear();
    document.forget_vocabulary();
  }
};

/// Lanes are merged in order, each as soon as it and all before it are done, so that there are few
/// of them at a time: a vocabulary may be large.
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
    sums_ = zero_text(rows_.schema, block_, std::ssize(rows_.labels));
    done_.resize(at(lanes.count));
    rows_.workers.run(lanes.count, [&](Index lane, int) {
      std::unique_ptr<Lane> own = empty_lane();
      lanes.for_each_panel(lane, rows_, [&](Index first, Index count) {
        for (std::size_t j = 0; j < readers_.size(); ++j)
          for (Index row = first; row < first + count; ++row) add(j, (*own)[j], row);
      });
      merge(lane, std::move(own));
    });
    return std::move(sums_);
  }

 private:
  using Lane = std::vector<LaneCounts>;  // per feature

  std::unique_ptr<Lane> empty_lane() {
    {
      const std::scoped_lock lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Lane> lane = std::move(free_.back());
        free_.pop_back();
        return lane;
      }
    }
    auto lane = std::make_unique<Lane>();
    for (const DocumentReader& reader : readers_) lane->emplace_back(reader.options(), classes_);
    return lane;
  }

  /// One worker merges; the others leave their lanes to it.
  void merge(Index lane, std::unique_ptr<Lane> own) {
    std::unique_lock lock(mutex_);
    done_[at(lane)] = std::move(own);
    if (merging_) return;
    merging_ = true;
    for (; next_ < done_.size() && done_[next_]; ++next_) {
      std::unique_ptr<Lane> next = std::move(done_[next_]);
      lock.unlock();
      for (std::size_t j = 0; j < readers_.size(); ++j) {
        add_lane(j, (*next)[j]);
        (*next)[j].clear();
      }
      lock.lock();
      free_.push_back(std::move(next));
    }
    merging_ = false;
  }

  void add(std::size_t feature, LaneCounts& own, Index row) const {
    const std::int32_t label = rows_.code[row];
    if (label < 0) return;
    const double weight = rows_.weight_of(row);
    const auto vote = [&](std::int32_t number, std::string_view word, double count) {
      own.vote(number, word, weight * count);
    };
    if (!own.document.read(readers_[feature], row, own.words, vote, rows_.first_row))
      return require_present(rows_, block_.features[feature], row);
    const std::size_t size = at(own.words.size()) * classes_;
    if (own.cells.size() < size) own.cells.resize(size);
    own.weight[at(label)] += weight;
    const std::vector<WordCounts::Word>& words = own.document.words();
    const auto cell_of = [&](std::size_t k) -> LaneCounts::Cell& {
      return own.cells[at(words[k].number) * classes_ + at(label)];
    };
    constexpr std::size_t ahead = 8;
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (k + ahead < words.size()) __builtin_prefetch(&cell_of(k + ahead), 1);
      LaneCounts::Cell& cell = cell_of(k);
      cell.count += weight * words[k].count;
      cell.rows += weight;
    }
  }

  void add_lane(std::size_t j, const LaneCounts& lane) {
    const std::vector<Index> position = join_words(sums_, static_cast<Index>(j), lane.words);
    if (!lane.heaviest.empty())
      for (std::size_t i = 0; i < position.size(); ++i)
        vote_for_heaviest(sums_.heaviest[j][at(position[i])], sums_.lead[j][position[i]],
                          lane.heaviest[i], lane.lead[i]);
    for (std::size_t c = 0; c < classes_; ++c) {
      const auto label = static_cast<Index>(c);
      sums_.weight(label, static_cast<Index>(j)) += lane.weight[c];
      const std::span<double> count = sums_.count[j].row(label), rows = sums_.rows[j].row(label);
      for (std::size_t i = 0; i < position.size(); ++i) {
        const LaneCounts::Cell& cell = lane.cells[i * classes_ + c];
        count[at(position[i])] += cell.count;
        rows[at(position[i])] += cell.rows;
      }
    }
  }

  const LabelledRows& rows_;
  const Block& block_;
  std::size_t classes_;
  std::vector<DocumentReader> readers_;  ///< per feature
  TextStatistics sums_;
  std::mutex mutex_;  ///< of what follows
  std::vector<std::unique_ptr<Lane>> done_, free_;
  std::size_t next_ = 0;  ///< the lane that is merged next
  bool merging_ = false;
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
