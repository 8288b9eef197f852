#pragma once
// Files as a stranger could make them: any header and data, but with checksums that are right.

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "io/sha256.hpp"

namespace suffice::testing {

using Json = nlohmann::ordered_json;

inline std::string little_endian(std::uint64_t value) {
  std::string bytes;
  for (int k = 0; k < 8; ++k) bytes += static_cast<char>((value >> (8 * k)) & 0xff);
  return bytes;
}

inline std::string forge(Json header, const std::string& data) {
  const std::string zeros(64, '0');
  header["__metadata__"]["sha256"] = Sha256().update(data).hex();
  header["__metadata__"]["header_sha256"] = zeros;
  std::string text = header.dump();
  text.replace(text.find(zeros), 64, Sha256().update(text).hex());
  return little_endian(text.size()) + text + data;
}

/// A sound file taken apart.
struct Opened {
  Json header;
  std::string data;

  explicit Opened(const std::string& file) {
    std::uint64_t length = 0;
    std::memcpy(&length, file.data(), 8);
    header = Json::parse(file.substr(8, length));
    data = file.substr(8 + length);
  }
  /// Where the bytes of a tensor begin.
  std::size_t begin(const std::string& tensor) const {
    return header.at(tensor).at("data_offsets").at(0).get<std::size_t>();
  }
  template <class T>
  void set(const std::string& tensor, std::size_t element, T value) {
    std::memcpy(data.data() + begin(tensor) + element * sizeof(T), &value, sizeof(T));
  }
  std::string sealed() const { return forge(header, data); }
};

}  // namespace suffice::testing
