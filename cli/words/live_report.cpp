#include "cli/words/live_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/output/row_text.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/evaluation.hpp"
#include "suffice/io/file.hpp"

namespace suffice::cli {
namespace {

constexpr Index most_live_rows = 10'000, least_live_rows = 20;

/// A name that no column has.
std::string free_name(std::string name, const std::vector<std::string>& columns) {
  while (std::ranges::find(columns, name) != columns.end()) name += '_';
  return name;
}

/// Rows as a table, and the flags that say what its last columns are.
struct LiveRows {
  std::string csv;
  std::vector<std::string> flags;
  Index count = 0;
};

/// A row of a sample stands for several of the input: its weight.
LiveRows rows_as_table(const Reservoir& reservoir) {
  const Reservoir::Parts parts = reservoir.parts();
  const Schema& schema = parts.schema;
  std::vector<std::string> columns = schema.columns();
  const std::string label = free_name(schema.label().empty() ? "label" : schema.label(), columns);
  columns.push_back(label);
  std::vector<double> kept(parts.labels.size());
  for (const std::int64_t c : parts.label) ++kept[static_cast<std::size_t>(c)];
  std::vector<double> weights;
  for (std::size_t i = 0; i < parts.label.size(); ++i) {
    const Index c = parts.label[i];
    weights.push_back(parts.weight[static_cast<Index>(i)] * parts.seen[c] /
                      kept[static_cast<std::size_t>(c)]);
  }
  LiveRows result{.csv = {}, .flags = {"--label", label}, .count = std::ssize(weights)};
  const bool weighted = std::ranges::any_of(weights, [](double w) { return w != 1; });
  if (weighted) {
    columns.push_back(free_name("weight", columns));
    result.flags.insert(result.flags.end(), {"--weight", columns.back()});
  }
  result.csv = beginning_of_rows(TextFormat{}, columns);
  RowText row_text(TextFormat{}, result.csv);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    row_text.begin_row(i == 0);
    const auto row = static_cast<Index>(i);
    Index number = 0, name = 0;
    for (Index j = 0; j < std::ssize(schema.columns()); ++j) {
      if (schema.has_strings(j)) {
        const auto of = static_cast<std::size_t>(name++);
        if (parts.present[of][i])
          row_text.add(parts.names[of][i]);
        else
          row_text.add_nothing();
      } else if (const double value = parts.numbers(row, number++); std::isnan(value)) {
        row_text.add_nothing();
      } else {
        row_text.add(value);
      }
    }
    row_text.add(parts.labels[static_cast<std::size_t>(parts.label[i])]);
    if (weighted) row_text.add(weights[i]);
    row_text.end_row();
  }
  return result;
}

/// DATA and how it is read, as words of a command.
std::vector<std::string> data_words(const Options& options, const InputOptions& input) {
  std::vector<std::string> words = input.paths;
  const auto add = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  if (!input.labels_file.empty()) add({"--labels", input.labels_file});
  if (!input.format.empty()) add({"--format", input.format});
  if (!input.header) add({"--no-header"});
  if (input.separator)
    add({"--separator", input.separator == '\t' ? "tab" : std::string(1, input.separator)});
  for (const std::string& token : input.na) add({"--na", token});
  if (input.index_base != 1) add({"--index-base", "0"});
  if (!input.names_file.empty()) add({"--names", input.names_file});
  if (!options.columns.label.empty()) add({"--label", options.columns.label});
  if (!options.columns.weight.empty()) add({"--weight", options.columns.weight});
  return words;
}

/// --prior for a command that decides in the same way; the training frequencies need none.
Json prior_words(const PriorOption& option, const Priors& priors) {
  if (option.kind == PriorOption::Kind::train) return Json::array();
  if (option.kind == PriorOption::Kind::uniform) return Json{"--prior", "uniform"};
  std::string list;
  for (Index c = 0; c < priors.labels().size(); ++c) {
    std::string label = priors.labels()[c];
    if (label.find_first_of(",\"") != std::string::npos) {
      for (std::size_t at = 0; (at = label.find('"', at)) != std::string::npos; at += 2)
        label.insert(at, 1, '"');
      label = '"' + label + '"';
    }
    list += fmt::format("{}{}={}", list.empty() ? "" : ",", label, priors[c]);
  }
  return Json{"--prior", list};
}

/// [true, decided, cost] where a cost is not the usual one.
Json unusual_costs(const std::optional<Costs>& costs) {
  Json list = Json::array();
  if (!costs) return list;
  for (Index i = 0; i < costs->labels().size(); ++i)
    for (Index j = 0; j < costs->labels().size(); ++j)
      if ((*costs)(i, j) != (i == j ? 0 : 1)) list.push_back(Json{i, j, (*costs)(i, j)});
  return list;
}

}  // namespace

LiveData read_live_data(const Context& context, const InputOptions& input, const Model& model) {
  const Schema& schema = model.schema();
  Table table(input, context.execution);
  const std::string label = label_column(context.options, model, table);
  const Plan plan = plan_scoring(table, schema, label, context.options.columns.weight);
  const auto numbers = static_cast<double>(schema.size());
  const double bytes = 8 * numbers * numbers * static_cast<double>(model.labels().size());
  const bool dense = bytes < static_cast<double>(live_page_limit);
  LiveData data{Statistics(schema, {.scatter = dense ? Scatter::dense : Scatter::diagonal}),
                Reservoir(schema, {.rows = most_live_rows, .seed = context.options.seed})};
  table.select(plan.selection);
  for (Rows rows = table.make_rows(); table.next(rows);) {
    drop_unlabelled(plan, rows);
    with_places(rows, [&] {
      data.statistics.update(view(plan, rows), context.execution);
      data.rows.update(view(plan, rows));
    });
    const Extent extent = table.extent();
    context.terminal.progress("reading again", {extent.done, extent.total, table.rows_read()});
  }
  context.terminal.end_progress();
  return data;
}

PageScripts live_scripts(const Context& context, const InputOptions& input, const Model& model,
                         const Decision& decision, const std::optional<LiveData>& data,
                         const WebParts& parts, std::size_t room) {
  std::string files, why;
  const auto add = [&](const char* name, const std::string& content) {
    const std::string file = page_file(name, content);
    if (file.size() > room) return false;
    room -= file.size();
    files += file;
    return true;
  };
  const Options& options = context.options;
  Json settings{{"kind", "live"}, {"model", "model.suffice"}};
  Json rows = Json::array();
  Index count = 0;
  std::string statistics;
  const bool has_model = add("model.suffice", to_bytes(model));
  if (!has_model) {
    settings["model"] = "";
    why = "The model is too large to be part of the page, so it cannot be changed here.";
  } else if (data) {
    const std::string file = page_file("statistics.stats", to_bytes(data->statistics));
    if (file.size() < room / 2) {
      room -= file.size();
      files += file;
      statistics = "statistics.stats";
    } else {
      why = "The statistics are too large to be part of the page, so the estimate stays as it is.";
    }
    for (Index most = data->rows.size(); most >= least_live_rows || most == data->rows.size();) {
      const LiveRows sample = rows_as_table(data->rows.limited(most));
      const std::string table = page_file("rows.csv", sample.csv);
      if (table.size() <= room) {
        files += table;
        rows = Json{"rows.csv"};
        for (const std::string& word : sample.flags) rows.push_back(word);
        count = sample.count;
        break;
      }
      most = std::min(
          most - 1, static_cast<Index>(0.9 * static_cast<double>(most) * static_cast<double>(room) /
                                       static_cast<double>(table.size())));
    }
    if (rows.empty()) why += " The rows are too wide to be part of the page.";
  } else {
    why = "No rows were evaluated, so there are no figures, and the estimate stays as it is.";
  }
  const std::vector<std::string> shown = data_words(options, input);
  std::vector<std::string> fit = shown;
  fit.insert(fit.end(), {"--like", options.model});
  if (options.columns.label.empty() && input.labels_file.empty() && !model.schema().label().empty())
    fit.insert(fit.end(), {"--label", model.schema().label()});
  settings["rows"] = rows;
  settings["statistics"] = statistics;
  settings["counts"] = {{"rows", count}, {"all", data ? data->rows.seen() : 0}};
  settings["labels"] = to_json(model.labels());
  settings["priors"] = to_json(std::span<const double>(decision.priors.probabilities()));
  settings["prior_words"] = prior_words(options.decision.prior, decision.priors);
  settings["costs"] = unusual_costs(decision.costs);
  settings["shown"] = {{"model", options.model}, {"data", shown}, {"fit", fit}};
  settings["why"] = why;
  return parts.scripts(settings, files);
}

}  // namespace suffice::cli
