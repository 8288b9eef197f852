#include "cli/line/command_line.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "cli/line/parse.hpp"

namespace suffice::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(CommandLineTest, WordsBecomeOptions) {
  const Options options = parse(
      "fit a.csv b.csv --label species --covariance tied-diag --smoothing 0.5 --normalize "
      "unbiased --weight w -o m.suffice --threads 3 --seed 18446744073709551615 --json");
  EXPECT_EQ(command("fit a.csv --label y").verb->name, "fit");
  EXPECT_THAT(options.input.paths, ElementsAre("a.csv", "b.csv"));
  EXPECT_EQ(options.columns.label, "species");
  EXPECT_EQ(options.columns.weight, "w");
  EXPECT_EQ(options.fit.estimate.covariance, Covariance::tied_diag);
  EXPECT_EQ(options.fit.estimate.normalize, Normalize::unbiased);
  EXPECT_EQ(options.fit.estimate.smoothing, 0.5);
  EXPECT_EQ(options.output, "m.suffice");
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.seed, 18446744073709551615u);
  EXPECT_TRUE(options.json);
  EXPECT_FALSE(options.quiet);
}

TEST(CommandLineTest, DefaultsAreThoseOfTheContract) {
  const Options options = parse("fit a.csv --label y");
  EXPECT_EQ(options.output, "model.suffice");
  EXPECT_EQ(options.fit.estimate.covariance, Covariance::full);
  EXPECT_EQ(options.fit.estimate.normalize, Normalize::mle);
  EXPECT_EQ(options.fit.estimate.smoothing, 1);
  EXPECT_EQ(options.seed, 0u);
  EXPECT_TRUE(options.input.header);
  const Options predict = parse("predict m a.csv");
  EXPECT_EQ(predict.output, "-");
  EXPECT_EQ(predict.decision.prior.kind, PriorOption::Kind::train);
  EXPECT_FALSE(predict.decision.cost.is_given());
}

TEST(CommandLineTest, TheModelComesFirst) {
  const Options options = parse("evaluate m.suffice a.csv - --label y");
  EXPECT_EQ(options.model, "m.suffice");
  EXPECT_THAT(options.input.paths, ElementsAre("a.csv", "-"));
  EXPECT_EQ(parse("show m.suffice --top 0 --discriminant").model, "m.suffice");
}

TEST(CommandLineTest, FlagsStandAnywhereAndMayHaveTheirValueAttached) {
  const Options options = parse("fit --label=y a.csv -om.suffice b.csv");
  EXPECT_EQ(options.columns.label, "y");
  EXPECT_EQ(options.output, "m.suffice");
  EXPECT_THAT(options.input.paths, ElementsAre("a.csv", "b.csv"));
  EXPECT_EQ(parse("sample m -n1000").count, 1000);
  EXPECT_EQ(parse("sample m -n 1e6").count, 1000000);
  EXPECT_EQ(parse("sample m -n=7").count, 7);
  EXPECT_EQ(parse("predict m a -o=p.csv").output, "p.csv");
  EXPECT_EQ(parse("fit a --label=a=b").columns.label, "a=b");
}

TEST(CommandLineTest, AValueMayBeginWithADash) {
  const Options options = parse("fit a.csv --label -y --na -1 --na -- --na - --na=--json");
  EXPECT_EQ(options.columns.label, "-y");
  EXPECT_THAT(options.input.na, ElementsAre("-1", "--", "-", "--json"));
  EXPECT_FALSE(options.json);
}

TEST(CommandLineTest, TheOrderOfFlagsDoesNotMatter) {
  const Options one = parse("fit a.csv --label y --target diag --shrinkage 0.5 --quiet --quiet");
  const Options other = parse("fit --quiet --shrinkage 0.5 --target diag --label y a.csv");
  EXPECT_EQ(one.fit.estimate.target, other.fit.estimate.target);
  EXPECT_EQ(one.fit.estimate.shrinkage, other.fit.estimate.shrinkage);
  EXPECT_THAT(command("fit --shrinkage 0.5 --label y a.csv").given,
              ElementsAre("--label", "--shrinkage"));
}

TEST(CommandLineTest, AfterTwoDashesAllWordsAreFiles) {
  EXPECT_THAT(parse("fit --label y -- --odd.csv").input.paths, ElementsAre("--odd.csv"));
  EXPECT_THAT(parse("fit --label y b -- -h -- -o").input.paths, ElementsAre("b", "-h", "--", "-o"));
}

TEST(CommandLineTest, ListsAreRepeatedOrSeparatedByCommas) {
  const Options options = parse(
      "stats a.csv --label y --features a,b* --features c --ignore id --na - --na -999 "
      "--family *=categorical,age=poisson --family w=multinomial -o a.stats");
  EXPECT_THAT(options.columns.features, ElementsAre("a", "b*", "c"));
  EXPECT_THAT(options.columns.ignore, ElementsAre("id"));
  EXPECT_THAT(options.input.na, ElementsAre("-", "-999"));
  ASSERT_EQ(options.columns.families.size(), 3u);
  EXPECT_THAT(options.columns.families[0], Pair("*", Family::categorical));
  EXPECT_THAT(options.columns.families[1], Pair("age", Family::poisson));
  EXPECT_THAT(options.columns.families[2], Pair("w", Family::multinomial));
}

TEST(CommandLineTest, OutputColumnsAreSortedAndNamedOnce) {
  EXPECT_THAT(parse("predict m a --output outlier,proba --output proba").output_columns,
              ElementsAre(OutputColumn::proba, OutputColumn::outlier));
}

TEST(CommandLineTest, NamesInQuotesMayHaveAnything) {
  const Options options =
      parse({"predict", "m", "a", "--prior", R"("a,b"=0.25, "c""=d"=0.5,e=0.25)", "--cost",
             R"("a,b">"c"">d"=5, e > "a,b" = 2)", "--keep", R"("x,y",z)"});
  EXPECT_THAT(options.decision.prior.given,
              ElementsAre(Pair("a,b", 0.25), Pair("c\"=d", 0.5), Pair("e", 0.25)));
  ASSERT_EQ(options.decision.cost.entries.size(), 2u);
  EXPECT_EQ(options.decision.cost.entries[0].truth, "a,b");
  EXPECT_EQ(options.decision.cost.entries[0].decided, "c\">d");
  EXPECT_EQ(options.decision.cost.entries[1].truth, "e");
  EXPECT_EQ(options.decision.cost.entries[1].decided, "a,b");
  EXPECT_THAT(options.kept_columns, ElementsAre("x,y", "z"));
  EXPECT_THAT(parse({"fit", "a", "--label", "y", "--family", R"("a,=b"=poisson,c=poisson)"})
                  .columns.families,
              ElementsAre(Pair("a,=b", Family::poisson), Pair("c", Family::poisson)));
}

TEST(CommandLineTest, PriorsAreNumbersNamesOrAFile) {
  EXPECT_THAT(parse("predict m a --prior 3,1").decision.prior.listed, ElementsAre(3, 1));
  EXPECT_EQ(parse("predict m a --prior counts.csv").decision.prior.file, "counts.csv");
  EXPECT_EQ(parse("predict m a --prior ./counts").decision.prior.kind, PriorOption::Kind::file);
  const PriorOption for_all = parse("predict m a --prior train:0.5").decision.prior;
  EXPECT_EQ(for_all.kind, PriorOption::Kind::pseudo_counts);
  EXPECT_THAT(for_all.listed, ElementsAre(0.5));
  const PriorOption for_each = parse("predict m a --prior train:a=2,b=5").decision.prior;
  EXPECT_EQ(for_each.kind, PriorOption::Kind::pseudo_counts);
  EXPECT_THAT(for_each.given, ElementsAre(Pair("a", 2), Pair("b", 5)));
}

TEST(CommandLineTest, PriorsAndCostsKeepTheirOrder) {
  const Options options = parse({"predict", "m", "a", "--prior", "a b=0.25, c=d=0.75", "--cost",
                                 "a b>c=d=5,c=d>a b=-1", "--reject", "0.1", "--outlier", "1e-3"});
  EXPECT_EQ(options.decision.prior.kind, PriorOption::Kind::given);
  EXPECT_THAT(options.decision.prior.given, ElementsAre(Pair("a b", 0.25), Pair("c=d", 0.75)));
  ASSERT_EQ(options.decision.cost.entries.size(), 2u);
  EXPECT_EQ(options.decision.cost.entries[0].truth, "a b");
  EXPECT_EQ(options.decision.cost.entries[0].decided, "c=d");
  EXPECT_EQ(options.decision.cost.entries[0].cost, 5);
  EXPECT_EQ(options.decision.cost.entries[1].cost, -1);
  EXPECT_EQ(options.decision.reject, 0.1);
  EXPECT_EQ(options.decision.outlier, 1e-3);
  EXPECT_EQ(parse("predict m a --prior uniform").decision.prior.kind, PriorOption::Kind::uniform);
  EXPECT_EQ(parse("predict m a --cost costs.csv").decision.cost.file, "costs.csv");
}

TEST(CommandLineTest, DataFlags) {
  const Options options =
      parse("predict m a --format csv --no-header --separator tab --index-base 0");
  EXPECT_EQ(options.input.format, "csv");
  EXPECT_FALSE(options.input.header);
  EXPECT_EQ(options.input.separator, '\t');
  EXPECT_EQ(options.input.index_base, 0);
  EXPECT_EQ(parse("predict m a --separator ;").input.separator, ';');
}

TEST(CommandLineTest, ThreadsComeFromTheEnvironmentUnlessGiven) {
  ::setenv("SUFFICE_THREADS", "5", 1);
  EXPECT_EQ(parse("show m").threads, 5);
  EXPECT_EQ(parse("show m --threads 2").threads, 2);
  ::setenv("SUFFICE_THREADS", "many", 1);
  EXPECT_THAT(complaint("show m"), HasSubstr("SUFFICE_THREADS needs a whole number, not 'many'"));
  ::unsetenv("SUFFICE_THREADS");
  EXPECT_EQ(parse("show m").threads, 0);
}

struct Complaint {
  std::string line, says;
};
class ComplaintTest : public ::testing::TestWithParam<Complaint> {};

TEST_P(ComplaintTest, SaysWhatIsWrongAndWhatWouldBeRight) {
  EXPECT_THAT(complaint(GetParam().line), HasSubstr(GetParam().says)) << GetParam().line;
}

INSTANTIATE_TEST_SUITE_P(
    Verbs, ComplaintTest,
    ::testing::Values(
        Complaint{"", "suffice --help"},
        Complaint{"fi a.csv", "unknown verb 'fi'; did you mean fit?"},
        Complaint{"evalute m a", "did you mean evaluate?"},
        Complaint{"xyz",
                  "there are fit, predict, explain, evaluate, priors, select, suspects, stats, "},
        Complaint{"selekt a.csv --label y", "unknown verb 'selekt'; did you mean select?"},
        Complaint{"--json show m", "the verb comes first"}, Complaint{"fit", "suffice fit DATA…"},
        Complaint{"predict m", "suffice predict MODEL DATA…"},
        Complaint{"subtract a.stats -o r.stats", "suffice subtract ALL.stats PART.stats"},
        Complaint{"subtract a b c -o r.stats", "no use for 'c'"},
        Complaint{"show m n", "no use for 'n'"}));

INSTANTIATE_TEST_SUITE_P(
    Flags, ComplaintTest,
    ::testing::Values(
        Complaint{"fit a --label y --covarianse full",
                  "unknown flag --covarianse; did you mean --covariance?"},
        Complaint{"fit a --label y --covarianse=full", "did you mean --covariance?"},
        Complaint{"fit a --label y --cov full", "did you mean --covariance?"},
        Complaint{"fit a --label y --sead 3", "did you mean --seed?"},
        Complaint{"fit a --label y --heed 3", "did you mean --seed?"},
        Complaint{"fit a --label y --boat 3", "suffice fit --help shows what there is"},
        Complaint{"fit a --label y --pca 0", "--pca must be at least 1"},
        Complaint{"fit a --label y --shrinkage outo", "--shrinkage has no value 'outo'"},
        Complaint{"fit a --label y -x", "unknown flag -x"},
        Complaint{"predict m a --label y", "predict has no flag --label; it belongs to fit"},
        Complaint{"fit a --label", "--label needs a value: COLUMN"},
        Complaint{"fit a --label --weight w",
                  "--label needs a value (COLUMN), but --weight follows"},
        Complaint{"fit a --label --weight=w",
                  "--label needs a value (COLUMN), but --weight=w follows"},
        Complaint{"fit a --label y -o", "--out needs a value: FILE"},
        Complaint{"fit a --label y -label z", "did you mean --label?"},
        Complaint{"show m -5", "no use for '-5'"},
        Complaint{"fit a --label y --quiet --verbose", "contradict each other"},
        Complaint{"fit a --label y --label z", "--label is given twice: 'y' and 'z'"},
        Complaint{"fit a --label= --json", "--label needs a value"},
        Complaint{"fit a --label y --json=yes", "--json takes no value"}));

INSTANTIATE_TEST_SUITE_P(
    Values, ComplaintTest,
    ::testing::Values(
        Complaint{"fit a --label y --covariance ful",
                  "--covariance has no value 'ful'; did you mean 'full'? It can be auto, full, "
                  "tied, diag, tied-diag, spherical, tied-spherical"},
        Complaint{"stats a --label y -o s --covariance spherical",
                  "--covariance has no value 'spherical'; choose one of these: full, tied, diag"},
        Complaint{"fit a --label y --normalize unbiassed", "did you mean 'unbiased'?"},
        Complaint{"fit a --label y --smoothing -1", "--smoothing must be at least 0, not -1"},
        Complaint{"fit a --label y --smoothing much", "--smoothing has no value 'much'"},
        Complaint{"fit a --label y --smoothing nan", "--smoothing has no value 'nan'"},
        Complaint{"fit a --label y --family age", "'age' is not COLUMN=FAMILY"},
        Complaint{"fit a --label y --family age=poison", "did you mean 'poisson'?"},
        Complaint{"fit a --label y --features a,,b", "empty name"},
        Complaint{"predict m a --output prob", "did you mean 'proba'?"},
        Complaint{"predict m a --reject -2", "--reject must be at least 0"},
        Complaint{"predict m a --outlier 1", "--outlier must lie between 0 and 1"},
        Complaint{"predict m a --outlier 0", "--outlier must lie between 0 and 1"},
        Complaint{"predict m a --separator ab", "--separator needs one character"},
        Complaint{"predict m a --format xlsx",
                  "of these: csv, tsv, ndjson, parquet, arrow, npy, idx, libsvm"},
        Complaint{"predict m a --index-base 2", "of these: 0, 1"},
        Complaint{"show m --threads 0", "--threads must be at least 1"},
        Complaint{"show m --seed -1", "--seed needs a whole number from 0"},
        Complaint{"show m --top 1.5", "--top needs a whole number, not '1.5'"},
        Complaint{"sample m -n 0", "-n must be at least 1"},
        Complaint{"sample m -n -5", "-n must be at least 1"},
        Complaint{"sample m", "sample needs -n N"}));

INSTANTIATE_TEST_SUITE_P(
    PriorsAndCosts, ComplaintTest,
    ::testing::Values(Complaint{"predict m a --prior unifrom", "did you mean 'uniform'?"},
                      Complaint{"predict m a --prior 3,x", "'x' is not a number"},
                      Complaint{"predict m a --prior a=0.5,a=0.5", "--prior names class 'a' twice"},
                      Complaint{"predict m a --prior a=-0.5,b=1.5", "class 'a' is negative"},
                      Complaint{"predict m a --prior a=x,b=1", "'a=x' is not CLASS=PROBABILITY"},
                      Complaint{"predict m a --prior =1", "is not CLASS=PROBABILITY"},
                      Complaint{"predict m a --cost a>b=5,c", "'c' is not TRUE>DECIDED=COST"},
                      Complaint{"predict m a --cost a>b=x", "'a>b=x' is not TRUE>DECIDED=COST"},
                      Complaint{"predict m a --cost >b=1", "is not TRUE>DECIDED=COST"},
                      Complaint{"predict m a --cost a>b=1,a>b=2", "--cost names 'a>b' twice"}));

}  // namespace
}  // namespace suffice::cli
