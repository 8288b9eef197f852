#include "io/container.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstring>

#include "io/atomic_file.hpp"
#include "suffice/core/error.hpp"
#include "support/folder.hpp"
#include "support/forge.hpp"
#include "support/message_of.hpp"

namespace suffice::container_test {
namespace {

using ::testing::ElementsAre;
using testing::Folder;
using testing::forge;
using ::testing::HasSubstr;
using testing::Json;
using testing::little_endian;
using testing::message_of;
using testing::read_file;
using testing::write_file;

Json good_header() {
  return Json::parse(R"({"__metadata__": {"suffice_version": "1", "kind": "model"},
    "a": {"dtype": "F64", "shape": [2], "data_offsets": [0, 16]},
    "b": {"dtype": "U8", "shape": [1, 3], "data_offsets": [16, 19]}})");
}
const std::string good_data(19, 'x');

class ContainerTest : public ::testing::Test {
 protected:
  std::string refused(const std::string& bytes) {
    write_file(path_, bytes);
    return message_of<FileError>([&] { Container::read(path_, 1); });
  }
  std::string refused(const Json& header, const std::string& data = good_data) {
    return refused(forge(header, data));
  }

  Folder folder_;
  std::string path_ = folder_ / "file.suffice";
};

TEST_F(ContainerTest, ReadsWhatItWrote) {
  const double numbers[] = {1, -0.0, 0.1, 5e-324};
  const std::int64_t integers[] = {-1, 7};
  const std::string text = "h\xffllo";
  ContainerWriter writer("model");
  writer.metadata("structure", "ti\"ed");
  writer.add("text", TensorType::u8, {5}, {std::as_bytes(std::span(text))});
  writer.add(
      "numbers", TensorType::f64, {2, 2},
      {std::as_bytes(std::span(numbers).first(1)), std::as_bytes(std::span(numbers).last(3))});
  writer.add("integers", TensorType::i64, {2}, {std::as_bytes(std::span(integers))});
  writer.add("nothing", TensorType::f64, {0, 7}, {});
  writer.write(path_);

  const Container container = Container::read(path_, 1);
  EXPECT_EQ(container.metadata().at("structure"), "ti\"ed");
  EXPECT_EQ(container.metadata().at("kind"), "model");
  const auto& tensors = container.tensors();
  ASSERT_EQ(tensors.size(), 4u);
  EXPECT_THAT(tensors.at("numbers").shape, ElementsAre(2, 2));
  EXPECT_EQ(std::memcmp(tensors.at("numbers").bytes.data(), numbers, sizeof numbers), 0);
  EXPECT_EQ(std::memcmp(tensors.at("integers").bytes.data(), integers, sizeof integers), 0);
  EXPECT_EQ(std::memcmp(tensors.at("text").bytes.data(), text.data(), text.size()), 0);
  EXPECT_THAT(tensors.at("nothing").shape, ElementsAre(0, 7));

  const std::string bytes = read_file(path_);
  writer.write(path_);
  EXPECT_EQ(read_file(path_), bytes);
  // The tensors begin at a multiple of eight bytes, those of eight bytes first.
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  EXPECT_EQ(bytes.substr(bytes.size() - 5), text);
}

TEST_F(ContainerTest, AForgedFileWithNothingWrongIsRead) {
  write_file(path_, forge(good_header(), good_data));
  EXPECT_EQ(Container::read(path_, 1).tensors().size(), 2u);
}

TEST_F(ContainerTest, RefusesOffsetsThatDoNotTileTheData) {
  const auto with_offsets = [&](std::vector<std::uint64_t> a, std::vector<std::uint64_t> b) {
    Json header = good_header();
    header["a"]["data_offsets"] = a;
    header["b"]["data_offsets"] = b;
    return refused(header, good_data + "yyyyyyyy");
  };
  EXPECT_THAT(with_offsets({0, 16}, {16, 19}), HasSubstr("end at byte 19 of 27"));
  EXPECT_THAT(with_offsets({0, 16}, {24, 27}), HasSubstr("hole"));
  EXPECT_THAT(with_offsets({11, 27}, {9, 12}), HasSubstr("hole"));
  EXPECT_THAT(with_offsets({8, 24}, {0, 3}), HasSubstr("hole"));
  EXPECT_THAT(with_offsets({0, 16}, {25, 28}), HasSubstr("outside the file"));
  EXPECT_THAT(with_offsets({16, 0}, {16, 19}), HasSubstr("outside the file"));
  EXPECT_THAT(with_offsets({0, std::uint64_t{1} << 63}, {16, 19}), HasSubstr("outside the file"));
  EXPECT_THAT(with_offsets({0, 16}, {16, 17, 19}), HasSubstr("two whole numbers"));
  Json header = good_header();
  header["a"]["data_offsets"] = {0, -16};
  EXPECT_THAT(refused(header), HasSubstr("two whole numbers"));
  header["a"]["data_offsets"] = {0, 16.0};
  EXPECT_THAT(refused(header), HasSubstr("two whole numbers"));
}

TEST_F(ContainerTest, RefusesShapesAndTypesThatDoNotFit) {
  const auto with = [&](const char* key, const Json& value) {
    Json header = good_header();
    header["a"][key] = value;
    return refused(header);
  };
  EXPECT_THAT(with("shape", {3}), HasSubstr("does not fit its bytes"));
  EXPECT_THAT(with("shape", Json::array()), HasSubstr("does not fit its bytes"));
  // 2^32 · 2^32 · 2 elements would wrap around to 2.
  EXPECT_THAT(with("shape", {4294967296u, 4294967296u, 2}), HasSubstr("cannot be"));
  EXPECT_THAT(with("shape", {19, 19, 19, 19}), HasSubstr("larger than the file"));
  EXPECT_THAT(with("shape", {0, 18446744073709551615u}), HasSubstr("cannot be"));
  EXPECT_THAT(with("shape", {-2}), HasSubstr("cannot be"));
  EXPECT_THAT(with("shape", {2.0}), HasSubstr("cannot be"));
  EXPECT_THAT(with("shape", "2"), HasSubstr("not a list"));
  EXPECT_THAT(with("dtype", "F32"), HasSubstr("not F64, I64 or U8"));
  EXPECT_THAT(with("dtype", 7), HasSubstr("not F64, I64 or U8"));
  EXPECT_THAT(with("extra", 1), HasSubstr("does not have a dtype"));
  Json header = good_header();
  header["a"].erase("shape");
  EXPECT_THAT(refused(header), HasSubstr("does not have a dtype"));
  header["a"] = {1, 2};
  EXPECT_THAT(refused(header), HasSubstr("not an object"));
}

TEST_F(ContainerTest, RefusesHeadersThatAreNotOurs) {
  const auto raw = [&](const std::string& text) {
    return refused(little_endian(text.size()) + text);
  };
  EXPECT_THAT(raw("hello"), HasSubstr("not JSON"));
  EXPECT_THAT(raw(""), HasSubstr("not JSON"));
  EXPECT_THAT(raw("{} {}"), HasSubstr("not JSON"));
  EXPECT_THAT(raw("\"\xff\""), HasSubstr("not JSON"));
  EXPECT_THAT(raw("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(raw("{}"), HasSubstr("lacks 'suffice_version'"));
  EXPECT_THAT(raw(R"({"__metadata__": {"suffice_version": 1}})"), HasSubstr("not a string"));
  EXPECT_THAT(raw(R"({"__metadata__": {"suffice_version": "x"}})"), HasSubstr("version is 'x'"));
  EXPECT_THAT(raw(R"({"__metadata__": {"suffice_version": "0"}})"), HasSubstr("version is '0'"));
  EXPECT_THAT(raw(R"({"__metadata__": {"suffice_version": "1"}})"), HasSubstr("header_sha256"));
  EXPECT_THAT(raw(R"({"__metadata__": {"suffice_version": "1", "suffice_version": "1"}})"),
              HasSubstr("'suffice_version' twice"));
  EXPECT_THAT(raw(R"({"a": {"shape": [], "shape": []}})"), HasSubstr("'shape' twice"));
  EXPECT_THAT(raw(R"({"a": {}, "b": {}, "a": {}})"), HasSubstr("'a' twice"));
  EXPECT_THAT(raw(std::string(100000, '[')), HasSubstr("nested too deeply"));
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += R"({"a":)";
  EXPECT_THAT(raw(objects), HasSubstr("nested too deeply"));
}

TEST_F(ContainerTest, RefusesHeaderLengthsBeyondTheFile) {
  EXPECT_THAT(refused(std::string()), HasSubstr("too short"));
  EXPECT_THAT(refused(std::string("1234567")), HasSubstr("too short"));
  EXPECT_THAT(refused(little_endian(1)), HasSubstr("1 bytes long"));
  EXPECT_THAT(refused(std::string(8, '\xff') + "{}"), HasSubstr("18446744073709551615 bytes long"));
}

TEST_F(ContainerTest, ANewerVersionIsSaid) {
  Json header = good_header();
  header["__metadata__"]["suffice_version"] = "2";
  EXPECT_THAT(refused(header), HasSubstr("newer Suffice"));
  write_file(path_, forge(header, good_data));
  EXPECT_NO_THROW(Container::read(path_, 2));
}

TEST_F(ContainerTest, ErrorsNameThePath) {
  try {
    Container::read(folder_ / "absent", 1);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("absent': there is no such file"));
    EXPECT_EQ(error.path(), folder_ / "absent");
  }
  EXPECT_THAT(message_of<FileError>([&] { Container::read(folder_.path(), 1); }),
              HasSubstr("folder"));
  EXPECT_THAT(message_of<FileError>([&] { Container::read("/dev/zero", 1); }),
              HasSubstr("not a regular file"));
}

std::vector<std::span<const std::byte>> pieces(const std::string& text) {
  return {std::as_bytes(std::span(text))};
}

TEST_F(ContainerTest, AFileAppearsWholeWithOrdinaryPermissions) {
  const mode_t before = ::umask(027);
  write_atomically(path_, pieces("one"));
  ::umask(before);
  struct stat status = {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  write_atomically(path_, pieces("two"));
  EXPECT_EQ(read_file(path_), "two");
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_F(ContainerTest, APlainNameIsWrittenIntoTheWorkingFolder) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  write_atomically("plain", pieces("here"));
  std::filesystem::current_path(before);
  EXPECT_EQ(read_file(folder_ / "plain"), "here");
}

TEST_F(ContainerTest, WhatCannotBeWrittenIsLeftAsItWas) {
  EXPECT_THAT(
      message_of<FileError>([&] { write_atomically(folder_ / "no/such/folder", pieces("x")); }),
      HasSubstr("No such file or directory"));
  EXPECT_THAT(message_of<FileError>([&] { write_atomically(folder_.path(), pieces("x")); }),
              HasSubstr("folder"));
  EXPECT_THAT(message_of<FileError>([&] { write_atomically("/dev/null", pieces("x")); }),
              HasSubstr("not a regular file"));
  EXPECT_THAT(message_of<FileError>([&] { write_atomically("", pieces("x")); }),
              HasSubstr("empty"));
  EXPECT_EQ(folder_.entries(), 0u);
}

TEST_F(ContainerTest, WhenThereIsNoMoreRoomTheOldFileStaysAndNoOtherIsLeft) {
  write_atomically(path_, pieces("old"));
  // A limit on the size of files stands in for a full disk.
  struct rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit small = before;
  small.rlim_cur = 1000;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message =
      message_of<FileError>([&] { write_atomically(path_, pieces(std::string(5000, 'x'))); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(message, HasSubstr("File too large"));
  EXPECT_EQ(read_file(path_), "old");
  EXPECT_EQ(folder_.entries(), 1u);
}

}  // namespace
}  // namespace suffice::container_test
