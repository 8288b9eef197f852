#pragma once
// Pictures of models, rows and reports, as SVG text.
//
//   const Picture picture = plot::regions(model, {.features = {0, 2}}, &rows);
//
// Densities and posteriors are those of the model. Where a picture has fewer axes than the model
// has features, the others are not known there: their exact marginal is drawn, and the picture says
// so.

#include <optional>
#include <string>
#include <vector>

#include "suffice/data/row_block.hpp"
#include "suffice/decide/costs.hpp"
#include "suffice/decide/priors.hpp"
#include "suffice/models/model.hpp"
#include "suffice/report/report.hpp"

namespace suffice {

struct Picture {
  std::string svg;
  std::string title;
  std::string description;  ///< how to read it
  /// The numbers behind it, for readers who do not see the picture.
  std::vector<std::string> columns = {};
  std::vector<std::vector<std::string>> rows = {};
};

namespace plot {

struct Options {
  /// Positions in the schema. None: those that tell the classes apart best, or, for pictures of a
  /// plane of a model with more than two features, the plane of the discriminant directions.
  std::vector<Index> features = {};
  std::optional<Priors> priors = {};  ///< unset: the training frequencies
  std::optional<Costs> costs = {};    ///< unset: every mistake costs 1
  bool with_style = true;             ///< false: for a page that has a style sheet
};

// All throw InvalidArgument for features that cannot be drawn. `rows`, if there are any, need
// labels and are drawn on top: pass a few thousand at most.

/// p(x | class) of single features: curves of numbers, bars of categories and counts.
Picture densities(const Model& model, const Options& options = {}, const RowBlock* rows = nullptr);
/// P(class | x) over one feature or in a plane.
Picture posteriors(const Model& model, const Options& options = {}, const RowBlock* rows = nullptr);
/// Where each class is decided, over one feature or in a plane.
Picture regions(const Model& model, const Options& options = {}, const RowBlock* rows = nullptr);
/// The ellipses that hold 50 % and 95 % of each class, in a plane.
Picture ellipses(const Model& model, const Options& options = {}, const RowBlock* rows = nullptr);
/// Correlations of the numbers in each class.
Picture correlations(const Model& model, const Options& options = {});
/// True classes against decisions.
Picture confusion(const Report& report, bool with_style = true);

// Of the log-likelihood ratios of a report: the first of two classes against the second, or each
// class against the others. Throw InvalidArgument where the report has none.

/// The error rate at every prior of a class, beside the least that a threshold could reach and that
/// of deciding without looking.
Picture bayes_error(const Report& report, bool with_style = true);
/// Misses against false alarms, on the scale of normal quantiles.
Picture det(const Report& report, bool with_style = true);
/// Hits against false alarms.
Picture roc(const Report& report, bool with_style = true);
/// Posteriors against the share of rows that have the class, by isotonic regression.
Picture reliability(const Report& report, bool with_style = true);
/// Histograms of the ratios of a class's rows and of the others.
Picture ratios(const Report& report, bool with_style = true);

/// What adds up to the ratio of two classes for one row (evidence/evidence.hpp).
struct Waterfall {
  struct Bar {
    std::string name;  ///< "bill_length_mm = 39.6"
    double value = 0;
  };
  std::string title, of, against, unit;
  std::vector<Bar> bars = {};
};
/// Bar after bar to the ratio. Throws InvalidArgument where there is no bar.
Picture evidence(const Waterfall& of, bool with_style = true);

}  // namespace plot
}  // namespace suffice
