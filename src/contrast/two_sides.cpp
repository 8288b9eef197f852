#include "contrast/two_sides.hpp"

#include <utility>
#include <vector>

#include "core/at.hpp"
#include "stats/moments.hpp"
#include "stats/pooled.hpp"
#include "stats/thin.hpp"

namespace suffice {
namespace {

Matrix row_sums(const Matrix& matrix) {
  Matrix result(matrix.cols() > 0 ? 1 : 0, matrix.cols());
  for (Index c = 0; c < matrix.rows(); ++c)
    for (Index j = 0; j < matrix.cols(); ++j) result(0, j) += matrix(c, j);
  return result;
}
Matrix row_alone(const Matrix& matrix, Index c) {
  Matrix result(matrix.cols() > 0 ? 1 : 0, matrix.cols());
  for (Index j = 0; j < matrix.cols(); ++j) result(0, j) = matrix(c, j);
  return result;
}

/// The sums of a block as those of one class: of all classes, or of class `c` alone (c ≥ 0).
struct OneClass {
  Index c = -1;

  Matrix rows(const Matrix& matrix) const {
    return c < 0 ? row_sums(matrix) : row_alone(matrix, c);
  }
  std::vector<Matrix> rows(const std::vector<Matrix>& matrices) const {
    std::vector<Matrix> result;
    for (const Matrix& matrix : matrices) result.push_back(rows(matrix));
    return result;
  }

  BlockStatistics operator()(const GaussianStatistics& sums) const {
    GaussianStatistics result;
    result.kind = sums.kind;
    GaussianStatistics::Class one;
    if (c >= 0) {
      one = sums.classes[at(c)];
      if (sums.kind == Scatter::pooled) {  // one class has no more than its diagonal
        result.kind = Scatter::diagonal;
        one = {{}, sums.moments(c)};
      }
    } else {
      if (sums.kind == Scatter::pooled) result.kind = Scatter::dense;
      if (sums.kind != Scatter::diagonal) one.complete = total_of(sums);
      for (const auto& [complete, present] : sums.classes) merge_into(one.present, present);
    }
    result.classes.push_back(std::move(one));
    return result;
  }
  BlockStatistics operator()(const CountStatistics& sums) const {
    return CountStatistics{rows(sums.weight), rows(sums.sum)};
  }
  BlockStatistics operator()(const CategoricalStatistics& sums) const {
    return CategoricalStatistics{sums.levels, rows(sums.count)};
  }
  BlockStatistics operator()(const TextStatistics& sums) const {
    return TextStatistics{.words = sums.words,
                          .count = rows(sums.count),
                          .rows = rows(sums.rows),
                          .weight = rows(sums.weight),
                          .heaviest = sums.heaviest,
                          .lead = sums.lead};
  }
};

Statistics one_class(const Statistics& statistics, Index c, const std::string& label) {
  Statistics::Parts parts{.schema = statistics.schema().with_label(""),
                          .labels = {label},
                          .weights = Vector(1),
                          .squared_weights = Vector(1),
                          .blocks = {}};
  for (Index k = 0; k < statistics.labels().size(); ++k) {
    if (c >= 0 && k != c) continue;
    parts.weights[0] += statistics.weights()[k];
    parts.squared_weights[0] += statistics.squared_weights()[k];
  }
  for (const BlockStatistics& block : statistics.blocks())
    parts.blocks.push_back(std::visit(OneClass{c}, block));
  return Statistics(std::move(parts));
}

bool is_diagonal(const Statistics& statistics) {
  return scatter_of(statistics) == Scatter::diagonal;
}

/// Two rows of a table, as shares of their sums, drawn towards the shares of both.
void draw_together(Matrix& table, double share) {
  Vector sums(table.rows());
  double all = 0;
  for (Index c = 0; c < table.rows(); ++c) {
    for (const double value : table.row(c)) sums[c] += value;
    all += sums[c];
  }
  if (!(all > 0)) return;
  for (Index j = 0; j < table.cols(); ++j) {
    double both = 0;
    for (Index c = 0; c < table.rows(); ++c) both += table(c, j);
    for (Index c = 0; c < table.rows(); ++c)
      table(c, j) = (1 - share) * sums[c] * both / all + share * table(c, j);
  }
}

struct DrawTogether {
  const Shares& shares;

  void operator()(GaussianStatistics& sums) const {
    if (sums.kind != Scatter::diagonal) {
      keep_scatter(sums, Scatter::dense);
      joint(sums);
    }
    present(sums);
  }
  void operator()(CountStatistics& sums) const {
    if (sums.weight.empty()) return draw_together(sums.sum, shares.tables);
    for (Index j = 0; j < sums.sum.cols(); ++j) {
      double weight = 0, sum = 0;
      for (Index c = 0; c < sums.sum.rows(); ++c) {
        weight += sums.weight(c, j);
        sum += sums.sum(c, j);
      }
      for (Index c = 0; weight > 0 && c < sums.sum.rows(); ++c)
        sums.sum(c, j) =
            (1 - shares.tables) * sums.weight(c, j) * sum / weight + shares.tables * sums.sum(c, j);
    }
  }
  void operator()(CategoricalStatistics& sums) const {
    for (Matrix& count : sums.count) draw_together(count, shares.tables);
  }
  void operator()(TextStatistics&) const {}

 private:
  void joint(GaussianStatistics& sums) const {
    double weight = 0;
    for (const auto& of : sums.classes) weight += of.complete.weight;
    JointMoments total = total_of(sums);
    if (!(weight > 0)) return;
    const Index d = total.mean.size();
    Matrix pooled(d, d);
    for (const auto& of : sums.classes)
      if (of.complete.weight > 0)
        for (Index i = 0; i < pooled.size(); ++i)
          pooled.data()[i] += of.complete.scatter.data()[i] / weight;
    for (auto& of : sums.classes) {
      JointMoments& side = of.complete;
      if (!(side.weight > 0)) continue;
      for (Index j = 0; j < d; ++j) {
        const TwoWords mean{total.mean[j], total.mean_low[j]};
        const TwoWords apart = difference({side.mean[j], side.mean_low[j]}, mean);
        const TwoWords drawn = moved(mean, apart, shares.mean, 1);
        side.mean[j] = drawn.high;
        side.mean_low[j] = drawn.low;
      }
      for (Index i = 0; i < pooled.size(); ++i)
        side.scatter.data()[i] = (1 - shares.scatter) * side.weight * pooled.data()[i] +
                                 shares.scatter * side.scatter.data()[i];
    }
  }
  /// What is present in other rows has no part in a full covariance.
  void present(GaussianStatistics& sums) const {
    if (sums.kind != Scatter::diagonal)
      for (auto& of : sums.classes) of.present = {};
  }
};

}  // namespace

Statistics as_one_class(const Statistics& statistics, const std::string& label) {
  return one_class(statistics, -1, label);
}
Statistics class_alone(const Statistics& statistics, Index label, const std::string& name) {
  return one_class(statistics, label, name);
}

Statistics two_classes(const Statistics& before, const Statistics& after) {
  if (is_diagonal(before) == is_diagonal(after)) return merge(before, after);
  return merge(with_scatter(before, Scatter::diagonal), with_scatter(after, Scatter::diagonal));
}

Statistics drawn_together(const Statistics& two, const Shares& shares) {
  Statistics::Parts parts = two.parts();
  for (BlockStatistics& block : parts.blocks) std::visit(DrawTogether{shares}, block);
  return Statistics(std::move(parts));
}

}  // namespace suffice
