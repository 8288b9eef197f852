#pragma once
// SHA-256 as FIPS 180-4 defines it: tells whether a file is as it was written.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace suffice {

class Sha256 {
 public:
  /// Uses the processor's instructions for it where there are some: four times as fast.
  Sha256() noexcept;
  /// Uses none, as on processors without.
  static Sha256 portable() noexcept;

  Sha256& update(std::span<const std::byte> bytes) noexcept;
  Sha256& update(std::string_view text) noexcept {
    return update(std::as_bytes(std::span(text.data(), text.size())));
  }
  /// 64 lower-case hexadecimal digits of everything so far. Ends the computation.
  std::string hex();

 private:
  using State = std::array<std::uint32_t, 8>;
  /// Adds `count` blocks of 64 bytes to the state.
  using Compress = void(State& state, const std::byte* blocks, std::size_t count) noexcept;
  static Compress compress_portable, compress_x86;
  explicit Sha256(Compress* compress) noexcept : compress_(compress) {}

  Compress* compress_;
  State state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> rest_;  ///< bytes that do not fill a block yet
  std::uint64_t length_ = 0;        ///< in bytes
};

}  // namespace suffice
