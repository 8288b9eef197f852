#include "arrow_stream.hpp"

#include <cstring>
#include <utility>

#include "call.hpp"
#include "suffice/core/error.hpp"

namespace suffice::python {
namespace {

/// Releases a structure of the interface when the last owner goes.
template <class Structure>
std::shared_ptr<Structure> shared(std::unique_ptr<Structure> structure) {
  return std::shared_ptr<Structure>(structure.release(), [](Structure* owned) {
    if (owned->release) owned->release(owned);
    delete owned;
  });
}

}  // namespace

void ArrowStream::Release::operator()(ArrowArrayStream* stream) const noexcept {
  if (stream->release) stream->release(stream);
  delete stream;
}

ArrowStream::ArrowStream(nb::capsule capsule) {
  constexpr const char* name = "arrow_array_stream";
  if (!PyCapsule_IsValid(capsule.ptr(), name))
    throw InvalidArgument("an Arrow stream comes in a capsule named 'arrow_array_stream'");
  auto* theirs = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (!theirs->release) throw InvalidArgument("the Arrow stream was read before");
  stream_.reset(new ArrowArrayStream(*theirs));
  theirs->release = nullptr;  // moved: the capsule has nothing left to release
  auto type = std::make_unique<ArrowSchema>();
  std::memset(type.get(), 0, sizeof(ArrowSchema));
  if (const int code = stream_->get_schema(stream_.get(), type.get()); code != 0) fail(code);
  type_ = shared(std::move(type));
  if (!type_->format || std::strcmp(type_->format, "+s") != 0)
    throw InvalidArgument("the Arrow stream holds no table, but a single column");
}

void ArrowStream::fail(int code) const {
  const char* text = stream_->get_last_error ? stream_->get_last_error(stream_.get()) : nullptr;
  throw DataError(std::string("the Arrow stream could not be read: ") +
                  (text ? text : std::strerror(code)));
}

std::optional<ArrowBatch> ArrowStream::next() {
  auto array = std::make_unique<ArrowArray>();
  std::memset(array.get(), 0, sizeof(ArrowArray));
  int code = 0;
  {
    const WithoutLock without_lock;  // a producer in Python takes the lock itself
    code = stream_->get_next(stream_.get(), array.get());
  }
  if (code != 0) {
    if (PyErr_Occurred()) throw nb::python_error();
    fail(code);
  }
  if (!array->release) return std::nullopt;
  const Index rows = static_cast<Index>(array->length);
  return ArrowBatch(type_, shared(std::move(array)), 0, rows);
}

}  // namespace suffice::python
