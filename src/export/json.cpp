#include "export/json.hpp"

#include <cmath>

#include "core/at.hpp"
#include "core/constants.hpp"
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
std::span<const double> span_of(const Vector& numbers) {
  return {numbers.data(), at(numbers.size())};
}
std::string json_numbers(const Vector& numbers) { return json_numbers(span_of(numbers)); }
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
  explicit JsonMembers(std::string indent) : indent_(std::move(indent)) {}
  std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string indent_, text_;
};

/// log p(x | c) of one class as a list of pairs: the name of a term, and its numbers.
class JsonTerms {
 public:
  void add(std::string_view name, const std::string& numbers) {
    text_ +=
        (text_.empty() ? "" : ", ") + std::string("[") + json_string(name) + ", " + numbers + "]";
  }
  void add_number(std::string_view name, double number) { add(name, json_number(number)); }
  void add_constant(double constant) { add_number("constant", constant); }
  /// What a quadratic form q adds: a normal density, or Student's t with `dof` > 0 for n numbers.
  void add_quadratic(const std::string& form, double dof, double n, double spread) {
    if (!(dof > 0)) return add("normal", "{" + form + "}");
    add("student", "{" + form + ", \"power\": " + json_number(-0.5 * (dof + n)) +
                       ", \"spread\": " + json_number(spread) + "}");
  }
  std::string text() const { return "[" + text_ + "]"; }

 private:
  std::string text_;
};

std::string json_form(const char* name, const std::string& numbers, std::span<const double> mean) {
  return std::string("\"") + name + "\": " + numbers + ", \"mean\": " + json_numbers(mean);
}

/// The blocks of the description. Features that are independent given the class are blocks of one
/// column each, so that a missing value leaves out a whole block.
class JsonBlocks {
 public:
  explicit JsonBlocks(const Formula& formula) : formula_(formula), classes_(formula.parts()) {}

  std::string text() {
    for (b_ = 0; b_ < formula_.blocks.size(); ++b_)
      std::visit([&](const auto& terms) { add(block(), terms); }, block().terms);
    return "[\n  " + text_ + "]";
  }

 private:
  const FormulaBlock& block() const { return formula_.blocks[b_]; }
  double scale() const {
    const bool own = formula_.calibrated() && !formula_.mixture;
    return own ? formula_.scale[static_cast<Index>(b_)] : 1;
  }
  bool possible(Index c) const { return formula_.has_numbers(c); }

  void append(const JsonMembers& members) {
    text_ += (text_.empty() ? "" : ",\n  ") + members.text();
  }
  JsonMembers begin(std::span<const Index> columns) const {
    JsonMembers members("   ");
    const auto column = [&](Index j) -> const FormulaColumn& { return formula_.columns[at(j)]; };
    members.add("columns",
                json_list(columns, [&](Index j) { return std::to_string(column(j).input); }));
    if (std::ranges::any_of(columns, [&](Index j) { return column(j).level.has_value(); }))
      members.add("indicators", json_list(columns, [&](Index j) {
                    return column(j).level ? std::to_string(*column(j).level) : "null";
                  }));
    members.add("scale", json_number(scale()));
    return members;
  }

  /// Terms of numbers. `skip`: how many values must be missing for the block to be left out.
  /// `write(c, terms)` adds those of a class.
  template <class Write>
  void add_numbers(std::span<const Index> columns, Index skip, std::span<const double> center,
                   const std::vector<std::string>& maps, const Write& write) {
    JsonMembers members = begin(columns);
    members.add("skip", std::to_string(skip));
    members.add("derivatives", block().derivatives ? "true" : "false");
    members.add("center", json_numbers(center));
    members.add("maps", json_list(maps, [](const std::string& map) { return map; }));
    std::string list;
    for (Index c = 0; c < classes_; ++c) {
      JsonTerms terms;
      if (possible(c)) write(c, terms);
      list += (c ? ",\n     " : "") + terms.text();
    }
    members.add("classes", "[" + list + "]");
    append(members);
  }

  /// Of the columns, or of their projections: what is subtracted first, and the maps after it.
  struct Start {
    Vector center;
    std::vector<std::string> maps;
    Index skip;
  };
  Start start(const Vector& center) const {
    const LinearMap& projection = block().projection;
    if (projection.empty()) return {center, {}, std::ssize(block().columns)};
    Matrix map(projection.matrix.cols(), projection.matrix.rows());
    for (Index i = 0; i < map.rows(); ++i)
      for (Index j = 0; j < map.cols(); ++j) map(i, j) = projection.matrix(j, i);
    return {projection.offset, {json_rows(map)}, 1};
  }

  void add(const FormulaBlock& block, const JointTerms& terms) {
    Start first = start(terms.center);
    const bool shared = terms.shares_whitener();
    if (shared) first.maps.push_back(json_triangle(terms.whitener[0]));
    const Index n = block.width();
    add_numbers(
        block.columns, first.skip, span_of(first.center), first.maps, [&](Index c, JsonTerms& out) {
          const Matrix* whitener = terms.whitener.empty()
                                       ? nullptr
                                       : &terms.whitener[terms.whitener.size() == 1 ? 0 : at(c)];
          Vector mean(terms.mean.row(c));
          // Projections are not centered: their center is part of the mean.
          for (Index i = 0; i < n && !block.projection.empty(); ++i) {
            if (!whitener) mean[i] += terms.scale(c, i) * terms.center[i];
            for (Index j = 0; whitener && j <= i; ++j)
              mean[i] += (*whitener)(i, j) * terms.center[j];
          }
          const std::string form =
              shared
                  ? json_form("scale", json_numbers(std::vector<double>(at(n), 1.0)), span_of(mean))
              : whitener ? json_form("matrix", json_triangle(*whitener), mean)
                         : json_form("scale", json_numbers(terms.scale.row(c)), span_of(mean));
          out.add_constant(terms.constant[c]);
          const bool student = !terms.dof.empty();
          out.add_quadratic(form, student ? terms.dof[c] : 0, static_cast<double>(n),
                            student ? terms.spread[c] : 1);
        });
  }

  void add(const FormulaBlock& block, const IndependentTerms& terms) {
    if (!block.projection.empty()) return add_projected(block, terms);
    for (Index j = 0; j < std::ssize(block.columns); ++j)
      add_numbers({&block.columns[at(j)], 1}, 1, {terms.center.data() + j, 1}, {},
                  [&](Index c, JsonTerms& out) {
                    out.add_constant(terms.constant(c, j));
                    if (terms.is_linear())
                      return out.add("linear", json_numbers(terms.scale.row(c).subspan(at(j), 1)));
                    const double dof = terms.dof.empty() ? 0 : terms.dof(c, j);
                    out.add_quadratic(
                        json_form("scale", json_numbers(terms.scale.row(c).subspan(at(j), 1)),
                                  terms.mean.row(c).subspan(at(j), 1)),
                        dof, 1, dof);
                  });
  }
  void add_projected(const FormulaBlock& block, const IndependentTerms& terms) {
    const Start first = start(terms.center);
    const Index n = block.width();
    add_numbers(
        block.columns, first.skip, span_of(first.center), first.maps, [&](Index c, JsonTerms& out) {
          double constant = 0;
          Vector mean(terms.mean.row(c));
          for (Index j = 0; j < n; ++j) {
            constant += terms.constant(c, j);
            mean[j] += terms.scale(c, j) * terms.center[j];
          }
          out.add_constant(constant);
          if (terms.dof.empty())
            return out.add_quadratic(
                json_form("scale", json_numbers(terms.scale.row(c)), span_of(mean)), 0, 1, 1);
          for (Index j = 0; j < n; ++j) {  // each is a Student's t of its own
            Vector row(j + 1);
            row[j] = terms.scale(c, j);
            out.add_quadratic(
                json_form("matrix", "[" + json_numbers(row) + "]", {mean.data() + j, 1}),
                terms.dof(c, j), 1, terms.dof(c, j));
          }
        });
  }

  void add(const FormulaBlock& block, const LinearTerms& terms) {
    if (block.columns.empty()) return;
    Start first = start(terms.center);
    // Projections are not centered.
    const LinearTerms own = block.projection.empty() ? terms : terms.moved(terms.center);
    add_numbers(block.columns, first.skip, span_of(first.center), first.maps,
                [&](Index c, JsonTerms& out) {
                  out.add_constant(own.constant[c]);
                  out.add("linear", json_numbers(own.weight.row(c)));
                  if (!own.product.empty())
                    out.add(own.has_all_products() ? "products" : "squares",
                            json_numbers(own.product.row(c)));
                });
  }

  void add(const FormulaBlock& block, const CountTerms& terms) {
    const Vector zeros(std::ssize(block.columns));
    const bool rising = terms.beyond == CountTerms::Beyond::rising;
    if (terms.documents && !rising) {
      add_numbers(
          block.columns, zeros.size() + 1, span_of(zeros), {},
          [&](Index c, JsonTerms& out) { out.add("linear", json_numbers(terms.slope.row(c))); });
      return;
    }
    for (Index j = 0; j < std::ssize(block.columns); ++j)
      add_numbers({&block.columns[at(j)], 1}, terms.documents ? 2 : 1, {zeros.data(), 1}, {},
                  [&](Index c, JsonTerms& out) {
                    if (!terms.constant.empty()) out.add_constant(terms.constant(c, j));
                    out.add("linear", json_numbers(terms.slope.row(c).subspan(at(j), 1)));
                    if (rising && terms.shape(c, j) > 0)
                      out.add_number("rising", terms.shape(c, j));
                    if (terms.beyond == CountTerms::Beyond::lomax)
                      out.add("lomax", "{\"power\": " + json_number(-terms.shape(c, j) - 1) +
                                           ", \"rate\": " + json_number(terms.rate(c, j)) + "}");
                    if (terms.factorial) out.add_number("falling", 1);
                  });
    if (terms.concentration.empty()) return;
    add_numbers(block.columns, zeros.size() + 1, span_of(zeros), {}, [&](Index c, JsonTerms& out) {
      if (terms.concentration[c] > 0) out.add_number("falling", terms.concentration[c]);
    });
  }

  void add_table(Index column, Matrix table) {
    for (Index c = 0; c < classes_; ++c)
      for (Index l = 0; l < table.rows() && !possible(c); ++l) table(l, c) = 0;
    JsonMembers members = begin({&column, 1});
    members.add("table", json_rows(table));
    append(members);
  }
  void add(const FormulaBlock& block, const BinaryTerms& terms) {
    for (Index j = 0; j < std::ssize(block.columns); ++j) {
      Matrix table(2, classes_);
      for (Index c = 0; c < classes_; ++c) {
        table(0, c) = terms.log_zero(c, j);
        table(1, c) = terms.log_one(c, j);
      }
      add_table(block.columns[at(j)], table);
    }
  }
  void add(const FormulaBlock& block, const LevelTerms& terms) {
    for (std::size_t j = 0; j < block.columns.size(); ++j)
      add_table(block.columns[j], terms.log_probability[j]);
  }

  void add(const FormulaBlock& block, const TextTerms& terms) {
    for (std::size_t j = 0; j < block.columns.size(); ++j) {
      JsonMembers members = begin({&block.columns[j], 1});
      members.add("tokens", json_string(terms.tokens[j]));
      members.add("presence", terms.presence ? "true" : "false");
      members.add("length_power", json_number(terms.length_power));
      members.add("constant", json_numbers(terms.constant.row(static_cast<Index>(j))));
      members.add("words", json_names(terms.words[j].list()));
      members.add("weights", json_rows(terms.weight[j]));
      append(members);
    }
  }

  const Formula& formula_;
  Index classes_;  ///< or components
  std::size_t b_ = 0;
  std::string text_;
};

/// `column` is the first one that is read from an input.
std::string input_as_json(const Formula& formula, const FormulaColumn& column) {
  const FormulaInput& input = formula.input_of(column);
  const Family family = input.has_names ? Family::categorical : column.family;
  std::string text =
      "{\"name\": " + json_string(input.name) + ", \"family\": " + json_string(to_string(family));
  if (column.transform != Transform::none)
    text += ", \"transform\": " + json_string(to_string(column.transform.kind));
  if (column.transform.kind == Transform::Kind::signed_log)
    text += ", \"scale\": " + json_number(column.transform.scale);
  if (input.has_names) text += ", \"levels\": " + json_names(input.levels);
  if (!input.spellings.empty()) {
    std::string others;
    for (const auto& [spelling, level] : input.spellings)
      others += (others.empty() ? "" : ", ") + json_string(spelling) + ": " +
                json_string(input.levels[at(level)]);
    text += ", \"spellings\": {" + others + "}";
  }
  if (column.family == Family::bernoulli) text += ", \"levels\": [0, 1]";
  return text + "}";
}

}  // namespace

std::string write_json(const Formula& formula) {
  require_text(formula, "JSON");
  JsonMembers members(" ");
  members.add("format", json_string("suffice-formula"));
  members.add("version", formula.mixture ? "2" : "1");
  members.add("labels", json_names(formula.labels));
  members.add("log_prior", json_numbers(formula.log_prior));
  members.add("cost", formula.cost.empty() ? "null" : json_rows(formula.cost));
  members.add("relative", formula.relative ? "true" : "false");
  Vector base = formula.base.empty() ? Vector(formula.classes()) : formula.base, offset = base;
  if (formula.calibrated()) offset = formula.offset;
  for (Index c = 0; c < formula.classes(); ++c)
    if (!formula.possible[at(c)]) base[c] = offset[c] = -infinity;
  members.add("base", json_numbers(base));
  JsonMembers calibration("  ");
  calibration.add("offset", json_numbers(offset));
  calibration.add("knots", json_numbers(formula.knots));
  calibration.add("values", json_numbers(formula.values));
  members.add("calibration", calibration.text());
  std::string columns;
  Index next = 0;
  for (const FormulaColumn& column : formula.columns)
    if (column.input == next) {
      columns += (columns.empty() ? "" : ",\n  ") + input_as_json(formula, column);
      ++next;
    }
  members.add("columns", "[\n  " + columns + "]");
  if (formula.mixture) {
    JsonMembers mixture("  ");
    mixture.add("classes",
                json_list(formula.mixture->label, [](Index c) { return std::to_string(c); }));
    mixture.add("log_share", json_numbers(formula.mixture->log_share));
    mixture.add("scale", json_number(formula.calibrated() ? formula.scale[0] : 1));
    members.add("mixture", mixture.text());
  }
  members.add("blocks", JsonBlocks(formula).text());
  return members.text() + "\n";
}

}  // namespace suffice
