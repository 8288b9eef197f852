#include <algorithm>
#include <cmath>
#include <vector>

#include "core/at.hpp"
#include "data/document_reader.hpp"
#include "data/word_table.hpp"
#include "score/scorer.hpp"

namespace suffice {
namespace {

class TextScorer : public BlockScorer {
 public:
  explicit TextScorer(const ScorerInput& input)
      : input_(input),
        factor_(std::get<TextFactor>(input.model.factors().blocks[input.block])),
        classes_(input.model.labels().size()) {
    for (const Index feature : input.schema_block().features)
      readers_.emplace_back(input.rows, input.model.schema(), feature);
  }

  std::unique_ptr<Workspace> workspace(Index) const override {
    auto own = std::make_unique<Own>();
    for (const DocumentReader& reader : readers_) own->documents.emplace_back(reader.options());
    own->sums = Vector(classes_);
    return own;
  }

  void prepare(const Chunk&, Workspace&) const override {}

  void score(const Tile& tile, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    for (Index i = 0; i < tile.count; ++i) {
      double* out = tile.out + i * classes_;
      if (!tile.add) std::fill_n(out, classes_, 0.0);
      for (std::size_t j = 0; j < readers_.size(); ++j) add(j, tile.first + i, own, out);
    }
  }

 private:
  struct Own : Workspace {
    std::vector<WordCounts> documents;  // per feature
    Vector sums;
  };

  void add(std::size_t j, Index row, Own& own, double* out) const {
    WordCounts& document = own.documents[j];
    const WordTable& words = factor_.words[j].table();
    const Matrix& slope = factor_.slope[j];
    const auto position = static_cast<Index>(j);
    if (!document.read(readers_[j], row, words)) return input_.require_present(position, row);
    std::fill(own.sums.begin(), own.sums.end(), 0.0);
    double length = 0;
    for (const auto& [number, count] : document.words()) {
      const double x = factor_.presence ? 1 : count;
      const double* of_word = slope.row(number).data();
      for (Index c = 0; c < classes_; ++c) own.sums[c] += x * of_word[c];
      length += x;
    }
    const double scale =
        factor_.length_power == 1 || length == 0 ? 1 : std::pow(length, factor_.length_power - 1);
    for (Index c = 0; c < classes_; ++c)
      out[c] += factor_.constant(position, c) + scale * own.sums[c];
    if (document.unknown() > 0)
      input_.unscored->add_unknown(input_.schema_block().features[j],
                                   static_cast<Index>(std::ceil(document.unknown())));
  }

  ScorerInput input_;
  const TextFactor& factor_;
  Index classes_;
  std::vector<DocumentReader> readers_;
};

}  // namespace

std::unique_ptr<BlockScorer> make_text_scorer(const ScorerInput& input) {
  return std::make_unique<TextScorer>(input);
}

}  // namespace suffice
