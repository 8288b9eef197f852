#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "cli/readers/dense.hpp"
#include "cli/readers/formats.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

/// A value as Python writes it: a string, a whole number, True or False, or a tuple, list or
/// dictionary of such (a dictionary's keys and values in turn).
struct Literal {
  using List = std::vector<Literal>;
  std::variant<std::string, std::uint64_t, bool, List> value;
  bool is_dictionary = false;

  const std::string* string() const { return std::get_if<std::string>(&value); }
  const std::uint64_t* number() const { return std::get_if<std::uint64_t>(&value); }
  const bool* boolean() const { return std::get_if<bool>(&value); }
  const List* list() const { return std::get_if<List>(&value); }
};

class LiteralParser {
 public:
  explicit LiteralParser(std::string_view text) : text_(text) {}
  /// Nothing where the text is no such value.
  std::optional<Literal> parse() { return value(0); }

 private:
  std::optional<Literal> value(int depth) {
    skip_blanks();
    if (at_ == text_.size() || depth > 8) return std::nullopt;
    const char c = text_[at_];
    if (c == '\'' || c == '"') return string(c);
    if (c == '(') return list(')', depth);
    if (c == '[') return list(']', depth);
    if (c == '{') return list('}', depth);
    if (c >= '0' && c <= '9') {
      std::uint64_t number = 0;
      const char* const end = text_.data() + text_.size();
      const auto [rest, error] = std::from_chars(text_.data() + at_, end, number);
      if (error != std::errc()) return std::nullopt;
      at_ = static_cast<std::size_t>(rest - text_.data());
      take('L');  // a long number of Python 2
      return Literal{number};
    }
    if (take("True")) return Literal{true};
    if (take("False")) return Literal{false};
    return std::nullopt;
  }
  std::optional<Literal> string(char quote) {
    std::string result;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && ++at_ == text_.size()) break;
      result += text_[at_];
    }
    if (at_ == text_.size()) return std::nullopt;
    ++at_;
    return Literal{std::move(result)};
  }
  std::optional<Literal> list(char close, int depth) {
    Literal::List items;
    ++at_;
    for (;;) {
      skip_blanks();
      if (take(close)) return Literal{std::move(items), close == '}'};
      std::optional<Literal> item = value(depth + 1);
      if (!item) return std::nullopt;
      items.push_back(std::move(*item));
      skip_blanks();
      const bool is_key = close == '}' && items.size() % 2 == 1;
      if (is_key ? !take(':') : !take(',') && at_ < text_.size() && text_[at_] != close)
        return std::nullopt;
    }
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  bool take(char c) { return take(std::string_view(&c, 1)); }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

class NpyHeader {
 public:
  explicit NpyHeader(const std::string& path) : path_(path) {}

  /// Consumes the header, all that stands before the values.
  DenseArray read(PeekedBytes& bytes) {
    const std::string text = read_text(bytes);
    const std::optional<Literal> header = LiteralParser(text).parse();
    const Literal* const descr = find(header, "descr");
    const Literal* const order = find(header, "fortran_order");
    const Literal* const shape = find(header, "shape");
    if (!descr || !order || !order->boolean() || !shape || !shape->list())
      fail("its header does not say type, order and shape");
    std::vector<std::uint64_t> dimensions;
    for (const Literal& size : *shape->list()) {
      if (!size.number()) fail("its shape is not made of whole numbers");
      dimensions.push_back(*size.number());
    }
    return descr->list() ? records(*descr->list(), dimensions, bytes)
                         : plain(*descr, dimensions, *order->boolean(), bytes);
  }
  std::int64_t size() const noexcept { return size_; }

 private:
  [[noreturn]] void fail(const std::string& reason, const std::string& advice = {}) const {
    throw FileError({.path = path_},
                    "'" + path_ + "' is not an NPY file that can be read: " + reason, advice);
  }

  // \x93NUMPY, the version in two bytes, the header's length in two (version 1) or four.
  std::string read_text(Bytes& bytes) {
    unsigned char magic[8] = {};
    if (bytes.read(reinterpret_cast<char*>(magic), 8) < 8 ||
        std::memcmp(magic, "\x93NUMPY", 6) != 0)
      fail("it does not begin as one");
    const int version = magic[6];
    if (version < 1 || version > 3)
      fail("it has version " + std::to_string(version) + " of the format", "1, 2 and 3 are known");
    unsigned char digits[4] = {};
    const std::size_t length_size = version == 1 ? 2 : 4;
    if (bytes.read(reinterpret_cast<char*>(digits), length_size) < length_size)
      fail("it ends within its header");
    std::size_t length = 0;
    for (std::size_t k = length_size; k-- > 0;) length = length << 8 | digits[k];
    if (length > (16 << 20)) fail("its header claims " + std::to_string(length) + " bytes");
    std::string text(length, '\0');
    if (bytes.read(text.data(), length) < length) fail("it ends within its header");
    size_ = static_cast<std::int64_t>(8 + length_size + length);
    return text;
  }

  static const Literal* find(const std::optional<Literal>& header, std::string_view key) {
    if (!header || !header->is_dictionary) return nullptr;
    const Literal::List& items = *header->list();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
      if (items[i].string() && *items[i].string() == key) return &items[i + 1];
    return nullptr;
  }

  /// "<f8", "|b1", ">i4", "<U12": the byte order, the kind, and the bytes (characters for U).
  Element element(const std::string& descr) const {
    std::int64_t size = 0;
    const char* const end = descr.data() + descr.size();
    const char order = descr.empty() ? '?' : descr[0];
    const char kind = descr.size() > 1 ? descr[1] : '?';
    if (kind == 'O')
      fail(
          "it holds Python objects, which only Python can unpickle, and unpickling a stranger's "
          "file can run their program",
          "save an array of numbers or strings");
    if (descr.size() < 3 || std::string_view("<>|=").find(order) == std::string_view::npos ||
        (std::from_chars(descr.data() + 2, end, size).ptr != end &&
         std::string_view("mM").find(kind) == std::string_view::npos) ||
        size < 0 || size > (1 << 28))
      fail("its type '" + descr + "' is unknown");
    Element result{Element::Kind::other, static_cast<Index>(size),
                   order == (std::endian::native == std::endian::little ? '>' : '<')};
    const bool whole = size == 1 || size == 2 || size == 4 || size == 8;
    if (kind == 'b' && size == 1) result.kind = Element::Kind::boolean;
    if (kind == 'i' && whole) result.kind = Element::Kind::integer;
    if (kind == 'u' && whole) result.kind = Element::Kind::natural;
    if (kind == 'f' && whole && size > 1) result.kind = Element::Kind::real;
    if (kind == 'S') result.kind = Element::Kind::characters;
    if (kind == 'U') {
      result.kind = Element::Kind::code_points;
      result.size *= 4;
    }
    if (kind == 'm' || kind == 'M') result.size = 8;
    return result;
  }

  DenseArray plain(const Literal& descr, const std::vector<std::uint64_t>& dimensions, bool fortran,
                   const PeekedBytes& bytes) const {
    if (!descr.string()) fail("its type is not a string");
    const Element type = element(*descr.string());
    if (type.kind == Element::Kind::other)
      fail("its values have the type '" + *descr.string() + "'",
           "booleans, integers, floats of up to 64 bits and strings can be read");
    DenseArray array;
    const Index columns = set_shape(array, dimensions, type.size, path_, "NPY array");
    require_bytes(array, columns, bytes, size_, path_);
    array.columns = numbered_columns(columns, type, *descr.string());
    array.by_column = fortran && columns > 1;
    if (array.by_column) {
      // Columns are numbered as in C order, with the last dimension fastest; in the file it is the
      // slowest.
      for (Index j = 0; j < columns; ++j) {
        Index rest = j, place = 0, scale = columns;
        for (std::size_t k = dimensions.size() - 1; k > 0; --k) {
          const auto size = static_cast<Index>(dimensions[k]);
          scale /= size;
          place += (rest % size) * scale;
          rest /= size;
        }
        array.columns[j].offset = place * array.rows * type.size;
      }
    }
    return array;
  }

  /// A structured array: its fields are the columns.
  DenseArray records(const Literal::List& fields, const std::vector<std::uint64_t>& dimensions,
                     const PeekedBytes& bytes) const {
    DenseArray array;
    Index offset = 0;
    for (const Literal& field : fields) {
      const Literal::List* const parts = field.list();
      if (!parts || parts->size() < 2) fail("the fields of its structured type cannot be read");
      const std::string* name = (*parts)[0].string();
      if (!name && (*parts)[0].list() && (*parts)[0].list()->size() == 2)
        name = (*parts)[0].list()->back().string();  // (title, name)
      if (!name) fail("a field of its structured type has no name");
      if (parts->size() > 2 || !(*parts)[1].string())
        fail("its field '" + *name + "' is an array or a structure itself",
             "make a column of each part");
      const std::string& descr = *(*parts)[1].string();
      // A nameless field of raw bytes is padding.
      const bool padding = name->empty() && descr.size() > 1 && descr[1] == 'V';
      const Element type = element(descr);
      if (!padding) array.columns.push_back({*name, type, offset, descr});
      offset += type.size;
    }
    if (set_shape(array, dimensions, offset, path_, "NPY array") > 1)
      fail("it is a structured array of 2 or more dimensions", "flatten it first");
    if (array.columns.empty()) fail("its structured type has no fields");
    require_bytes(array, std::ssize(array.columns), bytes, size_, path_);
    return array;
  }

  const std::string& path_;
  std::int64_t size_ = 0;
};

}  // namespace

std::unique_ptr<Source> open_npy(const std::string& path, std::unique_ptr<PeekedBytes> bytes,
                                 const SourceOptions& options) {
  NpyHeader header(path);
  DenseArray array = header.read(*bytes);
  return open_dense(path, std::move(bytes), header.size(), std::move(array), options);
}

}  // namespace suffice::cli
