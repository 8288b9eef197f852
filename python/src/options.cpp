#include "options.hpp"

#include "arrays.hpp"
#include "suffice/core/error.hpp"

namespace suffice::python {
namespace {

template <class Value>
Value cast_to(const nb::handle& value, const std::string& name, const char* kind) {
  Value result;
  if (!nb::try_cast(value, result))
    throw InvalidArgument(name + " must be " + kind + ", not " + nb::repr(value).c_str());
  return result;
}

std::string text_of(const nb::handle& value, const std::string& name) {
  return cast_to<std::string>(value, name, "a text");
}

double number_of(const nb::handle& value, const std::string& name) {
  return cast_to<double>(value, name, "a number");
}

Pca pca_of(const nb::handle& value) {
  if (nb::isinstance<nb::str>(value)) return pca_from_string(text_of(value, "pca"));
  return {.share = number_of(value, "pca")};
}

Shrinkage shrinkage_of(const nb::handle& value) {
  if (nb::isinstance<nb::str>(value)) return shrinkage_from_string(text_of(value, "shrinkage"));
  return Shrinkage::share(number_of(value, "shrinkage"));
}

void set(EstimateOptions& options, const std::string& name, const nb::handle& value) {
  if (name == "pooling") {
    const Vector pooling = vector_of(nb::cast<Doubles>(value), "pooling");
    options.pooling.assign(pooling.begin(), pooling.end());
  } else if (name == "covariance") {
    options.covariance = covariance_from_string(text_of(value, name));
  } else if (name == "normalize") {
    options.normalize = normalize_from_string(text_of(value, name));
  } else if (name == "smoothing") {
    options.smoothing = number_of(value, name);
  } else if (name == "pca") {
    if (!value.is_none()) options.pca = pca_of(value);
  } else if (name == "lda") {
    if (!value.is_none()) options.lda = cast_to<Index>(value, name, "a whole number");
  } else if (name == "shrinkage") {
    options.shrinkage = shrinkage_of(value);
  } else if (name == "target") {
    options.target = target_from_string(text_of(value, name));
  } else if (name == "towards_tied") {
    options.towards_tied = number_of(value, name);
  } else if (name == "estimate") {
    options.inference = inference_from_string(text_of(value, name));
  } else {
    throw InvalidArgument("estimate has no option '" + name + "'");
  }
}

/// Adds what `set` has made of one value to the list of its option.
void add(Grid& grid, const std::string& name, const EstimateOptions& options) {
  if (name == "covariance") grid.covariance.push_back(options.covariance);
  if (name == "normalize") grid.normalize.push_back(options.normalize);
  if (name == "smoothing") grid.smoothing.push_back(options.smoothing);
  if (name == "pca") grid.pca.push_back(options.pca);
  if (name == "lda") grid.lda.push_back(options.lda);
  if (name == "shrinkage") grid.shrinkage.push_back(options.shrinkage);
  if (name == "target") grid.target.push_back(options.target);
  if (name == "towards_tied") grid.towards_tied.push_back(options.towards_tied);
  if (name == "estimate") grid.inference.push_back(options.inference);
}

}  // namespace

EstimateOptions options_of(const nb::dict& given) {
  EstimateOptions options;
  for (const auto& [name, value] : given) set(options, nb::cast<std::string>(name), value);
  return options;
}

Grid grid_of(const nb::dict& given) {
  Grid grid;
  for (const auto& [key, values] : given) {
    const std::string name = nb::cast<std::string>(key);
    for (const nb::handle value : nb::cast<nb::list>(values)) {
      EstimateOptions options;
      set(options, name, value);
      add(grid, name, options);
    }
  }
  return grid;
}

nb::list option_texts() {
  nb::list result;
  for (const OptionText& text : estimate_option_texts()) {
    nb::dict option;
    option["name"] = std::string(text.name);
    option["values"] = std::string(text.values);
    option["default"] = std::string(text.default_value);
    option["description"] = std::string(text.description);
    result.append(option);
  }
  return result;
}

}  // namespace suffice::python
