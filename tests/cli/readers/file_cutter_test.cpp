// Pieces that threads cut side by side, against the text that they were cut from.

#include "cli/readers/file_cutter.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "cli/readers/source.hpp"
#include "suffice/core/error.hpp"
#include "support/folder.hpp"
#include "support/message_of.hpp"

namespace suffice::cli {
namespace {

using ::suffice::testing::Folder;
using ::suffice::testing::message_of;
using ::suffice::testing::write_file;
using Found = FileCutter::Found;

class FileCutting : public ::testing::Test {
 protected:
  std::string write(const std::string& text) {
    write_file(folder_ / "t.csv", text);
    return folder_ / "t.csv";
  }
  Folder folder_;
};

TEST_F(FileCutting, PiecesAreTheTextWhateverTheirSize) {
  const unsigned seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int trial = 0; trial < 20; ++trial) {
    std::string text;
    const int lines = 1 + static_cast<int>(random() % 30);
    for (int i = 0; i < lines; ++i) text += std::string(random() % 40, 'a') + "\n";
    if (trial % 2 == 0) text += "last";
    const std::string path = write(text);
    const std::string whole = trial % 2 == 0 ? text + "\n" : text;
    for (const int begin : {0, static_cast<int>(text.find('\n')) + 1}) {
      if (begin == static_cast<int>(text.size())) continue;
      for (const int size : {1, 2, 3, 7, 20, 64, 5000}) {
        const FileCutter cutter(path, begin, size, true);
        std::string joined;
        CsvPiece piece;
        for (std::int64_t k = 0; cutter.cut(k, piece) == Found::records; ++k) {
          EXPECT_EQ(cutter.first_record(k),
                    std::min<std::int64_t>(begin + std::ssize(joined), std::ssize(text)));
          joined.append(piece.begin(), piece.end());
          for (std::size_t i = 0; i < CsvPiece::padding && piece.size > 0; ++i)
            EXPECT_EQ(piece.end()[i], 0);
        }
        EXPECT_EQ(joined, whole.substr(static_cast<std::size_t>(begin))) << size;
      }
    }
  }
}

TEST_F(FileCutting, RecordsLongerThanTheUsualTailAreWhole) {
  const std::string text = "a\n" + std::string(20000, 'b') + "\nc\n";
  const FileCutter cutter(write(text), 0, 10, true);
  std::string joined;
  CsvPiece piece;
  for (std::int64_t k = 0; cutter.cut(k, piece) == Found::records; ++k)
    joined.append(piece.begin(), piece.end());
  EXPECT_EQ(joined, text);
}

TEST_F(FileCutting, AQuotationMarkIsDoubtfulOnlyWhereCellsAreQuoted) {
  const std::string path = write("a,b\n1,2\n3,\"4\n5\"\n6,7\n");
  CsvPiece piece;
  const FileCutter csv(path, 0, 8, true), lines(path, 0, 8, false);
  EXPECT_EQ(csv.cut(0, piece), Found::records);
  EXPECT_EQ(std::string(piece.begin(), piece.end()), "a,b\n1,2\n");
  EXPECT_EQ(csv.cut(1, piece), Found::doubtful);
  EXPECT_EQ(csv.first_record(1), 8);
  EXPECT_EQ(lines.cut(1, piece), Found::records);
  EXPECT_EQ(std::string(piece.begin(), piece.end()), "3,\"4\n5\"\n");
}

/// Rows of which one in the middle has a quoted cell with line ends, many pieces from the
/// beginning.
TEST_F(FileCutting, QuotedCellsInTheMiddleOfALongFile) {
  constexpr int rows = 200000, quoted = 120000;
  std::string text = "x,name\n";
  for (int i = 0; i < rows; ++i) {
    text += std::to_string(i) + ",";
    text += i == quoted ? "\"two\nlines, \"\"one\"\" cell\"\n" : "n" + std::to_string(i % 7) + "\n";
  }
  const std::string path = write(text);
  for (const int threads : {1, 2, 7}) {
    const auto source = open_source(path, {{}, {.threads = threads}});
    source->look(std::nullopt);
    source->select({{Target::Kind::number, 0}, {Target::Kind::text, 0}});
    Rows all({.numbers = 1, .texts = 1}, rows + 1);
    all.begin_file(path, true);
    while (source->read(all)) {
    }
    ASSERT_EQ(all.size(), rows);
    for (int i = 0; i < rows; ++i) {
      ASSERT_EQ(all.numbers(i)[0], i);
      ASSERT_EQ(all.texts()[0][i],
                i == quoted ? "two\nlines, \"one\" cell" : "n" + std::to_string(i % 7));
    }
    EXPECT_EQ(all.place(quoted).line, quoted + 2u);
    EXPECT_EQ(all.place(quoted + 1).line, quoted + 4u);
    EXPECT_EQ(all.place(rows - 1).line, rows + 2u);
    EXPECT_EQ(source->extent().done, source->extent().total);
  }
}

TEST_F(FileCutting, TheFirstErrorOfALongFileIsReported) {
  std::string text = "x\n";
  for (int i = 0; i < 300000; ++i) text += i == 250000 || i == 290000 ? "word\n" : "12.5\n";
  const std::string path = write(text);
  for (const int threads : {1, 7}) {
    const auto source = open_source(path, {{}, {.threads = threads}});
    source->look(std::nullopt);
    source->select(std::vector<Target>{{Target::Kind::number, 0}});
    Rows all({.numbers = 1}, 300001);
    all.begin_file(path, true);
    const std::string message = message_of<FileError>([&] {
      while (source->read(all)) {
      }
    });
    EXPECT_NE(message.find("t.csv:250002,"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace suffice::cli
