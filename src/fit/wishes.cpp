// What each wish of FitOptions needs, and which of them exclude each other. A new wish is one row.

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "suffice/fit/fit_options.hpp"
#include "suffice/left_out/leave_one_out_shrinkage.hpp"

namespace suffice {
namespace {

enum class Wish {
  discriminative,
  choice,
  tails,
  strength,
  threshold,
  shrunken_means,
  keep,
  keep_above,
  transforms,
  categories,
  within,
  missing_indicators,
  with_missing_indicators,
  groups,
  calibration,
  calibration_of_choice,
  em,
  components,
  unlabelled,
  max_rows,
};

struct Row {
  Wish wish;
  bool (*asked)(const FitOptions&);
  Option name;           ///< how it was asked for
  bool classes = false;  ///< is about telling classes apart
  Material needs = Material::sums;
  /// Can do with `needs` if it must: what takes more is left out, with a note.
  Material wants = needs;
  Sentence way_out = "give the table instead";  ///< where there are only sums
};

using F = const FitOptions&;

/// Whether the option is up for choice because somebody said so.
bool is_asked(F options, const char* name) {
  return std::ranges::find(options.to_choose, name) != options.to_choose.end();
}

/// Made when it is first asked for, so that nothing is allocated before the program begins.
std::span<const Row> table() {
  static const Row rows[] = {
      {.wish = Wish::discriminative,
       .asked = [](F o) { return o.estimate.discriminative; },
       .name = {"discriminative", "yes"},
       .classes = true,
       .needs = Material::rows_kept},
      {.wish = Wish::choice,
       .asked = [](F o) { return is_asked(o, "covariance"); },
       .name = {"covariance", "auto"},
       .classes = true},
      {.wish = Wish::tails,
       .asked = [](F o) { return is_asked(o, "tails"); },
       .name = {"tails", "auto"},
       .classes = true,
       .needs = Material::sample},
      {.wish = Wish::strength,
       .asked = [](F o) { return o.shrinkage_by_leave_one_out; },
       .name = {"shrinkage", "loo"},
       .classes = true,
       .needs = Material::rows,
       .way_out = Option{"shrinkage", "auto"} + Sentence(" needs no rows")},
      {.wish = Wish::threshold,
       .asked = [](F o) { return o.means_by_folds; },
       .name = {"shrink_means", "auto"},
       .classes = true,
       .needs = Material::rows,
       .way_out = "give a number, such as " + Sentence(Option{"shrink_means", "2"})},
      {.wish = Wish::shrunken_means,
       .asked = [](F o) { return o.estimate.shrink_means.has_value(); },
       .name = {"shrink_means"}},
      {.wish = Wish::keep,
       .asked = [](F o) { return o.estimate.keep.has_value(); },
       .name = {"keep"},
       .classes = true},
      {.wish = Wish::keep_above,
       .asked = [](F o) { return o.estimate.keep_above.has_value(); },
       .name = {"keep_above"},
       .classes = true},
      {.wish = Wish::transforms,
       .asked = [](F o) { return o.find_transforms && !o.find_transforms->empty(); },
       .name = {"transforms", "auto"},
       .classes = true,
       .needs = Material::rows_once,
       .wants = Material::rows},
      {.wish = Wish::categories,
       .asked = [](F o) { return o.categories == Categories::automatic; },
       .name = {"categories", "auto"},
       .classes = true,
       .needs = Material::rows_once,
       .wants = Material::rows},
      {.wish = Wish::within,
       .asked = [](F o) { return o.categories == Categories::within; },
       .name = {"categories", "within"},
       .needs = Material::rows_once,
       .wants = Material::rows},
      {.wish = Wish::missing_indicators,
       .asked = [](F o) { return o.missing_indicators == MissingIndicators::automatic; },
       .name = {"missing_indicators", "auto"},
       .classes = true,
       .needs = Material::rows_once,
       .wants = Material::rows},
      {.wish = Wish::with_missing_indicators,
       .asked = [](F o) { return o.missing_indicators == MissingIndicators::yes; },
       .name = {"missing_indicators", "yes"},
       .needs = Material::rows_once,
       .wants = Material::rows},
      {.wish = Wish::groups,
       .asked = [](F o) { return o.by_groups; },
       .name = {"fold_column"},
       .classes = true,
       .needs = Material::rows},
      {.wish = Wish::calibration,
       .asked = [](F o) { return o.calibrates_again(); },
       .name = {"calibration", "auto"},
       .classes = true,
       .needs = Material::rows,
       .way_out = "calibrate the model by rows of your own"},
      {.wish = Wish::calibration_of_choice,
       .asked = [](F o) { return o.calibrate.value_or(false); },
       .name = {"calibration", "auto"},
       .classes = true,
       .needs = Material::sample,
       .way_out = "calibrate the model by rows of your own"},
      {.wish = Wish::em,
       .asked = [](F o) { return o.missing == MissingNumbers::em; },
       .name = {"missing", "em"},
       .needs = Material::rows},
      {.wish = Wish::components,
       .asked = [](F o) { return !o.estimate.components.is_one() || o.start; },
       .name = {"components"},
       .needs = Material::rows_kept},
      {.wish = Wish::unlabelled,
       .asked = [](F o) { return o.use_unlabelled; },
       .name = {"unlabelled", "use"},
       .needs = Material::rows_kept},
      {.wish = Wish::max_rows,
       .asked = [](F o) { return o.max_rows.has_value(); },
       .name = {"max_rows"},
       .needs = Material::rows_once},
  };
  return rows;
}

/// Two wishes that cannot be granted together, and why.
struct Exclusion {
  Wish one, other;
  const char* why;
};

constexpr const char* name_transforms =
    "columns are compared by leaving out single rows: name the transformations";
constexpr const char* name_categories =
    "columns are compared by leaving out single rows: choose apart or within";
constexpr const char* name_indicators =
    "columns are compared by leaving out single rows: choose yes or no";
constexpr const char* indicators_stay =
    "of some columns, only the indicators might be kept: leave columns out by name";
constexpr const char* split_by_gaps =
    "some components would have no value of a column: leave the indicators or the components out";
constexpr const char* no_densities = "logistic regression has no densities";

const Exclusion exclusions[] = {
    {Wish::strength, Wish::transforms, "name the transformations"},
    {Wish::strength, Wish::categories, "choose apart or within"},
    {Wish::strength, Wish::missing_indicators, "choose yes or no"},
    {Wish::strength, Wish::choice, "a choice tries strengths of its own"},
    {Wish::strength, Wish::tails, "a choice tries strengths of its own"},
    {Wish::strength, Wish::groups, "the strength is found by leaving out single rows"},
    {Wish::strength, Wish::components, "leaving out a row would need EM of its own"},
    {Wish::strength, Wish::unlabelled, "leaving out a row would need EM of its own"},
    {Wish::keep, Wish::transforms, name_transforms},
    {Wish::keep_above, Wish::transforms, name_transforms},
    {Wish::keep, Wish::missing_indicators, name_indicators},
    {Wish::keep_above, Wish::missing_indicators, name_indicators},
    {Wish::keep, Wish::with_missing_indicators, indicators_stay},
    {Wish::keep_above, Wish::with_missing_indicators, indicators_stay},
    {Wish::shrunken_means, Wish::choice, "name the covariance and the tails"},
    {Wish::shrunken_means, Wish::tails, "name the covariance and the tails"},
    {Wish::shrunken_means, Wish::transforms, name_transforms},
    {Wish::shrunken_means, Wish::categories, name_categories},
    {Wish::shrunken_means, Wish::missing_indicators, name_indicators},
    {Wish::shrunken_means, Wish::components, "means are shrunk for classes without components"},
    {Wish::shrunken_means, Wish::unlabelled, "means are shrunk for classes without components"},
    {Wish::missing_indicators, Wish::components, split_by_gaps},
    {Wish::with_missing_indicators, Wish::components, split_by_gaps},
    {Wish::groups, Wish::transforms, name_transforms},
    {Wish::groups, Wish::categories, name_categories},
    {Wish::groups, Wish::missing_indicators, name_indicators},
    {Wish::discriminative, Wish::choice, "choose the covariance with select, or name it"},
    {Wish::discriminative, Wish::tails, no_densities},
    {Wish::discriminative, Wish::strength, no_densities},
    {Wish::discriminative, Wish::shrunken_means, no_densities},
    {Wish::discriminative, Wish::transforms,
     "columns are compared by densities: name the transformations"},
    {Wish::discriminative, Wish::categories,
     "columns are compared by densities: choose apart or within"},
    {Wish::discriminative, Wish::missing_indicators,
     "columns are compared by densities: choose yes or no"},
    {Wish::discriminative, Wish::calibration,
     "the weights are found for the posteriors themselves"},
    {Wish::discriminative, Wish::components, no_densities},
    {Wish::discriminative, Wish::unlabelled, no_densities},
    {Wish::calibration, Wish::unlabelled,
     "a row without a label cannot be left out with its class; calibrate by rows of your own"},
    {Wish::unlabelled, Wish::max_rows, "rows without a label are not drawn"},
};

const Row& row_of(Wish wish) { return *std::ranges::find(table(), wish, &Row::wish); }

template <class Condition>
std::optional<Sentence> first_wish(const FitOptions& options, Condition condition) {
  for (const Row& row : table())
    if (condition(row) && row.asked(options)) return row.name;
  return std::nullopt;
}

/// What is impossible whatever the rows.
void require_consistent(const FitOptions& options) {
  if ((options.estimate.penalty || options.is_fixed("penalty")) && !options.estimate.discriminative)
    throw InvalidArgument(Option{"penalty"} + Sentence(" is for logistic regression"),
                          "add " + Sentence(Option{"discriminative", "yes"}) + ", or leave it out");
  for (const auto& [one, other, why] : exclusions)
    if (const Row& a = row_of(one), &b = row_of(other); a.asked(options) && b.asked(options))
      throw InvalidArgument(Sentence(a.name) + " and " + b.name + " cannot be combined", why);
  if (options.shrinkage_by_leave_one_out)
    LeaveOneOutShrinkage::require_possible(options.estimate);
  else
    resolve(options.estimate);
  if (options.estimate.shrink_means && options.chooses())
    throw InvalidArgument(
        Option{"shrink_means"} +
            Sentence(" is for a covariance and tails that are named, not for a choice"),
        "name the covariance");
  if (options.by_groups && !options.chooses() && !options.calibrates_again() &&
      !options.means_by_folds)
    throw InvalidArgument(Option{"fold_column"} +
                          Sentence(" has no effect here: it is for a model that is chosen or "
                                   "calibrated"));
  if (options.missing == MissingNumbers::em && !options.chooses() &&
      !is_dense(options.estimate.covariance))
    throw InvalidArgument(
        Option{"missing", "em"} + Sentence(" is for full and tied covariances; ") +
        Option{"covariance", std::string(to_string(options.estimate.covariance))} +
        " uses every number anyway");
}

}  // namespace

void require_possible(const FitOptions& options, Material material, const std::string& source) {
  require_consistent(options);
  if (options.max_rows && material >= Material::rows_once) material = Material::rows;  // are kept
  for (const Row& row : table()) {
    if (material >= row.needs || !row.asked(options)) continue;
    if (material <= Material::sample)
      throw InvalidArgument(
          Sentence(row.name) + " needs the rows again, and statistics have only their sums",
          row.way_out);
    throw InvalidArgument(
        Sentence(row.name) + " reads the rows a second time, which " + source + " does not allow",
        "write them to a file first");
  }
}

std::optional<Sentence> needs_more_than(Material material, const FitOptions& options) {
  return first_wish(options, [&](const Row& row) { return row.wants > material; });
}

std::optional<Sentence> needs_classes(const FitOptions& options) {
  return first_wish(options, [](const Row& row) { return row.classes; });
}

}  // namespace suffice
