// A statistics file with right checksums (fuzz/sealed.hpp): what the program does with one.
#include "fuzz/rows.hpp"
#include "fuzz/sealed.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/io/file.hpp"
#include "suffice/score/log_likelihood.hpp"
#include "suffice/select/choose.hpp"

FUZZ_TARGET(statistics) {
  using namespace suffice;
  static fuzz::MemoryFile file;
  const Execution one_thread{.threads = 1};
  std::optional<StatisticsFile> read;
  const std::string& path = file.with(fuzz::sealed(fuzz::Choices(data, size)));
  if (!fuzz::succeeds([&] { read = load_statistics_file(path); })) return;
  const Statistics& statistics = read->statistics;
  fuzz::require(statistics_from_bytes(to_bytes(statistics)) == statistics,
                "what was read can be saved, and is then the same");
  fuzz::succeeds([&] {
    const Statistics twice = merge(statistics, statistics);
    fuzz::succeeds([&] { subtract(twice, statistics); });
  });
  for (const EstimateOptions& options :
       {EstimateOptions{},
        EstimateOptions{.covariance = Covariance::tied, .tails = Tails::student(4)},
        EstimateOptions{.covariance = Covariance::diag, .smoothing = Smoothing::automatic()},
        EstimateOptions{.inference = Inference::bayes}})
    fuzz::succeeds([&] {
      const Model model = estimate(statistics, options, one_thread);
      const fuzz::SomeRows rows(model.schema());
      log_likelihood(model, rows.block(), {}, one_thread);
    });
  if (read->rows) fuzz::succeeds([&] { choose(statistics, read->rows->sample(), {}, one_thread); });
}
