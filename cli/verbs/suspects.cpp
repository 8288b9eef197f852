#include "suffice/suspects/suspects.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/line/contradictions.hpp"
#include "cli/line/error.hpp"
#include "cli/line/fail.hpp"
#include "cli/output/json.hpp"
#include "cli/output/row_writer.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/files.hpp"
#include "cli/verbs/fit_wishes.hpp"
#include "cli/verbs/table_rows.hpp"
#include "cli/words/reasons.hpp"
#include "cli/words/show_remarks.hpp"
#include "core/parallel.hpp"
#include "suffice/evidence/evidence.hpp"

namespace suffice::cli {
namespace {

Index reasons_wanted(const Options& options) { return options.evidence.reasons.value_or(3); }

/// A row that is written.
struct Line {
  Suspect suspect;
  std::vector<std::optional<std::string>> kept = {};
  std::string reasons = {};
};

struct Judged {
  const SuspectFinder& finder;
  const std::vector<std::string>& files;
  double unlabelled_rows = 0;
  Index flagged = 0;
  std::vector<Line> lines = {};  ///< unless they are written at once
};

/// Makes lines of judged rows.
class Lines {
 public:
  Lines(const Context& context, const TableRows& table, const SuspectFinder& finder)
      : context_(context),
        table_(table),
        model_(finder.model()),
        count_(reasons_wanted(context.options)),
        scorer_(model_, {.seed = context.options.seed}) {}

  std::vector<Line> of(Index first, const std::vector<Suspicion>& found) {
    const Rows& rows = table_.at_hand();
    std::vector<Line> lines;
    std::vector<std::uint8_t> flagged(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      flagged[i] = found[i].flagged;
      if (!found[i].flagged && !context_.options.all_rows) continue;
      const Index row = static_cast<Index>(i);
      lines.push_back({{first + row, found[i]}, kept(rows, row)});
    }
    if (count_ > 0 && std::ranges::count(flagged, 1) > 0) add_reasons(lines, rows, flagged);
    return lines;
  }

 private:
  void add_reasons(std::vector<Line>& lines, Rows rows, const std::vector<std::uint8_t>& flagged) {
    rows.keep_only(flagged);
    Contrast contrast;
    for (const Line& line : lines)
      if (line.suspect.found.flagged) {
        contrast.of.push_back(line.suspect.found.looks_like);
        contrast.against.push_back(line.suspect.found.label);
      }
    const Evidence evidence =
        scorer_(view(table_.plan(), rows), std::move(contrast), context_.execution);
    Index next = 0;
    for (Line& line : lines)
      if (line.suspect.found.flagged)
        line.reasons = reasons(evidence, {model_.schema(), table_.plan(), rows}, next++, count_);
  }

  std::vector<std::optional<std::string>> kept(const Rows& rows, Index i) const {
    std::vector<std::optional<std::string>> cells;
    for (const auto& [name, target] : table_.plan().kept) {
      std::optional<std::string>& cell = cells.emplace_back();
      if (target.kind == Target::Kind::number) {
        if (const double value = rows.numbers(i)[target.slot]; !std::isnan(value))
          cell = exact(value);
      } else if (const TextColumn& texts = rows.texts()[static_cast<std::size_t>(target.slot)];
                 !texts.is_missing(i)) {
        cell = std::string(texts[i]);
      }
    }
    return cells;
  }

  const Context& context_;
  const TableRows& table_;
  const Model& model_;
  Index count_;
  EvidenceScorer scorer_;
};

std::vector<RowColumn> columns_of(const Context& context, const Plan& plan) {
  std::vector<RowColumn> answers = {{"row"},
                                    {.name = "label", .is_text = true},
                                    {.name = "looks_like", .is_text = true},
                                    {"probability"},
                                    {"score"},
                                    {.name = "flagged", .is_text = true}};
  if (reasons_wanted(context.options) > 0) answers.push_back({.name = "reasons", .is_text = true});
  std::vector<RowColumn> all;
  for (const auto& [name, target] : plan.kept) {
    if (std::ranges::find(answers, name, &RowColumn::name) != answers.end())
      throw InvalidArgument("--keep: the answers have a column '" + name + "', too",
                            "rename it in the table");
    all.push_back({.name = name, .is_text = target.kind != Target::Kind::number});
  }
  all.insert(all.end(), answers.begin(), answers.end());
  return all;
}

void write(const Context& context, const std::vector<Line>& lines, const Names& labels,
           const Plan& plan, RowWriter& writer, Workers& workers) {
  const int digits = context.options.digits.value_or(6);
  writer.write(
      std::ssize(lines),
      [&](Index k, CellSink& cells) {
        const Line& line = lines[static_cast<std::size_t>(k)];
        const Suspicion& of = line.suspect.found;
        for (std::size_t j = 0; j < line.kept.size(); ++j) {
          if (!line.kept[j])
            cells.add_nothing();
          else if (plan.kept[j].second.kind == Target::Kind::number)
            cells.add(std::stod(*line.kept[j]));
          else
            cells.add(*line.kept[j]);
        }
        cells.add(static_cast<double>(line.suspect.row + 1));
        if (of.label < 0)
          cells.add_nothing();
        else
          cells.add(labels[of.label]);
        cells.add(labels[of.looks_like]);
        cells.add(of.probability, digits);
        if (of.label < 0)
          cells.add_nothing();
        else
          cells.add(of.score, digits);
        cells.add(of.flagged ? "true" : "false");
        if (reasons_wanted(context.options) > 0) cells.add(line.reasons);
      },
      workers);
}

Json line_json(const Context& context, const Line& line, const Names& labels, const Plan& plan) {
  const Suspicion& of = line.suspect.found;
  Json json = Json::object();
  for (std::size_t j = 0; j < line.kept.size(); ++j)
    json[plan.kept[j].first] = line.kept[j] ? Json(*line.kept[j]) : Json(nullptr);
  json["row"] = line.suspect.row + 1;
  json["label"] = of.label < 0 ? Json(nullptr) : Json(labels[of.label]);
  json["looks_like"] = labels[of.looks_like];
  json["probability"] = to_json(of.probability);
  json["score"] = of.label < 0 ? Json(nullptr) : to_json(of.score);
  json["flagged"] = of.flagged;
  if (reasons_wanted(context.options) > 0) json["reasons"] = line.reasons;
  return json;
}

std::string summary_text(const Context& context, const Judged& judged, const Plan& plan) {
  using enum TextTable::Align;
  constexpr std::size_t most_lines = 20;
  const Terminal& terminal = context.terminal;
  const Options& options = context.options;
  const Names& labels = judged.finder.model().labels();
  const auto rows = static_cast<double>(judged.finder.rows());
  std::string text =
      terminal.styled(counted(static_cast<double>(judged.flagged), "label") + " of " +
                          counted_rows(rows) + " of " + files_in_words(judged.files) +
                          (judged.flagged == 1 ? " is suspect" : " are suspect"),
                      Style::bold) +
      "\n";
  if (judged.unlabelled_rows > 0)
    text += counted(judged.unlabelled_rows, "row") + " without a label left out\n";
  if (const Index taken = judged.finder.subtracted(); taken > 0)
    text += "Judged by the model without the " +
            (taken == 1 ? std::string("strongest one")
                        : counted(static_cast<double>(taken)) + " strongest of them") +
            "\n";
  if (judged.flagged == 0 || judged.lines.empty()) return text;
  std::vector<std::string> headings;
  std::vector<TextTable::Align> align(plan.kept.size(), left);
  for (const auto& [name, target] : plan.kept) headings.push_back(name);
  for (const char* heading : {"row", "label", "looks like", "probability"})
    headings.emplace_back(heading);
  align.insert(align.end(), {right, left, left, decimal});
  if (reasons_wanted(options) > 0) {
    headings.emplace_back("reasons");
    align.push_back(left);
  }
  TextTable table(headings, align);
  std::size_t shown = 0;
  for (const Line& line : judged.lines) {
    const Suspicion& of = line.suspect.found;
    if (!of.flagged) continue;
    if (shown == most_lines) break;
    ++shown;
    std::vector<std::string> cells;
    for (const auto& cell : line.kept) cells.push_back(cell.value_or(""));
    cells.insert(cells.end(), {std::to_string(line.suspect.row + 1), labels[of.label],
                               labels[of.looks_like], figure(of.probability)});
    if (reasons_wanted(options) > 0) cells.push_back(line.reasons);
    table.add(std::move(cells));
  }
  text += "\n" + table.render(terminal);
  const auto more = static_cast<std::size_t>(judged.flagged) - shown;
  if (more > 0)
    text += "and " + counted(static_cast<double>(more)) + " more" +
            (options.output == "-" ? "; -o FILE writes them" : "") + "\n";
  return text;
}

Json summary_json(const Context& context, const Judged& judged, const Plan& plan) {
  const Names& labels = judged.finder.model().labels();
  Json json = {{"rows", judged.finder.rows()},
               {"unlabelled_rows", to_json(judged.unlabelled_rows)},
               {"labels", to_json(labels)},
               {"flagged", judged.flagged},
               {"subtracted", judged.finder.subtracted()},
               {"suspects", Json::array()},
               {"warnings", context.terminal.warnings()}};
  for (const Line& line : judged.lines)
    json["suspects"].push_back(line_json(context, line, labels, plan));
  if (context.options.output != "-") json["output"] = context.options.output;
  return json;
}

void sort_lines(std::vector<Line>& lines) {
  std::ranges::sort(lines,
                    [](const Line& a, const Line& b) { return is_worse(a.suspect, b.suspect); });
}

}  // namespace

void check_suspects(const Command& command) {
  require_label(command);
  if (count_statistics(command) > 0)
    throw UsageError("suspects are rows, and a .stats file has only their sums",
                     "give it the tables");
}

void find_suspects(const Context& context) {
  const Options& options = context.options;
  Terminal& terminal = context.terminal;
  const bool to_file = options.output != "-";
  TableRows table(context);
  const std::vector<RowColumn> columns = columns_of(context, table.plan());
  FitOptions wanted = fit_options(options, &table.schema());
  wanted.progress = [&](std::string_view what, double done) {
    terminal.progress(what, {.share = done});
  };
  const SuspectFinder finder(table, {.fit = std::move(wanted)}, context.execution);
  show_remarks(finder.remarks(), terminal);
  show_notes(finder.notes(), terminal);

  Judged judged{finder, table.files()};
  judged.unlabelled_rows = static_cast<double>(finder.unlabelled_rows());
  // All rows go by in their order; suspects are sorted first.
  const bool at_once = to_file && options.all_rows && !options.json;
  std::optional<RowWriter> writer;
  if (to_file) writer.emplace(options.output, row_format_of(options.output), columns);
  Workers workers(context.execution, 64);
  Lines lines(context, table, finder);
  const Names& labels = finder.model().labels();
  finder.read(
      [&](const RowBlock&, Index first, const std::vector<Suspicion>& found) {
        std::vector<Line> more = lines.of(first, found);
        judged.flagged += std::ranges::count_if(found, &Suspicion::flagged);
        if (at_once) write(context, more, labels, table.plan(), *writer, workers);
        for (Line& line : more)
          if (!at_once || line.suspect.found.flagged) judged.lines.push_back(std::move(line));
      },
      context.execution);
  if (!options.all_rows) sort_lines(judged.lines);
  if (writer) {
    if (!at_once) write(context, judged.lines, labels, table.plan(), *writer, workers);
    writer->finish();
  }
  if (!options.json && options.all_rows) sort_lines(judged.lines);
  if (options.json) {
    terminal.print(dump(summary_json(context, judged, table.plan())));
  } else if (!options.quiet) {
    std::string text = summary_text(context, judged, table.plan());
    if (to_file) text += "Wrote " + options.output + "\n";
    terminal.print(text);
  }
}

}  // namespace suffice::cli
