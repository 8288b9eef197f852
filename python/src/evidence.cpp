// What models say of single rows beside the decision: evidence, sets of classes; and of labels:
// suspects.

#include "suffice/evidence/evidence.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "row_source.hpp"
#include "rows.hpp"
#include "suffice/predict/sets.hpp"
#include "suffice/score/block_scores.hpp"
#include "suffice/suspects/suspects.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

std::tuple<OutArray, OutArray, OutClasses, OutClasses> evidence_of(
    const Model& model, const Rows& rows, const Doubles& probabilities,
    const std::optional<std::string>& of, const std::optional<std::string>& against,
    const std::string& unit, std::uint64_t seed, int threads) {
  const double factor = per_nat(evidence_unit_from_string(unit));
  const Vector given = vector_of(probabilities, "the priors");
  const Priors priors(model.labels(), std::span<const double>(given.begin(), given.end()));
  Evidence found;
  call(threads, 10 * rows.size() * static_cast<double>(model.labels().size()),
       [&](const Execution& execution) {
         // Scored even where it is known which classes are compared: so values are checked.
         const LogLikelihoods scores =
             calibrated_scores(model, rows.block(), {.relative = true}, execution);
         EvidenceScorer scorer(model, {.priors = priors, .seed = seed});
         Contrast contrast = of ? contrast_of(model, rows.block().rows(), *of, against)
                                : runner_up(model, scores, priors);
         found = scorer(rows.block(), std::move(contrast), execution);
       });
  for (Index i = 0; i < found.rows(); ++i) {
    for (double& value : found.values.row(i)) value *= factor;
    found.offset[i] *= factor;
  }
  return {to_numpy(std::move(found.values)), to_numpy(std::move(found.offset)),
          to_numpy(std::move(found.contrast.of)), to_numpy(std::move(found.contrast.against))};
}

OutBytes sets_of(const Model& model, const Rows& rows, double coverage, bool per_class,
                 bool allow_empty, int threads) {
  ClassSets found;
  call(threads, rows.size() * static_cast<double>(model.labels().size()),
       [&](const Execution& execution) {
         found = class_sets(
             model, rows.block(),
             {.coverage = coverage, .per_class = per_class, .allow_empty = allow_empty}, execution);
       });
  return to_numpy(std::move(found.members));
}

/// Suspects as columns, and the columns with the most evidence of each.
nb::dict as_dict(const std::vector<Suspect>& suspects,
                 std::vector<std::vector<std::pair<std::string, double>>> reasons) {
  std::vector<Index> row, label, looks_like;
  std::vector<std::uint8_t> flagged;
  Vector probability(std::ssize(suspects)), score(std::ssize(suspects));
  nb::list why;
  for (std::size_t k = 0; k < suspects.size(); ++k) {
    const Suspicion& of = suspects[k].found;
    row.push_back(suspects[k].row);
    label.push_back(of.label);
    looks_like.push_back(of.looks_like);
    flagged.push_back(of.flagged);
    probability[static_cast<Index>(k)] = of.probability;
    score[static_cast<Index>(k)] = of.score;
    nb::dict columns;
    for (const auto& [column, value] : reasons[k]) columns[column.c_str()] = value;
    why.append(std::move(columns));
  }
  nb::dict result;
  result["row"] = to_numpy(std::move(row));
  result["label"] = to_numpy(std::move(label));
  result["looks_like"] = to_numpy(std::move(looks_like));
  result["probability"] = to_numpy(std::move(probability));
  result["score"] = to_numpy(std::move(score));
  result["flagged"] = to_numpy(std::move(flagged));
  result["reasons"] = std::move(why);
  return result;
}

std::tuple<Model, nb::dict, Index, Index, std::vector<std::string>> find_suspects(
    const nb::object& given, const FitOptions& options, bool all, Index reasons, int threads) {
  PyRowSource source(given);
  std::optional<SuspectFinder> finder;
  std::vector<Suspect> suspects;
  std::vector<std::vector<std::pair<std::string, double>>> why;
  call(threads, 100 * nb::cast<double>(given.attr("size")), [&](const Execution& execution) {
    finder.emplace(source, SuspectOptions{.fit = options}, execution);
    EvidenceScorer scorer(finder->model(), {.seed = options.seed});
    std::vector<std::pair<Suspect, std::vector<std::pair<std::string, double>>>> found_rows;
    finder->read(
        [&](const RowBlock& rows, Index first, const std::vector<Suspicion>& found) {
          for (Index i = 0; i < rows.rows(); ++i) {
            const Suspicion& of = found[static_cast<std::size_t>(i)];
            if (!all && !of.flagged) continue;
            auto& entry = found_rows.emplace_back();
            entry.first = {first + i, of};
            if (!of.flagged || reasons == 0) continue;
            const Evidence evidence =
                scorer(rows.slice(i, 1), {{of.looks_like}, {of.label}}, {.threads = 1});
            for (const Index j : evidence.most_telling(0, reasons))
              entry.second.emplace_back(evidence.columns[static_cast<std::size_t>(j)],
                                        evidence.values(0, j));
          }
        },
        execution);
    if (!all)
      std::ranges::sort(found_rows,
                        [](const auto& a, const auto& b) { return is_worse(a.first, b.first); });
    for (auto& [suspect, columns] : found_rows) {
      suspects.push_back(suspect);
      why.push_back(std::move(columns));
    }
  });
  std::vector<std::string> warnings;
  for (const FitNote& note : finder->notes())
    if (note.kind == FitNote::Kind::warning) warnings.push_back(text_of(note.sentence));
  return {finder->model(), as_dict(suspects, std::move(why)), finder->rows(), finder->subtracted(),
          std::move(warnings)};
}

}  // namespace

void bind_evidence(nb::module_& module, nb::class_<Model>& model) {
  model
      .def("evidence", evidence_of, "rows"_a, "priors"_a, "of"_a.none(), "against"_a.none(),
           "unit"_a, "seed"_a = 0, "threads"_a = 0)
      .def("sets", sets_of, "rows"_a, "coverage"_a, "per_class"_a, "allow_empty"_a,
           "threads"_a = 0);
  module.def("suspects", find_suspects, "rows"_a, "options"_a, "all"_a, "reasons"_a,
             "threads"_a = 0);
}

}  // namespace suffice::python
