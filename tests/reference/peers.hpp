#pragma once
// Helpers of the tests that compare with scikit-learn, SciPy and MASS: their values, the data, and
// the comparisons.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "suffice/suffice.hpp"
#include "support/data.hpp"

namespace suffice::testing {

using nlohmann::json;

inline const json& peers(const std::string& file) {
  static std::map<std::string, json> read;
  json& values = read[file];
  if (values.is_null()) {
    std::ifstream stream(std::string(SUFFICE_SOURCE_DIR) + "/tests/reference/" + file);
    values = json::parse(stream);
  }
  return values;
}

inline LabelledNumbers rows_of(const LabelledNumbers& data, Index first, Index last) {
  LabelledNumbers part{data.names, Matrix(last - first, data.x.cols()), {}};
  for (Index i = first; i < last; ++i) {
    std::copy_n(data.x.row(i).data(), data.x.cols(), part.x.row(i - first).data());
    part.labels.push_back(data.labels[static_cast<std::size_t>(i)]);
  }
  return part;
}

inline LabelledNumbers penguins() {
  const Csv csv = read_csv("penguins.csv.gz");
  Csv complete;
  complete.header = csv.header;
  for (const auto& row : csv.rows)
    if (std::find(row.begin(), row.end(), "") == row.end()) complete.rows.push_back(row);
  LabelledNumbers data;
  data.names = {"bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"};
  data.x = complete.numbers(data.names);
  data.labels = complete.column("species");
  return data;
}

inline LabelledNumbers read_set(const std::string& set) {
  if (set == "iris") return read_numbers("iris.csv.gz", "species");
  if (set == "wine") return read_numbers("wine.csv.gz", "cultivar");
  if (set == "wdbc") return read_numbers("breast_cancer_wdbc.csv.gz", "diagnosis");
  return penguins();
}

inline Statistics statistics_of(const LabelledNumbers& data, Scatter scatter = Scatter::dense) {
  Statistics stats(Schema::numbered(data.x.cols()), {.scatter = scatter});
  stats.update(RowBlock(data.x, data.labels));
  return stats;
}

/// Rows that the most probable class, under the training frequencies, gets wrong.
inline int errors(const Model& model, const RowBlock& rows,
                  const std::vector<std::string>& labels) {
  const Priors priors = Priors::from_counts(model);
  const auto best = best_class(model, rows, priors.log());
  int wrong = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    wrong += best[i] < 0 || model.labels()[best[i]] != labels[i];
  // The long way round must say the same.
  const Decisions decided = decide(log_likelihood(model, rows), priors);
  int also = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    also += decided.label(static_cast<Index>(i)) != labels[i];
  EXPECT_EQ(wrong, also);
  return wrong;
}
inline int errors(const Model& model, const LabelledNumbers& data) {
  return errors(model, RowBlock(data.x), data.labels);
}

/// got(row, c) for each of the rows that `expected` has.
template <class Got>
void expect_rows(const json& rows, const json& expected, const Got& got, double relative,
                 double absolute) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (std::size_t c = 0; c < expected[i].size(); ++c) {
      const double e = expected[i][c].get<double>();
      EXPECT_NEAR(got(rows[i].get<Index>(), static_cast<Index>(c)), e,
                  absolute + relative * std::abs(e))
          << "row " << rows[i] << ", class " << c;
    }
}

inline void expect_matrix(const Matrix& got, const json& expected, double relative) {
  ASSERT_EQ(got.rows(), static_cast<Index>(expected.size()));
  for (Index i = 0; i < got.rows(); ++i)
    for (Index j = 0; j < got.cols(); ++j) {
      const double e = expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      EXPECT_NEAR(got(i, j), e, relative * std::abs(e)) << i << ", " << j;
    }
}

inline void expect_posteriors(const Model& model, const LabelledNumbers& data, const json& rows,
                              const json& expected, double tolerance) {
  const Matrix p = posteriors(log_likelihood(model, RowBlock(data.x)), Priors::from_counts(model));
  // A small posterior has as many digits as its logarithm, which may be a hundred: relative errors
  // of posteriors are absolute errors of log-likelihood ratios.
  expect_rows(
      rows, expected, [&](Index i, Index c) { return p(i, c); }, 100 * tolerance, 1e-300);
}

/// Spambase as it is split in ESL.
struct Split {
  LabelledNumbers train, test;
};

inline Split spambase(bool words_only) {
  const Csv csv = read_csv("spambase.csv.gz");
  const auto is_test = read_csv("spambase_esl_split.csv.gz").column("is_test");
  std::vector<std::string> names = csv.columns_but({"is_spam"});
  if (words_only) std::erase_if(names, [](auto& n) { return !n.starts_with("word_freq"); });
  Matrix x = csv.numbers(names);
  if (words_only)
    for (Index i = 0; i < x.size(); ++i) x.data()[i] = x.data()[i] > 0 ? 1 : 0;
  const auto labels = csv.column("is_spam");
  Split split;
  for (LabelledNumbers* part : {&split.train, &split.test}) {
    const std::string wanted = part == &split.test ? "1" : "0";
    part->names = names;
    part->x = Matrix(std::count(is_test.begin(), is_test.end(), wanted), x.cols());
    for (std::size_t i = 0; i < is_test.size(); ++i)
      if (is_test[i] == wanted) {
        std::copy_n(x.row(static_cast<Index>(i)).data(), x.cols(),
                    part->x.row(static_cast<Index>(part->labels.size())).data());
        part->labels.push_back(labels[i]);
      }
  }
  return split;
}

}  // namespace suffice::testing
