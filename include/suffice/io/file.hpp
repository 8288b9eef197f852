#pragma once
// Files for statistics and models. The layout is that of safetensors: eight bytes with the length
// of a JSON header, the header, the tensors. So any safetensors reader shows the numbers; nothing
// in a file is ever executed, every length in it is checked before it is used, and a SHA-256 of the
// tensors tells a damaged file. A file appears whole or not at all.

#include <optional>
#include <string>
#include <string_view>

#include "suffice/models/model.hpp"
#include "suffice/stats/reservoir.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// The newest version of the format. Every version up to this one is read, from the first release
/// on. A file has the oldest version that knows all of its members and options (their `since`).
inline constexpr int file_format_version = 1;

enum class FileKind { statistics, model };

/// Which of the two a file holds. Throws FileError.
FileKind file_kind(const std::string& path);

/// Writes to a temporary file beside `path`, flushes it to the disk, and renames it. The same
/// object gives the same bytes. Throws FileError; then `path` is as it was.
void save(const Statistics& statistics, const std::string& path);
void save(const Model& model, const std::string& path);

/// With some of the rows, which `choose` can use. Rows may be private: only where that is asked
/// for.
void save(const Statistics& statistics, const Reservoir& rows, const std::string& path);

/// What a statistics file holds.
struct StatisticsFile {
  Statistics statistics;
  std::optional<Reservoir> rows = {};
};
/// Throws as load_statistics, which gives the statistics alone.
StatisticsFile load_statistics_file(const std::string& path);

/// What was saved, to the last bit. Throws FileError that says what is wrong with the file.
Statistics load_statistics(const std::string& path);
Model load_model(const std::string& path);

/// Exactly the bytes of the file, to be sent or kept elsewhere; and back. The FileError of bytes
/// that are no such file has an empty path.
std::string to_bytes(const Statistics& statistics);
std::string to_bytes(const Model& model);
Statistics statistics_from_bytes(std::string_view bytes);
Model model_from_bytes(std::string_view bytes);

}  // namespace suffice
