// What a web page does not have: signals, the libraries that pack and unpack files, Arrow, queries
// and exports, whose code would only make the page larger. The functions are those of the command
// line, whose own sources for them are not part of the module.

#include "cli/line/fail.hpp"
#include "cli/line/verb.hpp"
#include "cli/output/packed.hpp"
#include "cli/readers/arrow_loader.hpp"
#include "cli/readers/packed.hpp"
#include "cli/signals.hpp"
#include "cli/verbs/context.hpp"
#include "cli/verbs/stats_sql.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {

StopOnSignal::StopOnSignal(std::stop_source, int) {}
StopOnSignal::~StopOnSignal() = default;

std::unique_ptr<Bytes> unpack_gzip(const std::string& path, std::unique_ptr<Bytes>) {
  throw FileError({.path = path}, "cannot read '" + path + "': a web page reads no gzip files",
                  "unpack it first");
}

std::unique_ptr<Bytes> unpack_zstd(const std::string& path, std::unique_ptr<Bytes>) {
  throw FileError({.path = path}, "cannot read '" + path + "': a web page reads no zstd files",
                  "unpack it first");
}

std::string packed(std::string_view) {
  throw InvalidArgument("a web page packs no files", "use the program");
}

SufficeArrowOpen* arrow_module(const std::string& path) {
  throw FileError({.path = path},
                  "cannot read '" + path + "': a web page reads no Parquet, Arrow or Feather files",
                  "convert it to CSV, or use the command line");
}

SufficeArrowCreate* arrow_module_to_write(const std::string& path) {
  throw FileError({.path = path},
                  "cannot write '" + path + "': a web page writes no Parquet or Arrow files",
                  "write CSV, or use the command line");
}

std::unique_ptr<Packer> packer_for(const std::string&) { return nullptr; }

void check_export(const Command&) { fail("a web page does not export models; the program does"); }
void export_file(const Context&) {}

bool check_sql(const Command& command) {
  if (command.options.sql.dialect || command.options.sql.answer)
    fail("a web page writes and reads no queries; the program does");
  if (command.options.input.paths.empty()) fail("stats needs DATA, the tables to sum up");
  return false;
}
void write_sums_query(const Context&) {}
void read_sums_answer(const Context&) {}

}  // namespace suffice::cli
