#pragma once
// A model as an ONNX graph.

#include <string>

#include "export/formula.hpp"

namespace suffice {

std::string write_onnx(const Formula& formula, const ExportOptions& options);

}  // namespace suffice
