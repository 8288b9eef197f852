#pragma once
// Where the cells of a dense array come from: a plain file, which several threads read at the same
// time, or bytes that come one after the other.

#include <memory>
#include <string>
#include <vector>

#include "cli/readers/dense.hpp"
#include "core/parallel.hpp"

namespace suffice::cli {

/// Rows are asked for in order.
class DenseLoader {
 public:
  virtual ~DenseLoader() = default;
  /// The rows [first, first + count) of the selected columns. Returns how many of them there are.
  virtual Index load(Index first, Index count) = 0;
  /// The cell of a selected column in the first row loaded; the next row's is step() bytes on.
  virtual const char* cell(Index column) const = 0;
  virtual Index step() const = 0;
  /// Instead of load: the bytes of whole rows, where those of a row are neighbours.
  virtual Index copy(Index first, Index count, char* to);
  virtual Extent extent() const = 0;
};

/// `bytes` stand behind the header. The array, the targets and the workers must outlive the loader.
std::unique_ptr<DenseLoader> open_loader(const std::string& path,
                                         std::unique_ptr<PeekedBytes> bytes,
                                         std::int64_t header_bytes, const DenseArray& array,
                                         const std::vector<Target>& targets, Workers& workers);

/// Whether the bytes are those of the file itself, not unpacked ones.
bool is_plain(const std::string& path, const PeekedBytes& bytes);

}  // namespace suffice::cli
