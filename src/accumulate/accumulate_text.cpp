#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "accumulate/accumulate.hpp"
#include "accumulate/lanes.hpp"
#include "accumulate/text_lane.hpp"
#include "core/at.hpp"
#include "data/document_reader.hpp"
#include "stats/dictionary.hpp"

namespace suffice {
namespace {

constexpr Index documents_of_panel = 64;

/// Lanes are merged in order, each as soon as it and all before it are done, so that there are few
/// of them at a time: a vocabulary may be large.
class TextCounts {
 public:
  TextCounts(const LabelledRows& rows, const Block& block)
      : rows_(rows), block_(block), classes_(at(rows.classes())) {
    for (const Index feature : block.features)
      readers_.emplace_back(rows.rows, rows.schema, feature);
    hashed_ = std::ranges::any_of(
        readers_, [](const DocumentReader& reader) { return reader.options().hash_bits > 0; });
    whole_ = !rows.weight && std::ranges::none_of(readers_, [](const DocumentReader& reader) {
      return reader.options().tokens == TextOptions::Tokens::pairs;
    });
  }

  TextStatistics result() {
    // Merging a lane takes a look at each of its words.
    Lanes lanes = Lanes::of(rows_.size(), documents_of_panel, 5e5,
                            1000.0 * static_cast<double>(readers_.size()));
    // Sums of ones are exact, however they are grouped, and fewer lanes have fewer words to merge.
    // Votes are not: which word leads depends on the groups.
    if (whole_ && !hashed_) {
      const Index workers = rows_.workers.size();
      lanes.count = std::min(lanes.count, workers == 1 ? 1 : 2 * workers);
    }
    position_of_bucket_.resize(readers_.size());
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
  using Lane = std::vector<TextLane>;  // per feature

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
    for (const DocumentReader& reader : readers_)
      lane->emplace_back(reader.options(), classes_, whole_);
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

  void add(std::size_t feature, TextLane& own, Index row) const {
    const std::int32_t label = rows_.code[row];
    if (label < 0) return;
    if (!own.add(readers_[feature], row, rows_.first_row, at(label), rows_.weight_of(row)))
      require_present(rows_, block_.features[feature], row);
  }

  void add_lane(std::size_t j, TextLane& lane) {
    const std::vector<Index> position = positions(j, lane);
    if (lane.has_votes())
      for (std::size_t i = 0; i < position.size(); ++i)
        vote_for_heaviest(sums_.heaviest[j][at(position[i])], sums_.lead[j][position[i]],
                          lane.heaviest(i), lane.lead(i));
    for (std::size_t c = 0; c < classes_; ++c) {
      const auto label = static_cast<Index>(c);
      sums_.weight(label, static_cast<Index>(j)) += lane.weight(c);
      const std::span<double> count = sums_.count[j].row(label), rows = sums_.rows[j].row(label);
      for (std::size_t i = 0; i < position.size(); ++i) {
        const TextLane::Sums sums = lane.sums(i, c);
        count[at(position[i])] += sums.count;
        rows[at(position[i])] += sums.rows;
      }
    }
  }

  /// For each word of a lane its number in the sums; words that are new join.
  std::vector<Index> positions(std::size_t j, TextLane& lane) {
    const auto feature = static_cast<Index>(j);
    if (!lane.has_buckets()) return join_words(sums_, feature, lane.take_words());
    const std::span<const std::uint32_t> buckets = lane.buckets();
    std::vector<std::int32_t>& known = position_of_bucket_[j];
    if (known.empty()) known.assign(std::size_t{1} << readers_[j].options().hash_bits, -1);
    WordTable more;
    Tokenizer tokenizer(readers_[j].options());
    const auto before = static_cast<std::int32_t>(sums_.words[j].size());
    std::vector<Index> result;
    result.reserve(buckets.size());
    for (const std::uint32_t bucket : buckets) {
      if (known[bucket] < 0) known[bucket] = before + more.add(tokenizer.bucket_name(bucket));
      result.push_back(known[bucket]);
    }
    join_words(sums_, feature, more);
    return result;
  }

  const LabelledRows& rows_;
  const Block& block_;
  std::size_t classes_;
  bool hashed_ = false;
  bool whole_ = false;                   ///< all sums are of ones
  std::vector<DocumentReader> readers_;  ///< per feature
  TextStatistics sums_;
  std::vector<std::vector<std::int32_t>> position_of_bucket_;  ///< per feature; −1: none
  std::mutex mutex_;                                           ///< of what follows
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
