#include "fit/group_folds.hpp"

#include "data/name_reader.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

std::vector<std::string> GroupFolds::of(const Column& groups) {
  const Names none;
  const NameReader reader(groups, none);
  std::vector<std::string> result;
  result.reserve(static_cast<std::size_t>(groups.size));
  for (Index i = 0; i < groups.size; ++i) {
    std::int32_t code = 0;
    reader.read(i, 1, &code, 1);
    if (code == NameReader::missing || code == NameReader::infinite)
      throw DataError({.row = i}, "the row has no value in the column of " + Option{"fold_column"},
                      "give one to each row, or leave the row out");
    const std::string group = reader.name_at(i);
    auto found = fold_.find(group);
    if (found == fold_.end())
      found = fold_.emplace(group, std::to_string(this->groups() % most + 1)).first;
    result.push_back(found->second);
  }
  return result;
}

}  // namespace suffice
