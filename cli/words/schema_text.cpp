#include "cli/words/schema_text.hpp"

#include <fmt/format.h>

#include <numeric>

#include "cli/output/text.hpp"
#include "data/transform.hpp"

namespace suffice::cli {

std::string classes_text(const Terminal& terminal, const Schema& schema, const Names& labels,
                         const Vector& weights) {
  const double rows = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::string text = fmt::format("{}, {}, {}", counted_rows(rows),
                                 counted(static_cast<double>(labels.size()), "class", "classes"),
                                 counted(static_cast<double>(schema.size()), "feature"));
  if (!schema.label().empty())
    text += fmt::format("; label column '{}'", printable(schema.label()));
  text += "\n\n";
  std::vector<double> shares;
  for (const double weight : weights) shares.push_back(weight / rows);
  const std::vector<std::string> rounded_shares = figures(shares);
  TextTable table({"class", std::string(rows_or_weight(weights)), "share"},
                  {TextTable::Align::left, TextTable::Align::right, TextTable::Align::decimal});
  for (Index c = 0; c < labels.size(); ++c)
    table.add({labels[c], counted(weights[c]), rounded_shares[c]});
  return text + table.render(terminal);
}

std::vector<std::string> transformed_names(const Schema& schema, const Block& block) {
  std::vector<std::string> names;
  for (const Index j : block.features) names.push_back(transformed_name(schema.feature(j)));
  return names;
}

std::string indicators_text(const Schema& schema) {
  std::vector<std::string> references;
  for (Index j = 0; j < schema.column_count(); ++j)
    if (const auto& indicator = schema.reader(j).indicator; schema.has_level_indicators(j))
      references.push_back(printable(indicator->column) + "=" + printable(indicator->reference));
  if (references.empty()) return {};
  return fmt::format(
      "Indicators of levels are 1 or 0, all 0 at {}. Their densities are those of normal numbers, "
      "not probabilities of categories.\n",
      list_for_message(references, 10));
}

}  // namespace suffice::cli
