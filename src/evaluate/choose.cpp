#include "suffice/evaluate/choose.hpp"

#include "evaluate/chooser.hpp"

namespace suffice {

Model Choice::model(const Statistics& statistics, const Execution& execution) const {
  const Model model = estimate(statistics, options, execution);
  if (!best()) return model;
  EstimateFound found = model.parts().found;
  found.choice_candidates = {static_cast<double>(candidates.size())};
  found.choice_rows = {rows};
  found.choice_error_rate = {best()->error_rate};
  found.choice_log_loss = {best()->log_loss};
  found.choice_prior_error_rate = {prior_error_rate};
  found.choice_prior_log_loss = {prior_log_loss};
  return model.with_found(std::move(found)).with_calibration(calibration);
}

Choice choose(const Statistics& statistics, const SampledRows& sample, const ChooseOptions& options,
              const Execution& execution) {
  return Chooser(statistics, sample, propose(statistics, options), options.calibrate, execution)
      .run();
}

}  // namespace suffice
