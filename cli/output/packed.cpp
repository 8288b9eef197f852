#include "cli/output/packed.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>

#include "cli/line/paths.hpp"

namespace suffice::cli {
namespace {

constexpr std::size_t room = 1 << 16;

class GzipPacker final : public Packer {
 public:
  explicit GzipPacker(int level) {
    constexpr int gzip = 15 + 16, memory = 9;
    if (deflateInit2(&stream_, level, Z_DEFLATED, gzip, memory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~GzipPacker() override { deflateEnd(&stream_); }
  GzipPacker(const GzipPacker&) = delete;

  void add(std::string_view bytes, std::string& packed) override {
    while (!bytes.empty()) {
      const auto taken = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
      deflate_all(bytes.substr(0, taken), Z_NO_FLUSH, packed);
      bytes.remove_prefix(taken);
    }
  }
  void finish(std::string& packed) override { deflate_all({}, Z_FINISH, packed); }

 private:
  void deflate_all(std::string_view bytes, int flush, std::string& packed) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {  // until it leaves room: then nothing is waiting
      const std::size_t have = packed.size();
      packed.resize(have + room);
      stream_.next_out = reinterpret_cast<Bytef*>(packed.data() + have);
      stream_.avail_out = static_cast<uInt>(room);
      deflate(&stream_, flush);
      packed.resize(packed.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_ = {};
};

class ZstdPacker final : public Packer {
 public:
  ZstdPacker() : stream_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    if (!stream_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_checksumFlag, 1);
  }
  void add(std::string_view bytes, std::string& packed) override {
    compress(bytes, ZSTD_e_continue, packed);
  }
  void finish(std::string& packed) override { compress({}, ZSTD_e_end, packed); }

 private:
  void compress(std::string_view bytes, ZSTD_EndDirective directive, std::string& packed) {
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    std::size_t waiting = 0;
    do {
      const std::size_t have = packed.size();
      packed.resize(have + room);
      ZSTD_outBuffer out = {packed.data() + have, room, 0};
      waiting = ZSTD_compressStream2(stream_.get(), &out, &in, directive);
      if (ZSTD_isError(waiting)) throw std::runtime_error(ZSTD_getErrorName(waiting));
      packed.resize(have + out.pos);
    } while (in.pos < in.size || (directive == ZSTD_e_end && waiting > 0));
  }

  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> stream_;
};

}  // namespace

std::unique_ptr<Packer> packer_for(const std::string& path) {
  if (has_ending(path, ".gz")) return std::make_unique<GzipPacker>(Z_DEFAULT_COMPRESSION);
  if (has_ending(path, ".zst")) return std::make_unique<ZstdPacker>();
  return nullptr;
}

std::string packed(std::string_view content) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  GzipPacker gzip(Z_BEST_COMPRESSION);
  gzip.add(content, bytes);
  gzip.finish(bytes);
  std::string text;
  text.reserve(bytes.size() * 4 / 3 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) -> unsigned {
      return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u;
    };
    const unsigned three = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= bytes.size() - i ? letters[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace suffice::cli
