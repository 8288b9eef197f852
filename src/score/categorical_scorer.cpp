#include <algorithm>
#include <optional>

#include "core/kernels.hpp"
#include "data/integer_rows.hpp"
#include "data/name_reader.hpp"
#include "data/row_checks.hpp"
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
        first_(factor_.first.begin(), factor_.first.end()),
        table_(factor_.table.rows(), width_) {
    const auto& density = std::get<CategoricalDensity>(input.model.densities()[input.block]);
    for (Index j = 0; j < features_; ++j) {
      const Index feature = input.schema_block().features[j];
      reader_.emplace_back(NameReader::column_of(input.rows, input.model.schema().column(feature)),
                           density.levels[j]);
    }
    for (Index level = 0; level < factor_.table.rows(); ++level) {
      std::copy_n(factor_.table.row(level).data(), classes_, table_.row(level).data());
    }
    rows_ = IntegerRows::of(reader_, first_);
    // As many features at a time as have their rows of the table in the first-level cache.
    constexpr Index in_cache = 24 << 10;
    const Index rows_at_a_time = std::max<Index>(1, in_cache / (width_ * 8));
    for (Index j = 0; j < features_; ++j) {
      const Index end = j + 1 < features_ ? first_[j + 1] : table_.rows();
      if (groups_.empty() || end - first_[groups_.back()] > rows_at_a_time) groups_.push_back(j);
    }
    groups_.push_back(features_);
  }

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto own = std::make_unique<Own>();
    own->codes.resize(static_cast<std::size_t>(chunk_rows * features_));
    own->sums = Vector(kernels::rows_at_once * width_);
    return own;
  }

  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    own.first = chunk.first;
    if (rows_) {
      if (rows_->read(chunk.first, chunk.count, own.codes.data())) count_unknown(chunk.count, own);
      return;
    }
    // Few rows at a time, so that what neighbouring features share of a row-major table stays
    // cached.
    constexpr Index at_once = 32;
    for (Index row = 0; row < chunk.count; row += at_once) {
      const Index count = std::min(at_once, chunk.count - row);
      NameReader::fetch(reader_, chunk.first + row + count, at_once);
      for (Index j = 0; j < features_; ++j) {
        reader_[j].read(chunk.first + row, count, own.codes.data() + row * features_ + j,
                        features_);
      }
    }
    const std::int32_t* codes = own.codes.data();
    const std::int32_t* end = codes + chunk.count * features_;
    if (std::find(codes, end, NameReader::unknown) != end) count_unknown(chunk.count, own);
    if (const auto* infinite = std::find(codes, end, NameReader::infinite); infinite != end) {
      const Index cell = infinite - codes;
      throw_infinite_category(input_.feature_name(cell % features_),
                              chunk.first + cell / features_);
    }
    if (input_.missing == Missing::refuse) {
      if (const auto* absent = std::find(codes, end, NameReader::missing); absent != end) {
        const Index cell = absent - codes;
        input_.require_present(cell % features_, chunk.first + cell / features_);
      }
    }
  }

  void score(const Tile& tile, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    const std::int32_t* codes = own.codes.data() + (tile.first - own.first) * features_;
    std::fill_n(own.sums.data(), tile.count * width_, 0.0);
    for (std::size_t g = 0; g + 1 < groups_.size(); ++g) {
      const Index j = groups_[g], count = groups_[g + 1] - j;
      for (Index i = 0; i < tile.count; ++i)
        kernels::add_table_rows(table_.data(), width_, codes + i * features_ + j,
                                rows_ ? nullptr : first_.data() + j, nullptr, count, 0,
                                own.sums.data() + i * width_);
    }
    for (Index i = 0; i < tile.count; ++i) {
      const double* sums = own.sums.data() + i * width_;
      double* out = tile.out + i * classes_;
      for (Index c = 0; c < classes_; ++c) out[c] = (tile.add ? out[c] : 0.0) + sums[c];
    }
  }

 private:
  struct Own : Workspace {
    Index first = 0;
    std::vector<std::int32_t> codes;
    Vector sums;  // rows_at_once × padded classes
  };

  void count_unknown(Index rows, const Own& own) const {
    for (Index j = 0; j < features_; ++j) {
      Index unknown = 0;
      for (Index i = 0; i < rows; ++i)
        unknown += own.codes[i * features_ + j] == NameReader::unknown;
      if (unknown) input_.unscored->add_unknown(input_.schema_block().features[j], unknown);
    }
  }

  ScorerInput input_;
  const CategoricalFactor& factor_;
  Index features_, classes_, width_;
  std::vector<std::int32_t> first_;  // per feature: its first row of the table
  Matrix table_;                     // levels of all features × padded classes
  std::vector<NameReader> reader_;
  std::optional<IntegerRows> rows_;  // the same columns as one; its codes are rows of the table
  std::vector<Index> groups_;        // where features whose rows are cached together begin
};

}  // namespace

std::unique_ptr<BlockScorer> make_categorical_scorer(const ScorerInput& input) {
  return std::make_unique<CategoricalScorer>(input);
}

}  // namespace suffice
