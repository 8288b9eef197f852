#pragma once
// The code of one block in C.

#include "export/c_source.hpp"
#include "export/formula.hpp"

namespace suffice {

/// Writes the tables of block B and @_block_B, which sets out[c] to what the block adds to the
/// score of class c and returns the status.
void write_c_block(const Formula& formula, Index block, CSource& out);

}  // namespace suffice
