#include "cli/output/terminal.hpp"

#include <gmock/gmock.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

namespace suffice::cli {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// What `work` writes, with both streams on a terminal of 80 columns.
std::string on_a_terminal(const std::function<void()>& work) {
  struct winsize size = {24, 80, 0, 0};
  int screen = -1;
  const pid_t child = ::forkpty(&screen, nullptr, nullptr, &size);
  if (child == 0) {
    work();
    ::_exit(0);
  }
  std::string text;
  char piece[4096];
  for (ssize_t count; (count = ::read(screen, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(count));
  ::close(screen);
  ::waitpid(child, nullptr, 0);
  return text;
}

/// What `work` writes to standard output and standard error together, which are a pipe.
std::string on_a_pipe(const std::function<void()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[1]);
    work();
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  char piece[4096];
  for (ssize_t count; (count = ::read(ends[0], piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(count));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return text;
}

void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(600)); }

TEST(TerminalTest, AProgressLineIsDrawnAndTakenAway) {
  const std::string text = on_a_terminal([] {
    Terminal terminal(false, false);
    wait();
    terminal.progress("reading", {.bytes = 250000000, .total_bytes = 1000000000, .rows = 1234567});
    terminal.print("done\n");
  });
  EXPECT_THAT(text, AllOf(HasSubstr("reading  250 MB of 1.0 GB  1,234,567 rows  "),
                          HasSubstr("rows/s"), HasSubstr(" s left")));
  EXPECT_THAT(text, EndsWith("\r\033[Kdone\r\n"));
}

TEST(TerminalTest, ProgressWaitsHalfASecondAndKeepsQuiet) {
  EXPECT_EQ(on_a_terminal([] {
              Terminal terminal(false, false);
              terminal.progress("reading", {.bytes = 1, .total_bytes = 2, .rows = 3});
            }),
            "");
  EXPECT_EQ(on_a_terminal([] {
              Terminal terminal(true, false);
              wait();
              terminal.progress("reading", {.bytes = 1, .total_bytes = 2, .rows = 3});
            }),
            "");
  EXPECT_EQ(on_a_pipe([] {
              Terminal terminal(false, false);
              wait();
              terminal.progress("reading", {.bytes = 1, .total_bytes = 2, .rows = 3});
            }),
            "");
}

TEST(TerminalTest, ColourIsForTerminalsWithoutNoColor) {
  const auto bold = [] {
    Terminal terminal(false, false);
    terminal.print(terminal.styled("word", Style::bold));
  };
  EXPECT_EQ(on_a_pipe(bold), "word");
  EXPECT_EQ(on_a_terminal([&] {
              ::unsetenv("NO_COLOR");
              ::setenv("TERM", "xterm", 1);
              bold();
            }),
            "\033[1mword\033[0m");
  EXPECT_EQ(on_a_terminal([&] {
              ::setenv("NO_COLOR", "1", 1);
              bold();
            }),
            "word");
}

TEST(TerminalTest, NotesAndWarningsKnowQuietAndJson) {
  const auto speak = [](bool quiet, bool json) {
    return on_a_pipe([=] {
      Terminal terminal(quiet, json);
      terminal.note("a note");
      terminal.warn("careful");
      terminal.error("wrong");
      terminal.print(std::to_string(terminal.warnings().size()) + "\n");
    });
  };
  EXPECT_EQ(speak(false, false), "a note\nwarning: careful\nsuffice: wrong\n1\n");
  EXPECT_EQ(speak(true, false), "suffice: wrong\n1\n");
  EXPECT_EQ(speak(false, true), "warning: careful\nsuffice: wrong\n1\n");
}

}  // namespace
}  // namespace suffice::cli
