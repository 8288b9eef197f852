#include "cli/commands/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/commands/files.hpp"
#include "cli/output/text.hpp"
#include "suffice/io/file.hpp"

namespace suffice::cli {

ClassTable::ClassTable(std::vector<std::string> headings, const Names& labels)
    : headings_(std::move(headings)), labels_(labels.list()) {}

void ClassTable::add(std::vector<std::string> heads, std::vector<std::string> cells) {
  heads_.push_back(std::move(heads));
  cells_.push_back(std::move(cells));
}

std::string ClassTable::render(const Terminal& terminal) const {
  constexpr std::size_t gap = 2;
  const auto widest = [&](const std::string& top, const auto& rows, std::size_t column) {
    std::size_t width = characters(top);
    for (const auto& row : rows) width = std::max(width, characters(row[column]));
    return width + gap;
  };
  std::size_t left = 0;
  for (std::size_t j = 0; j < headings_.size(); ++j) left += widest(headings_[j], heads_, j);
  const auto room = static_cast<std::size_t>(terminal.width()) + gap;

  std::string text;
  for (std::size_t first = 0; first < labels_.size();) {
    std::vector<std::string> names = headings_;
    std::vector<TextTable::Align> align(headings_.size(), TextTable::Align::left);
    std::size_t last = first, used = left;
    while (last < labels_.size()) {
      used += widest(labels_[last], cells_, last);
      if (last > first && used > room) break;
      names.push_back(labels_[last++]);
      align.push_back(TextTable::Align::right);
    }
    TextTable table(names, align);
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      std::vector<std::string> row = heads_[i];
      row.insert(row.end(), cells_[i].begin() + static_cast<std::ptrdiff_t>(first),
                 cells_[i].begin() + static_cast<std::ptrdiff_t>(last));
      table.add(std::move(row));
    }
    if (first > 0) text += '\n';
    text += table.render(terminal);
    first = last;
  }
  return text;
}

std::vector<std::string> transformed_names(const Schema& schema, const Block& block) {
  std::vector<std::string> names;
  for (const Index j : block.features) {
    const Feature& feature = schema.feature(j);
    names.push_back(feature.transform == Transform::none
                        ? feature.name
                        : fmt::format("{}({})", to_string(feature.transform), feature.name));
  }
  return names;
}

std::string heading(const Terminal& terminal, std::string_view text) {
  return '\n' + terminal.styled(text, Style::bold) + '\n';
}

std::string classes_text(const Terminal& terminal, const Schema& schema, const Names& labels,
                         const Vector& weights) {
  const double rows = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::string text = fmt::format("{}, {}, {}", counted(rows, "row"),
                                 counted(static_cast<double>(labels.size()), "class", "classes"),
                                 counted(static_cast<double>(schema.size()), "feature"));
  if (!schema.label().empty())
    text += fmt::format("; label column '{}'", printable(schema.label()));
  text += "\n\n";
  TextTable table({"class", "rows", "share"},
                  {TextTable::Align::left, TextTable::Align::right, TextTable::Align::right});
  for (Index c = 0; c < labels.size(); ++c)
    table.add({labels[c], counted(weights[c]), rows > 0 ? rounded(weights[c] / rows) : "-"});
  return text + table.render(terminal);
}

std::vector<Index> largest(const std::vector<double>& values, std::int64_t top) {
  std::vector<Index> order(values.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    if (std::isnan(values[a]) || std::isnan(values[b]))
      return !std::isnan(values[a]) && std::isnan(values[b]);
    return values[a] > values[b];
  });
  if (top > 0 && top < std::ssize(order)) order.resize(static_cast<std::size_t>(top));
  return order;
}

void show(const Context& context) {
  const Options& options = context.options;
  const std::string& path = options.model;
  if (kind_of(path, "a model or statistics") == FileKind::model) {
    const Model model = load_model(path);
    if (options.json) {
      context.terminal.print(dump(model_json(model, options.discriminant)));
      return;
    }
    std::string text = model_text(context, model);
    if (options.discriminant) text += discriminant_text(context, model);
    context.terminal.print(text);
    return;
  }
  if (options.discriminant)
    throw FileError(fmt::format("'{0}' has statistics, and only a model has a discriminant; "
                                "suffice fit {0} -o model.suffice makes one of them",
                                path),
                    path);
  const Statistics statistics = load_statistics(path);
  context.terminal.print(options.json ? dump(statistics_json(statistics))
                                      : statistics_text(context, statistics));
}

}  // namespace suffice::cli
