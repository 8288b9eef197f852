#include "export/sql.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "export/sql_dialect.hpp"
#include "export/sql_terms.hpp"
#include "export/sql_values.hpp"
#include "export/text.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// Beyond this many numbers the text is too long for engines to plan.
constexpr Index most_sql_numbers = 300'000;
/// Up to this many classes the query has costs to edit, also where none were given.
constexpr Index most_editable_classes = 30;

std::string lower_ascii(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

class SqlWriter {
 public:
  SqlWriter(const Formula& formula, const ExportOptions& options)
      : formula_(formula),
        syntax_(syntax_of(options.dialect.value_or(SqlDialect::duckdb))),
        dialect_(options.dialect.value_or(SqlDialect::duckdb)),
        table_name_(options.table.value_or("data")),
        table_(sql_table(syntax_, table_name_)),
        classes_(formula.classes()),
        terms_(formula, syntax_) {
    require_expressible();
  }

  std::string write() {
    text_ = "-- Written by suffice export for " + std::string(syntax_.engine) +
            ". The classes, in the order of the numbers below:\n";
    for (Index c = 0; c < classes_; ++c)
      text_ += "--   " + std::to_string(c) + "  " + comment_text(formula_.labels[at(c)]) + "\n";
    write_prior();
    write_input();
    write_values();
    write_centered();
    write_whitened();
    write_distances();
    write_scores();
    write_mixed();
    write_answers();
    return std::move(text_);
  }

 private:
  struct Item {
    std::string expression, name;
  };

  std::string number(double value) const { return sql_number(syntax_, value); }
  std::string minus_infinity() const { return number(-infinity); }
  std::string as_real(const std::string& text) const {
    return "CAST(" + text + " AS " + std::string(syntax_.real) + ")";
  }
  void require_expressible() const {
    require_text(formula_, "SQL");
    const std::string engine(syntax_.engine);
    if (const Index numbers = numbers_of(formula_); numbers > most_sql_numbers) {
      const auto largest = std::ranges::max_element(
          formula_.blocks, {}, [](const FormulaBlock& block) { return numbers_of(block); });
      const auto* joint = std::get_if<JointTerms>(&largest->terms);
      const bool tied = joint && joint->shares_whitener() && joint->dof.empty();
      throw InvalidArgument(
          "the model has " + std::to_string(numbers) + " numbers, most of them in " +
              describe(formula_, *largest) + ", and a query of more than " +
              std::to_string(most_sql_numbers) + " is too long for " + engine,
          (tied ? "use " + Option{"relative"} +
                      ", which makes it linear, export to C or ONNX, or fit it with "
                : "export it to C or ONNX, or fit it with " + Option{"covariance", "tied"} + ", ") +
              Option{"covariance", "diag"} + " or " + Option{"pca"});
    }
    std::map<std::string, std::string> seen;
    for (const FormulaInput& column : formula_.inputs) {
      const auto [place, is_new] = seen.emplace(lower_ascii(column.name), column.name);
      if (!is_new && syntax_.ignores_case)
        throw InvalidArgument("the columns '" + place->second + "' and '" + column.name +
                                  "' differ only by case, and are one name in " + engine,
                              "rename one of them and fit again");
      const std::string& name = place->first;
      const bool is_row = dialect_ == SqlDialect::sqlite && name == "_rowid_";
      if (is_row || name.starts_with("suffice_"))
        throw InvalidArgument({.features = {column.name}},
                              "the query uses the name '" + column.name + "' itself",
                              "rename the column and fit again");
    }
    const std::string bare = lower_ascii(table_name_);
    if (bare == "prior" || bare == "cost" || bare.starts_with("suffice_"))
      throw InvalidArgument("the query uses the name '" + table_name_ + "' itself",
                            "name the table with its schema, such as main.prior, or rename it");
  }

  /// A stage named suffice_`name`: the row, and `items`.
  void stage(const std::string& name, const std::vector<Item>& items, const std::string& from) {
    if (std::ssize(items) + 1 > syntax_.most_columns)
      throw InvalidArgument("the query needs " + std::to_string(items.size() + 1) +
                                " columns in one step, and " + std::string(syntax_.engine) +
                                " has at most " + std::to_string(syntax_.most_columns),
                            "use another " + Option{"dialect"} +
                                ", export to C or ONNX, or fit the model with fewer features");
    text_ += ",\nsuffice_" + name + " AS " + std::string(syntax_.materialized) + "(\n  SELECT " +
             (name == "input" ? std::string(syntax_.row) + " AS suffice_source" : "suffice_source");
    for (const Item& item : items)
      text_ +=
          ",\n    " + item.expression + (item.expression == item.name ? "" : " AS " + item.name);
    text_ += "\n  FROM " + from + ")";
  }

  void write_prior() {
    text_ += "-- Edit the priors here: probabilities that sum to 1.\nWITH prior AS (\n  SELECT";
    for (Index c = 0; c < classes_; ++c)
      text_ += (c ? ",\n    " : "\n    ") + as_real(number(formula_.prior[c])) + " AS p_" +
               std::to_string(c);
    text_ += ")";
    if (has_costs()) write_cost();
    text_ += ",\nsuffice_log_prior AS (\n  SELECT";
    for (Index c = 0; c < classes_; ++c) {
      const std::string p = sql_numbered("p_", c);
      text_ += (c ? ",\n    " : "\n    ") + std::string("CASE WHEN ") + p + " > 0e0 THEN ln(" + p +
               ") ELSE " + minus_infinity() + " END AS " + sql_numbered("l_", c);
    }
    text_ += "\n  FROM prior)";
  }

  /// Whether costs can be edited. They are a column for each pair of classes.
  bool has_costs() const { return !formula_.cost.empty() || classes_ <= most_editable_classes; }

  /// The costs, and whether each mistake costs 1: ties then go to the first class, whatever
  /// rounding does to sums of costs.
  void write_cost() {
    std::vector<std::string> names, differ;
    text_ +=
        ",\n-- Edit the costs here: cost_T_D is that of deciding D where T is true.\ncost AS (\n"
        "  SELECT";
    for (Index c = 0; c < classes_; ++c)
      for (Index k = 0; k < classes_; ++k) {
        const double plain = c == k ? 0 : 1;
        names.push_back(sql_numbered("cost_", c, k));
        differ.push_back(names.back() + " <> " + number(plain));
        text_ += (c + k ? "," : "") + std::string(k ? " " : "\n    ") +
                 as_real(number(formula_.cost.empty() ? plain : formula_.cost(c, k))) + " AS " +
                 names.back();
      }
    text_ += "),\nsuffice_cost AS (\n  SELECT CASE WHEN " + sql_any(differ) +
             " THEN 0 ELSE 1 END AS plain_costs";
    for (const std::string& name : names) text_ += ", " + name;
    text_ += "\n  FROM cost)";
  }

  /// The columns as numbers; categories as the numbers of their levels.
  void write_input() {
    std::vector<Item> items;
    std::vector<std::string> not_numbers;
    for (Index j = 0; j < std::ssize(formula_.columns); ++j) {
      const FormulaColumn& column = formula_.columns[at(j)];
      if (!column.used) continue;
      const std::string cell = "suffice_row." + sql_name(syntax_, formula_.input_of(column).name);
      const bool of_number = column.level && !formula_.input_of(column).has_names;
      if (column.level && !of_number) {
        items.push_back({indicator(column, cell), sql_numbered("x", j)});
        continue;
      }
      if (column.domain() == Domain::level && !of_number) {
        items.push_back({level_number(column, cell), sql_numbered("x", j)});
        continue;
      }
      // Tables read from text files have empty text where a number is missing.
      const bool sqlite = dialect_ == SqlDialect::sqlite;
      std::string value = as_real(sqlite ? "nullif(" + cell + ", '')" : cell);
      if (!syntax_.nan.empty()) value = "nullif(" + value + ", " + std::string(syntax_.nan) + ")";
      if (of_number) value = "CASE WHEN " + value + " IS NULL THEN 1e0 ELSE 0e0 END";
      items.push_back({value, sql_numbered("x", j)});
      // Casts that make a number, or nothing, of any text.
      // A comparison with a number makes one of text that is a number, and only of such text.
      if (sqlite)
        not_numbers.push_back("(typeof(" + cell + ") IN ('text', 'blob') AND " + cell +
                              " <> '' AND " + as_real(cell) + " <> " + cell + ")");
      if (dialect_ == SqlDialect::spark)
        not_numbers.push_back("(" + cell + " IS NOT NULL AND " + as_real(cell) + " IS NULL)");
    }
    items.push_back({not_numbers.empty()
                         ? "0e0"
                         : "CASE WHEN " + sql_any(not_numbers) + " THEN NULL ELSE 0e0 END",
                     "readable"});
    stage("input", items, table_ + " AS suffice_row");
  }

  /// CASE … of the levels, without its end; `value` tells what a level becomes, if anything.
  template <class Value>
  std::string by_level(const FormulaInput& input, const std::string& cell,
                       const Value& value) const {
    const std::vector<std::string>& all = input.levels;
    std::string text = "CASE CAST(" + cell + " AS " + std::string(syntax_.text) + ")";
    const std::set<std::string> levels(all.begin(), all.end());
    for (std::size_t l = 0; l < all.size(); ++l) {
      const std::string& level = all[l];
      const std::string then = value(l);
      if (then.empty()) continue;
      text += " WHEN " + sql_string(syntax_, level) + " THEN " + then;
      // A whole number that the table keeps as a double.
      const bool whole =
          !level.empty() &&
          level.find_first_not_of("0123456789", level[0] == '-' ? 1 : 0) == std::string::npos &&
          level != "-";
      if (whole && !levels.contains(level + ".0"))
        text += " WHEN " + sql_string(syntax_, level + ".0") + " THEN " + then;
    }
    for (const auto& [spelling, level] : input.spellings)
      if (const std::string then = value(at(level)); !then.empty())
        text += " WHEN " + sql_string(syntax_, spelling) + " THEN " + then;
    return text;
  }
  std::string level_number(const FormulaColumn& column, const std::string& cell) const {
    return by_level(formula_.input_of(column), cell,
                    [](std::size_t l) { return std::to_string(l); }) +
           " END";
  }
  std::string indicator(const FormulaColumn& column, const std::string& cell) const {
    if (*column.level < 0) return "CASE WHEN " + cell + " IS NULL THEN 1e0 ELSE 0e0 END";
    return by_level(formula_.input_of(column), cell,
                    [&](std::size_t l) {
                      return static_cast<Index>(l) == *column.level ? std::string("1e0")
                                                                    : std::string();
                    }) +
           " ELSE 0e0 END";
  }

  /// Transformed values, and whether the row has only values that its columns can have.
  void write_values() {
    std::vector<Item> items;
    std::vector<std::string> bad;
    for (Index j = 0; j < std::ssize(formula_.columns); ++j) {
      const FormulaColumn& column = formula_.columns[at(j)];
      if (!column.used) continue;
      const std::string x = sql_numbered("x", j);
      std::string value = sql_transformed(syntax_, column.transform, x);
      if (syntax_.overflow_fails && column.domain() == Domain::finite &&
          column.transform == Transform::none)
        value = "CASE WHEN abs(" + x + ") > " + number(sql_far_from(formula_, j)) + " THEN " +
                std::string(syntax_.infinity) + " ELSE " + value + " END";
      items.push_back({value, x});
      if (column.domain() != Domain::level) bad.push_back(sql_outside(column.domain(), x));
    }
    items.push_back(
        {bad.empty() ? "readable" : "CASE WHEN " + sql_any(bad) + " THEN NULL ELSE readable END",
         "usable"});
    stage("values", items, "suffice_input");
  }

  static bool is_gaussian(const FormulaBlock& block) {
    return std::holds_alternative<JointTerms>(block.terms) ||
           std::holds_alternative<IndependentTerms>(block.terms) ||
           std::holds_alternative<LinearTerms>(block.terms);
  }
  const Vector& center_of(const FormulaBlock& block) const {
    if (const auto* joint = std::get_if<JointTerms>(&block.terms)) return joint->center;
    if (const auto* linear = std::get_if<LinearTerms>(&block.terms)) return linear->center;
    return std::get<IndependentTerms>(block.terms).center;
  }
  static const JointTerms* shared_whitener(const FormulaBlock& block) {
    const auto* joint = std::get_if<JointTerms>(&block.terms);
    return joint && joint->shares_whitener() ? joint : nullptr;
  }

  /// Blocks that are left out as a whole: of a joint block where all values are missing, of a
  /// projected one where one is.
  static bool has_left_out(const FormulaBlock& block) {
    if (block.columns.empty()) return false;
    return !std::holds_alternative<IndependentTerms>(block.terms) || !block.projection.empty();
  }
  std::string left_out(const FormulaBlock& block) const {
    std::vector<std::string> all;
    for (const Index j : block.columns) all.push_back(sql_numbered("x", j));
    return (block.projection.empty() ? sql_call("coalesce", all) : sql_sum(all)) + " IS NULL";
  }

  /// Only where an overflow fails: elsewhere a distance overflows by itself.
  std::string too_far(const FormulaBlock& block) const {
    if (!syntax_.overflow_fails) return "";
    std::string names;
    for (const Index j : block.columns) names += ", " + sql_numbered("x", j);
    return " WHEN " + std::string(syntax_.infinity) + " IN (" + names.substr(2) + ") THEN 2";
  }

  /// Gaussian blocks: z − center, or (x − offset) · map − center; and the derivatives.
  void write_centered() {
    std::vector<Item> items;
    for (Index b = 0; b < std::ssize(formula_.blocks); ++b) {
      const FormulaBlock& block = formula_.blocks[at(b)];
      if (!is_gaussian(block)) {
        for (const Index j : block.columns)
          items.push_back({sql_numbered("x", j), sql_numbered("x", j)});
        continue;
      }
      const Vector& center = center_of(block);
      for (Index k = 0; k < block.width(); ++k) {
        std::string value = sql_numbered("x", block.projection.empty() ? block.columns[at(k)] : 0);
        if (!block.projection.empty()) {
          std::vector<std::string> terms;
          for (Index i = 0; i < std::ssize(block.columns); ++i)
            terms.push_back("(" + sql_numbered("x", block.columns[at(i)]) + " - " +
                            number(block.projection.offset[i]) + ") * " +
                            number(block.projection.matrix(i, k)));
          value = sql_sum(terms);
        }
        items.push_back({value + " - " + number(center[k]), sql_numbered("z", b, k)});
      }
      if (has_left_out(block))
        items.push_back(
            {"CASE WHEN " + left_out(block) + " THEN 1" + too_far(block) + " ELSE 0 END",
             sql_numbered("left", b)});
      std::vector<std::string> derivatives;
      for (const Index j : block.columns)
        if (const Transform t = formula_.columns[at(j)].transform;
            block.derivatives && t != Transform::none)
          derivatives.push_back("coalesce(" + sql_log_derivative(syntax_, t, sql_numbered("x", j)) +
                                ", 0e0)");
      if (!derivatives.empty()) {
        items.push_back({sql_sum(derivatives), sql_numbered("derivatives", b)});
        has_derivatives_.insert(b);
      }
    }
    items.push_back({"usable", "usable"});
    stage("centered", items, "suffice_values");
  }

  /// The columns of a stage that are handed on.
  void hand_on(std::vector<Item>& items, Index b) const {
    const FormulaBlock& block = formula_.blocks[at(b)];
    const auto pass = [&](const std::string& name) { items.push_back({name, name}); };
    if (is_gaussian(block)) {
      for (Index k = 0; k < block.width(); ++k) pass(sql_numbered("z", b, k));
      if (has_left_out(block)) pass(sql_numbered("left", b));
    } else
      for (const Index j : block.columns) pass(sql_numbered("x", j));
    if (has_derivatives_.contains(b)) pass(sql_numbered("derivatives", b));
  }

  /// W z where the classes share W.
  void write_whitened() {
    if (std::ranges::none_of(formula_.blocks, shared_whitener)) return;
    std::vector<Item> items;
    for (Index b = 0; b < std::ssize(formula_.blocks); ++b) {
      const FormulaBlock& block = formula_.blocks[at(b)];
      const JointTerms* terms = shared_whitener(block);
      std::vector<Item> handed;
      hand_on(handed, b);
      for (Item& item : handed) {
        if (terms && item.name[0] == 'z') continue;
        items.push_back(std::move(item));
      }
      for (Index i = 0; terms && i < block.width(); ++i)
        items.push_back({terms_.product(b, terms->whitener[0].row(i).first(at(i + 1))),
                         sql_numbered("z", b, i)});
    }
    items.push_back({"usable", "usable"});
    stage("whitened", items, std::exchange(last_, "suffice_whitened"));
  }

  /// q / spread of joint Student's t, which its logarithm mentions several times.
  void write_distances() {
    const auto is_student = [](const FormulaBlock& block) {
      const auto* joint = std::get_if<JointTerms>(&block.terms);
      return joint && !joint->dof.empty();
    };
    if (std::ranges::none_of(formula_.blocks, is_student)) return;
    std::vector<Item> items;
    for (Index b = 0; b < std::ssize(formula_.blocks); ++b) {
      const FormulaBlock& block = formula_.blocks[at(b)];
      hand_on(items, b);
      if (!is_student(block)) continue;
      const auto& terms = std::get<JointTerms>(block.terms);
      for (Index c = 0; c < formula_.parts(); ++c)
        items.push_back({terms_.distance(b, terms, c) + " / " + number(terms.spread[c]),
                         sql_numbered("q", b, c)});
    }
    items.push_back({"usable", "usable"});
    stage("distances", items, std::exchange(last_, "suffice_distances"));
  }

  void write_scores() {
    std::vector<Item> items;
    for (Index b = 0; b < std::ssize(formula_.blocks); ++b) {
      for (Index c = 0; c < formula_.parts(); ++c) {
        std::string text = terms_.score(b, c);
        if (has_derivatives_.contains(b))
          text = "(" + text + ") + " + sql_numbered("derivatives", b);
        items.push_back({as_real(text), sql_numbered("s", b, c)});
      }
    }
    items.push_back({"usable", "usable"});
    stage("scores", items, std::exchange(last_, "suffice_scores"));
  }

  /// Of a mixture: scores of the components become those of the classes, as if these were one
  /// block.
  void write_mixed() {
    if (!formula_.mixture) return;
    const auto pass_on = [](std::vector<Item>& items, const std::string& name) {
      items.push_back({name, name});
    };
    std::vector<Item> joint, largest, mixed;
    for (Index g = 0; g < formula_.parts(); ++g) {
      std::vector<std::string> sum{number(formula_.mixture->log_share[g])};
      for (Index b = 0; b < std::ssize(formula_.blocks); ++b)
        sum.push_back(sql_numbered("s", b, g));
      joint.push_back({sql_sum(sum), sql_numbered("j", g)});
      pass_on(largest, sql_numbered("j", g));
    }
    for (Index c = 0; c < classes_; ++c) {
      const std::string top = sql_numbered("t", c);
      std::vector<std::string> all, masses;
      for (const Index g : formula_.mixture->of(c)) {
        const std::string own = sql_numbered("j", g);
        all.push_back(own);
        masses.push_back("CASE WHEN " + own + " < " + top + " - 7e2 THEN 0e0 ELSE exp(" + own +
                         " - " + top + ") END");
      }
      largest.push_back({sql_call(syntax_.largest, all), top});
      mixed.push_back({"CASE WHEN " + top + " = " + minus_infinity() + " THEN " + top + " ELSE " +
                           top + " + ln(" + sql_sum(masses) + ") END",
                       sql_numbered("s", 0, c)});
    }
    for (std::vector<Item>* items : {&joint, &largest, &mixed}) pass_on(*items, "usable");
    stage("components", joint, std::exchange(last_, "suffice_components"));
    stage("largest", largest, std::exchange(last_, "suffice_largest"));
    stage("mixed", mixed, std::exchange(last_, "suffice_mixed"));
  }

  std::vector<std::string> each(const char* name) const {
    std::vector<std::string> names;
    for (Index c = 0; c < classes_; ++c) names.push_back(sql_numbered(name, c));
    return names;
  }

  /// The calibrated score of class c after the knots, where there are some.
  std::string mapped(Index c) const {
    const std::string own = sql_numbered("g", c);
    const Vector &knots = formula_.knots, &values = formula_.values;
    if (knots.empty()) return own;
    std::string text = "CASE WHEN g0 = " + minus_infinity() + " OR g1 = " + minus_infinity() +
                       " OR g0 IS NULL THEN " + own;
    if (c == 1) return text + " ELSE 0e0 END";
    text += " WHEN g0 - g1 <= " + number(knots[0]) + " THEN " + number(values[0]);
    for (Index k = 1; k < knots.size(); ++k)
      text += " WHEN g0 - g1 <= " + number(knots[k]) + " THEN " + number(values[k - 1]) +
              " + (g0 - g1 - " + number(knots[k - 1]) + ") * " +
              number((values[k] - values[k - 1]) / (knots[k] - knots[k - 1]));
    return text + " ELSE " + number(values[values.size() - 1]) + " END";
  }

  void write_answers() {
    std::vector<Item> sums, joint, masses, chosen;
    const auto pass = [](std::vector<Item>& items, const std::vector<std::string>& names) {
      for (const std::string& name : names) items.push_back({name, name});
    };
    // Log-likelihoods, and calibrated scores.
    std::vector<Item> raws;
    const Index blocks = formula_.mixture ? 1 : std::ssize(formula_.blocks);
    for (Index c = 0; c < classes_; ++c) {
      std::vector<std::string> raw, calibrated;
      for (Index b = 0; b < blocks; ++b) {
        const std::string s = sql_numbered("s", b, c);
        raw.push_back(s);
        if (!formula_.calibrated()) continue;
        const std::string scaled = number(formula_.scale[b]) + " * " + s;
        calibrated.push_back(formula_.scale[b] > 0 ? scaled
                                                   : "CASE WHEN " + s + " = " + minus_infinity() +
                                                         " THEN " + s + " ELSE " + scaled + " END");
      }
      raw.push_back("usable");
      if (!formula_.base.empty()) raw.push_back(number(formula_.base[c]));
      std::string log_likelihood = sql_sum(raw);
      if (formula_.calibrated()) {
        calibrated.push_back(number(formula_.offset[c]));
        calibrated.push_back("usable");
      }
      std::string adjusted = formula_.calibrated() ? sql_sum(calibrated) : log_likelihood;
      if (!formula_.possible[at(c)])
        adjusted = log_likelihood =
            "CASE WHEN " + log_likelihood + " IS NOT NULL THEN " + minus_infinity() + " END";
      raws.push_back({log_likelihood, sql_numbered("loglik", c)});
      raws.push_back({adjusted, sql_numbered("g", c)});
    }
    stage("calibrated", raws, last_);

    // With the priors.
    for (Index c = 0; c < classes_; ++c) {
      sums.push_back({sql_numbered("loglik", c), sql_numbered("loglik", c)});
      sums.push_back({mapped(c) + " + " + sql_numbered("l_", c), sql_numbered("a", c)});
      sums.push_back({sql_numbered("l_", c), sql_numbered("l", c)});
    }
    stage("sums", sums, "suffice_calibrated CROSS JOIN suffice_log_prior");

    // A row that is impossible under every class tells nothing: its posteriors are the priors.
    const std::string largest = sql_call(syntax_.largest, each("a"));
    pass(joint, each("loglik"));
    const std::string none = largest + " = " + minus_infinity();
    for (Index c = 0; c < classes_; ++c)
      joint.push_back({"CASE WHEN " + none + " THEN " + sql_numbered("l", c) + " ELSE " +
                           sql_numbered("a", c) + " END",
                       sql_numbered("a", c)});
    joint.push_back({"CASE WHEN " + none + " THEN nullif(" + sql_call(syntax_.largest, each("l")) +
                         ", " + minus_infinity() + ") ELSE " + largest + " END",
                     "largest"});
    stage("joint", joint, "suffice_sums");

    pass(masses, each("loglik"));
    pass(masses, each("a"));
    masses.push_back({"largest", "largest"});
    for (Index c = 0; c < classes_; ++c)  // exp of little is an error in some engines
      masses.push_back({"CASE WHEN " + sql_numbered("a", c) +
                            " < largest - 7e2 THEN 0e0 ELSE exp(" + sql_numbered("a", c) +
                            " - largest) END",
                        sql_numbered("m", c)});
    stage("masses", masses, "suffice_joint");

    if (!has_costs()) return write_last("suffice_masses", "a", "largest");
    pass(chosen, each("loglik"));
    pass(chosen, each("m"));
    for (Index k = 0; k < classes_; ++k) {
      std::vector<std::string> terms;
      for (Index c = 0; c < classes_; ++c)
        terms.push_back(sql_numbered("m", c) + " * " + sql_numbered("cost_", c, k));
      chosen.push_back({"CASE WHEN plain_costs = 1 THEN largest - " + sql_numbered("a", k) +
                            " ELSE " + sql_sum(terms) + " END",
                        sql_numbered("e", k)});
    }
    stage("costs", chosen, "suffice_masses CROSS JOIN suffice_cost");
    write_last("suffice_costs", "e", sql_call(syntax_.smallest, each("e")));
  }

  std::string output_name(const char* prefix, Index c) {
    std::string name = prefix + formula_.labels[at(c)];
    if (syntax_.longest_name && name.size() > syntax_.longest_name)
      throw InvalidArgument({.label = formula_.labels[at(c)]},
                            "the column '" + name + "' is longer than the " +
                                std::to_string(syntax_.longest_name) + " bytes that " +
                                std::string(syntax_.engine) + " keeps of a name",
                            "fit the model with a shorter label");
    // Labels that differ only by case are told apart by their numbers.
    while (!names_given_.insert(syntax_.ignores_case ? lower_ascii(name) : name).second)
      name += "_" + std::to_string(c);
    return sql_name(syntax_, name);
  }

  /// The class decided is the first whose `score` is the `best`.
  void write_last(const std::string& from, const char* score, const std::string& best) {
    const bool by_rowid = syntax_.columns_of_row.empty();
    names_given_.insert("label");
    // The answers come first: of two columns called label, engines find the first one.
    text_ += "\nSELECT\n  CASE";
    for (Index c = 0; c < classes_; ++c)
      text_ += " WHEN " + sql_numbered(score, c) + " = " + best + " THEN " +
               sql_string(syntax_, formula_.labels[at(c)]);
    text_ += " END AS label";
    for (Index c = 0; c < classes_; ++c)
      text_ += ",\n  " + sql_numbered("loglik", c) + " AS " + output_name("loglik_", c);
    const std::string total = sql_sum(each("m"));
    for (Index c = 0; c < classes_; ++c)
      text_ += ",\n  " + sql_numbered("m", c) + " / " + total + " AS " + output_name("proba_", c);
    text_ +=
        ",\n  " + (by_rowid ? std::string("suffice_row.*") : std::string(syntax_.columns_of_row));
    text_ += by_rowid ? "\nFROM " + table_ + " AS suffice_row JOIN " + from +
                            " ON suffice_source = " + std::string(syntax_.row) + ";\n"
                      : "\nFROM " + from + ";\n";
  }

  const Formula& formula_;
  const SqlSyntax& syntax_;
  SqlDialect dialect_;
  std::string table_name_, table_;
  Index classes_;
  SqlTerms terms_;
  std::string text_;
  std::string last_ = "suffice_centered";  ///< the stage before the next one
  std::set<Index> has_derivatives_;        ///< blocks
  std::set<std::string> names_given_;
};

}  // namespace

std::string write_sql(const Formula& formula, const ExportOptions& options) {
  return SqlWriter(formula, options).write();
}

}  // namespace suffice
