#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "cli/readers/cells.hpp"
#include "cli/readers/formats.hpp"
#include "cli/readers/ndjson_parse.hpp"
#include "cli/readers/text_source.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

CellKind kind_of(JsonLine::Kind kind) {
  switch (kind) {
    case JsonLine::Kind::missing:
      return CellKind::missing;
    case JsonLine::Kind::number:
      return CellKind::number;
    case JsonLine::Kind::text:
    case JsonLine::Kind::boolean:
      return CellKind::text;
    case JsonLine::Kind::list:
    case JsonLine::Kind::object:
      return CellKind::unsupported;
  }
  return CellKind::missing;
}

/// The columns are the keys of the first rows, in the order in which they are met.
class NdjsonSource : public TextSource {
 public:
  NdjsonSource(const std::string& path, std::unique_ptr<PeekedBytes> bytes,
               const SourceOptions& options)
      : TextSource(path, std::move(bytes), options) {
    cutter_.set_separator('\n');
    counts_cells_ = false;
    if (!cut_ahead())
      throw FileError({.path = path}, called(path) + " is empty", "a table has at least a row");
    refuse_what_is_no_text(ahead_.front());
  }

  /// Looks at some rows even where none are asked for: only they know the keys.
  std::vector<SourceColumn> look(std::optional<Index> at_most) override {
    columns_.clear();
    std::vector<SourceColumn> columns;
    std::unordered_map<std::string, std::size_t> position;
    looked_at_ = 0;
    std::int64_t line = 0;
    const auto enough = [&] {
      return looked_at_ >=
             (at_most ? std::max<Index>(*at_most, 1000) : rows_to_look_at(std::ssize(columns)));
    };
    for (std::size_t i = 0; !enough(); ++i) {
      if (i == ahead_.size() && !cut_ahead()) break;
      const CsvPiece& piece = ahead_[i];
      for (const char* p = piece.begin(); p != piece.end() && !enough(); ++line) {
        const char* const end = static_cast<const char*>(
            std::memchr(p, '\n', static_cast<std::size_t>(piece.end() - p)));
        JsonLine members(p, end);
        while (members.next()) {
          const auto [found, is_new] = position.emplace(std::string(members.key()), columns.size());
          if (is_new) columns.push_back({found->first});
          note_kind(members, columns[found->second]);
        }
        if (members.failed())
          throw FileError({.path = format_.path, .line = static_cast<std::size_t>(line + 1)},
                          members.error(), members.advice());
        looked_at_ += !members.is_blank();
        p = end + 1;
      }
    }
    name_columns(columns);
    return columns;
  }

 private:
  void parse(const CsvPiece& piece, CsvCells& cells) const override {
    parse_ndjson(piece, format_, columns_, cells);
  }

  void note_kind(const JsonLine& member, SourceColumn& column) const {
    CellKind kind = kind_of(member.kind());
    if (member.kind() == JsonLine::Kind::text && missing_(member.text())) kind = CellKind::missing;
    if (kind == CellKind::missing || column.kind == CellKind::unsupported) return;
    if (kind == CellKind::unsupported) {
      column.kind = kind;
      column.type = member.kind() == JsonLine::Kind::list ? "list" : "object";
    } else {
      column.kind = column.kind == CellKind::missing || column.kind == kind ? kind : CellKind::text;
    }
  }

  void name_columns(const std::vector<SourceColumn>& columns) {
    format_.columns = names_of(columns);
    for (std::size_t j = 0; j < format_.columns.size(); ++j) {
      const std::string& name = format_.columns[j];
      if (name.empty() || !is_utf8(name))
        throw FileError({.path = format_.path}, called(format_.path) + " has a key that is " +
                                                    (name.empty() ? "empty" : "not UTF-8"));
      columns_.emplace(name, j);
    }
    if (columns.empty())
      throw FileError({.path = format_.path}, called(format_.path) + " has no keys",
                      "each line is an object, with the names of the columns as keys");
  }

  JsonColumns columns_;  ///< positions of the names
};

}  // namespace

std::unique_ptr<Source> open_ndjson(const std::string& path, std::unique_ptr<PeekedBytes> bytes,
                                    const SourceOptions& options) {
  return std::make_unique<NdjsonSource>(path, std::move(bytes), options);
}

}  // namespace suffice::cli
