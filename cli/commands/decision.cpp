#include "cli/commands/decision.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/input/table.hpp"
#include "cli/line/suggest.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

std::string list(const Names& labels) {
  constexpr Index at_most = 20;
  std::string text;
  for (Index c = 0; c < std::min(labels.size(), at_most); ++c) text += (c ? ", " : "") + labels[c];
  return labels.size() > at_most ? text + ", …" : text;
}

std::string no_class(const std::string& flag, const std::string& name, const Names& labels) {
  const std::string near = nearest(name, labels.list());
  return flag + ": the model has no class '" + name + "'." +
         (near.empty() ? "" : " Did you mean '" + near + "'?") + " Its classes are " +
         list(labels) + ".";
}

/// A file of a few cells, each line a row: the labels of a matrix are no names of columns.
struct Cells {
  std::vector<std::vector<std::string>> rows;
  std::vector<Place> places;  ///< of each row, for messages
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
      std::vector<std::string>& row = cells.rows.emplace_back();
      for (const TextColumn& column : rows.texts()) {
        const std::string_view text = column[i];
        const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
        row.emplace_back(text.substr(first, text.find_last_not_of(" \t") + 1 - first));
      }
      cells.places.push_back(rows.place(i));
    }
  return cells;
}

/// The costs of a file, read line by line against the classes of the model.
class CostFile {
 public:
  CostFile(const std::string& path, const Names& labels, const Execution& execution)
      : path_(path), labels_(labels), cells_(read_cells(path, execution)) {}

  std::vector<Costs::Entry> entries() const { return is_list() ? from_list() : from_matrix(); }

 private:
  bool is_list() const {
    static constexpr std::string_view headings[] = {"true", "decided", "cost"};
    if (cells_.rows.empty()) return false;
    return std::ranges::equal(
        cells_.rows.front(), headings, [](std::string_view a, std::string_view b) {
          return std::ranges::equal(a, b, [](char x, char y) {
            return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
          });
        });
  }

  std::vector<Costs::Entry> from_list() const {
    std::vector<Costs::Entry> entries;
    for (std::size_t i = 1; i < cells_.rows.size(); ++i) {
      const std::vector<std::string>& row = cells_.rows[i];
      entries.push_back({known(row[0], i), known(row[1], i), cost(row[2], i)});
    }
    return entries;
  }

  std::vector<Costs::Entry> from_matrix() const {
    const std::size_t classes = static_cast<std::size_t>(labels_.size());
    if (cells_.rows.size() != classes + 1 || cells_.rows.front().size() != classes + 1)
      fail("it has " + std::to_string(cells_.rows.size()) + " lines of " +
           std::to_string(cells_.rows.empty() ? 0 : cells_.rows.front().size()) +
           " cells. Costs are a matrix whose first line and first column have the " +
           std::to_string(classes) +
           " labels (true × decided), or three columns with the line true,decided,cost");
    std::vector<Costs::Entry> entries;
    for (std::size_t i = 1; i < cells_.rows.size(); ++i)
      for (std::size_t j = 1; j < cells_.rows[i].size(); ++j)
        entries.push_back(
            {known(cells_.rows[i][0], i), known(cells_.rows[0][j], 0), cost(cells_.rows[i][j], i)});
    return entries;
  }

  const std::string& known(const std::string& name, std::size_t line) const {
    if (!labels_.find(name))
      throw FileError(cells_.places[line], no_class("--cost", name, labels_));
    return name;
  }
  double cost(const std::string& text, std::size_t line) const {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stopped != end || !std::isfinite(value))
      throw FileError(cells_.places[line], "the cost '" + text + "' is not a finite number");
    return value;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw FileError({.path = path_}, "--cost '" + path_ + "': " + what);
  }

  const std::string& path_;
  const Names& labels_;
  Cells cells_;
};

/// A pair of names that the model knows. Names may have a '>' themselves: where the first one does
/// not tell them apart, another may.
Costs::Entry resolved(const Costs::Entry& entry, const Names& labels) {
  const std::string both = entry.truth + ">" + entry.decided;
  for (std::size_t at = both.find('>'); at != std::string::npos; at = both.find('>', at + 1)) {
    const std::string truth = both.substr(0, at), decided = both.substr(at + 1);
    if (labels.find(truth) && labels.find(decided)) return {truth, decided, entry.cost};
  }
  throw InvalidArgument(
      no_class("--cost", labels.find(entry.truth) ? entry.decided : entry.truth, labels));
}

}  // namespace

std::optional<Costs> costs_for(const CostOption& option, const Names& labels,
                               const Execution& execution) {
  if (!option.is_given()) return std::nullopt;
  if (!option.file.empty())
    return Costs(labels, CostFile(option.file, labels, execution).entries());
  std::vector<Costs::Entry> entries;
  for (const Costs::Entry& entry : option.entries) entries.push_back(resolved(entry, labels));
  return Costs(labels, entries);
}

Priors priors_for(const PriorOption& option, const Model& model) {
  const std::optional<Priors> priors = priors_for(option, model.labels());
  return priors ? *priors : Priors::from_counts(model);
}

std::optional<Priors> priors_for(const PriorOption& option, const Names& labels) {
  if (option.kind == PriorOption::Kind::train) return std::nullopt;
  if (option.kind == PriorOption::Kind::uniform) return Priors::uniform(labels);
  std::vector<std::string> absent = labels.list();
  double sum = 0;
  for (const auto& [name, probability] : option.given) {
    if (!labels.find(name)) throw InvalidArgument(no_class("--prior", name, labels));
    std::erase(absent, name);
    sum += probability;
  }
  if (!absent.empty())
    throw InvalidArgument("--prior leaves out " + list_for_message(absent),
                          "give a prior for each of " + list(labels) + " (0 rules a class out)");
  if (!(std::abs(sum - 1) <= 1e-9))
    throw InvalidArgument("--prior: the priors sum to " + name_of(sum), "they must sum to 1");
  return Priors(labels, option.given);
}

Decision decision_for(const DecisionOptions& options, const Model& model,
                      const Execution& execution) {
  return {.priors = priors_for(options.prior, model),
          .costs = costs_for(options.cost, model.labels(), execution),
          .reject = options.reject,
          .outlier = options.outlier};
}

}  // namespace suffice::cli
