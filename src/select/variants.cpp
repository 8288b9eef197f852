#include "suffice/select/variants.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/few_digits.hpp"
#include "data/name_encoder.hpp"
#include "data/number_reader.hpp"
#include "data/transform.hpp"
#include "select/sample_contest.hpp"
#include "select/whole_numbers.hpp"
#include "stats/filled.hpp"
#include "suffice/core/error.hpp"
#include "suffice/stats/indicators.hpp"

namespace suffice {

// ---- comparing -------------------------------------------------------------------------------

namespace {

/// What all rows of the sample together must gain, in nats. Below it a variant may be better by
/// chance, since several are compared, and where rows are classified almost without doubt the
/// standard error of the difference says little.
constexpr double least_gain = 3;

/// Different numbers of a column that may be categories.
constexpr Index most_codes = 12;
/// Above it the comparison takes too long.
constexpr Index most_features_for_codes = 64;

/// The model that was chosen for all rows, and the default: each with its tails, normal ones and
/// heavy ones. Numbers of rows are `share` of those for all rows.
Proposals few_models(const Statistics& statistics, const Choice& choice, double share,
                     const ChooseOptions& options) {
  EstimateOptions chosen = choice.options;
  if (chosen.shrinkage && chosen.shrinkage->kind() == Shrinkage::Kind::rows)
    chosen.shrinkage = Shrinkage::rows(chosen.shrinkage->value() * share);
  const Tails own = chosen.tails.value_or(Tails::normal());
  chosen.tails = Tails::normal();
  chosen.lda = {};  // has seen the classes of the rows that are left out
  const Proposals all = propose(statistics, options);
  Proposals few{.shapes = {resolve(chosen)}, .tails = {own}, .has_default = false};
  EstimateOptions by_default = all.shapes.front();
  by_default.tails = Tails::normal();
  by_default.lda = {};
  by_default = resolve(by_default);
  if (all.has_default && by_default != few.shapes.front()) few.shapes.push_back(by_default);
  for (const Tails& tails : {Tails::normal(), Tails::student(8)})
    if (tails != own && std::ranges::find(all.tails, tails) != all.tails.end())
      few.tails.push_back(tails);
  return few;
}

/// The best of a few models on the sample, under another schema.
SampleContest contest_under(const Schema& schema, const SampledRows& sample, const Choice& choice,
                            double weight_of_all_rows, const ChooseOptions& options,
                            const Execution& execution) {
  const Execution quiet{.threads = execution.threads, .stop = execution.stop};
  Statistics statistics(schema, {.scatter = scatter_to_choose(schema, options)});
  statistics.update(sample.rows(), quiet);
  if (std::optional<Filled> found = filled(statistics)) statistics = std::move(found->statistics);
  const double share = statistics.weights().map().sum() / weight_of_all_rows;
  SampleContest::Input input{.statistics = statistics,
                             .sample = sample,
                             .proposals = few_models(statistics, choice, share, options),
                             .calibrate = options.calibrate,
                             .sample_alone = true,
                             .seed = options.seed};
  if (options.missing.completes(statistics, input.proposals.shapes.front())) {
    try {
      input.missing = &options.missing;
      return {input, quiet};
    } catch (const SingularError&) {
    } catch (const InvalidArgument&) {
    } catch (const DataError&) {
    }
    input.missing = nullptr;
  }
  return {input, quiet};
}

}  // namespace

VariantChoice compare_variants(const Schema& schema, std::span<const SchemaVariant> variants,
                               const Statistics& statistics, const SampledRows& sample,
                               const Choice& choice, const ChooseOptions& options,
                               const Execution& execution) {
  VariantChoice result;
  if (variants.empty() || !choice.best()) return result;
  const double all = statistics.weights().map().sum();
  const auto judged = [&](const Schema& of) {
    SampleContest contest = contest_under(of, sample, choice, all, options, execution);
    result.results.emplace_back();
    if (const CandidateResult* best = contest.best())
      result.results.back() = {true, best->score.error_rate, best->score.log_loss};
    return contest;
  };
  const SampleContest first = judged(schema);
  double least = infinity;
  for (const SchemaVariant& variant : variants) {
    const SampleContest other = judged(variant.schema);
    if (!first.best() || !other.best()) continue;
    const double loss = other.best()->score.log_loss;
    if (!(loss < least) || !((first.best()->score.log_loss - loss) * choice.rows >= least_gain) ||
        !other.is_better_than(first))
      continue;
    least = loss;
    result.chosen = std::ssize(result.results) - 1;
  }
  return result;
}

// ---- signed logarithms -----------------------------------------------------------------------

namespace {

/// Scales over the median size of the numbers of a column that are not 0.
constexpr double scales_of_median[] = {1, 0.1, 0.01};
/// Skewness, of all classes together, from which on a column asks for a transformation.
constexpr double much_skewness = 1;

double sum_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

double skewness_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = sum_of(values) / n;
  double squares = 0, cubes = 0;
  for (const double x : values) {
    squares += (x - mean) * (x - mean);
    cubes += (x - mean) * (x - mean) * (x - mean);
  }
  return squares > 0 ? cubes / n / std::pow(squares / n, 1.5) : 0;
}

/// Sums of squares about the means of the classes.
struct WithinClasses {
  std::vector<double> count, squares;  ///< per class

  WithinClasses(const std::vector<double>& values, const std::vector<std::int32_t>& codes,
                std::size_t classes)
      : count(classes), squares(classes) {
    std::vector<double> mean(classes);
    for (std::size_t i = 0; i < values.size(); ++i) {
      count[at(codes[i])] += 1;
      mean[at(codes[i])] += values[i];
    }
    for (std::size_t c = 0; c < classes; ++c) mean[c] /= std::max(count[c], 1.0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double deviation = values[i] - mean[at(codes[i])];
      squares[at(codes[i])] += deviation * deviation;
    }
  }

  /// Of normal densities with a variance per class, shrunk by one row of the pooled one, up to a
  /// constant; −infinity where nothing varies.
  double log_likelihood() const {
    const double dof = sum_of(count) - static_cast<double>(count.size());
    const double pooled = dof > 0 ? sum_of(squares) / dof : 0;
    if (!(pooled > 0)) return -infinity;
    double sum = 0;
    for (std::size_t c = 0; c < count.size(); ++c)
      if (count[c] > 0) sum -= count[c] / 2 * std::log((squares[c] + pooled) / count[c]);
    return sum;
  }
};

/// A column of the sample, and the scales of its logarithm that were looked at.
struct MappableColumn {
  Index feature;
  std::vector<double> scales;
  bool skewed;
  Index likeliest;  ///< of the scales; −1: the numbers as they are
};

std::optional<MappableColumn> mappable_column(Index feature, const std::vector<double>& values,
                                              const std::vector<std::int32_t>& codes,
                                              std::size_t classes) {
  std::vector<double> sizes, distinct;  // three different numbers are enough
  for (const double x : values) {
    if (!std::isfinite(x)) return {};
    if (x != 0) sizes.push_back(std::abs(x));
    if (distinct.size() < 3 && std::ranges::find(distinct, x) == distinct.end())
      distinct.push_back(x);
  }
  if (distinct.size() < 3) return {};
  const auto middle = sizes.begin() + std::ssize(sizes) / 2;
  std::ranges::nth_element(sizes, middle);
  MappableColumn result{feature, {}, std::abs(skewness_of(values)) > much_skewness, -1};
  double highest = WithinClasses(values, codes, classes).log_likelihood();
  std::vector<double> mapped(values.size());
  for (const double of_median : scales_of_median) {
    const double scale = few_digits(of_median * *middle, 2);
    if (!std::isnormal(scale)) return {};
    const Transform transform = Transform::signed_log(scale);
    double derivatives = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      mapped[i] = transformed(transform, values[i]);
      derivatives += log_derivative(transform, mapped[i]);
    }
    const double likelihood = WithinClasses(mapped, codes, classes).log_likelihood() + derivatives;
    if (likelihood > highest) {
      highest = likelihood;
      result.likeliest = std::ssize(result.scales);
    }
    result.scales.push_back(scale);
  }
  return result;
}

/// Columns that could be mapped.
std::vector<MappableColumn> mappable_columns(const Schema& schema, const SampledRows& sample,
                                             std::span<const Index> features) {
  const RowBlock rows = sample.rows();
  const Index n = rows.rows(), d = std::ssize(features);
  std::vector<Index> columns;
  for (const Index feature : features) columns.push_back(schema.column(feature));
  const NumberReader reader(Schema::numbered(rows.feature_count()), {Family::gaussian, columns},
                            rows);
  std::vector<double> scratch(at(n * d));
  const auto [numbers, stride] = reader.read(0, n, scratch.data());
  NameEncoder labels(rows.labels());
  std::vector<std::int32_t> code_of(at(n));
  labels.read(0, n, code_of.data(), nullptr);
  std::vector<MappableColumn> result;
  for (Index j = 0; j < d; ++j) {
    std::vector<double> values;
    std::vector<std::int32_t> codes;
    for (Index i = 0; i < n; ++i)
      if (const double x = numbers[i * stride + j]; !std::isnan(x) && code_of[at(i)] >= 0) {
        values.push_back(x);
        codes.push_back(code_of[at(i)]);
      }
    if (auto found = mappable_column(features[at(j)], values, codes, labels.names().size()))
      result.push_back(std::move(*found));
  }
  return result;
}

/// "2 of 16 columns of numbers are signed logarithms ('width', 'height')"
std::string in_words(const std::vector<std::string>& names, std::size_t columns) {
  return std::to_string(names.size()) + " of " + std::to_string(columns) +
         (columns == 1 ? " column" : " columns") + " of numbers " +
         (names.size() == 1 ? "is a signed logarithm" : "are signed logarithms") +
         (names.size() < columns ? " (" + list_for_message(names) + ")" : "");
}

}  // namespace

std::vector<SchemaVariant> transform_variants(const Schema& schema, const SampledRows& sample,
                                              std::span<const Index> columns) {
  if (columns.empty() || schema.size() > most_full_features || sample.size() == 0) return {};
  const std::vector<MappableColumn> candidates = mappable_columns(schema, sample, columns);
  if (std::ranges::none_of(candidates, &MappableColumn::skewed)) return {};
  std::vector<SchemaVariant> result;
  /// The scale of each candidate by its number; −1: as it is.
  const auto add = [&](const auto& scale_of) {
    std::vector<Feature> features = schema.features();
    std::vector<std::string> names;
    for (const MappableColumn& candidate : candidates)
      if (const Index k = scale_of(candidate); k >= 0) {
        features[at(candidate.feature)].transform = Transform::signed_log(candidate.scales[at(k)]);
        names.push_back(features[at(candidate.feature)].name);
      }
    if (names.empty()) return;
    std::vector<std::vector<Index>> blocks;
    for (const Block& block : schema.blocks()) blocks.push_back(block.features);
    Schema variant = Schema(std::move(features), std::move(blocks)).with_label(schema.label());
    if (std::ranges::find(result, variant, &SchemaVariant::schema) == result.end())
      result.push_back({std::move(variant), in_words(names, columns.size())});
  };
  for (Index k = 0; k < std::ssize(scales_of_median); ++k) {
    add([&](const MappableColumn&) { return k; });
    add([&](const MappableColumn& of) { return of.skewed ? k : -1; });
  }
  add([&](const MappableColumn& of) { return of.likeliest; });
  return result;
}

// ---- missing values --------------------------------------------------------------------------

namespace {

/// `schema` is the statistics' own, or has other transformations.
std::optional<SchemaVariant> missing_variant_of(const Schema& schema,
                                                const Statistics& statistics) {
  const std::vector<std::string> columns = columns_with_missing_values(statistics);
  if (columns.empty()) return {};
  return SchemaVariant{.schema = with_missing_indicators(schema, columns),
                       .words = "whether " + list_for_message(columns) +
                                (columns.size() == 1 ? " is" : " are") +
                                " missing is a feature of its own"};
}

}  // namespace

std::optional<SchemaVariant> missing_variant(const Statistics& statistics) {
  return missing_variant_of(statistics.schema(), statistics);
}

// ---- all kinds -------------------------------------------------------------------------------

BetterSchema better_schema(const Statistics& statistics, const SampledRows& sample,
                           const Choice& choice, const VariantOptions& variants,
                           const ChooseOptions& options, const Execution& execution) {
  BetterSchema better{.schema = statistics.schema()};
  // Leaving out one row at a time would not do.
  if (is_thin(statistics) || keeps_some(options.given)) return better;
  const auto try_out = [&](const std::vector<SchemaVariant>& others) {
    const VariantChoice found =
        compare_variants(better.schema, others, statistics, sample, choice, options, execution);
    if (found.chosen == 0) return;
    const SchemaVariant& winner = others[at(found.chosen - 1)];
    better.schema = winner.schema;
    better.words.push_back(winner.words);
  };
  try_out(transform_variants(better.schema, sample, variants.transformable));
  if (variants.missing_indicators)
    if (std::optional<SchemaVariant> variant = missing_variant_of(better.schema, statistics))
      try_out({std::move(*variant)});
  return better;
}

// ---- indicators ------------------------------------------------------------------------------

namespace {

/// Rows that lack numbers are scored by marginals: for each pattern of these and each class a
/// factorisation, in every fold and for every candidate.
constexpr double most_work_for_a_pattern = 3e8;

bool lacks_numbers(const Statistics& statistics) {
  const Vector missing = statistics.missing();
  for (Index j = 0; j < missing.size(); ++j)
    if (missing[j] > 0 && statistics.schema().feature(j).family == Family::gaussian) return true;
  return false;
}

}  // namespace

std::optional<SchemaVariant> category_variant(const Statistics& statistics) {
  Indicators found = indicators_of(statistics);
  const auto numbers =
      std::ranges::count(found.schema.features(), Family::gaussian, &Feature::family);
  if (found.columns.empty() || numbers > most_full_features) return {};
  const double work =
      static_cast<double>(statistics.labels().size()) * std::pow(static_cast<double>(numbers), 3);
  if (work > most_work_for_a_pattern && lacks_numbers(statistics)) return {};
  const auto count = found.columns.size();
  return SchemaVariant{
      .schema = std::move(found.schema),
      .words = std::to_string(count) +
               (count == 1 ? " categorical column is" : " categorical columns are") +
               " put beside the numbers, as indicators of the levels"};
}

bool gains_enough(const Choice& choice, const Choice& other) {
  return choice.best() && other.best() &&
         (choice.best()->log_loss - other.best()->log_loss) * choice.rows >= least_gain;
}

// ---- columns and model -----------------------------------------------------------------------

ChosenColumns choose_columns(const Statistics& statistics, const SampledRows& sample,
                             const Choice& choice, const ChangeableColumns& columns,
                             const ReadAgain& read, const ChooseOptions& options,
                             const Execution& execution) {
  const Schema& schema = statistics.schema();
  const auto with_variants = [&](ChosenColumns start) {
    std::unordered_set<std::string_view> names;  // indicators move features
    for (const Index of : columns.transformable) names.insert(schema.feature(of).name);
    std::vector<Index> transformable;
    for (Index j = 0; j < start.statistics.schema().size(); ++j)
      if (const Feature& feature = start.statistics.schema().feature(j);
          feature.family == Family::gaussian && names.contains(feature.name))
        transformable.push_back(j);
    const BetterSchema better = better_schema(start.statistics, sample, start.choice,
                                              {.transformable = std::move(transformable),
                                               .missing_indicators = columns.missing_indicators},
                                              options, execution);
    if (!better.is_other()) return start;
    Statistics again = read(better.schema);
    Choice other = choose(again, sample, options, execution);
    if (!other.best() || !(other.best()->log_loss < start.choice.best()->log_loss)) return start;
    start.changes.insert(start.changes.end(), better.words.begin(), better.words.end());
    return ChosenColumns{std::move(again), std::move(other), std::move(start.changes)};
  };
  ChosenColumns best = with_variants({statistics, choice, {}});
  if (!choice.best()) return best;
  /// The same columns under another schema, if that is better.
  const auto try_out = [&](const SchemaVariant& variant, std::vector<std::string> changes) {
    Statistics again = read(variant.schema);
    Choice other = choose(again, sample, options, execution);
    if (!other.best()) return;
    changes.push_back(variant.words);
    ChosenColumns found = with_variants({std::move(again), std::move(other), std::move(changes)});
    if (!gains_enough(best.choice, found.choice)) return;
    try {  // an indicator may agree with the classes
      found.choice.model(found.statistics, execution);
    } catch (const SingularError&) {
      return;
    } catch (const InvalidArgument&) {
      return;
    }
    best = std::move(found);
  };
  const auto try_indicators = [&](const Statistics& apart,
                                  const std::vector<std::string>& changes) {
    if (!columns.categories) return;
    if (const std::optional<SchemaVariant> variant = category_variant(apart))
      try_out(*variant, changes);
  };
  try_indicators(statistics, {});
  if (is_thin(statistics) || keeps_some(options.given) || schema.size() > most_features_for_codes)
    return best;
  const std::optional<SchemaVariant> codes =
      whole_numbers_as_categories(schema, sample, columns.transformable, most_codes);
  if (!codes) return best;
  try_out(*codes, {});
  try_indicators(read(codes->schema), {codes->words});
  return best;
}

}  // namespace suffice
