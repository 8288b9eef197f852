#pragma once
// The ways in which a call can fail. Each carries, beside the sentence for a person, what a program
// needs to react: the class, the feature, the row, the file.

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace suffice {

/// The base of everything that this library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option in a message, by its name, and a value for it where one is meant. Each edge writes it
/// as its users do: `--towards-tied 0`, `towards_tied=0`.
struct Option {
  std::string name;
  std::string value = {};
};

/// How an edge writes messages.
struct Spelling {
  std::string (*option)(const Option&) = nullptr;  ///< null: towards_tied, covariance 'tied'
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

/// The caller's mistake: an option, a shape or a name that cannot be right whatever the data.
class InvalidArgument : public Error {
 public:
  /// What is wrong, and what to do about it.
  explicit InvalidArgument(const Sentence& sentence, const Sentence& advice = {});

  /// All of it, as part of another message: "sentence; advice".
  const Sentence& message() const noexcept { return message_; }
  /// What an edge shows.
  std::string text(const Spelling& spelling) const { return message_.text(spelling); }

 private:
  Sentence message_;
};

/// Where in the data something was wrong. Unknown parts are empty (or -1).
struct DataLocation {
  std::ptrdiff_t row = -1;  ///< row of the block, from 0
  std::string feature = {};
  std::string label = {};
};

/// Data that the family cannot describe: an infinity, a count that is not whole, a negative weight.
class DataError : public Error {
 public:
  explicit DataError(const std::string& message, DataLocation where = {})
      : Error(message), where_(std::move(where)) {}
  const DataLocation& where() const noexcept { return where_; }

 private:
  DataLocation where_;
};

/// A covariance that has no inverse. `features` are those which are linear combinations of the
/// features before them; leaving them out, or a structure that needs less, is the way out.
class SingularError : public Error {
 public:
  SingularError(const std::string& message, std::string label, std::ptrdiff_t rank,
                std::ptrdiff_t dimension, std::vector<std::string> features)
      : Error(message),
        label_(std::move(label)),
        rank_(rank),
        dimension_(dimension),
        features_(std::move(features)) {}
  /// The class; empty where the covariance is shared by all classes.
  const std::string& label() const noexcept { return label_; }
  std::ptrdiff_t rank() const noexcept { return rank_; }
  std::ptrdiff_t dimension() const noexcept { return dimension_; }
  const std::vector<std::string>& features() const noexcept { return features_; }

 private:
  std::string label_;
  std::ptrdiff_t rank_;
  std::ptrdiff_t dimension_;
  std::vector<std::string> features_;
};

/// A file that cannot be read or written. Line and column count from 1; 0 is unknown.
class FileError : public Error {
 public:
  FileError(const std::string& message, std::string path, std::size_t line = 0,
            std::size_t column = 0)
      : Error(message), path_(std::move(path)), line_(line), column_(column) {}
  const std::string& path() const noexcept { return path_; }
  std::size_t line() const noexcept { return line_; }
  std::size_t column() const noexcept { return column_; }

 private:
  std::string path_;
  std::size_t line_;
  std::size_t column_;
};

/// The caller's stop token was triggered. What the call would have changed is unchanged.
class Cancelled : public Error {
 public:
  Cancelled() : Error("the work was cancelled") {}
};

}  // namespace suffice
