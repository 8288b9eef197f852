#include "suffice/stats/indicators.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/quoted.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// Features of a schema with indicators, and where those of the old one are.
class IndicatorFeatures {
 public:
  explicit IndicatorFeatures(const Schema& schema) {
    for (const Feature& feature : schema.features()) taken_.insert(feature.name);
  }

  std::vector<Index> keep(const Feature& feature) {
    features_.push_back(feature);
    return {last()};
  }

  std::vector<Index> replace(const Feature& feature, const ColumnLevels& of) {
    if (feature.family != Family::categorical)
      throw InvalidArgument(
          "column " + quoted(feature.name) + " is " + std::string(to_string(feature.family)),
          "only categorical features can become indicators");
    std::vector<Index> places;
    const auto add = [&](std::string name, std::optional<std::string> level) {
      while (!taken_.insert(name).second) name += '*';
      features_.push_back({.name = std::move(name),
                           .indicator = Indicator{of.column, std::move(level), of.reference}});
      places.push_back(last());
    };
    for (const std::string& level : of.levels) add(of.column + "=" + level, level);
    if (of.missing) add(of.column + " is missing", std::nullopt);
    if (places.empty())
      throw InvalidArgument(
          "column " + quoted(feature.name) + " has no level beside " + quoted(of.reference),
          "leave it as it is");
    return places;
  }

  std::vector<Feature> take() && { return std::move(features_); }

 private:
  Index last() const { return std::ssize(features_) - 1; }

  std::vector<Feature> features_;
  std::unordered_set<std::string> taken_;
};

/// The levels of one column, and how many indicators they make; none where no level occurs, or
/// a single one in all rows.
struct Candidate {
  ColumnLevels of;
  Index indicators = 0;
};

Candidate candidate_of(const std::string& column, const Names& levels, const Matrix& count,
                       double missing) {
  Candidate result{{.column = column, .missing = missing > 0}};
  std::vector<double> weight(static_cast<std::size_t>(levels.size()));
  for (Index c = 0; c < count.rows(); ++c)
    for (Index l = 0; l < levels.size(); ++l) weight[static_cast<std::size_t>(l)] += count(c, l);
  if (levels.empty()) return result;
  const auto reference = std::ranges::max_element(weight) - weight.begin();
  if (!(weight[static_cast<std::size_t>(reference)] > 0)) return result;
  for (Index l = 0; l < levels.size(); ++l) {
    if (!(weight[static_cast<std::size_t>(l)] > 0)) continue;
    if (l == reference)
      result.of.reference = levels[l];
    else
      result.of.levels.push_back(levels[l]);
  }
  result.indicators = std::ssize(result.of.levels) + (missing > 0 ? 1 : 0);
  return result;
}

}  // namespace

Schema with_indicators(const Schema& schema, const std::vector<ColumnLevels>& columns) {
  std::unordered_map<std::string_view, const ColumnLevels*> listed;
  for (const ColumnLevels& of : columns) listed.emplace(of.column, &of);
  IndicatorFeatures features(schema);
  std::vector<std::vector<Index>> places;  // of the old features
  std::vector<bool> moves;
  for (const Feature& feature : schema.features()) {
    const auto found = listed.find(feature.name);
    moves.push_back(found != listed.end());
    if (found == listed.end()) {
      places.push_back(features.keep(feature));
      continue;
    }
    places.push_back(features.replace(feature, *found->second));
    listed.erase(found);
  }
  if (!listed.empty())
    throw InvalidArgument("there is no feature " + quoted(listed.begin()->first));

  std::vector<std::vector<Index>> blocks;
  std::vector<Index> moved;
  std::optional<std::size_t> gaussian;  // the block that they join
  for (const Block& block : schema.blocks()) {
    std::vector<Index> members;
    for (const Index j : block.features) {
      const std::vector<Index>& place = places[static_cast<std::size_t>(j)];
      std::vector<Index>& to = moves[static_cast<std::size_t>(j)] ? moved : members;
      to.insert(to.end(), place.begin(), place.end());
    }
    if (members.empty()) continue;
    if (block.family == Family::gaussian && !gaussian) gaussian = blocks.size();
    blocks.push_back(std::move(members));
  }
  if (!moved.empty()) {
    if (!gaussian) {
      blocks.emplace(blocks.begin());
      gaussian = 0;
    }
    std::vector<Index>& block = blocks[*gaussian];
    block.insert(block.end(), moved.begin(), moved.end());
  }
  return Schema(std::move(features).take(), std::move(blocks)).with_label(schema.label());
}

namespace {

/// Whether a feature has one value of its own in a row, which can be missing.
bool can_be_missing(const Feature& feature) {
  return !feature.indicator && feature.family != Family::multinomial &&
         feature.family != Family::text;
}

}  // namespace

std::vector<std::string> columns_with_missing_values(const Statistics& statistics) {
  const Schema& schema = statistics.schema();
  const Vector missing = statistics.missing();
  std::unordered_set<std::string_view> told;
  for (const Feature& feature : schema.features())
    if (feature.is_of_missing()) told.insert(feature.column());
  std::vector<std::string> columns;
  for (Index j = 0; j < schema.size(); ++j)
    if (const Feature& feature = schema.feature(j);
        missing[j] > 0 && can_be_missing(feature) && !told.contains(feature.name))
      columns.push_back(feature.name);
  return columns;
}

Schema with_missing_indicators(const Schema& schema, const std::vector<std::string>& columns) {
  if (columns.empty()) return schema;
  std::unordered_set<std::string_view> taken, known;
  for (const Feature& feature : schema.features()) {
    taken.insert(feature.name);
    if (can_be_missing(feature)) known.insert(feature.name);
  }
  std::vector<Feature> features = schema.features();
  std::vector<std::vector<Index>> blocks;
  for (const Block& block : schema.blocks()) blocks.push_back(block.features);
  std::vector<Index>& own = blocks.emplace_back();
  for (const std::string& column : columns) {
    if (!known.contains(column))
      throw InvalidArgument("there is no feature " + quoted(column) +
                            " of numbers or categories whose values can be missing");
    std::string name = column + " is missing";
    while (taken.contains(name)) name += '*';
    own.push_back(std::ssize(features));
    features.push_back({.name = std::move(name),
                        .family = Family::bernoulli,
                        .indicator = Indicator{.column = column}});
  }
  return Schema(std::move(features), std::move(blocks)).with_label(schema.label());
}

Indicators indicators_of(const Statistics& statistics, const IndicatorOptions& options) {
  const Schema& schema = statistics.schema();
  const Vector missing = statistics.missing();
  Indicators result;
  std::vector<Candidate> candidates;  // in the order of the schema
  for (std::size_t b = 0; b < schema.blocks().size(); ++b) {
    const auto* block = std::get_if<CategoricalStatistics>(&statistics.blocks()[b]);
    if (!block) continue;
    for (std::size_t j = 0; j < block->levels.size(); ++j) {
      const Index feature = schema.blocks()[b].features[j];
      Candidate found = candidate_of(schema.feature(feature).name, block->levels[j],
                                     block->count[j], missing[feature]);
      if (found.indicators > 0)
        candidates.push_back(std::move(found));
      else
        result.too_few.push_back(schema.feature(feature).name);
    }
  }
  // The columns with fewest levels go first; those that no longer fit stay.
  std::vector<std::size_t> order(candidates.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return candidates[k].indicators; });
  std::vector<bool> fits(candidates.size());
  Index levels = 0;
  for (const std::size_t k : order) {
    fits[k] = levels + candidates[k].indicators <= options.levels;
    if (fits[k]) levels += candidates[k].indicators;
  }
  for (auto k = order.rbegin(); k != order.rend(); ++k)
    if (!fits[*k]) result.too_many.push_back(candidates[*k].of.column);
  for (std::size_t k = 0; k < candidates.size(); ++k)
    if (fits[k]) result.columns.push_back(std::move(candidates[k].of));
  result.schema = with_indicators(schema, result.columns);
  return result;
}

}  // namespace suffice
