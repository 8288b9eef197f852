#pragma once
// Tables as people have them, and worse: columns that are constant, copied, empty in a class or
// everywhere, copies of the label, far from 0 or tiny, with heavy tails; few rows, many columns,
// many classes, rare ones. A seed makes a table.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "suffice/data/row_block.hpp"
#include "suffice/data/schema.hpp"

namespace suffice::testing {

struct OddTable {
  struct Column {
    std::string kind;                 ///< for messages
    std::vector<double> numbers;      ///< NaN: missing
    std::vector<std::string> names;   ///< empty: numbers
    std::vector<std::uint8_t> valid;  ///< bits, of names
  };
  std::vector<Column> columns;
  std::vector<std::string> labels;
  std::vector<double> weights;  ///< none: all 1
  std::string kind;

  Index rows() const { return static_cast<Index>(labels.size()); }
  Schema schema() const {
    std::vector<Feature> features;
    for (std::size_t j = 0; j < columns.size(); ++j)
      features.push_back(
          {.name = "c" + std::to_string(j),
           .family = columns[j].names.empty() ? Family::gaussian : Family::categorical});
    return Schema(std::move(features));
  }
  /// A view of this object.
  RowBlock block() const {
    RowBlock rows(this->rows());
    for (const Column& column : columns)
      if (column.names.empty())
        rows.feature(Column_(column.numbers));
      else
        rows.feature(Column_(Strings(column.names), Validity{column.valid.data(), 0}));
    rows.labels(labels);
    if (!weights.empty()) rows.weights(weights);
    return rows;
  }
  using Column_ = suffice::Column;
};

class OddTables {
 public:
  explicit OddTables(std::uint64_t seed) : random_(seed * 0x9E3779B97F4A7C15ULL + 1) {}

  OddTable table() {
    static const std::vector<std::string> kinds = {"plain",   "imbalanced", "many classes",
                                                   "wide",    "tiny",       "zeros",
                                                   "missing", "mixed",      "separable"};
    OddTable result;
    result.kind = kinds[at_most(kinds.size() - 1)];
    Index classes = between(2, 4), rows = between(20, 90), columns = between(1, 8);
    if (result.kind == "many classes") {
      classes = between(6, 20);
      rows = between(2 * classes, 5 * classes);
    } else if (result.kind == "wide") {
      columns = between(15, 40);
      rows = between(6, 30);
    } else if (result.kind == "tiny") {
      rows = between(3, 19);
      columns = between(1, 7);
      classes = between(2, std::min<Index>(3, rows));
    } else if (result.kind == "imbalanced") {
      rows = between(150, 300);
      classes = between(2, 3);
    }
    label_rows(rows, classes, result.kind == "imbalanced");
    for (Index j = 0; j < columns; ++j) result.columns.push_back(column(result));
    if (result.kind == "missing" || chance(0.25)) lose_values(result);
    for (const Index c : truth_) result.labels.push_back("class " + std::to_string(c));
    if (chance(0.1))
      for (std::size_t i = 0; i < truth_.size(); ++i)
        result.weights.push_back(0.01 + uniform() / static_cast<double>(truth_.size()));
    return result;
  }

 private:
  double uniform() { return std::uniform_real_distribution<double>()(random_); }
  double normal() { return std::normal_distribution<double>()(random_); }
  bool chance(double p) { return uniform() < p; }
  std::size_t at_most(std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random_);
  }
  Index between(Index low, Index high) {
    return std::uniform_int_distribution<Index>(low, high)(random_);
  }
  double count(double mean) {
    return static_cast<double>(std::poisson_distribution<int>(std::min(mean, 200.0))(random_));
  }

  void label_rows(Index rows, Index classes, bool imbalanced) {
    std::vector<double> shares(static_cast<std::size_t>(classes));
    for (std::size_t c = 0; c < shares.size(); ++c)
      shares[c] = imbalanced && c > 0 ? std::pow(10.0, -1.5 - uniform()) : 0.1 + uniform();
    std::discrete_distribution<Index> draw(shares.begin(), shares.end());
    truth_.clear();
    for (Index i = 0; i < rows; ++i) truth_.push_back(i < classes ? i : draw(random_));
    std::shuffle(truth_.begin(), truth_.end(), random_);
    shift_.assign(shares.size(), 0);
  }

  OddTable::Column column(const OddTable& before) {
    static const std::vector<std::string> all = {
        "normal", "normal",    "heavy",      "whole",  "counts",   "zeros",      "names",
        "rare",   "flag",      "constant",   "copy",   "of class", "small",      "far",
        "tiny",   "lognormal", "empty here", "scaled", "number",   "same label", "empty",
        "few",    "gap",       "two values", "huge"};
    OddTable::Column result;
    result.kind = all[at_most(all.size() - 1)];
    if (before.kind == "wide" && chance(0.7)) result.kind = "normal";
    if (before.kind == "zeros" && chance(0.6)) result.kind = "zeros";
    if (before.kind == "separable" && chance(0.3)) result.kind = "of class";
    const std::string& kind = result.kind;
    const double apart = std::vector<double>{0, 0.5, 2, 8}[at_most(3)];
    for (double& shift : shift_) shift = apart * normal();
    const double sparse = std::vector<double>{0.8, 0.95, 0.99}[at_most(2)],
                 constant = 10 * normal();
    const Index empty = between(0, std::ssize(shift_) - 1);
    const OddTable::Column* earlier = nullptr;
    for (const OddTable::Column& of : before.columns)
      if (of.names.empty() && !of.numbers.empty()) earlier = &of;
    const bool named = kind == "names" || kind == "rare" || kind == "flag" || kind == "same label";
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < truth_.size(); ++i) {
      const Index c = truth_[i];
      const double shift = shift_[static_cast<std::size_t>(c)];
      double x = shift + normal();
      if (kind == "heavy") x = shift + normal() / std::abs(normal() + 1e-3);
      if (kind == "whole") x = std::round(10 * x);
      if (kind == "counts") x = count(std::exp(std::clamp(shift, -3.0, 4.0)));
      if (kind == "zeros")
        x = chance(sparse) ? 0 : 1 + count(std::exp(std::clamp(shift, -2.0, 4.0)));
      if (kind == "constant") x = constant;
      if (kind == "copy" && earlier) x = earlier->numbers[i];
      if (kind == "scaled" && earlier) x = 2.54 * earlier->numbers[i] + 1;
      if (kind == "of class") x = shift;
      if (kind == "small") x = static_cast<double>(between(1, 5) + c % 2);
      if (kind == "far") x += 1e9;
      if (kind == "tiny") x *= 1e-12;
      if (kind == "huge") x *= 1e120;
      if (kind == "lognormal") x = std::exp(2 * x);
      if (kind == "empty here" && c == empty) x = nan;
      if (kind == "empty") x = nan;
      if (kind == "few" && i > 1) x = nan;
      if (kind == "gap" && chance(0.97)) x = nan;
      if (kind == "number") x = static_cast<double>(i);
      if (kind == "two values") x = chance(1 / (1 + std::exp(-shift))) ? 1 : 0;
      if (!named) {
        result.numbers.push_back(x);
        continue;
      }
      if (kind == "names") result.names.push_back("level " + std::to_string(std::lround(x)));
      if (kind == "rare") result.names.push_back("u" + std::to_string(std::lround(x / uniform())));
      if (kind == "flag") result.names.push_back(x > 0 ? "True" : "False");
      if (kind == "same label") result.names.push_back("is " + std::to_string(c));
    }
    if (named) result.valid.assign((truth_.size() + 7) / 8, 0xFF);
    return result;
  }

  void lose_values(OddTable& table) {
    const double share = std::vector<double>{0.01, 0.1, 0.3, 0.6}[at_most(3)];
    for (OddTable::Column& column : table.columns) {
      if (chance(0.3)) continue;
      for (std::size_t i = 0; i < truth_.size(); ++i) {
        if (!chance(share)) continue;
        if (column.names.empty())
          column.numbers[i] = std::numeric_limits<double>::quiet_NaN();
        else
          column.valid[i / 8] &= static_cast<std::uint8_t>(~(1U << i % 8));
      }
    }
  }

  std::mt19937_64 random_;
  std::vector<Index> truth_;
  std::vector<double> shift_;  // of the classes in one column
};

}  // namespace suffice::testing
