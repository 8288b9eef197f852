#pragma once
// Rows that Python gives the engine again, pass by pass.

#include <nanobind/nanobind.h>

#include <string>

#include "suffice/select/choose.hpp"

namespace suffice::python {

namespace nb = nanobind;

/// How the rows are read again, from any thread: `read(schema)` gives them slice by slice, and must
/// outlive the result. None: not at all.
RowsAgain rows_again(const nb::object& read);

/// Throws InvalidArgument for another word than "auto", "em" and "complete".
MissingNumbers missing_numbers_from(const std::string& name);

}  // namespace suffice::python
