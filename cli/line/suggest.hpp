#pragma once
// The name that was probably meant.

#include <string>
#include <string_view>
#include <vector>

namespace suffice::cli {

/// The name among `names` that is nearest to `name`; empty where none is near. Near is a name that
/// begins with `name`, or one that few changes of letters lead to.
std::string nearest(std::string_view name, const std::vector<std::string>& names);
/// " Did you mean 'species'?", or a list of what there is.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& names);
/// Shell patterns with * and ?. One ? is one character, however many bytes it has.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace suffice::cli
