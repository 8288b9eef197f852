#include <algorithm>

#include "core/kernels.hpp"
#include "score/scorer.hpp"

namespace suffice {

namespace {

class CategoricalScorer : public BlockScorer {
 public:
  explicit CategoricalScorer(const ScorerInput& input)
      : input_(input),
        factor_(std::get<CategoricalFactor>(input.model.factors().blocks[input.block])),
        features_(static_cast<Index>(input.schema_block().features.size())),
        classes_(input.model.labels().size()),
        width_(kernels::padded(classes_)),
        table_(factor_.table.rows(), width_) {
    const auto& density = std::get<CategoricalDensity>(input.model.densities()[input.block]);
    for (Index j = 0; j < features_; ++j) {
      const Index feature = input.schema_block().features[j];
      reader_.emplace_back(NameReader::column_of(input.rows, feature), density.levels[j]);
    }
    for (Index level = 0; level < factor_.table.rows(); ++level) {
      std::copy_n(factor_.table.row(level).data(), classes_, table_.row(level).data());
    }
  }

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto own = std::make_unique<Own>();
    own->codes.resize(static_cast<std::size_t>(chunk_rows * features_));
    own->sums = Vector(width_);
    return own;
  }

  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    own.first = chunk.first;
    own.unknown.resize(static_cast<std::size_t>(features_));
    // Few rows at a time, so that what neighbouring features share of a row-major table stays
    // cached.
    constexpr Index at_once = 64;
    for (Index row = 0; row < chunk.count; row += at_once) {
      const Index count = std::min(at_once, chunk.count - row);
      NameReader::fetch(reader_, chunk.first + row + count, at_once);
      for (Index j = 0; j < features_; ++j) {
        std::int32_t* codes = own.codes.data() + row * features_ + j;
        reader_[j].read(chunk.first + row, count, codes, features_);
        const auto first = static_cast<std::int32_t>(factor_.first[j]);
        Index unknown = 0;
        for (Index i = 0; i < count; ++i) {
          std::int32_t& code = codes[i * features_];
          unknown += code == NameReader::unknown;
          code = code >= 0 ? code + first : -1;  // now a row of the table
        }
        own.unknown[j] += unknown;
      }
    }
    report_unknown(own);
  }

  void score(const Tile& tile, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    const Index rows_ahead = tile.first - own.first;
    for (Index i = 0; i < tile.count; ++i) {
      std::fill(own.sums.begin(), own.sums.end(), 0.0);
      kernels::add_table_rows(table_.data(), width_,
                              own.codes.data() + (rows_ahead + i) * features_, nullptr, features_,
                              features_, own.sums.data());
      double* out = tile.out + i * classes_;
      for (Index c = 0; c < classes_; ++c) out[c] = (tile.add ? out[c] : 0.0) + own.sums[c];
    }
  }

 private:
  struct Own : Workspace {
    Index first = 0;
    std::vector<std::int32_t> codes;
    std::vector<Index> unknown;
    Vector sums;
  };

  void report_unknown(Own& own) const {
    for (Index j = 0; j < features_; ++j) {
      Index& count = own.unknown[j];
      if (count) input_.unknown_levels->add(input_.schema_block().features[j], count);
      count = 0;
    }
  }

  ScorerInput input_;
  const CategoricalFactor& factor_;
  Index features_, classes_, width_;
  Matrix table_;  // levels of all features × padded classes
  std::vector<NameReader> reader_;
};

}  // namespace

std::unique_ptr<BlockScorer> make_categorical_scorer(const ScorerInput& input) {
  return std::make_unique<CategoricalScorer>(input);
}

}  // namespace suffice
