#pragma once
// The numbers of a chunk of rows, as a worker has read them.

#include "data/number_reader.hpp"
#include "score/scorer.hpp"

namespace suffice {

class ChunkValues {
 public:
  ChunkValues() = default;
  ChunkValues(const NumberReader& reader, Index chunk_rows)
      : scratch_(reader.in_place() ? 0 : chunk_rows * reader.features()) {}

  void read(const NumberReader& reader, const Chunk& chunk) {
    panel_ = reader.read(chunk.first, chunk.count, scratch_.data());
    first_ = chunk.first;
  }
  /// Of a row of the chunk; the next one is `stride` numbers further.
  const double* row(Index row) const { return panel_.values + (row - first_) * panel_.stride; }
  Index stride() const { return panel_.stride; }

 private:
  Vector scratch_;
  NumberReader::Panel panel_{};
  Index first_ = 0;
};

}  // namespace suffice
