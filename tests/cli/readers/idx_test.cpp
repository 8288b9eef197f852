#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "cli/readers/read_all.hpp"
#include "suffice/core/error.hpp"
#include "support/data.hpp"
#include "support/folder.hpp"
#include "support/message_of.hpp"

namespace suffice::cli::testing {
namespace {

using ::suffice::testing::data_path;
using ::suffice::testing::Folder;
using ::suffice::testing::message_of;
using ::suffice::testing::read_file;
using ::suffice::testing::write_file;
using ::testing::HasSubstr;

TEST(Idx, ReadsAllTypes) {
  for (const std::string name :
       {"type_08.idx", "type_09.idx", "type_0b.idx", "type_0c.idx", "type_0d.idx", "type_0e.idx"}) {
    SCOPED_TRACE(name);
    for (const Index block : {1, 2, 1000})
      expect_same(read_all(file(name), As::stated, block), expected(name));
    expect_same(read_all(file(name), As::text), expected(name));
  }
}

TEST(Idx, PackedLabelsAreOneColumn) {
  expect_same(read_all(file("labels-idx1-ubyte.gz")), expected("labels-idx1-ubyte.gz"));
  const ReadTable table = read_all(file("labels-idx1-ubyte.gz"), As::text);
  EXPECT_EQ(table.texts.at("x0").front(), "5");
}

TEST(Idx, SaysWhatIsMissing) {
  const Folder folder;
  const std::string path = folder / "cut.idx";
  const std::string whole = read_file(file("type_0c.idx"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file(path, whole.substr(0, size));
    EXPECT_THROW(read_all(path), FileError) << size;
  }
  write_file(path, whole.substr(0, whole.size() - 17));
  EXPECT_THAT(
      message_of<FileError>([&] { read_all(path); }),
      HasSubstr("is cut off: its header says 3 rows of 16 bytes, and the file has 47 bytes"));
  std::string other = whole;
  other[2] = 7;
  write_file(path, other);
  EXPECT_THAT(message_of<FileError>([&] { read_all(path); }), HasSubstr("third byte is 7"));
}

// The counts are those of the labels file's own documentation; the sums are NumPy's:
//   x = numpy.frombuffer(gzip.open(path).read()[16:], numpy.uint8).reshape(-1, 784)
//   x.sum(dtype=int), x[:, 14 * 28 + 14].sum(dtype=int)
TEST(Idx, MnistAsItIs) {
  SUFFICE_NEEDS_DATA("mnist/t10k-images-idx3-ubyte.gz");
  const ReadTable labels = read_all(data_path("mnist/t10k-labels-idx1-ubyte.gz"), As::text, 4096);
  std::map<std::string, int> count;
  for (const auto& label : labels.texts.at("x0")) ++count[label.value()];
  EXPECT_EQ(count, (std::map<std::string, int>{{"0", 980},
                                               {"1", 1135},
                                               {"2", 1032},
                                               {"3", 1010},
                                               {"4", 982},
                                               {"5", 892},
                                               {"6", 958},
                                               {"7", 1028},
                                               {"8", 974},
                                               {"9", 1009}}));

  const auto images = open_source(data_path("mnist/t10k-images-idx3-ubyte.gz"), {});
  ASSERT_EQ(images->look(0).size(), 784u);
  std::vector<Target> targets;
  for (Index j = 0; j < 784; ++j) targets.push_back({Target::Kind::number, j});
  images->select(targets);
  Layout layout;
  layout.numbers = 784;
  Rows rows(layout, 3000);
  rows.begin_file(images->path(), false);
  double sum = 0, middle = 0;
  Index total = 0;
  for (bool more = true; more; rows.clear()) {
    more = images->read(rows);
    total += rows.size();
    for (Index i = 0; i < rows.size(); ++i) {
      sum = std::accumulate(rows.numbers(i), rows.numbers(i) + 784, sum);
      middle += rows.numbers(i)[14 * 28 + 14];
    }
  }
  EXPECT_EQ(total, 10000);
  EXPECT_EQ(sum, 264923200);
  EXPECT_EQ(middle, 1326752);
}

}  // namespace
}  // namespace suffice::cli::testing
