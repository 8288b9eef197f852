#include "suffice/core/boxed.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace suffice {
namespace {

TEST(Boxed, CopiesHaveValuesOfTheirOwn) {
  Boxed<std::string> a = std::string("a");
  Boxed<std::string> b = a;
  *b += "b";
  EXPECT_EQ(*a, "a");
  EXPECT_EQ(*b, "ab");
  a = b;
  b.reset();
  EXPECT_EQ(a->size(), 2u);
  EXPECT_FALSE(b.has_value());
}

TEST(Boxed, IsEqualByValue) {
  const Boxed<std::string> none, a = std::string("a"), other = std::string("b");
  EXPECT_EQ(none, Boxed<std::string>());
  EXPECT_EQ(a, std::string("a"));
  EXPECT_NE(a, other);
  EXPECT_NE(a, none);
  EXPECT_NE(none, a);
}

TEST(Boxed, WhatWasMovedFromIsEmpty) {
  Boxed<std::string> a = std::string("a");
  const Boxed<std::string> b = std::move(a);
  EXPECT_EQ(*b, "a");
  EXPECT_FALSE(a);
  EXPECT_EQ(a.emplace(), "");
}

TEST(Boxed, TakesTheRoomOfAPointer) { EXPECT_EQ(sizeof(Boxed<std::string>), sizeof(void*)); }

}  // namespace
}  // namespace suffice
