#pragma once
// What the readers share: a number where the file has text, and the sentence for text that is no
// number.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/readers/source.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {

/// The number that a text cell says, NaN where it says that there is none, nothing where it is a
/// word. `words`: true and false, in capitals or not, are 1 and 0.
std::optional<double> number_in(std::string_view cell, const MissingTokens& missing, bool words);

/// The level that a text cell names: true and false, also in capitals, are the booleans of typed
/// files; anything else is itself.
std::string_view level_of(std::string_view cell) noexcept;

/// A cell for a message: short, and without control characters.
std::string shown(std::string_view cell);

/// What is wrong with a word in a column of numbers.
std::string not_a_number(std::string_view cell);
/// What would make it right.
Sentence numbers_advice(const std::string& column, const Target& target, std::string_view cell);

/// Throws the FileError for a word in a column of numbers. Rows count from 0.
[[noreturn]] void refuse_word(const std::string& path, std::int64_t row, const std::string& column,
                              const Target& target, std::string_view cell);

/// The value of IEEE's 16-bit format.
float half_to_float(std::uint16_t bits) noexcept;

}  // namespace suffice::cli
