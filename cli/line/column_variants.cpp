#include "cli/line/column_variants.hpp"

#include <utility>

#include "cli/line/fail.hpp"
#include "cli/line/option_values.hpp"

namespace suffice::cli {

std::vector<ColumnVariant> column_variants(const Options& options,
                                           const std::vector<std::string>& missing) {
  std::vector<ColumnVariant> variants = {{options.columns, {}}};
  for (const ColumnList& list : options.choice.columns) {
    std::vector<ColumnVariant> more;
    for (const ColumnVariant& variant : variants)
      for (const std::string& word : list.words) {
        ColumnVariant& next = more.emplace_back(variant);
        const std::string rule = list.column + "=" + word;
        if (list.flag == "--family")
          for (auto& entry : families_of(list.flag, rule))
            next.columns.families.push_back(std::move(entry));
        else
          for (auto& entry : transforms_of(list.flag, rule))
            next.columns.transforms.push_back(std::move(entry));
        next.values.emplace_back(list.column, word);
      }
    variants = std::move(more);
  }
  if (missing.empty()) return variants;
  std::vector<ColumnVariant> more;
  for (ColumnVariant& variant : variants) {
    if (options.fit.missing_indicators == MissingIndicators::automatic) {
      variant.values.emplace_back("missing-indicators", "no");
      more.push_back(variant);
      variant.values.back().second = "yes";
    }
    variant.columns.missing_indicators = missing;
    more.push_back(std::move(variant));
  }
  return more;
}

void check_column_lists(const Options& options) {
  constexpr std::size_t most = 64;
  std::size_t count = 1;
  for (const ColumnList& list : options.choice.columns) {
    count *= list.words.size();
    if (count > most)
      fail("--family and --transform make more than {} combinations: compare some at a time", most);
  }
}

}  // namespace suffice::cli
