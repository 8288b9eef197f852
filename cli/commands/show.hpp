#pragma once
// The parts of `suffice show`: a model or statistics as text for people and as JSON for programs.

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/context.hpp"
#include "cli/output/json.hpp"
#include "suffice/models/discriminant.hpp"
#include "suffice/models/model.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::cli {

std::string model_text(const Context& context, const Model& model);
/// The functions behind the decisions, as a table (linear) or one after the other (quadratic).
std::string discriminant_text(const Context& context, const Model& model);
std::string statistics_text(const Context& context, const Statistics& statistics);

/// The keys are those of the contract, "show --json".
Json model_json(const Model& model, bool with_discriminant);
Json statistics_json(const Statistics& statistics);
/// How the model was estimated: numbers as numbers.
Json options_json(const Model& model);

/// Options of a model that are no choice but what came out: shrinkage_rows, pca_explained, …
bool is_found(std::string_view option);
/// How strongly covariances were shrunk: `asked`, and what there is of `rows`, `target_rows` and
/// `shares`.
Json shrinkage_json(const Model& model);
/// The same as a line for people, or nothing where nothing was shrunk.
std::string shrinkage_in_words(const Model& model);
/// What a projection keeps, as a line; or nothing.
std::string projection_in_words(const Model& model);

/// The features of a block as they are transformed: "log1p(price)".
std::vector<std::string> transformed_names(const Schema& schema, const Block& block);

/// Something about each class, side by side: one column a class, below each other where the
/// terminal is too narrow for all of them.
class ClassTable {
 public:
  ClassTable(std::vector<std::string> headings, const Names& labels);
  /// One cell for each heading, then one for each class.
  void add(std::vector<std::string> heads, std::vector<std::string> cells);
  std::string render(const Terminal& terminal) const;

 private:
  std::vector<std::string> headings_, labels_;
  std::vector<std::vector<std::string>> heads_, cells_;
};

/// "3 classes", the label's column, and the classes with their weights and shares.
std::string classes_text(const Terminal& terminal, const Schema& schema, const Names& labels,
                         const Vector& weights);
/// A heading on a line of its own.
std::string heading(const Terminal& terminal, std::string_view text);

/// The positions of the largest `values`, at most `top` of them (0: all), the largest first; NaN
/// last, the first of equals first.
std::vector<Index> largest(const std::vector<double>& values, std::int64_t top);

}  // namespace suffice::cli
