#include "left_out/text_without_row.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/at.hpp"
#include "core/minus_or_zero.hpp"
#include "data/document_reader.hpp"
#include "data/family.hpp"
#include "data/word_table.hpp"
#include "estimate/smoothing.hpp"
#include "models/feature_family.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// The sums of one feature.
struct WordSums {
  WordSums(const TextStatistics& sums, std::size_t feature)
      : words(sums.words[feature]), count(sums.count[feature]), total(count.rows()) {
    rows = Vector(words.size());
    for (Index c = 0; c < count.rows(); ++c) {
      const std::span<const double> of_class = count.row(c);
      total[c] = std::reduce(of_class.begin(), of_class.end());
      for (Index i = 0; i < rows.size(); ++i) rows[i] += sums.rows[feature](c, i);
    }
    known = std::count_if(rows.begin(), rows.end(), [](double of_word) { return of_word > 0; });
  }

  Words words;
  Matrix count;   ///< K × words
  Vector total;   ///< K: all words of a class
  Vector rows;    ///< of each word, over the classes
  Index known{};  ///< words that some row has
};

struct TextSums {
  std::vector<WordSums> features;
  double alpha, length_power;
};

class TextScorerWithoutRow : public BlockScorer {
 public:
  TextScorerWithoutRow(const ScorerInput& input, const RemovedRows& removed, const TextSums& sums)
      : input_(input),
        removed_(removed),
        sums_(sums),
        all_rows_(make_text_scorer(input)),
        classes_(input.model.labels().size()) {
    for (const Index feature : input.schema_block().features)
      readers_.emplace_back(input.rows, input.model.schema(), feature);
  }

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto own = std::make_unique<Own>();
    own->all_rows = all_rows_->workspace(chunk_rows);
    for (const DocumentReader& reader : readers_) own->documents.emplace_back(reader.options());
    return own;
  }
  void prepare(const Chunk&, Workspace&) const override {}

  void score(const Tile& tile, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    for (Index i = 0; i < tile.count; ++i) {
      double* out = tile.out + i * classes_;
      const RemovedRow removed = removed_[tile.first + i];
      if (removed.label < 0) {
        all_rows_->score({tile.first + i, 1, out, tile.add}, *own.all_rows);
        continue;
      }
      if (!tile.add) std::fill_n(out, classes_, 0.0);
      for (std::size_t j = 0; j < readers_.size(); ++j) add(j, removed, own.documents[j], out);
    }
  }

 private:
  struct Own : Workspace {
    std::unique_ptr<Workspace> all_rows;
    std::vector<WordCounts> documents;  // per feature
  };

  void add(std::size_t j, const RemovedRow& removed, WordCounts& document, double* out) const {
    const WordSums& sums = sums_.features[j];
    const WordTable& words = sums.words.table();
    if (!document.read(readers_[j], removed.row, words))
      return input_.require_present(static_cast<Index>(j), removed.row);
    if (document.unknown() > 0) throw_not_among(removed.row, name(j) + " has a new word");
    Index known = sums.known;
    double length = 0, kept = 0;
    for (const auto& [number, count] : document.words()) {
      length += count;
      if (stays(sums, number, removed))
        kept += count;
      else
        --known;
    }
    if (!(kept > 0)) return;
    const double scale = sums_.length_power == 1 ? 1 : std::pow(kept, sums_.length_power - 1);
    for (Index c = 0; c < classes_; ++c) {
      const double weight = c == removed.label ? removed.weight : 0;
      if (!(minus_or_zero(input_.model.weights()[c], weight) > 0)) continue;
      const double total = left_of(sums.total[c], weight * length, removed, j);
      if (!(total + sums_.alpha > 0)) throw_unknown(removed, j);
      double log_p = 0;
      for (const auto& [number, count] : document.words())
        if (stays(sums, number, removed))
          log_p += count * std::log(smoothed_share(
                               left_of(sums.count(c, number), weight * count, removed, j), total,
                               sums_.alpha, known));
      out[c] += scale * log_p;
    }
  }

  /// Whether other rows have the word, too.
  static bool stays(const WordSums& sums, std::int32_t number, const RemovedRow& removed) {
    return minus_or_zero(sums.rows[number], removed.weight) > 0;
  }
  std::string name(std::size_t j) const {
    return "feature '" + input_.feature_name(static_cast<Index>(j)) + "'";
  }
  double left_of(double whole, double part, const RemovedRow& removed, std::size_t j) const {
    if (part > whole * (1 + 1e-9))
      throw_not_among(removed.row, name(j) + " sums up to less in its class");
    return minus_or_zero(whole, part);
  }
  [[noreturn]] void throw_unknown(const RemovedRow& removed, std::size_t j) const {
    throw InvalidArgument(
        {.row = removed.row, .features = {input_.feature_name(static_cast<Index>(j))}},
        "without this row its class has no estimate",
        "use " + Option{"smoothing"} + " above 0, or a number of folds");
  }

  ScorerInput input_;
  const RemovedRows& removed_;
  const TextSums& sums_;
  std::unique_ptr<BlockScorer> all_rows_;
  Index classes_;
  std::vector<DocumentReader> readers_;
};

class TextWithoutRow : public BlockWithoutRow {
 public:
  explicit TextWithoutRow(const BlockInput& input)
      : sums_{{},
              pseudo_count_of(input.model, input.options, input.block),
              input.options.length_power} {
    const auto& sums = input.sums<TextStatistics>();
    for (std::size_t j = 0; j < sums.words.size(); ++j) sums_.features.emplace_back(sums, j);
  }
  std::unique_ptr<BlockScorer> scorer(const ScorerInput& input,
                                      const RemovedRows& removed) const override {
    return std::make_unique<TextScorerWithoutRow>(input, removed, sums_);
  }

 private:
  TextSums sums_;
};

}  // namespace

std::optional<std::string> why_documents_need_folds(const Schema& schema,
                                                    const EstimateOptions& options) {
  const bool counts = std::ranges::any_of(
      schema.blocks(), [](const Block& block) { return describe(block.family).documents; });
  if (!counts && !schema.has_text()) return {};
  if (options.event_model != EventModel::multinomial)
    return "with the event model '" + std::string(to_string(options.event_model)) +
           "' each row changes what all words tell";
  if (counts && options.length_power != 1) return "documents are weighed by their length";
  if (schema.has_text() && (options.min_rows > 0 || options.max_words || options.idf))
    return "which words are kept, or how they are weighed, changes with every row";
  return {};
}

std::unique_ptr<BlockWithoutRow> make_text_without_row(const BlockInput& input) {
  return std::make_unique<TextWithoutRow>(input);
}

}  // namespace suffice
