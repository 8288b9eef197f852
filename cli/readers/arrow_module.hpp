#pragma once
// The border between the program and Arrow C++, which lives in a module of its own that is loaded
// when the first Parquet or Arrow file is met: it is large, and many systems do not have it. What
// crosses the border is C: two functions, and the Arrow C data and stream interfaces.

#include <cstdint>

struct ArrowArray;
struct ArrowArrayStream;
struct ArrowSchema;

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

/// Where the bytes of a file that is written go.
struct SufficeArrowSink {
  int parquet;  ///< 0: an Arrow (IPC) file
  /// Returns 0, or 1 on failure.
  int (*write)(void* self, const void* bytes, std::int64_t size);
  void* self;
};

/// A file that is being written. The functions return 0, or 1 and a reason in `error`.
struct SufficeArrowWriter {
  int (*append)(void* self, ArrowArray* batch, char* error, std::int64_t error_size);
  int (*finish)(void* self, char* error, std::int64_t error_size);
  void (*release)(void* self);
  void* self;
};

/// Begins a file of record batches of this schema.
using SufficeArrowCreate = int(const SufficeArrowSink* sink, ArrowSchema* schema,
                               SufficeArrowWriter* writer, char* error, std::int64_t error_size);
}

inline constexpr const char* suffice_arrow_open_name = "suffice_arrow_open";
inline constexpr const char* suffice_arrow_create_name = "suffice_arrow_create";
