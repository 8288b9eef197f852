#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// As the C++ interface has it: towards_tied, covariance 'tied'.
std::string member(const Option& option) {
  return option.value.empty() ? option.name : option.name + " '" + option.value + "'";
}

std::string written(const Option& option, const Spelling& spelling) {
  return spelling.option ? spelling.option(option) : member(option);
}
std::string written(const std::string& words, const Spelling&) { return words; }

Sentence joined(const Sentence& sentence, const Sentence& advice) {
  return advice.empty() ? sentence : sentence + "; " + advice;
}

}  // namespace

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

InvalidArgument::InvalidArgument(const Sentence& sentence, const Sentence& advice)
    : Error(joined(sentence, advice).text()), message_(joined(sentence, advice)) {}

}  // namespace suffice
