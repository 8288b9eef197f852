#include "stats/grouped_statistics.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "accumulate/accumulate.hpp"
#include "core/parallel.hpp"
#include "data/row_checks.hpp"
#include "stats/dictionary.hpp"
#include "stats/merge.hpp"
#include "stats/moments.hpp"
#include "stats/thin.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// The sums of some groups, put together class by class.
struct Combine {
  const std::vector<std::vector<Index>>& groups;  ///< per class
  Workers& workers;

  BlockStatistics operator()(const GaussianStatistics& from) const {
    GaussianStatistics result{.kind = from.kind, .classes = {}};
    result.classes.resize(groups.size());
    workers.run(std::ssize(groups), [&](Index c, int) {
      for (const Index group : groups[c]) {
        merge_into(result.classes[c].complete, from.classes[group].complete);
        merge_into(result.classes[c].present, from.classes[group].present);
      }
    });
    return result;
  }
  BlockStatistics operator()(const CountStatistics& from) const {
    return CountStatistics{.weight = add_rows(from.weight), .sum = add_rows(from.sum)};
  }
  BlockStatistics operator()(const CategoricalStatistics& from) const {
    CategoricalStatistics result{.levels = from.levels, .count = {}};
    for (const Matrix& count : from.count) result.count.push_back(add_rows(count));
    return result;
  }
  BlockStatistics operator()(const TextStatistics& from) const {
    TextStatistics result{.words = from.words,
                          .count = {},
                          .rows = {},
                          .weight = add_rows(from.weight),
                          .heaviest = from.heaviest,
                          .lead = from.lead};
    for (const Matrix& count : from.count) result.count.push_back(add_words(count));
    for (const Matrix& rows : from.rows) result.rows.push_back(add_words(rows));
    return result;
  }

  Vector add(const Vector& from) const {
    Vector result(std::ssize(groups));
    for (Index c = 0; c < result.size(); ++c)
      for (const Index group : groups[c]) result[c] += from[group];
    return result;
  }

 private:
  Matrix add_words(const Matrix& from) const {
    return from.rows() == 0 ? Matrix(std::ssize(groups), from.cols()) : add_rows(from);
  }
  Matrix add_rows(const Matrix& from) const {
    if (from.rows() == 0) return {};
    Matrix result(std::ssize(groups), from.cols());
    for (Index c = 0; c < result.rows(); ++c)
      for (const Index group : groups[c])
        for (Index j = 0; j < from.cols(); ++j) result(c, j) += from(group, j);
    return result;
  }
};

Vector with_zeros(const Vector& numbers, Index size) {
  Vector result(size);
  std::ranges::copy(numbers, result.begin());
  return result;
}

}  // namespace

GroupedStatistics::GroupedStatistics(Schema schema, Scatter scatter)
    : schema_(std::move(schema)),
      wanted_(scatter),
      blocks_(Statistics(schema_, {.scatter = scatter}).blocks()) {
  if (this->scatter() == Scatter::pooled) parts_.emplace();
}

Scatter GroupedStatistics::scatter() const {
  for (const BlockStatistics& block : blocks_)
    if (const auto* gaussian = std::get_if<GaussianStatistics>(&block)) return gaussian->kind;
  return Scatter::dense;
}

/// Thin while there are no more rows than features.
void GroupedStatistics::choose_scatter(double rows) {
  if (scatter() == Scatter::diagonal) return;
  if (scatter() != Scatter::thin && !groups_.empty()) return;
  const Scatter wanted = scatter_for_rows(wanted_, schema_, static_cast<Index>(rows));
  if (wanted == scatter()) return;
  if (wanted == Scatter::pooled) return pool_parts();
  if (scatter() == Scatter::pooled) {  // there is nothing yet
    parts_.reset();
    blocks_ = Statistics(schema_, {.scatter = wanted}).blocks();
    return;
  }
  if (wanted == Scatter::dense) require_memory(schema_, wanted, std::ssize(groups_), 0);
  for (BlockStatistics& block : blocks_)
    if (auto* sums = std::get_if<GaussianStatistics>(&block)) keep_scatter(*sums, wanted);
}

void GroupedStatistics::pool_parts() {
  std::vector<std::optional<Statistics>> parts;
  for (const Group& group : groups_) {
    if (group.part >= std::ssize(parts)) parts.resize(static_cast<std::size_t>(group.part) + 1);
    std::optional<Statistics>& of = parts[static_cast<std::size_t>(group.part)];
    if (of) continue;
    std::vector<std::vector<Index>> members = members_;
    for (std::vector<Index>& of_class : members)
      std::erase_if(of_class, [&](Index g) { return groups_[g].part != group.part; });
    of = with_scatter(combined(members, {}), Scatter::pooled);
  }
  parts_ = std::move(parts);
  blocks_ = Statistics(schema_, {.scatter = Scatter::pooled}).blocks();
}

Statistics GroupedStatistics::with_part(Index part, const Statistics& more) {
  if (part >= std::ssize(*parts_)) parts_->resize(static_cast<std::size_t>(part) + 1);
  const std::optional<Statistics>& of = (*parts_)[static_cast<std::size_t>(part)];
  return of ? suffice::merge(*of, more) : more;
}

/// Rows of one part after the other: each has a scatter of its own.
void GroupedStatistics::add_to_parts(const RowBlock& rows, const Names& labels,
                                     std::span<const std::int32_t> label,
                                     std::span<const std::int32_t> part, const double* weight,
                                     const Execution& execution) {
  Index most = 0;
  for (const std::int32_t of_row : part) most = std::max<Index>(most, of_row + 1);
  std::vector<Index> counts(static_cast<std::size_t>(most));
  for (const std::int32_t of_row : part)
    if (of_row >= 0) ++counts[static_cast<std::size_t>(of_row)];
  Workers workers(execution, worthwhile_workers(schema_, blocks_, rows.rows()));
  UpdateMemory memory(workers);
  const auto passes = static_cast<double>(most - std::ranges::count(counts, Index{0})) *
                      static_cast<double>(blocks_.size());
  Progress progress(execution, static_cast<double>(rows.rows()) * passes);
  std::vector<std::pair<Index, Statistics>> sums;
  for (Index p = 0; p < most; ++p) {
    if (counts[static_cast<std::size_t>(p)] == 0) continue;
    std::vector<std::int32_t> code(label.begin(), label.end());
    for (std::size_t i = 0; i < code.size(); ++i)
      if (part[i] != p) code[i] = -1;
    const LabelledRows labelled{.schema = schema_,
                                .rows = rows,
                                .first_row = 0,
                                .labels = labels.list(),
                                .code = code.data(),
                                .weight = weight,
                                .missing = Missing::allow,
                                .execution = execution,
                                .workers = workers,
                                .memory = memory,
                                .progress = progress};
    ClassWeights weights = class_weights(code, labels.size(), weight, workers);
    Statistics::Parts parts{.schema = schema_,
                            .labels = labels,
                            .weights = std::move(weights.sum),
                            .squared_weights = std::move(weights.squares),
                            .blocks = accumulate(labelled, blocks_, 0)};
    if (execution.stop.stop_requested()) throw Cancelled();
    require_finite(parts, "update");
    sums.emplace_back(p, with_part(p, Statistics(std::move(parts))));
  }
  labels_ = labels;
  for (auto& [p, all] : sums) (*parts_)[static_cast<std::size_t>(p)] = std::move(all);
  progress.finish();
}

/// In the order of members_.
Statistics GroupedStatistics::merged_parts(const std::function<bool(Index)>& is_wanted) const {
  std::vector<std::pair<std::string, Index>> order;
  for (Index p = 0; p < std::ssize(*parts_); ++p)
    if ((*parts_)[static_cast<std::size_t>(p)] && is_wanted(p))
      order.emplace_back(std::to_string(p + 1), p);
  std::ranges::sort(order);
  Statistics result(schema_, {.scatter = Scatter::pooled, .labels = labels_.list()});
  for (const auto& [text, p] : order)
    result = suffice::merge(std::move(result), *(*parts_)[static_cast<std::size_t>(p)]);
  return result;
}

/// The group of each row, or -1. `groups` gets those that have not occurred before.
std::vector<std::int32_t> GroupedStatistics::groups_of(std::span<const std::int32_t> label,
                                                       std::span<const std::int32_t> part,
                                                       Index labels, std::vector<Group>& groups) {
  Index parts = 0;
  for (const Group& group : groups) parts = std::max(parts, group.part + 1);
  for (const std::int32_t of_row : part) parts = std::max<Index>(parts, of_row + 1);
  std::vector<std::int32_t> at(static_cast<std::size_t>(labels * parts), -1);
  for (std::size_t g = 0; g < groups.size(); ++g)
    at[groups[g].label * parts + groups[g].part] = static_cast<std::int32_t>(g);
  std::vector<std::int32_t> result(part.size(), -1);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (part[i] < 0) continue;
    std::int32_t& group = at[label[i] * parts + part[i]];
    if (group < 0) {
      group = static_cast<std::int32_t>(groups.size());
      groups.push_back({label[i], part[i]});
    }
    result[i] = group;
  }
  return result;
}

/// Whether the rows take less than half of the memory of the sums of groups, and there are enough
/// parts that merging their sums takes time as well.
bool GroupedStatistics::rows_are_smaller(std::span<const Group> groups, Index rows) const {
  constexpr Index few_parts = 16;
  double sums = 0;  // numbers of a group, or of a part
  for (const BlockStatistics& block : blocks_)
    if (const auto* gaussian = std::get_if<GaussianStatistics>(&block);
        gaussian && (gaussian->kind == Scatter::dense || gaussian->kind == Scatter::pooled)) {
      const auto b = static_cast<std::size_t>(&block - blocks_.data());
      const auto width = static_cast<double>(schema_.blocks()[b].features.size());
      sums += width * width;
    }
  const double of_rows = static_cast<double>(rows) * static_cast<double>(schema_.size());
  Index count = parts_ ? 0 : std::ssize(groups);
  if (parts_)
    for (const Group& group : groups) count = std::max(count, group.part + 1);
  return std::ranges::any_of(groups, [](const Group& of) { return of.part >= few_parts; }) &&
         2 * of_rows < sums * static_cast<double>(count);
}

void GroupedStatistics::update(const RowBlock& rows, const Names& labels,
                               std::span<const std::int32_t> label,
                               std::span<const std::int32_t> part, const double* weight,
                               const Execution& execution) {
  if (!kept_ && !groups_.empty()) return add(rows, labels, label, part, weight, execution);
  require_features(schema_, rows);
  std::vector<Group> groups = groups_of_kept_;
  const std::vector<Index> moved = labels.positions_of(labels_);
  for (Group& group : groups) group.label = moved[group.label];
  groups_of(label, part, labels.size(), groups);
  Index count = std::ranges::count_if(part, [](std::int32_t of_row) { return of_row >= 0; });
  if (kept_)
    for (const KeptRows& before : *kept_) count += before.size();
  if (!rows_are_smaller(groups, count)) {
    if (kept_) sum_up_kept_rows(execution);
    return add(rows, labels, label, part, weight, execution);
  }
  KeptRows copy(rows, labels, label, part, weight);
  std::vector<std::int32_t> together(part.begin(), part.end());
  for (std::int32_t& of_row : together) of_row = std::min(of_row, 0);
  add(rows, labels, label, together, weight, execution);
  if (!kept_) kept_.emplace();
  kept_->push_back(std::move(copy));
  groups_of_kept_ = std::move(groups);
}

/// For when there are enough rows that the sums take less memory than they do.
void GroupedStatistics::sum_up_kept_rows(const Execution& execution) {
  GroupedStatistics sums(schema_, wanted_);
  for (const KeptRows& rows : *kept_)
    sums.add(rows.block(), rows.labels(), rows.label(), rows.part(), rows.weight(), execution);
  *this = std::move(sums);
}

/// Adds rows to the sums of their groups.
void GroupedStatistics::add(const RowBlock& rows, const Names& labels,
                            std::span<const std::int32_t> label, std::span<const std::int32_t> part,
                            const double* weight, const Execution& execution) {
  require_features(schema_, rows);
  choose_scatter(static_cast<double>(rows_ + rows.rows()));
  std::vector<Group> groups = groups_;
  const std::vector<Index> moved = labels.positions_of(labels_);
  for (Group& group : groups) group.label = moved[group.label];
  const std::vector<std::int32_t> code = groups_of(label, part, labels.size(), groups);
  if (parts_) {
    add_to_parts(rows, labels, label, part, weight, execution);
    rows_ += rows.rows();
    groups_ = std::move(groups);
    return sort_members();
  }
  std::vector<std::string> names;
  for (const Group& group : groups) names.push_back(labels[group.label]);

  Workers workers(execution, worthwhile_workers(schema_, blocks_, rows.rows()));
  UpdateMemory memory(workers);
  Progress progress(execution, static_cast<double>(rows.rows() * std::ssize(blocks_)));
  const LabelledRows labelled{.schema = schema_,
                              .rows = rows,
                              .first_row = 0,
                              .labels = names,
                              .code = code.data(),
                              .weight = weight,
                              .missing = Missing::allow,
                              .execution = execution,
                              .workers = workers,
                              .memory = memory,
                              .progress = progress,
                              .in_words = std::to_string(groups.size()) + " groups (" +
                                          std::to_string(labels.size()) + " classes in the folds)"};
  const ClassWeights weights = class_weights(code, std::ssize(groups), weight, workers);
  std::vector<BlockStatistics> sums = accumulate(labelled, blocks_, 0);
  if (execution.stop.stop_requested()) throw Cancelled();
  require_finite(schema_, names, weights.sum, weights.squares, sums, "update");
  std::vector<Index> same(groups.size());
  std::iota(same.begin(), same.end(), Index{0});
  require_finite_with(names, weights.sum, weights.squares, sums, same, "update");

  rows_ += rows.rows();
  labels_ = labels;
  merge(std::move(groups), weights, std::move(sums));
  progress.finish();
}

void GroupedStatistics::require_finite_with(std::span<const std::string> names, Vector weights,
                                            Vector squared_weights,
                                            const std::vector<BlockStatistics>& sums,
                                            const std::vector<Index>& group_of,
                                            std::string_view verb) const {
  for (Index c = 0; c < weights.size(); ++c) {
    const Index group = group_of[static_cast<std::size_t>(c)];
    if (group >= weights_.size()) continue;
    weights[c] += weights_[group];
    squared_weights[c] += squared_weights_[group];
  }
  require_finite(schema_, names, weights, squared_weights, {}, verb);
  require_finite_merge(schema_, names, blocks_, sums, group_of, verb);
}

void GroupedStatistics::merge(std::vector<Group> groups, const ClassWeights& weights,
                              std::vector<BlockStatistics> sums) {
  const Index old_count = std::ssize(groups_), count = std::ssize(groups);
  std::vector<Index> same(static_cast<std::size_t>(count));
  std::iota(same.begin(), same.end(), Index{0});
  weights_ = with_zeros(weights_, count);
  squared_weights_ = with_zeros(squared_weights_, count);
  for (Index g = 0; g < count; ++g) {
    weights_[g] += weights.sum[g];
    squared_weights_[g] += weights.squares[g];
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (count > old_count) remap_classes(blocks_[b], same, count, schema_.blocks()[b]);
    merge_into(blocks_[b], std::move(sums[b]), same, old_count == 0);
  }
  groups_ = std::move(groups);
  sort_members();
}

void GroupedStatistics::add(const Statistics& given, Index part) {
  require_compatible(none().parts(), given.parts(), "merge");
  if (groups_.empty() && scatter() == Scatter::pooled && is_thin(given)) {
    parts_.reset();
    blocks_ = Statistics(schema_, {.scatter = Scatter::thin}).blocks();
  }
  if (wanted_ == Scatter::pooled && scatter() == Scatter::thin && !is_thin(given)) pool_parts();
  if (groups_.empty() && scatter() == Scatter::dense)  // the first part tells
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      if (auto* sums = std::get_if<GaussianStatistics>(&blocks_[b]))
        if (const auto* first = std::get_if<GaussianStatistics>(&given.blocks()[b]))
          if (first->kind == Scatter::thin) sums->kind = Scatter::thin;
  const bool convert = common_kind(none().parts(), given.parts()).has_value();
  const Statistics more = convert ? with_scatter(given, scatter()) : given;
  const Names labels = join(labels_, more.labels());
  std::vector<Group> groups = groups_;
  const std::vector<Index> moved = labels.positions_of(labels_);
  for (Group& group : groups) group.label = moved[group.label];
  // A group for each class of the part, and where its sums go.
  const std::vector<Index> position = labels.positions_of(more.labels());
  std::vector<Index> group_of;
  for (const Index label : position) {
    const auto found = std::ranges::find_if(
        groups, [&](const Group& of) { return of.label == label && of.part == part; });
    group_of.push_back(found - groups.begin());
    if (found == groups.end()) groups.push_back({label, part});
  }
  if (parts_) {
    Statistics all = with_part(part, more);
    (*parts_)[static_cast<std::size_t>(part)] = std::move(all);
    labels_ = labels;
    groups_ = std::move(groups);
    return sort_members();
  }
  require_finite_with(more.labels().list(), more.weights(), more.squared_weights(), more.blocks(),
                      group_of, "merge");
  const Index count = std::ssize(groups);
  std::vector<Index> same(groups_.size());
  std::iota(same.begin(), same.end(), Index{0});
  weights_ = with_zeros(weights_, count);
  squared_weights_ = with_zeros(squared_weights_, count);
  for (std::size_t c = 0; c < group_of.size(); ++c) {
    weights_[group_of[c]] += more.weights()[static_cast<Index>(c)];
    squared_weights_[group_of[c]] += more.squared_weights()[static_cast<Index>(c)];
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (count > std::ssize(groups_)) remap_classes(blocks_[b], same, count, schema_.blocks()[b]);
    BlockStatistics sums = more.blocks()[b];
    merge_into(blocks_[b], std::move(sums), group_of, false);
  }
  labels_ = labels;
  groups_ = std::move(groups);
  sort_members();
}

/// Sums are merged in a fixed order, on which their last bits depend: that of the parts' numbers as
/// text, counted from 1 (1, 10, 2, …).
void GroupedStatistics::sort_members() {
  std::vector<std::pair<std::string, Index>> order;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    order.emplace_back(std::to_string(groups_[g].part + 1), static_cast<Index>(g));
  std::ranges::sort(order);
  members_.assign(static_cast<std::size_t>(labels_.size()), {});
  for (const auto& [text, group] : order) members_[groups_[group].label].push_back(group);
}

double GroupedStatistics::weight_of(Index group) const {
  if (!parts_) return weights_[group];
  const auto& of = (*parts_)[static_cast<std::size_t>(groups_[group].part)];
  const auto at = of->labels().find(labels_[groups_[group].label]);
  return at ? of->weights()[*at] : 0;
}

std::vector<Index> GroupedStatistics::parts_of(Index label) const {
  std::vector<Index> parts;
  if (kept_) {
    for (const Group& group : groups_of_kept_)
      if (group.label == label) parts.push_back(group.part);
    return parts;
  }
  for (const Index group : members_[label])
    if (weight_of(group) > 0) parts.push_back(groups_[group].part);
  return parts;
}

Statistics GroupedStatistics::combined(const std::vector<std::vector<Index>>& groups,
                                       const Execution& execution) const {
  Workers workers(execution, schema_.size() < 64 ? 1 : labels_.size());
  const Combine combine{groups, workers};
  Statistics::Parts parts{.schema = schema_,
                          .labels = labels_,
                          .weights = combine.add(weights_),
                          .squared_weights = combine.add(squared_weights_),
                          .blocks = {}};
  for (const BlockStatistics& block : blocks_) parts.blocks.push_back(std::visit(combine, block));
  return Statistics(std::move(parts));
}

Statistics GroupedStatistics::all(const Execution& execution) const {
  if (parts_) return merged_parts([](Index) { return true; });
  return combined(members_, execution);
}

Statistics GroupedStatistics::without(Index part, const Execution& execution) const {
  if (kept_) {
    std::optional<Statistics> result;
    for_each_without(
        {&part, 1}, [&](Index, const Statistics& others) { result = others; }, execution);
    return *std::move(result);
  }
  if (parts_) return merged_parts([&](Index p) { return p != part; });
  std::vector<std::vector<Index>> others = members_;
  for (std::vector<Index>& of_class : others)
    std::erase_if(of_class, [&](Index group) { return groups_[group].part == part; });
  return combined(others, execution);
}

Statistics GroupedStatistics::none() const {
  if (parts_) return merged_parts([](Index) { return false; });
  return combined(std::vector<std::vector<Index>>(members_.size()), {});
}

void GroupedStatistics::add_parts(Statistics& statistics, std::span<const Index> parts,
                                  const Execution& execution) const {
  Index most = 0;
  for (const Group& group : kept_ ? groups_of_kept_ : groups_)
    most = std::max(most, group.part + 1);
  std::vector<bool> wanted(static_cast<std::size_t>(most));
  for (const Index part : parts) wanted[static_cast<std::size_t>(part)] = true;
  if (kept_) {
    for (const KeptRows& rows : *kept_) rows.add_to(statistics, wanted, execution);
    return;
  }
  if (parts_) {
    statistics =
        suffice::merge(std::move(statistics),
                       merged_parts([&](Index p) { return wanted[static_cast<std::size_t>(p)]; }));
    return;
  }
  std::vector<std::vector<Index>> members = members_;
  for (std::vector<Index>& of_class : members)
    std::erase_if(of_class, [&](Index group) {
      return !wanted[static_cast<std::size_t>(groups_[group].part)];
    });
  statistics = suffice::merge(std::move(statistics), combined(members, execution));
}

void GroupedStatistics::for_each_without(std::span<const Index> parts, const Visit& visit,
                                         const Execution& execution) const {
  if (parts.empty()) return;
  std::vector<Index> others;
  for (const Group& group : kept_ ? groups_of_kept_ : groups_)
    if (std::ranges::find(parts, group.part) == parts.end()) others.push_back(group.part);
  Statistics statistics = none();
  add_parts(statistics, others, execution);
  halve(parts, std::move(statistics), visit, execution);
}

/// `others` are the rows outside all of these parts.
void GroupedStatistics::halve(std::span<const Index> parts, Statistics others, const Visit& visit,
                              const Execution& execution) const {
  if (execution.stop.stop_requested()) throw Cancelled();
  if (parts.size() == 1) return visit(parts[0], others);
  const std::size_t half = parts.size() / 2;
  const std::span<const Index> first = parts.first(half), second = parts.subspan(half);
  Statistics more = others;
  add_parts(more, second, execution);
  halve(first, std::move(more), visit, execution);
  add_parts(others, first, execution);
  halve(second, std::move(others), visit, execution);
}

}  // namespace suffice
