#include "left_out/dominant_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "data/gather.hpp"
#include "data/number_reader.hpp"
#include "left_out/held_out.hpp"

namespace suffice {
namespace {

constexpr double least_left = 1e-6;
constexpr Index rows_at_a_time = 1024;
constexpr std::size_t most_rows = 256;

/// W u / (W − u) (x − m)² is what the squares lose with a row of weight u.
bool dominates(const Moments& of, Index j, double x, double u) {
  if (of.weight.empty() || std::isnan(x) || !(of.squares[j] > 0)) return false;
  const double left = of.weight[j] - u, delta = (x - of.mean[j]) - of.mean_low[j];
  return left > 0 && of.weight[j] * u / left * delta * delta > (1 - least_left) * of.squares[j];
}

/// Calls use(row, x) for all rows, x their values of the block.
template <class Use>
void for_each_row(const NumberReader& reader, Index rows, const Use& use) {
  Vector scratch(reader.in_place() ? 0 : rows_at_a_time * reader.features());
  for (Index first = 0; first < rows; first += rows_at_a_time) {
    const Index count = std::min(rows_at_a_time, rows - first);
    const NumberReader::Panel panel = reader.read(first, count, scratch.data());
    for (Index i = 0; i < count; ++i) use(first + i, panel.values + i * panel.stride);
  }
}

/// A row that dominates a feature of its class, and what the other rows have there.
struct Found {
  Index row, feature;
  double other = std::numeric_limits<double>::quiet_NaN();
  bool varies = false;

  void see(double x) {
    if (std::isnan(x)) return;
    if (std::isnan(other)) other = x;
    varies = varies || x != other;
  }
};

}  // namespace

std::vector<Index> dominant_rows(const Statistics& all, const RowBlock& rows,
                                 std::span<const std::int32_t> label, const double* weight) {
  std::vector<Index> result;
  const std::vector<Block>& blocks = all.schema().blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const auto* gaussian = std::get_if<GaussianStatistics>(&all.blocks()[b]);
    if (!gaussian) continue;
    std::vector<Moments> moments;
    for (Index c = 0; c < all.labels().size(); ++c) moments.push_back(gaussian->moments(c));
    const NumberReader reader(all.schema(), blocks[b], rows);
    std::vector<std::vector<Found>> found(moments.size());  // per class
    bool any = false;
    for_each_row(reader, rows.rows(), [&](Index i, const double* x) {
      if (label[i] < 0) return;
      for (Index j = 0; j < reader.features(); ++j)
        if (dominates(moments[label[i]], j, x[j], weight ? weight[i] : 1)) {
          found[label[i]].push_back({i, j});
          any = true;
        }
    });
    if (!any) continue;
    for_each_row(reader, rows.rows(), [&](Index i, const double* x) {
      if (label[i] < 0) return;
      for (Found& of : found[label[i]])
        if (of.row != i) of.see(x[of.feature]);
    });
    for (const std::vector<Found>& of_class : found)
      for (const Found& of : of_class)
        if (of.varies) result.push_back(of.row);
  }
  std::ranges::sort(result);
  result.erase(std::ranges::unique(result).begin(), result.end());
  if (result.size() > most_rows) result.resize(most_rows);
  return result;
}

bool DominantScores::has(Index row) const { return std::ranges::binary_search(rows, row); }

const double* DominantScores::scores(std::size_t candidate, std::size_t block, Index row) const {
  const Index position = std::ranges::lower_bound(rows, row) - rows.begin();
  return values[candidate][block].row(position).data();
}

DominantScores score_dominant(std::vector<Index> dominant, const Statistics& nothing,
                              const RowBlock& rows, const double* weight,
                              std::span<const EstimateOptions> candidates,
                              const Execution& execution) {
  DominantScores result;
  result.rows = std::move(dominant);
  result.errors.resize(candidates.size());
  const Matrix none(std::ssize(result.rows), nothing.labels().size());
  result.values.assign(candidates.size(),
                       std::vector<Matrix>(nothing.schema().blocks().size(), none));
  std::vector<double> weights(static_cast<std::size_t>(rows.rows()), 1.0);
  if (weight) std::copy_n(weight, rows.rows(), weights.begin());
  for (std::size_t r = 0; r < result.rows.size(); ++r) {
    const Index row = result.rows[r];
    const double own = std::exchange(weights[row], 0.0);
    RowBlock others = rows;
    others.weights(Column(weights));
    const Statistics without = Statistics(nothing).update(others, execution);
    weights[row] = own;
    const GatheredRows alone(rows, {&row, 1});
    for (std::size_t j = 0; j < candidates.size(); ++j) {
      if (!result.errors[j].empty()) continue;
      result.errors[j] = error_of([&] {
        const Model model = estimate(without, candidates[j], execution);
        const BlockScores scores = block_scores(model, alone.block(), {}, execution);
        for (std::size_t b = 0; b < scores.values.size(); ++b)
          std::ranges::copy(scores.values[b].row(0), result.values[j][b].row(r).begin());
      });
      if (!result.errors[j].empty())
        result.errors[j] = Sentence("without row " + std::to_string(row) + ": ") + result.errors[j];
    }
  }
  return result;
}

}  // namespace suffice
