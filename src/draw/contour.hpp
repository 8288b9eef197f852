#pragma once
// Outlines of the places where a function on a grid is at least a level (marching squares).

#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice::draw {

struct Point {
  double x, y;
};

/// Closed rings around {values ≥ level}, to be filled by the even-odd rule; positions are columns
/// and rows of the grid, with linear interpolation between them. Where the set reaches the edge of
/// the grid, the ring runs along the edge. Values must not be NaN; infinite ones are bounded first.
std::vector<std::vector<Point>> filled_contour(const Matrix& values, double level);

/// The same without points that lie within `tolerance` of the line between those that are kept
/// (Douglas and Peucker).
std::vector<Point> simplified(const std::vector<Point>& ring, double tolerance);

}  // namespace suffice::draw
