#include "estimate/shrink_means.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/compensated_sum.hpp"
#include "core/minus_or_zero.hpp"

namespace suffice {
namespace {

/// Of one feature, over all classes.
struct AllRows {
  double weight = 0, mean = 0;
  double deviation = 0;  ///< within classes, over W − K
};

class MeanShrinker {
 public:
  MeanShrinker(const GaussianInput& input, GaussianDensity& density)
      : input_(input), density_(density), classes_(input.context.classes()) {}

  void run() {
    std::vector<AllRows> all;
    std::vector<double> deviations;
    for (const Index j : input_.used) {
      all.push_back(of_all_rows(j));
      deviations.push_back(all.back().deviation);
    }
    const double offset = median(std::move(deviations));
    density_.deviation = Matrix(classes_, density_.mean.cols());
    for (std::size_t k = 0; k < all.size(); ++k) {
      for (Index c = 0; c < classes_; ++c)
        if (input_.context.seen(c)) shrink(c, input_.used[k], all[k], offset);
      widen(input_.used[k], offset);
    }
  }

 private:
  AllRows of_all_rows(Index j) const {
    AllRows all;
    double seen = 0;
    CompensatedSum sum, squares;
    for (Index c = 0; c < classes_; ++c) {
      if (!input_.context.seen(c)) continue;
      const Moments& own = input_.moments[static_cast<std::size_t>(c)];
      ++seen;
      all.weight += own.weight[j];
      sum.add(own.weight[j] * own.mean[j]);
      sum.add(own.weight[j] * own.mean_low[j]);
      squares.add(own.squares[j]);
    }
    const double dof = minus_or_zero(all.weight, seen);
    if (!(dof > 0)) throw_too_few(input_, -1, all.weight);
    all.mean = sum.value() / all.weight;
    all.deviation = std::sqrt(squares.value() / dof);
    return all;
  }

  /// Of an even number the mean of the two in the middle.
  static double median(std::vector<double> values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::ranges::nth_element(values, middle);
    const double upper = *middle;
    if (values.size() % 2 == 1) return upper;
    return 0.5 * (*std::max_element(values.begin(), middle) + upper);
  }

  void shrink(Index c, Index j, const AllRows& all, double offset) {
    const double own = input_.moments[static_cast<std::size_t>(c)].weight[j];
    const double error =
        std::sqrt(minus_or_zero(1 / own, 1 / all.weight)) * (all.deviation + offset);
    const double distance = density_.mean(c, j) - all.mean;
    double& mean = density_.mean(c, j);
    mean = all.mean;
    if (!(error > 0)) return;  // the only class
    const double left = std::abs(distance / error) - input_.options().shrink_means->value;
    if (!(left > 0)) return;
    density_.deviation(c, j) = std::copysign(left, distance);
    mean += error * density_.deviation(c, j);
  }

  void widen(Index j, double offset) {
    Matrix& variances = density_.covariance[0];
    for (Index c = 0; c < variances.rows(); ++c) {
      if (variances.rows() == classes_ && !input_.context.seen(c)) continue;
      const double deviation = std::sqrt(variances(c, j)) + offset;
      variances(c, j) = deviation * deviation;
    }
  }

  const GaussianInput& input_;
  GaussianDensity& density_;
  Index classes_;
};

}  // namespace

void shrink_means(const GaussianInput& input, GaussianDensity& density) {
  MeanShrinker(input, density).run();
}

}  // namespace suffice
