#pragma once
// Finds and loads the module that knows Arrow, and owns what comes through the C interface.

#include <string>
#include <utility>

#include "cli/readers/arrow_module.hpp"
#include "suffice/data/arrow.hpp"

namespace suffice::cli {

/// The module's function that opens files. It is searched in the file that SUFFICE_ARROW_MODULE
/// names, beside the program, and in ../lib/suffice from there; loaded once. Throws FileError about
/// `path`, the file that is to be read, where there is none.
SufficeArrowOpen* arrow_module(const std::string& path);
/// The same for a file that is to be written.
SufficeArrowCreate* arrow_module_to_write(const std::string& path);

/// A structure of the interface, released when it is no longer needed.
template <class T>
class ArrowHandle {
 public:
  ArrowHandle() = default;
  ArrowHandle(ArrowHandle&& other) noexcept : value_(std::exchange(other.value_, {})) {}
  ArrowHandle& operator=(ArrowHandle&& other) noexcept {
    release();
    value_ = std::exchange(other.value_, {});
    return *this;
  }
  ~ArrowHandle() { release(); }

  bool is_there() const noexcept { return value_.release != nullptr; }
  void release() {
    if (value_.release) value_.release(&value_);
    value_ = {};
  }
  T* get() noexcept { return &value_; }
  T* operator->() noexcept { return &value_; }
  const T* operator->() const noexcept { return &value_; }
  Index length() const noexcept { return static_cast<Index>(value_.length); }

 private:
  T value_ = {};
};

using ArrowStreamHandle = ArrowHandle<ArrowArrayStream>;
using ArrowSchemaHandle = ArrowHandle<ArrowSchema>;
using ArrowBatchHandle = ArrowHandle<ArrowArray>;

}  // namespace suffice::cli
