// Classes and features of structs that say by which their members are counted.

#include "core/take.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace suffice::take_test {
namespace {

struct Inner {
  Vector weight;
  friend bool operator==(const Inner&, const Inner&) = default;
  static constexpr auto fields() {
    return std::tuple{Field{"weight", &Inner::weight}.by(Axis::feature)};
  }
};

struct Sums {
  double scale = 1;
  Matrix sum;                      // class × feature
  Matrix product;                  // feature × feature
  std::vector<Inner> classes;      // by class
  std::vector<Matrix> count;       // by feature, class × levels
  std::vector<std::string> names;  // by feature
  Matrix empty = {};               // class × feature

  static constexpr auto fields() {
    return std::tuple{Field{"scale", &Sums::scale},
                      Field{"sum", &Sums::sum}.by(Axis::class_, Axis::feature),
                      Field{"product", &Sums::product}.by(Axis::feature, Axis::feature),
                      Field{"classes", &Sums::classes}.by(Axis::class_),
                      Field{"count", &Sums::count}.by(Axis::feature, Axis::class_),
                      Field{"names", &Sums::names}.by(Axis::feature),
                      Field{"empty", &Sums::empty}.by(Axis::class_, Axis::feature)};
  }
};

/// Two classes, three features.
Sums example() {
  return {.scale = 7,
          .sum = {{1, 2, 3}, {4, 5, 6}},
          .product = {{11, 12, 13}, {12, 22, 23}, {13, 23, 33}},
          .classes = {{{1, 2, 3}}, {{4, 5, 6}}},
          .count = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}, {{9, 10}, {11, 12}}},
          .names = {"x", "y", "z"}};
}

TEST(Take, FeaturesAreColumnsEntriesAndBothSidesOfAProduct) {
  const std::vector<Index> kept{2, 0};
  const Sums found = taken(example(), Axis::feature, kept);
  EXPECT_EQ(found.scale, 7);
  EXPECT_EQ(found.sum, (Matrix{{3, 1}, {6, 4}}));
  EXPECT_EQ(found.product, (Matrix{{33, 13}, {13, 11}}));
  EXPECT_EQ(found.classes, (std::vector<Inner>{{{3, 1}}, {{6, 4}}}));
  EXPECT_EQ(found.count, (std::vector<Matrix>{{{9, 10}, {11, 12}}, {{1, 2}, {3, 4}}}));
  EXPECT_EQ(found.names, (std::vector<std::string>{"z", "x"}));
  EXPECT_TRUE(found.empty.empty());
}

TEST(Take, ClassesAreRowsAndEntries) {
  const std::vector<Index> kept{1, 1};
  const Sums found = taken(example(), Axis::class_, kept);
  EXPECT_EQ(found.sum, (Matrix{{4, 5, 6}, {4, 5, 6}}));
  EXPECT_EQ(found.product, example().product);
  EXPECT_EQ(found.classes, (std::vector<Inner>{{{4, 5, 6}}, {{4, 5, 6}}}));
  EXPECT_EQ(found.count,
            (std::vector<Matrix>{{{3, 4}, {3, 4}}, {{7, 8}, {7, 8}}, {{11, 12}, {11, 12}}}));
  EXPECT_EQ(found.names.size(), 3U);
}

TEST(Take, ANegativePositionIsZero) {
  const std::vector<Index> kept{-1, 0};
  const Sums found = taken(example(), Axis::class_, kept);
  EXPECT_EQ(found.sum, (Matrix{{0, 0, 0}, {1, 2, 3}}));
  EXPECT_EQ(found.classes[0], Inner());
  EXPECT_EQ(found.count[0], (Matrix{{0, 0}, {1, 2}}));
  EXPECT_TRUE(found.empty.empty());
}

}  // namespace
}  // namespace suffice::take_test
