#pragma once
// Arrays of fixed-size cells, as NPY and IDX files have them behind their headers.

#include <memory>
#include <string>
#include <vector>

#include "cli/readers/bytes.hpp"
#include "cli/readers/source.hpp"

namespace suffice::cli {

/// One cell as it lies in the file.
struct Element {
  enum class Kind : std::uint8_t {
    boolean,
    integer,
    natural,
    real,
    code_points,  ///< text in 4 bytes a character, padded with zeros
    characters,   ///< text in bytes, padded with zeros
    other,        ///< no family describes it
  };
  Kind kind = Kind::real;
  Index size = 8;     ///< bytes
  bool swap = false;  ///< its bytes are in the other order than this machine's

  friend bool operator==(const Element&, const Element&) = default;
};

struct DenseColumn {
  std::string name;
  Element element;
  Index offset = 0;  ///< of its first cell, in bytes
  std::string type = {};
};

struct DenseArray {
  Index rows = 0;
  Index row_bytes = 0;     ///< of all columns together
  bool by_column = false;  ///< the cells of a column are neighbours (Fortran order), else of a row
  std::vector<DenseColumn> columns;
};

/// x0, x1, …: `count` neighbours of one type.
std::vector<DenseColumn> numbered_columns(Index count, const Element& element,
                                          const std::string& type);

/// The most columns that a header may claim; a damaged one claims anything.
inline constexpr Index most_dense_columns = Index{1} << 24;

/// Sets the rows, the first dimension, and the bytes of a row; returns the columns, the product of
/// the other dimensions. Throws FileError where there are none, or more than any file could hold;
/// `what` names the format.
Index set_shape(DenseArray& array, const std::vector<std::uint64_t>& dimensions, Index cell_bytes,
                const std::string& path, const std::string& what);

/// Throws FileError where the file, whose header is read, is too small for the array that this
/// claims. To be asked before memory is taken for columns.
void require_bytes(const DenseArray& array, Index columns, const PeekedBytes& bytes,
                   std::int64_t header_bytes, const std::string& path);

/// Rows of the array that follows in `bytes`, of which `header_bytes` are read.
std::unique_ptr<Source> open_dense(const std::string& path, std::unique_ptr<PeekedBytes> bytes,
                                   std::int64_t header_bytes, DenseArray array,
                                   const SourceOptions& options);

}  // namespace suffice::cli
