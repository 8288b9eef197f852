// The nine univariate sets of NIST's Statistical Reference Datasets, with their certified means and
// standard deviations. A log relative error is the number of digits that are right.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "suffice/suffice.hpp"
#include "support/data.hpp"

namespace suffice::nist_test {
namespace {

using testing::data_path;

struct Certified {
  const char* file;
  Index rows;
  double mean, deviation;
  double deviation_digits;  ///< what a corrected two-pass algorithm in doubles reaches
};

std::ostream& operator<<(std::ostream& out, const Certified& set) { return out << set.file; }

class Nist : public ::testing::TestWithParam<Certified> {};

/// The observations follow a line of dashes.
std::vector<double> read_observations(const std::string& file) {
  std::istringstream text(testing::read_text("nist_strd/" + file));
  std::vector<double> values;
  std::string line;
  bool data = false;
  while (std::getline(text, line)) {
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos) continue;
    const auto last = line.find_last_not_of(" \t\r");
    const std::string word = line.substr(first, last - first + 1);
    if (data)
      values.push_back(testing::number(word));
    else
      data = word.find("-----") != std::string::npos &&
             word.find_first_not_of("- ") == std::string::npos;
  }
  return values;
}

/// Digits that agree: −log10 of the relative error, at most 15.
double digits(double got, double certified) {
  if (got == certified) return 15;
  return std::min(15.0, -std::log10(std::abs(got - certified) / std::abs(certified)));
}

void expect_certified(const Statistics& statistics, const Certified& set) {
  const auto& gaussian = std::get<GaussianStatistics>(statistics.blocks()[0]);
  const Moments all = gaussian.moments(0);
  ASSERT_EQ(all.weight[0], static_cast<double>(set.rows));
  EXPECT_GE(digits(all.mean[0], set.mean), 14) << "mean " << all.mean[0];
  const double deviation = std::sqrt(all.squares[0] / (all.weight[0] - 1));
  EXPECT_GE(digits(deviation, set.deviation), set.deviation_digits) << "deviation " << deviation;

  const Model model = estimate(statistics, {.covariance = Covariance::diag,
                                            .normalize = Normalize::unbiased,
                                            .shrinkage = Shrinkage::none()});
  const auto& density = std::get<GaussianDensity>(model.densities()[0]);
  EXPECT_GE(digits(density.mean(0, 0), set.mean), 14);
  EXPECT_GE(digits(std::sqrt(density.covariance[0](0, 0)), set.deviation), set.deviation_digits);
}

TEST_P(Nist, CertifiedValuesForAnyChunking) {
  const Certified& set = GetParam();
  SUFFICE_NEEDS_DATA(std::string("nist_strd/") + set.file);
  const std::vector<double> x = read_observations(set.file);
  ASSERT_EQ(static_cast<Index>(x.size()), set.rows);
  const std::vector<std::string> labels(x.size(), "all");
  const Schema schema = Schema::numbered(1);

  for (const Scatter scatter : {Scatter::dense, Scatter::diagonal}) {
    for (const Index chunk :
         {Index{0}, Index{1}, Index{2}, Index{3}, Index{7}, Index{64}, Index{1000}}) {
      SCOPED_TRACE(std::string(scatter == Scatter::dense ? "dense" : "diagonal") +
                   ", rows a chunk (0: all): " + std::to_string(chunk));
      const Index step = chunk ? chunk : set.rows;
      Statistics updated(schema, {.scatter = scatter});
      Statistics merged(schema, {.scatter = scatter});
      for (Index first = 0; first < set.rows; first += step) {
        const Index count = std::min(step, set.rows - first);
        const auto part = std::span(labels).subspan(static_cast<std::size_t>(first),
                                                    static_cast<std::size_t>(count));
        const RowBlock rows(MatrixView(x.data() + first, count, 1), Column(Strings(part)));
        updated.update(rows);
        merged = merge(std::move(merged), Statistics(schema, {.scatter = scatter}).update(rows));
      }
      {
        SCOPED_TRACE("one update a chunk");
        expect_certified(updated, set);
      }
      {
        SCOPED_TRACE("merged statistics of the chunks");
        expect_certified(merged, set);
      }
    }
  }
}

// NumAcc3 and NumAcc4 lose digits in the data themselves: 1000000.2 and 10000000.2 are not doubles.
INSTANTIATE_TEST_SUITE_P(
    Sets, Nist,
    ::testing::Values(Certified{"PiDigits.dat", 5000, 4.53480000000000, 2.86733906028871, 13},
                      Certified{"Lottery.dat", 218, 518.958715596330, 291.699727470969, 13},
                      Certified{"Lew.dat", 200, -177.435000000000, 277.332168044316, 13},
                      Certified{"Mavro.dat", 50, 2.00185600000000, 0.000429123454003053, 13},
                      Certified{"Michelso.dat", 100, 299.852400000000, 0.0790105478190518, 13},
                      Certified{"NumAcc1.dat", 3, 10000002, 1, 15},
                      Certified{"NumAcc2.dat", 1001, 1.2, 0.1, 14},
                      Certified{"NumAcc3.dat", 1001, 1000000.2, 0.1, 9.4},
                      Certified{"NumAcc4.dat", 1001, 10000000.2, 0.1, 8.2}),
    [](const auto& parameter) {
      const std::string file = parameter.param.file;
      return file.substr(0, file.find('.'));
    });

}  // namespace
}  // namespace suffice::nist_test
