// What each wish of FitOptions needs, and which of them exclude each other. A new wish is one row.

#include <algorithm>
#include <optional>
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
  groups,
  calibration,
  calibration_of_choice,
  em,
  components,
  unlabelled,
  penalty,
};

/// Whether rows are needed more than once.
enum class Again {
  no,
  if_possible,  ///< without them it is left out, with a note
  yes,
};

struct Row {
  Wish wish;
  bool (*asked)(const FitOptions&);
  Sentence (*name)(const FitOptions&);  ///< how it was asked for
  bool classes = false;                 ///< is about telling classes apart
  bool rows = false;                    ///< needs more than sums
  Again again = Again::no;
  const char* advice = "give the table instead";  ///< where there are only sums
  Sentence (*way_out)() = nullptr;                ///< the same, with options in it
};

template <const char* const& name>
Sentence plain(const FitOptions&) {
  return Option{name};
}

using F = const FitOptions&;
using E = const EstimateOptions&;
constexpr auto yes = true;

bool finds_transforms(F options) {
  return options.find_transforms && !options.find_transforms->empty();
}

const Row table[] = {
    {Wish::discriminative, [](F o) { return o.estimate.discriminative; },
     [](F) -> Sentence { return Option{"discriminative", "yes"}; }, yes, yes, Again::yes},
    {Wish::choice, [](F o) { return o.asked_to_choose && !o.is_fixed("covariance"); },
     [](F) -> Sentence { return Option{"covariance", "auto"}; }, yes},
    {Wish::tails, [](F o) { return o.asked_to_choose && o.is_fixed("covariance"); },
     [](F) -> Sentence { return Option{"tails", "auto"}; }, yes, yes},
    {Wish::strength, [](F o) { return o.shrinkage_by_leave_one_out; },
     [](F) -> Sentence { return Option{"shrinkage", "loo"}; }, yes, yes, Again::yes, "",
     [] { return Option{"shrinkage", "auto"} + Sentence(" needs no rows"); }},
    {Wish::threshold, [](F o) { return o.means_by_folds; },
     [](F) -> Sentence { return Option{"shrink_means", "auto"}; }, yes, yes, Again::yes, "",
     [] { return "give a number, such as " + Sentence(Option{"shrink_means", "2"}); }},
    {Wish::shrunken_means, [](F o) { return o.estimate.shrink_means.has_value(); },
     [](F) -> Sentence { return Option{"shrink_means"}; }},
    {Wish::keep, [](F o) { return o.estimate.keep.has_value(); },
     [](F) -> Sentence { return Option{"keep"}; }, yes},
    {Wish::keep_above, [](F o) { return o.estimate.keep_above.has_value(); },
     [](F) -> Sentence { return Option{"keep_above"}; }, yes},
    {Wish::transforms, finds_transforms,
     [](F) -> Sentence { return Option{"transforms", "auto"}; }, yes, yes, Again::if_possible},
    {Wish::categories, [](F o) { return o.categories == Categories::automatic; },
     [](F) -> Sentence { return Option{"categories", "auto"}; }, yes, yes, Again::if_possible},
    {Wish::within, [](F o) { return o.categories == Categories::within; },
     [](F) -> Sentence { return Option{"categories", "within"}; }, false, yes,
     Again::if_possible},
    {Wish::groups, [](F o) { return o.by_groups; },
     [](F) -> Sentence { return Option{"fold_column"}; }, yes, yes, Again::yes},
    {Wish::calibration, [](F o) { return o.calibrates_again(); },
     [](F) -> Sentence { return Option{"calibration", "auto"}; }, yes, yes, Again::yes,
     "calibrate the model by rows of your own"},
    {Wish::calibration_of_choice, [](F o) { return o.calibrate.value_or(false); },
     [](F) -> Sentence { return Option{"calibration", "auto"}; }, yes},
    {Wish::em, [](F o) { return o.missing == MissingNumbers::em; },
     [](F) -> Sentence { return Option{"missing", "em"}; }, false, yes, Again::yes},
    {Wish::components, [](F o) { return !o.estimate.components.is_one(); },
     [](F o) -> Sentence {
       return Option{"components", estimate_option("components").text(o.estimate)};
     },
     false, yes, Again::yes},
    {Wish::unlabelled, [](F o) { return o.use_unlabelled; },
     [](F) -> Sentence { return Option{"unlabelled", "use"}; }, false, yes, Again::yes},
    {Wish::penalty,
     [](F o) { return o.estimate.penalty.has_value() && !o.estimate.discriminative; },
     [](F) -> Sentence { return Option{"penalty"}; }},
};

/// Two wishes that cannot be granted together, and why.
struct Exclusion {
  Wish one, other;
  const char* why;
};

constexpr const char* single_rows = "columns are compared by leaving out single rows";
constexpr const char* no_densities = "logistic regression has no densities";

const Exclusion exclusions[] = {
    {Wish::strength, Wish::transforms, "name the transformations"},
    {Wish::strength, Wish::categories, "choose apart or within"},
    {Wish::strength, Wish::choice, "a choice tries strengths of its own"},
    {Wish::strength, Wish::tails, "a choice tries strengths of its own"},
    {Wish::strength, Wish::groups, "the strength is found by leaving out single rows"},
    {Wish::strength, Wish::components, "leaving out a row would need EM of its own"},
    {Wish::strength, Wish::unlabelled, "leaving out a row would need EM of its own"},
    {Wish::keep, Wish::transforms, single_rows},
    {Wish::keep_above, Wish::transforms, single_rows},
    {Wish::shrunken_means, Wish::choice, "name the covariance and the tails"},
    {Wish::shrunken_means, Wish::tails, "name the covariance and the tails"},
    {Wish::shrunken_means, Wish::transforms, single_rows},
    {Wish::shrunken_means, Wish::categories, single_rows},
    {Wish::shrunken_means, Wish::components, "means are shrunk for classes without components"},
    {Wish::shrunken_means, Wish::unlabelled, "means are shrunk for classes without components"},
    {Wish::groups, Wish::transforms, single_rows},
    {Wish::groups, Wish::categories, single_rows},
    {Wish::discriminative, Wish::choice, "choose the covariance with select, or name it"},
    {Wish::discriminative, Wish::tails, no_densities},
    {Wish::discriminative, Wish::strength, no_densities},
    {Wish::discriminative, Wish::shrunken_means, no_densities},
    {Wish::discriminative, Wish::transforms, "columns are compared by their densities"},
    {Wish::discriminative, Wish::categories, "columns are compared by their densities"},
    {Wish::discriminative, Wish::calibration,
     "the weights are found for the posteriors themselves"},
    {Wish::discriminative, Wish::components, no_densities},
    {Wish::discriminative, Wish::unlabelled, no_densities},
    {Wish::unlabelled, Wish::calibration,
     "a row without a label cannot be left out with its class; calibrate by rows of your own"},
};

const Row& row_of(Wish wish) {
  return *std::ranges::find(table, wish, &Row::wish);
}

template <class Condition>
std::optional<Sentence> first_wish(const FitOptions& options, Condition condition) {
  for (const Row& row : table)
    if (condition(row) && row.asked(options)) return row.name(options);
  return std::nullopt;
}

/// What is impossible whatever the rows.
void require_consistent(const FitOptions& options) {
  if (options.shrinkage_by_leave_one_out)
    LeaveOneOutShrinkage::require_possible(options.estimate);
  else
    resolve(options.estimate);
  for (const auto& [one, other, why] : exclusions)
    if (const Row &a = row_of(one), &b = row_of(other); a.asked(options) && b.asked(options))
      throw InvalidArgument(a.name(options) + " and " + b.name(options) + " cannot be combined",
                            why);
  if (row_of(Wish::penalty).asked(options))
    throw InvalidArgument(Option{"penalty"} + Sentence(" is for logistic regression"),
                          "add " + Sentence(Option{"discriminative", "yes"}) + ", or leave it out");
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
    throw InvalidArgument(Option{"missing", "em"} +
                              Sentence(" is for full and tied covariances; ") +
                              Option{"covariance", std::string(to_string(
                                                       options.estimate.covariance))} +
                              " uses every number anyway");
}

}  // namespace

void require_possible(const FitOptions& options, Material material, const std::string& source) {
  require_consistent(options);
  for (const Row& row : table) {
    if (!row.asked(options)) continue;
    if (material == Material::sums && row.rows)
      throw InvalidArgument(
          row.name(options) + " needs the rows again, and statistics have only their sums",
          row.way_out ? row.way_out() : Sentence(row.advice));
    if (material == Material::rows_once && row.again == Again::yes)
      throw InvalidArgument(row.name(options) + " reads the rows a second time, which " + source +
                                " does not allow",
                            "write them to a file first");
  }
}

std::optional<Sentence> needs_classes(const FitOptions& options) {
  return first_wish(options, [](const Row& row) { return row.classes; });
}

std::optional<Sentence> needs_rows(const FitOptions& options) {
  return first_wish(options, [](const Row& row) { return row.rows; });
}

std::optional<Sentence> needs_rows_again(const FitOptions& options) {
  return first_wish(options, [](const Row& row) { return row.again != Again::no; });
}

}  // namespace suffice
