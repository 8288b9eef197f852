#pragma once
// Rows drawn from a model, from a counter-based generator: row i for seed s comes from the same
// uniform and normal variates on every platform, alone or among others, on any number of threads.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

struct SampleOptions {
  std::uint64_t seed = 0;
  /// The number of the first row: sampling rows 0…99 is sampling 0…49 and then 50…99.
  Index first_row = 0;
  /// Words of each document: the total count of a row in each multinomial block, and of text.
  Index document_length = 100;
};

/// Columns in the schema's order: numbers as they are, a name as the position of its level in
/// `levels`, −1 where it is missing. rows() views them, labels included, for update and
/// log_likelihood.
struct Sample {
  Matrix values;               ///< n × columns
  std::vector<Index> classes;  ///< positions in `labels`
  Names labels;
  std::vector<Names> levels;  ///< per column; empty where it has numbers
  /// Per column: of a text column its n documents, otherwise none; empty without text columns.
  std::vector<std::vector<std::string>> texts = {};

  /// A view of this object's memory.
  RowBlock rows() const;
};

/// `count` rows of one class. A feature that the model left out as constant has its constant; what
/// was transformed is transformed back (a root below 0 gives 0). A column with indicators has the
/// level whose indicator came out largest, where that of the reference is 1 less all others.
/// Throws InvalidArgument for a class that the model lacks or that has weight 0, and for a model of
/// projections, from which features cannot be computed.
Sample sample(const Model& model, Index count, std::string_view label,
              const SampleOptions& options = {}, const Execution& execution = {});

/// `count` rows of the mixture in which class c has the probability `mixture[c]`.
/// Throws InvalidArgument where these do not sum to 1 or ask for a class of weight 0.
Sample sample(const Model& model, Index count, std::span<const double> mixture,
              const SampleOptions& options = {}, const Execution& execution = {});

}  // namespace suffice
