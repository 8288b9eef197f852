#pragma once
// What the checks of a block's sums (stats/validate.cpp) and of its parameters (models/model.cpp)
// share: shapes, ranges, and messages that name the class and the feature.

#include <cmath>
#include <string>
#include <vector>

#include "core/quoted.hpp"
#include "suffice/core/error.hpp"
#include "suffice/core/names.hpp"
#include "suffice/data/schema.hpp"

namespace suffice {

class BlockCheck {
 public:
  /// Views its arguments. `weights` has a number for each label.
  BlockCheck(const Names& labels, const Vector& weights, const Schema& schema, const Block& block)
      : labels_(labels), weights_(weights), schema_(schema), block_(block) {}

 protected:
  Index classes() const { return labels_.size(); }
  Index features() const { return std::ssize(block_.features); }
  Family family() const { return block_.family; }
  double weight(Index c) const { return weights_[c]; }
  std::string label(Index c) const { return quoted(labels_[c]); }
  std::string feature(Index j) const { return quoted(name(j)); }
  std::string cell(Index c, Index j) const { return cell(c, name(j)); }
  std::string cell(Index c, const std::string& name) const {
    return "class " + label(c) + " in feature " + quoted(name);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InvalidArgument(what + " (block of feature " + feature(0) + ")");
  }
  [[noreturn]] static void fail_value(const std::string& what, double value,
                                      const std::string& requirement) {
    throw InvalidArgument(what + " is " + name_of(value), requirement);
  }

  void require_shape(const Matrix& matrix, Index rows, Index cols, const std::string& what) const {
    const auto shape = [](Index m, Index n) {
      return std::to_string(m) + " × " + std::to_string(n);
    };
    if (matrix.rows() != rows || (matrix.cols() != cols && rows > 0))
      fail(what + " must be " + shape(rows, cols) + ", not " + shape(matrix.rows(), matrix.cols()));
  }
  static void require_finite(double value, const std::string& what) {
    if (!std::isfinite(value)) fail_value(what, value, "it must be finite");
  }
  static void require_not_negative(double value, const std::string& what) {
    if (!(value >= 0) || !std::isfinite(value))
      fail_value(what, value, "it must be finite and not negative");
  }
  static void require_positive(double value, const std::string& what) {
    if (!(value > 0) || !std::isfinite(value))
      fail_value(what, value, "it must be positive and finite");
  }

 private:
  const std::string& name(Index j) const {
    return schema_.feature(block_.features[static_cast<std::size_t>(j)]).name;
  }

  const Names& labels_;
  const Vector& weights_;
  const Schema& schema_;
  const Block& block_;
};

}  // namespace suffice
