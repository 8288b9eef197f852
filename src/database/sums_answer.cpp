#include "suffice/database/sums_answer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/at.hpp"
#include "data/family.hpp"
#include "database/answer_kind.hpp"
#include "stats/moments.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

constexpr double answer_version = 1;
constexpr Index most_columns_of_answer = Index{1} << 28;
constexpr const char* whole_answer =
    "give the whole answer of one query that suffice stats --sql wrote";

[[noreturn]] void fail_answer(const std::string& sentence, const std::string& advice = whole_answer,
                              Place where = {}) {
  throw DataError(std::move(where), sentence, advice);
}

std::uint64_t key_of(AnswerKind kind, Index i, Index j) {
  return (static_cast<std::uint64_t>(kind) << 58) | (static_cast<std::uint64_t>(i + 1) << 29) |
         static_cast<std::uint64_t>(j + 1);
}

/// What stands in the quotes of a name.
std::string unquoted(std::string_view name) {
  if (name.size() < 2 || name.front() != '\'' || name.back() != '\'')
    fail_answer("the name " + std::string(name) + " of the answer does not stand in quotes");
  return std::string(name.substr(1, name.size() - 2));
}

/// How the values of a type are named.
enum class Naming { as_written, single, real };

Naming naming_of(std::string type) {
  type = type.substr(0, type.find('('));
  std::ranges::transform(type, type.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  if (type == "real" || type == "float") return Naming::single;
  if (type == "double" || type == "double precision" || type == "decimal" || type == "numeric")
    return Naming::real;
  return Naming::as_written;
}

/// The library's name of a value that the engine wrote as text: 1.0 and 1.00 are 1. Nothing for
/// NaN, which is missing.
std::optional<std::string> library_name(const std::string& text, Naming naming) {
  if (naming == Naming::as_written) return text;
  double value = 0;
  float single = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = naming == Naming::single ? std::from_chars(text.data(), end, single)
                                               : std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return text;
  if (naming == Naming::single) value = static_cast<double>(single);
  if (std::isnan(value)) return std::nullopt;
  if (std::isinf(value))
    throw DataError("a class or level of the answer is the number " + text,
                    "infinite numbers have no name: leave such rows out");
  return name_of(value);
}

std::string rows_in_words(double rows) { return name_of(rows) + (rows == 1 ? " row" : " rows"); }

/// The sums of some rows of a class.
class GroupOfRows {
 public:
  GroupOfRows(const std::unordered_map<std::uint64_t, double>& sums, const std::string& label,
              const Schema& schema)
      : sums_(sums), label_(label), schema_(schema) {}

  double operator()(AnswerKind kind, Index i = -1, Index j = -1) const {
    const auto found = sums_.find(key_of(kind, i, j));
    if (found != sums_.end() && !std::isnan(found->second)) return found->second;
    Place where{.label = label_};
    for (const Index feature : {i, j})
      if (feature >= 0 && feature < schema_.size())
        where.features.push_back(schema_.feature(feature).name);
    fail_answer("the answer " + std::string(found == sums_.end() ? "lacks" : "has NULL for") +
                    " the sum '" + std::string(to_string(kind)) + "'",
                whole_answer, std::move(where));
  }

  JointMoments joint(const std::vector<Index>& features) const {
    const Index d = std::ssize(features);
    if (std::ssize(sums_) < d * (d + 1) / 2)  // before memory is taken for them
      fail_answer("the answer lacks products of two columns", whole_answer, {.label = label_});
    JointMoments result{(*this)(AnswerKind::weight), Vector(d), Vector(d), Matrix(d, d)};
    Vector deviation(d);
    for (Index a = 0; a < d; ++a) {
      const Index i = features[at(a)];
      deviation[a] = (*this)(AnswerKind::deviation, i);
      const TwoWords mean = mean_of(i, deviation[a], result.weight);
      result.mean[a] = mean.high;
      result.mean_low[a] = mean.low;
      for (Index b = 0; b <= a; ++b) {
        const double product = (*this)(AnswerKind::product, i, features[at(b)]);
        result.scatter(a, b) = product - deviation[a] * (deviation[b] / result.weight);
      }
    }
    // Only rounding makes a square negative: the values differ in their last digit.
    for (Index a = 0; a < d; ++a)
      if (result.scatter(a, a) <= 0)
        for (Index b = 0; b < d; ++b) result.scatter(std::max(a, b), std::min(a, b)) = 0;
    for (Index a = 0; a < d; ++a)
      for (Index b = 0; b < a; ++b) result.scatter(b, a) = result.scatter(a, b);
    return result;
  }

  Moments moments(const std::vector<Index>& features) const {
    const Index d = std::ssize(features);
    Moments result{Vector(d), Vector(d), Vector(d), Vector(d)};
    for (Index a = 0; a < d; ++a) {
      const Index i = features[at(a)];
      const double weight = (*this)(AnswerKind::weight, i);
      result.weight[a] = weight;
      if (!(weight > 0)) continue;
      const double deviation = (*this)(AnswerKind::deviation, i);
      const TwoWords mean = mean_of(i, deviation, weight);
      result.mean[a] = mean.high;
      result.mean_low[a] = mean.low;
      result.squares[a] =
          std::max(0.0, (*this)(AnswerKind::product, i, i) - deviation * (deviation / weight));
    }
    return result;
  }

 private:
  TwoWords mean_of(Index i, double deviation, double weight) const {
    return moved({(*this)(AnswerKind::center, i), 0}, {deviation, 0}, 1, weight);
  }

  const std::unordered_map<std::uint64_t, double>& sums_;
  const std::string& label_;
  const Schema& schema_;
};

}  // namespace

void SumsAnswer::add(const Row& row) {
  const auto is_index = [](Index i) { return i >= -1 && i < most_columns_of_answer; };
  if (!is_index(row.i) || !is_index(row.j) || row.part < -1)
    fail_answer("the answer has a row of kind '" + std::string(row.kind) +
                "' with numbers that no query gives");
  const auto name = [&] {
    if (!row.name)
      fail_answer("the answer has no name in a row of kind '" + std::string(row.kind) + "'");
    return unquoted(*row.name);
  };
  const auto column = [&]() -> Description::Column& {
    if (row.i < 0)
      fail_answer("the answer has no i in a row of kind '" + std::string(row.kind) + "'");
    return description_.columns[row.i];
  };
  const auto set = [&](auto& to, auto value) {
    if (to) fail_answer("the answer has two rows of kind '" + std::string(row.kind) + "'");
    to = value;
  };
  if (const std::optional<AnswerKind> kind = answer_kind_of(row.kind)) {
    if (!row.label) {
      if (*kind == AnswerKind::rows) unlabelled_ += row.value;
      return;
    }
    Sums& sums = groups_[{unquoted(*row.label), row.part}];
    if (!sums.emplace(key_of(*kind, row.i, row.j), row.value).second)
      fail_answer("the answer has the sum '" + std::string(row.kind) + "' twice", whole_answer,
                  {.label = unquoted(*row.label)});
  } else if (row.kind == "count") {
    if (!row.label) fail_answer("the answer has a count without a class");
    if (!levels_[{unquoted(*row.label), row.i}].emplace(name(), row.value).second)
      fail_answer("the answer has the count of level " + std::string(*row.name) + " twice",
                  whole_answer, {.label = unquoted(*row.label)});
  } else if (row.kind == "suffice") {
    set(description_.version, row.value);
  } else if (row.kind == "groups") {
    set(description_.groups, row.value);
  } else if (row.kind == "description") {
    set(description_.rows, row.value);
  } else if (row.kind == "type" && row.i < 0) {
    set(description_.label_type, name());
  } else if (row.kind == "type") {
    column().type = name();
  } else if (++described_; row.kind == "scatter") {
    set(description_.scatter, name());
  } else if (row.kind == "label") {
    set(description_.label, name());
  } else if (row.kind == "feature") {
    column().name = name();
    column().block = row.j;
    column().place = row.value;
  } else if (row.kind == "family") {
    column().family = name();
  } else if (row.kind == "transform") {
    column().transform = name();
  } else if (row.kind == "level") {
    column().levels.push_back(name());
  } else {
    fail_answer("the answer has a row of the unknown kind '" + std::string(row.kind) + "'");
  }
}

Schema SumsAnswer::schema() const {
  std::vector<Feature> features;
  std::vector<std::vector<Index>> blocks;
  for (const auto& [i, column] : description_.columns) {
    if (i != std::ssize(features) || column.name.empty() || column.family.empty())
      fail_answer("the description of column " + std::to_string(features.size()) +
                  " is missing from the answer");
    features.push_back({column.name, family_from_string(column.family), column.levels,
                        transform_from_string(column.transform)});
    if (column.block < 0 || column.block >= std::ssize(description_.columns))
      fail_answer("the answer has no block for column '" + column.name + "'");
    if (column.block >= std::ssize(blocks)) blocks.resize(at(column.block + 1));
    blocks[at(column.block)].push_back(i);
  }
  for (std::vector<Index>& block : blocks)
    std::ranges::sort(block, {}, [&](Index i) { return description_.columns.at(i).place; });
  const Schema schema(std::move(features), std::move(blocks));
  return schema.with_label(*description_.label);
}

Scatter SumsAnswer::scatter() const {
  return description_.scatter == "diagonal" ? Scatter::diagonal : Scatter::dense;
}

void SumsAnswer::require_whole() const {
  if (!description_.version)
    fail_answer("the description of the columns is missing from the answer");
  if (*description_.version != answer_version)
    fail_answer("the answer is of version " + name_of(*description_.version) +
                    ", and this program knows version " + name_of(answer_version),
                "use the version of suffice that wrote the query, or a newer one");
  bool has_types = groups_.empty() || description_.label_type || description_.label == "";
  for (const auto& [i, column] : description_.columns)
    if (column.family == to_string(Family::text))
      fail_answer("a database cannot sum up text, and column '" + column.name + "' is text");
  for (const auto& [i, column] : description_.columns)
    has_types = has_types && (groups_.empty() || !column.type.empty() ||
                              column.family != to_string(Family::categorical));
  if (!has_types || !description_.groups || !description_.scatter || !description_.label ||
      description_.rows != static_cast<double>(described_))
    fail_answer("rows that describe the columns are missing from the answer");
  if (static_cast<double>(groups_.size()) != *description_.groups)
    fail_answer("the answer has sums of " + std::to_string(groups_.size()) +
                " groups of rows, and the table has " + name_of(*description_.groups));
}

/// Rows that the query could not sum up; it says what is wrong in the first of the columns.
void SumsAnswer::require_possible(const Schema& schema) const {
  double rows = 0, first = 2 * static_cast<double>(schema.size());
  for (const auto& [group, sums] : groups_) {
    const double bad = GroupOfRows(sums, group.first, schema)(AnswerKind::bad_rows);
    if (bad == 0) continue;
    rows += bad;
    const auto found = sums.find(key_of(AnswerKind::first_bad, -1, -1));
    first = std::min(first, found == sums.end() ? -1 : found->second);
  }
  if (rows == 0) return;
  const std::string where = rows_in_words(rows) + " of the table ";
  if (!(first >= 0 && first < 2 * static_cast<double>(schema.size())))
    fail_answer(
        where + (rows == 1 ? "has" : "have") + " a weight that is missing, negative or infinite",
        "correct it, or leave such rows out with a view");
  const auto code = static_cast<Index>(first);
  const Feature& feature = schema.feature(code % schema.size());
  const FamilyDescription family = describe(feature.family);
  Place place{.features = {feature.name}};
  if (code >= schema.size())
    fail_answer("the value is missing in " + where, std::string(missing_word), std::move(place));
  if (feature.transform != Transform::none)
    fail_answer(where + (rows == 1 ? "has" : "have") + " a number that '" +
                    to_string(feature.transform) + "' cannot transform",
                "use another transformation, or leave such rows out with a view", std::move(place));
  if (family.values.empty())
    fail_answer(where + (rows == 1 ? "has" : "have") + " an infinite number",
                "correct it, or leave such rows out with a view", std::move(place));
  fail_answer(std::string(family.values) + ", and " + where + (rows == 1 ? "has" : "have") +
                  " something else",
              std::string(family.advice), std::move(place));
}

std::optional<std::string> SumsAnswer::class_of(const std::string& written) const {
  return library_name(
      written, description_.label_type ? naming_of(*description_.label_type) : Naming::as_written);
}

std::optional<std::string> SumsAnswer::level_of(Index feature, const std::string& written) const {
  return library_name(written, naming_of(description_.columns.at(feature).type));
}

/// Sums of nothing, for all classes.
BlockStatistics SumsAnswer::begun(const Schema& schema, const Block& block, Index classes) const {
  const Index d = std::ssize(block.features);
  BlockStatistics sums = empty_statistics(block.family);
  if (auto* gaussian = std::get_if<GaussianStatistics>(&sums)) {
    gaussian->kind = scatter();
    gaussian->classes.resize(at(classes));
  } else if (auto* counts = std::get_if<CountStatistics>(&sums)) {
    if (!describe(block.family).documents) counts->weight = Matrix(classes, d);
    counts->sum = Matrix(classes, d);
  } else {
    auto& categorical = std::get<CategoricalStatistics>(sums);
    for (const Index j : block.features) {
      std::vector<std::string> names = schema.feature(j).levels;
      for (const auto& [of, levels] : levels_)
        if (of.second == j)
          for (const auto& [written, count] : levels)
            if (const std::optional<std::string> level = level_of(j, written))
              names.push_back(*level);
      categorical.levels.emplace_back(std::move(names));
      categorical.count.emplace_back(classes, categorical.levels.back().size());
    }
  }
  return sums;
}

/// All but the counts of levels.
void SumsAnswer::add_groups(Statistics::Parts& parts) const {
  for (const auto& [group, sums] : groups_) {
    const std::optional<std::string> label = class_of(group.first);
    if (!label) continue;  // NaN
    const Index c = parts.labels.at(*label, "class");
    const GroupOfRows rows(sums, *label, parts.schema);
    parts.weights[c] += rows(AnswerKind::weight);
    parts.squared_weights[c] += rows(AnswerKind::squared_weight);
    Index complete = 1;  // the bit of the next Gaussian block
    for (std::size_t b = 0; b < parts.blocks.size(); ++b) {
      const std::vector<Index>& features = parts.schema.blocks()[b].features;
      if (auto* gaussian = std::get_if<GaussianStatistics>(&parts.blocks[b])) {
        GaussianStatistics::Class& into = gaussian->classes[at(c)];
        if (gaussian->kind == Scatter::dense && (group.second & complete) != 0)
          merge_into(into.complete, rows.joint(features));
        else
          merge_into(into.present, rows.moments(features));
        complete <<= 1;
      } else if (auto* counts = std::get_if<CountStatistics>(&parts.blocks[b])) {
        for (Index a = 0; a < std::ssize(features); ++a) {
          counts->sum(c, a) += rows(AnswerKind::sum, features[at(a)]);
          if (!counts->weight.empty())
            counts->weight(c, a) += rows(AnswerKind::weight, features[at(a)]);
        }
      }
    }
  }
}

/// The counts of a feature's levels must add up to the weight of the rows that have one.
void SumsAnswer::add_levels(const Schema& schema, const Names& labels, Index feature,
                            const Names& names, Matrix& count) const {
  std::map<std::string, double> rest, weight;  // by class as it is written
  for (const auto& [group, sums] : groups_) {
    const GroupOfRows rows(sums, group.first, schema);
    rest[group.first] += rows(AnswerKind::weight, feature);
    weight[group.first] += rows(AnswerKind::weight);
  }
  for (const auto& [of, levels] : levels_) {
    if (of.second != feature) continue;
    const std::optional<std::string> label = class_of(of.first);
    for (const auto& [written, number] : levels) {
      rest[of.first] -= number;
      const std::optional<std::string> level = level_of(feature, written);
      if (label && level) count(labels.at(*label, "class"), names.at(*level, "level")) += number;
    }
  }
  for (const auto& [written, left] : rest)
    if (!(std::abs(left) <= 1e-9 * weight[written]))
      fail_answer("counts of levels are missing from the answer", whole_answer,
                  {.label = written, .features = {schema.feature(feature).name}});
}

Statistics SumsAnswer::statistics() const {
  require_whole();
  Statistics::Parts parts;
  parts.schema = schema();
  std::vector<std::string> labels;
  require_possible(parts.schema);
  for (const auto& [group, sums] : groups_)
    if (const std::optional<std::string> label = class_of(group.first)) labels.push_back(*label);
  parts.labels = Names(std::move(labels));
  if (parts.labels.empty())
    fail_answer(unlabelled_ > 0 ? "no row of the table has a label"
                                : "the table has no rows of a weight above 0",
                "name another table or label");
  const Index classes = parts.labels.size();
  parts.weights = Vector(classes);
  parts.squared_weights = Vector(classes);
  for (const Block& block : parts.schema.blocks())
    parts.blocks.push_back(begun(parts.schema, block, classes));
  add_groups(parts);
  for (std::size_t b = 0; b < parts.blocks.size(); ++b)
    if (auto* sums = std::get_if<CategoricalStatistics>(&parts.blocks[b]))
      for (std::size_t a = 0; a < sums->levels.size(); ++a)
        add_levels(parts.schema, parts.labels, parts.schema.blocks()[b].features[a],
                   sums->levels[a], sums->count[a]);
  return Statistics(std::move(parts));
}

}  // namespace suffice
