#pragma once
// Streams of record batches, as any object with __arrow_c_stream__ exports them.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rows.hpp"
#include "suffice/data/arrow.hpp"

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
