#include "cli/words/fit_text.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "cli/output/text.hpp"
#include "cli/verbs/files.hpp"
#include "cli/words/model_words.hpp"
#include "cli/words/options_json.hpp"
#include "cli/words/show_json.hpp"

namespace suffice::cli {
namespace {

constexpr std::size_t most_columns_listed = 40;

std::vector<std::string> constant_features(const Model& model) {
  std::vector<std::string> names;
  for (std::size_t b = 0; b < model.densities().size(); ++b)
    if (const auto* density = std::get_if<GaussianDensity>(&model.densities()[b]))
      for (const Index j : density->constant)
        names.push_back(model.schema().feature(model.schema().blocks()[b].features[j]).name);
  return names;
}

/// Per column: the features that are read from it; several where it has indicators.
std::vector<std::vector<Index>> features_by_column(const Schema& schema) {
  std::vector<std::vector<Index>> features(static_cast<std::size_t>(schema.column_count()));
  for (Index j = 0; j < schema.size(); ++j)
    features[static_cast<std::size_t>(schema.column(j))].push_back(j);
  return features;
}

/// Whether one of the features of a column says if it is missing.
bool tells_missing(const Schema& schema, const std::vector<Index>& features) {
  return std::ranges::any_of(features, [&](Index j) { return schema.feature(j).is_of_missing(); });
}

/// The weight of the rows in which a column is missing; of names with indicators that is a level.
double missing_in_column(const Statistics& statistics, const Vector& missing,
                         const std::vector<Index>& features) {
  const Schema& schema = statistics.schema();
  if (!schema.feature(features.front()).indicator) return missing[features.front()];
  for (std::size_t b = 0; b < schema.blocks().size(); ++b) {
    const auto* sums = std::get_if<GaussianStatistics>(&statistics.blocks()[b]);
    const std::vector<Index>& block = schema.blocks()[b].features;
    for (Index j = 0; sums && j < std::ssize(block); ++j) {
      const Index feature = block[static_cast<std::size_t>(j)];
      const Boxed<Indicator>& indicator = schema.feature(feature).indicator;
      if (!indicator || indicator->level || std::ranges::find(features, feature) == features.end())
        continue;
      double weight = 0;
      for (Index c = 0; c < std::ssize(sums->classes); ++c) {
        const Moments moments = sums->moments(c);
        if (!moments.weight.empty()) weight += moments.weight[j] * moments.mean[j];
      }
      return std::round(weight * 1e9) / 1e9;
    }
  }
  return 0;
}

/// `feature` is the column's reader.
std::string family_in_words(const Schema& schema, const Feature& feature,
                            const std::vector<Index>& features) {
  const std::string family(to_string(feature.family));
  if (feature.indicator)
    return family + ", " + counted(static_cast<double>(features.size()), "indicator");
  if (tells_missing(schema, features)) return family + ", and whether it is missing";
  if (feature.family == Family::text) return family + ", " + to_string(feature.text);
  if (feature.transform == Transform::none) return family;
  return family + ", " + to_string(feature.transform);
}

std::string columns_in_words(const Terminal& terminal, const Statistics& statistics) {
  const Schema& schema = statistics.schema();
  const Vector missing = statistics.missing();
  std::string text;
  if (static_cast<std::size_t>(schema.column_count()) <= most_columns_listed) {
    TextTable table({"column", "family", "missing"},
                    {TextTable::Align::left, TextTable::Align::left, TextTable::Align::right});
    const auto by_column = features_by_column(schema);
    for (Index j = 0; j < schema.column_count(); ++j) {
      const std::vector<Index>& features = by_column[static_cast<std::size_t>(j)];
      const double cells = missing_in_column(statistics, missing, features);
      table.add({schema.columns()[static_cast<std::size_t>(j)],
                 family_in_words(schema, schema.reader(j), features),
                 cells > 0 ? counted(cells) : ""});
    }
    return table.render(terminal);
  }
  for (const Block& block : schema.blocks()) {
    const std::vector<std::string> names = schema.names(block);
    text += counted(static_cast<double>(names.size()), "column") + ", " +
            std::string(to_string(block.family)) + ": " + names.front() +
            (names.size() > 1 ? " … " + names.back() : "") + "\n";
  }
  const double cells = missing.map().sum();
  if (cells > 0) text += counted(cells, "missing cell") + "\n";
  return text;
}

/// The ten best candidates.
std::string candidates_text(const Terminal& terminal, const Choice& choice) {
  constexpr std::size_t most = 10;
  TextTable table({"model", "error", "log-loss"},
                  {TextTable::Align::left, TextTable::Align::right, TextTable::Align::right});
  for (std::size_t k = 0; k < std::min(most, choice.candidates.size()); ++k)
    table.add({options_for_people(choice.candidates[k].options),
               figure(choice.candidates[k].error_rate), figure(choice.candidates[k].log_loss)});
  return table.render(terminal);
}

Json candidate_json(const Choice::Candidate& candidate) {
  return {{"options", options_json(candidate.options)},
          {"error_rate", to_json(candidate.error_rate)},
          {"log_loss", to_json(candidate.log_loss)}};
}

Json choice_json(const Choice& choice) {
  Json json = {{"rows", to_json(choice.rows)},
               {"folds", choice.folds},
               {"error_rate", to_json(choice.best()->error_rate)},
               {"log_loss", to_json(choice.best()->log_loss)},
               {"prior_error_rate", to_json(choice.prior_error_rate)},
               {"prior_log_loss", to_json(choice.prior_log_loss)},
               {"chosen", choice.chosen},
               {"candidates", Json::array()}};
  if (choice.incumbent >= 0) json["evidence"] = choice.incumbent;
  for (const Choice::Candidate& candidate : choice.candidates)
    json["candidates"].push_back(candidate_json(candidate));
  return json;
}

/// What numbers of components were worth, where they were chosen; otherwise nothing.
std::string tried_text(const Terminal& terminal, const Model& model, const MixtureFit& fit) {
  if (fit.tried.empty()) return {};
  TextTable table({"class", "components", "held-out log-likelihood", "BIC"},
                  {TextTable::Align::left, TextTable::Align::right, TextTable::Align::right,
                   TextTable::Align::right});
  for (std::size_t c = 0; c < fit.tried.size(); ++c)
    for (const ComponentsTried& tried : fit.tried[c])
      table.add({tried.components == 1 ? model.labels()[static_cast<Index>(c)] : "",
                 std::to_string(tried.components), figure(tried.held_out), figure(tried.bic)});
  return table.render(terminal);
}

Json mixture_json(const Model& model, const MixtureFit& fit) {
  Json components = Json::object();
  const Index classes = model.labels().size();
  std::vector<std::vector<Index>> by_class(static_cast<std::size_t>(classes), {0});
  if (model.mixture()) by_class = model.mixture()->by_class(classes);
  for (Index c = 0; c < classes; ++c)
    components[model.labels()[c]] = by_class[static_cast<std::size_t>(c)].size();
  Json path = Json::array();
  for (const double log_likelihood : fit.log_likelihood) path.push_back(to_json(log_likelihood));
  Json json = {{"components", std::move(components)},
               {"log_likelihood", std::move(path)},
               {"converged", fit.converged},
               {"empty", fit.empty},
               {"bounded", fit.bounded},
               {"unlabelled_rows", to_json(fit.unlabelled_rows)}};
  if (fit.tried.empty()) return json;
  for (Index c = 0; c < classes; ++c) {
    Json& list = json["tried"][model.labels()[c]] = Json::array();
    for (const ComponentsTried& tried : fit.tried[static_cast<std::size_t>(c)])
      list.push_back({{"components", tried.components},
                      {"held_out", to_json(tried.held_out)},
                      {"standard_error", to_json(tried.standard_error)},
                      {"bic", to_json(tried.bic)}});
  }
  return json;
}

/// A line; empty where no column was changed.
std::string better_columns_in_words(const Fit& found) {
  if (!found.columns) return {};
  const auto& [changes, before, after, in_folds] = *found.columns;
  std::string text;
  for (const std::string& change : changes) text += (text.empty() ? "" : "; ") + change;
  return text + (in_folds ? ": log-loss of folds " : ": leave-one-out log-loss ") + rounded(after) +
         " instead of " + rounded(before) + "\n";
}

void add_better_columns(Json& json, const Fit& found) {
  if (!found.columns) return;
  const auto& [changes, before, after, in_folds] = *found.columns;
  json["better_columns"] = {
      {"changes", changes}, {"log_loss_before", to_json(before)}, {"log_loss", to_json(after)}};
}

/// How often the model is wrong on rows that it has not seen, by rows that were left out.
struct Expected {
  Index folds = 0;  ///< 0: one row was left out at a time
  std::optional<double> error_rate = {};
  double log_loss = 0;
  std::optional<double> guessed_error_rate = {}, guessed_log_loss = {};  ///< by class frequencies
};

/// What the last decision of `fit` that left rows out has found; nothing where none did.
std::optional<Expected> expected_of(const Fit& found) {
  if (found.choice && found.choice->best())
    return Expected{std::max(found.choice->folds, found.choice->sample_folds),
                    found.choice->best()->error_rate, found.choice->best()->log_loss,
                    found.choice->prior_error_rate, found.choice->prior_log_loss};
  if (found.calibration)
    return Expected{.folds = found.calibration->folds,
                    .log_loss = found.calibration->log_loss,
                    .guessed_log_loss = found.calibration->frequency_log_loss};
  if (found.threshold)
    return Expected{found.threshold->folds, found.threshold->error_rate, found.threshold->log_loss};
  if (found.strength) return Expected{0, found.strength->error_rate, found.strength->log_loss};
  return std::nullopt;
}

/// A line; empty where nothing was expected.
std::string expected_text(const std::optional<Expected>& expected) {
  if (!expected) return {};
  const auto both = [](const std::optional<double>& error, double log_loss) {
    return (error ? "error " + rounded(*error) + ", " : "") + "log-loss " + rounded(log_loss);
  };
  std::string text = "Expected on new rows: " + both(expected->error_rate, expected->log_loss) +
                     (expected->folds == 0 ? " (leave-one-out"
                                           : " (" + std::to_string(expected->folds) + " folds");
  if (expected->guessed_log_loss)
    text += "; class frequencies alone: " +
            both(expected->guessed_error_rate, *expected->guessed_log_loss);
  return text + ")\n";
}

/// The classes and the columns.
std::string tables_text(const Terminal& terminal, const Statistics& statistics) {
  TextTable classes({"class", std::string(rows_or_weight(statistics.weights()))},
                    {TextTable::Align::left, TextTable::Align::right});
  for (Index c = 0; c < statistics.labels().size(); ++c)
    classes.add({statistics.labels()[c], counted(statistics.weights()[c])});
  return "\n" + classes.render(terminal) + "\n" + columns_in_words(terminal, statistics) + "\n";
}

/// How the model was regularised, calibrated and chosen, and what it was compared with.
std::string details_text(const Context& context, const Fit& found) {
  const Model& model = found.model;
  std::string text = missing_in_words(model) + shrinkage_in_words(model) +
                     smoothing_in_words(model) + calibration_in_words(model) +
                     choice_in_words(model);
  if (found.choice && found.choice->folds > 0)
    text += "Chosen among " +
            counted(static_cast<double>(found.choice->candidates.size()), "model") + " by " +
            std::to_string(found.choice->folds) + " folds of '" + context.options.columns.fold +
            "'\n";
  if (found.calibration)
    text += "Log-loss before calibration " + rounded(found.calibration->log_loss_before) +
            ", calibrated " + rounded(found.calibration->log_loss) + "\n";
  text += options_in_words(model, true);
  if (found.threshold)
    text += "Threshold chosen among " + std::to_string(found.threshold->compared) + " by " +
            std::to_string(found.threshold->folds) + " folds\n";
  if (found.mixture) text += tried_text(context.terminal, model, *found.mixture);
  if (found.choice && found.choice->best())
    text += candidates_text(context.terminal, *found.choice);
  return text + better_columns_in_words(found);
}

}  // namespace

std::string training_error_text(const Report& error) {
  return "Training error " + rounded(error.error_rate) + " (" + counted(error.errors) + " of " +
         counted_rows(error.decided) + "), log-loss " + rounded(error.log_loss) + "\n";
}

std::string fit_text(const Context& context, const FitSummary& fitted) {
  const auto& [found, files, skipped, error] = fitted;
  const Model& model = found.model;
  const bool verbose = context.options.verbose;
  std::string text =
      context.terminal.styled(
          counted(found.rows, "row") + " of " + files_in_words(files) + ", " +
              counted(static_cast<double>(model.labels().size()), "class", "classes") +
              (model.schema().label().empty() ? "" : " of '" + model.schema().label() + "'"),
          Style::bold) +
      "\n";
  if (verbose) text += tables_text(context.terminal, found.statistics);
  if (found.unlabelled_rows > 0 && !context.options.fit.use_unlabelled)
    text += counted(found.unlabelled_rows, "row") + " without a label left out\n";
  if (!skipped.empty())
    text += counted(static_cast<double>(skipped.size()), "column") +
            " left out: " + list_for_message(skipped) + "\n";
  if (const std::vector<std::string> constant = constant_features(model); !constant.empty())
    text += counted(static_cast<double>(constant.size()), "constant column") +
            " left out, without information: " + list_for_message(constant) + "\n";
  text += kept_in_words(model) + model_in_words(model) + mixture_in_words(model) +
          means_in_words(model) + projection_in_words(model) + units_in_words(model);
  if (verbose) text += details_text(context, found);
  text += expected_text(expected_of(found));
  if (error) text += training_error_text(*error);
  return text + "Wrote " + context.options.output + "\n";
}

Json fit_json(const Context& context, const FitSummary& fitted) {
  const auto& [found, files, skipped, error] = fitted;
  const Model& model = found.model;
  const Statistics& statistics = found.statistics;
  const Vector missing = statistics.missing();
  Json columns = Json::array();
  const Schema& schema = statistics.schema();
  const auto by_column = features_by_column(schema);
  for (Index j = 0; j < schema.column_count(); ++j) {
    const Feature& feature = schema.reader(j);
    const std::vector<Index>& features = by_column[static_cast<std::size_t>(j)];
    columns.push_back({{"name", feature.column()},
                       {"family", to_string(feature.family)},
                       {"missing", to_json(missing_in_column(statistics, missing, features))}});
    if (feature.transform != Transform::none)
      columns.back()["transform"] = to_string(feature.transform);
    if (tells_missing(schema, features)) columns.back()["missing_indicator"] = true;
    if (!feature.indicator) continue;
    Json levels = Json::array();
    for (const Index k : features) {
      const std::optional<std::string>& level = schema.feature(k).indicator->level;
      levels.push_back(level ? Json(*level) : Json());
    }
    columns.back()["indicators"] = std::move(levels);
    columns.back()["reference"] = feature.indicator->reference;
  }
  Json json = {{"rows", to_json(found.rows)},
               {"unlabelled_rows", to_json(found.unlabelled_rows)},
               {"label", model.schema().label()},
               {"labels", to_json(model.labels())},
               {"weights", to_json(statistics.weights())},
               {"columns", columns},
               {"ignored", skipped},
               {"constant", constant_features(model)},
               {"options", options_json(model)},
               {"shrinkage", shrinkage_json(model)},
               {"output", context.options.output},
               {"warnings", context.terminal.warnings()}};
  if (found.strength) {
    json["shrinkage"]["asked"] = "loo";
    json["shrinkage"]["error_rate"] = to_json(found.strength->error_rate);
    json["shrinkage"]["log_loss"] = to_json(found.strength->log_loss);
  }
  add_kept(json, model);
  add_shrunken_means(json, model);
  if (found.threshold)
    json["shrunken_means"].update({{"asked", "auto"},
                                   {"compared", found.threshold->compared},
                                   {"folds", found.threshold->folds},
                                   {"error_rate", to_json(found.threshold->error_rate)},
                                   {"log_loss", to_json(found.threshold->log_loss)}});
  if (found.choice && found.choice->best()) json["choice"] = choice_json(*found.choice);
  if (found.mixture) json["mixture"] = mixture_json(model, *found.mixture);
  add_better_columns(json, found);
  if (model.calibration()) json["calibration"] = calibration_json(*model.calibration());
  if (found.calibration) {
    json["calibration"]["folds"] =
        found.calibration->folds == 0 ? Json("loo") : Json(found.calibration->folds);
    json["calibration"]["log_loss_before"] = to_json(found.calibration->log_loss_before);
    json["calibration"]["log_loss"] = to_json(found.calibration->log_loss);
    json["frequency_log_loss"] = to_json(found.calibration->frequency_log_loss);
  }
  if (error) {
    json["training_error"] = to_json(error->error_rate);
    json["training_log_loss"] = to_json(error->log_loss);
  }
  return json;
}

}  // namespace suffice::cli
