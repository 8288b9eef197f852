#include "cli/words/show_logistic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/output/class_table.hpp"
#include "cli/output/text.hpp"

namespace suffice::cli {
namespace {

std::string form_in_words(const Model& model) {
  std::string text = "linear";
  for (const Density& density : model.densities()) {
    const auto* gaussian = std::get_if<GaussianDensity>(&density);
    if (!gaussian || is_tied(gaussian->structure)) continue;
    text = gaussian->structure == Covariance::full ? "numbers, their squares and products"
                                                   : "numbers and their squares";
  }
  return text;
}

/// "1.23 ± 0.40, z 3.1"; the weight alone where there is no error.
std::string weight_with_error(double weight, double error) {
  if (!(error > 0)) return figure(weight, 3);
  return with_deviation(weight, error) + ", z " + rounded(weight / error, 3);
}

}  // namespace

std::string logistic_in_words(const Model& model) {
  if (!model.logistic()) return {};
  const EstimateFound& found = model.parts().found;
  std::string text =
      fmt::format("Logistic regression ({}): {}", form_in_words(model),
                  counted(static_cast<double>(model.logistic()->center.size()), "term"));
  if (!found.weight_penalty.empty())
    text += fmt::format(", penalty {}", rounded(found.weight_penalty[0], 3));
  if (!found.penalty_log_loss.empty())
    text += fmt::format(" (auto, by folds: log-loss {})", rounded(found.penalty_log_loss[0]));
  text += "\n";
  if (!found.filled_values.empty())
    text += fmt::format("{} filled in with what the classes' densities expect\n",
                        counted(found.filled_values[0], "missing value"));
  if (!found.separable.empty())
    text +=
        "Some classes are told apart without error: the weights have no finite maximum of the "
        "likelihood\n";
  return text;
}

std::string logistic_text(const Context& context, const Model& model) {
  const Logistic& twin = *model.logistic();
  const std::vector<LogisticTerm> terms = logistic_terms(model);
  const Vector intercept = intercept_at_zero(twin);
  const bool two = model.labels().size() == 2 && model.weights()[0] > 0 && model.weights()[1] > 0;
  // What a term adds where it is a standard deviation from its mean.
  std::vector<double> effect(terms.size());
  for (std::size_t t = 0; t < terms.size(); ++t)
    for (Index c = 0; c < model.labels().size(); ++c)
      effect[t] = std::max(effect[t], std::abs(twin.weights(c, static_cast<Index>(t))) *
                                          twin.scale[static_cast<Index>(t)]);
  std::vector<Index> shown = largest(effect, context.options.top);
  if (shown.size() == terms.size()) std::sort(shown.begin(), shown.end());
  const bool known = !twin.errors.empty();
  std::string text;
  if (two) {
    // Both rows are half of the difference.
    const double sign = 2;
    std::vector<std::string> headings{"term", "weight"};
    std::vector<TextTable::Align> align{TextTable::Align::left, TextTable::Align::decimal};
    if (known)
      for (const char* const name : {"standard error", "z"}) {
        headings.emplace_back(name);
        align.push_back(TextTable::Align::decimal);
      }
    TextTable table(headings, align);
    const auto add = [&](const std::string& name, double weight, double error) {
      std::vector<std::string> cells{name, figure(weight)};
      if (known) {
        cells.push_back(error > 0 ? figure(error, 3) : "");
        cells.push_back(error > 0 ? figure(weight / error, 3) : "");
      }
      table.add(std::move(cells));
    };
    add("(intercept)", intercept[0] - intercept[1], known ? sign * twin.intercept_errors[0] : 0);
    for (const Index t : shown)
      add(terms[static_cast<std::size_t>(t)].name, twin.weights(0, t) - twin.weights(1, t),
          known ? sign * twin.errors(0, t) : 0);
    text = heading(context.terminal, fmt::format("log-odds of '{}' against '{}'", model.labels()[0],
                                                 model.labels()[1])) +
           table.render(context.terminal);
  } else {
    ClassTable table({"term"}, model.labels());
    const auto add = [&](const std::string& name, const auto& cell) {
      std::vector<std::string> cells;
      for (Index c = 0; c < model.labels().size(); ++c)
        cells.push_back(model.weights()[c] > 0 ? cell(c) : "-");
      table.add({name}, std::move(cells));
    };
    add("(intercept)", [&](Index c) {
      return weight_with_error(intercept[c], known ? twin.intercept_errors[c] : 0);
    });
    for (const Index t : shown)
      add(terms[static_cast<std::size_t>(t)].name, [&](Index c) {
        return weight_with_error(twin.weights(c, t), known ? twin.errors(c, t) : 0);
      });
    text = heading(context.terminal, "log-odds of each class, less their mean") +
           table.render(context.terminal);
  }
  if (shown.size() < terms.size())
    text += fmt::format("{} of {} terms, those with the largest effect; --top 0 shows all.\n",
                        shown.size(), terms.size());
  text += "Weights are per unit of a term, and include the training prior in the intercept.\n";
  if (!twin.origin.empty()) text += "Squares and products are those of deviations from the mean.\n";
  if (!known) text += "Standard errors are not known.\n";
  return text;
}

}  // namespace suffice::cli
