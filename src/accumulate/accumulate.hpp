#pragma once
// One pass over labelled rows, for each kind of block. Panels and the order in which their sums are
// added depend on the rows and on the shape of the data, never on the number of threads.

#include <vector>

#include "accumulate/labelled_rows.hpp"

namespace suffice {

/// How many workers such rows could keep busy: one for small work.
Index worthwhile_workers(const Schema& schema, const std::vector<BlockStatistics>& blocks,
                         Index rows);

/// Throws InvalidArgument for a scatter that takes more bytes than `limit` (0: what is free),
/// before it is allocated. The message calls the classes `in_words`, if that is not empty.
void require_memory(const Schema& schema, Scatter kind, Index classes, double limit,
                    const std::string& in_words = {});

/// The sums of the rows, block by block; what is kept of a scatter is as in `like`. Throws
/// InvalidArgument where the scatters take more bytes than `memory_limit` (0: what is free).
std::vector<BlockStatistics> accumulate(const LabelledRows& rows,
                                        const std::vector<BlockStatistics>& like,
                                        double memory_limit);

GaussianStatistics accumulate_gaussian(const LabelledRows& rows, const Block& block, Scatter kind);
/// Moments of each feature from sparse rows, which are never made dense: a 0 is a value like any
/// other, of which only the number matters.
GaussianStatistics accumulate_sparse_moments(const LabelledRows& rows, const Block& block,
                                             const SparseView& x);
/// Scatter::pooled.
GaussianStatistics accumulate_pooled(const LabelledRows& rows, const Block& block);
/// Scatter::thin.
GaussianStatistics accumulate_thin(const LabelledRows& rows, const Block& block);
CountStatistics accumulate_counts(const LabelledRows& rows, const Block& block);
CategoricalStatistics accumulate_categorical(const LabelledRows& rows, const Block& block);
TextStatistics accumulate_text(const LabelledRows& rows, const Block& block);

/// The lower triangle of a square matrix from the upper one.
void mirror(Matrix& scatter);

/// Sums of no rows.
CountStatistics zero_counts(const Block& block, Index classes);
TextStatistics zero_text(const Schema& schema, const Block& block, Index classes);

}  // namespace suffice
