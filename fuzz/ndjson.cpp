// JSON objects, one per line. The first byte chooses flags; the rest is the file.
#include "fuzz/table.hpp"

FUZZ_TARGET(ndjson) {
  using namespace suffice;
  static fuzz::MemoryFile file;
  fuzz::Choices choices(data, size);
  const unsigned flags = choices.byte();
  cli::InputOptions input;
  input.format = "ndjson";
  if (flags & 1) input.na = {"-999", "none"};
  cli::ColumnOptions columns;
  if (flags & 2) columns.families = {{"*", Family::categorical}};
  fuzz::learn_and_predict(input, file.with(choices.rest()), columns);
}
