#include "cli/input/column_names.hpp"

#include <unordered_map>

#include "cli/readers/bytes.hpp"
#include "cli/readers/csv_text.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {

std::vector<std::string> read_column_names(const std::string& path, const std::stop_token& stop) {
  const std::unique_ptr<Bytes> bytes = open_bytes(path, stop);
  std::string text;
  constexpr std::size_t step = 1 << 16;
  for (std::size_t got = step; got == step;) {
    const std::size_t had = text.size();
    text.resize(had + step);
    got = bytes->read(text.data() + had, step);
    text.resize(had + got);
  }
  std::vector<std::string> names;
  std::unordered_map<std::string, std::size_t> lines;
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  text.resize(last == text.npos ? 0 : last + 1);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line(text.data() + begin, end - begin);
    const std::size_t first = line.find_first_not_of(" \t\r");
    const Place place{.path = path, .line = names.size() + 1};
    if (first == line.npos) throw FileError(place, "the line is empty", "each line is a name");
    std::string name(line.substr(first, line.find_last_not_of(" \t\r") + 1 - first));
    if (!is_utf8(name)) throw FileError(place, "the name is not UTF-8", "convert the file");
    const auto [other, is_new] = lines.emplace(name, place.line);
    if (!is_new)
      throw FileError(place, "the name '" + name + "' stands in line " +
                                 std::to_string(other->second) + " already");
    names.push_back(std::move(name));
    begin = end + 1;
  }
  if (names.empty()) throw FileError({.path = path}, called(path) + " has no names");
  return names;
}

void name_columns(std::vector<SourceColumn>& columns, const std::vector<std::string>& names,
                  const std::string& path, bool sparse) {
  std::size_t numbered = 0;
  for (SourceColumn& column : columns) {
    if (column.name != "x" + std::to_string(numbered)) continue;
    if (numbered < names.size()) column.name = names[numbered];
    ++numbered;
  }
  if (numbered == 0)
    throw FileError(
        {.path = path}, called(path) + " has names of its own",
        Option{"names"} + " is for columns without names, such as those of LIBSVM files");
  // The rows of a sparse file say in which line a column without a name is.
  if (!sparse && numbered != names.size())
    throw FileError({.path = path}, called(path) + " has " + std::to_string(numbered) +
                                        " columns, and " + Option{"names"} + " has " +
                                        std::to_string(names.size()));
}

}  // namespace suffice::cli
