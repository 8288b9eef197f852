#include "suffice/evaluate/choose.hpp"

#include "evaluate/chooser.hpp"

namespace suffice {

Model Choice::model(const Statistics& statistics, const Execution& execution) const {
  Model model = estimate(statistics, options, execution);
  return calibration ? model.with_calibration(*calibration) : model;
}

Choice choose(const Statistics& statistics, const SampledRows& sample, const ChooseOptions& options,
              const Execution& execution) {
  return Chooser(statistics, sample, propose(statistics, options), options.calibrate, execution)
      .run(options.given);
}

}  // namespace suffice
