#include "fit/training.hpp"

#include <utility>

#include "stats/filled.hpp"

namespace suffice {

ChooseOptions choose_options(const FitOptions& options) {
  ChooseOptions result{.fixed = options.fixed,
                       .given = options.estimate,
                       .calibrate = options.calibrate.value_or(true),
                       .seed = options.seed};
  result.given.components = 1;  // mixtures have the covariance that is chosen without them
  return result;
}

Sentence passes_ran_out(const PassOptions& passes) {
  const std::string count = std::to_string(passes.iterations);
  return "EM stopped after " + count + (passes.iterations == 1 ? " pass" : " passes") +
         " before it converged; try more " + Option{"iterations"};
}

void Training::warn(Sentence sentence) {
  gathered.notes.push_back({FitNote::Kind::warning, std::move(sentence)});
}

void Training::note(Sentence sentence) {
  gathered.notes.push_back({FitNote::Kind::note, std::move(sentence)});
}

Execution Training::showing(std::string_view what) const {
  Execution result = execution;
  if (options.progress)
    result.progress = [&tell = options.progress, what = std::string(what)](double done) {
      tell(what, done);
    };
  return result;
}

bool Training::can_read_again() const {
  return gathered.has_all_rows() || (source() && !source()->read_only_once());
}

Statistics Training::read_again(const Schema& schema) {
  Statistics statistics = gather_again(gathered, schema, options, execution);
  if (!fills) return statistics;
  std::optional<Filled> found = filled(statistics);
  if (!found) return statistics;
  put_in.emplace_back(schema, std::move(found->values));
  return std::move(found->statistics);
}

ChooseOptions Training::choose_options() const {
  ChooseOptions result = suffice::choose_options(options);
  result.missing = missing();
  return result;
}

MissingOptions Training::missing() const {
  MissingOptions result{.numbers = options.missing, .passes = options.passes};
  if (gathered.has_all_rows())
    result.rows = [this](const Schema&, const auto& use) { use(gathered.sample->rows()); };
  else if (source() && !source()->read_only_once())
    result.rows = [this, number = std::make_shared<Index>(1)](const Schema& schema,
                                                              const auto& use) {
      source()->read({.schema = schema,
                      .what = "completing missing numbers, pass " + std::to_string((*number)++)},
                     [&](const RowBlock& rows, const Column&) { use(rows); });
    };
  return result;
}

RowPass Training::pass(std::string what, bool unlabelled) const {
  return [this, what = std::move(what), unlabelled,
          number = std::make_shared<Index>(1)](const auto& use) {
    source()->read({.schema = statistics().schema(),
                    .what = what + ", pass " + std::to_string((*number)++),
                    .unlabelled = unlabelled},
                   [&](const RowBlock& rows, const Column&) { use(rows); });
  };
}

}  // namespace suffice
