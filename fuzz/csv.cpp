// CSV, TSV and their relatives. The first byte chooses flags; the rest is the file.
#include "fuzz/table.hpp"

FUZZ_TARGET(csv) {
  using namespace suffice;
  static fuzz::MemoryFile file;
  fuzz::Choices choices(data, size);
  const unsigned flags = choices.byte();
  cli::InputOptions input;
  input.format = flags & 1 ? "tsv" : "csv";
  input.header = !(flags & 2);
  if (flags & 4) input.separator = ';';
  if (flags & 8) input.na = {"-999", "none"};
  cli::ColumnOptions columns;
  if (flags & 16) columns.families = {{"*", Family::categorical}};
  if (flags & 32) columns.transforms = {{"*", Transform::log1p}};
  if (flags & 64) columns.families.emplace_back("*", Family::exponential);
  if (flags & 128) columns.transforms.emplace_back("*", Transform::signed_log(0.5));
  fuzz::learn_and_predict(input, file.with(choices.rest()), columns);
}
