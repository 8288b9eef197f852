#pragma once
// What we ask of the operating system, in one place: memory here, files in io/.

#include <cstddef>

namespace suffice {

/// Bytes that this process can still take: the machine's available memory, or less if a control
/// group or a resource limit allows less. Infinity where that cannot be known.
double available_memory();

}  // namespace suffice
