#pragma once
// A stranger's table, from its bytes to decisions: what `stats`, `fit --covariance diag` and
// `predict` do.

#include <optional>
#include <string>
#include <utility>

#include "cli/input/plan.hpp"
#include "cli/input/table.hpp"
#include "fuzz/fuzz.hpp"
#include "suffice/decide/decide.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/score/log_likelihood.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::fuzz {

inline const Execution one_thread = {.threads = 1};

/// The label is the format's own, or the last column.
inline std::string label_of(cli::Table& table) {
  if (!table.own_label().empty() || table.columns().empty()) return table.own_label();
  return table.columns().back().name;
}

/// The sums of a table, with the schema that its first rows suggest.
inline Statistics read_statistics(const cli::InputOptions& input, cli::ColumnOptions columns,
                                  Index block_rows) {
  cli::Table table(input, one_thread);
  columns.label = label_of(table);
  const cli::Plan plan = plan_training(table, columns);
  table.select(plan.selection);
  Statistics statistics(plan.schema, {.scatter = Scatter::diagonal});
  for (cli::Rows rows = table.make_rows(block_rows); table.next(rows);) {
    cli::drop_unlabelled(plan, rows);
    cli::with_places(rows, [&] { statistics.update(cli::view(plan, rows), one_thread); });
  }
  return statistics;
}

/// The decisions of a model for the rows of a table.
inline void predict(const cli::InputOptions& input, const Model& model, Index block_rows) {
  cli::Table table(input, one_thread);
  const cli::Plan plan = plan_scoring(table, model.schema(), "", "");
  table.select(plan.selection);
  const Priors priors = Priors::from_counts(model);
  for (cli::Rows rows = table.make_rows(block_rows); table.next(rows);)
    cli::with_places(rows, [&] {
      const auto scores = log_likelihood(model, cli::view(plan, rows), {}, one_thread);
      const Decisions decisions = decide(scores, priors, {}, one_thread);
      for (Index i = 0; i < decisions.rows(); ++i)
        require(decisions.classes[i] >= 0 && decisions.classes[i] < model.labels().size(),
                "a row is given one of the classes");
    });
}

inline void learn_and_predict(cli::InputOptions input, const std::string& path,
                              cli::ColumnOptions columns = {}) {
  input.paths = {path};
  std::optional<Model> model;
  const bool learned = succeeds([&] {
    const Statistics statistics = read_statistics(input, columns, 32);
    model = estimate(statistics, {.covariance = Covariance::diag, .smoothing = 1.0}, one_thread);
  });
  if (learned) succeeds([&] { predict(input, *model, 7); });
}

/// The input is a file of this format.
inline void learn_and_predict(const std::string& format, const std::uint8_t* data,
                              std::size_t size) {
  static MemoryFile file;
  cli::InputOptions input;
  input.format = format;
  learn_and_predict(input, file.with(Choices(data, size).rest()));
}

}  // namespace suffice::fuzz
