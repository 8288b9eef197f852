#include "fit/advice.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "fit/densities.hpp"
#include "stats/filled.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

template <class Work>
bool works(const Work& work) {
  try {
    work();
    return true;
  } catch (const Cancelled&) {
    throw;
  } catch (const Error&) {
    return false;
  }
}

/// Other covariances with the default of everything that depends on them.
std::optional<Sentence> other_covariance(Training& training, const EstimateOptions& given) {
  std::optional<Sentence> result;
  int found = 0;
  for (const Covariance other : {Covariance::full, Covariance::tied, Covariance::diag,
                                 Covariance::tied_diag, Covariance::tied_spherical}) {
    if (other == given.covariance || found == 2) continue;
    const EstimateOptions options{.covariance = other, .smoothing = given.smoothing};
    if (!works([&] { estimate_with_missing(training, options); })) continue;
    const Sentence option = Option{"covariance", std::string(to_string(other))};
    result = found++ ? *result + " or " + option : "use " + option;
  }
  return result;
}

/// The same with as much shrinkage as the rows ask for.
std::optional<Sentence> more_shrinkage(Training& training, EstimateOptions given) {
  if (!given.shrinkage || given.shrinkage->kind() == Shrinkage::Kind::automatic)
    return std::nullopt;
  given.shrinkage = Shrinkage::automatic();
  if (!works([&] { estimate_with_missing(training, given); })) return std::nullopt;
  return "use " + Option{"shrinkage", "auto"} + " (the default)";
}

/// The columns that no density of the classes can have.
std::optional<Sentence> fewer_columns(const Statistics& statistics, const EstimateOptions& given) {
  const std::optional<Filled> found = filled(statistics);
  if (!found || std::ssize(found->columns) == statistics.schema().size()) return std::nullopt;
  std::vector<Index> kept;
  std::vector<std::string> names;
  for (Index j = 0; j < statistics.schema().size(); ++j)
    if (std::ranges::count(found->columns, j) > 0)
      names.push_back(statistics.schema().feature(j).name);
    else
      kept.push_back(j);
  if (!works([&] { estimate(subset(statistics, kept), given); })) return std::nullopt;
  return "leave out " + list_for_message(names, names.size());
}

Sentence advice(Training& training, const EstimateOptions& given) {
  const Statistics& statistics = training.statistics();
  Sentence result;
  for (const auto& way : {more_shrinkage(training, given), other_covariance(training, given),
                          fewer_columns(statistics, given)})
    if (way) result += *way + ", or ";
  return result + "name no covariance: then a model is found that these rows allow";
}

}  // namespace

Model with_tried_advice(Training& training, const EstimateOptions& given,
                        const std::function<Model()>& work) {
  const FitOptions& options = training.options;
  if (options.chooses() || options.mixes() || given.discriminative) return work();
  try {
    return work();
  } catch (const SingularError& error) {
    throw error.advising(advice(training, given));
  } catch (const InvalidArgument& error) {
    if (error.where().label.empty()) throw;  // about options
    throw InvalidArgument(error.where(), error.sentence(), advice(training, given));
  }
}

}  // namespace suffice
