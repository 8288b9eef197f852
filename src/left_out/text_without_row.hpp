#pragma once
// Text blocks in leave-one-out. A word that no other row has is unknown without the row, as in the
// estimate from the other rows.

#include <memory>
#include <optional>
#include <string>

#include "left_out/block_without_row.hpp"

namespace suffice {

/// What in these options, if anything, changes the score of a document as a whole with every row
/// that is left out: of text and multinomial blocks.
std::optional<std::string> why_documents_need_folds(const Schema& schema,
                                                    const EstimateOptions& options);

/// Requires a text block and options that do not need folds.
std::unique_ptr<BlockWithoutRow> make_text_without_row(const BlockInput& input);

}  // namespace suffice
