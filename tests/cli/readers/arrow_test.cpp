#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/readers/formats.hpp"
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

/// The tests are in a folder of the build, the module beside the program is one above.
class Arrow : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto module =
        std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() /
        "suffice_arrow.so";
    if (!std::filesystem::exists(module))
      GTEST_SKIP() << "built without Arrow C++; script/install_arrow gets it";
    ::setenv("SUFFICE_ARROW_MODULE", module.c_str(), 1);
  }
};

const std::vector<std::string> types = {"types_none.parquet", "types_snappy.parquet",
                                        "types_zstd.parquet", "types_uncompressed.feather",
                                        "types_lz4.feather",  "types_zstd.feather",
                                        "stream_lz4.arrow"};
const std::vector<std::string> others = {"polars.parquet", "polars.arrow", "pandas.parquet",
                                         "empty.parquet"};

TEST_F(Arrow, ReadsWhatOthersWrote) {
  for (const auto& names : {types, others})
    for (const std::string& name : names) {
      SCOPED_TRACE(name);
      for (const Index block : {1, 7, 1000})
        expect_same(read_all(file(name), As::stated, block), expected(name));
    }
}

TEST_F(Arrow, EverythingAsText) {
  for (const auto& names : {types, others})
    for (const std::string& name : names) {
      SCOPED_TRACE(name);
      expect_same(read_all(file(name), As::text, 7), expected(name));
    }
}

TEST_F(Arrow, KindsComeFromTheTypes) {
  for (const std::string& name : types) {
    SCOPED_TRACE(name);
    const auto source = open_source(file(name), {});
    std::map<std::string, SourceColumn> columns;
    for (const SourceColumn& column : source->look(0)) columns[column.name] = column;
    for (const std::string number : {"double", "float", "half", "int8", "uint64", "decimal"})
      EXPECT_EQ(columns[number].kind, CellKind::number) << number;
    for (const std::string text : {"bool", "string", "large", "dictionary", "digits"})
      EXPECT_EQ(columns[text].kind, CellKind::text) << text;
    EXPECT_EQ(columns["time"].kind, CellKind::unsupported);
    EXPECT_THAT(columns["time"].type, HasSubstr("timestamp"));
    EXPECT_EQ(columns["list"].kind, CellKind::unsupported);
    EXPECT_EQ(columns["decimal"].type, "decimal128(10, 2)");
  }
}

TEST_F(Arrow, ReadsOnlyTheColumnsWanted) {
  for (const std::string& name : types) {
    SCOPED_TRACE(name);
    const Json& all = expected(name);
    const ReadTable table = read_all(file(name), As::stated, 16, {"string", "int8"});
    expect_same(table, {{"string", all["string"]}, {"int8", all["int8"]}});
    EXPECT_EQ(table.places.back(), file(name) + ", row 50");
  }
}

TEST_F(Arrow, RowsWithoutColumns) {
  for (const std::string& name : types) {
    SCOPED_TRACE(name);
    const auto source = open_source(file(name), {});
    source->select(std::vector<Target>(source->look(0).size()));
    Rows rows({}, 64);
    EXPECT_FALSE(source->read(rows));
    EXPECT_EQ(rows.size(), 50);
  }
}

TEST_F(Arrow, StringsAndBooleansAsNumbers) {
  for (const std::string& name : types) {
    SCOPED_TRACE(name);
    const Json& all = expected(name);
    expect_same(read_all(file(name), As::number, 16, {"digits", "bool", "nothing"}),
                {{"digits", all["digits"]}, {"bool", all["bool"]}, {"nothing", all["nothing"]}});
    for (const std::string column : {"string", "dictionary"})
      EXPECT_THAT(
          message_of<FileError>([&] { read_all(file(name), As::number, 16, {column}); }),
          AllOf(HasSubstr(name + ", row 1, feature '" + column + "': 'low' is not a number"),
                HasSubstr("family '" + column + "=categorical'")));
  }
}

TEST_F(Arrow, TypesThatCannotBeReadAreNamed) {
  for (const std::string& name : types) {
    const auto source = open_source(file(name), {});
    std::vector<Target> targets(source->look(0).size());
    for (std::size_t j = 0; j < targets.size(); ++j)
      if (source->look(0)[j].name == "time") targets[j] = {Target::Kind::number, 0};
    EXPECT_THAT(message_of<FileError>([&] { source->select(targets); }),
                AllOf(HasSubstr("'time' has the type timestamp"), HasSubstr("--ignore")));
  }
}

TEST_F(Arrow, FurtherWordsForMissing) {
  InputOptions input;
  input.na = {"low"};
  const ReadTable table =
      read_all(file("types_none.parquet"), As::stated, 100, {"string", "dictionary"}, input);
  EXPECT_EQ(table.texts.at("string")[0], std::nullopt);
  EXPECT_EQ(table.texts.at("dictionary")[0], std::nullopt);
  EXPECT_EQ(table.texts.at("dictionary")[1], "middle");
}

TEST_F(Arrow, CutOffAnywhereIsAFileErrorAndNoCrash) {
  const Folder folder;
  for (const std::string name : {"types_snappy.parquet", "types_lz4.feather", "polars.arrow"}) {
    const std::string whole = read_file(file(name));
    const std::string path = folder / name;
    for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 150) {
      write_file(path, whole.substr(0, size));
      EXPECT_THROW(read_all(path), FileError) << name << " of " << size << " bytes";
    }
  }
  // A stream has no end mark that all writers write: where it is cut between two batches it is a
  // shorter stream.
  const std::string whole = read_file(file("stream_lz4.arrow"));
  const std::string path = folder / "stream.arrow";
  std::size_t errors = 0, tried = 0;
  for (std::size_t size = 0; size + 8 < whole.size(); size += 97, ++tried) {
    write_file(path, whole.substr(0, size));
    try {
      EXPECT_LE(read_all(path).rows, 50);
    } catch (const FileError&) {
      ++errors;
    }
  }
  EXPECT_GE(errors + 4, tried);
}

TEST_F(Arrow, DamagedBytesNeverCrash) {
  const Folder folder;
  for (const std::string name : {"types_none.parquet", "types_uncompressed.feather",
                                 "stream_lz4.arrow", "polars.arrow", "types_zstd.parquet"}) {
    const std::string whole = read_file(file(name));
    const std::string path = folder / name;
    for (std::size_t at = 8; at < whole.size(); at += 1 + whole.size() / 200) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
      write_file(path, damaged);
      try {
        read_all(path);
      } catch (const FileError&) {
      }
    }
  }
}

TEST_F(Arrow, NamesMustBeUnique) {
  EXPECT_THAT(message_of<FileError>([] { open_source(file("twice.parquet"), {}); }),
              HasSubstr("two columns named 'a'"));
}

/// Runs `read` with a file as standard input, through a pipe.
template <class Read>
auto with_standard_input(const std::string& path, const Read& read) {
  const int saved = ::dup(STDIN_FILENO);
  FILE* const pipe = ::popen(("cat '" + path + "'").c_str(), "r");
  ::dup2(::fileno(pipe), STDIN_FILENO);
  const auto result = read();
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::pclose(pipe);
  return result;
}

TEST_F(Arrow, StandardInput) {
  InputOptions input;
  input.format = "arrow";
  for (const std::string name : {"stream_lz4.arrow", "types_zstd.feather"}) {
    SCOPED_TRACE(name);
    expect_same(
        with_standard_input(file(name), [&] { return read_all("-", As::stated, 16, {}, input); }),
        expected(name));
  }
  EXPECT_THAT(
      with_standard_input(file("types_none.parquet"),
                          [] { return message_of<FileError>([] { open_arrow("-", {}); }); }),
      AllOf(HasSubstr("standard input"), HasSubstr("save it to a file")));
}

TEST_F(Arrow, PackedStreams) {
  const Folder folder;
  const std::string path = folder / "stream.arrow.gz";
  const std::string command = "gzip -c '" + file("stream_lz4.arrow") + "' > '" + path + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  expect_same(read_all(path), expected("stream_lz4.arrow"));
}

TEST_F(Arrow, OtherFilesUnderItsName) {
  const Folder folder;
  const std::string path = folder / "table.parquet";
  write_file(path, "a,b\n1,2\n");
  EXPECT_THAT(message_of<FileError>([&] { open_source(path, {}); }),
              HasSubstr("neither a Parquet nor an Arrow file"));
  EXPECT_THAT(message_of<FileError>([&] { open_source(folder / "absent.parquet", {}); }),
              HasSubstr("absent.parquet"));
}

}  // namespace
}  // namespace suffice::cli::testing
