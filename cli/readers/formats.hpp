#pragma once
// The readers, one function each. Those that stream take the opened bytes, whose first part can be
// looked at; those that need to jump in the file (Parquet, Arrow files) take the path.

#include <memory>
#include <string>

#include "cli/readers/bytes.hpp"
#include "cli/readers/source.hpp"

namespace suffice::cli {

/// Text with a separator: CSV, TSV and their relatives. `separator` 0: detected.
std::unique_ptr<Source> open_csv(const std::string& path, std::unique_ptr<PeekedBytes> bytes,
                                 char separator, const SourceOptions& options);
/// JSON objects, one per line.
std::unique_ptr<Source> open_ndjson(const std::string& path, std::unique_ptr<PeekedBytes> bytes,
                                    const SourceOptions& options);
/// NumPy arrays: 1-D (one column) or 2-D, C or Fortran order, any number type, little-endian.
std::unique_ptr<Source> open_npy(const std::string& path, std::unique_ptr<PeekedBytes> bytes,
                                 const SourceOptions& options);
/// IDX files, as MNIST has them: the first dimension is rows, the others together are columns.
std::unique_ptr<Source> open_idx(const std::string& path, std::unique_ptr<PeekedBytes> bytes,
                                 const SourceOptions& options);
/// "label index:value …" a line, sparse; `qid:` and comments are passed over.
std::unique_ptr<Source> open_libsvm(const std::string& path, const SourceOptions& options);
/// Parquet, Arrow files (Feather) and Arrow streams, through Arrow C++.
std::unique_ptr<Source> open_arrow(const std::string& path, const SourceOptions& options);

}  // namespace suffice::cli
