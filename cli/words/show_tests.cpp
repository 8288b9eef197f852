#include "cli/words/show_tests.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/output/class_table.hpp"
#include "cli/output/text.hpp"

namespace suffice::cli {
namespace {

constexpr TextTable::Align to_left = TextTable::Align::left, at_point = TextTable::Align::decimal;

std::string known(double value, int digits = 4) {
  return std::isnan(value) ? "–" : figure(value, digits);
}
std::string freedom(double value) { return std::isnan(value) ? "–" : rounded(value, 6); }

std::string columns_text(const Context& context, const ClassTests& tests) {
  TextTable table({"column", "Wilks' Λ", "F", "df", "p", "η²"},
                  {to_left, at_point, at_point, to_left, at_point, at_point});
  std::vector<double> strength;
  for (const ColumnTest& test : tests.columns) strength.push_back(test.eta2);
  const std::vector<Index> order = largest(strength, context.options.top);
  for (const Index j : order) {
    const ColumnTest& test = tests.columns[static_cast<std::size_t>(j)];
    table.add({test.name, known(test.wilks), known(test.f),
               freedom(test.df1) + ", " + freedom(test.df2), p_in_words(test.p),
               known(test.eta2, 3)});
  }
  std::string text =
      heading(context.terminal, "each column by itself") + table.render(context.terminal);
  if (order.size() < tests.columns.size())
    text += fmt::format("The {} of {} columns that differ most; --top 0 shows all.\n", order.size(),
                        tests.columns.size());
  return text;
}

std::string manova_text(const Context& context, const JointTests& tests) {
  TextTable table({"test", "value", "F", "df", "p"},
                  {to_left, at_point, at_point, to_left, at_point});
  const auto add = [&](const char* name, const FTest& test) {
    table.add({name, known(test.statistic), known(test.f),
               freedom(test.df1) + ", " + freedom(test.df2), p_in_words(test.p)});
  };
  add("Wilks' Λ", tests.wilks);
  add("Pillai's trace", tests.pillai);
  add("Hotelling–Lawley trace", tests.hotelling_lawley);
  add("Roy's largest root", tests.roy);
  return heading(context.terminal, "all columns together (MANOVA)") +
         table.render(context.terminal);
}

std::string functions_text(const Context& context, const JointTests& tests) {
  TextTable table({"function", "eigenvalue", "share", "canonical correlation",
                   "Λ of this and later ones", "χ²", "df", "p"},
                  {to_left, at_point, at_point, at_point, at_point, at_point, to_left, at_point});
  for (const RemainingFunctions& of : tests.remaining)
    table.add({std::to_string(of.first + 1), known(tests.eigenvalues[of.first]),
               known(tests.explained[of.first], 3),
               known(tests.canonical_correlations[of.first], 4), known(of.wilks), known(of.chi2),
               freedom(of.df), p_in_words(of.p)});
  return heading(context.terminal, "discriminant functions") + table.render(context.terminal);
}

/// Columns (or classes) × functions, of which a few fit beside each other.
std::string matrix_text(const Context& context, std::string_view title,
                        const std::vector<std::string>& names, std::string_view of,
                        const Matrix& values) {
  std::vector<std::string> functions;
  for (Index k = 0; k < values.cols(); ++k) functions.push_back(std::to_string(k + 1));
  ClassTable table({std::string(of)}, functions);
  const auto most = static_cast<std::size_t>(context.options.top);
  const std::size_t shown = most > 0 ? std::min(most, names.size()) : names.size();
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> cells;
    for (Index k = 0; k < values.cols(); ++k)
      cells.push_back(figure(values(static_cast<Index>(i), k), 4));
    table.add({names[i]}, std::move(cells));
  }
  std::string text = heading(context.terminal, title) + table.render(context.terminal);
  if (shown < names.size())
    text += fmt::format("The first {} of {}; --top 0 shows all.\n", shown, names.size());
  return text;
}

std::string box_m_text(const Context& context, const std::optional<BoxM>& test) {
  if (!test) return {};
  TextTable table({"Box's M", "F", "df", "p", "χ²", "df", "p"},
                  {at_point, at_point, to_left, at_point, at_point, to_left, at_point});
  table.add({known(test->m), known(test->f), freedom(test->df) + ", " + freedom(test->f_df2),
             p_in_words(test->f_p), known(test->chi2), freedom(test->df), p_in_words(test->p)});
  return heading(context.terminal, "have the classes one covariance?") +
         table.render(context.terminal) +
         "With many rows, or with columns that are not normal, M rejects differences that do not "
         "matter.\n";
}

std::string pairs_text(const Context& context, const ClassTests& tests) {
  TextTable table({"classes", "D²", "95 %", "F", "df", "p", "error"},
                  {to_left, at_point, to_left, at_point, to_left, at_point, at_point});
  std::vector<double> closeness;
  for (const PairTest& pair : tests.joint->pairs) closeness.push_back(-pair.d2);
  const std::vector<Index> order = largest(closeness, context.options.top);
  for (const Index i : order) {
    const PairTest& pair = tests.joint->pairs[static_cast<std::size_t>(i)];
    table.add({tests.labels[pair.a] + " – " + tests.labels[pair.b], known(pair.d2),
               std::isnan(pair.low) ? "–" : rounded(pair.low, 4) + " to " + rounded(pair.high, 4),
               known(pair.f), freedom(pair.df1) + ", " + freedom(pair.df2), p_in_words(pair.p),
               known(pair.error, 3)});
  }
  std::string text =
      heading(context.terminal, "distances of classes") + table.render(context.terminal) +
      "The error is that of deciding between the two under their frequencies, if both are normal "
      "with one covariance.\n";
  if (order.size() < tests.joint->pairs.size())
    text += fmt::format("The {} closest of {} pairs; --top 0 shows all.\n", order.size(),
                        tests.joint->pairs.size());
  return text;
}

}  // namespace

std::string p_in_words(double p) {
  if (std::isnan(p)) return "–";
  return p < 1e-300 ? "< 1e-300" : figure(p, 3);
}

std::string tests_text(const Context& context, const ClassTests& tests) {
  std::string text;
  if (!tests.columns.empty()) text += columns_text(context, tests);
  if (tests.joint) {
    const JointTests& joint = *tests.joint;
    text += manova_text(context, joint) + functions_text(context, joint) +
            matrix_text(context, "standardised coefficients", tests.features, "column",
                        joint.standardized) +
            matrix_text(context, "structure: correlations within classes of columns and functions",
                        tests.features, "column", joint.structure) +
            matrix_text(context, "raw coefficients (covariance of the scores within classes: 1)",
                        tests.features, "column", joint.raw);
    text += matrix_text(context, "means of the classes", joint.classes, "class", joint.centroids) +
            pairs_text(context, tests) + box_m_text(context, joint.box_m);
  }
  for (const std::string& note : tests.notes) text += "\nNote: " + note + ".\n";
  return text;
}

}  // namespace suffice::cli
