#pragma once
// A table in memory for tests: numbers and category codes with labels and weights, from which rows
// can be taken, repeated and reordered, and which can be viewed as a RowBlock.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "suffice/data/row_block.hpp"
#include "suffice/data/schema.hpp"

namespace suffice::testing {

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

class Table {
 public:
  struct Parts {
    Schema schema;
    /// rows × features; NaN is missing; a categorical feature has positions in its `levels`,
    /// and so has text, whose documents they are.
    Matrix values;
    std::vector<std::string> labels = {};
    std::vector<double> weights = {};                   ///< empty: all 1
    std::vector<std::vector<std::string>> levels = {};  ///< per feature; empty: not categorical
    bool sparse = false;                                ///< view the numbers as sparse rows
  };

  explicit Table(Parts parts) : parts_(std::move(parts)) {
    if (parts_.levels.empty()) parts_.levels.resize(static_cast<std::size_t>(features()));
    codes_.resize(parts_.levels.size());
    for (std::size_t j = 0; j < codes_.size(); ++j) {
      if (!categorical(static_cast<Index>(j))) continue;
      for (Index i = 0; i < rows(); ++i) {
        const double v = parts_.values(i, static_cast<Index>(j));
        codes_[j].push_back(std::isnan(v) ? -1 : static_cast<std::int32_t>(v));
      }
    }
    if (parts_.sparse) {
      row_start_.push_back(0);
      for (Index i = 0; i < rows(); ++i) {
        for (Index j = 0; j < features(); ++j)
          if (parts_.values(i, j) != 0) {
            column_.push_back(static_cast<std::int32_t>(j));
            entry_.push_back(parts_.values(i, j));
          }
        row_start_.push_back(static_cast<std::int32_t>(column_.size()));
      }
    }
  }

  const Parts& parts() const { return parts_; }
  const Schema& schema() const { return parts_.schema; }
  Index rows() const { return parts_.values.rows(); }
  Index features() const { return parts_.values.cols(); }
  double operator()(Index i, Index j) const { return parts_.values(i, j); }
  const std::string& label(Index i) const { return parts_.labels[static_cast<std::size_t>(i)]; }
  double weight(Index i) const {
    return parts_.weights.empty() ? 1.0 : parts_.weights[static_cast<std::size_t>(i)];
  }
  /// Whether a feature has strings: levels, or documents.
  bool categorical(Index j) const {
    const Family family = parts_.schema.feature(j).family;
    return family == Family::categorical || family == Family::text;
  }
  /// The name of the level in cell (i, j) of a categorical feature that is present.
  const std::string& level(Index i, Index j) const {
    return parts_
        .levels[static_cast<std::size_t>(j)][static_cast<std::size_t>(parts_.values(i, j))];
  }
  bool complete(Index i) const {
    for (Index j = 0; j < features(); ++j)
      if (std::isnan(parts_.values(i, j))) return false;
    return true;
  }

  /// A view of this object's memory.
  RowBlock block() const {
    RowBlock rows(this->rows());
    if (parts_.sparse) {
      rows.features(
          SparseView(this->rows(), features(), row_start_.data(), column_.data(), entry_.data()));
    } else {
      bool numbers = true;
      for (Index j = 0; j < features(); ++j) numbers = numbers && !categorical(j);
      if (numbers) {
        rows.features(parts_.values);
      } else {
        for (Index j = 0; j < features(); ++j) {
          const auto at = static_cast<std::size_t>(j);
          if (categorical(j))
            rows.feature(Column(codes_[at].data(), this->rows(), Strings(parts_.levels[at])));
          else
            rows.feature(Column(parts_.values.data() + j, this->rows(), features()));
        }
      }
    }
    if (!parts_.labels.empty()) rows.labels(parts_.labels);
    if (!parts_.weights.empty()) rows.weights(parts_.weights);
    return rows;
  }

  /// The rows at `which`, in that order; a row may come more than once.
  Table take(const std::vector<Index>& which) const {
    Parts p = parts_;
    p.values = Matrix(static_cast<Index>(which.size()), features());
    p.labels.clear();
    p.weights.clear();
    Index to = 0;
    for (const Index i : which) {
      for (Index j = 0; j < features(); ++j) p.values(to, j) = parts_.values(i, j);
      ++to;
      if (!parts_.labels.empty()) p.labels.push_back(label(i));
      if (!parts_.weights.empty()) p.weights.push_back(weight(i));
    }
    return Table(std::move(p));
  }
  Table range(Index first, Index last) const {
    std::vector<Index> which;
    for (Index i = first; i < last; ++i) which.push_back(i);
    return take(which);
  }
  Table with_values(Matrix values) const {
    Parts p = parts_;
    p.values = std::move(values);
    return Table(std::move(p));
  }
  Table with_weights(std::vector<double> weights) const {
    Parts p = parts_;
    p.weights = std::move(weights);
    return Table(std::move(p));
  }

 private:
  Parts parts_;
  std::vector<std::vector<std::int32_t>> codes_;
  std::vector<std::int32_t> row_start_, column_;
  std::vector<double> entry_;
};

}  // namespace suffice::testing
