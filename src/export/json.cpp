#include "export/json.hpp"

#include <cmath>

#include "core/at.hpp"
#include "export/text.hpp"

namespace suffice {
namespace {

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      constexpr char digits[] = "0123456789abcdef";
      const auto code = static_cast<unsigned char>(c);
      result += std::string("\\u00") + digits[code >> 4] + digits[code & 15];
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string json_number(double value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  return decimal_text(value);
}

template <class Range, class Write>
std::string json_list(const Range& range, const Write& write) {
  std::string result;
  for (const auto& item : range) result += (result.empty() ? "" : ", ") + write(item);
  return "[" + result + "]";
}

std::string json_numbers(std::span<const double> numbers) {
  return json_list(numbers, json_number);
}
std::string json_numbers(const Vector& numbers) {
  return json_numbers(std::span<const double>(numbers.data(), at(numbers.size())));
}
std::string json_names(std::span<const std::string> names) { return json_list(names, json_string); }

std::string json_rows(const Matrix& matrix) {
  std::string result;
  for (Index i = 0; i < matrix.rows(); ++i) result += (i ? ", " : "") + json_numbers(matrix.row(i));
  return "[" + result + "]";
}

/// Row i has its first i + 1 numbers.
std::string json_triangle(const Matrix& matrix) {
  std::string result;
  for (Index i = 0; i < matrix.rows(); ++i)
    result += (i ? ", " : "") + json_numbers(matrix.row(i).first(at(i + 1)));
  return "[" + result + "]";
}

/// Members of an object, in order.
class JsonMembers {
 public:
  void add(std::string_view name, const std::string& value) {
    text_ += (text_.empty() ? "" : ",\n" + indent_) + json_string(name) + ": " + value;
  }
  void add_if_any(std::string_view name, const Vector& numbers) {
    if (!numbers.empty()) add(name, json_numbers(numbers));
  }
  void add_if_any(std::string_view name, const Matrix& matrix) {
    if (!matrix.empty()) add(name, json_rows(matrix));
  }
  explicit JsonMembers(std::string indent) : indent_(std::move(indent)) {}
  std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string indent_, text_;
};

struct TermsAsJson {
  JsonMembers& members;

  void operator()(const JointTerms& terms) const {
    members.add("terms", json_string("joint"));
    members.add("center", json_numbers(terms.center));
    members.add_if_any("scale", terms.scale);
    if (!terms.whitener.empty()) members.add("whitener", json_list(terms.whitener, json_triangle));
    members.add("mean", json_rows(terms.mean));
    members.add("constant", json_numbers(terms.constant));
    members.add_if_any("dof", terms.dof);
    members.add_if_any("spread", terms.spread);
  }
  void operator()(const IndependentTerms& terms) const {
    members.add("terms", json_string("independent"));
    members.add("center", json_numbers(terms.center));
    members.add("scale", json_rows(terms.scale));
    members.add("mean", json_rows(terms.mean));
    members.add("constant", json_rows(terms.constant));
    members.add_if_any("dof", terms.dof);
  }
  void operator()(const LinearTerms& terms) const {
    members.add("terms", json_string("linear"));
    members.add("center", json_numbers(terms.center));
    members.add("weight", json_rows(terms.weight));
    members.add("constant", json_numbers(terms.constant));
  }
  void operator()(const BinaryTerms& terms) const {
    members.add("terms", json_string("binary"));
    members.add("log_zero", json_rows(terms.log_zero));
    members.add("log_one", json_rows(terms.log_one));
  }
  void operator()(const CountTerms& terms) const {
    members.add("terms", json_string("counts"));
    members.add("documents", terms.documents ? "true" : "false");
    members.add("factorial", terms.factorial ? "true" : "false");
    members.add_if_any("constant", terms.constant);
    members.add("slope", json_rows(terms.slope));
    if (terms.beyond == CountTerms::Beyond::none) return;
    members.add("beyond",
                json_string(terms.beyond == CountTerms::Beyond::rising ? "rising" : "lomax"));
    members.add("shape", json_rows(terms.shape));
    members.add_if_any("rate", terms.rate);
    members.add_if_any("concentration", terms.concentration);
  }
  void operator()(const LevelTerms& terms) const {
    members.add("terms", json_string("levels"));
    members.add("log_probability", json_list(terms.log_probability, json_rows));
  }
};

std::string column_as_json(const FormulaColumn& column) {
  std::string text = "{\"name\": " + json_string(column.name) +
                     ", \"family\": " + json_string(to_string(column.family));
  if (column.transform != Transform::none)
    text += ", \"transform\": " + json_string(to_string(column.transform));
  if (column.family == Family::categorical) text += ", \"levels\": " + json_names(column.levels);
  return text + "}";
}

std::string block_as_json(const FormulaBlock& block) {
  JsonMembers members("     ");
  members.add("columns", json_list(block.columns, [](Index j) { return std::to_string(j); }));
  if (!block.projection.empty()) {
    JsonMembers map("       ");
    map.add("offset", json_numbers(block.projection.offset));
    map.add("matrix", json_rows(block.projection.matrix));
    members.add("projection", map.text());
  }
  if (block.derivatives) members.add("derivatives", "true");
  std::visit(TermsAsJson{members}, block.terms);
  return members.text();
}

}  // namespace

std::string write_json(const Formula& formula) {
  require_text(formula, "JSON");
  JsonMembers members(" ");
  members.add("format", json_string("suffice-formula"));
  members.add("version", "1");
  members.add("labels", json_names(formula.labels));
  members.add("log_prior", json_numbers(formula.log_prior));
  members.add_if_any("cost", formula.cost);
  members.add("relative", formula.relative ? "true" : "false");
  members.add("possible", json_list(formula.possible, [](bool yes) -> std::string {
                return yes ? "true" : "false";
              }));
  if (formula.calibrated()) {
    JsonMembers calibration("  ");
    calibration.add("scale", json_numbers(formula.scale));
    calibration.add("offset", json_numbers(formula.offset));
    calibration.add_if_any("knots", formula.knots);
    calibration.add_if_any("values", formula.values);
    members.add("calibration", calibration.text());
  }
  members.add(
      "columns", "[\n  " + [&] {
        std::string list;
        for (const FormulaColumn& column : formula.columns)
          list += (list.empty() ? "" : ",\n  ") + column_as_json(column);
        return list;
      }() + "]");
  members.add(
      "blocks", "[\n    " + [&] {
        std::string list;
        for (const FormulaBlock& block : formula.blocks)
          list += (list.empty() ? "" : ",\n    ") + block_as_json(block);
        return list;
      }() + "]");
  return members.text() + "\n";
}

}  // namespace suffice
