#pragma once
// The kinds of sums in the answer of a query, per class and part of its rows.

#include <array>
#include <optional>
#include <string_view>

namespace suffice {

enum class AnswerKind {
  rows,            ///< of the table
  weight,          ///< of the rows; with i: of those in which feature i is present
  squared_weight,  ///< Σ w²
  bad_rows,        ///< rows with something that cannot be summed up
  first_bad,       ///< the smallest number of what is wrong in them
  center,          ///< c_i
  sum,             ///< Σ w x_i of counts
  deviation,       ///< Σ w (x_i − c_i)
  product,         ///< Σ w (x_i − c_i)(x_j − c_j)
};

inline constexpr std::array<std::string_view, 9> answer_kinds = {
    "rows",   "weight", "squared_weight", "bad_rows", "first_bad",
    "center", "sum",    "deviation",      "product"};

constexpr std::string_view to_string(AnswerKind kind) {
  return answer_kinds[static_cast<std::size_t>(kind)];
}

constexpr std::optional<AnswerKind> answer_kind_of(std::string_view name) {
  for (std::size_t k = 0; k < answer_kinds.size(); ++k)
    if (answer_kinds[k] == name) return static_cast<AnswerKind>(k);
  return std::nullopt;
}

}  // namespace suffice
