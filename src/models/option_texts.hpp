#pragma once
// The values of estimation options as texts and numbers, and back: what the rows of the table in
// estimate_options.cpp have in common.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suffice/core/error.hpp"
#include "suffice/core/names.hpp"
#include "suffice/models/estimate_options.hpp"

namespace suffice::option_texts {

inline constexpr std::pair<Normalize, std::string_view> normalize_words[] = {
    {Normalize::mle, "mle"}, {Normalize::unbiased, "unbiased"}};
inline constexpr std::pair<Inference, std::string_view> inference_words[] = {
    {Inference::plugin, "plugin"}, {Inference::map, "map"}, {Inference::bayes, "bayes"}};
inline constexpr std::pair<Target, std::string_view> target_words[] = {
    {Target::diag, "diag"}, {Target::spherical, "spherical"}};

inline constexpr std::pair<EventModel, std::string_view> event_words[] = {
    {EventModel::multinomial, "multinomial"},
    {EventModel::complement, "complement"},
    {EventModel::bernoulli, "bernoulli"}};

template <class Enum, std::size_t count>
std::string_view word_of(const std::pair<Enum, std::string_view> (&words)[count], Enum value) {
  for (const auto& [known, word] : words)
    if (known == value) return word;
  return "unknown";
}

// ---- from values to texts and numbers; nothing: not given --------------------------------------

using Written = std::optional<OptionValue>;

inline Written written(double value) { return value; }
inline Written written(bool value) { return value ? Written("yes") : Written(); }
inline Written written(Index value) { return static_cast<double>(value); }
inline Written written(const Pca& pca) {
  return pca.share > 0 ? Written(to_string(pca)) : written(pca.components);
}
inline Written written(const Shrinkage& shrinkage) {
  return shrinkage.kind() == Shrinkage::Kind::share ? Written(shrinkage.value())
                                                    : Written(to_string(shrinkage));
}
inline Written written(const Smoothing& smoothing) {
  return smoothing.is_automatic() ? Written(to_string(smoothing)) : Written(smoothing.value());
}
inline Written written(const Components& components) {
  return components.is_automatic() ? Written(to_string(components)) : written(components.count());
}
inline Written written(const Tails& tails) {
  return tails.is_normal() ? Written(to_string(tails)) : Written(tails.dof());
}
inline Written written(const MeanThreshold& threshold) { return threshold.value; }
inline Written written(const std::vector<double>& values) {
  std::string list;
  for (const double value : values) list += (list.empty() ? "" : ",") + name_of(value);
  return values.empty() ? Written() : Written(list);
}
template <class Enum>
requires std::is_enum_v<Enum> Written written(Enum value) { return std::string(to_string(value)); }
template <class Value>
Written written(const std::optional<Value>& value) {
  return value ? written(*value) : Written();
}

// ---- from texts to values ----------------------------------------------------------------------

/// All of the text as a number, or nothing.
inline std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || read != end || std::isnan(value)) return {};
  return value;
}

[[noreturn]] inline void refuse(const EstimateOption& option, std::string_view text) {
  std::string choices;
  for (const char c : option.values) choices += c == '|' ? std::string(", ") : std::string(1, c);
  throw InvalidArgument(
      Option{std::string(option.name)} + " has no value '" + std::string(text) + "'",
      "choose one of these: " + choices);
}

[[noreturn]] inline void refuse_number(const EstimateOption& option, std::string_view text,
                                       const char* kind) {
  throw InvalidArgument(Option{std::string(option.name)} + " needs " + kind + ", not '" +
                        std::string(text) + "'");
}

template <class Enum, std::size_t count>
void read_word(const std::pair<Enum, std::string_view> (&words)[count], Enum& value,
               std::string_view text, const EstimateOption& option) {
  for (const auto& [known, word] : words)
    if (word == text) {
      value = known;
      return;
    }
  refuse(option, text);
}

inline void read(Normalize& value, std::string_view text, const EstimateOption& option) {
  read_word(normalize_words, value, text, option);
}
inline void read(Inference& value, std::string_view text, const EstimateOption& option) {
  read_word(inference_words, value, text, option);
}
inline void read(Target& value, std::string_view text, const EstimateOption& option) {
  read_word(target_words, value, text, option);
}
inline void read(EventModel& value, std::string_view text, const EstimateOption& option) {
  read_word(event_words, value, text, option);
}
inline void read(Covariance& value, std::string_view text, const EstimateOption& option) {
  using enum Covariance;
  if (text == "auto")
    throw InvalidArgument(
        Option{"covariance", "auto"} + " is chosen with rows, which only fit does",
        "name a structure, such as " + Option{"covariance", "full"} +
            "; select takes several, such as full,tied,diag");
  for (const Covariance known : {full, tied, diag, tied_diag, spherical, tied_spherical})
    if (to_string(known) == text) {
      value = known;
      return;
    }
  refuse(option, text);
}
inline void read(bool& value, std::string_view text, const EstimateOption& option) {
  if (text != "yes" && text != "no") refuse(option, text);
  value = text == "yes";
}
inline void read(double& value, std::string_view text, const EstimateOption& option) {
  const std::optional<double> number = number_in(text);
  if (!number) refuse_number(option, text, "a number");
  value = *number;
}
inline void read(Index& value, std::string_view text, const EstimateOption& option) {
  const std::optional<double> number = number_in(text);
  if (!number || *number != std::floor(*number) || !(std::abs(*number) < 1e15))
    refuse_number(option, text, "a whole number");
  value = static_cast<Index>(*number);
}
inline void read(Pca& value, std::string_view text, const EstimateOption&) {
  value = pca_from_string(text);
}
inline void read(Shrinkage& value, std::string_view text, const EstimateOption& option) {
  if (text == "auto") {
    value = Shrinkage::automatic();
  } else if (text == "oas") {
    value = Shrinkage::oas();
  } else if (text == "loo") {
    throw InvalidArgument(
        Option{"shrinkage", "loo"} + " reads the rows a second time, which only fit does",
        "use " + Option{"shrinkage", "auto"} + ", or a share from 0 to 1");
  } else {
    bool by_rows = false;
    std::string_view digits = text;
    for (const std::string_view unit : {" rows", " row"})
      if (digits.ends_with(unit)) {
        digits.remove_suffix(unit.size());
        by_rows = true;
      }
    const std::optional<double> number = number_in(digits);
    if (!number) refuse(option, text);
    value = by_rows ? Shrinkage::rows(*number) : Shrinkage::share(*number);
  }
}
inline void read(Smoothing& value, std::string_view text, const EstimateOption& option) {
  if (text == "auto") {
    value = Smoothing::automatic();
    return;
  }
  const std::optional<double> number = number_in(text);
  if (!number) refuse(option, text);
  value = *number;
}
inline void read(Components& value, std::string_view text, const EstimateOption& option) {
  if (text == "auto") {
    value = Components::automatic();
    return;
  }
  Index count = 1;
  read(count, text, option);
  if (count < 1)
    throw InvalidArgument(Option{"components"} + " must be at least 1, not " + std::string(text));
  value = count;
}
inline void read(Tails& value, std::string_view text, const EstimateOption& option) {
  if (text == "normal") {
    value = Tails::normal();
    return;
  }
  if (text == "auto")
    throw InvalidArgument(Option{"tails", "auto"} + " is chosen with rows, which only fit does",
                          "use " + Option{"tails", "normal"} +
                              " or a number above 2; select takes several, such as normal,30,8,3");
  const std::optional<double> number = number_in(text);
  if (!number) refuse(option, text);
  value = Tails::student(*number);
}
inline void read(MeanThreshold& threshold, std::string_view text, const EstimateOption& option) {
  if (text == "auto")
    throw InvalidArgument(
        Option{"shrink_means", "auto"} + " is chosen with rows, which only fit does",
        "give a number, 0 or more; select takes several, such as 0,1,2,4");
  read(threshold.value, text, option);
}
inline void read(std::vector<double>& values, std::string_view text, const EstimateOption& option) {
  values.clear();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    read(values.emplace_back(), text.substr(begin, comma - begin), option);
    begin = comma + 1;
  }
}
/// A number; where that is the default, also "auto": not given.
inline void read(std::optional<double>& value, std::string_view text,
                 const EstimateOption& option) {
  if (text != "auto" || option.default_text != "auto") read(value.emplace(), text, option);
}
template <class Value>
void read(std::optional<Value>& value, std::string_view text, const EstimateOption& option) {
  read(value.emplace(), text, option);
}

}  // namespace suffice::option_texts
