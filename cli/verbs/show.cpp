#include <fmt/format.h>

#include "cli/output/text.hpp"
#include "cli/verbs/context.hpp"
#include "cli/verbs/files.hpp"
#include "cli/words/show_discriminant.hpp"
#include "cli/words/show_json.hpp"
#include "cli/words/show_model.hpp"
#include "cli/words/show_statistics.hpp"
#include "suffice/io/file.hpp"

namespace suffice::cli {

void show(const Context& context) {
  const Options& options = context.options;
  const std::string& path = options.model;
  if (kind_of(path, "a model or statistics") == FileKind::model) {
    const Model model = load_model(path);
    if (options.json) {
      context.terminal.print(dump(model_json(model, options.discriminant)));
      return;
    }
    std::string text = model_text(context, model);
    if (options.discriminant) text += discriminant_text(context, model);
    context.terminal.print(text);
    return;
  }
  if (options.discriminant)
    throw FileError({.path = path},
                    fmt::format("'{}' has statistics, and only a model has a discriminant", path),
                    fmt::format("suffice fit {} -o model.suffice makes one from them", path));
  const StatisticsFile file = load_statistics_file(path);
  if (options.json) {
    Json json = statistics_json(file.statistics);
    if (file.rows) json["sampled_rows"] = file.rows->size();
    context.terminal.print(dump(json));
    return;
  }
  std::string text = statistics_text(context, file.statistics);
  if (file.rows)
    text += fmt::format("\nThe file also holds {} of the data as they are.\n",
                        counted(static_cast<double>(file.rows->size()), "row"));
  context.terminal.print(text);
}

}  // namespace suffice::cli
