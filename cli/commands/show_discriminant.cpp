#include "cli/commands/show_discriminant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/output/class_table.hpp"
#include "cli/output/text.hpp"
#include "suffice/models/discriminant.hpp"

namespace suffice::cli {
namespace {

/// The columns that are not 0 throughout: those of the numbers.
std::string matrix_text(const Terminal& terminal, const Discriminant& g) {
  std::vector<std::string> headings = {"A"};
  std::vector<Index> shown;
  for (Index j = 0; j < g.A.cols(); ++j) {
    if (g.A.map().col(j).isZero(0)) continue;
    shown.push_back(j);
    headings.push_back(g.columns[j]);
  }
  TextTable table(headings);
  for (const Index i : shown) {
    std::vector<std::string> cells = {g.columns[i]};
    for (const Index j : shown) cells.push_back(rounded(g.A(i, j)));
    table.add(std::move(cells));
  }
  return table.render(terminal);
}

}  // namespace

std::string discriminant_text(const Context& context, const Model& model) {
  std::vector<Discriminant> functions;
  std::vector<std::string> labels;
  for (Index c = 0; c < model.labels().size(); ++c) {
    if (!(model.weights()[c] > 0)) continue;  // its log-likelihood is -inf everywhere
    functions.push_back(discriminant(model, model.labels()[c]));
    labels.push_back(model.labels()[c]);
  }
  if (functions.empty()) return {};
  const Discriminant& first = functions.front();
  const auto dimension = std::ssize(first.columns);
  const std::int64_t top = context.options.top;
  std::string text = heading(context.terminal,
                             first.is_linear() ? "linear discriminant: g(x) = w·x + b, larger wins"
                                               : "quadratic discriminant: g(x) = xᵀ A x + b·x + c, "
                                                 "larger wins");
  ClassTable table({first.is_linear() ? "w" : "b"}, Names(labels));
  std::vector<double> largest_weight(static_cast<std::size_t>(dimension));
  for (Index j = 0; j < dimension; ++j)
    for (const Discriminant& g : functions)
      largest_weight[j] = std::max(largest_weight[j], std::abs(g.w[j]));
  std::vector<Index> order = largest(largest_weight, top);
  std::sort(order.begin(), order.end());
  const auto cells = [&](auto&& of) {
    std::vector<std::string> row;
    for (const Discriminant& g : functions) row.push_back(rounded(of(g)));
    return row;
  };
  for (const Index j : order)
    table.add({first.columns[j]}, cells([&](const Discriminant& g) { return g.w[j]; }));
  table.add({first.is_linear() ? "(b)" : "(c)"}, cells([](const Discriminant& g) { return g.c; }));
  text += table.render(context.terminal);
  if (std::ssize(order) < dimension)
    text += fmt::format("{} of {} coefficients, the largest; --top 0 shows all.\n", order.size(),
                        dimension);
  if (first.is_linear()) return text;
  if (top > 0 && dimension > top)
    return text + fmt::format("A has {0} × {0} numbers per class; --top 0 or --json shows them.\n",
                              dimension);
  for (std::size_t c = 0; c < functions.size(); ++c)
    text += heading(context.terminal, "A of class '" + printable(labels[c]) + "'") +
            matrix_text(context.terminal, functions[c]);
  return text;
}

}  // namespace suffice::cli
