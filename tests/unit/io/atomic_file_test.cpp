#include "io/atomic_file.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "suffice/core/error.hpp"
#include "support/folder.hpp"
#include "support/message_of.hpp"

namespace suffice::atomic_file_test {
namespace {

using testing::Folder;
using ::testing::HasSubstr;
using testing::message_of;
using testing::read_file;
using testing::write_file;

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(AtomicFileTest, PiecesAppearTogether) {
  const Folder folder;
  AtomicFile file(folder / "a");
  file.write(bytes("one "));
  file.write(bytes(""));
  file.write(bytes("two"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  file.commit();
  EXPECT_EQ(read_file(folder / "a"), "one two");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(AtomicFileTest, WithoutCommitNothingRemains) {
  const Folder folder;
  write_file(folder / "a", "old");
  {
    AtomicFile file(folder / "a");
    file.write(bytes("new"));
  }
  EXPECT_EQ(read_file(folder / "a"), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(AtomicFileTest, AnotherFileOfThatNameIsReplaced) {
  const Folder folder;
  write_file(folder / "a", "something longer that was here");
  AtomicFile file(folder / "a");
  file.write(bytes("new"));
  file.commit();
  EXPECT_EQ(read_file(folder / "a"), "new");
}

TEST(AtomicFileTest, ASymbolicLinkStaysAndItsFileIsReplaced) {
  const Folder folder, other;
  write_file(other / "target", "old");
  std::filesystem::create_symlink(other / "target", folder / "link");
  std::filesystem::create_symlink("link", folder / "relative");
  std::filesystem::create_symlink(other / "new", folder / "dangling");
  for (const char* name : {"relative", "dangling"}) {
    AtomicFile file(folder / name);
    file.write(bytes(name));
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(folder / name));
  }
  EXPECT_EQ(read_file(other / "target"), "relative");
  EXPECT_EQ(read_file(other / "new"), "dangling");
  EXPECT_EQ(other.entries(), 2u);

  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_THAT(message_of<FileError>([&] { AtomicFile file(folder / "circle"); }),
              HasSubstr("circle"));
}

TEST(AtomicFileTest, WhatCannotBeMadeIsSaidAtOnce) {
  const Folder folder;
  EXPECT_THAT(message_of<FileError>([&] { AtomicFile file(folder / "no/such/folder"); }),
              HasSubstr("No such file or directory"));
  EXPECT_THAT(message_of<FileError>([&] { AtomicFile file(folder.path()); }),
              HasSubstr("it is a folder"));
  EXPECT_THAT(message_of<FileError>([&] { AtomicFile file("/dev/null"); }),
              HasSubstr("not a regular file"));
}

TEST(AtomicFileTest, AKilledProcessLeavesNoNamedFileWhereTheFileSystemCanDoThat) {
  const Folder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    AtomicFile file(folder / "a");
    file.write(bytes("half"));
    if (folder.entries() == 0) ::kill(::getpid(), SIGKILL);
    ::_exit(42);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status)) {
    GTEST_SKIP() << "the file system of " << folder.path() << " has no files without a name";
  }
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
}  // namespace suffice::atomic_file_test
