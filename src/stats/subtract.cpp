#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/quoted.hpp"
#include "stats/merge.hpp"
#include "stats/moments.hpp"
#include "stats/pooled.hpp"
#include "stats/semidefinite.hpp"
#include "stats/thin.hpp"
#include "suffice/core/error.hpp"
#include "suffice/stats/statistics.hpp"

// The inverse of the merge. From W = W_P + W_R and the formula of stats/statistics.hpp, with
// δ = m_P − m:
//   m_R = m − δ W_P / W_R,   S_R = S − S_P − δδᵀ W W_P / W_R.

namespace suffice {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Sums that were made in different orders agree to this, relative to the whole.
constexpr double rounding = 1e-12;
/// What is left after other parts were taken out has their rounding, too: that of sums which were
/// up to a million times as large.
constexpr double earlier_rounding = 1e-7;
/// A remainder below this share of the whole has lost half of its digits.
constexpr double half_of_the_digits = 1e-8;

class Subtract {
 public:
  Subtract(const Statistics& all, const Statistics& part)
      : rest_(all.parts()), part_(part.parts()) {}

  SubtractResult run() {
    position_ = rest_.labels.positions_of(part_.labels);
    for (Index c = 0; c < part_.labels.size(); ++c) {
      const Index into = position_[c];
      if (into < 0) {
        if (part_.weights[c] > 0)
          throw DataError({.label = part_.labels[c]},
                          "the class is in the part and not in the whole", only_merged);
        continue;
      }
      where_ = {.label = part_.labels[c]};
      rest_.weights[into] = minus(rest_.weights[into], part_.weights[c], "weight");
      rest_.squared_weights[into] =
          minus(rest_.squared_weights[into], part_.squared_weights[c], "sum of squared weights");
    }
    for (std::size_t b = 0; b < rest_.blocks.size(); ++b) {
      names_ = rest_.schema.names(rest_.schema.blocks()[b]);
      // Compatible schemas have the same kinds of sums.
      std::visit([&]<class Sums>(Sums& rest) { block(rest, std::get<Sums>(part_.blocks[b])); },
                 rest_.blocks[b]);
    }
    try {
      return {Statistics(std::move(rest_)), std::move(warnings_)};
    } catch (const InvalidArgument& impossible) {
      throw DataError("the part is no part of the whole: what remains is impossible: " +
                      impossible.message());
    }
  }

 private:
  static constexpr auto only_merged = "subtract only what was merged into it";

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(where_, "cannot subtract: " + what, only_merged);
  }

  /// whole − part, exactly 0 where it is rounding. Whole numbers have none.
  double minus(double whole, double part, const std::string& what) const {
    const double rest = whole - part;
    const bool exact = whole == std::floor(whole) && part == std::floor(part);
    const double noise = exact ? 0 : rounding * whole;
    if (rest < -(exact ? 0 : 1e-9 * whole))
      fail("the part has the " + what + " " + name_of(part) + " and the whole only " +
           name_of(whole));
    return rest > noise ? rest : 0;
  }

  void block(GaussianStatistics& rest, const GaussianStatistics& part) {
    noise_ = slack_ = Vector(std::ssize(names_));
    for (const GaussianStatistics* sums : {static_cast<const GaussianStatistics*>(&rest), &part})
      for (const GaussianStatistics::Class& of : sums->classes) find_noise(of);
    pooled_ = rest.kind == Scatter::pooled;
    next_between_ = 0;
    between_ = Matrix(pooled_ ? std::ssize(part.classes) : 0, std::ssize(names_));
    for (std::size_t c = 0; c < part.classes.size(); ++c) {
      if (position_[c] < 0) continue;
      where_ = {.label = part_.labels[static_cast<Index>(c)]};
      lost_.clear();
      auto& [complete, present] = rest.classes[position_[c]];
      joint(complete, part.classes[c].complete);
      moments(present, part.classes[c].present);
      if (is_one_row(position_[c])) clear_scatter(complete, present);
      if (lost_.empty()) continue;
      std::ranges::sort(lost_);
      lost_.erase(std::ranges::unique(lost_).begin(), lost_.end());
      std::vector<std::string> features;
      for (const Index j : lost_) features.push_back(names_[j]);
      warnings_.push_back("class " + quoted(where_.label) +
                          " lost more than half of its digits in " + list_for_message(features) +
                          ": little of the scatter remains; sum the remaining rows anew where "
                          "the digits matter");
    }
    if (pooled_ && !part.pooled.empty() && !rest.pooled.empty()) within(rest, part.pooled);
  }

  /// What remains of the pooled scatter. Features that no class varies in any more have none.
  void within(GaussianStatistics& rest, const Matrix& part) {
    where_ = {};
    Matrix& scatter = rest.pooled;
    const Index d = scatter.rows();
    Vector before(d), left(d);
    bool any = false, known = rest.has_class_squares();
    for (const auto& [complete, present] : rest.classes) {
      any = any || complete.weight > 0;
      for (Index j = 0; j < complete.squares.size(); ++j) left[j] += complete.squares[j];
    }
    for (Index j = 0; j < d; ++j) before[j] = scatter(j, j);
    for (Index i = 0; i < scatter.size(); ++i) scatter.data()[i] -= part.data()[i];
    add_products(between_, -1, scatter);
    for (Index j = 0; j < d; ++j) {
      scatter(j, j) = squares(scatter(j, j), before[j], j);
      if (known && !(left[j] > 0)) scatter(j, j) = 0;
    }
    clear_constants(scatter);
    if (any)
      require_semidefinite(scatter, std::move(before));
    else
      scatter = {};
  }

  /// The largest variance within a class tells the size of what may have been taken out before.
  void find_noise(const GaussianStatistics::Class& sums) {
    const auto& [complete, present] = sums;
    const Vector squares = complete.weight > 0 ? squares_of(complete) : Vector();
    for (Index j = 0; j < noise_.size(); ++j) {
      double variance = 0;
      if (complete.weight > 0) variance = squares[j] / complete.weight;
      if (!present.weight.empty() && present.weight[j] > 0)
        variance = std::max(variance, present.squares[j] / present.weight[j]);
      noise_[j] = std::max(noise_[j], earlier_rounding * variance);
    }
  }

  /// Σ w² = (Σ w)²
  bool is_one_row(Index c) const {
    const double weight = rest_.weights[c];
    return rest_.squared_weights[c] >= weight * weight * (1 - 1e-9);
  }
  /// One row has no scatter: what is there is rounding, and nothing is lost with it.
  void clear_scatter(JointMoments& complete, Moments& present) {
    complete.scatter = Matrix(complete.scatter.rows(), complete.scatter.cols());
    complete.factor = {};
    complete.squares = Vector(complete.squares.size());
    present.squares = Vector(present.squares.size());
    lost_.clear();
  }

  /// What remains of the squares of feature j, where `before` is the whole. Less than a few
  /// roundings of the whole is nothing at all.
  double squares(double rest, double before, Index j) {
    const double slack = before > 0 ? 0 : slack_[j];
    if (!(rest >= -tolerance() * before - noise_[j] - slack)) {
      where_.features = {names_[j]};
      fail("the part's scatter is larger than the whole's");
    }
    if (rest < half_of_the_digits * before) lost_.push_back(j);
    return rest > 32 * epsilon * before ? rest : 0;
  }
  /// Nothing remains of the weight, so the sums must be the same, too. Rounding is far below a
  /// millionth of them.
  void require_equal(double weight, double apart, double mean, double whole, double part, Index j) {
    const double noise =
        1e-6 * std::max(whole, part) + weight * std::pow(1e-6 * mean, 2) + noise_[j];
    if (std::abs(whole - part) <= noise && weight * apart * apart <= noise) return;
    where_.features = {names_[j]};
    fail("the part has all of the weight, but other sums than the whole");
  }
  /// Rows that are all equal have no scatter, and a part of them is equal to them up to the
  /// rounding of means, as in require_equal.
  void allow_rounding_of_mean(double weight, double mean, Index j) {
    slack_[j] = std::max(slack_[j], weight * std::pow(1e-6 * mean, 2));
  }
  double tolerance() const { return rounding * static_cast<double>(names_.size() + 10); }

  void joint(JointMoments& rest, const JointMoments& part) {
    if (!(part.weight > 0)) return;
    const double all = rest.weight;
    const double left = minus(all, part.weight, "weight of complete rows");
    Vector before = squares_of(rest);
    if (!(left > 0)) {
      const Vector of_part = squares_of(part);
      for (Index j = 0; j < rest.mean.size(); ++j)
        require_equal(all, rest.mean[j] - part.mean[j], rest.mean[j], before[j], of_part[j], j);
      rest = JointMoments();
      return;
    }
    const Index d = rest.mean.size();
    Vector delta(d);
    for (Index j = 0; j < d; ++j) {
      const TwoWords mean{rest.mean[j], rest.mean_low[j]};
      const TwoWords apart = difference({part.mean[j], part.mean_low[j]}, mean);
      const TwoWords moved_back = moved(mean, apart, -part.weight, left);
      rest.mean[j] = moved_back.high;
      rest.mean_low[j] = moved_back.low;
      delta[j] = apart.high;
      allow_rounding_of_mean(all, part.mean[j], j);
    }
    const double factor = all * (part.weight / left);
    rest.weight = left;
    if (pooled_) return in_pooled(rest, part, delta, factor, before);
    if (rest.scatter.empty()) return thin(rest, part.factor, delta, factor, before);
    for (Index i = 0; i < d; ++i)
      for (Index j = 0; j < d; ++j)
        rest.scatter(i, j) =
            rest.scatter(i, j) - part.scatter(i, j) - (delta[i] * delta[j]) * factor;
    for (Index j = 0; j < d; ++j) {
      rest.scatter(j, j) = squares(rest.scatter(j, j), before[j], j);
      if (rest.scatter(j, j) > 0) continue;
      for (Index i = 0; i < d; ++i) rest.scatter(i, j) = rest.scatter(j, i) = 0;
    }
    require_semidefinite(rest.scatter, std::move(before));
  }

  /// The squares of what remains, where they are known, and what the pooled scatter loses.
  void in_pooled(JointMoments& rest, const JointMoments& part, const Vector& delta, double factor,
                 const Vector& before) {
    const double root = std::sqrt(factor);
    for (Index j = 0; j < delta.size(); ++j) between_(next_between_, j) = root * delta[j];
    ++next_between_;
    if (part.squares.empty()) rest.squares = {};
    for (Index j = 0; j < rest.squares.size(); ++j)
      rest.squares[j] =
          squares(before[j] - part.squares[j] - (delta[j] * delta[j]) * factor, before[j], j);
  }

  /// The factor of what remains; the part's has the row √factor · δ, too.
  void thin(JointMoments& rest, const Matrix& part, const Vector& delta, double factor,
            const Vector& before) {
    const Index d = delta.size();
    Matrix taken(part.rows() + 1, d), remaining;
    std::copy_n(part.data(), part.size(), taken.data());
    for (Index j = 0; j < d; ++j) {
      const double between = std::sqrt(factor) * delta[j];
      const bool is_rounding = !(before[j] > 0) && between * between <= slack_[j];
      taken(part.rows(), j) = is_rounding ? 0 : between;
    }
    bool digits_lost = false;
    if (!subtract_thin(rest.factor, taken, remaining, digits_lost))
      fail("the rows of the part are not among those of the whole");
    rest.factor = std::move(remaining);
    const Vector after = squares_of(rest);
    for (Index j = 0; j < d; ++j)
      if (squares(after[j], before[j], j) > 0 && digits_lost) lost_.push_back(j);
  }

  /// On the whole's scale, where rounding is of one size, the remainder must be a scatter. What
  /// rounding took from it on its own scale is given back.
  void require_semidefinite(Matrix& scatter, Vector before) const {
    for (Index j = 0; j < before.size(); ++j)
      before[j] = std::max(before[j], noise_[j] / tolerance());
    if (!is_semidefinite(scatter, before, tolerance()))
      fail("what remains of the scatter is not positive semidefinite");
    make_scatter(scatter, before);
  }

  void moments(Moments& rest, const Moments& part) {
    if (part.weight.empty()) return;
    double any = 0;
    for (Index j = 0; j < part.weight.size(); ++j) {
      where_.features = {names_[j]};
      const double all = rest.weight.empty() ? 0 : rest.weight[j];
      const double left = minus(all, part.weight[j], "weight of values");
      if (rest.weight.empty()) continue;
      any += left;
      rest.weight[j] = left;
      if (!(left > 0)) {
        if (all > 0)
          require_equal(all, rest.mean[j] - part.mean[j], rest.mean[j], rest.squares[j],
                        part.squares[j], j);
        rest.mean[j] = rest.mean_low[j] = rest.squares[j] = 0;
        continue;
      }
      if (!(part.weight[j] > 0)) continue;
      const TwoWords mean{rest.mean[j], rest.mean_low[j]};
      const TwoWords apart = difference({part.mean[j], part.mean_low[j]}, mean);
      const TwoWords moved_back = moved(mean, apart, -part.weight[j], left);
      allow_rounding_of_mean(all, part.mean[j], j);
      const double remaining = rest.squares[j] - part.squares[j] -
                               (apart.high * apart.high) * (all * (part.weight[j] / left));
      rest.squares[j] = squares(remaining, rest.squares[j], j);
      rest.mean[j] = moved_back.high;
      rest.mean_low[j] = moved_back.low;
    }
    where_.features.clear();
    if (!(any > 0)) rest = Moments();
  }

  void block(CountStatistics& rest, const CountStatistics& part) {
    table(rest.weight, part.weight, "weight of values");
    table(rest.sum, part.sum, "sum");
  }

  void table(Matrix& rest, const Matrix& part, const std::string& what) {
    for (Index c = 0; c < part.rows(); ++c) {
      if (position_[c] < 0) continue;
      for (Index j = 0; j < part.cols(); ++j) {
        where_ = {.label = part_.labels[c], .features = {names_[j]}};
        double& cell = rest(position_[c], j);
        cell = minus(cell, part(c, j), what);
      }
    }
  }

  void block(CategoricalStatistics& rest, const CategoricalStatistics& part) {
    for (std::size_t j = 0; j < part.levels.size(); ++j) {
      const std::vector<Index> level = rest.levels[j].positions_of(part.levels[j]);
      for (Index c = 0; c < part.count[j].rows(); ++c) {
        if (position_[c] < 0) continue;
        where_ = {.label = part_.labels[c], .features = {names_[j]}};
        for (Index l = 0; l < part.levels[j].size(); ++l) {
          const double count = part.count[j](c, l);
          const std::string what = "count of level " + quoted(part.levels[j][l]);
          if (level[l] >= 0) {
            double& cell = rest.count[j](position_[c], level[l]);
            cell = minus(cell, count, what);
          } else if (count > 0) {
            fail("the whole lacks the level " + quoted(part.levels[j][l]) + " of the part");
          }
        }
      }
    }
  }

  void block(TextStatistics& rest, const TextStatistics& part) {
    table(rest.weight, part.weight, "weight of documents");
    for (std::size_t j = 0; j < part.words.size(); ++j) {
      const std::vector<Index> word = rest.words[j].positions_of(part.words[j]);
      for (std::size_t i = 0; i < word.size() && !part.heaviest.empty(); ++i)
        if (word[i] >= 0 && rest.heaviest[j][word[i]] == part.heaviest[j][i])
          rest.lead[j][word[i]] =
              std::max(0.0, rest.lead[j][word[i]] - part.lead[j][static_cast<Index>(i)]);
      for (Index c = 0; c < part.count[j].rows(); ++c) {
        if (position_[c] < 0) continue;
        where_ = {.label = part_.labels[c], .features = {names_[j]}};
        for (Index i = 0; i < part.words[j].size(); ++i) {
          const double count = part.count[j](c, i), rows = part.rows[j](c, i);
          if (!(count > 0 || rows > 0)) continue;
          const auto name = [&] { return "the word " + quoted(part.words[j][i]); };
          if (word[i] < 0) fail("the whole lacks " + name() + " of the part");
          double& all = rest.count[j](position_[c], word[i]);
          double& documents = rest.rows[j](position_[c], word[i]);
          if (count > all || rows > documents) {
            minus(all, count, "count of " + name());
            minus(documents, rows, "number of documents with " + name());
          }
          all = minus(all, count, "count of a word");
          documents = minus(documents, rows, "number of documents with a word");
        }
      }
    }
  }

  Statistics::Parts rest_;
  const Statistics::Parts& part_;
  std::vector<Index> position_;     ///< of the part's classes in the whole; -1: not there
  std::vector<std::string> names_;  ///< of the current block's features
  Place where_;                     ///< what is worked on, for messages
  Vector slack_;                    ///< per feature: squares between equal rows, by their means
  Vector noise_;                    ///< per feature: squares that may be rounding of earlier sums
  bool pooled_ = false;             ///< the current block's scatter is pooled
  Matrix between_;                  ///< √factor δ of each class, which a pooled scatter loses
  Index next_between_ = 0;
  std::vector<Index> lost_;  ///< features whose squares lost half of their digits
  std::vector<std::string> warnings_;
};

}  // namespace

SubtractResult subtract(const Statistics& all, const Statistics& part) {
  require_compatible(all.parts(), part.parts(), "subtract");
  if (const auto kind = common_kind(all.parts(), part.parts()))
    return subtract(with_scatter(all, *kind), with_scatter(part, *kind));
  return Subtract(all, part).run();
}

}  // namespace suffice
