#pragma once
// The border between the program and Arrow C++, which lives in a module of its own that is loaded
// when the first Parquet or Arrow file is met: it is large, and many systems do not have it. What
// crosses the border is C: one function, and the Arrow C stream interface.

#include <cstdint>

struct ArrowArrayStream;

extern "C" {

/// What is to be read. Of `path` and `read` one is given.
struct SufficeArrowRequest {
  /// A Parquet or Arrow (IPC) file, told apart by their first bytes.
  const char* path;
  /// The bytes of an Arrow stream, in order: fewer than `count` only at the end, -1 on failure.
  std::int64_t (*read)(void* self, void* to, std::int64_t count);
  /// Told for each column of the file, in order: what the file calls its type.
  void (*tell_type)(void* self, const char* type);
  void* self;

  const std::int64_t* columns;  ///< positions of those wanted, ascending; null: all
  std::int64_t column_count;
  int schema_only;  ///< not 0: the stream has no batches
  int threads;
  std::int64_t batch_rows;  ///< of Parquet; Arrow files have the batches they were written in
};

/// Opens a stream of record batches whose columns are booleans, numbers, strings and dictionaries
/// of strings; decimals arrive as doubles, views as plain strings. Columns of any other type stay
/// as they are. `rows` receives the number of rows, or -1 where the file does not say it.
/// Returns 0, or 1 and a reason in `error`, which has `error_size` bytes.
using SufficeArrowOpen = int(const SufficeArrowRequest* request, ArrowArrayStream* stream,
                             std::int64_t* rows, char* error, std::int64_t error_size);
}

inline constexpr const char* suffice_arrow_open_name = "suffice_arrow_open";
