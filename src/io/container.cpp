#include "io/container.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "io/atomic_file.hpp"
#include "io/json_value.hpp"
#include "io/sha256.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

constexpr auto again = "make it again, or copy it again from where it came";

static_assert(std::endian::native == std::endian::little, "the file's numbers are little-endian");

constexpr std::uint64_t longest_header = 100'000'000;  // the limit of other safetensors readers
constexpr std::size_t deepest_json = 4;
constexpr std::string_view metadata_key = "__metadata__";
constexpr std::string_view no_checksum =
    "00000000000000000000000000000000"
    "00000000000000000000000000000000";

struct TypeInfo {
  TensorType type;
  std::string_view name;
  std::uint64_t size;
};
constexpr std::array<TypeInfo, 3> types = {
    {{TensorType::f64, "F64", 8}, {TensorType::i64, "I64", 8}, {TensorType::u8, "U8", 1}}};

const TypeInfo& info(TensorType type) {
  return *std::find_if(types.begin(), types.end(),
                       [&](const TypeInfo& known) { return known.type == type; });
}

std::uint64_t size_of(std::span<const std::span<const std::byte>> pieces) {
  std::uint64_t size = 0;
  for (const auto& piece : pieces) size += piece.size();
  return size;
}

struct Header {
  struct Entry {
    std::string name;
    TensorType type;
    std::vector<Index> shape;
    std::uint64_t begin, end;
  };
  std::map<std::string, std::string> metadata;
  std::vector<Entry> entries;
};

/// An open file, or its bytes, whose header has been read and checked; the data follow.
class Opened {
 public:
  Opened(std::string_view bytes, int newest_version) : bytes_(bytes) {
    read_header(bytes.size(), newest_version);
  }
  Opened(const std::string& path, int newest_version) : path_(path) {
    if (path.empty()) throw FileError({.path = path}, "cannot read a file whose path is empty");
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) fail("there is no such file");
    if (error) fail(error.message());
    if (status.type() == fs::file_type::directory) fail("it is a folder, not a file");
    if (status.type() != fs::file_type::regular) fail("it is not a regular file");
    const std::uint64_t size = fs::file_size(path, error);
    if (error) fail(error.message());
    stream_.open(path, std::ios::binary);
    if (!stream_) fail("it cannot be opened for reading");
    read_header(size, newest_version);
  }

  Buffer<std::byte> data() {
    Buffer<std::byte> bytes;
    try {
      bytes = Buffer<std::byte>(static_cast<Index>(data_size_));
    } catch (const std::exception&) {
      fail("its " + std::to_string(data_size_) + " bytes do not fit into memory");
    }
    read(bytes.data(), data_size_);
    if (Sha256().update(std::span(bytes.data(), data_size_)).hex() != metadata("sha256"))
      fail("its data were changed or damaged after it was written (the SHA-256 differs)", again);
    return bytes;
  }
  Header& header() { return header_; }

 private:
  void read_header(std::uint64_t size, int newest_version) {
    std::array<unsigned char, 8> length_bytes;
    if (size < length_bytes.size()) fail("it is too short to be a Suffice file");
    read(length_bytes.data(), length_bytes.size());
    std::uint64_t length = 0;
    for (std::size_t k = 8; k-- > 0;) length = length << 8 | length_bytes[k];
    if (length > longest_header || length > size - length_bytes.size())
      fail("it is cut off, or not a Suffice file: its header would be " + std::to_string(length) +
           " bytes long");
    data_size_ = size - length_bytes.size() - length;
    std::string text(static_cast<std::size_t>(length), '\0');
    read(text.data(), text.size());
    parse(text);
    check_version(newest_version);
    check_header(text);
    check_tiling();
  }

  [[noreturn]] void fail(const std::string& reason, const std::string& advice = {}) const {
    fail_to_read(path_, reason, advice);
  }
  [[noreturn]] void not_ours(const std::string& detail) const {
    fail("it is not a Suffice file, or it is damaged: " + detail);
  }

  void read(void* to, std::size_t size) {
    if (path_.empty()) {  // all lengths were checked against that of the bytes
      if (size > 0) std::memcpy(to, bytes_.data(), size);
      bytes_.remove_prefix(size);
      return;
    }
    stream_.read(static_cast<char*>(to), static_cast<std::streamsize>(size));
    if (static_cast<std::size_t>(stream_.gcount()) != size) fail("it ends too early");
  }

  const std::string& metadata(const std::string& key) const {
    const auto found = header_.metadata.find(key);
    if (found == header_.metadata.end()) not_ours("its header lacks '" + key + "'");
    return found->second;
  }

  void parse(const std::string& text) {
    JsonValue json;
    try {
      json = parse_json(text, deepest_json);
    } catch (const std::invalid_argument& error) {
      not_ours(std::string("its header ") + error.what());
    }
    if (!json.is(JsonValue::Kind::object)) not_ours("its header is not a JSON object");
    for (auto& [name, value] : json.members) {
      if (!value.is(JsonValue::Kind::object))
        not_ours("its header's '" + name + "' is not an object");
      if (name != metadata_key) {
        header_.entries.push_back(entry(name, value));
        continue;
      }
      for (auto& [key, item] : value.members) {
        if (!item.is(JsonValue::Kind::string))
          not_ours("its metadata '" + key + "' is not a string");
        header_.metadata.emplace(std::move(key), std::move(item.text));
      }
    }
  }

  Header::Entry entry(const std::string& name, const JsonValue& value) const {
    const std::string what = "tensor '" + name + "'";
    const JsonValue* const dtype = value.find("dtype");
    const JsonValue* const shape = value.find("shape");
    const JsonValue* const offsets = value.find("data_offsets");
    if (value.members.size() != 3 || !dtype || !shape || !offsets)
      not_ours(what + " does not have a dtype, a shape and data_offsets");
    const auto type = std::find_if(types.begin(), types.end(), [&](const TypeInfo& known) {
      return dtype->is(JsonValue::Kind::string) && dtype->text == known.name;
    });
    if (type == types.end()) not_ours(what + " has a type that is not F64, I64 or U8");

    const auto is_whole = [](const JsonValue& of) { return of.is(JsonValue::Kind::whole_number); };
    if (offsets->items.size() != 2 || !std::ranges::all_of(offsets->items, is_whole))
      not_ours(what + " has data_offsets that are not two whole numbers");
    Header::Entry result{name, type->type, {}, offsets->items[0].number, offsets->items[1].number};
    if (result.begin > result.end || result.end > data_size_)
      not_ours(what + " lies outside the file, which may be cut off");

    if (!shape->is(JsonValue::Kind::array)) not_ours(what + " has a shape that is not a list");
    // No dimension that we write exceeds the bytes of all data, so no product of two overflows.
    std::uint64_t elements = 1;
    for (const JsonValue& dimension : shape->items) {
      const std::uint64_t count = dimension.number;
      if (!is_whole(dimension) || count > data_size_)
        not_ours(what + " has a shape that cannot be");
      if (count != 0 && elements > data_size_ / count) not_ours(what + " is larger than the file");
      elements *= count;
      result.shape.push_back(static_cast<Index>(count));
    }
    if (elements * type->size != result.end - result.begin)
      not_ours(what + " has a shape that does not fit its bytes");
    return result;
  }

  void check_version(int newest_version) const {
    const std::string& text = metadata("suffice_version");
    int version = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, version);
    if (error != std::errc{} || stop != end || version < 1)
      not_ours("its version is '" + text + "'");
    if (version > newest_version)
      fail("it was written by a newer Suffice (format version " + text + "; this one reads up to " +
               std::to_string(newest_version) + ")",
           "update Suffice to read it; a file from before the first release must be made again");
  }

  void check_header(std::string text) const {
    const std::string& checksum = metadata("header_sha256");
    const std::size_t at = text.find(checksum);
    if (checksum.size() != no_checksum.size() || at == std::string::npos)
      not_ours("the checksum of its header cannot be found");
    text.replace(at, checksum.size(), no_checksum);
    if (Sha256().update(text).hex() != checksum)
      fail("its header was changed or damaged after it was written (the SHA-256 differs)", again);
  }

  void check_tiling() {
    auto& entries = header_.entries;
    std::sort(entries.begin(), entries.end(), [](const Header::Entry& a, const Header::Entry& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t end = 0;
    for (const Header::Entry& entry : entries) {
      if (entry.begin != end)
        not_ours("tensor '" + entry.name + "' overlaps another or leaves a hole before it");
      end = entry.end;
    }
    if (end != data_size_)
      not_ours("its tensors end at byte " + std::to_string(end) + " of " +
               std::to_string(data_size_));
  }

  std::string path_;  // empty: the bytes
  std::ifstream stream_;
  std::string_view bytes_;  // those that were not read yet
  std::uint64_t data_size_ = 0;
  Header header_;
};

}  // namespace

void fail_to_read(const std::string& path, const std::string& reason, const std::string& advice) {
  throw FileError({.path = path},
                  "cannot read " + (path.empty() ? "the bytes" : "'" + path + "'") + ": " + reason,
                  advice);
}

ContainerWriter::ContainerWriter(std::string kind) : metadata_{{"kind", std::move(kind)}} {}

void ContainerWriter::metadata(const std::string& key, const std::string& value) {
  metadata_[key] = value;
}

void ContainerWriter::add(const std::string& name, TensorType type, std::vector<Index> shape,
                          std::vector<std::span<const std::byte>> pieces) {
  entries_.push_back({name, type, std::move(shape), std::move(pieces)});
}

namespace {

/// A JSON string. Longer values are put together as text: the destructor of a JSON object
/// allocates, and so ends the process where memory has run out.
std::string in_quotes(const std::string& text) { return nlohmann::json(text).dump(); }

std::string list_of_numbers(std::span<const Index> numbers) {
  std::string text;
  for (const Index number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return "[" + text + "]";
}

}  // namespace

std::string ContainerWriter::header(const std::vector<const Entry*>& order) const {
  Sha256 checksum;
  std::uint64_t end = 0;
  std::string tensors;
  for (const Entry* entry : order) {
    for (const auto piece : entry->pieces) checksum.update(piece);
    const std::uint64_t begin = std::exchange(end, end + size_of(entry->pieces));
    tensors += "," + in_quotes(entry->name) + ":{\"data_offsets\":[" + std::to_string(begin) + "," +
               std::to_string(end) +
               "],\"dtype\":" + in_quotes(std::string(info(entry->type).name)) +
               ",\"shape\":" + list_of_numbers(entry->shape) + "}";
  }
  std::map<std::string, std::string> metadata = metadata_;
  metadata["suffice_version"] = std::to_string(version_);
  metadata["sha256"] = checksum.hex();
  metadata["header_sha256"] = no_checksum;
  std::string strings;
  for (const auto& [key, value] : metadata)
    strings += (strings.empty() ? "" : ",") + in_quotes(key) + ":" + in_quotes(value);
  std::string text =
      "{" + in_quotes(std::string(metadata_key)) + ":{" + strings + "}" + tensors + "}";
  text.append((8 - text.size() % 8) % 8, ' ');  // so that the tensors are aligned
  const std::size_t at = text.find(no_checksum);
  text.replace(at, no_checksum.size(), Sha256().update(text).hex());
  return text;
}

ContainerWriter::Layout ContainerWriter::layout(const std::string& path) const {
  // Types of eight bytes first, so that each tensor is aligned to its type.
  std::vector<const Entry*> order;
  for (const Entry& entry : entries_) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) {
    return info(a->type).size > info(b->type).size;
  });
  const std::string text = header(order);
  if (text.size() > longest_header)
    throw FileError({.path = path},
                    "cannot write " + (path.empty() ? "the bytes" : "'" + path + "'") +
                        ": the header would have " + std::to_string(text.size()) +
                        " bytes, and readers take " + std::to_string(longest_header) + " at most",
                    "use fewer features");
  Layout result;
  const std::uint64_t length = text.size();
  for (std::size_t k = 0; k < 8; ++k) result.head += static_cast<char>((length >> (8 * k)) & 0xff);
  result.head += text;
  for (const Entry* entry : order)
    result.tensors.insert(result.tensors.end(), entry->pieces.begin(), entry->pieces.end());
  return result;
}

void ContainerWriter::write(const std::string& path) const {
  const Layout layout = this->layout(path);
  std::vector<std::span<const std::byte>> pieces = {std::as_bytes(std::span(layout.head))};
  pieces.insert(pieces.end(), layout.tensors.begin(), layout.tensors.end());
  write_atomically(path, pieces);
}

std::string ContainerWriter::bytes() const {
  Layout layout = this->layout("");
  std::string result = std::move(layout.head);
  result.reserve(result.size() + static_cast<std::size_t>(size_of(layout.tensors)));
  for (const auto piece : layout.tensors)
    result.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  return result;
}

template <class From>
Container Container::read_from(const From& from, std::string path, int newest_version) {
  Opened file(from, newest_version);
  Container result;
  result.path_ = std::move(path);
  result.data_ = file.data();
  result.metadata_ = std::move(file.header().metadata);
  for (Header::Entry& entry : file.header().entries) {
    const std::span bytes(result.data_.data(), static_cast<std::size_t>(result.data_.size()));
    result.tensors_.emplace(
        std::move(entry.name),
        Tensor{entry.type, std::move(entry.shape),
               bytes.subspan(static_cast<std::size_t>(entry.begin),
                             static_cast<std::size_t>(entry.end - entry.begin))});
  }
  return result;
}

Container Container::read(const std::string& path, int newest_version) {
  return read_from(path, path, newest_version);
}

Container Container::read_bytes(std::string_view bytes, int newest_version) {
  return read_from(bytes, "", newest_version);
}

std::map<std::string, std::string> Container::read_metadata(const std::string& path,
                                                            int newest_version) {
  return std::move(Opened(path, newest_version).header().metadata);
}

}  // namespace suffice
