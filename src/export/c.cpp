#include "export/c.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "data/transform.hpp"
#include "export/c_block.hpp"
#include "export/c_source.hpp"
#include "export/text.hpp"
#include "models/marginal.hpp"
#include "sample/drawn_columns.hpp"
#include "suffice/sample/sample.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {
namespace {

/// log Γ(a + h) − log Γ(a) − h log a, by Stirling's series where a is large.
constexpr std::string_view log_gamma_functions = R"(
/* What log Gamma has of x beyond (x - 1/2) log x - x + 1/2 log 2 pi; x >= 16. */
static inline @_real @_stirling(@_real x) {
  const @_real u = $1.0 / (x * x);
  return ($1.0 / $12.0 - u * ($1.0 / $360.0 - u * ($1.0 / $1260.0 - u * ($1.0 / $1680.0 -
          u * ($1.0 / $1188.0))))) / x;
}
/* log Gamma(a + h) - log Gamma(a) - h log a */
static inline @_real @_log_gamma_excess(@_real a, @_real h) {
  @_real steps = $0.0, large = a, log_ratio;
  if (h < $16.0 && h == $floor(h)) {
    @_real i;
    for (i = $1.0; i < h; i += $1.0) steps += $log1p(i / a);
    return steps;
  }
  for (; large < $16.0; large += $1.0) steps += $log1p(h / large);
  log_ratio = $log1p(h / large);
  return (large + h - $0.5) * log_ratio - h + @_stirling(large + h) - @_stirling(large) +
         h * $log(large / a) - steps;
}
)";

/// Four sums at a time: one would wait for itself in each step.
constexpr std::string_view dot_function = R"(
static inline @_real @_dot(const @_real *a, const @_real *b, int n) {
  @_real s = $0.0, t = $0.0, u = $0.0, v = $0.0;
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    s += a[j] * b[j];
    t += a[j + 1] * b[j + 1];
    u += a[j + 2] * b[j + 2];
    v += a[j + 3] * b[j + 3];
  }
  for (; j < n; ++j) s += a[j] * b[j];
  return (s + t) + (u + v);
}

)";

/// The condition under which a value that is not missing lies outside the domain.
std::string_view outside(Domain domain) {
  switch (domain) {
    case Domain::finite:
      return "x[j] - x[j] != $0.0";
    case Domain::positive:
      return "x[j] <= $0.0 || x[j] - x[j] != $0.0";
    case Domain::above_minus_one:
      return "x[j] <= -$1.0 || x[j] - x[j] != $0.0";
    case Domain::not_negative:
      return "x[j] < $0.0 || x[j] - x[j] != $0.0";
    case Domain::unit_interval:
      return "x[j] <= $0.0 || x[j] >= $1.0";
    case Domain::zero_or_one:
      return "x[j] != $0.0 && x[j] != $1.0";
    case Domain::count:
      return "x[j] < $0.0 || x[j] - x[j] != $0.0 || x[j] != @_floor(x[j])";
    case Domain::level:
      break;
  }
  return "";
}

std::string_view transformation(Transform::Kind kind) {
  switch (kind) {
    case Transform::Kind::none:
      return "x[j]";
    case Transform::Kind::log:
      return "$log(x[j])";
    case Transform::Kind::log1p:
      return "$log1p(x[j])";
    case Transform::Kind::sqrt:
      return "$sqrt(x[j])";
    case Transform::Kind::logit:
      return "$log(x[j]) - $log1p(-x[j])";
    case Transform::Kind::signed_log:
      return "x[j] < $0.0 ? -$log1p(-x[j] / @_column_scale[j]) : $log1p(x[j] / "
             "@_column_scale[j])";
  }
  return "x[j]";
}

/// @_input: t gets the transformed values of a row.
void write_input(const Formula& formula, CSource& out) {
  const auto same = [&](std::size_t a, std::size_t b) {
    const FormulaColumn &first = formula.columns[a], &second = formula.columns[b];
    return first.used == second.used && first.domain() == second.domain() &&
           first.transform.kind == second.transform.kind && !first.level && !second.level &&
           static_cast<Index>(b - a) == second.input - first.input;
  };
  const bool scaled = std::ranges::any_of(formula.columns, [](const FormulaColumn& c) {
    return c.used && c.transform.kind == Transform::Kind::signed_log;
  });
  if (scaled) {
    std::vector<double> scales;
    for (const FormulaColumn& column : formula.columns) scales.push_back(column.transform.scale);
    out.add_table("column_scale", scales);
  }
  const bool counts = std::ranges::any_of(formula.columns, [](const FormulaColumn& c) {
    return c.used && c.domain() == Domain::count;
  });
  if (counts)
    out.add(
        "/* floor of x >= 0, which is whole from 2^53 on */\nstatic inline @_real "
        "@_floor(@_real x) {\n  return x < $9007199254740992.0 ? (@_real)(long long)x : x;\n}\n");
  out.add(
      "/* Transformed values; NaN is missing. */\nstatic inline int @_input(const @_real x[], "
      "@_real t[]) {\n  int j;\n");
  for (std::size_t first = 0; first < formula.columns.size();) {
    std::size_t end = first + 1;
    while (end < formula.columns.size() && same(first, end)) ++end;
    const FormulaColumn& column = formula.columns[first];
    if (column.level) {
      const std::string x = "x[" + std::to_string(column.input) + "]";
      out.add("  t[" + std::to_string(first) + "] = " +
              (*column.level < 0
                   ? x + " == " + x + " ? $0.0 : $1.0"
                   : x + " == $" + std::to_string(*column.level) + ".0 ? $1.0 : $0.0") +
              ";\n");
      first = end;
      continue;
    }
    // Indicators before it were read from fewer inputs.
    const Index before = static_cast<Index>(first) - column.input;
    const std::string x = before == 0 ? "x[j]" : "x[j - " + std::to_string(before) + "]";
    out.add("  for (j = " + std::to_string(static_cast<Index>(first)) + "; j < " +
            std::to_string(static_cast<Index>(end)) + "; ++j) {\n");
    if (column.used && column.domain() != Domain::level)
      out.add(replaced("    if (x[j] == x[j] && (" + std::string(outside(column.domain())) +
                           ")) return @_OUT_OF_RANGE;\n",
                       "x[j]", x));
    out.add("    t[j] = " +
            replaced(column.used ? transformation(column.transform.kind) : "$0.0", "x[j]", x) +
            ";\n  }\n");
    first = end;
  }
  out.add("  return @_OK;\n}\n\n");
}

/// Sums of all blocks in @_scores, and calibrated ones.
void write_block_sums(const Formula& formula, CSource& out) {
  const bool calibrated = formula.calibrated();
  out.add(std::string("  for (c = 0; c < @_CLASSES; ++c) raw[c] = ") +
          (formula.base.empty() ? "$0.0" : "@_base[c]") + ";\n");
  if (calibrated) out.add("  for (c = 0; c < @_CLASSES; ++c) calibrated[c] = @_offset[c];\n");
  for (std::size_t b = 0; b < formula.blocks.size(); ++b) {
    const std::string block = std::to_string(b);
    out.add("  if (status == @_OK) {\n    status = @_block_" + block +
            "(t, part);\n    for (c = 0; c < @_CLASSES; ++c) raw[c] += part[c];\n");
    if (calibrated)
      out.add(
          "    for (c = 0; c < @_CLASSES; ++c) calibrated[c] +=\n          part[c] > "
          "-@_INFINITY ? @_scale[" +
          block + "] * part[c] : part[c];\n");
    out.add("  }\n");
  }
}

/// The same of a mixture: log Σ_g exp(joint[g]) over the components of a class.
void write_mixed_sums(const Formula& formula, CSource& out) {
  out.add("  for (g = 0; g < @_COMPONENTS; ++g) joint[g] = @_log_share[g];\n");
  for (std::size_t b = 0; b < formula.blocks.size(); ++b)
    out.add("  if (status == @_OK) {\n    status = @_block_" + std::to_string(b) +
            "(t, part);\n    for (g = 0; g < @_COMPONENTS; ++g) joint[g] += part[g];\n  }\n");
  out.add(
      "  for (c = 0; c < @_CLASSES; ++c) {\n    @_real largest = -@_INFINITY, sum = $0.0;\n"
      "    for (g = 0; g < @_COMPONENTS; ++g)\n      if (@_class_of[g] == c && joint[g] > "
      "largest) largest = joint[g];\n    for (g = 0; g < @_COMPONENTS && largest > -@_INFINITY; "
      "++g)\n      if (@_class_of[g] == c) sum += $exp(joint[g] - largest);\n"
      "    raw[c] = largest > -@_INFINITY ? largest + $log(sum) : largest;\n");
  if (formula.calibrated())
    out.add(
        "    calibrated[c] = raw[c] > -@_INFINITY ? @_scale[0] * raw[c] + @_offset[c] : raw[c];\n");
  out.add("  }\n");
}

/// @_scores: log-likelihoods and calibrated scores.
void write_scores(const Formula& formula, CSource& out) {
  const bool calibrated = formula.calibrated();
  if (calibrated) {
    out.add_table("scale", formula.scale);
    out.add_table("offset", formula.offset);
    if (!formula.knots.empty()) {
      out.add_table("knots", formula.knots);
      out.add_table("values", formula.values);
    }
  }
  if (!formula.base.empty()) out.add_table("base", formula.base);
  if (formula.mixture) {
    out.add_positions("class_of", formula.mixture->label);
    out.add_table("log_share", formula.mixture->log_share);
  }
  out.add(std::string("/* Log-likelihoods") + (calibrated ? " and calibrated scores" : "") +
          "; returns the status. */\nstatic inline int @_scores(const @_real x[], @_real raw[]" +
          (calibrated ? ", @_real calibrated[]" : "") + ") {\n  @_real t[" +
          (formula.columns.size() == formula.inputs.size()
               ? std::string("@_COLUMNS")
               : std::to_string(formula.columns.size())) +
          (formula.mixture ? "], part[@_COMPONENTS], joint[@_COMPONENTS];\n  int c, g"
                           : "], part[@_CLASSES];\n  int c") +
          ", status = @_input(x, t);\n");
  if (formula.mixture)
    write_mixed_sums(formula, out);
  else
    write_block_sums(formula, out);
  if (!formula.knots.empty())
    out.add(
        "  if (calibrated[0] > -@_INFINITY && calibrated[1] > -@_INFINITY) {\n    const @_real "
        "r = calibrated[0] - calibrated[1];\n    const int knots = " +
        std::to_string(formula.knots.size()) +
        ";\n    int k = 0;\n    while (k < knots && @_knots[k] < r) ++k;\n    calibrated[0] = "
        "k == 0 ? @_values[0] : k == knots ? @_values[knots - 1] :\n        @_values[k - 1] + "
        "(r - @_knots[k - 1]) / (@_knots[k] - @_knots[k - 1]) * (@_values[k] - @_values[k - "
        "1]);\n    calibrated[1] = $0.0;\n  }\n");
  for (Index c = 0; c < formula.classes(); ++c)
    if (!formula.possible[at(c)])
      out.add("  raw[" + std::to_string(c) + "] = " +
              (calibrated ? "calibrated[" + std::to_string(c) + "] = " : "") + "-@_INFINITY;\n");
  out.add("  for (c = 0; c < @_CLASSES && status != @_OK; ++c) raw[c] = " +
          std::string(calibrated ? "calibrated[c] = " : "") + "@_NAN;\n  return status;\n}\n\n");
}

constexpr std::string_view answers =
    R"(/* log p(x | c) of each class. Returns @_OK, or the reason why all of them are NaN. */
static inline int @_log_likelihood(const @_real x[], @_real out[]) {
  #LOG_LIKELIHOOD
}

/* The class (a position in @_labels) of a row; -1 where it has no scores. log_prior and cost may
   be null: then they are those of this file. cost has true x decided, row by row. */
static inline int @_most_probable(const @_real x[], const @_real log_prior[]) {
  @_real score[@_CLASSES], largest;
  int c, best = 0;
  const @_real *const prior = log_prior ? log_prior : @_log_prior;
  #SCORES(score)return -1;
  for (c = 0; c < @_CLASSES; ++c) score[c] += prior[c];
  largest = score[0];
  for (c = 1; c < @_CLASSES; ++c)
    if (score[c] > largest) {
      largest = score[c];
      best = c;
    }
  if (largest > -@_INFINITY) return best;
  for (c = 1, best = 0; c < @_CLASSES; ++c) /* the row tells nothing */
    if (prior[c] > prior[best]) best = c;
  return prior[best] > -@_INFINITY ? best : -1;
}

#ifndef @_NO_POSTERIOR
/* Posterior probabilities under log_prior (null: those of this file). */
static inline int @_posterior(const @_real x[], const @_real log_prior[], @_real out[]) {
  @_real largest, sum = $0.0;
  int c, status = @_OK;
  const @_real *const prior = log_prior ? log_prior : @_log_prior;
  #SCORES(out)status = @_MISSING;
  largest = -@_INFINITY;
  for (c = 0; c < @_CLASSES && status == @_OK; ++c) {
    out[c] += prior[c];
    if (out[c] > largest) largest = out[c];
  }
  if (status == @_OK && !(largest > -@_INFINITY)) { /* the row tells nothing */
    for (c = 0; c < @_CLASSES; ++c) {
      out[c] = prior[c];
      if (out[c] > largest) largest = out[c];
    }
    if (!(largest > -@_INFINITY)) status = @_OUT_OF_RANGE; /* and neither do the priors */
  }
  if (status != @_OK) {
    for (c = 0; c < @_CLASSES; ++c) out[c] = @_NAN;
    return status;
  }
  for (c = 0; c < @_CLASSES; ++c) sum += out[c] = $exp(out[c] - largest);
  for (c = 0; c < @_CLASSES; ++c) out[c] /= sum;
  return @_OK;
}

/* The decision with the smallest expected cost. */
static inline int @_decide_with(const @_real x[], const @_real log_prior[], const @_real cost[]) {
  @_real p[@_CLASSES], expected, smallest = $0.0;
  int c, k, best = -1;
  #DEFAULT_COST
  if (!cost) return @_most_probable(x, log_prior);
  if (@_posterior(x, log_prior, p) != @_OK) return -1;
  for (k = 0; k < @_CLASSES; ++k) {
    expected = $0.0;
    for (c = 0; c < @_CLASSES; ++c)
      if (p[c] != $0.0) expected += p[c] * cost[c * @_CLASSES + k];
    if (best < 0 || expected < smallest) {
      smallest = expected;
      best = k;
    }
  }
  return best;
}
#endif
)";

/// The functions for callers.
std::string answers_for(const Formula& formula) {
  const bool calibrated = formula.calibrated();
  std::string text =
      replaced(answers, "#LOG_LIKELIHOOD",
               calibrated ? "@_real calibrated[@_CLASSES];\n  return @_scores(x, out, calibrated);"
                          : "return @_scores(x, out);");
  const std::string before = calibrated ? "@_real raw[@_CLASSES];\n" : "";
  text = replaced(text, "  @_real score[@_CLASSES], largest;",
                  calibrated ? "  @_real raw[@_CLASSES], score[@_CLASSES], largest;"
                             : "  @_real score[@_CLASSES], largest;");
  text = replaced(text, "  @_real largest, sum = $0.0;\n  int c, status = @_OK;",
                  std::string(calibrated ? "  @_real raw[@_CLASSES];\n" : "") +
                      "  @_real largest, sum = $0.0;\n  int c, status;");
  text = replaced(
      text, "#SCORES(score)",
      calibrated ? "if (@_scores(x, raw, score) != @_OK) " : "if (@_scores(x, score) != @_OK) ");
  text = replaced(text, "#SCORES(out)status = @_MISSING;",
                  calibrated ? "status = @_scores(x, raw, out);" : "status = @_scores(x, out);");
  text = replaced(text, "  #DEFAULT_COST\n",
                  formula.cost.empty() ? "" : "  if (!cost) cost = @_cost;\n");
  // Costs need probabilities, and those the exponential function.
  text += formula.cost.empty()
              ? "static inline int @_decide(const @_real x[]) { return @_most_probable(x, 0); }\n"
              : "#ifndef @_NO_POSTERIOR\nstatic inline int @_decide(const @_real x[]) { return "
                "@_decide_with(x, 0, 0); }\n#endif\n";
  return text;
}

/// Rows drawn from the model. Those of projections are put back among the features: not rows that
/// the model would draw, but rows near its means.
Sample drawn_rows(const Model& model, Index count, const Execution& execution) {
  const Priors priors = Priors::from_counts(model);
  const std::span<const double> mixture(priors.probabilities().data(), at(model.labels().size()));
  const SampleOptions options{.document_length = 20};
  const auto map_of = [&](std::size_t b) -> const LinearMap* {
    const auto* gaussian = std::get_if<GaussianDensity>(&model.densities()[b]);
    return gaussian && !gaussian->projection.empty() ? &gaussian->projection : nullptr;
  };
  const std::vector<Block>& blocks = model.schema().blocks();
  bool projected = false;
  for (std::size_t b = 0; b < blocks.size(); ++b) projected |= map_of(b) != nullptr;
  if (!projected) return sample(model, count, mixture, options, execution);

  Sample drawn = sample(without_maps(model), count, mixture, options, execution);
  const Schema& schema = model.schema();
  const auto columns = std::ssize(schema.columns());
  Matrix features(count, schema.size());
  Sample result{.values = Matrix(count, columns),
                .classes = std::move(drawn.classes),
                .labels = std::move(drawn.labels),
                .levels = std::vector<Names>(at(columns))};
  for (Index j = 0; j < columns; ++j)
    if (schema.has_level_indicators(j)) result.levels[at(j)] = indicator_levels(schema, j);
  Index first = 0;  // of the block's numbers among those drawn
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const LinearMap* map = map_of(b);
    for (Index j = 0; j < std::ssize(blocks[b].features); ++j) {
      const Index feature = blocks[b].features[at(j)];
      for (Index i = 0; i < count; ++i) {
        double t = map ? map->offset[j] : drawn.values(i, first + j);
        for (Index k = 0; map && k < map->matrix.cols(); ++k)
          t += drawn.values(i, first + k) * map->matrix(j, k);
        features(i, feature) = t;
      }
      if (!map && blocks[b].family == Family::categorical)
        result.levels[at(schema.column(feature))] = drawn.levels[at(first + j)];
    }
    first += map ? map->matrix.cols() : std::ssize(blocks[b].features);
  }
  DrawnColumns read(schema, result.levels);
  for (Index i = 0; i < count; ++i) read.read(features.row(i), result.values.row(i));
  return result;
}

/// The densities of a discriminative model.
Model without_weights(const Model& model) {
  Model::Parts parts = model.parts();
  parts.logistic.reset();
  parts.options.reset();
  return Model(std::move(parts));
}

/// As if nothing were ever missing: many rows that lack a value have no scores here.
Model without_missing_indicators(const Model& model) {
  const Schema& schema = model.schema();
  if (!schema.has_missing_indicators()) return model;
  std::vector<bool> dropped;
  for (Index j = 0; j < schema.size(); ++j)
    dropped.push_back(schema.feature(j).is_of_missing() &&
                      !schema.reader(schema.column(j)).is_of_missing());
  return marginal(model, dropped, std::vector<double>(at(model.weights().size()), 1.0));
}

/// Rows of the model with the scores that the engine gives them.
void write_selftest(const Model& model, const Formula& formula, const Execution& execution,
                    CSource& out) {
  constexpr Index rows = 8;
  Sample drawn =
      drawn_rows(without_missing_indicators(model.logistic() ? without_weights(model) : model),
                 rows, execution);
  Matrix& x = drawn.values;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < x.cols(); ++j)
      if (!drawn.levels[at(j)].empty() && x(i, j) < 0) x(i, j) = std::nan("");
  if (out.is_float())
    for (double& value : std::span(x.data(), at(x.size())))
      value = static_cast<double>(static_cast<float>(value));
  for (const FormulaBlock& block : formula.blocks) {  // a missing value, where that has scores
    const auto* counts = std::get_if<CountTerms>(&block.terms);
    const auto* independent = std::get_if<IndependentTerms>(&block.terms);
    const bool joint = std::holds_alternative<JointTerms>(block.terms) ||
                       std::holds_alternative<LinearTerms>(block.terms);
    // Relative scores of such a row may differ by what its classes share.
    if (joint || (independent && independent->is_linear()) || (counts && counts->documents) ||
        block.columns.empty())
      continue;
    x(rows - 1, formula.columns[at(block.columns[0])].input) = std::nan("");
    break;
  }
  const LogLikelihoods scores =
      log_likelihood(model, drawn.rows(), {.relative = formula.relative}, execution);
  out.add(
      "\n#ifdef @_SELFTEST\n/* Returns how many of the rows below have other scores than "
      "expected. */\n");
  out.add_table("selftest_rows", x);
  out.add_table("selftest_scores", scores.values);
  out.add(
      "static inline int @_selftest(void) {\n  int i, c, wrong = 0;\n  for (i = 0; i < " +
      std::to_string(rows) +
      "; ++i) {\n    @_real out[@_CLASSES];\n    int differs = "
      "@_log_likelihood(@_selftest_rows + i * @_COLUMNS, out) != @_OK;\n    for (c = 0; c < "
      "@_CLASSES; ++c) {\n      const @_real want = @_selftest_scores[i * @_CLASSES + c];\n"
      "      const @_real size = want < $0.0 ? $1.0 - want : $1.0 + want;\n"
      "      const @_real error = out[c] > want ? out[c] - want : want - out[c];\n"
      "      if (out[c] != want && !(error <= " +
      (out.is_float() ? "$0.001" : "$0.000000001") +
      " * size)) differs = 1;\n    }\n    wrong += differs;\n  }\n  return wrong;\n}\n#endif\n");
}

}  // namespace

std::string write_c(const Model& model, const Formula& formula, const ExportOptions& options,
                    const Execution& execution) {
  CSource out(options.name.value_or("model"), options.real.value_or(Real::float64));
  const bool logarithms = needs_logarithms(formula);
  out.add(
      "/* Written by suffice export. Rows of this model are scored by\n\n"
      "     @_log_likelihood(x, out)          log p(x | c) of each class\n"
      "     @_posterior(x, log_prior, out)    posterior probabilities\n"
      "     @_decide(x)                       a position in @_labels, or -1\n"
      "     @_decide_with(x, log_prior, cost)\n\n"
      "   x has a number for each of @_columns: for a categorical column the number of the\n"
      "   level (@_level), NaN for a missing value. log_prior and cost may be null.\n"
      "   @_NO_POSTERIOR leaves out what needs <math.h> for probabilities; @_SELFTEST adds\n"
      "   @_selftest(). */\n\n#ifndef @_SUFFICE_H\n#define @_SUFFICE_H\n\n"
      "#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__\n"
      "#error \"a missing value is NaN: compile without -ffast-math and -ffinite-math-only\"\n"
      "#endif\n/* Numbers are hexadecimal; C++ has those since C++17. */\n"
      "#if defined(__cplusplus) && __cplusplus < 201703L\n#define @_DECIMAL\n#endif\n\n");
  out.add(logarithms ? "#include <math.h>\n\n"
                     : "#ifndef @_NO_POSTERIOR\n#include <math.h>\n#endif\n\n");
  out.add(std::string("typedef ") + (out.is_float() ? "float" : "double") +
          " @_real;\nenum { @_COLUMNS = " + std::to_string(std::ssize(formula.inputs)) +
          ", @_CLASSES = " + std::to_string(formula.classes()) +
          (formula.mixture ? ", @_COMPONENTS = " + std::to_string(formula.parts()) : "") +
          " };\n/* Status: scores; a missing value in a joint block or of a word; a value that the "
          "column cannot\n   have. Without scores, all of them are NaN. */\nenum { @_OK = 0, "
          "@_MISSING = 1, @_OUT_OF_RANGE = 2 };\n#define @_INFINITY ($1.0 / $0.0)\n#define @_NAN "
          "($0.0 / $0.0)\n\n");
  std::vector<std::string> columns;
  for (const FormulaInput& input : formula.inputs) columns.push_back(input.name);
  out.add_strings("columns", columns);
  out.add_strings("labels", formula.labels);
  out.add_table("log_prior", formula.log_prior);
  if (!formula.cost.empty()) out.add_table("cost", formula.cost);
  std::string cases;
  bool indicators = false;  // a name that is not listed is another thing than a missing one
  bool spellings = false;   // names beyond the first `count` are other spellings of levels
  for (std::size_t j = 0; j < formula.inputs.size(); ++j) {
    const FormulaInput& input = formula.inputs[j];
    if (input.levels.empty()) continue;
    const std::string own = "levels_" + std::to_string(j);
    const std::string count = std::to_string(input.levels.size());
    std::vector<std::string> names = input.levels;
    std::vector<Index> numbers;
    for (const auto& [spelling, level] : input.spellings) {
      names.push_back(spelling);
      numbers.push_back(level);
    }
    out.add_strings(own, names);
    if (!numbers.empty()) out.add_positions("spellings_" + std::to_string(j), numbers);
    const bool own_indicators =
        std::ranges::any_of(formula.columns, [&](const FormulaColumn& column) {
          return column.level && column.input == static_cast<Index>(j);
        });
    cases += "  if (column == " + std::to_string(j) + ") {\n    levels = @_" + own +
             ";\n    count = " + count + ";\n" +
             (numbers.empty() ? std::string()
                              : "    spelled = " + std::to_string(numbers.size()) +
                                    ";\n    numbers = @_spellings_" + std::to_string(j) + ";\n") +
             (own_indicators ? "    other = $" + count + ".0;\n" : std::string()) + "  }\n";
    indicators = indicators || own_indicators;
    spellings = spellings || !numbers.empty();
  }
  const std::string other = indicators ? "  @_real other = @_NAN;\n" : "";
  if (!cases.empty())
    out.add((indicators
                 ? "/* The number of a level of a categorical column. For another name it is "
                   "NaN, which is missing,\n   or a number that no level of the column has. "
                   "*/\n"
                 : std::string("/* The number of a level of a categorical column; NaN, which is "
                               "missing, for another name. */\n")) +
            "static inline @_real @_level(int column, const char *name) {\n  const char "
            "*const *levels = 0;\n  int count = 0, l, i;\n" +
            (spellings ? "  int spelled = 0;\n  const int *numbers = 0;\n" : "") + other + cases +
            "  for (l = 0; l < count" + (spellings ? " + spelled" : "") +
            "; ++l) {\n    for (i = 0; levels[l][i] && levels[l][i] == "
            "name[i]; ++i) {\n    }\n    if (levels[l][i] == name[i]) return (@_real)" +
            (spellings ? "(l < count ? l : numbers[l - count])" : "l") +
            ";\n  }\n"
            "  return " +
            (indicators ? "other" : "@_NAN") + ";\n}\n");
  out.add("\n");
  const bool excess = std::ranges::any_of(formula.blocks, [](const FormulaBlock& block) {
    const auto* counts = std::get_if<CountTerms>(&block.terms);
    return counts && (counts->factorial || counts->beyond == CountTerms::Beyond::rising);
  });
  if (excess) out.add(log_gamma_functions);
  const bool dot = std::ranges::any_of(formula.blocks, [](const FormulaBlock& block) {
    const auto* joint = std::get_if<JointTerms>(&block.terms);
    return joint && !joint->whitener.empty();
  });
  if (dot) out.add(dot_function);
  write_input(formula, out);
  for (Index b = 0; b < std::ssize(formula.blocks); ++b) write_c_block(formula, b, out);
  write_scores(formula, out);
  out.add(answers_for(formula));
  write_selftest(model, formula, execution, out);
  out.add("\n#endif\n");
  return std::move(out).take();
}

}  // namespace suffice
