#include "export/c_block.hpp"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "core/at.hpp"
#include "export/text.hpp"

namespace suffice {
namespace {

std::string number(Index value) { return std::to_string(value); }

/// log |dt/dx| of t[j].
std::string_view log_derivative_text(Transform::Kind kind) {
  switch (kind) {
    case Transform::Kind::none:
      break;
    case Transform::Kind::log:
    case Transform::Kind::log1p:
      return "-t[j]";
    case Transform::Kind::sqrt:
      return "t[j] > $0.0 ? -$log($2.0 * t[j]) : $0.0";
    case Transform::Kind::logit:
      return "$fabs(t[j]) + $2.0 * $log1p($exp(-$fabs(t[j])))";
    case Transform::Kind::signed_log:
      return "-$log(@_column_scale[j]) - $fabs(t[j])";
  }
  return "$0.0";
}

class CBlockWriter {
 public:
  CBlockWriter(const Formula& formula, Index block, CSource& out)
      : formula_(formula),
        block_(formula.blocks[at(block)]),
        out_(out),
        own_("b" + number(block)) {}

  void write() {
    write_columns();
    std::visit([&](const auto& terms) { write_tables(terms); }, block_.terms);
    if (!block_.projection.empty()) {
      out_.add_table(own_ + "_offset", block_.projection.offset);
      out_.add_table(own_ + "_map", block_.projection.matrix);
    }
    add("/* Block " + own_.substr(1) + ": " + comment_text(describe(formula_, block_)) +
        " */\nstatic inline int @_block_" + own_.substr(1) +
        "(const @_real t[], @_real out[]) {\n");
    std::visit([&](const auto& terms) { write_code(terms); }, block_.terms);
    write_derivatives();
    add("  return @_OK;\n}\n\n");
  }

 private:
  /// Terms of a mixture are those of components.
  void add(const std::string& text) {
    out_.add(formula_.mixture ? replaced(text, "@_CLASSES", "@_COMPONENTS") : text);
  }
  Index n() const { return block_.width(); }
  Index columns() const { return std::ssize(block_.columns); }
  std::string table(const std::string& name) const { return "@_" + own_ + "_" + name; }

  void write_columns() {
    if (is_run(block_.columns)) return;
    out_.add_positions(own_ + "_columns", block_.columns);
  }
  /// The transformed value of column j of the block.
  std::string value(const std::string& j) const {
    if (!is_run(block_.columns)) return "t[" + table("columns") + "[" + j + "]]";
    const Index first = block_.columns.empty() ? 0 : block_.columns[0];
    return first == 0 ? "t[" + j + "]" : "t[" + number(first) + " + " + j + "]";
  }

  void write_tables(const JointTerms& terms) {
    out_.add_table(own_ + "_center", terms.center);
    if (terms.whitener.empty()) {
      out_.add_table(own_ + "_scale", terms.scale);
    } else {
      std::vector<double> packed;
      for (const Matrix& w : terms.whitener)
        for (Index i = 0; i < w.rows(); ++i)
          packed.insert(packed.end(), w.row(i).begin(), w.row(i).begin() + i + 1);
      out_.add_table(own_ + "_whitener", packed);
    }
    out_.add_table(own_ + "_mean", terms.mean);
    out_.add_table(own_ + "_constant", terms.constant);
    if (terms.dof.empty()) return;
    Vector power = terms.dof;
    for (double& value : power) value = -0.5 * (value + static_cast<double>(n()));
    out_.add_table(own_ + "_power", power);
    out_.add_table(own_ + "_spread", terms.spread);
  }
  /// Numbers of a feature stand side by side, one for each class: sums of the classes do not wait
  /// for each other.
  void write_tables(const IndependentTerms& terms) {
    out_.add_table(own_ + "_center", terms.center);
    out_.add_table(own_ + "_scale", transposed(terms.scale));
    if (!terms.is_linear()) out_.add_table(own_ + "_mean", transposed(terms.mean));
    out_.add_table(own_ + "_constant", transposed(terms.constant));
    if (!terms.dof.empty()) out_.add_table(own_ + "_dof", transposed(terms.dof));
  }
  void write_tables(const LinearTerms& terms) {
    out_.add_table(own_ + "_center", terms.center);
    out_.add_table(own_ + "_weight", transposed(terms.weight));
    out_.add_table(own_ + "_constant", terms.constant);
    if (!terms.product.empty()) out_.add_table(own_ + "_product", transposed(terms.product));
  }
  void write_tables(const BinaryTerms& terms) {
    out_.add_table(own_ + "_log_zero", terms.log_zero);
    out_.add_table(own_ + "_log_one", terms.log_one);
  }
  void write_tables(const CountTerms& terms) {
    if (!terms.constant.empty()) out_.add_table(own_ + "_at_zero", terms.constant);
    out_.add_table(own_ + "_slope", terms.slope);
    if (terms.beyond != CountTerms::Beyond::none) out_.add_table(own_ + "_shape", terms.shape);
    if (!terms.rate.empty()) out_.add_table(own_ + "_rate", terms.rate);
    if (!terms.concentration.empty()) out_.add_table(own_ + "_concentration", terms.concentration);
  }
  void write_tables(const TextTerms&) {}  // refused before
  void write_code(const TextTerms&) {}
  void write_tables(const LevelTerms& terms) {
    std::vector<double> all;
    std::vector<Index> first, count;
    for (const Matrix& probabilities : terms.log_probability) {
      first.push_back(std::ssize(all) / formula_.parts());
      count.push_back(probabilities.rows());
      all.insert(all.end(), probabilities.data(), probabilities.data() + probabilities.size());
    }
    out_.add_positions(own_ + "_first", first);
    out_.add_positions(own_ + "_count", count);
    out_.add_table(own_ + "_log_probability", all);
  }

  /// z: what the terms are over, less `center`.
  void write_centered(bool joint) {
    const std::string n_text = number(n());
    if (!block_.projection.empty()) {
      add("  @_real z[" + n_text + "];\n  int i, j, c;\n  for (j = 0; j < " + n_text +
          "; ++j) z[j] = $0.0;\n  for (i = 0; i < " + number(columns()) +
          "; ++i) {\n    const @_real u = " + value("i") + " - " + table("offset") +
          "[i];\n    if (u != u) {\n      for (c = 0; c < @_CLASSES; ++c) out[c] = $0.0;\n"
          "      return @_OK; /* the block is left out */\n    }\n    for (j = 0; j < " +
          n_text + "; ++j) z[j] += u * " + table("map") + "[i * " + n_text +
          " + j];\n  }\n  for (j = 0; j < " + n_text + "; ++j) z[j] -= " + table("center") +
          "[j];\n");
      return;
    }
    add("  @_real z[" + n_text + "];\n" +
        (joint ? "  int i, j, c, missing = 0;\n" : "  int j, c;\n") + "  for (j = 0; j < " +
        n_text + "; ++j) {\n    z[j] = " + value("j") + " - " + table("center") + "[j];\n" +
        (joint ? "    missing += z[j] != z[j];\n" : "") + "  }\n");
    if (!joint) return;
    add("  for (c = 0; c < @_CLASSES && missing; ++c) out[c] = $0.0;\n  if (missing == " + n_text +
        ") return @_OK; /* the block is left out */\n  if (missing) return "
        "@_MISSING;\n");
  }

  void write_code(const JointTerms& terms) {
    write_centered(true);
    const std::string n_text = number(n()),
                      last = terms.dof.empty() ? table("constant") + "[c] - $0.5 * q"
                                               : table("constant") + "[c] + " + table("power") +
                                                     "[c] * $log1p(q / " + table("spread") + "[c])";
    const bool shared = terms.shares_whitener();
    if (!block_.projection.empty() && terms.whitener.empty()) add("  (void)i;\n");
    if (shared)
      add("  {\n    const @_real *w = " + table("whitener") + ";\n    @_real y[" + n_text +
          "];\n    for (i = 0; i < " + n_text +
          "; ++i) {\n      y[i] = @_dot(w, z, i + 1);\n      w += i + 1;\n"
          "    }\n    for (i = 0; i < " +
          n_text + "; ++i) z[i] = y[i];\n  }\n");
    add("  for (c = 0; c < @_CLASSES; ++c) {\n    const @_real *const mean = " + table("mean") +
        " + c * " + n_text + ";\n    @_real q = $0.0;\n");
    if (shared) {
      add("    for (i = 0; i < " + n_text + "; ++i) q += (z[i] - mean[i]) * (z[i] - mean[i]);\n");
    } else if (terms.whitener.empty()) {
      add("    for (i = 0; i < " + n_text + "; ++i) {\n      const @_real y = z[i] * " +
          table("scale") + "[c * " + n_text + " + i] - mean[i];\n      q += y * y;\n    }\n");
    } else {
      const std::string size = number(n() * (n() + 1) / 2);
      add("    const @_real *w = " + table("whitener") + " + (long)c * " + size +
          ";\n    for (i = 0; i < " + n_text +
          "; ++i) {\n      const @_real y = @_dot(w, z, i + 1) - mean[i];\n      w += i + 1;\n"
          "      q += y * y;\n    }\n");
    }
    add("    out[c] = q < @_INFINITY ? " + last + " : -@_INFINITY; /* q may overflow */\n  }\n");
  }

  void write_code(const IndependentTerms& terms) {
    if (n() == 0) return write_nothing();
    write_centered(false);
    const std::string n_text = number(n());
    if (!block_.projection.empty()) add("  (void)i;\n");
    add("  for (c = 0; c < @_CLASSES; ++c) out[c] = $0.0;\n  for (j = 0; j < " + n_text +
        "; ++j) {\n    if (z[j] != z[j]) continue; /* missing */\n"
        "    for (c = 0; c < @_CLASSES; ++c) {\n      const int k = j * @_CLASSES + c;\n");
    if (terms.is_linear())
      return add("      out[c] += " + table("constant") + "[k] + " + table("scale") +
                 "[k] * z[j];\n    }\n  }\n");
    add("      const @_real y = z[j] * " + table("scale") + "[k] - " + table("mean") +
        "[k];\n      out[c] += " + table("constant") + "[k] - $0.5 * " +
        (terms.dof.empty()
             ? std::string("y * y")
             : "(" + table("dof") + "[k] + $1.0) * $log1p(y * y / " + table("dof") + "[k])") +
        ";\n    }\n  }\n");
  }

  void write_code(const LinearTerms& terms) {
    if (n() == 0) return write_nothing();
    write_centered(true);
    if (block_.projection.empty()) add("  (void)i;\n");
    add("  for (c = 0; c < @_CLASSES; ++c) out[c] = " + table("constant") +
        "[c];\n  for (j = 0; j < " + number(n()) +
        "; ++j)\n    for (c = 0; c < @_CLASSES; ++c) out[c] += " + table("weight") +
        "[j * @_CLASSES + c] * z[j];\n");
    if (terms.product.empty()) return;
    const std::string n_text = number(n());
    add("  {\n    const @_real *p = " + table("product") + ";\n    for (j = 0; j < " + n_text +
        "; ++j) {\n      int k;\n      for (k = j; k < " +
        (terms.has_all_products() ? n_text : std::string("j + 1")) +
        "; ++k) {\n        for (c = 0; c < @_CLASSES; ++c) out[c] += p[c] * (z[j] * z[k]);\n"
        "        p += @_CLASSES;\n      }\n    }\n  }\n");
  }
  /// Of a block in which every feature is constant.
  void write_nothing() {
    add("  int c;\n  (void)t;\n  for (c = 0; c < @_CLASSES; ++c) out[c] = $0.0;\n");
  }

  void write_code(const BinaryTerms&) {
    const std::string n_text = number(n());
    add("  int j, c;\n  for (c = 0; c < @_CLASSES; ++c) {\n    @_real sum = $0.0;\n    for (j = "
        "0; j < " +
        n_text + "; ++j) {\n      const @_real v = " + value("j") +
        ";\n      if (v == v) sum += v == $0.0 ? " + table("log_zero") + "[c * " + n_text +
        " + j] : " + table("log_one") + "[c * " + n_text +
        " + j];\n    }\n    out[c] = sum;\n  }\n");
  }

  void write_code(const CountTerms& terms) {
    const std::string n_text = number(n());
    add("  int j, c;\n");
    if (terms.factorial) add("  @_real shared = $0.0;\n");
    if (!terms.concentration.empty()) add("  @_real total = $0.0;\n");
    add("  for (c = 0; c < @_CLASSES; ++c) out[c] = $0.0;\n  for (j = 0; j < " + n_text +
        "; ++j) {\n    const @_real v = " + value("j") + ";\n");
    add(terms.documents ? "    if (v != v) return @_MISSING;\n" : "    if (v != v) continue;\n");
    if (!terms.constant.empty())
      add("    for (c = 0; c < @_CLASSES; ++c) out[c] += " + table("at_zero") + "[c * " + n_text +
          " + j];\n");
    add("    if (v == $0.0) continue;\n");
    if (terms.factorial) add("    shared += @_log_gamma_excess($1.0, v);\n");
    if (!terms.concentration.empty()) add("    total += v;\n");
    add("    for (c = 0; c < @_CLASSES; ++c) {\n      const int k = c * " + n_text +
        " + j;\n      out[c] += " + table("slope") + "[k] * v;\n");
    if (terms.beyond == CountTerms::Beyond::rising)
      add("      if (" + table("shape") + "[k] > $0.0) out[c] += @_log_gamma_excess(" +
          table("shape") + "[k], v);\n");
    if (terms.beyond == CountTerms::Beyond::lomax)
      add("      out[c] -= (" + table("shape") + "[k] + $1.0) * $log1p(" + table("rate") +
          "[k] * v);\n");
    add("    }\n  }\n");
    if (terms.factorial) add("  for (c = 0; c < @_CLASSES; ++c) out[c] -= shared;\n");
    if (!terms.concentration.empty())
      add("  for (c = 0; c < @_CLASSES; ++c)\n    if (" + table("concentration") +
          "[c] > $0.0) out[c] -= @_log_gamma_excess(" + table("concentration") + "[c], total);\n");
  }

  void write_code(const LevelTerms&) {
    add("  int j, c;\n  for (c = 0; c < @_CLASSES; ++c) out[c] = $0.0;\n  for (j = 0; j < " +
        number(columns()) + "; ++j) {\n    const @_real v = " + value("j") +
        ";\n    const int level = v >= $0.0 && v < (@_real)" + table("count") +
        "[j] ? (int)v : -1;\n    const @_real *p;\n    if (level < 0 || (@_real)level != v) "
        "continue; /* missing */\n    p = " +
        table("log_probability") + " + (" + table("first") +
        "[j] + level) * @_CLASSES;\n    for (c = 0; c < @_CLASSES; ++c) "
        "out[c] += p[c];\n  }\n");
  }

  void write_derivatives() {
    if (!block_.derivatives) return;
    for (std::size_t k = 0; k < block_.columns.size();) {
      const Index column = block_.columns[k];
      const Transform::Kind kind = formula_.columns[at(column)].transform.kind;
      std::size_t end = k + 1;  // of a run of columns with one transformation
      while (end < block_.columns.size() && block_.columns[end] == block_.columns[end - 1] + 1 &&
             formula_.columns[at(block_.columns[end])].transform.kind == kind)
        ++end;
      if (kind != Transform::Kind::none)
        add("  for (j = " + number(column) + "; j < " + number(block_.columns[end - 1] + 1) +
            "; ++j) {\n    const @_real derivative = " + std::string(log_derivative_text(kind)) +
            ";\n    for (c = 0; c < @_CLASSES; ++c)\n      if (t[j] == t[j]) out[c] += "
            "derivative;\n  }\n");
      k = end;
    }
  }

  const Formula& formula_;
  const FormulaBlock& block_;
  CSource& out_;
  std::string own_;
};

}  // namespace

void write_c_block(const Formula& formula, Index block, CSource& out) {
  CBlockWriter(formula, block, out).write();
}

}  // namespace suffice
