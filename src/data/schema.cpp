#include "suffice/data/schema.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/quoted.hpp"
#include "data/family.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

using Kind = Transform::Kind;
constexpr std::array kinds_of_transforms = {Kind::none, Kind::log,   Kind::log1p,
                                            Kind::sqrt, Kind::logit, Kind::signed_log};

void check_scale(const Transform& transform) {
  if (transform.kind != Kind::signed_log && transform.scale != 1)
    throw InvalidArgument("the transformation " + std::string(to_string(transform.kind)) +
                              " has a scale of " + name_of(transform.scale),
                          "only signed-log has a scale");
  if (!(transform.scale > 0) || std::isinf(transform.scale))
    throw InvalidArgument("the scale of signed-log is " + name_of(transform.scale),
                          "it must be a finite number above 0");
}

/// Finds names that come twice. A million of them are looked up by 32-bit numbers, not by nodes of
/// a map, which would take more room than the names.
class NameFinder {
 public:
  explicit NameFinder(const std::vector<Feature>& features)
      : features_(features), slots_(std::bit_ceil(2 * features.size()), none) {}

  /// The feature of this name that was added before; otherwise adds feature `i`, and returns it.
  std::size_t add(std::size_t i) {
    const std::string& name = features_[i].name;
    std::size_t at = std::hash<std::string_view>()(name) & (slots_.size() - 1);
    for (; slots_[at] != none; at = (at + 1) & (slots_.size() - 1))
      if (features_[slots_[at]].name == name) return slots_[at];
    slots_[at] = static_cast<std::uint32_t>(i);
    return i;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  const std::vector<Feature>& features_;
  std::vector<std::uint32_t> slots_;
};

void check_features(const std::vector<Feature>& features) {
  if (features.empty())
    throw InvalidArgument("a schema needs at least one feature, and none was given");
  NameFinder names(features);
  for (std::size_t i = 0; i < features.size(); ++i) {
    const Feature& feature = features[i];
    if (feature.name.empty())
      throw InvalidArgument("feature " + std::to_string(i) + " has an empty name",
                            "each feature needs a name of its own");
    if (const std::size_t earlier = names.add(i); earlier != i)
      throw InvalidArgument("features " + std::to_string(earlier) + " and " + std::to_string(i) +
                                " are both named " + quoted(feature.name),
                            "rename one of them");
    if (!feature.levels.empty() && feature.family != Family::categorical)
      throw InvalidArgument("feature " + quoted(feature.name) + " is " +
                                std::string(to_string(feature.family)) + " and has levels",
                            "only categorical features have levels");
    if (feature.transform != Transform::none && feature.family != Family::gaussian)
      throw InvalidArgument("feature " + quoted(feature.name) + " is " +
                                std::string(to_string(feature.family)) +
                                " and has the transformation " + to_string(feature.transform),
                            "only Gaussian features can be transformed");
    check_scale(feature.transform);
    if (feature.text != TextOptions{} && feature.family != Family::text)
      throw InvalidArgument("feature " + quoted(feature.name) + " is " +
                                std::string(to_string(feature.family)) + " and has words",
                            "only text features have words");
    check(feature.text);
    if (!feature.indicator) continue;
    if (feature.is_of_missing() &&
        (feature.indicator->level || !feature.indicator->reference.empty()))
      throw InvalidArgument(
          "feature " + quoted(feature.name) + " is bernoulli and an indicator of levels",
          "only Gaussian features are indicators of levels; a Bernoulli one is that of missing "
          "values");
    if (feature.family != Family::gaussian && !feature.is_of_missing())
      throw InvalidArgument("feature " + quoted(feature.name) + " is " +
                                std::string(to_string(feature.family)) + " and an indicator",
                            "only Gaussian and Bernoulli features are indicators");
    if (feature.transform != Transform::none)
      throw InvalidArgument("feature " + quoted(feature.name) +
                                " is an indicator and has the transformation " +
                                to_string(feature.transform),
                            "indicators are not transformed");
    if (feature.indicator->level == feature.indicator->reference)
      throw InvalidArgument("feature " + quoted(feature.name) +
                                " is the indicator of the reference level " +
                                quoted(feature.indicator->reference),
                            "the reference level has none");
  }
}

/// What an indicator shows, for messages.
std::string indicator_in_words(const Boxed<Indicator>& indicator) {
  if (!indicator) return "no indicator";
  return (indicator->level ? "the indicator of level " + quoted(*indicator->level)
                           : std::string("the indicator of missing values")) +
         " of column " + quoted(indicator->column) +
         (indicator->reference.empty() ? "" : " (0 at level " + quoted(indicator->reference) + ")");
}

}  // namespace

std::span<const Family> families() { return all_families; }

std::string_view to_string(Family family) {
  if (const std::string_view name = describe(family).name; !name.empty()) return name;
  throw InvalidArgument("a family has the value " + std::to_string(static_cast<int>(family)) +
                        ", which is none of the enumeration's");
}

Family family_from_string(std::string_view name) {
  std::string known;
  for (const Family family : families()) {
    if (to_string(family) == name) return family;
    known += (known.empty() ? "" : ", ") + std::string(to_string(family));
  }
  throw InvalidArgument("there is no family " + quoted(name), "the families are " + known);
}

Transform Transform::signed_log(double scale) {
  const Transform result{Kind::signed_log, scale};
  check_scale(result);
  return result;
}

std::span<const Transform::Kind> transform_kinds() { return kinds_of_transforms; }

std::string_view to_string(Transform::Kind kind) {
  switch (kind) {
    case Kind::none:
      return "none";
    case Kind::log:
      return "log";
    case Kind::log1p:
      return "log1p";
    case Kind::sqrt:
      return "sqrt";
    case Kind::logit:
      return "logit";
    case Kind::signed_log:
      return "signed-log";
  }
  throw InvalidArgument("a transformation has the value " + std::to_string(static_cast<int>(kind)) +
                        ", which is none of the enumeration's");
}

std::string to_string(const Transform& transform) {
  const std::string name(to_string(transform.kind));
  return transform.scale == 1 ? name : name + ":" + name_of(transform.scale);
}

Transform transform_from_string(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::string known;
  for (const Kind kind : kinds_of_transforms) {
    known += (known.empty() ? "" : ", ") + std::string(to_string(kind));
    if (to_string(kind) != name) continue;
    Transform result{kind};
    if (colon == std::string_view::npos) return result;
    const std::string_view scale = text.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(scale.data(), scale.data() + scale.size(), result.scale);
    if (error != std::errc() || end != scale.data() + scale.size())
      throw InvalidArgument(
          "the scale " + quoted(scale) + " of " + quoted(text) + " is not a number",
          "write signed-log:SCALE, as in signed-log:0.5");
    if (kind != Kind::signed_log)
      throw InvalidArgument("the transformation " + quoted(text) + " has a scale",
                            "only signed-log has one, as in signed-log:0.5");
    check_scale(result);
    return result;
  }
  throw InvalidArgument("there is no transformation " + quoted(text),
                        "the transformations are " + known);
}

/// Finds the columns that the features are read from.
std::shared_ptr<const Schema::Contents> Schema::contents(std::vector<Feature> given,
                                                         std::vector<Block> blocks) {
  auto result = std::make_shared<Contents>();
  result->features = std::move(given);
  result->blocks = std::move(blocks);
  const std::vector<Feature>& features = result->features;
  result->has_transforms = std::ranges::any_of(
      features, [](const Feature& feature) { return feature.transform != Transform::none; });
  if (std::ranges::none_of(features,
                           [](const Feature& feature) { return feature.indicator.has_value(); }))
    return result;
  const auto feature_at = [&](Index i) -> const Feature& {
    return features[static_cast<std::size_t>(i)];
  };
  std::unordered_map<std::string_view, Index> position;
  std::unordered_set<Index> of_missing;  // columns that a feature of missing values is read from
  for (Index i = 0; i < std::ssize(features); ++i) {
    const Feature& feature = feature_at(i);
    const auto [found, is_new] = position.emplace(feature.column(), std::ssize(result->reader));
    result->column.push_back(found->second);
    if (feature.is_of_missing() && !of_missing.insert(found->second).second)
      throw InvalidArgument(
          "two features say whether column " + quoted(feature.column()) + " is missing",
          "leave one of them out");
    if (is_new) {
      result->reader.push_back(i);
      continue;
    }
    Index& earlier = result->reader[static_cast<std::size_t>(found->second)];
    const Feature& first = feature_at(earlier);
    if (feature.is_of_missing()) continue;
    if (first.is_of_missing()) {
      earlier = i;
      continue;
    }
    if (!feature.indicator || !first.indicator)
      throw InvalidArgument(
          "column " + quoted(feature.column()) + " is a feature, and features are its indicators",
          "rename one of them");
    for (Index k = earlier; k < i; ++k)
      if (feature_at(k).indicator == feature.indicator)
        throw InvalidArgument("features " + quoted(feature_at(k).name) + " and " +
                                  quoted(feature.name) + " are the same indicator",
                              "leave one of them out");
    if (feature.indicator->reference != first.indicator->reference)
      throw InvalidArgument("the indicators of column " + quoted(feature.column()) +
                                " have the reference levels " + quoted(first.indicator->reference) +
                                " and " + quoted(feature.indicator->reference),
                            "a column has one");
  }
  return result;
}

const std::vector<std::string>& Schema::columns() const {
  std::call_once(contents_->once, [&] {
    contents_->columns.reserve(static_cast<std::size_t>(column_count()));
    for (Index j = 0; j < column_count(); ++j) contents_->columns.push_back(reader(j).column());
  });
  return contents_->columns;
}

bool Schema::has_level_indicators() const noexcept {
  return has_indicators() && std::ranges::any_of(features(), [](const Feature& feature) {
           return feature.indicator && !feature.is_of_missing();
         });
}

bool Schema::has_missing_indicators() const noexcept {
  return has_indicators() && std::ranges::any_of(features(), &Feature::is_of_missing);
}

bool Schema::has_text() const noexcept {
  return std::ranges::any_of(blocks(),
                             [](const Block& block) { return block.family == Family::text; });
}

Schema::Schema(std::vector<Feature> features) {
  check_features(features);
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const Family family = features[i].family;
    auto block = std::find_if(blocks.begin(), blocks.end(),
                              [&](const Block& b) { return b.family == family; });
    if (block == blocks.end()) block = blocks.insert(block, Block{family, {}});
    block->features.push_back(static_cast<Index>(i));
  }
  contents_ = contents(std::move(features), std::move(blocks));
}

Schema::Schema(std::vector<Feature> features, std::vector<std::vector<Index>> blocks) {
  check_features(features);
  const auto feature_at = [&](Index i) -> const Feature& { return features[i]; };
  const Index count = std::ssize(features);
  std::vector<Index> owner(features.size(), -1);
  std::vector<Block> checked;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].empty())
      throw InvalidArgument("block " + std::to_string(b) + " has no features", "leave it out");
    for (const Index i : blocks[b]) {
      if (i < 0 || i >= count)
        throw InvalidArgument("block " + std::to_string(b) + " has feature number " +
                              std::to_string(i) + ", but the schema has features 0 to " +
                              std::to_string(count - 1));
      Index& block = owner[i];
      if (block >= 0)
        throw InvalidArgument("feature " + quoted(feature_at(i).name) + " is in block " +
                                  std::to_string(block) + " and again in block " +
                                  std::to_string(b),
                              "each feature belongs to one block");
      block = static_cast<Index>(b);
      const Feature& first = feature_at(blocks[b].front());
      if (feature_at(i).family != first.family)
        throw InvalidArgument("block " + std::to_string(b) + " mixes " + quoted(first.name) + " (" +
                                  std::string(to_string(first.family)) + ") and " +
                                  quoted(feature_at(i).name) + " (" +
                                  std::string(to_string(feature_at(i).family)) + ")",
                              "a block has one family");
    }
    checked.push_back({feature_at(blocks[b].front()).family, std::move(blocks[b])});
  }
  const auto alone = std::find(owner.begin(), owner.end(), Index{-1});
  if (alone != owner.end())
    throw InvalidArgument(
        "feature " + quoted(feature_at(alone - owner.begin()).name) + " is in no block",
        "each feature belongs to one");
  contents_ = contents(std::move(features), std::move(checked));
}

Schema Schema::numbered(Index count, Family family) {
  if (count < 1)
    throw InvalidArgument("a schema needs at least one feature, and " + std::to_string(count) +
                          " were asked for");
  std::vector<Feature> features;
  features.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) features.push_back({"x" + std::to_string(i), family});
  return Schema(std::move(features));
}

Schema Schema::with_label(std::string label) const {
  Schema result = *this;
  result.label_ = std::move(label);
  return result;
}

Schema Schema::subset(std::span<const Index> of) const {
  std::vector<bool> kept(features().size());
  for (const Index feature : of) {
    if (feature < 0 || feature >= size())
      throw InvalidArgument("there is no feature " + std::to_string(feature) + " in a schema of " +
                            std::to_string(size()));
    kept[static_cast<std::size_t>(feature)] = true;
  }
  std::vector<Feature> some;
  std::vector<Index> place(kept.size());
  for (std::size_t j = 0; j < kept.size(); ++j) {
    place[j] = static_cast<Index>(some.size());
    if (kept[j]) some.push_back(features()[j]);
  }
  std::vector<std::vector<Index>> some_blocks;
  for (const Block& block : blocks()) {
    std::vector<Index> members;
    for (const Index j : block.features)
      if (kept[static_cast<std::size_t>(j)]) members.push_back(place[static_cast<std::size_t>(j)]);
    if (!members.empty()) some_blocks.push_back(std::move(members));
  }
  return Schema(std::move(some), std::move(some_blocks)).with_label(label());
}

std::vector<Index> positions_of_columns(const Schema& whole, const Schema& part) {
  std::unordered_map<std::string_view, Index> place;
  for (std::size_t j = 0; j < whole.columns().size(); ++j)
    place.emplace(whole.columns()[j], static_cast<Index>(j));
  std::vector<Index> result;
  for (const std::string& name : part.columns()) {
    const auto found = place.find(name);
    if (found == place.end()) throw InvalidArgument("the rows have no column " + quoted(name));
    result.push_back(found->second);
  }
  return result;
}

std::vector<std::string> Schema::names(const Block& block) const {
  std::vector<std::string> names;
  names.reserve(block.features.size());
  for (const Index i : block.features) names.push_back(feature(i).name);
  return names;
}

void Schema::require_compatible(const Schema& other, std::string_view verb) const {
  if (contents_ == other.contents_) return;
  const std::string start = "cannot " + std::string(verb) + ": ";
  if (size() != other.size())
    throw InvalidArgument(start + "one schema has " + std::to_string(size()) +
                          " features and the other has " + std::to_string(other.size()));
  for (Index i = 0; i < size(); ++i) {
    const Feature& a = feature(i);
    const Feature& b = other.feature(i);
    if (a.name != b.name)
      throw InvalidArgument(start + "feature " + std::to_string(i) + " is " + quoted(a.name) +
                            " in one schema and " + quoted(b.name) + " in the other");
    if (a.family != b.family)
      throw InvalidArgument(start + "feature " + quoted(a.name) + " is " +
                            std::string(to_string(a.family)) + " in one schema and " +
                            std::string(to_string(b.family)) + " in the other");
    if (a.transform != b.transform)
      throw InvalidArgument(start + "feature " + quoted(a.name) + " has the transformation " +
                            to_string(a.transform) + " in one schema and " +
                            to_string(b.transform) + " in the other");
    if (a.text != b.text)
      throw InvalidArgument(start + "the words of feature " + quoted(a.name) + " are " +
                            quoted(to_string(a.text)) + " in one schema and " +
                            quoted(to_string(b.text)) + " in the other");
    if (a.indicator != b.indicator)
      throw InvalidArgument(start + "feature " + quoted(a.name) + " is " +
                            indicator_in_words(a.indicator) + " in one schema and " +
                            indicator_in_words(b.indicator) + " in the other");
  }
  if (blocks() == other.blocks()) return;
  const auto [mine, theirs] =
      std::mismatch(blocks().begin(), blocks().end(), other.blocks().begin(), other.blocks().end());
  throw InvalidArgument(
      start + "the features are the same, but block " + std::to_string(mine - blocks().begin()) +
      " is " + (mine == blocks().end() ? "absent" : list_for_message(names(*mine))) +
      " in one schema and " +
      (theirs == other.blocks().end() ? "absent" : list_for_message(other.names(*theirs))) +
      " in the other");
}

}  // namespace suffice
