#pragma once
// Named figures as dictionaries.

#include <nanobind/nanobind.h>

#include <vector>

#include "suffice/core/figure.hpp"

namespace suffice::python {

nanobind::dict to_python(const std::vector<Figure>& figures);

}  // namespace suffice::python
