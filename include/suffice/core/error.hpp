#pragma once
// The ways in which a call can fail. An error is data: where it is, what is wrong, and what to do.
// what() is written from these as "place: sentence; advice". An edge (the command line, Python)
// writes the same data in its own words, and moves the place; nobody edits text.
//
//   throw DataError({.row = i, .features = {name}}, "the value is missing", "fill it in");
//   throw InvalidArgument("there are no rows", "use " + Option{"covariance", "diag"});

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace suffice {

/// An option in a message, by its name (as in the table of options), and a value for it where one
/// is meant. Each edge writes it as its users do: `--towards-tied 0`, `towards_tied=0`.
struct Option {
  std::string name;
  std::string value = {};
  bool is_number() const;  ///< of the value
};

/// How an edge writes messages.
struct Spelling {
  std::string (*option)(const Option&) = nullptr;  ///< null: towards_tied, covariance 'tied'
  std::string_view feature = "feature";            ///< what a feature is called
};

/// Part of a message: words, and options that are data until an edge writes them.
class Sentence {
 public:
  Sentence() = default;
  Sentence(const char* words) : Sentence(std::string(words)) {}
  Sentence(std::string words);
  Sentence(Option option);

  bool empty() const noexcept { return pieces_.empty(); }
  std::string text(const Spelling& spelling = {}) const;
  Sentence& operator+=(const Sentence& more);

 private:
  std::vector<std::variant<std::string, Option>> pieces_;
};
Sentence operator+(Sentence first, const Sentence& second);

/// Where something is wrong. What is unknown is empty, 0 or -1.
struct Place {
  std::string path = {};    ///< of a file
  std::size_t line = 0;     ///< of the file, from 1
  std::size_t column = 0;   ///< in the line, from 1: a cell, or a character
  std::ptrdiff_t row = -1;  ///< of the rows that were given, from 0; messages about files add 1
  std::string label = {};   ///< the class
  std::vector<std::string> features = {};

  /// "train.csv:17", "train.parquet, row 3", "row 7, class 'cat', feature 'age'". A file as a whole
  /// is the subject of its sentence and is not repeated here.
  std::string text(const Spelling& spelling = {}) const;
};

/// The base of everything that this library throws on purpose.
class Error : public std::runtime_error {
 public:
  explicit Error(Sentence sentence, Sentence advice = {});
  explicit Error(Place where, Sentence sentence, Sentence advice = {});

  const Place& where() const noexcept { return content_->where; }
  const Sentence& sentence() const noexcept { return content_->sentence; }  ///< what is wrong
  const Sentence& advice() const noexcept { return content_->advice; }      ///< what to do
  /// All of it as part of another message: "place: sentence; advice".
  Sentence message() const;
  /// What an edge shows.
  std::string text(const Spelling& spelling) const;

 private:
  struct Content {
    Place where;
    Sentence sentence, advice;
  };
  std::shared_ptr<const Content> content_;  ///< shared, so that copies of an error cannot throw
};

/// The caller's mistake: an option, a shape or a name that cannot be right whatever the data.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// Data that the family cannot describe: an infinity, a count that is not whole, a negative weight.
class DataError : public Error {
 public:
  using Error::Error;
};

/// A covariance that has no inverse. `features` are those which are linear combinations of the
/// features before them; leaving them out, or a structure that needs less, is the way out.
class SingularError : public Error {
 public:
  SingularError(Place where, std::ptrdiff_t rank, std::ptrdiff_t dimension, Sentence sentence,
                Sentence advice = {});

  /// The class; empty where the covariance is shared by all classes.
  const std::string& label() const noexcept { return where().label; }
  std::ptrdiff_t rank() const noexcept { return rank_; }
  std::ptrdiff_t dimension() const noexcept { return dimension_; }
  const std::vector<std::string>& features() const noexcept { return where().features; }
  /// The same with other advice.
  SingularError advising(Sentence advice) const;

 private:
  std::ptrdiff_t rank_;
  std::ptrdiff_t dimension_;
};

/// A file that cannot be read or written. Line and column count from 1; 0 is unknown.
class FileError : public Error {
 public:
  explicit FileError(Place where, Sentence sentence, Sentence advice = {});

  const std::string& path() const noexcept { return where().path; }
  std::size_t line() const noexcept { return where().line; }
  std::size_t column() const noexcept { return where().column; }
};

/// The caller's stop token was triggered. What the call would have changed is unchanged.
class Cancelled : public Error {
 public:
  Cancelled() : Error("the work was cancelled") {}
};

}  // namespace suffice
