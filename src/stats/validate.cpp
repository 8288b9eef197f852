#include <cmath>
#include <string>
#include <utility>

#include "core/quoted.hpp"
#include "stats/semidefinite.hpp"
#include "suffice/core/error.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {
namespace {

// Weights of a class and of the values in it are summed in different orders: they may differ by
// rounding.
constexpr double stored_rounding = 1e-9;

bool is_sum(double value) { return value >= 0 && std::isfinite(value); }
/// Checks the sums of one block.
class Check {
 public:
  Check(const Statistics::Parts& parts, const Block& block)
      : parts_(parts), block_(block), names_(parts.schema.names(block)), d_(std::ssize(names_)) {}

  void operator()(const GaussianStatistics& gaussian) const {
    require_family({Family::gaussian});
    if (std::ssize(gaussian.classes) != classes())
      fail("has moments of " + std::to_string(gaussian.classes.size()) + " classes, not of " +
           std::to_string(classes()));
    for (Index c = 0; c < classes(); ++c) {
      const auto& [complete, present] = gaussian.classes[c];
      if (gaussian.kind == Scatter::diagonal && (complete.weight != 0 || !complete.mean.empty()))
        fail("keeps a diagonal only and has a full scatter in class " + label(c));
      joint(complete, c);
      moments(present, c);
      for (Index j = 0; j < d_; ++j)
        require_part(complete.weight + (present.weight.empty() ? 0 : present.weight[j]),
                     parts_.weights[c], "the weight of the values", c, j);
    }
  }

  void operator()(const CountStatistics& counts) const {
    require_family({Family::bernoulli, Family::poisson, Family::multinomial});
    const bool multinomial = block_.family == Family::multinomial;
    table(counts.sum, d_, "sums");
    if (!multinomial) table(counts.weight, d_, "weights");
    for (Index c = 0; c < classes(); ++c)
      for (Index j = 0; j < d_; ++j) {
        if (!is_sum(counts.sum(c, j))) bad_value("the sum", counts.sum(c, j), c, j);
        if (multinomial) continue;
        const double weight = counts.weight(c, j);
        if (!is_sum(weight)) bad_value("the weight", weight, c, j);
        require_part(weight, parts_.weights[c], "the weight of the values", c, j);
        if (block_.family == Family::bernoulli)
          require_part(counts.sum(c, j), weight, "the weight of the ones", c, j);
      }
  }

  void operator()(const CategoricalStatistics& categorical) const {
    require_family({Family::categorical});
    if (std::ssize(categorical.levels) != d_ || std::ssize(categorical.count) != d_)
      fail("needs levels and counts of " + std::to_string(d_) + " features");
    for (Index j = 0; j < d_; ++j) {
      const Matrix& count = categorical.count[j];
      table(count, categorical.levels[j].size(), "counts of " + quoted(names_[j]));
      for (Index c = 0; c < classes(); ++c) {
        double total = 0;
        for (const double n : count.row(c)) {
          if (!is_sum(n)) bad_value("a count", n, c, j);
          total += n;
        }
        require_part(total, parts_.weights[c], "the weight of the values", c, j);
      }
    }
  }

 private:
  Index classes() const { return parts_.labels.size(); }
  std::string label(Index c) const { return quoted(parts_.labels[c]); }
  std::string cell(Index c, Index j) const {
    return "class " + label(c) + " in feature " + quoted(names_[j]);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InvalidArgument("the block of feature " + quoted(names_.front()) + " " + what);
  }
  [[noreturn]] void bad_value(const std::string& what, double value, Index c, Index j) const {
    throw InvalidArgument(what + " of " + cell(c, j) + " is " + name_of(value) +
                          "; it must be finite and not negative");
  }
  void require_family(std::initializer_list<Family> families) const {
    for (const Family family : families)
      if (family == block_.family) return;
    fail("is of family " + quoted(std::string(to_string(block_.family))) +
         " and has the sums of another");
  }
  void table(const Matrix& matrix, Index cols, const std::string& what) const {
    if (matrix.rows() != classes() || (matrix.cols() != cols && classes() > 0))
      fail("has " + what + " of shape " + std::to_string(matrix.rows()) + " × " +
           std::to_string(matrix.cols()) + ", not " + std::to_string(classes()) + " × " +
           std::to_string(cols));
  }
  /// A part can exceed the whole by rounding only.
  void require_part(double part, double whole, const std::string& what, Index c, Index j) const {
    if (part > whole * (1 + stored_rounding))
      throw InvalidArgument(what + " of " + cell(c, j) + " is " + name_of(part) + ", more than " +
                            name_of(whole) + ", the weight of all of them");
  }
  void finite(const Vector& values, const std::string& what, Index c) const {
    for (Index j = 0; j < values.size(); ++j)
      if (!std::isfinite(values[j]))
        throw InvalidArgument(what + " of " + cell(c, j) + " is " + name_of(values[j]) +
                              "; it must be finite");
  }

  void joint(const JointMoments& moments, Index c) const {
    if (!is_sum(moments.weight))
      fail("has the weight " + name_of(moments.weight) + " in class " + label(c));
    const bool nothing =
        moments.mean.empty() && moments.mean_low.empty() && moments.scatter.empty();
    if (nothing && moments.weight == 0) return;
    if (moments.mean.size() != d_ || moments.mean_low.size() != d_ ||
        moments.scatter.rows() != d_ || moments.scatter.cols() != d_)
      fail("has a mean or scatter that is not of " + std::to_string(d_) + " features in class " +
           label(c));
    finite(moments.mean, "the mean", c);
    finite(moments.mean_low, "the mean", c);
    for (Index i = 0; i < d_; ++i) {
      if (!is_sum(moments.scatter(i, i))) bad_value("the scatter", moments.scatter(i, i), c, i);
      for (Index j = 0; j < i; ++j)
        if (!std::isfinite(moments.scatter(i, j)) || moments.scatter(i, j) != moments.scatter(j, i))
          fail("has a scatter in class " + label(c) + " that is not symmetric and finite at " +
               quoted(names_[i]) + " and " + quoted(names_[j]));
    }
    if (!is_scatter(moments.scatter))
      fail("has a scatter in class " + label(c) +
           " that no rows have: it is not positive semidefinite. Sum the rows again");
  }

  void moments(const Moments& values, Index c) const {
    const Index size = values.weight.size();
    if ((size != 0 && size != d_) || values.mean.size() != size || values.mean_low.size() != size ||
        values.squares.size() != size)
      fail("has moments that are not of " + std::to_string(d_) + " features in class " + label(c));
    finite(values.mean, "the mean", c);
    finite(values.mean_low, "the mean", c);
    for (Index j = 0; j < size; ++j) {
      if (!is_sum(values.weight[j])) bad_value("the weight", values.weight[j], c, j);
      if (!is_sum(values.squares[j])) bad_value("the scatter", values.squares[j], c, j);
    }
  }

  const Statistics::Parts& parts_;
  const Block& block_;
  std::vector<std::string> names_;
  Index d_;
};

}  // namespace

Statistics::Statistics(Parts parts) : parts_(std::move(parts)) {
  const Index classes = parts_.labels.size();
  const auto& blocks = parts_.schema.blocks();
  if (blocks.empty()) throw InvalidArgument("statistics need a schema with at least one feature");
  if (parts_.weights.size() != classes || parts_.squared_weights.size() != classes)
    throw InvalidArgument("statistics of " + std::to_string(classes) +
                          " classes need as many weights and squared weights");
  for (Index c = 0; c < classes; ++c)
    if (!is_sum(parts_.weights[c]) || !is_sum(parts_.squared_weights[c]))
      throw InvalidArgument("the weight of class " + quoted(parts_.labels[c]) + " is " +
                            name_of(parts_.weights[c]) + " (squares " +
                            name_of(parts_.squared_weights[c]) +
                            "); it must be finite and not negative");
  if (parts_.blocks.size() != blocks.size())
    throw InvalidArgument("the schema has " + std::to_string(blocks.size()) +
                          " blocks and the statistics " + std::to_string(parts_.blocks.size()));
  for (std::size_t b = 0; b < blocks.size(); ++b)
    std::visit(Check(parts_, blocks[b]), parts_.blocks[b]);
}

}  // namespace suffice
