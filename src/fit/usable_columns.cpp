#include "fit/usable_columns.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fit/changed_sample.hpp"
#include "fit/some_columns.hpp"

namespace suffice {
namespace {

constexpr double fewest_values = 3;

}  // namespace

void leave_out_empty_columns(Training& training) {
  Gathered& gathered = training.gathered;
  const Schema schema = gathered.statistics.schema();
  const Vector missing = gathered.statistics.missing();
  const double rows = gathered.statistics.weights().map().sum();
  std::vector<Index> kept;
  std::vector<std::string> empty, few;
  for (Index j = 0; j < missing.size(); ++j) {
    const double values = rows - missing[j];
    if (!(missing[j] > 0) || values >= fewest_values)
      kept.push_back(j);
    else
      (values > 0 ? few : empty).push_back(schema.feature(j).name);
  }
  if (kept.empty() || std::ssize(kept) == missing.size()) return;
  const auto say = [&](const std::vector<std::string>& names, std::string_view why) {
    if (!names.empty())
      training.note(list_for_message(names) + (names.size() == 1 ? " has " : " have ") +
                    std::string(why) +
                    (names.size() == 1 ? ": it is left out." : ": they are left out."));
  };
  say(empty, "no value");
  say(few, "fewer than three values");

  const Schema some = schema.subset(kept);
  if (gathered.sample) gathered.sample = with_columns(*gathered.sample, schema, some);
  const bool again = training.can_read_again();
  if (gathered.source) gathered.source = std::make_shared<SomeColumns>(gathered.source, some);
  if (again) {
    gathered.statistics = gather_again(gathered, some, training.options, training.execution);
    return;
  }
  gathered.statistics = subset(gathered.statistics, kept);
  if (scatter_of(gathered.statistics) != Scatter::diagonal)
    gathered.statistics = with_scatter(gathered.statistics, Scatter::diagonal);
}

}  // namespace suffice
