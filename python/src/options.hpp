#pragma once
// Options of estimation as dictionaries of Python: the names of EstimateOptions, with numbers and
// texts as values.

#include <nanobind/nanobind.h>

#include "suffice/evaluate/grid.hpp"
#include "suffice/models/estimate.hpp"

namespace suffice::python {

namespace nb = nanobind;

/// Values by name. pca: "50", "90%" or a share; shrinkage: "auto", "oas", "12 rows" or a share.
/// Throws InvalidArgument for a name or a value that there is not.
EstimateOptions options_of(const nb::dict& given);

/// Lists of values by name; None in the lists of pca and lda is no projection.
Grid grid_of(const nb::dict& given);

/// The engine's table of options: name, values, default, description.
nb::list option_texts();

}  // namespace suffice::python
