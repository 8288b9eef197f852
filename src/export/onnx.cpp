#include "export/onnx.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "export/onnx_graph.hpp"
#include "export/onnx_operations.hpp"
#include "export/onnx_terms.hpp"
#include "export/text.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

std::string unused_prefix(const Formula& formula) {
  std::string prefix = "suffice_";
  while (std::ranges::any_of(
      formula.inputs, [&](const FormulaInput& input) { return input.name.starts_with(prefix); }))
    prefix += '_';
  return prefix;
}

class OnnxWriter : OnnxOperations {
 public:
  OnnxWriter(const Formula& formula, const ExportOptions& options, OnnxGraph& graph)
      : OnnxOperations(graph),
        formula_(formula),
        matrix_(options.input.value_or(OnnxInput::columns) == OnnxInput::matrix),
        classes_(formula.classes()),
        terms_(formula, graph, bad_) {}

  std::string write() {
    add_inputs();
    std::vector<std::string> parts;
    for (const FormulaBlock& block : formula_.blocks)
      parts.push_back(
          std::visit([&](const auto& terms) { return score(block, terms); }, block.terms));
    if (formula_.mixture) parts = {mixed(sum(parts))};
    // Classes without rows; and rows with a value that its column cannot have.
    const auto settle = [&](std::string scores, const std::string& name) {
      if (std::ranges::find(formula_.possible, false) != formula_.possible.end()) {
        Vector base(classes_);
        for (Index c = 0; c < classes_; ++c) base[c] = formula_.possible[at(c)] ? 0 : -infinity;
        scores = node("Add", {scores, row(base)});
      }
      if (bad_.empty()) return graph_.node("Identity", {scores}, {}, name);
      return graph_.node("Where",
                         {node("Greater", {sum(bad_), number(0)}),
                          number(std::numeric_limits<double>::quiet_NaN()), scores},
                         {}, name);
    };
    std::vector<std::string> added = parts;
    if (!formula_.base.empty()) added.push_back(row(formula_.base));
    const std::string log_likelihood = settle(sum(added), "log_likelihood");
    graph_.add_output("label", OnnxGraph::Type::text, {-1});
    graph_.add_output("log_likelihood", graph_.real(), {-1, classes_});
    graph_.add_output("posterior", graph_.real(), {-1, classes_});
    std::string calibrated = log_likelihood;
    if (formula_.calibrated()) {
      std::vector<std::string> scaled;
      for (Index b = 0; b < std::ssize(parts); ++b) {
        const std::string& part = parts[at(b)];
        std::string product = graph_.node("Mul", {part, graph_.scalar(formula_.scale[b])});
        if (!(formula_.scale[b] > 0))  // what is impossible stays impossible
          product = graph_.node(
              "Where", {graph_.node("Equal", {part, graph_.scalar(-infinity)}), part, product});
        scaled.push_back(product);
      }
      scaled.push_back(row(formula_.offset));
      calibrated = settle(mapped(sum(scaled)), {});
    }
    write_answers(calibrated);
    return graph_.file();
  }

 private:
  /// Scores of components → scores of classes: the largest one, and the logarithm of the sum of the
  /// others beside it.
  std::string mixed(const std::string& components) {
    const std::string joint = node("Add", {components, row(formula_.mixture->log_share)});
    std::vector<std::string> columns;
    for (Index c = 0; c < classes_; ++c) {
      const std::vector<Index> own = formula_.mixture->of(c);
      const std::string of = graph_.node(
          "Gather", {joint, graph_.integers({own.begin(), own.end()})}, {{"axis", {1}}});
      if (own.size() == 1) {
        columns.push_back(of);
        continue;
      }
      const std::string most =
          graph_.node("ReduceMax", {of}, {{"axes", {1}, {}, true}, {"keepdims", {1}}});
      const std::string top =
          node("Where", {node("Equal", {most, number(-infinity)}), number(0), most});
      columns.push_back(
          node("Add", {top, node("Log", {total(node("Exp", {node("Sub", {of, top})}))})}));
    }
    return beside(columns);
  }

  /// Calibrated scores after the knots, where there are some: f is its first value and, from each
  /// knot to the next, a ramp.
  std::string mapped(const std::string& scores) {
    const Vector &knots = formula_.knots, &values = formula_.values;
    if (knots.empty()) return scores;
    const auto column = [&](std::int64_t c) {
      return graph_.node("Gather", {scores, graph_.integers({c})}, {{"axis", {1}}});
    };
    const Index ramps = knots.size() - 1;
    const std::string first = column(0), second = column(1), ratio = node("Sub", {first, second});
    std::string f = node("Add", {node("Mul", {ratio, number(0)}), number(values[0])});
    if (ramps > 0) {
      Vector begin(ramps), width(ramps);
      Matrix slope(ramps, 1);
      for (Index k = 0; k < ramps; ++k) {
        begin[k] = knots[k];
        width[k] = knots[k + 1] - knots[k];
        slope(k, 0) = (values[k + 1] - values[k]) / width[k];
      }
      const std::string within =
          node("Min", {node("Max", {node("Sub", {ratio, row(begin)}), number(0)}), row(width)});
      f = node("Add", {f, node("MatMul", {within, graph_.tensor(slope)})});
    }
    const std::string both =
        graph_.node("Concat", {f, node("Mul", {f, number(0)})}, {{"axis", {1}}});
    const std::string lowest = number(-infinity);
    const std::string finite =
        node("And", {node("Greater", {first, lowest}), node("Greater", {second, lowest})});
    return node("Where", {finite, both, scores});
  }

  void add_inputs() {
    require_text(formula_, "ONNX");
    const auto taken = [](const std::string& name) {
      return name == "log_prior" || name == "cost" || name == "label" || name == "log_likelihood" ||
             name == "posterior";
    };
    if (matrix_) {
      graph_.add_input("input", graph_.real(), {-1, std::ssize(formula_.inputs)});
    } else {
      for (const FormulaInput& input : formula_.inputs) {
        if (taken(input.name))
          throw InvalidArgument({.features = {input.name}},
                                "the graph has an input or output of this name itself",
                                "use " + Option{"input", "matrix"} + ", or rename the column");
        graph_.add_input(input.name, input.has_names ? OnnxGraph::Type::text : graph_.real(),
                         {-1, 1});
      }
    }
    graph_.add_input("log_prior", graph_.real(), {classes_});
    graph_.add_input("cost", graph_.real(), {classes_, classes_});
  }

  /// Tensors side by side.
  std::string beside(const Inputs& parts) {
    return parts.size() == 1 ? parts[0] : graph_.node("Concat", parts, {{"axis", {1}}});
  }

  /// Some inputs side by side.
  std::string inputs(const std::vector<Index>& positions) {
    if (matrix_) {
      if (std::ssize(positions) == std::ssize(formula_.inputs) && is_run(positions)) return "input";
      return graph_.node("Gather", {"input", graph_.integers({positions.begin(), positions.end()})},
                         {{"axis", {1}}});
    }
    Inputs names;
    for (const Index j : positions) names.push_back(formula_.inputs[at(j)].name);
    return beside(names);
  }

  /// Some columns side by side.
  std::string columns(const std::vector<Index>& positions) {
    Inputs parts;
    for (std::size_t first = 0; first < positions.size();) {
      const FormulaColumn& column = formula_.columns[at(positions[first])];
      std::vector<Index> run;  // of plain columns, or of indicators of one input
      for (; first < positions.size(); ++first) {
        const FormulaColumn& next = formula_.columns[at(positions[first])];
        if (next.level.has_value() != column.level.has_value() ||
            (next.level && next.input != column.input))
          break;
        run.push_back(next.level ? *next.level : next.input);
      }
      parts.push_back(column.level ? indicators(column.input, run) : inputs(run));
    }
    return beside(parts);
  }

  /// The names of levels, in every spelling, and their numbers.
  static std::pair<std::vector<std::string>, std::vector<std::int64_t>> keys_of(
      const FormulaInput& input) {
    std::vector<std::string> names = input.levels;
    std::vector<std::int64_t> numbers(names.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    for (const auto& [spelling, level] : input.spellings) {
      names.push_back(spelling);
      numbers.push_back(level);
    }
    return {std::move(names), std::move(numbers)};
  }

  /// 1 where an input has a level (−1: none, it is missing), 0 elsewhere: rows × levels. A missing
  /// name is an empty string, or NaN in a matrix; a number has the level −1 alone.
  std::string indicators(Index position, const std::vector<Index>& levels) {
    const FormulaInput& input = formula_.inputs[at(position)];
    if (!input.has_names) return as_real(node("IsNaN", {inputs({position})}));
    const auto count = static_cast<std::int64_t>(input.levels.size());
    std::vector<std::int64_t> wanted;  // a missing one has the number after the last level
    for (const Index level : levels) wanted.push_back(level < 0 ? count : level);
    if (matrix_) {
      const std::string x = inputs({position});
      const std::string code =
          node("Where", {node("IsNaN", {x}), number(static_cast<double>(count)), x});
      Vector numbers(std::ssize(wanted));
      std::ranges::copy(wanted, numbers.begin());
      return as_real(node("Equal", {code, row(numbers)}));
    }
    auto [names, numbers] = keys_of(input);
    if (std::ranges::find(names, "") == names.end()) {
      names.emplace_back();
      numbers.push_back(count);
    }
    const std::string code = graph_.node("LabelEncoder", {input.name},
                                         {{"keys_strings", {}, names},
                                          {"values_int64s", numbers, {}, true},
                                          {"default_int64", {count + 1}}},
                                         {}, "ai.onnx.ml");
    return as_real(node("Equal", {code, graph_.integers(wanted)}));
  }

  /// Which values lie outside the domain; a missing value does not.
  std::string outside(Domain domain, const std::string& x) {
    const auto or_infinite = [&](const std::string& condition) {
      return node("Or", {condition, infinite(x)});
    };
    switch (domain) {
      case Domain::finite:
      case Domain::level:
        return infinite(x);
      case Domain::positive:
        return or_infinite(node("LessOrEqual", {x, number(0)}));
      case Domain::above_minus_one:
        return or_infinite(node("LessOrEqual", {x, number(-1)}));
      case Domain::not_negative:
        return or_infinite(node("Less", {x, number(0)}));
      case Domain::unit_interval:
        return node("Or",
                    {node("LessOrEqual", {x, number(0)}), node("GreaterOrEqual", {x, number(1)})});
      case Domain::zero_or_one:
        return node("Greater",
                    {node("Abs", {node("Mul", {x, node("Sub", {x, number(1)})})}), number(0)});
      case Domain::count:
        return or_infinite(node(
            "Or",
            {node("Less", {x, number(0)}),
             node("Greater", {node("Abs", {node("Sub", {x, node("Floor", {x})})}), number(0)})}));
    }
    return infinite(x);
  }

  /// `f` of the scale of each column, 1 × columns.
  std::string of_scales(const std::vector<Index>& positions, double (*f)(double)) {
    Vector numbers(std::ssize(positions));
    for (Index k = 0; k < numbers.size(); ++k)
      numbers[k] = f(formula_.columns[at(positions[at(k)])].transform.scale);
    return row(numbers);
  }

  /// Columns of one kind of transformation, side by side in x.
  std::string transformed_tensor(Transform::Kind kind, const std::vector<Index>& positions,
                                 const std::string& x) {
    switch (kind) {
      case Transform::Kind::none:
        break;
      case Transform::Kind::log:
        return node("Log", {x});
      case Transform::Kind::log1p:
        return log1p(x);
      case Transform::Kind::sqrt:
        return node("Sqrt", {x});
      case Transform::Kind::logit:
        return node("Sub", {node("Log", {x}), log1p(node("Neg", {x}))});
      case Transform::Kind::signed_log: {
        const std::string scales = of_scales(positions, [](double s) { return s; });
        return node("Mul", {node("Sign", {x}), log1p(node("Div", {node("Abs", {x}), scales}))});
      }
    }
    return x;
  }
  /// Of transformed values; 0 where one is missing.
  std::string derivative(Transform::Kind kind, const std::vector<Index>& positions,
                         const std::string& t) {
    std::string result;
    switch (kind) {
      case Transform::Kind::none:
      case Transform::Kind::log:
      case Transform::Kind::log1p:
        result = node("Neg", {t});
        break;
      case Transform::Kind::signed_log: {
        const std::string logs = of_scales(positions, [](double s) { return -std::log(s); });
        result = node("Sub", {logs, node("Abs", {t})});
        break;
      }
      case Transform::Kind::sqrt:
        result =
            node("Where", {node("Greater", {t, number(0)}),
                           node("Neg", {node("Log", {node("Mul", {t, number(2)})})}), number(0)});
        break;
      case Transform::Kind::logit: {
        const std::string size = node("Abs", {t});
        result = node("Add",
                      {size, node("Mul", {log1p(node("Exp", {node("Neg", {size})})), number(2)})});
      }
    }
    return node("Where", {node("IsNaN", {t}), number(0), result});
  }

  /// The transformed values of a block's columns, in their order. What lies outside its domain is
  /// remembered.
  OnnxValues values_of(const FormulaBlock& block) {
    OnnxValues result;
    std::map<Transform::Kind, std::vector<Index>> groups;
    for (const Index j : block.columns) groups[formula_.columns[at(j)].transform.kind].push_back(j);
    Inputs parts;
    std::vector<Index> order;
    for (const auto& [kind, positions] : groups) {
      const std::string x = columns(positions);
      const Domain domain = formula_.columns[at(positions[0])].domain();
      // Gaussian blocks look for infinite values themselves.
      if (domain != Domain::finite || kind != Transform::Kind::none)
        bad_.push_back(total(as_real(outside(domain, x))));
      parts.push_back(transformed_tensor(kind, positions, x));
      order.insert(order.end(), positions.begin(), positions.end());
      if (!block.derivatives || kind == Transform::Kind::none) continue;
      const std::string own = total(derivative(kind, positions, parts.back()));
      result.derivatives =
          result.derivatives.empty() ? own : node("Add", {result.derivatives, own});
    }
    result.x = parts.empty() ? "" : parts[0];
    if (parts.size() <= 1) return result;
    const std::string all = graph_.node("Concat", parts, {{"axis", {1}}});
    std::vector<std::int64_t> places;
    for (const Index j : block.columns)
      places.push_back(std::ranges::find(order, j) - order.begin());
    result.x = graph_.node("Gather", {all, graph_.integers(places)}, {{"axis", {1}}});
    return result;
  }

  std::string score(const FormulaBlock& block, const JointTerms& terms) {
    return terms_.score(block, terms, values_of(block));
  }
  std::string score(const FormulaBlock& block, const LinearTerms& terms) {
    return terms_.score(block, terms, values_of(block));
  }
  std::string score(const FormulaBlock& block, const IndependentTerms& terms) {
    return terms_.score(block, terms, values_of(block));
  }
  std::string score(const FormulaBlock& block, const BinaryTerms& terms) {
    return terms_.score(terms, values_of(block));
  }
  std::string score(const FormulaBlock& block, const CountTerms& terms) {
    return terms_.score(terms, values_of(block));
  }

  std::string score(const FormulaBlock&, const TextTerms&) { return {}; }  // refused before
  std::string score(const FormulaBlock& block, const LevelTerms& terms) {
    std::vector<std::string> parts;
    for (std::size_t j = 0; j < block.columns.size(); ++j) {
      const FormulaColumn& column = formula_.columns[at(block.columns[j])];
      const Matrix& table = terms.log_probability[j];
      const auto levels = static_cast<std::int64_t>(table.rows());
      if (levels == 0) continue;
      std::string code;
      if (matrix_) {
        const std::string x = columns({block.columns[j]});
        const std::string known =
            node("And", {node("And", {node("GreaterOrEqual", {x, number(0)}),
                                      node("Less", {x, number(static_cast<double>(levels))})}),
                         node("Equal", {x, node("Floor", {x})})});
        code = graph_.node("Cast", {node("Where", {known, x, number(static_cast<double>(levels))})},
                           {{"to", {static_cast<int>(OnnxGraph::Type::int64)}}});
      } else {
        const auto [names, numbers] = keys_of(formula_.input_of(column));
        code = graph_.node("LabelEncoder", {column.name},
                           {{"keys_strings", {}, names},
                            {"values_int64s", numbers, {}, true},
                            {"default_int64", {levels}}},
                           {}, "ai.onnx.ml");
      }
      // One more row, of zeros, for what is missing.
      Matrix rows(levels + 1, formula_.parts());
      std::copy_n(table.data(), table.size(), rows.data());
      const std::string gathered =
          graph_.node("Gather", {graph_.tensor(rows), code}, {{"axis", {0}}});
      parts.push_back(node("Squeeze", {gathered, graph_.integers({1})}));
    }
    if (parts.empty()) return graph_.tensor(Matrix(1, formula_.parts()));
    return sum(parts);
  }

  void write_answers(const std::string& scores) {
    const std::string log_prior =
        graph_.tensor({formula_.log_prior.data(), at(classes_)}, {classes_}, "log_prior");
    Matrix zero_one(classes_, classes_);
    for (Index c = 0; c < classes_; ++c)
      for (Index k = 0; k < classes_; ++k) zero_one(c, k) = c == k ? 0 : 1;
    const std::string cost =
        graph_.tensor(formula_.cost.empty() ? zero_one : formula_.cost, "cost");

    // A row that is impossible under every class tells nothing: its posteriors are the priors.
    const std::string sums = node("Add", {scores, log_prior});
    const std::string joint = graph_.choose(
        any_not_finite(sums), {-1, classes_},
        [&] {
          const std::string largest =
              graph_.node("ReduceMax", {sums}, {{"axes", {1}, {}, true}, {"keepdims", {1}}});
          return node("Where", {node("Equal", {largest, number(-infinity)}), log_prior, sums});
        },
        [&] { return sums; });
    const std::string posterior = graph_.node("Softmax", {joint}, {{"axis", {1}}}, "posterior");

    // With cost 1 for every mistake ties go to the first class, whatever rounding does to costs.
    const auto best = [&](const std::string& values) {
      return graph_.node("ArgMax", {values}, {{"axis", {1}}, {"keepdims", {0}}});
    };
    const std::string other = node("Not", {node("Equal", {cost, graph_.tensor(zero_one)})});
    const std::string decided = graph_.choose(
        any(other), {-1},
        [&] {
          return best(node("Neg", {node("MatMul", {posterior, cost})}));
        },
        [&] { return best(joint); }, OnnxGraph::Type::int64);
    // Without scores, or without a class that has a prior, there is none.
    const std::string undecided =
        node("Squeeze", {node("IsNaN", {total(posterior)}), graph_.integers({1})});
    std::vector<std::string> labels = formula_.labels;
    labels.emplace_back();
    const std::string position = node("Where", {undecided, graph_.integers({classes_}), decided});
    graph_.node("Gather", {graph_.strings(labels), position}, {{"axis", {0}}}, "label");
  }

  const Formula& formula_;
  bool matrix_;
  Index classes_;
  std::vector<std::string> bad_;  ///< rows × 1: above 0 where a value is outside its domain
  OnnxTerms terms_;
};

}  // namespace

std::string write_onnx(const Formula& formula, const ExportOptions& options) {
  OnnxGraph graph(options.name.value_or("model"), options.real.value_or(Real::float64),
                  unused_prefix(formula));
  return OnnxWriter(formula, options, graph).write();
}

}  // namespace suffice
