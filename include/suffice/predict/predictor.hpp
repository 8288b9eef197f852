#pragma once
// From rows to answers in one step: scores, the model's calibration, and what priors and costs make
// of them.
//
//   const Model model = load_model("penguins.suffice");
//   Predictor predictor(model, {.priors = Priors::uniform(model), .wanted = {.posteriors = true}});
//   for (RowBlock rows : blocks) {
//     const Predictions& answers = predictor(rows);
//     answers.label(0), answers.posteriors(0, 1) …
//   }

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/decide/decide.hpp"
#include "suffice/models/model.hpp"
#include "suffice/score/log_likelihoods.hpp"

namespace suffice {

/// Which members of Predictions are filled. Where only decisions are wanted and nothing but the
/// most probable class is needed for them, no n × K matrix is made.
struct Wanted {
  bool decisions = true;
  bool posteriors = false;       ///< P(c | x)
  bool log_posteriors = false;   ///< log P(c | x): right where the posterior itself underflows
  bool ratios = false;           ///< as log_likelihood_ratios
  bool log_likelihoods = false;  ///< log p(x | c), never calibrated
  bool log_densities = false;    ///< log p(x) under the priors
  bool outlier_scores = false;   ///< also computed where there is a level of outliers
  bool typicality = false;       ///< how typical a row is of each class, as TypicalityScorer
  bool scores = false;           ///< what decisions are made of, maybe relative
  bool uncalibrated = false;     ///< these scores before the calibration
};

struct PredictorOptions {
  std::optional<Priors> priors = {};   ///< by default the training frequencies
  std::optional<Costs> costs = {};     ///< by default 1 for every mistake
  std::optional<double> reject = {};   ///< the cost of no decision
  std::optional<double> outlier = {};  ///< rows with an outlier score below this are outliers
  Wanted wanted = {};
  Missing missing = Missing::allow;  ///< whether rows may lack values
  std::uint64_t seed = 0;            ///< of the rows that outlier scores compare with
  Index samples = 20000;             ///< how many those are; fewer of long documents
};

/// What was wanted of some rows; other members say nothing.
struct Predictions {
  /// Their `expected_cost` is empty where neither costs nor a reject or outlier option are given:
  /// the most probable class is found without it.
  Decisions decisions;
  Matrix posteriors, log_posteriors, ratios;  ///< n × K; ratios n × 1 for two classes
  Vector log_densities, outlier_scores;
  Matrix typicality;  ///< n × K
  /// Not calibrated; relative unless they, log-densities or outlier scores are wanted.
  LogLikelihoods log_likelihoods;
  /// What posteriors and decisions are made of where these are not relative: the same numbers,
  /// whatever else is wanted. Otherwise empty, as for models whose relative scores are no others.
  LogLikelihoods relative;
  LogLikelihoods calibrated;          ///< empty where the model has no calibration
  std::vector<Index> unknown_levels;  ///< per feature: cells whose level the model does not know
  Index unprojected_rows = 0;         ///< those that lack a feature of a projection

  /// What decisions are made of.
  const LogLikelihoods& scores() const { return calibrated.labels.empty() ? plain() : calibrated; }
  /// The same before the calibration.
  const LogLikelihoods& plain() const {
    return relative.labels.empty() ? log_likelihoods : relative;
  }
  /// The name of the class that was decided, empty where none was.
  std::string_view label(Index row) const { return decisions.label(row); }
};

/// Answers for one block of rows after the other, in memory that is used again.
class Predictor {
 public:
  /// Keeps a view of the model. Throws InvalidArgument where priors or costs are over other
  /// classes, or a discriminative model is asked for densities.
  explicit Predictor(const Model& model, PredictorOptions options = {});
  explicit Predictor(Model&& model, PredictorOptions options = {}) = delete;
  ~Predictor();
  Predictor(Predictor&&) noexcept;

  /// Valid until the next call; what is moved out of it is made anew then. Rows need no labels.
  /// Throws as log_likelihood, decide and outlier_score.
  Predictions& operator()(const RowBlock& rows, const Execution& execution = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same for rows that come at once.
Predictions predict(const Model& model, const RowBlock& rows, const PredictorOptions& options = {},
                    const Execution& execution = {});

}  // namespace suffice
