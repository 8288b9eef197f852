// How the values lie in memory does not matter: order, strides, type, matrix or columns, sparse or
// dense, strings or codes. The statistics and the scores are the same to the last bit.

#include <cstdint>

#include "compare.hpp"
#include "generate.hpp"

namespace suffice::testing {
namespace {

// Numbers only: names have a law of their own. SparseIsDense compares sparse with dense.
LAWS_WHERE(DenseViewLaws,
           !family.has(Family::categorical) && !family.has(Family::text) && !family.sparse);
LAWS_WHERE(RealViewLaws, family.only(Family::gaussian));
LAWS_WHERE(SparseViewLaws, family.only(Family::multinomial));
LAWS_WHERE(MissingViewLaws, family.missing_share > 0);

constexpr Size small{.rows = 700, .features = 9, .classes = 4};

/// The table's numbers, moved onto whole numbers from 0 to 100 so that every type can hold them.
Table whole_numbers(const Table& t) {
  Matrix values = t.parts().values;
  for (Index i = 0; i < t.rows(); ++i)
    for (Index j = 0; j < t.features(); ++j)
      if (!std::isnan(values(i, j))) values(i, j) = std::abs(std::round(values(i, j)));
  return t.with_values(std::move(values));
}

/// The labels and weights of the table beside other features.
RowBlock labelled(RowBlock rows, const Table& t) {
  rows.labels(t.parts().labels);
  if (!t.parts().weights.empty()) rows.weights(t.parts().weights);
  return rows;
}

template <class T>
std::vector<T> converted(const Table& t) {
  std::vector<T> out;
  for (Index i = 0; i < t.rows(); ++i)
    for (Index j = 0; j < t.features(); ++j) out.push_back(static_cast<T>(t(i, j)));
  return out;
}

struct Reference {
  const FamilyCase& family;
  const Table& table;
  Statistics stats;
  Model model;
  LogLikelihoods scores;

  Reference(const FamilyCase& f, const Table& t)
      : family(f),
        table(t),
        stats(statistics_of(t, f.options())),
        model(estimate(stats, {.covariance = f.structures().back()})),
        scores(log_likelihood(model, t.block())) {}

  void expect_same(const RowBlock& features, const std::string& what) const {
    SCOPED_TRACE(what);
    const RowBlock rows = labelled(features, table);
    Statistics other(table.schema(), family.options());
    other.update(rows);
    EXPECT_TRUE(other == stats) << close(other, stats).message();
    EXPECT_TRUE(same_bits(log_likelihood(model, rows).values, scores.values));
  }
};

template <class T>
void expect_type(const Reference& reference, const Table& t, const std::string& name) {
  const std::vector<T> values = converted<T>(t);
  const Index n = t.rows(), d = t.features();
  reference.expect_same(RowBlock(MatrixView(values.data(), n, d)), name);
  // Every second cell of a wider matrix, rows padded.
  std::vector<T> wide(static_cast<std::size_t>(n * (2 * d + 3)), T{99});
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j)
      wide[static_cast<std::size_t>(i * (2 * d + 3) + 2 * j)] =
          values[static_cast<std::size_t>(i * d + j)];
  reference.expect_same(RowBlock(MatrixView(wide.data(), n, d, 2 * d + 3, 2)), name + ", strided");
  std::vector<T> columns(values.size());
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j)
      columns[static_cast<std::size_t>(j * n + i)] = values[static_cast<std::size_t>(i * d + j)];
  reference.expect_same(RowBlock(MatrixView(columns.data(), n, d, 1, n)), name + ", column-major");
  RowBlock one_by_one(n);
  for (Index j = 0; j < d; ++j) one_by_one.feature(Column(columns.data() + j * n, n));
  reference.expect_same(one_by_one, name + ", columns");
}

TEST_P(DenseViewLaws, LayoutChangesNoBit) {
  const FamilyCase& family = GetParam();
  for (const Weighting weighting : {Weighting::none, Weighting::real}) {
    for (const std::uint64_t seed : {31u, 32u}) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      const Table t = whole_numbers(generate(family, small, seed, weighting));
      const Reference reference(family, t);
      expect_type<double>(reference, t, "double");
      expect_type<float>(reference, t, "float");
      if (family.missing_share > 0) continue;  // integers have no NaN; see the law of validity
      expect_type<std::int64_t>(reference, t, "int64");
      expect_type<std::int32_t>(reference, t, "int32");
      expect_type<std::int16_t>(reference, t, "int16");
      expect_type<std::uint64_t>(reference, t, "uint64");
      expect_type<std::uint16_t>(reference, t, "uint16");
      expect_type<std::uint8_t>(reference, t, "uint8");
    }
  }
}

// A float is a double of fewer bits: read in place, summed in double.
TEST_P(RealViewLaws, FloatsAreTheDoublesTheyStandFor) {
  const FamilyCase& family = GetParam();
  const Table t = generate(family, small, 33, Weighting::real);
  const std::vector<float> floats = converted<float>(t);
  Matrix rounded(t.rows(), t.features());
  std::copy(floats.begin(), floats.end(), rounded.data());
  const Table same = t.with_values(rounded);
  Reference(family, same)
      .expect_same(RowBlock(MatrixView(floats.data(), t.rows(), t.features())), "float");
}

TEST_P(SparseViewLaws, SparseIsDense) {
  const FamilyCase& family = GetParam();
  for (const std::uint64_t seed : {34u, 35u}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FamilyCase other = family;
    other.sparse = !family.sparse;
    const Table t = generate(family, small, seed, Weighting::whole);
    const Table u = generate(other, small, seed, Weighting::whole);
    const Statistics a = statistics_of(t, family.options());
    EXPECT_TRUE(a == statistics_of(u, family.options()));  // sums of whole numbers are exact
    const std::vector<double> real = generate(family, small, seed, Weighting::real).parts().weights;
    EXPECT_TRUE(close(statistics_of(t.with_weights(real), family.options()),
                      statistics_of(u.with_weights(real), family.options())));
    const Model model = estimate(a);
    EXPECT_TRUE(close(log_likelihood(model, t.block()).values,
                      log_likelihood(model, u.block()).values, 1e-13));
  }
}

// A NaN, a cleared validity bit and a negative code are the same absence.
TEST_P(MissingViewLaws, ValidityBitsAndNanAreTheSameAbsence) {
  const FamilyCase& family = GetParam();
  const Table t = generate(family, small, 36, Weighting::real);
  const Index n = t.rows(), d = t.features(), shift = 3;
  std::vector<std::vector<std::uint8_t>> bits;
  std::vector<std::vector<double>> numbers;
  std::vector<std::vector<std::string>> names;
  std::vector<std::vector<std::int16_t>> codes;
  RowBlock rows(n), coded(n);
  for (Index j = 0; j < d; ++j) {
    auto& valid = bits.emplace_back(static_cast<std::size_t>((n + shift) / 8 + 1));
    auto& number = numbers.emplace_back();
    auto& name = names.emplace_back();
    auto& code = codes.emplace_back();
    for (Index i = 0; i < n; ++i) {
      const bool there = !std::isnan(t(i, j));
      if (there) {
        auto& byte = valid[static_cast<std::size_t>((i + shift) / 8)];
        byte = static_cast<std::uint8_t>(byte | (1u << ((i + shift) % 8)));
      }
      number.push_back(there ? t(i, j) : 1e300);  // must not be looked at
      name.push_back(there && t.categorical(j) ? t.level(i, j) : "nonsense");
      code.push_back(there ? static_cast<std::int16_t>(t(i, j)) : std::int16_t{0});
    }
  }
  for (Index j = 0; j < d; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const Validity valid{bits[at].data(), shift};
    if (t.categorical(j)) {
      rows.feature(Column(Strings(names[at]), valid));
      coded.feature(Column(codes[at].data(), n, Strings(t.parts().levels[at]), valid));
    } else {
      rows.feature(Column(numbers[at].data(), n, 1, valid));
      coded.feature(Column(numbers[at].data(), n, 1, valid));
    }
  }
  const Reference reference(family, t);
  reference.expect_same(rows, "strings and numbers with validity bits, seed 36");
  reference.expect_same(coded, "codes and numbers with validity bits, seed 36");
}

// Labels as strings, codes, integers and whole floats are the same names.
TEST_P(Laws, LabelsHaveManyForms) {
  const FamilyCase& family = GetParam();
  const Table t = generate(family, small, 37);
  const RowBlock features = t.block();
  std::vector<std::string> names;
  std::vector<std::int32_t> integers;
  std::vector<double> floats;
  std::vector<std::uint8_t> codes;
  const std::vector<std::string> dictionary{"30", "7", "-1", "200", "unused"};
  for (Index i = 0; i < t.rows(); ++i) {
    const auto c = static_cast<std::size_t>(std::stoi(t.label(i).substr(6)) / 5);
    names.push_back(dictionary[c]);
    codes.push_back(static_cast<std::uint8_t>(c));
    integers.push_back(std::stoi(dictionary[c]));
    floats.push_back(integers.back());
  }
  const auto with = [&](const Column& labels) {
    Statistics stats(t.schema(), family.options());
    RowBlock rows = features;
    rows.labels(labels);
    stats.update(rows);
    return stats;
  };
  const Statistics expected = with(names);
  EXPECT_TRUE(with(integers) == expected);
  EXPECT_TRUE(with(floats) == expected);
  EXPECT_TRUE(with(Column(codes.data(), t.rows(), Strings(dictionary))) == expected);
  for (Index c = 1; c < expected.labels().size(); ++c)  // numeric names are ordered by value
    EXPECT_LT(std::stoi(expected.labels()[c - 1]), std::stoi(expected.labels()[c]));
}

}  // namespace
}  // namespace suffice::testing
