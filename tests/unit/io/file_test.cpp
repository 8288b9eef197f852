#include "suffice/io/file.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

#include "io/fields.hpp"
#include "suffice/core/error.hpp"
#include "suffice/estimate/estimate.hpp"
#include "support/folder.hpp"
#include "support/forge.hpp"
#include "support/message_of.hpp"

namespace suffice::file_test {
namespace {

using testing::Folder;
using ::testing::HasSubstr;
using testing::message_of;
using testing::Opened;
using testing::read_file;
using testing::write_file;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Every family, two Gaussian blocks, and names that are not UTF-8, empty, or hold a zero byte.
const Schema all_families({{"a", Family::gaussian},
                           {"b", Family::gaussian},
                           {"sex", Family::categorical, {"f", "", std::string("\0m", 2)}},
                           {"alone\xff", Family::gaussian},
                           {"flag", Family::bernoulli},
                           {"visits", Family::poisson},
                           {"word1", Family::multinomial},
                           {"word2", Family::multinomial}},
                          {{1, 0}, {2}, {3}, {4}, {5}, {6, 7}});

Statistics some_statistics(Scatter scatter, bool missing_values = true) {
  const std::vector<double> a = {0.1, 0.3, 2.5, 1e-300, 0.7, -4.25};
  const std::vector<double> b = {1e9, 1e9 + 0.1, missing_values ? nan : 3, -2, 5, 7};
  const std::vector<std::string> sex = {"f", "", "x\xfe", "f", "", "f"};
  const std::vector<float> alone = {1, 2, 3, 5, 8, 13};
  const std::vector<int> flag = {0, 1, 1, 0, 1, 0}, visits = {3, 0, 0, 7, 1, 2};
  const std::vector<int> word1 = {1, 2, 0, 4, 0, 1}, word2 = {0, 1, 1, 3, 2, 2};
  const std::vector<std::string> labels = {"x", "y\xff", "x", "y\xff", "x", "y\xff"};
  const std::vector<double> weights = {1, 0.5, 2, 1.25, 1, 3};
  RowBlock rows(6);
  rows.feature(a).feature(b).feature(sex).feature(alone).feature(flag).feature(visits);
  rows.feature(word1).feature(word2).labels(labels).weights(weights);
  Statistics statistics(all_families, {.scatter = scatter, .labels = {"never seen"}});
  return statistics.update(rows);
}

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         (a.empty() ||
          std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * 8) == 0);
}

class FileTest : public ::testing::Test {
 protected:
  Folder folder_;
  std::string path_ = folder_ / "file.suffice";
};

TEST_F(FileTest, StatisticsOfAllFamiliesSurviveToTheLastBit) {
  for (const Scatter scatter : {Scatter::dense, Scatter::diagonal}) {
    for (const bool missing : {false, true}) {
      const Statistics statistics = some_statistics(scatter, missing);
      save(statistics, path_);
      EXPECT_EQ(load_statistics(path_), statistics);
      EXPECT_EQ(file_kind(path_), FileKind::statistics);
      const std::string bytes = read_file(path_);
      save(load_statistics(path_), path_);
      EXPECT_EQ(read_file(path_), bytes);
    }
  }
}

TEST_F(FileTest, BytesAreThoseOfTheFile) {
  const Statistics statistics = some_statistics(Scatter::diagonal);
  save(statistics, path_);
  EXPECT_EQ(to_bytes(statistics), read_file(path_));
  EXPECT_EQ(statistics_from_bytes(to_bytes(statistics)), statistics);
  const Model model = estimate(statistics, {.covariance = Covariance::diag});
  save(model, path_);
  EXPECT_EQ(to_bytes(model), read_file(path_));
  EXPECT_EQ(model_from_bytes(to_bytes(model)), model);
}

TEST(Bytes, ThatAreNoFileAreRefused) {
  const Statistics statistics = some_statistics(Scatter::diagonal);
  const std::string bytes = to_bytes(statistics);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(statistics_from_bytes(std::string_view(bytes).substr(0, size)), FileError) << size;
  EXPECT_THROW(statistics_from_bytes(bytes + "more"), FileError);
  std::string damaged = bytes;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  EXPECT_THAT(message_of<FileError>([&] { statistics_from_bytes(damaged); }),
              ::testing::AllOf(HasSubstr("cannot read the bytes: "), HasSubstr("SHA-256")));
  EXPECT_THAT(message_of<FileError>([&] { model_from_bytes(bytes); }),
              HasSubstr("it holds statistics, and a model is asked for"));
  EXPECT_THAT(message_of<FileError>([&] { load_model(""); }), HasSubstr("path is empty"));
}

TEST_F(FileTest, StatisticsWithoutARowSurvive) {
  for (const Scatter scatter : {Scatter::dense, Scatter::diagonal}) {
    const Statistics empty(all_families, {.scatter = scatter});
    save(empty, path_);
    EXPECT_EQ(load_statistics(path_), empty);
  }
}

TEST_F(FileTest, ANegativeZeroKeepsItsSign) {
  // == takes both zeros for equal, so the bits are compared.
  Statistics::Parts parts = Statistics(Schema::numbered(2), {.labels = {"a"}}).parts();
  auto& gaussian = std::get<GaussianStatistics>(parts.blocks[0]).classes[0].complete;
  parts.weights[0] = parts.squared_weights[0] = gaussian.weight = 1;
  gaussian.mean = {-0.0, 5e-324};
  gaussian.mean_low = {0.0, -0.0};
  gaussian.scatter = Matrix(2, 2);
  save(Statistics(parts), path_);
  const Statistics loaded = load_statistics(path_);
  const auto& read = std::get<GaussianStatistics>(loaded.blocks()[0]).classes[0].complete;
  EXPECT_TRUE(same_bits(read.mean, gaussian.mean));
  EXPECT_TRUE(same_bits(read.mean_low, gaussian.mean_low));
}

TEST_F(FileTest, ModelsOfAllFamiliesAndStructuresSurviveToTheLastBit) {
  const Statistics statistics = some_statistics(Scatter::diagonal);
  for (const Covariance covariance : {Covariance::diag, Covariance::tied_diag,
                                      Covariance::spherical, Covariance::tied_spherical}) {
    const Model model = estimate(statistics, {.covariance = covariance, .smoothing = 0.25});
    save(model, path_);
    EXPECT_EQ(load_model(path_), model) << to_string(covariance);
    EXPECT_EQ(file_kind(path_), FileKind::model);
  }
  for (const Covariance covariance : {Covariance::full, Covariance::tied}) {
    Matrix x(12, 3);
    std::vector<int> labels;
    for (Index i = 0; i < 12; ++i) {
      labels.push_back(static_cast<int>(i % 2));
      for (Index j = 0; j < 2; ++j) x(i, j) = std::sin(static_cast<double>(1 + i * 5 + j * j * 3));
      x(i, 2) = 4.5;  // constant: left out of the density, as the file records
    }
    Statistics numbers(Schema::numbered(3));
    const Model model = estimate(numbers.update(RowBlock(x, labels)), {.covariance = covariance});
    ASSERT_FALSE(std::get<GaussianDensity>(model.densities()[0]).constant.empty());
    save(model, path_);
    EXPECT_EQ(load_model(path_), model) << to_string(covariance);
  }
}

TEST_F(FileTest, AModelOfGivenParametersSurvives) {
  const Model model({.schema = Schema({{"n", Family::poisson}}),
                     .labels = {"a", "b"},
                     .weights = {1, 0},
                     .densities = {PoissonDensity{{{0.1}, {0}}}}});
  save(model, path_);
  EXPECT_EQ(load_model(path_), model);
}

/// A model with these options and findings, whatever its density.
Model model_with(const EstimateOptions& options, const EstimateFound& found = {}) {
  return Model({.schema = Schema({{"n", Family::poisson}}),
                .labels = {"a", "b"},
                .weights = {1, 0},
                .densities = {PoissonDensity{{{0.1}, {0}}}},
                .options = options,
                .found = found});
}

TEST_F(FileTest, EveryOptionSurvives) {
  const std::vector<EstimateOptions> several{
      {},
      {.covariance = Covariance::tied, .pooling = {1, 0.1}},
      {.covariance = Covariance::spherical, .normalize = Normalize::unbiased, .smoothing = 0.1},
      {.pca = Pca{.components = 5}, .lda = 2, .shrinkage = Shrinkage::rows(12.5)},
      {.pca = Pca{.share = 0.9}, .shrinkage = Shrinkage::oas()},
      {.pca = Pca{.share = 0.6451612903225806}},
      {.pca = Pca{.components = 5}, .standardize = true},
      {.shrinkage = Shrinkage::share(0.3), .target = Target::spherical, .towards_tied = 1. / 3},
      {.inference = Inference::bayes},
      {.discriminative = true, .penalty = 0.1},
      {.covariance = Covariance::tied_diag, .shrink_means = 4.34},
      {.components = 3},
      {.keep = 12},
      {.keep_above = 1. / 3},
      {.event_model = EventModel::complement, .min_rows = 5, .max_words = 1000},
      {.idf = true, .length_power = 1. / 3},
      {.shrinkage = Shrinkage::rows(7), .target_share = 1. / 3},
      {.smoothing = Smoothing::automatic(), .tails = Tails::student(1. / 3 + 2)}};
  std::set<std::string_view> changed;
  for (const EstimateOptions& options : several) {
    const Model model = model_with(options);
    save(model, path_);
    EXPECT_EQ(load_model(path_).parts().options, resolve(options));
    for (const EstimateOption& option : estimate_options())
      if (!option.is_default(*model.parts().options)) changed.insert(option.name);
  }
  EXPECT_EQ(changed.size(), estimate_options().size()) << "an option is at its default throughout";
}

TEST_F(FileTest, WhatWasFoundSurvives) {
  EstimateFound found;
  double number = 0.1;
  for (const EstimateFound::Field& field : EstimateFound::fields())
    found.*field.values = {number += 1, std::numeric_limits<double>::infinity()};
  save(model_with({}, found), path_);
  EXPECT_EQ(load_model(path_).parts().found, found);
}

TEST_F(FileTest, TheOtherKindIsSaid) {
  const Statistics statistics = some_statistics(Scatter::diagonal);
  save(statistics, path_);
  EXPECT_THAT(message_of<FileError>([&] { load_model(path_); }), HasSubstr("load_statistics"));
  save(estimate(statistics, {.covariance = Covariance::diag}), path_);
  EXPECT_THAT(message_of<FileError>([&] { load_statistics(path_); }), HasSubstr("load_model"));
}

TEST_F(FileTest, AbsentFilesAreSaid) {
  EXPECT_THAT(message_of<FileError>([&] { load_model(path_); }), HasSubstr("no such file"));
  EXPECT_THAT(message_of<FileError>([&] { file_kind(path_); }), HasSubstr("no such file"));
  EXPECT_THAT(
      message_of<FileError>([&] { save(some_statistics(Scatter::dense), folder_ / "x/y"); }),
      HasSubstr("cannot write"));
}

/// A small file of each kind, to be damaged everywhere, and a large one, to be damaged here and
/// there.
struct Sound {
  std::string bytes;
  bool is_model;
  std::size_t step;
};
std::vector<Sound> sound_files(const std::string& path) {
  const std::vector<int> flags = {0, 1, 1}, labels = {1, 2, 1};
  RowBlock rows(3);
  rows.feature(flags).labels(labels);
  Statistics small(Schema({{"flag", Family::bernoulli}}));
  small.update(rows);
  std::vector<Sound> files;
  save(small, path);
  files.push_back({read_file(path), false, 1});
  save(estimate(small), path);
  files.push_back({read_file(path), true, 1});
  save(some_statistics(Scatter::dense), path);
  files.push_back({read_file(path), false, 61});
  return files;
}

void expect_refused(const Sound& file, const std::string& path, const std::string& bytes,
                    const std::string& what) {
  write_file(path, bytes);
  if (file.is_model) {
    EXPECT_THROW(load_model(path), FileError) << what;
  } else {
    EXPECT_THROW(load_statistics(path), FileError) << what;
  }
}

TEST_F(FileTest, ATruncatedFileIsRefusedAtEveryLength) {
  for (const Sound& file : sound_files(path_)) {
    for (std::size_t length = 0; length < file.bytes.size(); length += file.step)
      expect_refused(file, path_, file.bytes.substr(0, length),
                     "the first " + std::to_string(length) + " bytes");
    expect_refused(file, path_, file.bytes + "x", "one byte more");
  }
}

TEST_F(FileTest, AChangedByteIsNoticedWhereverItIs) {
  for (const Sound& file : sound_files(path_)) {
    for (std::size_t at = 0; at < file.bytes.size(); at += file.step) {
      std::string changed = file.bytes;
      const int bit = at % 2 ? 1 : 32;  // 32 turns a letter into its other case
      changed[at] = static_cast<char>(changed[at] ^ bit);
      expect_refused(file, path_, changed,
                     "byte " + std::to_string(at) + " xor " + std::to_string(bit));
    }
  }
}

// What follows has checksums that are right, so that only the checks of the contents can refuse it.
class ForgedFileTest : public FileTest {
 protected:
  template <class Edit>
  std::string refused_statistics(Edit edit) {
    save(some_statistics(Scatter::dense), path_);
    return refused(edit, [&] { load_statistics(path_); });
  }
  template <class Edit>
  std::string refused_model(Edit edit) {
    save(estimate(some_statistics(Scatter::diagonal), {.covariance = Covariance::diag}), path_);
    return refused(edit, [&] { load_model(path_); });
  }

 private:
  template <class Edit, class Load>
  std::string refused(Edit edit, Load load) {
    Opened file(read_file(path_));
    write_file(path_, file.sealed());
    EXPECT_NO_THROW(load());
    edit(file);
    write_file(path_, file.sealed());
    return message_of<FileError>(load);
  }
};

TEST_F(ForgedFileTest, LengthsThatDoNotFitAreRefused) {
  for (const std::int64_t length :
       {std::int64_t{-1}, std::int64_t{1000000}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max(), std::int64_t{3}}) {
    for (const char* tensor : {"labels.lengths", "schema.features.lengths", "schema.levels.counts",
                               "schema.blocks.sizes", "block.1.levels.counts"})
      EXPECT_THAT(refused_statistics([&](Opened& file) { file.set(tensor, 0, length); }),
                  HasSubstr("do not fit"))
          << tensor << " " << length;
  }
}

TEST_F(ForgedFileTest, PositionsOutsideAreRefused) {
  for (const std::int64_t position : {std::int64_t{-1}, std::int64_t{8}, std::int64_t{1} << 40}) {
    EXPECT_THAT(refused_statistics([&](Opened& file) { file.set("schema.blocks", 0, position); }),
                HasSubstr("feature number"));
    EXPECT_THAT(
        refused_statistics([&](Opened& file) { file.set("block.0.complete", 0, position); }),
        HasSubstr("class number"));
  }
  EXPECT_THAT(
      refused_statistics([](Opened& file) { file.set("schema.blocks", 0, std::int64_t{0}); }),
      HasSubstr("'a' is in block 0 and again"));
}

TEST_F(ForgedFileTest, NumbersThatCannotBeAreRefused) {
  EXPECT_THAT(refused_statistics([](Opened& file) { file.set("weights", 1, nan); }),
              HasSubstr("nan"));
  EXPECT_THAT(refused_statistics([](Opened& file) { file.set("weights", 1, -1.0); }),
              HasSubstr("-1"));
  EXPECT_THAT(
      refused_statistics([](Opened& file) { file.set("block.0.complete.scatter", 0, nan); }),
      HasSubstr("scatter"));
  EXPECT_THAT(refused_statistics([](Opened& file) { file.set("block.1.count.0", 0, -2.0); }),
              HasSubstr("count"));
  EXPECT_THAT(refused_model([](Opened& file) { file.set("block.0.mean", 0, nan); }),
              HasSubstr("mean"));
  EXPECT_THAT(refused_model([](Opened& file) { file.set("block.1.probability.0", 0, 1.5); }),
              HasSubstr("probability"));
  EXPECT_THAT(refused_model([](Opened& file) { file.set("block.4.rate", 0, -1.0); }),
              HasSubstr("rate"));
}

TEST_F(ForgedFileTest, NamesOutOfOrderAreRefused) {
  // "never seen", "x", "y\xff": with an 'z' in front they are no longer in order.
  EXPECT_THAT(refused_statistics([](Opened& file) { file.set("labels", 0, 'z'); }),
              HasSubstr("not in order"));
  EXPECT_THAT(refused_model([](Opened& file) { file.set("labels", 0, 'z'); }),
              HasSubstr("not in order"));
}

TEST_F(ForgedFileTest, TensorsThatAreAbsentStrangeOrOfAnotherShapeAreRefused) {
  const auto rename = [](const char* from, const char* to) {
    return [=](Opened& file) {
      const testing::Json value = file.header.at(from);
      file.header.erase(from);
      file.header[to] = value;
    };
  };
  EXPECT_THAT(refused_statistics(rename("weights", "other")),
              HasSubstr("lacks the tensor 'weights'"));
  EXPECT_THAT(refused_model(rename("options", "other")), HasSubstr("lacks the tensor 'options'"));
  EXPECT_THAT(
      refused_statistics([](Opened& file) {
        const std::size_t end = file.data.size();
        file.header["extra"] = {{"dtype", "U8"}, {"shape", {1}}, {"data_offsets", {end, end + 1}}};
        file.data += 'x';
      }),
      HasSubstr("'extra' that does not belong"));
  EXPECT_THAT(refused_statistics([](Opened& file) {
                file.header["weights"]["shape"] = {3, 1};
              }),
              HasSubstr("number of dimensions"));
  EXPECT_THAT(refused_statistics([](Opened& file) { file.header["weights"]["dtype"] = "I64"; }),
              HasSubstr("another type"));
  EXPECT_THAT(refused_statistics([](Opened& file) {
                file.header["block.0.complete.mean"]["shape"] = {1, 4};
              }),
              HasSubstr("rows"));
  EXPECT_THAT(refused_statistics([](Opened& file) {
                file.header["block.0.complete.scatter"]["shape"] = {6, 1, 1};
              }),
              HasSubstr("number of dimensions"));
  for (const testing::Json& shape : {testing::Json{1, 6}, testing::Json{3, 2}, testing::Json{6, 1}})
    EXPECT_THAT(refused_statistics([&](Opened& file) {
                  file.header["block.0.complete.scatter"]["shape"] = shape;
                }),
                HasSubstr("the triangle of 2 features has 3"));
  EXPECT_THAT(refused_statistics(
                  [](Opened& file) { file.header["__metadata__"]["block.0.scatter"] = "sparse"; }),
              HasSubstr("'sparse'"));
  EXPECT_THAT(refused_model(
                  [](Opened& file) { file.header["__metadata__"]["block.0.structure"] = "round"; }),
              HasSubstr("no covariance 'round'"));
  EXPECT_THAT(refused_model([](Opened& file) { file.header["__metadata__"]["kind"] = "song"; }),
              HasSubstr("neither statistics nor a model"));
  EXPECT_THAT(
      refused_model([](Opened& file) { file.header["__metadata__"]["suffice_version"] = "999"; }),
      HasSubstr("newer Suffice"));
}

TEST(File, AScatterIsStoredAsItsLowerTriangle) {
  Statistics::Parts parts = Statistics(Schema::numbered(3), {.labels = {"a", "b"}}).parts();
  auto& classes = std::get<GaussianStatistics>(parts.blocks[0]).classes;
  for (const Index c : {0, 1}) {
    parts.weights[c] = parts.squared_weights[c] = classes[c].complete.weight = 9;
    classes[c].complete.mean = classes[c].complete.mean_low = Vector(3);
  }
  classes[0].complete.scatter = {{8, 1, 2}, {1, 9, 3}, {2, 3, 10}};
  classes[1].complete.scatter = {{4, 0, 0}, {0, 5, -1}, {0, -1, 6}};
  const Statistics statistics(parts);
  const Opened file(to_bytes(statistics));
  EXPECT_EQ(file.header["block.0.complete.scatter"]["shape"], (testing::Json{2, 6}));
  std::vector<double> stored(12);
  std::memcpy(stored.data(), file.data.data() + file.begin("block.0.complete.scatter"), 12 * 8);
  EXPECT_EQ(stored, (std::vector<double>{8, 1, 9, 2, 3, 10, 4, 0, 5, 0, -1, 6}));
  EXPECT_EQ(statistics_from_bytes(file.sealed()), statistics);
}

struct Newer {
  Vector old, recent = {};
  static constexpr auto fields() {
    return std::tuple(Field{"old", &Newer::old},
                      Field{"recent", &Newer::recent, Presence::optional, Layout::plain, 3});
  }
};

TEST(File, HasTheVersionOfItsNewestMember) {
  const auto version = [](const Newer& of) {
    PartsWriter file("model");
    FieldWriter(file).write("", of);
    return Opened(file.bytes()).header["__metadata__"]["suffice_version"];
  };
  EXPECT_EQ(version({.old = {1}}), "1");
  EXPECT_EQ(version({.old = {1}, .recent = {2}}), "3");
}

TEST(File, KeepsTheColumnOfTheLabels) {
  const Folder folder;
  const Statistics plain = some_statistics(Scatter::dense);
  Statistics::Parts parts = plain.parts();
  parts.schema = parts.schema.with_label(std::string("what\xff\0", 6));
  const Statistics labelled{std::move(parts)};
  save(labelled, folder / "a.stats");
  EXPECT_TRUE(load_statistics(folder / "a.stats") == labelled);
  EXPECT_EQ(merge(plain, labelled).schema().label(), labelled.schema().label());
  EXPECT_EQ(merge(labelled, plain).schema().label(), labelled.schema().label());
}

}  // namespace
}  // namespace suffice::file_test
