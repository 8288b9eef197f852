#pragma once
// The E-step of a mixture: each row is added to the sums of its components, weighted by the
// probabilities with which it belongs to them.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/compensated_sum.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/models/model.hpp"
#include "suffice/stats/statistics.hpp"
#include "train/expected_sums.hpp"

namespace suffice {

/// What the passes of a mixture have in common.
struct ComponentSetup {
  Schema schema;
  Names labels;      ///< of the classes
  Mixture grouping;  ///< components and their classes; no weights
  Scatter scatter = Scatter::dense;
  std::vector<bool> completed;    ///< per block: missing numbers are completed
  std::vector<double> log_prior;  ///< per class, for rows without a label
  double unlabelled_weight = 0;
};

class ComponentSums {
 public:
  /// `model` is that of the components, whose weights are their shares.
  ComponentSums(const ComponentSetup& setup, const Model& model, const Execution& execution);

  /// Rows with and without labels.
  void add(const RowBlock& rows, const Execution& execution);

  /// Over the components.
  Statistics::Parts sums() const;
  double log_likelihood() const { return log_likelihood_.value(); }
  double weight() const { return weight_.value(); }

 private:
  /// Rows of one class, or without a label.
  struct Group {
    std::vector<Index> components;
    std::vector<double> log_share;
    std::optional<Model> model;  ///< of these components; none: of all
    double factor = 1;           ///< of the weights
  };
  void add_block(const RowBlock& rows, const Execution& execution);
  void add_group(const Group& group, const RowBlock& rows, std::span<const double> weight,
                 const Execution& execution);

  const ComponentSetup& setup_;
  const Model& model_;
  std::vector<Group> groups_;      ///< per class; the last one of rows without a label
  std::vector<Statistics> parts_;  ///< per component
  std::vector<std::unique_ptr<Model>> block_models_;
  std::vector<std::unique_ptr<ExpectedSums>> expected_;  ///< per block; null: it is not completed
  CompensatedSum log_likelihood_, weight_;
};

/// The model of some classes of a model that is no mixture.
Model model_of_classes(const Model& model, std::span<const Index> classes,
                       const Execution& execution);

}  // namespace suffice
