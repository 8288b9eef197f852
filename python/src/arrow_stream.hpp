#pragma once
// Streams of record batches, as any object with __arrow_c_stream__ exports them.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rows.hpp"

// The third structure of Arrow's C interface, with the guard that its specification asks for.
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

namespace suffice::python {

class ArrowStream {
 public:
  /// Takes the stream out of its capsule ("arrow_array_stream").
  explicit ArrowStream(nb::capsule capsule);

  const ArrowSchema& type() const noexcept { return *type_; }
  /// Nothing at the end.
  std::optional<ArrowBatch> next();

 private:
  struct Release {
    void operator()(ArrowArrayStream* stream) const noexcept;
  };
  [[noreturn]] void fail(int code) const;

  std::unique_ptr<ArrowArrayStream, Release> stream_;
  std::shared_ptr<const ArrowSchema> type_;
};

}  // namespace suffice::python
