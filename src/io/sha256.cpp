#include "io/sha256.hpp"

#include <algorithm>
#include <bit>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace suffice {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> round_constant = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::size_t block_size = 64;

}  // namespace

void Sha256::compress_portable(State& state, const std::byte* blocks, std::size_t count) noexcept {
  for (; count > 0; --count, blocks += block_size) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t t = 0; t < 16; ++t) {
      w[t] = 0;
      for (std::size_t k = 0; k < 4; ++k)
        w[t] = w[t] << 8 | std::to_integer<std::uint32_t>(blocks[4 * t + k]);
    }
    for (std::size_t t = 16; t < 64; ++t) {
      const std::uint32_t s0 =
          std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
      const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t t = 0; t < 64; ++t) {
      const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const std::uint32_t choice = (e & f) ^ (~e & g);
      const std::uint32_t t1 = h + sum1 + choice + round_constant[t] + w[t];
      const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + sum0 + majority;
    }
    const std::array<std::uint32_t, 8> change = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += change[i];
  }
}

#ifdef __x86_64__

// The instructions keep the state as (a, b, e, f) and (c, d, g, h), from the highest word down, and
// do two rounds at a time. Four words of the message are made of the sixteen before them.
__attribute__((target("sha,sse4.1"))) void Sha256::compress_x86(State& state,
                                                                const std::byte* blocks,
                                                                std::size_t count) noexcept {
  const auto load = [](const auto* from) __attribute__((target("sha,sse4.1"))) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  };
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i cdab = _mm_shuffle_epi32(load(&state[0]), 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(load(&state[4]), 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  for (; count > 0; --count, blocks += block_size) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];
#pragma GCC unroll 16
    for (std::size_t t = 0; t < 16; ++t) {
      __m128i& now = w[t % 4];  // until now the words of four steps ago
      if (t < 4) {
        now = _mm_shuffle_epi8(load(blocks + 16 * t), big_endian);
      } else {
        const __m128i &after = w[(t + 1) % 4], &before = w[(t + 3) % 4];
        const __m128i seven_ago = _mm_alignr_epi8(before, w[(t + 2) % 4], 4);
        now = _mm_add_epi32(_mm_sha256msg1_epu32(now, after), seven_ago);
        now = _mm_sha256msg2_epu32(now, before);
      }
      const __m128i sum = _mm_add_epi32(now, load(&round_constant[4 * t]));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(&state[0]), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(&state[4]), _mm_alignr_epi8(dchg, feba, 8));
}

namespace {
bool ask_for_sha_instructions() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1)) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}
/// Asks once: a virtual machine takes as long for an answer as for many blocks.
bool has_sha_instructions() noexcept {
  static const bool answer = ask_for_sha_instructions();
  return answer;
}
}  // namespace

Sha256::Sha256() noexcept : Sha256(has_sha_instructions() ? compress_x86 : compress_portable) {}

#else

Sha256::Sha256() noexcept : Sha256(compress_portable) {}

#endif

Sha256 Sha256::portable() noexcept { return Sha256(compress_portable); }

Sha256& Sha256::update(std::span<const std::byte> bytes) noexcept {
  const std::size_t filled = length_ % block_size;
  length_ += bytes.size();
  if (filled > 0) {
    const std::size_t taken = std::min(block_size - filled, bytes.size());
    std::copy_n(bytes.begin(), taken, rest_.begin() + static_cast<std::ptrdiff_t>(filled));
    bytes = bytes.subspan(taken);
    if (filled + taken < block_size) return *this;
    compress_(state_, rest_.data(), 1);
  }
  const std::size_t blocks = bytes.size() / block_size;
  compress_(state_, bytes.data(), blocks);
  bytes = bytes.subspan(blocks * block_size);
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
  return *this;
}

std::string Sha256::hex() {
  // A one bit, zeros up to 8 bytes before a block's end, the length in bits.
  const std::uint64_t bits = length_ * 8;
  std::array<std::byte, 2 * block_size> padding{};
  padding[0] = std::byte{0x80};
  const std::size_t filled = length_ % block_size;
  const std::size_t zeros = (filled < 56 ? 56 : 120) - filled;
  for (std::size_t k = 0; k < 8; ++k)
    padding[zeros + k] = static_cast<std::byte>((bits >> (56 - 8 * k)) & 0xff);
  update(std::span(padding).first(zeros + 8));

  std::string text;
  for (const std::uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[(word >> shift) & 15];
  }
  return text;
}

}  // namespace suffice
