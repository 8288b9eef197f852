#include "draw/palette.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace suffice::draw {
namespace {

struct Rgb {
  double r, g, b;
};

std::string mixed(Rgb from, Rgb to, double share) {
  share = std::isnan(share) ? 0 : std::clamp(share, 0.0, 1.0);
  const auto part = [&](double a, double b) {
    return static_cast<int>(std::lround(a + (b - a) * share));
  };
  char text[8];
  std::snprintf(text, sizeof text, "#%02X%02X%02X", part(from.r, to.r) & 255,
                part(from.g, to.g) & 255, part(from.b, to.b) & 255);
  return text;
}

constexpr Rgb white = {255, 255, 255}, blue = {0, 87, 146}, orange = {200, 90, 0};

}  // namespace

std::string sequential_colour(double share) { return mixed(white, blue, share); }

std::string diverging_colour(double value) {
  return value < 0 ? mixed(white, blue, -value) : mixed(white, orange, value);
}

bool is_dark(std::string_view colour) {
  const auto part = [&](std::size_t at) {
    return static_cast<double>(std::strtol(std::string(colour.substr(at, 2)).c_str(), nullptr, 16));
  };
  return 0.299 * part(1) + 0.587 * part(3) + 0.114 * part(5) < 140;
}

}  // namespace suffice::draw
