#include "cli/verbs/fit_wishes.hpp"

#include <string>
#include <vector>

#include "cli/line/suggest.hpp"

namespace suffice::cli {
namespace {

/// Whether the last rule for the column says that the rows find its transformation.
bool finds_transform(const ColumnOptions& columns, const std::string& name) {
  for (auto rule = columns.transforms.rbegin(); rule != columns.transforms.rend(); ++rule)
    if (matches(rule->first, name)) return !rule->second;
  return false;
}

}  // namespace

FitOptions fit_options(const Options& options, const Schema* schema) {
  const ColumnOptions& columns = options.columns;
  FitOptions result = options.fit;
  result.by_groups = !columns.fold.empty();
  result.seed = options.seed;
  if (!columns.like.empty()) {  // has the meaning of its columns
    result.find_transforms.emplace();
    result.categories = Categories::apart;
    result.missing_indicators = MissingIndicators::no;
  } else if (!columns.transforms.empty()) {
    auto& names = result.find_transforms.emplace();
    for (const auto& [pattern, transform] : columns.transforms)
      if (!schema && !transform) names.push_back(pattern);
    for (Index j = 0; schema && j < schema->size(); ++j)
      if (const std::string& name = schema->feature(j).name; finds_transform(columns, name))
        names.push_back(name);
  }
  return result;
}

}  // namespace suffice::cli
