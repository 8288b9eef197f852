// A file of costs, after a line with priors: the two meet the classes of a model.
#include "cli/commands/decision.hpp"
#include "cli/line/error.hpp"
#include "cli/line/option_values.hpp"
#include "fuzz/fuzz.hpp"

FUZZ_TARGET(costs) {
  using namespace suffice;
  static fuzz::MemoryFile file;
  static const Names labels({"a", "b", "ab c"});
  fuzz::Choices choices(data, size);
  const std::string_view prior = choices.line(), entries = choices.line();
  fuzz::succeeds([&] {
    const auto priors = cli::priors_for(cli::prior_of("--prior", prior), labels);
    if (!priors) return;
    double sum = 0;
    for (Index c = 0; c < labels.size(); ++c) sum += (*priors)[c];
    fuzz::require(sum > 0.999 && sum < 1.001, "priors sum to 1");
  });
  const auto meets_classes = [&](const cli::CostOption& option) {
    const auto costs = cli::costs_for(option, labels, {.threads = 1});
    if (costs) fuzz::require(costs->labels() == labels, "costs are those of the classes");
  };
  fuzz::succeeds([&] {
    const cli::CostOption option = cli::cost_of("--cost", entries);
    if (option.file.empty()) meets_classes(option);
  });
  cli::CostOption in_a_file;
  in_a_file.file = file.with(choices.rest());
  fuzz::succeeds([&] { meets_classes(in_a_file); });
}
