#include "cli/line/suggest.hpp"

#include <algorithm>
#include <numeric>

#include "suffice/core/names.hpp"

namespace suffice::cli {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

/// Letters inserted, left out, replaced, or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last.swap(row);
  }
  return last[b.size()];
}

/// The bytes of the character that `text` begins with.
std::size_t character_size(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) ++size;
  return size;
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t longest = 200;  // longer words are not mistyped names
  if (name.empty() || name.size() > longest) return {};
  const std::string wanted = lower(name);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : names) {
    if (candidate.size() > 2 * longest) continue;
    const std::string letters = lower(candidate);
    // Two letters are too few to tell what was mistyped.
    const bool is_beginning = letters.starts_with(wanted);
    if (wanted.size() < 3 && !is_beginning) continue;
    const std::size_t distance = is_beginning ? letters != wanted : edit_distance(wanted, letters);
    if (distance < best_distance && distance < std::max<std::size_t>(1, letters.size())) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& names) {
  if (const std::string near = nearest(name, names); !near.empty())
    return " Did you mean '" + near + "'?";
  if (names.empty()) return {};
  return (names.size() == 1 ? " There is only " : " There are ") + list_for_message(names, 10) +
         ".";
}

bool matches(std::string_view pattern, std::string_view name) {
  // Where it fails after a star, the star takes one character more.
  std::size_t p = 0, n = 0, star = std::string_view::npos, star_name = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      n += character_size(name.substr(n));
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      star_name += character_size(name.substr(star_name));
      n = star_name;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace suffice::cli
