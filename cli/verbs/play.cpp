#include <filesystem>
#include <string>
#include <vector>

#include "cli/input/table.hpp"
#include "cli/output/row_text.hpp"
#include "cli/output/text.hpp"
#include "cli/output/writer.hpp"
#include "cli/verbs/files.hpp"
#include "cli/words/web_page.hpp"

namespace suffice::cli {
namespace {

/// All cells of a table as CSV, as they are written in its files.
std::string table_as_csv(Table& table) {
  Table::Selection selection;
  std::vector<std::string> names;
  for (const SourceColumn& column : table.columns()) {
    names.push_back(column.name);
    selection.targets.emplace_back(column.name,
                                   Target{Target::Kind::text, selection.layout.texts++});
  }
  table.select(std::move(selection));
  std::string csv = beginning_of_rows(TextFormat{}, names);
  RowText row(TextFormat{}, csv);
  for (Rows rows = table.make_rows(); table.next(rows);)
    for (Index i = 0; i < rows.size(); ++i) {
      row.begin_row(false);
      for (const TextColumn& column : rows.texts())
        column.is_missing(i) ? row.add_nothing() : row.add(column[i]);
      row.end_row();
    }
  return csv;
}

}  // namespace

void play(const Context& context) {
  const Options& options = context.options;
  const WebParts parts;
  Json settings{{"kind", "play"}, {"data", ""}};
  std::string files;
  if (!options.input.paths.empty()) {
    Table table(options.input, context.execution);
    require_not_an_input(table.files(), options.output);
    files = page_file("table", table_as_csv(table));
    const std::string& path = table.files().front();
    if (files.size() + parts.size() > live_page_limit)
      throw FileError({.path = path}, "'" + path + "' is too large for a page",
                      "give a sample of its rows, or open the file in the page");
    std::string name = std::filesystem::path(path).stem().string();
    if (name.ends_with(".csv") || name.ends_with(".tsv")) name.resize(name.size() - 4);
    settings["data"] = name + ".csv";
  }
  Writer writer(options.output);
  writer.write(script_page("Suffice: a page to play with",
                           "This page runs the engine in your browser. It needs scripts and "
                           "WebAssembly, which are blocked or missing here.",
                           parts.scripts(settings, files)));
  writer.finish();
  if (options.output != "-") context.terminal.note("Wrote " + options.output);
}

}  // namespace suffice::cli
