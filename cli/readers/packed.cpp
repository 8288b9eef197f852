#include "cli/readers/packed.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

constexpr std::size_t packed_piece = 256 << 10;

/// What .gz and .zst have in common: packed bytes come in pieces, members may follow each other.
class Unpacked : public Bytes {
 public:
  Unpacked(std::string path, std::unique_ptr<Bytes> packed)
      : path_(std::move(path)), packed_(std::move(packed)), piece_(packed_piece) {}
  Extent extent() const override { return packed_->extent(); }

 protected:
  [[noreturn]] void damaged(const std::string& reason) const {
    throw FileError({.path = path_}, "cannot read " + called(path_) + ": " + reason);
  }
  [[noreturn]] void truncated(const char* kind) const {
    damaged("the " + std::string(kind) + " data end too early; the file is truncated");
  }
  /// More packed bytes; false at the end of the file.
  bool refill() {
    have_ = packed_->read(piece_.data(), piece_.size());
    used_ = 0;
    return have_ > 0;
  }
  std::string path_;
  std::unique_ptr<Bytes> packed_;
  std::vector<char> piece_;
  std::size_t used_ = 0, have_ = 0;
};

class GzipBytes : public Unpacked {
 public:
  GzipBytes(std::string path, std::unique_ptr<Bytes> packed)
      : Unpacked(std::move(path), std::move(packed)) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) damaged("zlib cannot start");
  }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;
  ~GzipBytes() override { inflateEnd(&stream_); }

  std::size_t read(char* to, std::size_t count) override {
    std::size_t have = 0;
    while (have < count) {
      if (used_ == have_ && !refill()) {
        if (in_member_) truncated("gzip");
        break;
      }
      if (!in_member_ && !begin_member()) break;
      stream_.next_in = reinterpret_cast<Bytef*>(piece_.data() + used_);
      stream_.avail_in = static_cast<uInt>(have_ - used_);
      stream_.next_out = reinterpret_cast<Bytef*>(to + have);
      const std::size_t room = std::min(count - have, std::size_t{1} << 30);
      stream_.avail_out = static_cast<uInt>(room);
      const int result = inflate(&stream_, Z_NO_FLUSH);
      used_ = have_ - stream_.avail_in;
      have += room - stream_.avail_out;
      if (result == Z_STREAM_END) {
        in_member_ = false;
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        damaged(std::string("the gzip data are damaged (") +
                (stream_.msg ? stream_.msg : "unknown reason") + ")");
      }
    }
    return have;
  }

 private:
  /// Zeros after the last member are padding, as gzip itself has it.
  bool begin_member() {
    while (piece_[used_] == 0) {
      if (++used_ == have_ && !refill()) return false;
    }
    inflateReset(&stream_);
    in_member_ = true;
    return true;
  }
  z_stream stream_ = {};
  bool in_member_ = false;
};

class ZstdBytes : public Unpacked {
 public:
  ZstdBytes(std::string path, std::unique_ptr<Bytes> packed)
      : Unpacked(std::move(path), std::move(packed)), stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
  }
  ZstdBytes(const ZstdBytes&) = delete;
  ZstdBytes& operator=(const ZstdBytes&) = delete;
  ~ZstdBytes() override { ZSTD_freeDStream(stream_); }

  std::size_t read(char* to, std::size_t count) override {
    ZSTD_outBuffer out = {to, count, 0};
    while (out.pos < out.size) {
      if (used_ == have_ && !refill()) {
        // The decoder may still hold output when its input has ended.
        if (in_frame_ && !step(out)) truncated("zstd");
        if (!in_frame_) break;
        continue;
      }
      step(out);
    }
    return out.pos;
  }

 private:
  /// True if something came out.
  bool step(ZSTD_outBuffer& out) {
    ZSTD_inBuffer in = {piece_.data() + used_, have_ - used_, 0};
    const std::size_t before = out.pos;
    const std::size_t result = ZSTD_decompressStream(stream_, &out, &in);
    if (ZSTD_isError(result))
      damaged(std::string("the zstd data are damaged (") + ZSTD_getErrorName(result) + ")");
    used_ += in.pos;
    in_frame_ = result != 0;
    return out.pos > before;
  }
  ZSTD_DStream* stream_;
  bool in_frame_ = false;
};

}  // namespace

std::unique_ptr<Bytes> unpack_gzip(const std::string& path, std::unique_ptr<Bytes> packed) {
  return std::make_unique<GzipBytes>(path, std::move(packed));
}

std::unique_ptr<Bytes> unpack_zstd(const std::string& path, std::unique_ptr<Bytes> packed) {
  return std::make_unique<ZstdBytes>(path, std::move(packed));
}

}  // namespace suffice::cli
