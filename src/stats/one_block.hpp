#pragma once
// One block of statistics by itself. Blocks are independent given the class, so each can be looked
// at alone.

#include <cstddef>

#include "suffice/stats/statistics.hpp"

namespace suffice {

/// The features of a block as plain numbers or names: what was transformed or an indicator is a
/// number like any other.
Schema schema_of_block(const Schema& schema, std::size_t block);

/// The statistics of one block alone.
Statistics statistics_of_block(const Statistics& statistics, std::size_t block);

}  // namespace suffice
