#pragma once
// Rows that Python has, as a source for `fit`.

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

#include "suffice/fit/row_source.hpp"

namespace suffice::python {

namespace nb = nanobind;

/// A RowSource of python/suffice/_row_source.py. It is made and destroyed under the interpreter's
/// lock, and read without it.
class PyRowSource : public RowSource {
 public:
  explicit PyRowSource(nb::object rows);

  const Schema& schema() const override { return schema_; }
  std::vector<bool> given_families() const override { return given_families_; }
  bool is_sparse() const override { return sparse_; }
  std::optional<std::string> read_only_once() const override { return once_; }
  RowCounts read(const Reading& reading, const Use& use) override;

 private:
  nb::object rows_;
  Schema schema_;
  std::vector<bool> given_families_;
  bool sparse_, finalizing_;
  std::optional<std::string> once_;
};

}  // namespace suffice::python
