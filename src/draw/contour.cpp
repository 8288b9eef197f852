#include "draw/contour.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <unordered_map>
#include <utility>

namespace suffice::draw {
namespace {

/// The grid with a border below the level, so that every ring is closed. Cells are numbered over
/// the bordered grid; an edge of a cell has a key, from which the next segment of a ring is found.
class Tracer {
 public:
  Tracer(const Matrix& values, double level)
      : values_(values), level_(level), rows_(values.rows() + 2), cols_(values.cols() + 2) {}

  std::vector<std::vector<Point>> rings() {
    for (Index i = 0; i + 1 < rows_; ++i)
      for (Index j = 0; j + 1 < cols_; ++j) add_cell(i, j);
    std::vector<std::vector<Point>> result;
    for (const auto& [start, unused] : next_) starts_.push_back(start);
    std::sort(starts_.begin(), starts_.end());
    for (const Index start : starts_) {
      if (!next_.contains(start)) continue;
      std::vector<Point> ring;
      for (Index at = start;;) {
        const auto found = next_.find(at);
        if (found == next_.end()) break;
        ring.push_back(point_on(at));
        at = found->second;
        next_.erase(found);
      }
      if (ring.size() >= 3) result.push_back(std::move(ring));
    }
    return result;
  }

 private:
  bool inside(Index i, Index j) const {
    return i > 0 && j > 0 && i < rows_ - 1 && j < cols_ - 1 && values_(i - 1, j - 1) >= level_;
  }
  // Keys of edges: between (i, j) and (i, j + 1), and between (i, j) and (i + 1, j).
  Index across(Index i, Index j) const { return 2 * (i * cols_ + j); }
  Index down(Index i, Index j) const { return 2 * (i * cols_ + j) + 1; }

  /// Segments with the inside on their left, so that they can be joined head to tail.
  void add_cell(Index i, Index j) {
    const int corners = (inside(i, j) ? 1 : 0) | (inside(i, j + 1) ? 2 : 0) |
                        (inside(i + 1, j + 1) ? 4 : 0) | (inside(i + 1, j) ? 8 : 0);
    const Index top = across(i, j), right = down(i, j + 1), bottom = across(i + 1, j),
                left = down(i, j);
    switch (corners) {
      case 1:
        join(top, left);
        break;
      case 2:
        join(right, top);
        break;
      case 3:
        join(right, left);
        break;
      case 4:
        join(bottom, right);
        break;
      case 5:
        join(top, left);
        join(bottom, right);
        break;
      case 6:
        join(bottom, top);
        break;
      case 7:
        join(bottom, left);
        break;
      case 8:
        join(left, bottom);
        break;
      case 9:
        join(top, bottom);
        break;
      case 10:
        join(right, top);
        join(left, bottom);
        break;
      case 11:
        join(right, bottom);
        break;
      case 12:
        join(left, right);
        break;
      case 13:
        join(top, right);
        break;
      case 14:
        join(left, top);
        break;
      default:
        break;
    }
  }
  void join(Index from, Index to) { next_.emplace(from, to); }

  double value(Index i, Index j) const { return values_(i - 1, j - 1); }
  bool is_border(Index i, Index j) const {
    return i == 0 || j == 0 || i == rows_ - 1 || j == cols_ - 1;
  }

  /// Where the level is met on an edge; on an edge to the border, at the grid's own end.
  Point point_on(Index key) const {
    const Index cell = key / 2, i = cell / cols_, j = cell % cols_;
    const Index i2 = key % 2 ? i + 1 : i, j2 = key % 2 ? j : j + 1;
    const auto place = [](Index k) { return static_cast<double>(k - 1); };
    if (is_border(i, j)) return {place(j2), place(i2)};
    if (is_border(i2, j2)) return {place(j), place(i)};
    const double a = value(i, j), b = value(i2, j2);
    double share = a == b ? 0.5 : (level_ - a) / (b - a);
    if (!(share >= 0 && share <= 1)) share = 0.5;  // infinite values
    return {place(j) + share * static_cast<double>(j2 - j),
            place(i) + share * static_cast<double>(i2 - i)};
  }

  const Matrix& values_;
  double level_;
  Index rows_, cols_;
  std::unordered_map<Index, Index> next_;
  std::vector<Index> starts_;
};

double distance_to_line(Point p, Point a, Point b) {
  // Pixels need no std::hypot, whose newest version would keep wheels from systems before
  // glibc 2.35.
  const auto norm = [](double x, double y) { return std::sqrt(x * x + y * y); };
  const double dx = b.x - a.x, dy = b.y - a.y, length = norm(dx, dy);
  if (length == 0) return norm(p.x - a.x, p.y - a.y);
  return std::abs(dx * (p.y - a.y) - dy * (p.x - a.x)) / length;
}

}  // namespace

std::vector<std::vector<Point>> filled_contour(const Matrix& values, double level) {
  return Tracer(values, level).rings();
}

std::vector<Point> simplified(const std::vector<Point>& ring, double tolerance) {
  if (ring.size() < 4) return ring;
  std::vector<bool> keep(ring.size(), false);
  keep.front() = keep.back() = true;
  std::vector<std::pair<std::size_t, std::size_t>> spans = {{0, ring.size() - 1}};
  while (!spans.empty()) {
    const auto [first, last] = spans.back();
    spans.pop_back();
    double most = tolerance;
    std::size_t at = first;
    for (std::size_t k = first + 1; k < last; ++k)
      if (const double d = distance_to_line(ring[k], ring[first], ring[last]); d > most) {
        most = d;
        at = k;
      }
    if (at == first) continue;
    keep[at] = true;
    spans.emplace_back(first, at);
    spans.emplace_back(at, last);
  }
  std::vector<Point> result;
  for (std::size_t k = 0; k < ring.size(); ++k)
    if (keep[k]) result.push_back(ring[k]);
  return result;
}

}  // namespace suffice::draw
