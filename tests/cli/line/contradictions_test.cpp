#include "cli/line/contradictions.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "cli/line/parse.hpp"
#include "support/folder.hpp"

namespace suffice::cli {
namespace {

using ::testing::HasSubstr;

TEST(ContradictionsTest, AnOutputAmongTheInputsIsRefused) {
  const testing::Folder folder;
  const std::string path = folder / "a.csv";
  testing::write_file(path, "x,y\n1,a\n");
  const std::string other = folder.path() + "/./a.csv";
  std::filesystem::create_hard_link(path, folder / "b.csv");
  std::filesystem::create_symlink(path, folder / "c.csv");
  for (const std::string& output : {path, other, folder / "b.csv", folder / "c.csv"})
    EXPECT_THAT(complaint({"fit", path, "--label", "y", "-o", output}),
                HasSubstr("is also an input"))
        << output;
  EXPECT_THAT(complaint({"predict", path, "d.csv", "-o", other}), HasSubstr("is also an input"));
  EXPECT_THAT(complaint({"fit", "d.csv", "--labels", path, "-o", other}),
              HasSubstr("is also an input"));
  EXPECT_THAT(complaint({"stats", "d.csv", "--label", "y", "--like", path, "-o", other}),
              HasSubstr("is also an input"));
  EXPECT_THAT(complaint("merge a.stats b.stats -o a.stats"), HasSubstr("is also an input"));
  EXPECT_EQ(parse({"fit", path, "--label", "y", "-o", folder / "new"}).output, folder / "new");
}

TEST(ContradictionsTest, RowsAreWrittenInFormatsThatExist) {
  for (const std::string ending : {".npy", ".json", ".jsonl", ".xlsx", ".suffice", ".stats",
                                   ".html", ".libsvm", ".npy.gz", ".parquet.gz", ".arrow.zst"}) {
    EXPECT_THAT(complaint("select a.csv --label y --predictions p" + ending),
                HasSubstr("--predictions 'p" + ending + "': select does not write " + ending));
    EXPECT_THAT(complaint("predict m a.csv -o p" + ending), HasSubstr("does not write " + ending));
    EXPECT_THAT(complaint("sample m -n 3 -o p" + ending), HasSubstr("ends in .csv"));
  }
  EXPECT_THAT(complaint("predict m a.csv -o p.json"), HasSubstr("use --json"));
  for (const std::string ending :
       {".tsv", ".csv.gz", ".TSV.GZ", ".csv.zst", ".parquet", ".PQ", ".arrow", ".txt", ".gz", ""})
    EXPECT_EQ(parse("predict m a.csv.gz -o p" + ending).output, "p" + ending);
}

TEST(ContradictionsTest, FlagsOfTextAreRefusedForTypedFiles) {
  EXPECT_THAT(complaint("predict m a.csv --digits 3 -o p.parquet"), HasSubstr("--digits is for"));
  EXPECT_THAT(complaint("sample m -n 3 --safe-csv -o p.arrow"), HasSubstr("--safe-csv is for"));
}

TEST(ContradictionsTest, PicturesAreWrittenPlain) {
  for (const std::string ending :
       {".svg.gz", ".parquet", ".npy", ".png", ".PDF", ".csv", ".suffice"}) {
    EXPECT_THAT(complaint("plot m a.csv --what densities -o p" + ending),
                HasSubstr("give a name that ends in .svg"));
    EXPECT_THAT(complaint("report m a.csv -o p" + ending),
                HasSubstr("give a name that ends in .html"));
  }
}

TEST(ContradictionsTest, ModelsAndStatisticsDoNotTakeNamesOfOtherFormats) {
  const std::string label = " a.csv --label y -o p";
  for (const std::string ending : {".csv", ".TSV", ".csv.gz", ".npy", ".parquet", ".arrow", ".json",
                                   ".svg", ".html", ".onnx", ".sql"}) {
    const auto refused_for = [&](const std::string& own) {
      return ::testing::AllOf(HasSubstr("does not write ."),
                              HasSubstr("give a name that ends in " + own));
    };
    for (const std::string verb : {"fit", "select", "calibrate m"})
      EXPECT_THAT(complaint(verb + label + ending), refused_for(".suffice")) << verb << ending;
    EXPECT_THAT(complaint("stats" + label + ending), refused_for(".stats")) << ending;
    EXPECT_THAT(complaint("merge a.stats b.stats -o p" + ending), refused_for(".stats")) << ending;
    EXPECT_THAT(complaint("subtract a.stats b.stats -o p" + ending), refused_for(".stats"));
  }
  EXPECT_THAT(complaint("fit" + label + ".stats"), HasSubstr("does not write .stats files"));
  EXPECT_THAT(complaint("stats" + label + ".suffice"), HasSubstr("does not write .suffice files"));
  for (const std::string ending : {"", ".v2", ".suffice", ".model", ".bin", "-2026.11.18"})
    EXPECT_EQ(parse("fit" + label + ending).output, "p" + ending);
  EXPECT_EQ(parse("stats --sql duckdb --table t --label y --features x -o p.sql").output, "p.sql");
}

TEST(ContradictionsTest, StatisticsFilesNeedAName) {
  EXPECT_THAT(complaint("stats a.csv --label y"), HasSubstr("stats needs -o FILE"));
  EXPECT_THAT(complaint("merge a.stats b.stats"), HasSubstr("merge needs -o FILE"));
  EXPECT_THAT(complaint("subtract a.stats b.stats"), HasSubstr("subtract needs -o FILE"));
  EXPECT_THAT(complaint("stats a.csv --label y -o -"), HasSubstr("not standard output"));
  EXPECT_THAT(complaint("fit a.csv --label y -o -"), HasSubstr("not standard output"));
  EXPECT_THAT(complaint("fit a.csv --label y -o /"), HasSubstr("is a folder"));
  EXPECT_EQ(parse("predict m a.csv -o -").output, "-");
}

TEST(ContradictionsTest, StandardInputIsReadOnce) {
  EXPECT_THAT(complaint("predict m - -"), HasSubstr("only once"));
  EXPECT_THAT(complaint("fit - --labels -"), HasSubstr("only once"));
  EXPECT_THAT(complaint("predict - a.csv"), HasSubstr("MODEL"));
  EXPECT_THAT(complaint("merge - a.stats -o b.stats"), HasSubstr("from files"));
  EXPECT_THAT(complaint("fit - --label y --training-error"), HasSubstr("second time"));
}

TEST(ContradictionsTest, TheClassesMustBeSomewhere) {
  EXPECT_THAT(complaint("fit a.csv"), HasSubstr("fit needs --label COLUMN"));
  EXPECT_THAT(complaint("stats a.csv -o a.stats"), HasSubstr("stats needs --label COLUMN"));
  EXPECT_THAT(complaint("fit -"), HasSubstr("--label COLUMN"));
  for (const std::string line :
       {"fit a.libsvm", "fit a.libsvm.gz", "fit *.libsvm.zst", "fit - --format libsvm",
        "fit a.stats", "fit x.npy --labels y.npy", "fit a.csv --like b.stats", "evaluate m a.csv"})
    EXPECT_NO_THROW(parse(line)) << line;
  EXPECT_THAT(complaint("fit a.csv --label y --labels b.csv"), HasSubstr("contradict"));
  EXPECT_THAT(complaint("fit a.csv --label y --weight y"), HasSubstr("same column 'y'"));
}

TEST(ContradictionsTest, StatisticsHaveNoColumnsLeftToChoose) {
  EXPECT_THAT(complaint("fit a.stats --label y"), HasSubstr("--label is for tables"));
  EXPECT_THAT(complaint("fit a.stats --family *=poisson"), HasSubstr("--family is for tables"));
  EXPECT_THAT(complaint("fit a.stats b.csv --label y"), HasSubstr("either tables or .stats"));
  EXPECT_THAT(complaint("fit a.stats --training-error"), HasSubstr("only their sums"));
  EXPECT_THAT(complaint("stats a.stats -o b.stats"), HasSubstr("suffice merge"));
}

TEST(ContradictionsTest, ASampleIsOfOneClassOrOfSeveral) {
  EXPECT_THAT(complaint("sample m -n 3 --class a --prior uniform"), HasSubstr("contradict"));
  EXPECT_EQ(parse("sample m -n 3 --class a").class_label, "a");
}

}  // namespace
}  // namespace suffice::cli
