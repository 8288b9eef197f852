#pragma once
// The rows of a command once more, as training saw them.

#include <functional>

#include "cli/input/groups.hpp"
#include "cli/verbs/context.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/data/schema.hpp"

namespace suffice::cli {

/// `use` gets each block, and the fold of each row where --fold-column is given. Progress says what
/// the rows are read for; without words there is none, and several threads may read at a time. Rows
/// without a label are left out unless `unlabelled` is true.
void read_again(const Context& context, const Schema& schema, Groups& groups,
                const std::function<void(const RowBlock&, const Column&)>& use,
                std::string_view what = "reading again", bool unlabelled = false);

}  // namespace suffice::cli
