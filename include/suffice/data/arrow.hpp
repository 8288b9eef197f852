#pragma once
// Arrow tables come in through the Arrow C data interface, without a copy and without Arrow's
// library: a record batch is a struct array, its children are matched to the schema by name.

#include <cstdint>
#include <string>

#include "suffice/data/row_block.hpp"
#include "suffice/data/schema.hpp"

// The structures of the interface, as its specification fixes their layout; the guards are those
// that the specification asks for.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
}
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
extern "C" {
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
}
#endif

namespace suffice {

struct ArrowColumns {
  std::string label = {};   ///< the column with the labels; empty: none
  std::string weight = {};  ///< the column with the weights; empty: none
};

/// One array as a column: integers, floats, booleans, strings (utf8, large_utf8), dictionaries of
/// strings, with their validity bits. Throws DataError for any other type, naming it.
Column column_from_arrow(const ArrowSchema& type, const ArrowArray& array);

/// The batch's columns in the order of `schema`; columns that the schema does not name are passed
/// over. The batch must outlive the view; it is not released here.
/// Throws DataError where a column is absent or has a type that its family cannot use.
RowBlock rows_from_arrow(const Schema& schema, const ArrowSchema& type, const ArrowArray& batch,
                         const ArrowColumns& columns = {});

/// A schema from a batch's types: numbers are Gaussian; strings, booleans and dictionaries
/// categorical. The label and weight columns are left out.
Schema schema_from_arrow(const ArrowSchema& type, const ArrowColumns& columns = {});

}  // namespace suffice
