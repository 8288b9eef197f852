// Our files are read by the safetensors package: open_with_safetensors.py does, for files of every
// family. Needs a Python with safetensors and NumPy: python3, or the one that SUFFICE_PYTHON names.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "suffice/estimate/estimate.hpp"
#include "suffice/io/file.hpp"
#include "support/folder.hpp"

namespace suffice::safetensors_test {
namespace {

TEST(Safetensors, OpensOurFiles) {
  const char* given = std::getenv("SUFFICE_PYTHON");
  const std::string python = "'" + std::string(given ? given : "python3") + "' ";
  if (std::system((python + "-c 'import numpy, safetensors' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "no Python with safetensors and numpy; SUFFICE_PYTHON can name one";

  const std::vector<double> age = {1, 2, 3, 4, 5.5, 7}, height = {2, 1, 4, std::nan(""), 1, 0};
  const std::vector<std::string> sex = {"f", "m", "f", "", "x\xff", "f"};
  const std::vector<std::string> labels = {"p", "\xffq", "p", "\xffq", "p", "\xffq"};
  const std::vector<int> count = {0, 1, 0, 1, 1, 0};
  RowBlock rows(6);
  rows.feature(age).feature(height).feature(sex).feature(count).feature(count).feature(count);
  rows.feature(count).labels(labels);
  const Schema schema({{"age", Family::gaussian},
                       {"height", Family::gaussian},
                       {"sex", Family::categorical, {"f", "", "m"}},
                       {"flag", Family::bernoulli},
                       {"visits", Family::poisson},
                       {"word 1", Family::multinomial},
                       {"word 2", Family::multinomial}});
  const testing::Folder folder;
  Statistics statistics(schema);
  save(statistics, folder / "empty.stats");
  statistics.update(rows);
  save(statistics, folder / "all.stats");
  save(estimate(statistics, {.covariance = Covariance::tied}), folder / "tied.suffice");
  save(estimate(statistics, {.covariance = Covariance::diag}), folder / "diag.suffice");
  std::string command = python + SUFFICE_SOURCE_DIR "/tests/reference/open_with_safetensors.py";
  for (const char* name : {"empty.stats", "all.stats", "tied.suffice", "diag.suffice"})
    command += " '" + folder / name + "'";
  EXPECT_EQ(std::system((command + " >/dev/null").c_str()), 0) << command;
}

}  // namespace
}  // namespace suffice::safetensors_test
