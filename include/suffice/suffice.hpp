#pragma once
// Suffice: generative probabilistic classification. The whole library in one program:
//
//   RowsInMemory rows(schema, block);
//   Model model = fit(rows).model;  // chosen and calibrated, or step by step:
//
//   Statistics stats(schema);
//   for (RowBlock rows : blocks) stats.update(rows);
//   Model model = estimate(stats, {.covariance = Covariance::tied});
//   Predictions p = predict(model, rows, {.priors = Priors::uniform(model), .costs = costs});
//
// The headers below stand in the order of that flow.
// clang-format off

#include "suffice/core/error.hpp"
#include "suffice/core/execution.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/core/names.hpp"

#include "suffice/data/schema.hpp"     // which columns, which family
#include "suffice/data/row_block.hpp"  // some rows
#include "suffice/data/arrow.hpp"      // rows of an Arrow table
#include "suffice/data/positions.hpp"  // names of rows → positions

#include "suffice/stats/statistics.hpp"  // update · merge · subtract · project
#include "suffice/stats/components.hpp"  // PCA and LDA from statistics
#include "suffice/stats/separation.hpp"  // scatter within and between classes
#include "suffice/stats/reservoir.hpp"   // a sample of the rows
#include "suffice/stats/indicators.hpp"  // categories as numbers of the Gaussian block
#include "suffice/stats/remarks.hpp"     // columns that were probably not meant so

#include "suffice/models/model.hpp"         // one density per class and block
#include "suffice/models/parameter_count.hpp"  // how many numbers it has
#include "suffice/estimate/estimate.hpp"      // statistics → model
#include "suffice/sample/sample.hpp"        // model → rows
#include "suffice/estimate/shrunken_means.hpp"  // those that nearest shrunken centroids keep

#include "suffice/score/log_likelihood.hpp"  // n × K matrix of log p(x | c)
#include "suffice/score/block_scores.hpp"    // the same block by block; calibrated scores
#include "suffice/score/linear.hpp"          // x · w + c
#include "suffice/score/outlier.hpp"         // how unusual a row is

#include "suffice/train/passes.hpp"      // several passes over the rows; EM
#include "suffice/train/completion.hpp"  // missing numbers, by EM
#include "suffice/train/logistic.hpp"    // the discriminative twin of a model
#include "suffice/train/mixture.hpp"     // mixtures within a class, and rows without a label
#include "suffice/train/estimate_with_rows.hpp"  // the model of any options

#include "suffice/calibrate/fit_calibration.hpp"  // a scale per block, an offset per class
#include "suffice/calibrate/calibrator.hpp"       // the same, from rows
#include "suffice/calibrate/set_thresholds.hpp"   // what sets of classes need
#include "suffice/calibrate/isotonic.hpp"         // a monotone function of the ratio

#include "suffice/decide/decide.hpp"  // priors, costs → posteriors, ratios, labels
#include "suffice/decide/estimate_priors.hpp"  // the class shares of rows without labels

#include "suffice/predict/predictor.hpp"  // rows → answers, block by block
#include "suffice/predict/sets.hpp"       // sets that contain the true class as often as is asked

#include "suffice/evidence/evidence.hpp"  // what each column adds to a ratio of classes
#include "suffice/inspect/discriminant.hpp"   // A, w, c: quadratic and linear
#include "suffice/inspect/boundary.hpp"       // where the decision changes, along one number
#include "suffice/inspect/separation.hpp"     // which features tell the classes apart
#include "suffice/inspect/minimum_error.hpp"  // the error that no decision can avoid

#include "suffice/contrast/class_tests.hpp"  // the tables of a discriminant analysis
#include "suffice/contrast/drift.hpp"        // two sets of sums: what has changed

#include "suffice/report/report.hpp"         // how good the answers are
#include "suffice/left_out/selection.hpp"      // what candidates are worth
#include "suffice/left_out/leave_one_out.hpp"  // each row by the model without it
#include "suffice/left_out/leave_one_out_shrinkage.hpp"  // the strength of shrinkage, by that
#include "suffice/select/grid.hpp"           // candidates
#include "suffice/select/select.hpp"         // the best of them, by cross-validation
#include "suffice/select/choose.hpp"         // a model without being told, by a sample of rows
#include "suffice/select/variants.hpp"       // other meanings of the columns, by the same sample

#include "suffice/fit/fit.hpp"  // rows → model, with as much of the above as it takes

#include "suffice/suspects/suspects.hpp"  // labels that the other rows contradict

#include "suffice/export/export.hpp"  // models as C, SQL, ONNX, JSON
#include "suffice/database/sums_query.hpp"   // statistics that a database computes: the query
#include "suffice/database/sums_answer.hpp"  // its answer → statistics
#include "suffice/draw/plot.hpp"  // pictures as SVG

#include "suffice/io/file.hpp"  // statistics and models on disk
