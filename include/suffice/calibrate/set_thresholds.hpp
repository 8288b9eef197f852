#pragma once
// How probable held-out rows find their own class: from that follow sets of classes that contain
// the true one as often as is asked (predict/sets.hpp).

#include <span>

#include "suffice/core/matrix.hpp"

namespace suffice {

/// Calibration::thresholds from posteriors (n × K) of rows that the scores had not seen. Of m rows
/// of a class, or of all, the threshold at coverage P is the ⌊(m + 1)(1 − P)⌋-th smallest posterior
/// of a row's own class, and 0 where that is the 0-th: the true class of one more row then reaches
/// it with a probability of P at least, if rows are exchangeable. Weights count rows; `labels`
/// below 0 have no part. Empty weights are 1. Throws InvalidArgument where sizes differ.
Matrix set_thresholds(const Matrix& posteriors, std::span<const Index> labels,
                      std::span<const double> weights = {});

}  // namespace suffice
