#pragma once
// Files of ours as a stranger can forge them. An input is the JSON header on one line, then the
// tensors' bytes; here it becomes a file whose length and checksums are right, so that what is
// behind these checks is reached.

#include <string>
#include <string_view>

#include "fuzz/fuzz.hpp"
#include "io/sha256.hpp"

namespace suffice::fuzz {

inline void replace_checksum(std::string& header, std::string_view key, const std::string& value) {
  const std::string begin = "\"" + std::string(key) + "\":\"";
  const std::size_t at = header.find(begin);
  if (at == std::string::npos || at + begin.size() + 64 > header.size()) return;
  header.replace(at + begin.size(), 64, value);
}

inline std::string sealed(Choices choices) {
  std::string header(choices.line());
  const std::string data(choices.rest());
  replace_checksum(header, "sha256", Sha256().update(data).hex());
  replace_checksum(header, "header_sha256", std::string(64, '0'));
  replace_checksum(header, "header_sha256", Sha256().update(header).hex());
  std::string file;
  for (int k = 0; k < 8; ++k)
    file += static_cast<char>((static_cast<std::uint64_t>(header.size()) >> (8 * k)) & 0xff);
  return file + header + data;
}

}  // namespace suffice::fuzz
