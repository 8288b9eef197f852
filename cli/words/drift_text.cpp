#include "cli/words/drift_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/output/class_table.hpp"
#include "cli/output/text.hpp"
#include "cli/words/show_tests.hpp"

namespace suffice::cli {
namespace {

constexpr TextTable::Align left_side = TextTable::Align::left, decimals = TextTable::Align::decimal;

std::string verdict_word(bool found, bool flagged) {
  return flagged ? "changed" : found ? "small" : "";
}
std::string verdict_word(const Change& change) {
  return verdict_word(change.found, change.flagged);
}

/// What moved, of a column.
std::string moved(const ColumnDrift& column) {
  std::string text;
  const auto add = [&](const Change& change, const std::string& what) {
    if (change.found) text += (text.empty() ? "" : ", ") + what;
  };
  switch (column.family) {
    case Family::gaussian:
      add(column.mean, "mean " + rounded(column.old_mean) + " → " + rounded(column.new_mean));
      break;
    case Family::bernoulli:
      add(column.mean,
          "share " + rounded(column.old_mean, 3) + " → " + rounded(column.new_mean, 3));
      break;
    case Family::poisson:
    case Family::exponential:
      add(column.mean, "mean " + rounded(column.old_mean) + " → " + rounded(column.new_mean));
      break;
    case Family::categorical:
    case Family::multinomial:
    case Family::text:
      add(column.mean, "shares");
  }
  if (column.spread) add(column.spread_change, "deviation × " + rounded(*column.spread, 3));
  if (column.distance && !column.mean.found) add(column.rank, "shape");
  return text;
}

std::string columns_table(const Context& context, const Drift& drift) {
  std::vector<double> strength;
  for (const ColumnDrift& column : drift.columns) {
    double of = column.auc + (column.flagged ? 2 : column.found ? 1 : 0);
    if (column.distance) of = std::max(of, *column.distance + (column.flagged ? 2.5 : 0.5));
    strength.push_back(of);
  }
  TextTable table({"column", "AUC", "effect", "p", "adjusted", "", "what moved"},
                  {left_side, decimals, decimals, decimals, decimals, left_side, left_side});
  const std::vector<Index> order = largest(strength, context.options.top);
  for (const Index j : order) {
    const ColumnDrift& column = drift.columns[static_cast<std::size_t>(j)];
    table.add({column.name, figure(column.auc, 3), figure(column.effect, 3), p_in_words(column.p),
               p_in_words(column.p_adjusted), verdict_word(column.found, column.flagged),
               moved(column)});
  }
  std::string text = heading(context.terminal, "each column by itself, the worst first") +
                     table.render(context.terminal);
  if (order.size() < drift.columns.size())
    text +=
        fmt::format("{} of {} columns; --top 0 shows all.\n", order.size(), drift.columns.size());
  return text;
}

std::string joint_text(const Context& context, const JointDrift& joint) {
  TextTable table({"", "value", "p"}, {left_side, decimals, decimals});
  table.add({"AUC of the best linear rule", figure(joint.auc), ""});
  table.add({"AUC of the best quadratic rule", figure(joint.auc_quadratic), ""});
  if (joint.d2 > 0) {
    table.add({"D², squared distance of the means", figure(joint.d2), ""});
    table.add({"Hotelling's T²", figure(joint.t2.statistic), p_in_words(joint.t2.p)});
  }
  if (joint.box_m)
    table.add({"Box's M, of the covariances", figure(joint.box_m->m), p_in_words(joint.box_m->p)});
  return heading(context.terminal, "all columns together") + table.render(context.terminal);
}

std::string classes_table(const Context& context, const Drift& drift) {
  const ShareDrift& shares = *drift.classes;
  TextTable table({"class", "old share", "new share", "AUC within", "p", ""},
                  {left_side, decimals, decimals, decimals, decimals, left_side});
  for (Index c = 0; c < drift.labels.size(); ++c) {
    const auto of = std::ranges::find(drift.densities, drift.labels[c], &ClassDrift::label);
    const bool known = of != drift.densities.end();
    table.add({drift.labels[c], figure(shares.old_shares[c], 3), figure(shares.new_shares[c], 3),
               known ? figure(of->auc, 3) : "–", known ? p_in_words(of->change.p) : "–",
               known ? verdict_word(of->change) : ""});
  }
  const std::string verdict = verdict_word(shares.change);
  return heading(context.terminal, "classes") + table.render(context.terminal) +
         fmt::format("The shares differ by {} (total variation), p {}{}.\n",
                     rounded(shares.total_variation, 3), p_in_words(shares.change.p),
                     verdict.empty() ? "" : ": " + verdict);
}

std::string missing_table(const Context& context, const Drift& drift) {
  TextTable table({"column", "old", "new", "p", "adjusted", ""},
                  {left_side, decimals, decimals, decimals, decimals, left_side});
  for (const ShareDrift& of : drift.missing)
    table.add({of.name, figure(of.old_shares[1], 3), figure(of.new_shares[1], 3),
               p_in_words(of.change.p), p_in_words(of.change.p_adjusted), verdict_word(of.change)});
  return heading(context.terminal, "shares of missing values") + table.render(context.terminal);
}

std::string levels_text(const Context& context, const Drift& drift) {
  std::string text = heading(context.terminal, "levels and words");
  for (const LevelDrift& of : drift.levels) {
    if (!of.added.empty())
      text += fmt::format("{}: new {}\n", of.name, list_for_message(of.added, 10));
    if (!of.gone.empty())
      text += fmt::format("{}: gone {}\n", of.name, list_for_message(of.gone, 10));
  }
  return text;
}

std::string correlations_table(const Context& context, const CorrelationDrift& drift) {
  TextTable table({"columns", "old", "new", "p", "adjusted", ""},
                  {left_side, decimals, decimals, decimals, decimals, left_side});
  for (const CorrelationDrift::Pair& pair : drift.pairs)
    if (pair.change.found)
      table.add({pair.a + " – " + pair.b, figure(pair.before, 3), figure(pair.after, 3),
                 p_in_words(pair.change.p), p_in_words(pair.change.p_adjusted),
                 verdict_word(pair.change)});
  return heading(context.terminal, "correlations that moved") + table.render(context.terminal);
}

}  // namespace

std::string drift_verdict(const Drift& drift) {
  const auto rows = counted_rows(drift.old_rows) + " and " + counted_rows(drift.new_rows);
  if (!drift.found) return "No change was found between " + rows + ".";
  const auto flagged = std::ranges::count_if(drift.columns, &ColumnDrift::flagged);
  if (!drift.flagged) return "Changes were found between " + rows + ", too small to matter.";
  std::string what;
  const auto add = [&](bool is_so, const std::string& words) {
    if (is_so) what += (what.empty() ? "" : ", ") + words;
  };
  add(flagged > 0, fmt::format("{} of {}", flagged,
                               counted(static_cast<double>(drift.columns.size()), "column")));
  add(drift.correlations && drift.correlations->flagged, "correlations");
  add(drift.classes && drift.classes->change.flagged, "the shares of the classes");
  add(std::ranges::any_of(drift.densities, [](const auto& of) { return of.change.flagged; }),
      "columns within classes");
  add(std::ranges::any_of(drift.missing, [](const auto& of) { return of.change.flagged; }),
      "missing values");
  if (what.empty()) what = "all columns together";
  return "The data has changed (" + what + ") between " + rows + ".";
}

std::string drift_text(const Context& context, const Drift& drift) {
  std::string text = context.terminal.styled(drift_verdict(drift), Style::bold) + "\n" +
                     columns_table(context, drift);
  if (drift.joint) text += joint_text(context, *drift.joint);
  if (drift.correlations && drift.correlations->found)
    text += correlations_table(context, *drift.correlations);
  if (drift.classes) text += classes_table(context, drift);
  if (!drift.missing.empty()) text += missing_table(context, drift);
  if (!drift.levels.empty()) text += levels_text(context, drift);
  for (const std::string& note : drift.notes) text += "\nNote: " + note + ".\n";
  return text;
}

}  // namespace suffice::cli
