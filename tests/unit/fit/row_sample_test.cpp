// Rows that are drawn at random: which, and that all of a row comes along.

#include "suffice/fit/row_sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "suffice/core/names.hpp"
#include "suffice/stats/statistics.hpp"
#include "support/message_of.hpp"

namespace suffice::row_sample_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

/// 500 rows of which each cell tells its number; every tenth is of a rare class.
struct Numbered {
  static constexpr Index n = 500;
  Schema schema{{{"number"}, {"name", Family::categorical}, {"half"}}};
  Vector number = Vector(n), half = Vector(n), weight = Vector(n);
  std::vector<std::string> name, label, fold;

  Numbered() {
    for (Index i = 0; i < n; ++i) {
      number[i] = static_cast<double>(i);
      half[i] = i % 7 ? static_cast<double>(i) / 2 : std::nan("");
      weight[i] = static_cast<double>(1 + i % 4);
      name.push_back("r" + std::to_string(i));
      label.push_back(i % 10 ? "common" : "rare");
      fold.push_back("f" + std::to_string(i % 5));
    }
  }
  RowBlock rows(Index first = 0, Index count = n) const {
    return RowBlock(n)
        .feature(number)
        .feature(name)
        .feature(half)
        .labels(label)
        .weights(weight)
        .slice(first, count);
  }
};

/// In blocks of that many rows.
class Blocks : public RowSource {
 public:
  Blocks(const Numbered& table, Index rows, bool folds)
      : table_(table), rows_(rows), folds_(folds) {}
  const Schema& schema() const override { return table_.schema; }
  RowCounts read(const Reading&, const Use& use) override {
    for (Index first = 0; first < Numbered::n; first += rows_) {
      const Index count = std::min(rows_, Numbered::n - first);
      const std::vector<std::string> folds(table_.fold.begin() + first,
                                           table_.fold.begin() + first + count);
      use(table_.rows(first, count), folds_ ? Column(folds) : Column());
    }
    return {.rows = Numbered::n};
  }

 private:
  const Numbered& table_;
  Index rows_;
  bool folds_;
};

/// The numbers of the rows, by their sums: each class has one row.
std::vector<double> numbers_of(RowSource& rows) {
  std::vector<double> result;
  rows.read({.schema = rows.schema()}, [&](const RowBlock& block, const Column&) {
    for (Index i = 0; i < block.rows(); ++i) {
      Statistics one(rows.schema());
      one.update(block.slice(i, 1));
      result.push_back(std::get<GaussianStatistics>(one.blocks()[0]).moments(0).mean[0]);
    }
  });
  return result;
}

TEST(RowSample, HasTheRowsWithTheSmallestHashes) {
  // splitmix-like finaliser of MurmurHash3, twice, as stats/reservoir.cpp documents it.
  const auto mixed = [](std::uint64_t bits) {
    bits = (bits ^ (bits >> 33)) * 0xff51afd7ed558ccdULL;
    bits = (bits ^ (bits >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return bits ^ (bits >> 33);
  };
  std::vector<std::pair<std::uint64_t, double>> hashes;
  for (std::uint64_t i = 0; i < Numbered::n; ++i)
    hashes.emplace_back(mixed(mixed(3 + 0x9e3779b97f4a7c15ULL) + i), static_cast<double>(i));
  std::ranges::sort(hashes);
  std::vector<double> expected;
  for (std::size_t k = 0; k < 60; ++k) expected.push_back(hashes[k].second);
  std::ranges::sort(expected);
  const Numbered table;
  for (const Index rows : {1, 37, 500}) {
    Blocks source(table, rows, false);
    RowSample sample(source, 60, 3);
    EXPECT_EQ(numbers_of(sample), expected) << rows;
    EXPECT_EQ(sample.counts().rows, 500);
    EXPECT_EQ(sample.size(), 60);
  }
}

TEST(RowSample, KeepsAllOfARow) {
  const Numbered table;
  Blocks source(table, 64, true);
  RowSample sample(source, 80, 1);
  const std::vector<double> numbers = numbers_of(sample);
  Numbered some = table;
  Index seen = 0;
  sample.read({.schema = sample.schema()}, [&](const RowBlock& rows, const Column& folds) {
    ASSERT_EQ(rows.feature_count(), 3);
    for (Index i = 0; i < rows.rows(); ++i, ++seen) {
      const auto number = static_cast<Index>(numbers[static_cast<std::size_t>(seen)]);
      Statistics one(table.schema), expected(table.schema);
      one.update(rows.slice(i, 1));
      expected.update(table.rows(number, 1));
      EXPECT_EQ(one, expected) << number;
      EXPECT_EQ(folds.strings[i], "f" + std::to_string(number % 5));
    }
  });
  EXPECT_EQ(seen, 80);
}

TEST(RowSample, DrawsAllRowsAlike) {
  const Numbered table;
  std::vector<double> drawn(Numbered::n);
  double rare = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Blocks source(table, 500, false);
    RowSample sample(source, 50, seed);
    sample.read({.schema = sample.schema()}, [&](const RowBlock& rows, const Column&) {
      for (const RowBlock::Part& part : rows.parts())
        if (part.kind == RowBlock::Part::Kind::matrix)
          for (Index i = 0; i < rows.rows(); ++i) {
            const double number =
                static_cast<const double*>(part.matrix.data)[i * part.matrix.row_stride];
            if (part.first == 0) ++drawn[static_cast<std::size_t>(number)];
            if (part.first == 0) rare += static_cast<Index>(number) % 10 == 0;
          }
    });
  }
  // Each row is in a tenth of the samples: 40 of 400, binomial with a deviation of 6.
  EXPECT_GT(*std::ranges::min_element(drawn), 10);
  EXPECT_LT(*std::ranges::max_element(drawn), 70);
  EXPECT_NEAR(rare / (400 * 50), 0.1, 0.01);
}

TEST(RowSample, LeavesOutRowsWithoutALabel) {
  const Numbered table;
  std::vector<std::int32_t> codes(Numbered::n);
  for (Index i = 0; i < Numbered::n; ++i) codes[static_cast<std::size_t>(i)] = i % 2 ? 0 : -1;
  const std::vector<std::string> names = {"a"};
  RowBlock block =
      RowBlock(Numbered::n).feature(table.number).feature(table.name).feature(table.half);
  block.labels(Column(codes.data(), Numbered::n, names));
  RowsInMemory rows(table.schema, block);
  RowSample sample(rows, 100, 0);
  EXPECT_EQ(sample.size(), 100);
  EXPECT_EQ(sample.counts().unlabelled, 250);
  // The same as of a table that has only the others.
  Vector number(250), half(250);
  std::vector<std::string> name;
  for (Index i = 0; i < 250; ++i) {
    number[i] = table.number[2 * i + 1];
    half[i] = table.half[2 * i + 1];
    name.push_back(table.name[static_cast<std::size_t>(2 * i + 1)]);
  }
  const std::vector<std::string> labels(250, "a");
  RowsInMemory others(table.schema,
                      RowBlock(250).feature(number).feature(name).feature(half).labels(labels));
  RowSample of_others(others, 100, 0);
  EXPECT_EQ(numbers_of(sample), numbers_of(of_others));
}

TEST(RowSample, RefusesWhatCannotBe) {
  const Numbered table;
  Blocks source(table, 500, false);
  EXPECT_THAT(message_of([&] { RowSample(source, 0); }), HasSubstr("max_rows must be at least 1"));
  const std::vector<std::int64_t> starts = {0, 0}, none = {0};
  const std::vector<double> numbers = {0};
  const SparseView sparse(1, 1000, starts.data(), none.data(), numbers.data());
  RowsInMemory rows(Schema::numbered(1000), RowBlock(sparse, std::vector<std::string>{"a"}));
  EXPECT_THAT(message_of([&] { RowSample(rows, 1000000); }), HasSubstr("8 GB"));
}

}  // namespace
}  // namespace suffice::row_sample_test
