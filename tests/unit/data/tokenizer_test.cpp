#include "data/tokenizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "data/utf8.hpp"
#include "data/word_break.hpp"
#include "data/word_table.hpp"
#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice::tokenizer_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of;
using Words = std::vector<std::string>;

Words words_of(const std::string& text, const TextOptions& options = {}) {
  Words words;
  Tokenizer(options).read(text, [&](std::string_view word, double) { words.emplace_back(word); });
  return words;
}

Words words_of(const std::string& text, const char* options) {
  return words_of(text, text_options_from_string(options));
}

/// Every segment, words or not.
Words segments_of(const std::string& text) {
  Words segments;
  const char* end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    const Segment segment = next_segment(at, end);
    segments.emplace_back(at, segment.end);
    at = segment.end;
  }
  return segments;
}

/// The words by the rules for segments alone.
Words slow_words_of(const std::string& text) {
  Words words;
  const char* end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    const Segment segment = next_segment(at, end);
    if (segment.is_word)
      append_folded({at, static_cast<std::size_t>(segment.end - at)}, words.emplace_back());
    at = segment.end;
  }
  return words;
}

TEST(Tokenizer, AllCasesOfUnicodesTest) {
  const std::filesystem::path path = "/usr/share/unicode/auxiliary/WordBreakTest.txt";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "no file " << path << "; it is in Debian's package unicode-data";
  std::ifstream file(path);
  int cases = 0;
  for (std::string line; std::getline(file, line);) {
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    std::istringstream marks(line);
    std::string text, mark;
    Words expected;
    while (marks >> mark) {
      if (mark == "÷") {
        expected.emplace_back();
      } else if (mark != "×") {
        utf8::append(static_cast<char32_t>(std::stoul(mark, nullptr, 16)), expected.back());
        utf8::append(static_cast<char32_t>(std::stoul(mark, nullptr, 16)), text);
      }
    }
    expected.pop_back();  // behind the last break
    EXPECT_EQ(segments_of(text), expected) << line;
    ++cases;
  }
  EXPECT_GE(cases, 1823);
}

TEST(Tokenizer, WordsByTheRulesOfUnicode) {
  EXPECT_THAT(
      words_of("The quick (\"brown\") fox can't jump 32.3 feet, right?"),
      ElementsAre("the", "quick", "brown", "fox", "can't", "jump", "32.3", "feet", "right"));
  EXPECT_THAT(words_of("win £1,000 now!! call 08-12_3 a.b.c ___ e."),
              ElementsAre("win", "1,000", "now", "call", "08", "12_3", "a.b.c", "e"));
  EXPECT_THAT(words_of("ÄRGER Σίσυφος ПРИВЕТ"), ElementsAre("ärger", "σίσυφοσ", "привет"));
  EXPECT_THAT(words_of("日本 語"), ElementsAre("日", "本", "語"));
  EXPECT_THAT(words_of("हिन्दी में"), ElementsAre("हिन्दी", "में"));  // vowel signs stay
}

TEST(Tokenizer, NothingIsNoWord) {
  EXPECT_THAT(words_of(""), IsEmpty());
  EXPECT_THAT(words_of(" \n\t .,;!?  -- '"), IsEmpty());
  EXPECT_THAT(words_of("", "chars:2"), IsEmpty());
  EXPECT_THAT(words_of("", "alnum ngrams:1-2"), IsEmpty());
}

TEST(Tokenizer, ZeroBytesEndWords) {
  EXPECT_THAT(words_of(std::string("a\0b", 3)), ElementsAre("a", "b"));
}

TEST(Tokenizer, WhatIsNotUtf8EndsWordsOrIsReplaced) {
  EXPECT_THAT(words_of("caf\xE9 au lait"), ElementsAre("caf", "au", "lait"));
  EXPECT_THAT(words_of("a\xC3"), ElementsAre("a"));
  EXPECT_THAT(words_of("a\xED\xA0\x80"
                       "b \xF4\x90\x80\x80 c \xC0\xAF"),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(words_of("caf\xE9 au", "whitespace"), ElementsAre("caf\xEF\xBF\xBD", "au"));
}

TEST(Tokenizer, TheFastPathAgreesWithTheRules) {
  const std::uint32_t seed = 7;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const Words pieces = {"a", "B",      "z",          "0",      "9",      "_",  "'",  "\"",
                        ".", ",",      ";",          ":",      " ",      "  ", "\n", "\r\n",
                        "-", "é",      "É",          "א",      "\u0308", "日", "カ", "🇩",
                        "🇪", "\u200D", "\U0001F6D1", "\u00B7", "\xFF"};
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const std::size_t length = random() % 9;
    // Mostly ASCII, so that both paths take turns.
    for (std::size_t i = 0; i < length; ++i)
      text += pieces[random() % (random() % 3 ? 17 : pieces.size())];
    ASSERT_EQ(words_of(text), slow_words_of(text)) << ::testing::PrintToString(text);
  }
}

TEST(Tokenizer, LongDocuments) {
  // More words than are handed out at a time, and more text than is looked at at a time.
  std::string text;
  std::vector<std::string> words, pairs;
  for (int i = 0; i < 5000; ++i) {
    const std::string number = std::to_string(i * 7919);
    const bool is_ascii = i % 97 != 5;
    text += (is_ascii ? "Word" : "W\u00d6rd") + number + (i % 11 == 3 ? ". " : " ");
    words.push_back((is_ascii ? "word" : "w\u00f6rd") + number);
    if (i > 0) pairs.push_back(words[words.size() - 2] + " " + words.back());
  }
  EXPECT_EQ(words_of(text, "words"), words);
  EXPECT_EQ(words_of(text, "words min-length:2"), words);
  EXPECT_EQ(words_of(text, "words ngrams:2"), pairs);
  EXPECT_EQ(words_of(std::string(10000, 'a') + " b", "words"),
            (std::vector<std::string>{std::string(10000, 'a'), "b"}));
}

TEST(Tokenizer, RunsOfLettersAndDigits) {
  EXPECT_THAT(words_of("Don't 3.14 foo_bar Ünïcode", "alnum"),
              ElementsAre("don", "t", "3", "14", "foo_bar", "ünïcode"));
  EXPECT_THAT(words_of("Don't 3.14", "alnum case min-length:2"), ElementsAre("Don", "14"));
}

TEST(Tokenizer, WhiteSpace) {
  EXPECT_THAT(words_of(" :-)  Foo,\u2003bar\u00A0", "whitespace"),
              ElementsAre(":-)", "foo,", "bar"));
}

TEST(Tokenizer, SequencesOfWords) {
  EXPECT_THAT(words_of("to be or", "words ngrams:1-2"),
              ElementsAre("to", "be", "to be", "or", "be or"));
  EXPECT_THAT(words_of("to be or", "words ngrams:3"), ElementsAre("to be or"));
  EXPECT_THAT(words_of("to be", "words ngrams:3"), IsEmpty());
}

TEST(Tokenizer, SequencesDoNotCrossDocuments) {
  Tokenizer tokenizer(text_options_from_string("words ngrams:2"));
  Words words;
  const auto use = [&](std::string_view word, double) { words.emplace_back(word); };
  tokenizer.read("one two", use);
  tokenizer.read("three four", use);
  EXPECT_THAT(words, ElementsAre("one two", "three four"));
}

TEST(Tokenizer, SequencesOfCharacters) {
  EXPECT_THAT(words_of("Añ  b", "chars:2-3"), ElementsAre("añ", "ñ ", "añ ", " b", "ñ b"));
}

TEST(Tokenizer, MinLengthCountsCharacters) {
  EXPECT_THAT(words_of("é ab ñandú", "words min-length:2"), ElementsAre("ab", "ñandú"));
}

TEST(Tokenizer, Pairs) {
  std::vector<std::pair<std::string, double>> found;
  Tokenizer tokenizer(text_options_from_string("pairs"));
  tokenizer.read("Free:2 a:b:1.5 none:0",
                 [&](std::string_view word, double count) { found.emplace_back(word, count); });
  EXPECT_THAT(found, ElementsAre(std::pair("free", 2.0), std::pair("a:b", 1.5)));
  for (const char* wrong : {"free", "free:", ":3", "free:-1", "free:x", "free:inf", "free:nan"})
    EXPECT_THROW(tokenizer.read(wrong, [](std::string_view, double) {}), DataError) << wrong;
}

TEST(Tokenizer, HashedWordsAreFewAndStable) {
  const TextOptions options = text_options_from_string("words hash-bits:4");
  WordTable table;
  for (int i = 0; i < 1000; ++i) table.add(words_of("w" + std::to_string(i), options).at(0));
  EXPECT_EQ(table.size(), 16);
}

TEST(TextOptions, WrittenAndRead) {
  for (const char* text : {"words", "chars:3-5", "alnum ngrams:1-2 case min-length:2 presence",
                           "whitespace hash-bits:18", "pairs"})
    EXPECT_EQ(to_string(text_options_from_string(text)), text);
}

TEST(TextOptions, MistakesAreNamed) {
  for (const char* wrong : {"", "sentences", "chars", "chars:0-2", "chars:3-2", "words ngrams:0",
                            "words ngrams:1-99", "words min-length:0", "words hash-bits:40",
                            "pairs ngrams:2", "words lower", "chars:2 ngrams:3"})
    EXPECT_THROW(text_options_from_string(wrong), InvalidArgument) << wrong;
  EXPECT_THAT(message_of([] { text_options_from_string("sentences"); }), HasSubstr("alnum"));
}

TEST(WordTable, NumbersWordsInTheOrderInWhichTheyCome) {
  WordTable table;
  EXPECT_EQ(table.find("x"), -1);
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(table.add("word" + std::to_string(i * i)), i);
  EXPECT_EQ(table.add("word49"), 7);
  EXPECT_EQ(table.add(""), 5000);
  EXPECT_EQ(table.find(""), 5000);
  EXPECT_EQ(table.find("word50"), -1);
  EXPECT_EQ(table[7], "word49");
  EXPECT_EQ(table.size(), 5001);
}

}  // namespace
}  // namespace suffice::tokenizer_test
