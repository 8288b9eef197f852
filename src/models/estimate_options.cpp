#include "suffice/models/estimate_options.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/option_texts.hpp"

namespace suffice {

using namespace option_texts;

namespace {

// ---- the table ---------------------------------------------------------------------------------

void require_share(double share, std::string name) {
  if (!(share >= 0 && share <= 1))
    throw InvalidArgument(Option{std::move(name)} + " must lie between 0 and 1, not " +
                          name_of(share));
}

void require_shrinkage_value(const EstimateOptions& options) {
  if (!options.shrinkage) return;
  const double value = options.shrinkage->value();
  if (options.shrinkage->kind() == Shrinkage::Kind::share) require_share(value, "shrinkage");
  if (options.shrinkage->kind() == Shrinkage::Kind::rows && !(value > 0 && std::isfinite(value)))
    throw InvalidArgument(Option{"shrinkage"} + " by rows must be more than 0 and finite, not " +
                          name_of(value));
}

void require_tails(const EstimateOptions& options) {
  if (!options.tails || options.tails->is_normal()) return;
  if (const double dof = options.tails->dof(); !(dof > 2) || !std::isfinite(dof))
    throw InvalidArgument(
        Option{"tails"} +
            " must be more than 2, since Student's t has no covariance below, and finite, not " +
            name_of(dof),
        "use " + Option{"tails", "normal"} + " for the densities that large numbers come close to");
}

/// The row of a member: its words, and how it is read and written.
template <auto member>
constexpr EstimateOption row(EstimateOption option) {
  option.value = [](const EstimateOptions& options) { return written(options.*member); };
  option.read = [](EstimateOptions& options, std::string_view text, const EstimateOption& self) {
    options.*member = EstimateOptions().*member;
    if (text != "none" || self.default_text != "none") read(options.*member, text, self);
  };
  return option;
}

using enum EstimateOption::Concerns;

constexpr EstimateOption table[] = {
    row<&EstimateOptions::keep>({
        .name = "keep",
        .values = "N",
        .default_text = "none",
        .description = "Uses only the N features that separate the classes best, each by itself: "
                       "those of the largest divergence, as show lists it. The model has no other "
                       "columns.",
        .concerns = all,
        .check =
            [](const EstimateOptions& options) {
              if (options.keep && *options.keep < 1)
                throw InvalidArgument(Option{"keep"} + " must be at least 1, not " +
                                      std::to_string(*options.keep));
            },
    }),
    row<&EstimateOptions::keep_above>({
        .name = "keep_above",
        .values = "DIVERGENCE",
        .default_text = "none",
        .description = "Uses only the features that separate the classes by more than that; of "
                       "two classes with the same variance it is the squared distance of their "
                       "means in standard deviations.",
        .concerns = all,
        .check =
            [](const EstimateOptions& options) {
              if (options.keep_above &&
                  (!(*options.keep_above >= 0) || !std::isfinite(*options.keep_above)))
                throw InvalidArgument(Option{"keep_above"} +
                                      " must be at least 0 and finite, not " +
                                      name_of(*options.keep_above));
            },
    }),
    row<&EstimateOptions::pca>({
        .name = "pca",
        .values = "K|P%",
        .default_text = "none",
        .description = "Replaces the numbers by their first K principal components, or by as many "
                       "as explain P % of the variance.",
        .is_chosen = true,
        .check =
            [](const EstimateOptions& options) {
              if (options.pca) require_possible(*options.pca);
            },
    }),
    row<&EstimateOptions::standardize>({
        .name = "standardize",
        .values = "no|yes",
        .default_text = "no",
        .description = "Divides the numbers by their deviations over all rows before pca, so that "
                       "units do not matter: the principal components of correlations.",
    }),
    row<&EstimateOptions::lda>({
        .name = "lda",
        .values = "K",
        .default_text = "none",
        .description = "Replaces them by the K directions that separate the classes best (LDA), "
                       "fewer than classes; after pca if both are given.",
        .check =
            [](const EstimateOptions& options) {
              if (options.lda && *options.lda < 1)
                throw InvalidArgument(Option{"lda"} + " must be at least 1, not " +
                                      std::to_string(*options.lda));
            },
    }),
    row<&EstimateOptions::covariance>({
        .name = "covariance",
        .values = "auto|full|tied|diag|tied-diag|spherical|tied-spherical",
        .default_text = "full",
        .description = "The covariance of the numbers in each class; a tied one is shared by all "
                       "classes. auto (fit only) chooses the covariance, its shrinkage, principal "
                       "components, tails and calibration by leave-one-out on a sample of the "
                       "rows; other options that are given stay as they are. A covariance that is "
                       "named is estimated as it is.",
        .always_listed = true,
        .is_chosen = true,
    }),
    row<&EstimateOptions::components>({
        .name = "components",
        .values = "G|auto",
        .default_text = "1",
        .description = "Each class is a mixture of G densities with the chosen covariance, found "
                       "by EM, which reads the rows several times. auto chooses G for each class, "
                       "from 1 to 5, by the likelihood of sampled rows that are held out.",
        .concerns = all,
        .needs_rows = true,
        .check =
            [](const EstimateOptions& options) {
              if (options.components.count() < 0)
                throw InvalidArgument(Option{"components"} + " must be at least 1, not " +
                                      std::to_string(options.components.count()));
            },
    }),
    row<&EstimateOptions::discriminative>({
        .name = "discriminative",
        .values = "no|yes",
        .default_text = "no",
        .description = "Logistic regression instead of densities: weights of the same terms as the "
                       "covariance has (linear if tied, with squares if diag, with all products if "
                       "full), found for the posteriors themselves. fit takes tied unless a "
                       "covariance is named.",
        .concerns = all,
        .needs_rows = true,
    }),
    row<&EstimateOptions::penalty>({
        .name = "penalty",
        .values = "auto|NUMBER",
        .default_text = "auto",
        .description = "For discriminative models: half this number times the squared weights of "
                       "the standardised terms is added to the loss. 0 is maximum likelihood, auto "
                       "takes the one that predicts rows left out best, by 5 folds.",
        .concerns = all,
        .needs_rows = true,
        .check =
            [](const EstimateOptions& options) {
              if (options.penalty && (!(*options.penalty >= 0) || !std::isfinite(*options.penalty)))
                throw InvalidArgument(Option{"penalty"} + " must be at least 0 and finite, not " +
                                      name_of(*options.penalty));
            },
    }),
    row<&EstimateOptions::shrinkage>({
        .name = "shrinkage",
        .values = "auto|loo|oas|NUMBER",
        .default_text = "auto",
        .description =
            "Shrinks covariances towards a simpler one. auto finds the strength and the target in "
            "the data; loo (fit only) tries strengths by leave-one-out, in a second reading; a "
            "number is the share of the target, 0 is plain maximum likelihood; '40 rows' lets the "
            "simpler one count as 40 rows; oas is a closed form for the spherical target.",
        .always_listed = true,
        .is_chosen = true,
        .check = require_shrinkage_value,
    }),
    row<&EstimateOptions::target>({
        .name = "target",
        .values = "diag|spherical",
        .default_text = "diag",
        .description = "What a share of shrinkage shrinks towards: the variances alone, or their "
                       "mean (which depends on units).",
        .is_chosen = true,
    }),
    row<&EstimateOptions::target_share>({
        .name = "target_share",
        .values = "auto|NUMBER",
        .default_text = "auto",
        .description = "Full covariances with shrinkage auto or by rows are shrunk towards the "
                       "pooled covariance, which is itself shrunk towards the target by this share "
                       "from 0 to 1. auto finds it in the data.",
        .is_chosen = true,
        .check =
            [](const EstimateOptions& options) {
              if (options.target_share) require_share(*options.target_share, "target_share");
            },
    }),
    row<&EstimateOptions::towards_tied>({
        .name = "towards_tied",
        .values = "NUMBER",
        .default_text = "0",
        .description = "Shrinks the covariance of each class towards the tied one, from 0 (its "
                       "own) to 1 (tied). Shrinkage is then 0 unless it is given.",
        .check = [](const EstimateOptions& o) { require_share(o.towards_tied, "towards_tied"); },
    }),
    row<&EstimateOptions::pooling>({
        .name = "pooling",
        .values = "NUMBERS",
        .default_text = "none",
        .description = "Weights of the classes in a tied covariance, one per class; by default "
                       "their numbers of rows.",
        .in_grids = false,
    }),
    row<&EstimateOptions::tails>({
        .name = "tails",
        .values = "auto|normal|NUMBER",
        .default_text = "normal",
        .description = "The tails of the densities of numbers: normal, or those of Student's t "
                       "with NUMBER degrees of freedom (above 2) and the same covariance. Few, "
                       "such as 3 or 8, keep outlying values from deciding alone. auto (fit only) "
                       "chooses them, also for a covariance that is named.",
        .is_chosen = true,
        .check = require_tails,
    }),
    row<&EstimateOptions::shrink_means>({
        .name = "shrink_means",
        .values = "auto|NUMBER",
        .default_text = "none",
        .description = "Nearest shrunken centroids, for the covariances diag and tied-diag: moves "
                       "the means of the classes towards that of all rows by NUMBER standard "
                       "errors, so that features with smaller deviations drop out. auto (fit "
                       "only) chooses the number by 5 folds.",
        .check =
            [](const EstimateOptions& options) {
              if (const auto& delta = options.shrink_means;
                  delta && (!(delta->value >= 0) || !std::isfinite(delta->value)))
                throw InvalidArgument(Option{"shrink_means"} +
                                      " must be at least 0 and finite, not " +
                                      name_of(delta->value));
            },
    }),
    row<&EstimateOptions::inference>({
        .name = "estimate",
        .values = "plugin|map|bayes",
        .default_text = "plugin",
        .description = "plugin uses the estimates as if they were exact; map takes the most "
                       "probable covariances under a prior; bayes averages over the posterior "
                       "(Student's t and related distributions).",
        .concerns = all,
        .always_listed = true,
    }),
    row<&EstimateOptions::normalize>({
        .name = "normalize",
        .values = "mle|unbiased",
        .default_text = "mle",
        .description = "Divides the scatter by the number of rows, or by one less. Has no effect "
                       "together with a prior (shrinkage auto or loo, estimate map or bayes).",
        .always_listed = true,
    }),
    row<&EstimateOptions::smoothing>({
        .name = "smoothing",
        .values = "auto|NUMBER",
        .default_text = "1",
        .description = "Pseudo-count added to each level, word or event; 0 is maximum likelihood, "
                       "auto takes the one that makes the counts most probable.",
        .concerns = other_families,
        .always_listed = true,
        .is_chosen = true,
        .check =
            [](const EstimateOptions& options) {
              if (const double alpha = options.smoothing.value();
                  !(alpha >= 0) || !std::isfinite(alpha))
                throw InvalidArgument(Option{"smoothing"} + " must be at least 0, not " +
                                      name_of(alpha));
            },
    }),
    row<&EstimateOptions::event_model>({
        .name = "event_model",
        .values = "multinomial|complement|bernoulli",
        .default_text = "multinomial",
        .description = "For text: multinomial counts the words of a document, complement compares "
                       "them with the documents of all other classes, bernoulli looks at which "
                       "words a document has and which it lacks.",
        .concerns = other_families,
    }),
    row<&EstimateOptions::min_rows>({
        .name = "min_rows",
        .values = "N",
        .default_text = "0",
        .description = "For text: leaves out words that are in fewer than N rows.",
        .concerns = other_families,
        .check =
            [](const EstimateOptions& options) {
              if (!(options.min_rows >= 0) || !std::isfinite(options.min_rows))
                throw InvalidArgument(Option{"min_rows"} + " must be at least 0, not " +
                                      name_of(options.min_rows));
            },
    }),
    row<&EstimateOptions::max_words>({
        .name = "max_words",
        .values = "N",
        .default_text = "none",
        .description = "For text: keeps only the N words of a column that were written most often.",
        .concerns = other_families,
        .check =
            [](const EstimateOptions& options) {
              if (options.max_words && *options.max_words < 1)
                throw InvalidArgument(Option{"max_words"} + " must be at least 1, not " +
                                      std::to_string(*options.max_words));
            },
    }),
    row<&EstimateOptions::idf>({
        .name = "idf",
        .values = "no|yes",
        .default_text = "no",
        .description = "For text: weighs words down that are in many rows, by the inverse document "
                       "frequency 1 + log((1 + rows) / (1 + rows with the word)).",
        .concerns = other_families,
    }),
    row<&EstimateOptions::length_power>({
        .name = "length_power",
        .values = "P",
        .default_text = "1",
        .description = "For text: a document of N words counts as N^P words when it is scored. "
                       "Below 1, long documents are less certain: their words repeat each other.",
        .concerns = other_families,
        .check = [](const EstimateOptions& o) { require_share(o.length_power, "length_power"); },
    }),
};

}  // namespace

std::string_view to_string(Normalize normalize) { return word_of(normalize_words, normalize); }
std::string_view to_string(Inference inference) { return word_of(inference_words, inference); }
std::string_view to_string(Target target) { return word_of(target_words, target); }
std::string_view to_string(EventModel event_model) { return word_of(event_words, event_model); }

EventModel event_model_from_string(std::string_view text) {
  EventModel result{};
  read(result, text, estimate_option("event_model"));
  return result;
}

std::string to_string(const Shrinkage& shrinkage) {
  switch (shrinkage.kind()) {
    case Shrinkage::Kind::automatic:
      return "auto";
    case Shrinkage::Kind::share:
      return name_of(shrinkage.value());
    case Shrinkage::Kind::oas:
      return "oas";
    case Shrinkage::Kind::rows:
      break;
  }
  return name_of(shrinkage.value()) + (shrinkage.value() == 1 ? " row" : " rows");
}

std::string to_string(const Smoothing& smoothing) {
  return smoothing.is_automatic() ? "auto" : name_of(smoothing.value());
}

std::string to_string(const Components& components) {
  return components.is_automatic() ? "auto" : std::to_string(components.count());
}

std::string to_string(const Tails& tails) {
  return tails.is_normal() ? "normal" : name_of(tails.dof());
}

std::string to_string(const OptionValue& value) {
  const double* number = std::get_if<double>(&value);
  return number ? name_of(*number) : std::get<std::string>(value);
}

void EstimateOption::set(EstimateOptions& options, std::string_view text) const {
  EstimateOptions changed = options;
  read(changed, text, *this);
  if (check) check(changed);
  options = std::move(changed);
}

std::string EstimateOption::text(const EstimateOptions& options) const {
  const std::optional<OptionValue> given = value(options);
  return given ? to_string(*given) : std::string(default_text);
}

std::span<const EstimateOption> estimate_options() { return table; }

const EstimateOption& estimate_option(std::string_view name) {
  const auto found = std::ranges::find(table, name, &EstimateOption::name);
  if (found == std::end(table))
    throw InvalidArgument("there is no option '" + std::string(name) + "' of estimates");
  return *found;
}

std::vector<std::pair<std::string_view, OptionValue>> listed(const EstimateOptions& options) {
  std::vector<std::pair<std::string_view, OptionValue>> result;
  for (const EstimateOption& option : table)
    if (option.always_listed || !option.is_default(options))
      result.emplace_back(option.name,
                          option.value(options).value_or(std::string(option.default_text)));
  return result;
}

}  // namespace suffice
