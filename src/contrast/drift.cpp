#include "suffice/contrast/drift.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "contrast/box_m.hpp"
#include "contrast/column_drift.hpp"
#include "contrast/joint_drift.hpp"
#include "contrast/two_sides.hpp"
#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

double sum_of(const Vector& weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  return sum;
}

Vector as_shares(const Vector& counts) {
  const double sum = sum_of(counts);
  Vector result(counts.size());
  for (Index i = 0; i < counts.size(); ++i) result[i] = counts[i] / sum;
  return result;
}

ShareDrift share_drift(std::string name, const Vector& before, const Vector& after) {
  const TableTest test = table_test(before, after);
  ShareDrift result{.name = std::move(name),
                    .old_shares = as_shares(before),
                    .new_shares = as_shares(after),
                    .g = test.g,
                    .df = test.df};
  for (Index i = 0; i < before.size(); ++i)
    result.total_variation += 0.5 * std::abs(result.old_shares[i] - result.new_shares[i]);
  result.change.p = test.p;
  return result;
}

/// The work of drift(), in the order of its result.
class Comparison {
 public:
  Comparison(const DriftSide& before, const DriftSide& after, const DriftOptions& options,
             const Execution& execution)
      : old_(before), new_(after), options_(options), execution_(execution) {
    require_comparable();
    result_.old_rows = sum_of(before.statistics.weights());
    result_.new_rows = sum_of(after.statistics.weights());
  }

  Drift operator()() && {
    const Statistics old_rows = as_one_class(old_.statistics, old_side);
    const Statistics new_rows = as_one_class(new_.statistics, new_side);
    const Statistics two = two_classes(old_rows, new_rows);
    columns(two);
    joint(two);
    classes();
    missing();
    levels(old_rows, new_rows);
    judge();
    return std::move(result_);
  }

 private:
  void require_comparable() const {
    for (const auto& [side, which] : {std::pair{&old_, "old"}, std::pair{&new_, "new"}}) {
      if (!(sum_of(side->statistics.weights()) > 0))
        throw InvalidArgument(std::string("the ") + which + " side has no rows");
      require_frequencies(side->statistics);
    }
    old_.statistics.schema().require_compatible(new_.statistics.schema(), "compare");
  }
  void require_time() const {
    if (execution_.stop.stop_requested()) throw Cancelled();
  }

  void columns(const Statistics& two) {
    result_.columns =
        column_drifts(two, two.labels().at(old_side, "side"), two.labels().at(new_side, "side"));
    if (old_.rows && new_.rows)
      add_rank_tests(*old_.rows, *new_.rows, result_.columns);
    else
      result_.notes.push_back(
          "sums see means, deviations, correlations and counts; a change of the shape of a "
          "distribution alone would not be seen (a sample of rows in both files would show it)");
    std::vector<Change*> means, spreads, ranks;
    for (ColumnDrift& column : result_.columns) {
      means.push_back(&column.mean);
      if (column.spread) spreads.push_back(&column.spread_change);
      if (column.distance) ranks.push_back(&column.rank);
    }
    for (const auto& changes : {means, spreads, ranks}) adjust(changes, options_.level);
    for (ColumnDrift& column : result_.columns) judge(column);
  }

  void judge(ColumnDrift& column) const {
    const bool is_share = column.family == Family::bernoulli ||
                          column.family == Family::categorical ||
                          column.family == Family::multinomial || column.family == Family::text;
    column.mean.flagged = column.mean.found &&
                          (std::abs(column.effect) >= (is_share ? options_.share : options_.mean) ||
                           column.auc >= options_.auc);
    column.spread_change.flagged =
        column.spread_change.found && std::abs(std::log(*column.spread)) >= options_.mean;
    column.rank.flagged = column.rank.found && *column.distance >= options_.share;
    column.p_adjusted = column.mean.p_adjusted;
    column.found = column.mean.found || column.spread_change.found || column.rank.found;
    column.flagged = column.mean.flagged || column.spread_change.flagged || column.rank.flagged;
  }

  void joint(const Statistics& two) {
    require_time();
    JointFound found = joint_drift(two, options_, execution_);
    result_.joint = std::move(found.joint);
    result_.correlations = std::move(found.correlations);
    for (std::string& note : found.notes) result_.notes.push_back(std::move(note));
    for (std::size_t j = 0; j < found.unique_d2.size(); ++j)
      result_.columns[at(found.features[j])].unique_d2 = found.unique_d2[j];
  }

  void classes() {
    const Names& before = old_.statistics.labels();
    const Names& after = new_.statistics.labels();
    if (before.size() < 2 && after.size() < 2 && before == after) return;
    if ((before.size() == 1) != (after.size() == 1)) {
      result_.notes.push_back(std::string("only the ") + (before.size() > 1 ? "old" : "new") +
                              " side has classes, so the mixtures of all classes are compared");
      return;
    }
    result_.labels = join(before, after);
    const auto weights = [&](const Statistics& of) {
      Vector result(result_.labels.size());
      for (Index c = 0; c < of.labels().size(); ++c)
        result[result_.labels.at(of.labels()[c], "class")] = of.weights()[c];
      return result;
    };
    const Vector old_weights = weights(old_.statistics), new_weights = weights(new_.statistics);
    result_.classes = share_drift("classes", old_weights, new_weights);
    adjust({&result_.classes->change}, options_.level);
    result_.classes->change.flagged =
        result_.classes->change.found && result_.classes->total_variation >= options_.share;
    for (Index c = 0; c < result_.labels.size(); ++c)
      if (old_weights[c] > 0 && new_weights[c] > 0)
        density(result_.labels[c], old_weights[c], new_weights[c]);
    std::vector<Change*> changes;
    for (ClassDrift& of : result_.densities) changes.push_back(&of.change);
    adjust(changes, options_.level);
    for (ClassDrift& of : result_.densities)
      of.change.flagged = of.change.found && of.auc >= options_.auc;
  }

  void density(const std::string& label, double old_rows, double new_rows) {
    require_time();
    const auto alone = [&](const Statistics& of, const char* side) {
      return class_alone(of, of.labels().at(label, "class"), side);
    };
    const Statistics two =
        two_classes(alone(old_.statistics, old_side), alone(new_.statistics, new_side));
    ClassDrift result{.label = label, .old_rows = old_rows, .new_rows = new_rows};
    const auto distance = linear_distance(two);
    if (!distance) return;
    result.auc = distance->auc;
    result.d2 = distance->d2;
    result.change.p = distance->t2.p;
    result_.densities.push_back(std::move(result));
  }

  void missing() {
    const Vector before = old_.statistics.missing(), after = new_.statistics.missing();
    for (Index j = 0; j < before.size(); ++j)
      if (before[j] > 0 || after[j] > 0)
        result_.missing.push_back(share_drift(old_.statistics.schema().feature(j).name,
                                              {result_.old_rows - before[j], before[j]},
                                              {result_.new_rows - after[j], after[j]}));
    std::vector<Change*> changes;
    for (ShareDrift& of : result_.missing) changes.push_back(&of.change);
    adjust(changes, options_.level);
    for (ShareDrift& of : result_.missing)
      of.change.flagged = of.change.found && of.total_variation >= options_.share;
  }

  /// Levels, and words, that only one side has.
  void levels(const Statistics& before, const Statistics& after) {
    const std::vector<Block>& blocks = before.schema().blocks();
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (std::size_t j = 0; j < blocks[b].features.size(); ++j) {
        const auto old_names = names_seen(before.blocks()[b], j);
        const auto new_names = names_seen(after.blocks()[b], j);
        LevelDrift found{
            .name = before.schema().feature(blocks[b].features[j]).name, .added = {}, .gone = {}};
        std::set_difference(new_names.begin(), new_names.end(), old_names.begin(), old_names.end(),
                            std::back_inserter(found.added));
        std::set_difference(old_names.begin(), old_names.end(), new_names.begin(), new_names.end(),
                            std::back_inserter(found.gone));
        if (!found.added.empty() || !found.gone.empty()) result_.levels.push_back(std::move(found));
      }
  }

  /// In the order of bytes.
  static std::vector<std::string> names_seen(const BlockStatistics& block, std::size_t j) {
    std::vector<std::string> names;
    const auto add = [&](const auto& list, const Matrix& count) {
      for (Index l = 0; l < count.cols(); ++l)
        if (count(0, l) > 0) names.emplace_back(list[l]);
    };
    if (const auto* sums = std::get_if<CategoricalStatistics>(&block))
      add(sums->levels[j], sums->count[j]);
    if (const auto* sums = std::get_if<TextStatistics>(&block)) add(sums->words[j], sums->rows[j]);
    std::ranges::sort(names);
    return names;
  }

  void judge() {
    const auto add = [&](bool found, bool flagged) {
      result_.found = result_.found || found;
      result_.flagged = result_.flagged || flagged;
    };
    for (const ColumnDrift& column : result_.columns) add(column.found, column.flagged);
    if (result_.joint) add(result_.joint->found, result_.joint->flagged);
    if (result_.correlations) add(result_.correlations->found, result_.correlations->flagged);
    if (result_.classes) add(result_.classes->change.found, result_.classes->change.flagged);
    for (const ClassDrift& of : result_.densities) add(of.change.found, of.change.flagged);
    for (const ShareDrift& of : result_.missing) add(of.change.found, of.change.flagged);
  }

  const DriftSide &old_, &new_;
  const DriftOptions& options_;
  const Execution& execution_;
  Drift result_;
};

/// What two features are to have in common.
bool same_meaning(const Feature& a, const Feature& b) {
  return a.name == b.name && a.family == b.family && a.transform == b.transform &&
         a.indicator == b.indicator && a.text == b.text;
}

}  // namespace

Drift drift(const DriftSide& before, const DriftSide& after, const DriftOptions& options,
            const Execution& execution) {
  return Comparison(before, after, options, execution)();
}

std::vector<std::string> common_columns(const Schema& a, const Schema& b) {
  std::vector<std::string> names;
  for (const Feature& feature : a.features())
    if (std::ranges::any_of(b.features(),
                            [&](const Feature& other) { return same_meaning(feature, other); }))
      names.push_back(feature.name);
  if (names.empty())
    throw InvalidArgument("the two sides have no column in common",
                          "compare files of the same columns");
  return names;
}

Statistics with_columns(const Statistics& statistics, const std::vector<std::string>& names) {
  std::vector<Index> features;
  for (Index j = 0; j < statistics.schema().size(); ++j)
    if (std::ranges::find(names, statistics.schema().feature(j).name) != names.end())
      features.push_back(j);
  return subset(statistics, features);
}

}  // namespace suffice
