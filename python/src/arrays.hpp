#pragma once
// NumPy arrays in and out. What comes in is looked at where it lies; what goes out keeps the memory
// that the engine made.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/buffer.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/data/row_block.hpp"

namespace suffice::python {

namespace nb = nanobind;

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using OutArray = nb::ndarray<nb::numpy, double>;
using OutClasses = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;
using OutCodes = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;
using OutBytes = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>;

/// Throw InvalidArgument for another number of dimensions or a type that is no number; `what` says
/// whose it is.
MatrixView matrix_view(const AnyArray& array, const std::string& what);
Column column_view(const AnyArray& array, const std::string& what);

/// Copies of small things: parameters, priors, costs.
Matrix matrix_of(const Doubles& array, const std::string& what);
Vector vector_of(const Doubles& array, const std::string& what);

OutArray to_numpy(Matrix matrix);
OutArray to_numpy(Vector vector);
OutClasses to_numpy(std::vector<Index> classes);
OutCodes to_numpy(Buffer<std::int32_t> codes);
OutBytes to_numpy(std::vector<std::uint8_t> bytes);
/// Matrices of one shape, stacked.
OutArray to_numpy(const std::vector<const Matrix*>& matrices, Index rows, Index cols);

}  // namespace suffice::python
