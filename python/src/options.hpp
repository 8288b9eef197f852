#pragma once
// Options of estimation between Python and the engine: dictionaries of texts one way, of numbers
// and texts the other. Names and texts are those of the engine's table.

#include <nanobind/nanobind.h>

#include <map>
#include <string>

#include "suffice/models/model.hpp"
#include "suffice/train/completion.hpp"

namespace suffice::python {

namespace nb = nanobind;

/// Throws InvalidArgument for an unknown name or a text that is no value.
EstimateOptions options_of(const std::map<std::string, std::string>& texts);

/// Throws InvalidArgument for another word than "auto", "em" and "complete".
MissingNumbers missing_numbers_from(const std::string& name);

/// Numbers as int or float, everything else as str.
nb::dict to_python(const EstimateOptions& options);
/// The options of a model and what their estimate found; one number, or a list of several.
nb::dict options_and_found(const Model& model);

/// The engine's table: name, values, default, description, in_grids.
nb::list option_table();

}  // namespace suffice::python
