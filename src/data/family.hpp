#pragma once
// What reading, summing and scoring rows must know of a family. Each family is described once,
// here; its density is described in models/feature_family.hpp.

#include <array>
#include <cmath>
#include <string_view>

#include "core/kernels.hpp"
#include "suffice/data/schema.hpp"

namespace suffice {

/// The sums that a family is estimated from: which BlockStatistics its blocks have.
enum class SumsKind {
  gaussian,     ///< GaussianStatistics
  counts,       ///< CountStatistics
  categorical,  ///< CategoricalStatistics
  text,         ///< TextStatistics
};

/// Why a document refuses a missing value.
inline constexpr std::string_view missing_word =
    "a missing word count has no meaning: write 0 for a word that does not occur";

struct FamilyDescription {
  std::string_view name = {};
  SumsKind sums = SumsKind::gaussian;
  kernels::Check check = kernels::Check::finite;  ///< the numbers that it can have
  /// The features of a row are the words of one document: none is missing, and there is no weight
  /// per feature.
  bool documents = false;
  std::string_view values = {};  ///< what it can have, for a message about something else
  std::string_view advice = {};  ///< what to do about it
  std::string_view sum_is = {};  ///< what Σ w x is, for people
};

constexpr FamilyDescription describe(Family family) {
  using enum Family;
  switch (family) {
    case gaussian:
      return {.name = "gaussian"};
    case bernoulli:
      return {.name = "bernoulli",
              .sums = SumsKind::counts,
              .check = kernels::Check::zero_or_one,
              .values = "a Bernoulli feature is 0 or 1",
              .advice =
                  "use the family categorical, poisson for counts or gaussian for "
                  "measurements, or make it binary",
              .sum_is = "rows with 1"};
    case categorical:
      return {.name = "categorical", .sums = SumsKind::categorical};
    case poisson:
      return {.name = "poisson",
              .sums = SumsKind::counts,
              .check = kernels::Check::count,
              .values = "poisson counts are whole numbers from 0 on",
              .advice = "use the family gaussian for other numbers",
              .sum_is = "sum of the counts"};
    case multinomial:
      // The model is linear in its counts, so they need not be whole: tf-idf weights are not.
      return {.name = "multinomial",
              .sums = SumsKind::counts,
              .check = kernels::Check::not_negative,
              .documents = true,
              .values = "multinomial counts are finite numbers from 0 on",
              .advice = "use the family gaussian for other numbers",
              .sum_is = "sum of the counts"};
    case exponential:
      return {.name = "exponential",
              .sums = SumsKind::counts,
              .check = kernels::Check::not_negative,
              .values = "exponential waiting times are finite numbers from 0 on",
              .advice = "use the family gaussian for other numbers",
              .sum_is = "sum of the waiting times"};
    case text:
      return {.name = "text", .sums = SumsKind::text};
  }
  return {};  // no family
}

inline constexpr std::size_t family_count = [] {
  std::size_t count = 0;
  while (!describe(static_cast<Family>(count)).name.empty()) ++count;
  return count;
}();

inline constexpr auto all_families = [] {
  std::array<Family, family_count> families{};
  for (std::size_t i = 0; i < family_count; ++i) families[i] = static_cast<Family>(i);
  return families;
}();

/// Whether a number passes the check.
inline bool is_possible(kernels::Check check, double x) noexcept {
  switch (check) {
    case kernels::Check::finite:
      return std::isfinite(x);
    case kernels::Check::zero_or_one:
      return x == 0 || x == 1;
    case kernels::Check::count:
      return x >= 0 && std::isfinite(x) && x == std::floor(x);
    case kernels::Check::not_negative:
      return x >= 0 && std::isfinite(x);
  }
  return false;
}

}  // namespace suffice
