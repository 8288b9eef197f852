#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "cli/readers/dense.hpp"
#include "cli/readers/formats.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

struct IdxType {
  unsigned char code;
  Element element;
  const char* name;
};

// All are big-endian.
constexpr std::array<IdxType, 6> idx_types = {{
    {0x08, {Element::Kind::natural, 1, false}, "unsigned byte"},
    {0x09, {Element::Kind::integer, 1, false}, "signed byte"},
    {0x0b, {Element::Kind::integer, 2, true}, "short"},
    {0x0c, {Element::Kind::integer, 4, true}, "int"},
    {0x0d, {Element::Kind::real, 4, true}, "float"},
    {0x0e, {Element::Kind::real, 8, true}, "double"},
}};

}  // namespace

// Two zeros, the type, the number of dimensions, then each of them in four bytes, then the values.
std::unique_ptr<Source> open_idx(const std::string& path, std::unique_ptr<PeekedBytes> bytes,
                                 const SourceOptions& options) {
  const auto fail = [&](const std::string& reason) {
    throw FileError({.path = path}, "'" + path + "' is no IDX file: " + reason);
  };
  unsigned char magic[4] = {};
  if (bytes->read(reinterpret_cast<char*>(magic), 4) < 4) fail("it ends within the first 4 bytes");
  if (magic[0] != 0 || magic[1] != 0) fail("it does not begin with two zero bytes");
  std::optional<IdxType> type;
  for (const IdxType& candidate : idx_types)
    if (candidate.code == magic[2]) type = candidate;
  if (!type) fail("its third byte is " + std::to_string(magic[2]) + ", and no type has that code");

  std::vector<std::uint64_t> dimensions;
  for (int k = 0; k < magic[3]; ++k) {
    unsigned char size[4] = {};
    if (bytes->read(reinterpret_cast<char*>(size), 4) < 4)
      fail("it ends within its " + std::to_string(magic[3]) + " dimensions");
    dimensions.push_back(std::uint64_t{size[0]} << 24 | std::uint64_t{size[1]} << 16 |
                         std::uint64_t{size[2]} << 8 | size[3]);
  }
  DenseArray array;
  const Index columns = set_shape(array, dimensions, type->element.size, path, "IDX file");
  require_bytes(array, columns, *bytes, 4 + 4 * magic[3], path);
  array.columns = numbered_columns(columns, type->element, type->name);
  return open_dense(path, std::move(bytes), 4 + 4 * magic[3], std::move(array), options);
}

}  // namespace suffice::cli
