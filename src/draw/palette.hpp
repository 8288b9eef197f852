#pragma once
// How classes are told apart: colours that colour-blind readers can tell from each other (after
// Okabe and Ito), and a marker and a dash besides. Beyond eight classes colours return with other
// markers and dashes.

#include <array>
#include <string>
#include <string_view>

#include "suffice/core/matrix.hpp"

namespace suffice::draw {

inline constexpr Index colour_count = 8;

enum class Marker { circle, square, triangle, diamond, cross, plus, down, ring };

struct ClassStyle {
  std::string_view colour;
  std::string_view dash;  ///< of lines; empty: solid
  Marker marker;
};

inline ClassStyle style_of(Index c) {
  constexpr std::array<std::string_view, colour_count> colours = {
      "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#777777"};
  constexpr std::array<std::string_view, 5> dashes = {"", "6 3", "2 2", "8 3 2 3", "1 3"};
  constexpr std::array<Marker, 8> markers = {Marker::circle,  Marker::triangle, Marker::square,
                                             Marker::diamond, Marker::plus,     Marker::down,
                                             Marker::cross,   Marker::ring};
  const auto k = static_cast<std::size_t>(c < 0 ? 0 : c);
  // A second round of colours has other dashes and markers than the first.
  return {colours[k % colours.size()], dashes[(k + k / colours.size()) % dashes.size()],
          markers[(k + k / colours.size()) % markers.size()]};
}

/// A colour between white and dark blue; share in [0, 1].
std::string sequential_colour(double share);
/// Blue for −1, white for 0, orange for 1.
std::string diverging_colour(double value);
/// Whether white text reads better than black on it.
bool is_dark(std::string_view colour);

}  // namespace suffice::draw
