#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/readers/read_all.hpp"
#include "suffice/core/error.hpp"
#include "support/data.hpp"
#include "support/folder.hpp"
#include "support/message_of.hpp"

namespace suffice::cli::testing {
namespace {

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
  EXPECT_THAT(message_of<FileError>([&] { read_all(path); }),
              HasSubstr("its header says 3 rows, and the last 2 are missing"));
  std::string other = whole;
  other[2] = 7;
  write_file(path, other);
  EXPECT_THAT(message_of<FileError>([&] { read_all(path); }), HasSubstr("third byte is 7"));
}

}  // namespace
}  // namespace suffice::cli::testing
