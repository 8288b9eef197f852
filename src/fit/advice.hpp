#pragma once
// What would work where a named model cannot be estimated: only what was tried is advised.

#include "fit/training.hpp"

namespace suffice {

/// What `work` makes of these options. A SingularError, and an InvalidArgument that has a place in
/// the data, come with other advice.
Model with_tried_advice(Training& training, const EstimateOptions& given,
                        const std::function<Model()>& work);

}  // namespace suffice
