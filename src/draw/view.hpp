#pragma once
// What the axes of a picture are, and the model over just these.

#include <string>
#include <vector>

#include "draw/contour.hpp"
#include "draw/scale.hpp"
#include "suffice/draw/plot.hpp"

namespace suffice::draw {

/// Labelled rows as points.
struct Points {
  std::vector<std::vector<Point>> of_class;  ///< y is 0 where there is one axis
};

/// One or two numbers.
struct View {
  Model model;                     ///< of one or two features
  std::vector<std::string> names;  ///< of the axes
  std::string note;                ///< what happens to the other features; empty: there are none
  std::vector<Index> features;     ///< of the whole model's schema; empty: the plane below
  Index block = 0;                 ///< plane: the Gaussian block
  LinearMap plane = {};            ///< from its (transformed) features to the axes

  /// "a and b", or "the discriminant plane".
  std::string words() const;
  Index axes() const { return static_cast<Index>(names.size()); }
  /// Rows that lack a coordinate are left out.
  Points points(const Model& whole, const RowBlock& rows) const;
  /// What an axis shows: nearly all of each class, and the points.
  Domain domain(Index axis, const Points& points) const;
};

/// The model of one or two features; the others are not known.
View feature_view(const Model& model, const std::vector<Index>& features);
/// Of a Gaussian block: the plane in which the classes differ most.
View discriminant_view(const Model& model);
/// Throws InvalidArgument where so many classes would hide each other.
void require_few_classes(const Model& model);
/// What the options ask for. `has_rows`: points will be drawn, and say what the axes show.
View view_of(const Model& model, const plot::Options& options, bool needs_plane, bool has_rows);

/// The covariance matrix of a class; of a Student's t the covariance, not the scale (which it is
/// where there is none).
Matrix covariance_of(const GaussianDensity& density, Index c);

/// "a", "a and b", "a, b and 3 more".
std::string listing(const std::vector<std::string>& names);

}  // namespace suffice::draw
