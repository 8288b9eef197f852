// LIBSVM: "label index:value …". The first byte chooses the base of the indices and the family.
#include "fuzz/table.hpp"

FUZZ_TARGET(libsvm) {
  using namespace suffice;
  static fuzz::MemoryFile file;
  fuzz::Choices choices(data, size);
  const unsigned flags = choices.byte();
  cli::InputOptions input;
  input.format = "libsvm";
  input.index_base = flags & 1;
  cli::ColumnOptions columns;
  if (flags & 2) columns.families = {{"*", Family::multinomial}};
  fuzz::learn_and_predict(input, file.with(choices.rest()), columns);
}
