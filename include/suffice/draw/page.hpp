#pragma once
// A page about a model, or about two side by side: one HTML file with pictures, tables and a
// sentence for each, which needs no network, no scripts and no style sheet to be read.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suffice/draw/plot.hpp"
#include "suffice/models/model.hpp"
#include "suffice/report/report.hpp"
#include "suffice/stats/reservoir.hpp"

namespace suffice {

/// What makes a page live: rules of its style sheet, and markup with scripts and the files that
/// they read. Both are written as they are.
struct PageScripts {
  std::string style, markup;
};

struct PageModel {
  std::string name;  ///< usually that of its file
  const Model& model;
  std::vector<std::string> words = {};  ///< what it is, how it was estimated: a line each
  const Report* report = nullptr;       ///< null: it was not evaluated
  std::optional<double> uncalibrated_log_loss = {};
};

struct Page {
  std::vector<PageModel> models;      ///< one or two
  std::string data = "";              ///< what it was evaluated on, in words; empty: nothing
  const SampledRows* rows = nullptr;  ///< some labelled rows, drawn on top
  std::optional<Priors> priors = {};  ///< unset: the training frequencies
  std::optional<Costs> costs = {};    ///< unset: every mistake costs 1
  std::string command = "";           ///< that makes it again; empty: unknown
  PageScripts scripts = {};           ///< empty: a page without
};

/// Throws InvalidArgument where there is no model or more than two; what scoring the rows throws.
std::string report_page(const Page& page, const Execution& execution = {});

/// A page that is all scripts, with a sentence where they do not run.
std::string script_page(std::string_view title, std::string_view sentence,
                        const PageScripts& scripts);

}  // namespace suffice
