// The drawing layer: shapes against geometry, text against what XML can have.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "draw/contour.hpp"
#include "draw/grid_scores.hpp"
#include "draw/palette.hpp"
#include "draw/scale.hpp"
#include "draw/sheet.hpp"
#include "draw/svg.hpp"
#include "suffice/draw/plot.hpp"

namespace suffice::draw_test {
namespace {

using namespace draw;

/// Twice the signed area of a ring.
double signed_area(const std::vector<Point>& ring) {
  double sum = 0;
  for (std::size_t k = 0; k < ring.size(); ++k) {
    const Point &a = ring[k], &b = ring[(k + 1) % ring.size()];
    sum += a.x * b.y - b.x * a.y;
  }
  return sum / 2;
}

double area(const std::vector<std::vector<Point>>& rings) {
  double sum = 0;
  for (const auto& ring : rings) sum += signed_area(ring);
  return std::abs(sum);
}

Matrix on_grid(Index n, auto&& f) {
  Matrix values(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) values(i, j) = f(static_cast<double>(j), static_cast<double>(i));
  return values;
}

TEST(Contour, DiscHasTheAreaOfACircle) {
  for (const double r : {5.0, 12.5, 30.0}) {
    const Matrix values = on_grid(
        101, [&](double x, double y) { return r * r - (x - 50) * (x - 50) - (y - 50) * (y - 50); });
    const auto rings = filled_contour(values, 0);
    ASSERT_EQ(rings.size(), 1u);
    // Sides of up to √2 cut off at most (√2 / r)² / 6 of the circle, π/3 in all; that a quadratic
    // is interpolated by lines moves the corners inwards by up to 1 / (8 r), π/4 in all.
    EXPECT_NEAR(area(rings), std::numbers::pi * r * r, std::numbers::pi * (1.0 / 3 + 1.0 / 4)) << r;
  }
}

TEST(Contour, RingHasAHole) {
  const Matrix values = on_grid(101, [](double x, double y) {
    const double r = std::hypot(x - 50, y - 50);
    return 5 - std::abs(r - 25);
  });
  const auto rings = filled_contour(values, 0);
  ASSERT_EQ(rings.size(), 2u);
  EXPECT_LT(signed_area(rings[0]) * signed_area(rings[1]), 0) << "the hole runs the other way";
  EXPECT_NEAR(area(rings), std::numbers::pi * (30 * 30 - 20 * 20), 16);
}

TEST(Contour, PartsCoverTheGridWithoutOverlap) {
  const auto f = [](double x, double y) { return std::sin(x / 7) + std::cos(y / 5) + 0.01 * x; };
  const Matrix values = on_grid(61, f);
  Matrix others(61, 61);
  for (Index k = 0; k < values.size(); ++k) others.data()[k] = -values.data()[k];
  EXPECT_NEAR(area(filled_contour(values, 0)) + area(filled_contour(others, 0)), 60.0 * 60, 1e-9);
}

TEST(Contour, EverywhereIsTheWholeGrid) {
  const auto rings = filled_contour(on_grid(11, [](double, double) { return 1.0; }), 0);
  ASSERT_EQ(rings.size(), 1u);
  EXPECT_NEAR(area(rings), 100, 1e-12);
  EXPECT_TRUE(filled_contour(on_grid(11, [](double, double) { return -1.0; }), 0).empty());
}

TEST(Contour, SimplifiedStaysWithinTheTolerance) {
  std::vector<Point> line;
  for (int k = 0; k <= 1000; ++k) line.push_back({k * 0.1, 20 * std::sin(k * 0.01)});
  const auto fewer = simplified(line, 0.05);
  EXPECT_LT(fewer.size(), line.size() / 5);
  for (const Point& p : line) {
    double nearest = 1e9;
    for (std::size_t k = 0; k + 1 < fewer.size(); ++k) {
      const Point &a = fewer[k], &b = fewer[k + 1];
      if (p.x < a.x - 1e-9 || p.x > b.x + 1e-9) continue;
      const double y = a.y + (b.y - a.y) * (p.x - a.x) / (b.x - a.x);
      nearest = std::min(nearest, std::abs(p.y - y));
    }
    EXPECT_LT(nearest, 0.05 * std::sqrt(5.0) + 1e-9);  // distances are across the line, of slope 2
  }
}

TEST(DrawnScale, TicksAreRoundAndInside) {
  const auto ticks = Scale::linear(0.137, 9.21, 0, 500).ticks(5);
  ASSERT_GE(ticks.size(), 4u);
  EXPECT_EQ(ticks[0].label, "2");
  for (const Tick& tick : ticks) {
    EXPECT_GE(tick.value, 0.137);
    EXPECT_LE(tick.value, 9.21);
  }
  EXPECT_EQ(short_number(-0.5), "−0.5");
  EXPECT_EQ(short_number(1e-5), "1e-5");
  EXPECT_EQ(short_number(123456), "123456");
}

TEST(DrawnScale, ProbitIsTheNormalQuantile) {
  const Scale scale(Scale::Kind::probit, 0.001, 0.999, 0, 1);
  EXPECT_NEAR(scale(0.5), 0.5, 1e-12);
  // Φ⁻¹(0.8413447…) = 1, Φ⁻¹(0.999) = 3.0902323…
  EXPECT_NEAR(scale(0.8413447460685429) - 0.5, 0.5 / 3.090232306167813, 1e-9);
  EXPECT_NEAR(scale.at(scale(0.2)), 0.2, 1e-9);
}

TEST(DrawnScale, InfiniteValuesLieAtTheEnds) {
  const Scale scale = Scale::linear(0, 10, 100, 200);
  EXPECT_EQ(scale(INFINITY), 200);
  EXPECT_EQ(scale(-INFINITY), 100);
}

TEST(Svg, EscapesWhatIsMarkup) {
  EXPECT_EQ(escaped("<script>\"a\" & b"), "&lt;script&gt;&quot;a&quot; &amp; b");
  EXPECT_EQ(escaped("a\x01z"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(escaped("\xFFz"), "\xEF\xBF\xBDz");
  EXPECT_EQ(escaped("größe 🐧"), "größe 🐧");
  EXPECT_EQ(escaped("a\xE2\x80\xAEz"), "a\xEF\xBF\xBDz") << "marks that turn text around";
}

TEST(Svg, LongTextIsCut) {
  const std::string text(200, 'm');
  EXPECT_LE(text_width(fitted(text, 80, 11), 11), 80 + 11);
  EXPECT_EQ(fitted("short", 80, 11), "short");
}

TEST(Palette, ManyClassesDifferInColourOrMarker) {
  for (Index a = 0; a < 40; ++a)
    for (Index b = 0; b < a; ++b) {
      const ClassStyle x = style_of(a), y = style_of(b);
      EXPECT_TRUE(x.colour != y.colour || x.marker != y.marker || x.dash != y.dash)
          << a << " " << b;
    }
}

/// Two classes with means 0 and 2 and variance 1.
Model two_classes(std::string first = "a", std::string second = "b") {
  Matrix mean{{0}, {2}};
  return Model({.schema = Schema({{"x"}}),
                .labels = Names({first, second}),
                .weights = {1, 1},
                .densities = {GaussianDensity{Covariance::tied, mean, {Matrix{{1}}}}}});
}

TEST(Regions, BorderOfTwoNormalsIsBetweenTheMeans) {
  const Picture even = plot::regions(two_classes());
  ASSERT_EQ(even.rows.size(), 2u);
  EXPECT_NEAR(std::stod(even.rows[0][2]), 1.0, 1e-3);
  // With priors 0.9 and 0.1 the border moves to 1 + log(9) / 2.
  const Picture uneven =
      plot::regions(two_classes(), {.priors = Priors(Names({"a", "b"}), {0.9, 0.1})});
  EXPECT_NEAR(std::stod(uneven.rows[0][2]), 1 + std::log(9.0) / 2, 2e-3);
  // A cost of 9 for missing a does the same.
  const Names labels({"a", "b"});
  const Picture costly = plot::regions(
      two_classes(), {.costs = Costs(labels, std::vector<Costs::Entry>{{"a", "b", 9.0}})});
  EXPECT_NEAR(std::stod(costly.rows[0][2]), 1 + std::log(9.0) / 2, 2e-3);
}

/// What deciding for a class costs, against the sum over all others.
TEST(Regions, MarginsOfMistakesAreThoseOfTheirCosts) {
  constexpr Index classes = 7;
  std::vector<std::string> labels;
  GaussianDensity density{.structure = Covariance::spherical,
                          .mean = Matrix(classes, 2),
                          .covariance = {Matrix(classes, 1)}};
  Vector weights(classes);
  for (Index c = 0; c < classes; ++c) {
    labels.push_back(std::string(1, static_cast<char>('a' + c)));
    density.mean(c, 0) = std::cos(static_cast<double>(c));
    density.mean(c, 1) = 3 * std::sin(2.0 * static_cast<double>(c));
    density.covariance[0](c, 0) = 0.1 + static_cast<double>(c % 3);
    weights[c] = static_cast<double>(c);  // the first is impossible
  }
  const Model model({.schema = Schema::numbered(2),
                     .labels = Names(labels),
                     .weights = weights,
                     .densities = {density}});
  const View view = feature_view(model, {0, 1});
  const plot::Options plain, costly{.costs = Costs::zero_one(model)};
  const Domain domain{-40, 40};
  const GridScores quick(view, plain, domain, domain, 21, 21);
  const GridScores slow(view, costly, domain, domain, 21, 21);
  for (Index c = 0; c < classes; ++c) {
    const Matrix one = quick.margin(c), other = slow.margin(c);
    for (Index k = 0; k < one.size(); ++k)
      EXPECT_NEAR(one.data()[k], other.data()[k], 1e-9 * (1 + std::abs(other.data()[k]))) << c;
  }
  for (Index i = 0; i < 21; ++i)
    for (Index j = 0; j < 21; ++j) EXPECT_EQ(quick.decided(i, j), slow.decided(i, j));
}

TEST(Pictures, HostileNamesAreText) {
  const Picture picture = plot::regions(two_classes("<script>alert(1)</script>", "\"&'"));
  EXPECT_EQ(picture.svg.find("<script"), std::string::npos);
  EXPECT_NE(picture.svg.find("&lt;script&gt;"), std::string::npos);
}

TEST(Pictures, SayWhatTheyCannotDraw) {
  const Model model = two_classes();
  EXPECT_THROW(plot::ellipses(model), InvalidArgument);
  EXPECT_THROW(plot::regions(model, {.features = {0, 0}}), InvalidArgument);
  EXPECT_THROW(plot::regions(model, {.features = {3}}), InvalidArgument);
}

}  // namespace
}  // namespace suffice::draw_test
