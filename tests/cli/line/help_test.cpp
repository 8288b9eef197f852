#include "cli/line/help.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "cli/line/parse.hpp"

namespace suffice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

/// Characters of the widest line.
std::size_t width(const std::string& text) {
  std::size_t widest = 0;
  for (const std::string& line : lines(text))
    widest = std::max(widest,
                      static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
                        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
                      })));
  return widest;
}

std::set<std::string_view> flags_of(const Verb& verb) {
  std::set<std::string_view> names;
  for (const FlagGroup& group : verb.flags)
    for (const Flag& flag : group.flags) names.insert(flag.name());
  return names;
}

TEST(HelpTest, TheProgramsHelpFitsAScreen) {
  const std::string text = answer("--help");
  EXPECT_LE(lines(text).size(), 24u);
  EXPECT_LE(width(text), 80u);
  for (const Verb& verb : verbs()) EXPECT_THAT(text, HasSubstr(std::string(verb.name)));
  EXPECT_EQ(answer("-h"), text);
  EXPECT_EQ(answer("help"), text);
}

TEST(HelpTest, TheExamplesOfTheHelpAreRightCommands) {
  int examples = 0;
  for (std::string line : lines(answer("--help"))) {
    const std::size_t begin = line.find("suffice ");
    if (!line.starts_with("  ") || begin == std::string::npos) continue;
    line = line.substr(begin + 8);
    EXPECT_NO_THROW(parse(line.substr(0, line.find(" |")))) << line;
    ++examples;
  }
  EXPECT_EQ(examples, 3);
}

TEST(HelpTest, EachVerbShowsItsFlagsAndNoOthers) {
  for (const Verb& verb : verbs()) {
    const std::string text = answer(std::string(verb.name) + " --help");
    EXPECT_LE(width(text), 80u) << verb.name;
    EXPECT_THAT(text, HasSubstr("Everywhere"));
    const std::set<std::string_view> own = flags_of(verb);
    for (const Verb& other : verbs())
      for (const std::string_view name : flags_of(other))
        if (!own.contains(name)) {
          EXPECT_THAT(text, Not(HasSubstr("\n  " + std::string(name) + ' '))) << verb.name;
        }
    for (const std::string_view name : own) EXPECT_THAT(text, HasSubstr(std::string(name)));
  }
  EXPECT_EQ(answer("help fit"), answer("fit --help"));
  EXPECT_EQ(answer("fit a.csv --covarianse --help"), answer("fit --help"));
}

TEST(HelpTest, AVerbHasEachFlagOnce) {
  for (const Verb& verb : verbs()) {
    std::set<std::string_view> seen;
    for (const FlagGroup& group : verb.flags)
      for (const Flag& flag : group.flags)
        EXPECT_TRUE(seen.insert(flag.name()).second) << verb.name << ' ' << flag.name();
  }
}

TEST(HelpTest, FlagsOfOneHeadingStandTogether) {
  for (const Verb& verb : verbs()) {
    std::set<std::string_view> seen;
    std::string_view last;
    for (const FlagGroup& group : verb.flags) {
      EXPECT_TRUE(group.heading == last || seen.insert(group.heading).second)
          << verb.name << ' ' << group.heading;
      last = group.heading;
    }
  }
}

TEST(HelpTest, ThePageHasEveryVerbAndEveryFlag) {
  const std::string page = command_line_page(verbs());
  EXPECT_EQ(answer("--help-markdown"), page);
  for (const Verb& verb : verbs())
    EXPECT_THAT(page, HasSubstr("\n## " + std::string(verb.name) + "\n"));
  for (const Verb& verb : verbs())
    for (const std::string_view name : flags_of(verb))
      EXPECT_THAT(page, HasSubstr(std::string(name)));
}

TEST(HelpTest, TheVersionIsOneLine) {
  EXPECT_THAT(answer("--version"), ::testing::MatchesRegex("suffice [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

}  // namespace
}  // namespace suffice::cli
