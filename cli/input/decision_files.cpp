#include "cli/input/decision_files.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "cli/input/table.hpp"
#include "cli/line/suggest.hpp"
#include "cli/readers/bytes.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

using Line = std::vector<std::string>;

/// A file of a few cells, each line a row: the classes of a matrix are no names of columns.
struct Cells {
  std::vector<Line> lines;
  std::vector<Place> places;  ///< of each line, for messages

  std::size_t width() const { return lines.empty() ? 0 : lines.front().size(); }
};

Cells read_cells(const std::string& path, const Execution& execution) {
  InputOptions input;
  input.paths = {path};
  input.header = false;
  Table table(input, execution);
  Table::Selection selection;
  for (const SourceColumn& column : table.columns())
    selection.targets.emplace_back(column.name,
                                   Target{Target::Kind::text, selection.layout.texts++});
  table.select(std::move(selection));
  Cells cells;
  for (Rows rows = table.make_rows(); table.next(rows);)
    for (Index i = 0; i < rows.size(); ++i) {
      Line& line = cells.lines.emplace_back();
      for (const TextColumn& column : rows.texts()) {
        const std::string_view text = column[i];
        const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
        line.emplace_back(text.substr(first, text.find_last_not_of(" \t") + 1 - first));
      }
      cells.places.push_back(rows.place(i));
    }
  if (cells.lines.empty()) throw FileError({.path = path}, called(path) + " is empty");
  return cells;
}

std::optional<double> finite_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stopped != end || !std::isfinite(value))
    return std::nullopt;
  return value;
}

bool is_number(const std::string& text) { return finite_number(text).has_value(); }

double number_in(const std::string& text, const Place& place, std::string_view what) {
  if (const std::optional<double> value = finite_number(text)) return *value;
  throw FileError(place, "the " + std::string(what) + " '" + text + "' is not a finite number");
}

/// The index that R and pandas write is a first column without a name.
void drop_index(Cells& cells, std::size_t width) {
  if (cells.width() != width + 1 || !cells.lines.front().front().empty()) return;
  for (Line& line : cells.lines) line.erase(line.begin());
}

const std::string& known_class(const std::string& name, const Names& labels, const Place& place) {
  try {
    require_class(name, labels);
  } catch (const InvalidArgument& error) {
    throw FileError(place, error.sentence(), error.advice());
  }
  return name;
}

/// Whether a prefix stands apart from what follows: "decided:good", "p_good", but not "nongood".
bool stands_apart(std::string_view prefix) {
  if (prefix.empty()) return true;
  const auto last = static_cast<unsigned char>(prefix.back());
  return last < 128 && !((last >= '0' && last <= '9') || (last >= 'a' && last <= 'z') ||
                         (last >= 'A' && last <= 'Z'));
}

/// The classes that some cells name, each another one, without the prefix that all have in common;
/// nothing where they name none.
std::optional<Line> named_classes(std::span<const std::string> cells, const Names& labels) {
  for (std::size_t size = 0; !cells.empty() && size < cells.front().size(); ++size) {
    const std::string_view prefix(cells.front().data(), size);
    if (!stands_apart(prefix)) continue;
    Line names;
    for (const std::string& cell : cells) {
      if (!cell.starts_with(prefix)) break;
      std::string name = cell.substr(size);
      if (!labels.find(name) || std::ranges::find(names, name) != names.end()) break;
      names.push_back(std::move(name));
    }
    if (names.size() == cells.size()) return names;
  }
  return std::nullopt;
}

// --- JSON ---

using Json = nlohmann::ordered_json;

bool is_json(const std::string& path) { return path.ends_with(".json"); }

Json read_json(const std::string& path, const Execution& execution) {
  const std::unique_ptr<Bytes> bytes = open_bytes(path, execution.stop);
  std::string text;
  constexpr std::size_t step = 1 << 16, most = 1 << 26;
  for (std::size_t had = 0;; had = text.size()) {
    text.resize(had + step);
    text.resize(had + bytes->read(text.data() + had, step));
    if (text.size() < had + step) break;
    if (text.size() > most)
      throw FileError({.path = path}, called(path) + " is too large for a few numbers");
  }
  try {
    return Json::parse(text);
  } catch (const Json::exception&) {
    throw FileError({.path = path}, called(path) + " is not valid JSON");
  }
}

double number_in_json(const Json& value, const std::string& path, const std::string& of) {
  if (value.is_number() && std::isfinite(value.get<double>())) return value.get<double>();
  throw FileError({.path = path}, called(path) + ": the value of '" + of + "' is " + value.dump() +
                                      ", not a number");
}

// --- priors ---

std::vector<std::pair<std::string, double>> priors_in_json(const std::string& path,
                                                           const Names& labels,
                                                           const Execution& execution) {
  const Json json = read_json(path, execution);
  if (!json.is_object())
    throw FileError({.path = path}, called(path) + " does not hold a JSON object",
                    "priors are written as {\"" + labels[0] + "\": 0.5, …}");
  std::vector<std::pair<std::string, double>> priors;
  for (const auto& [name, value] : json.items())
    priors.emplace_back(known_class(name, labels, {.path = path}),
                        number_in_json(value, path, name));
  return priors;
}

std::vector<std::pair<std::string, double>> priors_in_cells(const std::string& path, Cells cells,
                                                            const Names& labels) {
  std::vector<std::pair<std::string, double>> priors;
  const Line& first = cells.lines.front();
  const auto are_numbers = [](const Line& line) { return std::ranges::all_of(line, is_number); };
  if (std::ssize(first) == labels.size() && cells.lines.size() == 2 &&
      are_numbers(cells.lines[1])) {
    if (const std::optional<Line> names = named_classes(first, labels)) {
      for (std::size_t c = 0; c < names->size(); ++c)
        priors.emplace_back((*names)[c], *finite_number(cells.lines[1][c]));
      return priors;
    }
  }
  drop_index(cells, 2);
  if (cells.width() != 2)
    throw FileError({.path = path},
                    called(path) + " has " + std::to_string(cells.width()) + " columns",
                    "priors are two columns, class and prior, or a line of classes and a line of "
                    "numbers");
  // A header is a first line without a number. The numbers may stand first.
  const std::size_t begin =
      is_number(cells.lines.front()[0]) || is_number(cells.lines.front()[1]) ? 0 : 1;
  const auto all_are_classes = [&](std::size_t column) {
    return std::all_of(cells.lines.begin() + static_cast<std::ptrdiff_t>(begin), cells.lines.end(),
                       [&](const Line& line) { return labels.find(line[column]).has_value(); });
  };
  const std::size_t name = !all_are_classes(0) && all_are_classes(1) ? 1 : 0;
  for (std::size_t i = begin; i < cells.lines.size(); ++i)
    priors.emplace_back(known_class(cells.lines[i][name], labels, cells.places[i]),
                        number_in(cells.lines[i][1 - name], cells.places[i], "prior"));
  return priors;
}

// --- costs ---

class CostCells {
 public:
  CostCells(const std::string& path, const Names& labels, Cells cells)
      : path_(path), labels_(labels), cells_(std::move(cells)) {}

  std::vector<Costs::Entry> entries() {
    const auto classes = static_cast<std::size_t>(labels_.size());
    if (is_list()) return from_list();
    const std::size_t lines = cells_.lines.size(), width = cells_.width();
    if (lines == classes && width == classes)
      return from_matrix(labels_.list(), labels_.list(), 0, 0);
    if (lines != classes + 1 || width < classes || width > classes + 1)
      throw FileError({.path = path_},
                      called(path_) + " has " + std::to_string(lines) + " lines of " +
                          std::to_string(width) + " cells",
                      "costs are a matrix whose first line and first column have the " +
                          std::to_string(classes) +
                          " classes (true × decided), or three columns: true,decided,cost");
    const Line decided = names_of_line();
    if (width == classes) return from_matrix(decided, decided, 1, 0);
    return from_matrix(names_of_column(), decided, 1, 1);
  }

 private:
  std::span<const std::string> heading() const {
    const std::span<const std::string> first(cells_.lines.front());
    return first.last(std::min(static_cast<std::size_t>(labels_.size()), first.size()));
  }

  /// Three columns, of which the second has classes below a line that names none.
  bool is_list() {
    if (named_classes(heading(), labels_) && cells_.width() >= heading().size() &&
        std::ssize(heading()) == labels_.size())
      return false;
    Cells plain = cells_;
    drop_index(plain, 3);
    if (plain.width() != 3 || is_number(plain.lines.front()[2])) return false;
    const bool has_classes =
        plain.lines.size() > 1 &&
        (!is_number(plain.lines[1][1]) || labels_.find(plain.lines[1][1]).has_value());
    if (has_classes) cells_ = std::move(plain);
    return has_classes;
  }

  std::vector<Costs::Entry> from_list() const {
    std::vector<Costs::Entry> entries;
    for (std::size_t i = 1; i < cells_.lines.size(); ++i) {
      const Line& line = cells_.lines[i];
      const Place& place = cells_.places[i];
      entries.push_back({known_class(line[0], labels_, place), known_class(line[1], labels_, place),
                         number_in(line[2], place, "cost")});
    }
    return entries;
  }

  Line names_of_line() const {
    if (const std::optional<Line> names = named_classes(heading(), labels_)) return *names;
    for (const std::string& cell : heading()) known_class(cell, labels_, cells_.places.front());
    throw FileError(cells_.places.front(), "the first line names a class twice",
                    "it must name each of " + list_of_classes(labels_));
  }
  Line names_of_column() const {
    Line column;
    for (std::size_t i = 1; i < cells_.lines.size(); ++i) column.push_back(cells_.lines[i][0]);
    if (const std::optional<Line> names = named_classes(column, labels_)) return *names;
    for (std::size_t i = 0; i < column.size(); ++i)
      known_class(column[i], labels_, cells_.places[i + 1]);
    throw FileError({.path = path_},
                    "the first column of " + called(path_) + " names a class twice",
                    "it must name each of " + list_of_classes(labels_));
  }

  std::vector<Costs::Entry> from_matrix(const Line& truths, const Line& decided,
                                        std::size_t first_line, std::size_t first_cell) const {
    std::vector<Costs::Entry> entries;
    for (std::size_t i = 0; i < truths.size(); ++i)
      for (std::size_t j = 0; j < decided.size(); ++j)
        entries.push_back({truths[i], decided[j],
                           number_in(cells_.lines[first_line + i][first_cell + j],
                                     cells_.places[first_line + i], "cost")});
    return entries;
  }

  const std::string& path_;
  const Names& labels_;
  Cells cells_;
};

std::vector<Costs::Entry> costs_in_json(const std::string& path, const Names& labels,
                                        const Execution& execution) {
  const Json json = read_json(path, execution);
  std::vector<Costs::Entry> entries;
  const auto fail = [&] {
    throw FileError({.path = path}, called(path) + " does not hold a JSON object of objects",
                    "costs are written as {\"true class\": {\"decided class\": 5}}");
  };
  if (!json.is_object()) fail();
  for (const auto& [truth, row] : json.items()) {
    if (!row.is_object()) fail();
    for (const auto& [decided, cost] : row.items())
      entries.push_back({known_class(truth, labels, {.path = path}),
                         known_class(decided, labels, {.path = path}),
                         number_in_json(cost, path, decided)});
  }
  return entries;
}

}  // namespace

std::string list_of_classes(const Names& labels) {
  constexpr Index at_most = 20;
  std::string text;
  for (Index c = 0; c < std::min(labels.size(), at_most); ++c) text += (c ? ", " : "") + labels[c];
  return labels.size() > at_most ? text + ", …" : text;
}

void require_class(const std::string& name, const Names& labels) {
  if (labels.find(name)) return;
  const std::string near = nearest(name, labels.list());
  throw InvalidArgument("the model has no class '" + name + "'." +
                        (near.empty() ? "" : " Did you mean '" + near + "'?") +
                        " Its classes are " + list_of_classes(labels) + ".");
}

std::vector<std::pair<std::string, double>> read_prior_file(const std::string& path,
                                                            const Names& labels,
                                                            const Execution& execution) {
  const auto priors = is_json(path) ? priors_in_json(path, labels, execution)
                                    : priors_in_cells(path, read_cells(path, execution), labels);
  std::vector<std::string> absent = labels.list();
  for (const auto& [name, weight] : priors) {
    if (std::erase(absent, name) == 0)
      throw FileError({.path = path}, called(path) + " names class '" + name + "' twice");
    if (weight < 0)
      throw FileError({.path = path}, called(path) + ": the prior of class '" + name +
                                          "' is negative: " + name_of(weight));
  }
  if (!absent.empty())
    throw FileError({.path = path}, called(path) + " leaves out " + list_for_message(absent),
                    "it must have a prior for each class (0 rules a class out)");
  return priors;
}

std::vector<Costs::Entry> read_cost_file(const std::string& path, const Names& labels,
                                         const Execution& execution) {
  if (is_json(path)) return costs_in_json(path, labels, execution);
  return CostCells(path, labels, read_cells(path, execution)).entries();
}

}  // namespace suffice::cli
