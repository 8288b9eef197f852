// Packed files. An input that begins with an even byte is a .gz or .zst file as it stands;
// otherwise the rest is a table that is packed here, and the packed table must give the same
// statistics as the plain one, or an error as well.
#include <zlib.h>
#include <zstd.h>

#include "fuzz/table.hpp"
#include "suffice/io/file.hpp"

namespace suffice::fuzz {
namespace {

std::string gzip(std::string_view bytes) {
  z_stream stream = {};
  fuzz::require(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK,
                "zlib can start");
  std::string packed(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  fuzz::require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib can pack");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(std::string_view bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1));
  return packed;
}

/// The statistics' bytes, or a word for an error, whose sentence may differ: packed bytes cannot be
/// read from their end.
std::string outcome(const std::string& path) {
  cli::InputOptions input;
  input.paths = {path};
  input.format = "csv";
  try {
    return to_bytes(fuzz::read_statistics(input, {}, 32));
  } catch (const Error&) {
    return "an error";
  }
}

bool is_packed(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b") || bytes.starts_with("\x28\xb5\x2f\xfd");
}

}  // namespace
}  // namespace suffice::fuzz

FUZZ_TARGET(packed) {
  using namespace suffice;
  using namespace suffice::fuzz;
  static fuzz::MemoryFile file;
  fuzz::Choices choices(data, size);
  const unsigned kind = choices.byte();
  if (kind % 2 == 0) {
    outcome(file.with(choices.rest()));
    return;
  }
  if (is_packed(choices.rest())) return;  // twice packed is unpacked once
  const std::string plain = outcome(file.with(choices.rest()));
  const std::string packed = kind & 2 ? zstd(choices.rest()) : gzip(choices.rest());
  fuzz::require(outcome(file.with(packed)) == plain, "a packed table is the table");
  if (packed.size() > 1) outcome(file.with(packed.substr(0, kind % packed.size())));
}
