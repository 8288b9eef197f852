#include "cli/line/verb.hpp"

#include <algorithm>

#include "cli/line/flags.hpp"

namespace suffice::cli {

const Flag* Verb::find(std::string_view flag) const {
  for (const FlagGroup& group : flags)
    for (const Flag& own : group.flags)
      if (own.name() == flag || own.short_name() == flag) return &own;
  return nullptr;
}

std::vector<Verb> with_common_flags(std::vector<Verb> verbs) {
  for (Verb& verb : verbs) {
    if (!verb.output.kind.empty()) {
      const FlagGroup group = output_flag(verb.output);
      const auto others = std::ranges::find(verb.flags, group.heading, &FlagGroup::heading);
      verb.flags.insert(others, group);
    }
    verb.flags.push_back(common_flags());
  }
  return verbs;
}

bool Command::has(std::string_view flag) const {
  return std::ranges::find(given, flag) != given.end();
}

}  // namespace suffice::cli
