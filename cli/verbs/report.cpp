#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/line/paths.hpp"
#include "cli/output/text.hpp"
#include "cli/output/writer.hpp"
#include "cli/verbs/decision.hpp"
#include "cli/verbs/evaluation.hpp"
#include "cli/verbs/files.hpp"
#include "cli/words/live_report.hpp"
#include "cli/words/model_words.hpp"
#include "suffice/draw/page.hpp"
#include "suffice/io/file.hpp"

namespace suffice::cli {
namespace {

/// A model of the page with what was found on DATA.
struct Subject {
  std::string path;
  Model model;
  std::optional<Evaluated> evaluated = {};
};

bool is_model(const std::string& path) {
  std::error_code ignored;
  if (has_ending(path, ".suffice")) return true;
  if (has_table_ending(path) || !std::filesystem::is_regular_file(path, ignored)) return false;
  try {
    return file_kind(path) == FileKind::model;
  } catch (const FileError&) {  // some table without a known ending
    return false;
  }
}

std::vector<std::string> words_of(const Model& model) {
  std::vector<std::string> lines;
  for (const std::string& text :
       {kept_in_words(model), model_in_words(model), missing_in_words(model),
        shrinkage_in_words(model), smoothing_in_words(model), projection_in_words(model),
        calibration_in_words(model)}) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
      if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// DATA of the command, without a second model.
InputOptions tables_of(const Options& options, bool has_second) {
  InputOptions input = options.input;
  if (has_second) input.paths.erase(input.paths.begin());
  return input;
}

}  // namespace

void report(const Context& context) {
  const Options& options = context.options;
  const bool has_second = !options.input.paths.empty() && is_model(options.input.paths.front());
  const InputOptions input = tables_of(options, has_second);
  std::vector<Subject> subjects;
  subjects.push_back({options.model, open_model(options.model)});
  if (has_second) {
    const std::string& path = options.input.paths.front();
    subjects.push_back({path, open_model(path)});
    if (subjects[0].model.labels() != subjects[1].model.labels())
      throw FileError({.path = path},
                      "'" + path + "' has other classes than '" + options.model + "'",
                      "models side by side need the same classes");
    if (options.live)
      throw InvalidArgument("a live page shows one model, not two side by side",
                            "leave out one of them, or --live");
  }
  if (options.live && subjects[0].model.labels().size() < 2)
    throw InvalidArgument("a live page needs a model of two classes or more", "leave --live out");
  std::optional<WebParts> parts;
  if (options.live) parts.emplace();  // before anything long
  const Decision decision = decision_for(options.decision, subjects[0].model, context);
  Page page;
  if (options.decision.prior.kind != PriorOption::Kind::train) page.priors = decision.priors;
  page.costs = decision.costs;
  page.command = options.command;
  std::optional<SampledRows> sample;
  for (Subject& subject : subjects) {
    if (input.paths.empty()) break;
    Table table(input, context.execution);
    require_columns(table, subject.model.schema());
    const std::string label = label_column(options, subject.model, table);
    const Plan plan = plan_scoring(table, subject.model.schema(), label, options.columns.weight);
    Reservoir reservoir(subject.model.schema(), {.rows = 1000, .seed = options.seed});
    const Decision own{page.priors ? *page.priors : Priors::from_counts(subject.model),
                       decision.costs, decision.reject, decision.outlier};
    subject.evaluated =
        evaluate_table(context, table, plan, subject.model, own,
                       {.worst_rows = 20, .reservoir = sample ? nullptr : &reservoir});
    require_known_rows(*subject.evaluated, table, label);
    page.data = files_in_words({file_name(table.files().front())});
    if (table.files().size() > 1) page.data = files_in_words(table.files());
    if (!sample) sample = reservoir.sample();
  }
  if (sample && (subjects.size() == 1 ||
                 subjects[0].model.schema().features() == subjects[1].model.schema().features()))
    page.rows = &*sample;
  for (const Subject& subject : subjects) {
    PageModel of{
        .name = file_name(subject.path), .model = subject.model, .words = words_of(subject.model)};
    if (subject.evaluated) {
      of.report = &subject.evaluated->report;
      if (subject.evaluated->uncalibrated)
        of.uncalibrated_log_loss = subject.evaluated->uncalibrated->log_loss;
    }
    page.models.push_back(std::move(of));
  }
  std::string html = report_page(page, context.execution);
  if (parts) {
    std::optional<LiveData> data;
    if (!input.paths.empty()) data = read_live_data(context, input, subjects[0].model);
    const std::size_t used = html.size() + parts->size() + 20'000;  // settings
    page.scripts = live_scripts(context, input, subjects[0].model, decision, data, *parts,
                                live_page_limit - std::min(used, live_page_limit));
    html = report_page(page, context.execution);
  }
  Writer writer(options.output);
  writer.write(html);
  writer.finish();
  if (options.output != "-") context.terminal.note("Wrote " + options.output);
}

}  // namespace suffice::cli
