// A model file with right checksums (fuzz/sealed.hpp): what the program does with one.
#include "fuzz/rows.hpp"
#include "fuzz/sealed.hpp"
#include "suffice/suffice.hpp"

FUZZ_TARGET(model) {
  using namespace suffice;
  const Execution one_thread{.threads = 1};
  const std::string bytes = fuzz::sealed(fuzz::Choices(data, size));
  std::optional<Model> read;
  if (!fuzz::succeeds([&] { read = model_from_bytes(bytes); })) return;
  const Model& model = *read;
  const std::string again = to_bytes(model);
  fuzz::require(to_bytes(model_from_bytes(again)) == again,
                "what was read can be saved, and is then the same");
  const fuzz::SomeRows rows(model.schema());
  fuzz::succeeds([&] {
    const LogLikelihoods scores = calibrated_scores(model, rows.block(), {}, one_thread);
    const Priors priors = Priors::from_counts(model);
    const Decisions decisions = decide(scores, priors, {}, one_thread);
    for (Index i = 0; i < decisions.rows(); ++i)
      fuzz::require(decisions.classes[static_cast<std::size_t>(i)] >= 0, "each row has a class");
  });
  fuzz::succeeds([&] {
    const LogLikelihoods scores = log_likelihood(model, rows.block(), {}, one_thread);
    outlier_score(model, rows.block(), scores, Priors::from_counts(model).probabilities(),
                  {.samples = 20}, one_thread);
  });
  fuzz::succeeds([&] { sample(model, 3, model.labels()[0], {}, one_thread); });
  fuzz::succeeds([&] { discriminant(model, model.labels()[0]); });
  fuzz::succeeds([&] { separation(model); });
  for (const ExportTarget target : export_targets())
    fuzz::succeeds([&] { export_model(model, target, {}, one_thread); });
}
