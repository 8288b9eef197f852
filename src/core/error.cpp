#include "suffice/core/error.hpp"

#include <charconv>
#include <utility>

#include "suffice/core/names.hpp"

namespace suffice {
namespace {

/// As the C++ interface has it: covariance 'tied', shrinkage 0.
std::string member(const Option& option) {
  if (option.value.empty()) return option.name;
  return option.name + (option.is_number() ? " " + option.value : " '" + option.value + "'");
}

std::string written(const Option& option, const Spelling& spelling) {
  return spelling.option ? spelling.option(option) : member(option);
}

std::string written(const std::string& words, const Spelling&) { return words; }

/// "place: sentence; advice", without the parts that are empty.
template <class Text>
Text joined(const std::string& place, const Text& sentence, const Text& advice) {
  const Text all = place.empty() ? sentence : Text(place + ": ") + sentence;
  return advice.empty() ? all : all + Text("; ") + advice;
}

}  // namespace

bool Option::is_number() const {
  double number = 0;
  const char* const last = value.data() + value.size();
  const auto [end, error] = std::from_chars(value.data(), last, number);
  return error == std::errc() && end == last;
}

Sentence::Sentence(std::string words) {
  if (!words.empty()) pieces_.emplace_back(std::move(words));
}

Sentence::Sentence(Option option) { pieces_.emplace_back(std::move(option)); }

std::string Sentence::text(const Spelling& spelling) const {
  std::string result;
  for (const auto& piece : pieces_)
    result += std::visit([&](const auto& part) { return written(part, spelling); }, piece);
  return result;
}

Sentence& Sentence::operator+=(const Sentence& more) {
  pieces_.insert(pieces_.end(), more.pieces_.begin(), more.pieces_.end());
  return *this;
}

Sentence operator+(Sentence first, const Sentence& second) { return std::move(first += second); }

std::string Place::text(const Spelling& spelling) const {
  std::vector<std::string> parts;
  if (!path.empty() && line > 0)
    parts.push_back(path + ":" + std::to_string(line) +
                    (column > 0 && features.empty() ? ":" + std::to_string(column) : ""));
  else if (!path.empty() && row >= 0)
    parts.push_back(path + ", row " + std::to_string(row + 1));
  else if (row >= 0)
    parts.push_back("row " + std::to_string(row));
  if (!label.empty()) parts.push_back("class '" + label + "'");
  if (!features.empty())
    parts.push_back(std::string(spelling.feature) + (features.size() > 1 ? "s " : " ") +
                    list_for_message(features));
  std::string result;
  for (const std::string& part : parts) result += (result.empty() ? "" : ", ") + part;
  return result;
}

Error::Error(Sentence sentence, Sentence advice)
    : Error(Place(), std::move(sentence), std::move(advice)) {}

Error::Error(Place where, Sentence sentence, Sentence advice)
    : runtime_error(joined(where.text(), sentence.text(), advice.text())),
      content_(std::make_shared<const Content>(
          Content{std::move(where), std::move(sentence), std::move(advice)})) {}

Sentence Error::message() const { return joined(where().text(), sentence(), advice()); }

std::string Error::text(const Spelling& spelling) const {
  return joined(where().text(spelling), sentence().text(spelling), advice().text(spelling));
}

SingularError::SingularError(Place where, std::ptrdiff_t rank, std::ptrdiff_t dimension,
                             Sentence sentence, Sentence advice)
    : Error(std::move(where), std::move(sentence), std::move(advice)),
      rank_(rank),
      dimension_(dimension) {}

SingularError SingularError::advising(Sentence advice) const {
  return {where(), rank_, dimension_, sentence(), std::move(advice)};
}

FileError::FileError(Place where, Sentence sentence, Sentence advice)
    : Error(std::move(where), std::move(sentence), std::move(advice)) {}

}  // namespace suffice
