#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/readers/read_all.hpp"
#include "suffice/core/error.hpp"
#include "support/folder.hpp"
#include "support/message_of.hpp"

namespace suffice::cli::testing {
namespace {

using ::suffice::testing::Folder;
using ::suffice::testing::message_of;
using ::suffice::testing::read_file;
using ::suffice::testing::write_file;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<std::string> numbers = {
    "c_order.npy",  "fortran.npy",  "fortran.npy.gz", "big_endian.npy", "c_3d.npy",
    "vector.npy",   "half.npy",     "fortran_3d.npy", "version2.npy",   "version3.npy",
    "type_i1.npy",  "type_u1.npy",  "type_li2.npy",   "type_bi2.npy",   "type_lu2.npy",
    "type_li4.npy", "type_bu4.npy", "type_lu4.npy",   "type_li8.npy",   "type_lu8.npy",
    "type_bi8.npy", "type_lf4.npy", "type_bf4.npy"};

TEST(Npy, ReadsWhatNumPyWrote) {
  for (const std::string& name : numbers) {
    SCOPED_TRACE(name);
    for (const Index block : {1, 2, 1000}) {
      const ReadTable table = read_all(file(name), As::stated, block);
      EXPECT_TRUE(table.texts.empty());
      expect_same(table, expected(name));
    }
  }
}

TEST(Npy, NumbersAsText) {
  for (const std::string& name : numbers) {
    SCOPED_TRACE(name);
    expect_same(read_all(file(name), As::text), expected(name));
  }
}

TEST(Npy, TextAndBooleansAreText) {
  for (const std::string name :
       {"unicode.npy", "bytes.npy", "strings_of_numbers.npy", "bool.npy"}) {
    SCOPED_TRACE(name);
    const ReadTable table = read_all(file(name), As::stated, 2);
    EXPECT_TRUE(table.numbers.empty());
    expect_same(table, expected(name));
  }
  expect_same(read_all(file("bool.npy"), As::number), expected("bool.npy"));
}

TEST(Npy, StringsThatSayNumbers) {
  expect_same(read_all(file("strings_of_numbers.npy"), As::number),
              expected("strings_of_numbers.npy"));
  EXPECT_THAT(message_of<FileError>([] { read_all(file("unicode.npy"), As::number); }),
              AllOf(HasSubstr("unicode.npy, row 1, feature 'x0': 'setosa' is not a number"),
                    HasSubstr("family 'x0=categorical'")));
}

TEST(Npy, FieldsOfAStructuredArrayAreColumns) {
  const ReadTable table = read_all(file("records.npy"));
  ASSERT_EQ(table.columns.size(), 4u);
  EXPECT_EQ(table.columns[0].name, "width");
  EXPECT_EQ(table.columns[1].kind, CellKind::number);
  EXPECT_EQ(table.columns[3].kind, CellKind::text);
  expect_same(table, expected("records.npy"));
}

TEST(Npy, ReadsOnlyTheColumnsWanted) {
  for (const std::string name : {"c_order.npy", "fortran.npy"}) {
    const ReadTable table = read_all(file(name), As::stated, 3, {"x0", "x2"});
    expect_same(table, {{"x0", expected(name)["x0"]}, {"x2", expected(name)["x2"]}});
    EXPECT_EQ(table.places.front(), file(name) + ", row 1");
    EXPECT_EQ(table.places.back(), file(name) + ", row 7");
  }
}

TEST(Npy, SaysHowManyRowsAreMissing) {
  const Folder folder;
  const std::string path = folder / "cut.npy";
  for (const std::string name : {"c_order.npy", "fortran.npy"}) {
    const std::string whole = read_file(file(name));
    write_file(path, whole.substr(0, whole.size() - 1));
    EXPECT_THAT(message_of<FileError>([&] { read_all(path); }),
                HasSubstr("is cut off: its header says 7 rows of 24 bytes"));
  }
  const std::string whole = read_file(file("c_order.npy"));
  write_file(path, whole.substr(0, whole.size() - 2 * 24));
  EXPECT_THAT(
      message_of<FileError>([&] { read_all(path, As::stated, 2); }),
      HasSubstr("is cut off: its header says 7 rows of 24 bytes, and the file has 248 bytes"));
}

TEST(Npy, EveryPlaceWhereAFileCanEndIsAFileError) {
  const Folder folder;
  const std::string path = folder / "cut.npy";
  const std::string whole = read_file(file("records.npy"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file(path, whole.substr(0, size));
    EXPECT_THROW(read_all(path), FileError) << size;
  }
}

TEST(Npy, RefusesWhatIsNoTable) {
  const auto message = [](const std::string& name) {
    return message_of<FileError>([&] { read_all(file(name)); });
  };
  EXPECT_THAT(message("objects.npy"), HasSubstr("Python objects"));
  EXPECT_THAT(message("scalar.npy"), HasSubstr("no rows"));
  EXPECT_THAT(message("complex.npy"), HasSubstr("'<c16'"));
}

/// An array with any header.
std::string forged(const std::string& header) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header;
}

TEST(Npy, DamagedHeadersAreFileErrors) {
  const Folder folder;
  const std::string path = folder / "forged.npy";
  for (const std::string header :
       {"", "{", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': False, 'shape': (3,",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 0)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 99999999999)}",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (99999999999, 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551615, 2)}",
        "{'descr': '<f99', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': [('a',)], 'fortran_order': False, 'shape': (2,)}",
        "{'descr': [('a', '<f8', (2,))], 'fortran_order': False, 'shape': (2,)}",
        "{'descr': [('a', [('b', '<f8')])], 'fortran_order': False, 'shape': (2,)}",
        "((((((((((((((((((((((((((((((((((((((((((((((((",
        "{'descr': '<U0', 'fortran_order': "
        "False, 'shape': (2,)}"}) {
    write_file(path, forged(header));
    EXPECT_THROW(read_all(path), FileError) << header;
  }
}

}  // namespace
}  // namespace suffice::cli::testing
