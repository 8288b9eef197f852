// Files of costs and of priors, after a line with priors and one with costs: they meet the classes
// of a model.
#include "cli/line/error.hpp"
#include "cli/line/option_values.hpp"
#include "cli/verbs/decision.hpp"
#include "fuzz/fuzz.hpp"

FUZZ_TARGET(costs) {
  using namespace suffice;
  static fuzz::MemoryFile file;
  static const Names labels({"a", "b", "ab c"});
  static const Vector counts{3, 0, 2};
  fuzz::Choices choices(data, size);
  const std::string_view prior = choices.line(), entries = choices.line();
  static const cli::Options options;
  static cli::Terminal terminal(true, true);
  const cli::Context context{options, {.threads = 1}, terminal};
  const auto sum_to_one = [&](const cli::PriorOption& option) {
    const auto priors = cli::priors_for(option, labels, counts, context);
    if (!priors) return;
    double sum = 0;
    for (Index c = 0; c < labels.size(); ++c) sum += (*priors)[c];
    fuzz::require(sum > 0.999 && sum < 1.001, "priors sum to 1");
  };
  fuzz::succeeds([&] {
    const cli::PriorOption option = cli::prior_of("--prior", prior);
    if (option.kind != cli::PriorOption::Kind::file) sum_to_one(option);
  });
  const auto meets_classes = [&](const cli::CostOption& option) {
    const auto costs = cli::costs_for(option, labels, {.threads = 1});
    if (costs) fuzz::require(costs->labels() == labels, "costs are those of the classes");
  };
  fuzz::succeeds([&] {
    const cli::CostOption option = cli::cost_of("--cost", entries);
    if (option.file.empty()) meets_classes(option);
  });
  const std::string path = file.with(choices.rest());
  fuzz::succeeds([&] { meets_classes({.file = path}); });
  fuzz::succeeds([&] { sum_to_one({.kind = cli::PriorOption::Kind::file, .file = path}); });
}
