#include "cli/words/show_discriminant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/output/class_table.hpp"
#include "cli/output/text.hpp"
#include "models/feature_family.hpp"
#include "models/gaussian_density.hpp"
#include "suffice/inspect/discriminant.hpp"

namespace suffice::cli {
namespace {

/// Of the columns of a discriminant, in their order.
struct ColumnMoments {
  std::vector<double> mean;       ///< between the classes; of columns of numbers
  std::vector<double> deviation;  ///< within a class; 1 where a model keeps projections only
};

/// Means over the classes that have rows.
class MomentsOfColumns {
 public:
  explicit MomentsOfColumns(const Model& model) : model_(model) {
    for (Index c = 0; c < model.labels().size(); ++c)
      if (model.weights()[c] > 0) classes_.push_back(c);
    found_.resize(static_cast<std::size_t>(model.schema().size()));
    for (std::size_t b = 0; b < model.densities().size(); ++b) {
      features_ = &model.schema().blocks()[b].features;
      std::visit([&](const auto& density) { add(density); }, model.densities()[b]);
    }
  }

  ColumnMoments take() {
    ColumnMoments all;
    for (const ColumnMoments& one : found_) {
      all.mean.insert(all.mean.end(), one.mean.begin(), one.mean.end());
      all.deviation.insert(all.deviation.end(), one.deviation.begin(), one.deviation.end());
    }
    return all;
  }

 private:
  template <class Value>
  double over_classes(Value&& value) const {
    double sum = 0;
    for (const Index c : classes_) sum += value(c);
    return sum / static_cast<double>(classes_.size());
  }
  template <class Variance>
  void add_column(std::size_t j, double mean, Variance&& variance) {
    ColumnMoments& of = found_[static_cast<std::size_t>((*features_)[j])];
    of.mean.push_back(mean);
    of.deviation.push_back(std::sqrt(over_classes(variance)));
  }

  void add(const GaussianDensity& density) {
    for (std::size_t j = 0; j < features_->size(); ++j) {
      const auto feature = static_cast<Index>(j);
      if (density.projection.empty())
        add_column(j, over_classes([&](Index c) { return density.mean(c, feature); }),
                   [&](Index c) { return diagonal_at(density, c, feature); });
      else
        add_column(j, density.projection.offset[feature], [](Index) { return 1.0; });
    }
  }
  template <FeatureDensity Features>
  void add(const Features& density) {
    for (std::size_t j = 0; j < features_->size(); ++j)
      add_column(j, 0, [&](Index c) {
        return FeatureFamily<Features>::variance(values_of(density)(c, static_cast<Index>(j)));
      });
  }
  void add(const MultinomialDensity& density) {
    for (std::size_t j = 0; j < features_->size(); ++j)
      add_column(j, 0, [&](Index c) {
        const double p = density.probability(c, static_cast<Index>(j));
        return p * (1 - p);
      });
  }
  void add(const CategoricalDensity& density) {
    for (std::size_t j = 0; j < features_->size(); ++j)
      for (Index l = 0; l < density.probability[j].cols(); ++l)
        add_column(j, 0, [&](Index c) {
          const double p = density.probability[j](c, l);
          return p * (1 - p);
        });
  }
  void add(const TextDensity& density) {
    for (std::size_t j = 0; j < features_->size(); ++j)
      for (Index i = 0; i < density.probability[j].cols(); ++i)
        add_column(j, 0, [&](Index c) {
          const double p = density.probability[j](c, i);
          return p * (1 - p);
        });
  }

  const Model& model_;
  std::vector<Index> classes_;
  const std::vector<Index>* features_ = nullptr;
  std::vector<ColumnMoments> found_;
};

/// How much a function changes with each column, per deviation and halfway between the classes.
std::vector<double> effects(const Discriminant& g, const ColumnMoments& moments) {
  std::vector<double> result(g.columns.size());
  for (Index j = 0; j < std::ssize(result); ++j) {
    double slope = g.w[j];
    for (Index i = 0; i < g.A.cols(); ++i) slope += 2 * g.A(j, i) * moments.mean[i];
    result[j] = slope * moments.deviation[j];
  }
  return result;
}

/// The columns to show: those whose effects differ most between the classes, or all as they come.
std::vector<Index> telling_columns(const std::vector<Discriminant>& functions,
                                   const ColumnMoments& moments, std::int64_t top) {
  std::vector<double> least = effects(functions.front(), moments), most = least;
  for (const Discriminant& g : functions) {
    const std::vector<double> of = effects(g, moments);
    for (std::size_t j = 0; j < of.size(); ++j) {
      least[j] = std::min(least[j], of[j]);
      most[j] = std::max(most[j], of[j]);
    }
  }
  std::vector<double> difference(most.size());
  for (std::size_t j = 0; j < most.size(); ++j)
    difference[j] = functions.size() == 1 ? std::abs(most[j]) : most[j] - least[j];
  std::vector<Index> order = largest(difference, top);
  if (order.size() == difference.size()) std::sort(order.begin(), order.end());
  return order;
}

/// Without the columns that are 0 throughout: those that are no numbers.
std::string matrix_text(const Terminal& terminal, const Discriminant& g) {
  std::vector<Index> shown;
  std::vector<std::string> names;
  for (Index j = 0; j < g.A.cols(); ++j) {
    if (g.A.map().col(j).isZero(0)) continue;
    shown.push_back(j);
    names.push_back(g.columns[static_cast<std::size_t>(j)]);
  }
  ClassTable table({"A"}, names);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    std::vector<std::string> cells;
    for (const Index j : shown) cells.push_back(rounded(g.A(shown[i], j)));
    table.add({names[i]}, std::move(cells));
  }
  return table.render(terminal);
}

/// Forms side by side: a column of w and c for each, then their matrices.
std::string forms_text(const Context& context, const Model& model,
                       const std::vector<Discriminant>& forms,
                       const std::vector<std::string>& names) {
  const Discriminant& first = forms.front();
  const ColumnMoments moments = MomentsOfColumns(model).take();
  const std::int64_t top = context.options.top;
  const std::vector<Index> order = telling_columns(forms, moments, top);
  const bool is_one = forms.size() == 1;
  std::vector<std::string> columns = names;
  if (is_one) columns = {"w", "per deviation"};
  ClassTable table({is_one ? "feature" : "w"}, columns);
  for (const Index j : order) {
    std::vector<std::string> cells;
    for (const Discriminant& g : forms) cells.push_back(rounded(g.w[j]));
    if (is_one) cells.push_back(figure(effects(first, moments)[static_cast<std::size_t>(j)], 3));
    table.add({first.columns[static_cast<std::size_t>(j)]}, std::move(cells));
  }
  std::vector<std::string> constants;
  for (const Discriminant& g : forms) constants.push_back(rounded(g.c));
  if (is_one) constants.push_back("");
  table.add({"(c)"}, std::move(constants));
  std::string text = table.render(context.terminal);
  const auto dimension = std::ssize(first.columns);
  if (std::ssize(order) < dimension)
    text += fmt::format(
        "{} of {} coefficients, those that change the decision most per standard "
        "deviation; --top 0 shows all.\n",
        order.size(), dimension);
  if (first.is_linear()) return text;
  if (top > 0 && dimension > top)
    return text + fmt::format("A has {0} × {0} numbers{1}; --top 0 or --json shows them.\n",
                              dimension, is_one ? "" : " per class");
  for (std::size_t c = 0; c < forms.size(); ++c)
    text +=
        (is_one ? "\n" : heading(context.terminal, "A of class '" + printable(names[c]) + "'")) +
        matrix_text(context.terminal, forms[c]);
  return text;
}

}  // namespace

std::string discriminant_text(const Context& context, const Model& model) {
  std::vector<std::string> labels;
  for (Index c = 0; c < model.labels().size(); ++c)
    if (model.weights()[c] > 0)  // otherwise its log-likelihood is -inf everywhere
      labels.push_back(model.labels()[c]);
  if (labels.empty()) return {};
  std::vector<Discriminant> forms;
  std::string title;
  if (labels.size() == 2) {
    forms.push_back(discriminant(model, labels[0], labels[1]));
    title = fmt::format("log-odds of '{}' against '{}', for equal priors: ", printable(labels[0]),
                        printable(labels[1]));
  } else {
    for (const std::string& label : labels) forms.push_back(discriminant(model, label));
    title = forms.front().is_linear() ? "linear discriminant, the largest decides: g(x) = "
                                      : "quadratic discriminant, the largest decides: g(x) = ";
  }
  title += forms.front().is_linear() ? "wᵀx + c" : "xᵀAx + wᵀx + c";
  std::string text = heading(context.terminal, title) + forms_text(context, model, forms, labels);
  if (model.calibration())
    text += "Of the densities as they are; predict calibrates its scores after this.\n";
  return text;
}

}  // namespace suffice::cli
