#include "stats/dictionary.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "data/family.hpp"
#include "data/word_table.hpp"

namespace suffice {
namespace {

Vector spread(const Vector& old, const std::vector<Index>& position, Index count) {
  Vector result(count);
  for (Index i = 0; i < old.size(); ++i) result[position[i]] = old[i];
  return result;
}

Matrix spread_rows(const Matrix& old, const std::vector<Index>& position, Index count,
                   Index columns) {
  Matrix result(count, columns);
  for (Index i = 0; i < old.rows(); ++i)
    std::ranges::copy(old.row(i), result.row(position[i]).begin());
  return result;
}

/// Class i moves to position[i] of `count` classes.
struct MoveClasses {
  const std::vector<Index>& position;
  Index count;
  const Block& block;

  void operator()(GaussianStatistics& sums) const {
    std::vector<GaussianStatistics::Class> classes(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < sums.classes.size(); ++i)
      classes[position[i]] = std::move(sums.classes[i]);
    sums.classes = std::move(classes);
  }
  void operator()(CountStatistics& sums) const {
    const auto d = static_cast<Index>(block.features.size());
    sums.sum = spread_rows(sums.sum, position, count, d);
    if (!describe(block.family).documents)
      sums.weight = spread_rows(sums.weight, position, count, d);
  }
  void operator()(CategoricalStatistics& sums) const {
    for (std::size_t j = 0; j < sums.count.size(); ++j)
      sums.count[j] = spread_rows(sums.count[j], position, count, sums.levels[j].size());
  }
  void operator()(TextStatistics& sums) const {
    for (std::size_t j = 0; j < sums.count.size(); ++j) {
      sums.count[j] = spread_rows(sums.count[j], position, count, sums.words[j].size());
      sums.rows[j] = spread_rows(sums.rows[j], position, count, sums.words[j].size());
    }
    sums.weight = spread_rows(sums.weight, position, count, std::ssize(block.features));
  }
};

}  // namespace

void remap_classes(BlockStatistics& statistics, const std::vector<Index>& new_position_of_old,
                   Index new_count, const Block& block) {
  std::visit(MoveClasses{new_position_of_old, new_count, block}, statistics);
}

void join_labels(Statistics::Parts& parts, const Names& more) {
  Names labels = join(parts.labels, more);
  if (labels == parts.labels) return;
  const std::vector<Index> position = labels.positions_of(parts.labels);
  const Index count = labels.size();
  parts.weights = spread(parts.weights, position, count);
  parts.squared_weights = spread(parts.squared_weights, position, count);
  for (std::size_t b = 0; b < parts.blocks.size(); ++b)
    remap_classes(parts.blocks[b], position, count, parts.schema.blocks()[b]);
  parts.labels = std::move(labels);
}

void join_levels(CategoricalStatistics& statistics, Index feature, const Names& more) {
  Names& levels = statistics.levels[feature];
  Matrix& count = statistics.count[feature];
  Names joined = join(levels, more);
  if (joined == levels) return;
  const std::vector<Index> position = joined.positions_of(levels);
  Matrix spread(count.rows(), joined.size());
  for (Index c = 0; c < count.rows(); ++c)
    for (Index l = 0; l < levels.size(); ++l) spread(c, position[l]) = count(c, l);
  count = std::move(spread);
  levels = std::move(joined);
}

namespace {

/// The sums of words that have joined.
void widen(TextStatistics& statistics, Index feature) {
  const Index size = statistics.words[feature].size();
  if (statistics.count[feature].cols() == size) return;
  for (Matrix* table : {&statistics.count[feature], &statistics.rows[feature]}) {
    Matrix wider(table->rows(), size);
    for (Index c = 0; c < table->rows(); ++c)
      std::ranges::copy(table->row(c), wider.row(c).begin());
    *table = std::move(wider);
  }
  if (!statistics.heaviest.empty()) {
    statistics.heaviest[feature].resize(static_cast<std::size_t>(size));
    Vector lead(size);
    std::ranges::copy(statistics.lead[feature], lead.begin());
    statistics.lead[feature] = std::move(lead);
  }
}

}  // namespace

std::vector<Index> join_words(TextStatistics& statistics, Index feature, const Words& more) {
  std::vector<Index> position = statistics.words[feature].join(more);
  widen(statistics, feature);
  return position;
}

std::vector<Index> join_words(TextStatistics& statistics, Index feature, const WordTable& more) {
  std::vector<Index> position = statistics.words[feature].join(more);
  widen(statistics, feature);
  return position;
}

std::vector<Index> join_words(TextStatistics& statistics, Index feature, WordTable&& more) {
  if (!statistics.words[feature].empty())
    return join_words(statistics, feature, std::as_const(more));
  std::vector<Index> position(static_cast<std::size_t>(more.size()));
  std::iota(position.begin(), position.end(), Index{0});
  statistics.words[feature] = Words(std::move(more));
  widen(statistics, feature);
  return position;
}

void vote_for_heaviest(std::string& heaviest, double& lead, std::string_view word, double weight) {
  if (word == heaviest) {
    lead += weight;
  } else if (weight > lead) {
    heaviest = word;
    lead = weight - lead;
  } else {
    lead -= weight;
  }
}

}  // namespace suffice
