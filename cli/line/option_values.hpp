#pragma once
// The text behind a flag as a value. Each throws UsageError that says which flag, which text, and
// what would be right.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/line/error.hpp"
#include "cli/line/options.hpp"

namespace suffice::cli {

/// "a,b,c" without blanks around the names. A name with a comma stands in double quotes. Throws on
/// an empty name.
std::vector<std::string> list_of(std::string_view flag, std::string_view text);

/// A finite number.
double number_of(std::string_view flag, std::string_view text);
std::int64_t whole_number_of(std::string_view flag, std::string_view text, std::int64_t at_least);
std::uint64_t seed_of(std::string_view flag, std::string_view text);
char separator_of(std::string_view flag, std::string_view text);

/// The position of `text` among the words that a flag knows.
std::size_t choice_of(std::string_view flag, std::string_view text,
                      const std::vector<std::string>& words);

/// train, uniform, a=0.9,b=0.1, numbers in the order of the classes, or a file. Names may stand in
/// double quotes, here and in costs.
PriorOption prior_of(std::string_view flag, std::string_view text);
/// A file, or bad>good=5,good>bad=1 (true>decided).
CostOption cost_of(std::string_view flag, std::string_view text);
/// age=poisson,'word*'=multinomial.
std::vector<std::pair<std::string, Family>> families_of(std::string_view flag,
                                                        std::string_view text);
/// price=log,'share*'=logit.
/// "auto" and "none" are for all columns.
std::vector<std::pair<std::string, std::optional<Transform>>> transforms_of(std::string_view flag,
                                                                            std::string_view text);

/// 'visits=gaussian|poisson': columns with several words, which leave `text`. Words are not checked
/// here.
std::vector<ColumnList> column_lists_of(std::string_view flag, std::string& text);

double at_least_zero(std::string_view flag, std::string_view text);
/// Neither end included.
double between_zero_and_one(std::string_view flag, std::string_view text);

}  // namespace suffice::cli
