#include "cli/readers/ndjson_parse.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "cli/readers/cells.hpp"
#include "suffice/core/names.hpp"

namespace suffice::cli {

bool JsonLine::fail(std::string sentence, std::string advice) {
  error_ = std::move(sentence);
  advice_ = std::move(advice);
  return false;
}

void JsonLine::skip_blanks() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
}

bool JsonLine::is(char c) {
  skip_blanks();
  if (at_ == end_ || *at_ != c) return false;
  ++at_;
  return true;
}

bool JsonLine::next() {
  const bool first = !began_;
  began_ = true;
  if (first) {
    skip_blanks();
    if (at_ == end_) {
      is_blank_ = true;
      return false;
    }
    if (*at_ == '[')
      return fail("the line is a JSON list, not an object",
                  "write one object per line, with the names of the columns as keys");
    if (!is('{')) return fail("the line is not a JSON object", "each line is an object {…}");
  }
  if (is('}')) {
    skip_blanks();
    if (at_ != end_) return fail("there is text after the object", "write one object per line");
    return false;
  }
  if (!first && !is(',')) {
    if (at_ == end_)
      return fail("the object does not end in this line", "write each object in one line");
    return fail("a comma or } is missing before '" +
                shown({at_, static_cast<std::size_t>(end_ - at_)}) + "'");
  }
  skip_blanks();
  if (at_ == end_)
    return fail("the object does not end in this line", "write each object in one line");
  if (*at_ != '"')
    return fail("a key in quotes is missing before '" +
                shown({at_, static_cast<std::size_t>(end_ - at_)}) + "'");
  if (!string(key_, key_scratch_)) return false;
  if (!is(':')) return fail("a colon is missing after the key '" + shown(key_) + "'");
  return value();
}

bool JsonLine::string(std::string_view& text, std::string& scratch) {
  const char* const first = ++at_;
  while (at_ != end_ && *at_ != '"' && *at_ != '\\') ++at_;
  if (at_ != end_ && *at_ == '"') {
    text = {first, static_cast<std::size_t>(at_++ - first)};
    return true;
  }
  scratch.assign(first, at_);
  while (at_ != end_ && *at_ != '"') {
    if (*at_ != '\\')
      scratch += *at_++;
    else if (!escaped(scratch))
      return false;
  }
  if (at_ == end_) return fail("a string has no closing quote");
  ++at_;
  text = scratch;
  return true;
}

/// The escape at the backslash.
bool JsonLine::escaped(std::string& text) {
  constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
  const auto hex = [&](unsigned& code) {
    if (end_ - at_ < 6 || at_[0] != '\\' || at_[1] != 'u') return false;
    code = 0;
    for (int i = 2; i < 6; ++i) {
      const char c = at_[i];
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return false;
      code = 16 * code + static_cast<unsigned>(digit);
    }
    at_ += 6;
    return true;
  };
  const auto bad = [&] { return fail("a string has an escape that JSON does not know"); };
  if (end_ - at_ < 2) return bad();
  if (at_[1] != 'u') {
    const std::size_t which = letters.find(at_[1]);
    if (which == letters.npos) return bad();
    text += meant[which];
    at_ += 2;
    return true;
  }
  unsigned code = 0, low = 0;
  if (!hex(code)) return bad();
  if (code >= 0xd800 && code < 0xdc00) {  // the first half of a pair
    if (!hex(low) || low < 0xdc00 || low > 0xdfff) return bad();
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code >= 0xdc00 && code < 0xe000) {
    return bad();
  }
  const auto add = [&](unsigned byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0 | code >> 6);
    add(0x80 | (code & 63));
  } else if (code < 0x10000) {
    add(0xe0 | code >> 12);
    add(0x80 | (code >> 6 & 63));
    add(0x80 | (code & 63));
  } else {
    add(0xf0 | code >> 18);
    add(0x80 | (code >> 12 & 63));
    add(0x80 | (code >> 6 & 63));
    add(0x80 | (code & 63));
  }
  return true;
}

bool JsonLine::value() {
  skip_blanks();
  if (at_ == end_) return fail("the key '" + shown(key_) + "' has no value");
  switch (*at_) {
    case '"':
      kind_ = Kind::text;
      return string(text_, text_scratch_);
    case 't':
      return word("true", Kind::boolean);
    case 'f':
      return word("false", Kind::boolean);
    case 'n':
      return word("null", Kind::missing);
    case 'N':  // as Python writes it
      return word("NaN", Kind::missing);
    case '[':
    case '{':
      kind_ = *at_ == '[' ? Kind::list : Kind::object;
      return skip_nested();
    default:
      return read_number();
  }
}

bool JsonLine::word(std::string_view word, Kind kind) {
  if (static_cast<std::size_t>(end_ - at_) < word.size() ||
      std::string_view(at_, word.size()) != word)
    return fail("the value of '" + shown(key_) + "' is not JSON", "strings stand in double quotes");
  kind_ = kind;
  text_ = word;
  at_ += word.size();
  return true;
}

bool JsonLine::read_number() {
  const char* const first = at_;
  const std::string_view infinity = "Infinity";  // as Python writes it
  const bool negative = *at_ == '-';
  if (std::string_view(at_ + negative, static_cast<std::size_t>(end_ - at_ - negative))
          .starts_with(infinity)) {
    at_ += negative + std::ssize(infinity);
    number_ = negative ? -std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::infinity();
  } else {
    if (!negative && !detail::is_digit(*at_))
      return fail("the value of '" + shown(key_) + "' is not JSON",
                  "strings stand in double quotes");
    while (at_ != end_ && (detail::is_digit(*at_) || *at_ == '.' || *at_ == 'e' || *at_ == 'E' ||
                           *at_ == '+' || *at_ == '-'))
      ++at_;
    text_ = {first, static_cast<std::size_t>(at_ - first)};
    if (read_plain_number(first, number_) != at_) {
      const std::optional<double> number = parse_number(text_);
      if (!number)
        return fail("the value of '" + shown(key_) + "', '" + shown(text_) + "', is not a number");
      number_ = *number;
    }
  }
  kind_ = Kind::number;
  text_ = {first, static_cast<std::size_t>(at_ - first)};
  return true;
}

/// To the end of a list or an object.
bool JsonLine::skip_nested() {
  text_ = {};
  Index depth = 0;
  for (; at_ != end_; ++at_) {
    if (*at_ == '"') {
      for (++at_; at_ != end_ && *at_ != '"'; ++at_)
        if (*at_ == '\\' && at_ + 1 != end_) ++at_;
      if (at_ == end_) break;
    } else if (*at_ == '[' || *at_ == '{') {
      ++depth;
    } else if ((*at_ == ']' || *at_ == '}') && --depth == 0) {
      ++at_;
      return true;
    }
  }
  return fail("the value of '" + shown(key_) + "' does not end in this line",
              "write each object in one line");
}

namespace {

class JsonParser {
 public:
  JsonParser(const CsvFormat& format, const JsonColumns& columns, CsvCells& cells)
      : format_(format),
        columns_(columns),
        cells_(cells),
        seen_(format.columns.size(), 0),
        texts_(static_cast<std::size_t>(format.texts)) {
    cells_.texts.resize(texts_.size());
    for (TextColumn& text : cells_.texts) text.clear();
    cells_.lines.clear();
    cells_.error.reset();
    cells_.line_count = 0;
  }

  void run(const CsvPiece& piece) {
    for (const char* p = piece.begin(); p != piece.end() && !cells_.error;) {
      const char* const end =
          static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(piece.end() - p)));
      line(p, end);
      p = end + 1;
      ++cells_.line_count;
    }
  }

 private:
  void line(const char* begin, const char* end) {
    const Index row = cells_.rows();
    const std::size_t needed = static_cast<std::size_t>((row + 1) * format_.numbers);
    if (cells_.numbers.size() < needed)
      cells_.numbers.resize(std::max(needed, 2 * cells_.numbers.size()));
    numbers_ = cells_.numbers.data() + row * format_.numbers;
    std::fill_n(numbers_, format_.numbers, std::numeric_limits<double>::quiet_NaN());
    for (Cell& cell : texts_) cell.present = false;
    ++stamp_;
    std::size_t expected = 0;
    JsonLine members(begin, end);
    while (members.next()) {
      std::size_t j = expected;
      if (j >= format_.columns.size() || format_.columns[j] != members.key()) {
        const auto found = columns_.find(members.key());
        if (found == columns_.end())
          return fail(0, "the key '" + shown(members.key()) + "' is new",
                      "the first rows of the file must have all keys");
        j = found->second;
      }
      if (seen_[j] == stamp_) return fail(0, "the key '" + shown(members.key()) + "' comes twice");
      seen_[j] = stamp_;
      expected = j + 1;
      take(members, j);
      if (cells_.error) return;
    }
    if (members.failed()) return fail(0, members.error(), members.advice());
    if (members.is_blank()) return;
    for (std::size_t t = 0; t < texts_.size(); ++t)
      texts_[t].present ? cells_.texts[t].add(texts_[t].text) : cells_.texts[t].add_missing();
    cells_.lines.push_back(cells_.line_count);
  }

  void take(const JsonLine& member, std::size_t j) {
    const Target& target = format_.targets[j];
    if (target.kind == Target::Kind::skip || member.kind() == JsonLine::Kind::missing) return;
    if (member.kind() == JsonLine::Kind::list || member.kind() == JsonLine::Kind::object)
      return fail(
          j + 1,
          member.kind() == JsonLine::Kind::list ? "the value is a list" : "the value is an object",
          "write numbers or strings, or leave the column out with " +
              Option{"ignore", format_.columns[j]});
    if (target.kind == Target::Kind::number)
      take_number(member, j, numbers_[target.slot]);
    else if (target.kind == Target::Kind::text)
      take_text(member, j, texts_[static_cast<std::size_t>(target.slot)]);
  }

  void take_number(const JsonLine& member, std::size_t j, double& value) {
    if (member.kind() == JsonLine::Kind::number) {
      value = member.number();
    } else if (const std::optional<double> number = number_in(
                   member.text(), *format_.missing,
                   member.kind() == JsonLine::Kind::boolean || format_.targets[j].words)) {
      value = *number;
    } else {
      fail(j + 1, not_a_number(member.text()),
           numbers_advice(format_.columns[j], format_.targets[j], member.text()));
    }
  }

  struct Cell {
    bool present = false;
    std::string text = {};
  };
  void take_text(const JsonLine& member, std::size_t j, Cell& cell) {
    const std::string_view text = member.text();
    const bool verbatim = format_.targets[j].verbatim;
    if (member.kind() == JsonLine::Kind::number && !verbatim &&
        text.find_first_not_of("0123456789-") != text.npos) {
      cell.text = name_of(member.number());
    } else if (member.kind() == JsonLine::Kind::text) {
      if ((*format_.missing)(text)) return;
      if (!is_utf8(text))
        return fail(j + 1, "the text is not UTF-8",
                    "convert the file, for example with iconv -f ISO-8859-1 -t UTF-8");
      if (text.find('\0') != text.npos) return fail(j + 1, "the text has a byte 0", "");
      cell.text = verbatim ? text : level_of(text);
    } else {
      cell.text = text;
    }
    cell.present = true;
  }

  void fail(std::size_t column, std::string sentence, Sentence advice = {}) {
    cells_.error =
        CsvCells::Error{cells_.line_count, column, std::move(sentence), std::move(advice)};
  }

  const CsvFormat& format_;
  const JsonColumns& columns_;
  CsvCells& cells_;
  double* numbers_ = nullptr;
  Index stamp_ = 0;
  std::vector<Index> seen_;  ///< per column: the stamp of the last line that has it
  std::vector<Cell> texts_;  ///< per slot, of the line
};

}  // namespace

void parse_ndjson(const CsvPiece& piece, const CsvFormat& format, const JsonColumns& columns,
                  CsvCells& cells) {
  JsonParser(format, columns, cells).run(piece);
}

}  // namespace suffice::cli
