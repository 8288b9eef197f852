#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/quoted.hpp"
#include "data/family.hpp"
#include "stats/block_check.hpp"
#include "stats/semidefinite.hpp"
#include "suffice/core/error.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {
namespace {

bool is_sum(double value) { return value >= 0 && std::isfinite(value); }

/// Checks the sums of one block.
class SumsCheck : BlockCheck {
 public:
  using BlockCheck::BlockCheck;

  void operator()(const GaussianStatistics& gaussian) const {
    require_sums(SumsKind::gaussian);
    if (std::ssize(gaussian.classes) != classes())
      fail("there must be moments of " + std::to_string(classes()) + " classes, not of " +
           std::to_string(gaussian.classes.size()));
    for (Index c = 0; c < classes(); ++c) {
      const auto& [complete, present] = gaussian.classes[c];
      if (gaussian.kind == Scatter::diagonal && (complete.weight != 0 || !complete.mean.empty()))
        fail("class " + label(c) + " has a full scatter, where only the diagonal is kept");
      joint(complete, gaussian.kind, c);
      moments(present, c);
      for (Index j = 0; j < features(); ++j)
        require_part(complete.weight + (present.weight.empty() ? 0 : present.weight[j]), weight(c),
                     "the weight of the values", c, j);
    }
    pooled(gaussian);
  }

  void operator()(const CountStatistics& counts) const {
    require_sums(SumsKind::counts);
    const FamilyDescription described = describe(family());
    require_shape(counts.sum, classes(), features(), "the sums");
    if (!described.documents)
      require_shape(counts.weight, classes(), features(), "the weights");
    else if (counts.weight.rows() != 0)  // also where it has no columns
      require_shape(counts.weight, classes(), 0, "the weights, of which documents have none,");
    for (Index c = 0; c < classes(); ++c)
      for (Index j = 0; j < features(); ++j) {
        require_sum(counts.sum(c, j), "the sum", c, j);
        if (described.documents) continue;
        require_sum(counts.weight(c, j), "the weight", c, j);
        require_part(counts.weight(c, j), weight(c), "the weight of the values", c, j);
        if (described.check == kernels::Check::zero_or_one)
          require_part(counts.sum(c, j), counts.weight(c, j), "the weight of the ones", c, j);
      }
  }

  void operator()(const CategoricalStatistics& categorical) const {
    require_sums(SumsKind::categorical);
    if (std::ssize(categorical.levels) != features() || std::ssize(categorical.count) != features())
      fail("there must be levels and counts of " + std::to_string(features()) + " features");
    for (Index j = 0; j < features(); ++j) {
      const Matrix& count = categorical.count[j];
      require_shape(count, classes(), categorical.levels[j].size(), "the counts of " + feature(j));
      for (Index c = 0; c < classes(); ++c) {
        double total = 0;
        for (const double n : count.row(c)) {
          require_sum(n, "a count", c, j);
          total += n;
        }
        require_part(total, weight(c), "the weight of the values", c, j);
      }
    }
  }

  void operator()(const TextStatistics& text) const {
    require_sums(SumsKind::text);
    if (std::ssize(text.words) != features() || std::ssize(text.count) != features() ||
        std::ssize(text.rows) != features())
      fail("there must be words and counts of " + std::to_string(features()) + " features");
    require_shape(text.weight, classes(), features(), "the weights");
    for (Index j = 0; j < features(); ++j) {
      const Index words = text.words[j].size();
      const auto fits = [&](Index size) { return size == words || size == 0; };
      if (!text.heaviest.empty() &&
          (std::ssize(text.heaviest) != features() || std::ssize(text.lead) != features() ||
           !fits(std::ssize(text.heaviest[j])) || !fits(text.lead[j].size())))
        fail("there must be a heaviest word and its lead for each number of " + feature(j));
      require_shape(text.count[j], classes(), words, "the counts of " + feature(j));
      require_shape(text.rows[j], classes(), words, "the documents of " + feature(j));
      for (Index c = 0; c < classes(); ++c) {
        require_sum(text.weight(c, j), "the weight", c, j);
        require_part(text.weight(c, j), weight(c), "the weight of the documents", c, j);
        for (Index i = 0; i < words; ++i) {
          require_sum(text.count[j](c, i), "a count", c, j);
          require_sum(text.rows[j](c, i), "a number of documents", c, j);
          require_part(text.rows[j](c, i), text.weight(c, j),
                       "the weight of the documents with "
                       "a word",
                       c, j);
        }
      }
    }
  }

 private:
  void require_sums(SumsKind sums) const {
    if (describe(family()).sums != sums)
      fail("a block of family '" + std::string(to_string(family())) +
           "' has other sums than these");
  }
  // Words are put together only for what is wrong: there may be millions of sums.
  void require_sum(double value, const char* what, Index c, Index j) const {
    if (!is_sum(value)) require_not_negative(value, std::string(what) + " of " + cell(c, j));
  }
  /// A part can exceed the whole by rounding only: the two are summed in different orders.
  void require_part(double part, double whole, const char* what, Index c, Index j) const {
    if (part > whole * (1 + 1e-9))
      throw InvalidArgument(std::string(what) + " of " + cell(c, j) + " is " + name_of(part) +
                            ", more than " + name_of(whole) + ", the weight of all of them");
  }
  void require_mean(const Vector& values, Index c) const {
    for (Index j = 0; j < values.size(); ++j)
      if (!std::isfinite(values[j])) require_finite(values[j], "the mean of " + cell(c, j));
  }

  void joint(const JointMoments& moments, Scatter kind, Index c) const {
    if (!is_sum(moments.weight))
      require_not_negative(moments.weight, "the weight of the complete rows of class " + label(c));
    const bool nothing = moments.mean.empty() && moments.mean_low.empty() &&
                         moments.scatter.empty() && moments.factor.empty() &&
                         moments.squares.empty();
    if (nothing && moments.weight == 0) return;
    const Index d = features();
    if (moments.mean.size() != d || moments.mean_low.size() != d || !fits(moments, kind))
      fail("the mean and scatter of class " + label(c) + " must be of " + std::to_string(d) +
           " features");
    require_mean(moments.mean, c);
    require_mean(moments.mean_low, c);
    for (Index j = 0; j < moments.squares.size(); ++j)
      require_sum(moments.squares[j], "the scatter", c, j);
    if (kind == Scatter::pooled) return;
    if (kind == Scatter::thin) {
      for (Index i = 0; i < moments.factor.rows(); ++i)
        for (Index j = 0; j < d; ++j)
          if (!std::isfinite(moments.factor(i, j)))
            fail("the factor of the scatter of class " + label(c) + " is not finite at " +
                 feature(j));
      return;
    }
    scatter(moments.scatter, " of class " + label(c));
  }

  /// Whether what is kept of the scatter has the shape of its kind.
  bool fits(const JointMoments& moments, Scatter kind) const {
    const Index d = features();
    const Index squares = moments.squares.size(), rows = moments.factor.rows();
    switch (kind) {
      case Scatter::thin:
        return squares == 0 && moments.scatter.empty() && rows <= d &&
               (rows == 0 || moments.factor.cols() == d);
      case Scatter::pooled:
        return moments.scatter.empty() && rows == 0 && (squares == d || squares == 0);
      case Scatter::dense:
      case Scatter::diagonal:
        break;
    }
    return squares == 0 && rows == 0 && moments.scatter.rows() == d && moments.scatter.cols() == d;
  }

  /// `whose`: " of class 'a'", or nothing.
  void scatter(const Matrix& matrix, const std::string& whose) const {
    const Index d = features();
    for (Index i = 0; i < d; ++i) {
      if (!is_sum(matrix(i, i)))
        require_not_negative(matrix(i, i), "the scatter" + whose + " in feature " + feature(i));
      for (Index j = 0; j < i; ++j)
        if (!std::isfinite(matrix(i, j)) || matrix(i, j) != matrix(j, i))
          fail("the scatter" + whose + " is not symmetric and finite at " + feature(i) + " and " +
               feature(j));
    }
    if (!is_scatter(matrix))
      fail("the scatter" + whose +
           " is not positive semidefinite, so it cannot come from rows; sum the rows again");
  }

  void pooled(const GaussianStatistics& gaussian) const {
    const Matrix& matrix = gaussian.pooled;
    const bool some =
        gaussian.kind == Scatter::pooled &&
        std::ranges::any_of(gaussian.classes, [](const GaussianStatistics::Class& of) {
          return of.complete.weight > 0;
        });
    const Index size = some ? features() : 0;
    if (matrix.rows() != size || matrix.cols() != size)
      fail("the pooled scatter must be of " + std::to_string(size) + " features");
    if (some) scatter(matrix, "");
  }

  void moments(const Moments& values, Index c) const {
    const Index size = values.weight.size();
    if ((size != 0 && size != features()) || values.mean.size() != size ||
        values.mean_low.size() != size || values.squares.size() != size)
      fail("the moments of class " + label(c) + " must be of " + std::to_string(features()) +
           " features");
    require_mean(values.mean, c);
    require_mean(values.mean_low, c);
    for (Index j = 0; j < size; ++j) {
      require_sum(values.weight[j], "the weight", c, j);
      require_sum(values.squares[j], "the scatter", c, j);
    }
  }
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
                                name_of(parts_.squared_weights[c]) + ")",
                            "it must be finite and not negative");
  if (parts_.blocks.size() != blocks.size())
    throw InvalidArgument("the schema has " + std::to_string(blocks.size()) +
                          " blocks and the statistics " + std::to_string(parts_.blocks.size()));
  for (std::size_t b = 0; b < blocks.size(); ++b)
    std::visit(SumsCheck(parts_.labels, parts_.weights, parts_.schema, blocks[b]),
               parts_.blocks[b]);
}

}  // namespace suffice
