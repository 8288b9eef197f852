#include "io/sha256.hpp"

#include <gtest/gtest.h>

namespace suffice::sha256_test {
namespace {

// The examples that NIST publishes for FIPS 180-4, and the empty message.
TEST(Sha256, GivesThePublishedDigestsWithTheProcessorsInstructionsAndWithout) {
  for (const Sha256& start : {Sha256(), Sha256::portable()}) {
    const auto digest = [&](std::string_view message) {
      return Sha256(start).update(message).hex();
    };
    EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(digest("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                     "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
              "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    EXPECT_EQ(digest(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  }
}

TEST(Sha256, DoesNotDependOnHowTheMessageIsCut) {
  std::string message;
  for (int i = 0; i < 300; ++i) message += static_cast<char>(i * 7);
  for (std::size_t size : {55u, 56u, 63u, 64u, 65u, 119u, 120u, 128u, 300u}) {
    const std::string_view text = std::string_view(message).substr(0, size);
    const std::string whole = Sha256().update(text).hex();
    for (std::size_t step : {1u, 3u, 63u, 64u, 65u}) {
      Sha256 pieces;
      for (std::size_t at = 0; at < size; at += step) pieces.update(text.substr(at, step));
      EXPECT_EQ(pieces.hex(), whole) << size << " bytes in pieces of " << step;
    }
  }
}

}  // namespace
}  // namespace suffice::sha256_test
