#include "train/clusters.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/random.hpp"
#include "data/family.hpp"
#include "data/name_encoder.hpp"
#include "data/number_reader.hpp"

namespace suffice {
namespace {

constexpr int most_rounds = 20;

void standardise(Vector& column) {
  double sum = 0, count = 0, squares = 0;
  for (const double x : column)
    if (std::isfinite(x)) {
      sum += x;
      ++count;
    }
  const double mean = count > 0 ? sum / count : 0;
  for (const double x : column)
    if (std::isfinite(x)) squares += (x - mean) * (x - mean);
  const double deviation = count > 0 ? std::sqrt(squares / count) : 0;
  for (double& x : column) x = std::isfinite(x) && deviation > 0 ? (x - mean) / deviation : 0;
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

/// A row with the probability of its weight, if any is positive; otherwise −1.
Index picked(const std::vector<double>& weight, RowRandom& random) {
  double total = 0;
  for (const double w : weight) total += w;
  if (!(total > 0)) return -1;
  double left = random.uniform() * total;
  Index last = -1;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    if (!(weight[i] > 0)) continue;
    last = static_cast<Index>(i);
    left -= weight[i];
    if (left < 0) break;
  }
  return last;
}

}  // namespace

Matrix points_of(const Schema& schema, const RowBlock& rows) {
  const Index n = rows.rows();
  std::vector<Vector> columns;
  for (const Block& block : schema.blocks()) {
    if (describe(block.family).sums != SumsKind::categorical) {
      const NumberReader reader(schema, block, rows);
      Vector scratch(reader.in_place() ? 0 : n * reader.features());
      const NumberReader::Panel panel = reader.read(0, n, scratch.data());
      for (Index j = 0; j < reader.features(); ++j) {
        Vector& column = columns.emplace_back(n);
        for (Index i = 0; i < n; ++i) column[i] = panel.values[i * panel.stride + j];
        standardise(column);
      }
      continue;
    }
    for (const Index feature : block.features) {
      const EncodedNames encoded =
          encode_names(NameReader::column_of(rows, schema.column(feature)));
      const std::size_t first = columns.size();
      for (Index l = 0; l < encoded.names.size(); ++l) columns.emplace_back(n);
      for (Index i = 0; i < n; ++i)
        if (encoded.code[i] >= 0) columns[first + at(encoded.code[i])][i] = std::sqrt(0.5);
    }
  }
  Matrix points(n, std::ssize(columns));
  for (Index j = 0; j < points.cols(); ++j)
    for (Index i = 0; i < n; ++i) points(i, j) = columns[at(j)][i];
  return points;
}

std::vector<Index> clusters_of(const Matrix& points, std::span<const double> weights, Index count,
                               std::uint64_t seed, std::uint64_t attempt) {
  const Index n = points.rows();
  RowRandom random(seed, attempt);
  std::vector<Index> cluster(at(n));
  std::vector<double> distance(at(n), infinity), weight(weights.begin(), weights.end());
  std::vector<Vector> centre;
  while (std::ssize(centre) < count) {
    const Index seed_row = picked(weight, random);
    if (seed_row < 0) break;  // all others are equal to a centre
    Vector& at_row = centre.emplace_back(points.cols());
    std::ranges::copy(points.row(seed_row), at_row.begin());
    for (Index i = 0; i < n; ++i) {
      const double d = squared_distance(points.row(i), at_row);
      if (d < distance[at(i)]) {
        distance[at(i)] = d;
        cluster[at(i)] = std::ssize(centre) - 1;
      }
      weight[at(i)] = weights[at(i)] * distance[at(i)];
    }
  }
  for (int round = 0; round < most_rounds && centre.size() > 1; ++round) {
    std::vector<double> total(centre.size());
    for (Vector& of : centre) std::ranges::fill(of, 0.0);
    for (Index i = 0; i < n; ++i) {
      total[at(cluster[at(i)])] += weights[at(i)];
      for (Index j = 0; j < points.cols(); ++j)
        centre[at(cluster[at(i)])][j] += weights[at(i)] * points(i, j);
    }
    for (std::size_t k = 0; k < centre.size(); ++k)
      for (double& x : centre[k]) x = total[k] > 0 ? x / total[k] : infinity;
    bool changed = false;
    for (Index i = 0; i < n; ++i) {
      double least = infinity;
      Index nearest = cluster[at(i)];
      for (std::size_t k = 0; k < centre.size(); ++k)
        if (const double d = squared_distance(points.row(i), centre[k]); d < least) {
          least = d;
          nearest = static_cast<Index>(k);
        }
      changed = changed || nearest != cluster[at(i)];
      cluster[at(i)] = nearest;
    }
    if (!changed) break;
  }
  // Without gaps: a cluster may have lost its rows.
  std::vector<Index> place(centre.size(), -1);
  Index used = 0;
  for (Index& k : cluster) {
    if (place[at(k)] < 0) place[at(k)] = used++;
    k = place[at(k)];
  }
  return cluster;
}

}  // namespace suffice
