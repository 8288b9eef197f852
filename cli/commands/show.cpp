#include <fmt/format.h>

#include "cli/commands/context.hpp"
#include "cli/commands/files.hpp"
#include "cli/commands/show_discriminant.hpp"
#include "cli/commands/show_json.hpp"
#include "cli/commands/show_model.hpp"
#include "cli/commands/show_statistics.hpp"
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
  const Statistics statistics = load_statistics(path);
  context.terminal.print(options.json ? dump(statistics_json(statistics))
                                      : statistics_text(context, statistics));
}

}  // namespace suffice::cli
