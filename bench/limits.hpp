#pragma once
// What this machine can do at best: the rate at which all its cores together read memory, and the
// rate of their matrix products.

namespace suffice::bench {

/// Bytes a second, summing an array that is far larger than the caches.
double read_bandwidth(int threads);

/// Floating-point operations per second of square double products, one on each worker.
double gemm_rate(int threads);

}  // namespace suffice::bench
