#pragma once
// Pieces of text that several targets write.

#include <string>
#include <string_view>
#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

/// The shortest digits that read back as the same double: "0.1". Finite numbers only.
std::string decimal_text(double value);
/// The same with an exponent, which makes SQL's literals doubles: "1e-01".
std::string exponent_text(double value);
/// "0x1.8p+1". Finite numbers only.
std::string hexadecimal_text(double value);

/// Whether bytes are UTF-8, without surrogates and overlong forms.
bool is_utf8(std::string_view text);
/// Printable ASCII of one line, everything else replaced: for comments.
std::string comment_text(std::string_view text);
/// `text` with each `from` replaced.
std::string replaced(std::string_view text, std::string_view from, std::string_view to);

/// The columns first, first + 1, …; false: they are not consecutive.
bool is_run(const std::vector<Index>& columns);

}  // namespace suffice
