#pragma once
// The names in a column and the code of each row, in one pass: a name gets a provisional code where
// it is first met, and codes are put into the order of the names when all are known.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/buffer.hpp"
#include "core/parallel.hpp"
#include "data/name_reader.hpp"
#include "suffice/core/names.hpp"
#include "suffice/data/row_block.hpp"

namespace suffice {

/// Provisional codes for the names of a column: 0, 1, … for the names known at the start, then for
/// others as they are met. A copy shares all that is known until it meets a new name, so copies for
/// several workers cost nothing.
class NameEncoder {
 public:
  /// Keeps views of both arguments.
  explicit NameEncoder(const Column& column, const Names& known = {});

  /// codes[i] of rows [first, first + count); NameReader::missing and ::infinite where a
  /// row has no name. Rows of weight 0 are not looked at, and are missing; weights[i] is that of
  /// row i of the column, null: all 1.
  void read(Index first, Index count, std::int32_t* codes, const double* weights);
  /// By code.
  const std::vector<std::string>& names() const noexcept { return table_->names; }

 private:
  struct Table {
    NameReader reader;
    std::vector<std::string> names;
  };
  std::int32_t add(Index row);

  std::shared_ptr<Table> table_;
};

/// The names that several encoders of one column know, and where each one's codes are among them.
struct JoinedNames {
  explicit JoinedNames(std::span<const NameEncoder> encoders);

  Names names;
  std::vector<std::vector<std::int32_t>> position;  ///< by encoder, by code
};

struct EncodedNames {
  Names names;                ///< those known before and those found
  Buffer<std::int32_t> code;  ///< per row: the position of its name, or a negative code
  bool complete = true;       ///< no code is negative
};

/// All rows of a column; `workers` help. Codes are as in NameEncoder::read.
EncodedNames encode_names(const Column& column, const Names& known, const double* weights,
                          Workers& workers);
EncodedNames encode_names(const Column& column);

}  // namespace suffice
