// LIBSVM: "label index:value …". The first byte chooses the base of the indices and the family.
#include "fuzz/table.hpp"

namespace suffice::fuzz {
namespace {

/// An index of six digits makes as many columns, which is allowed, but takes seconds under
/// sanitizers.
bool has_large_index(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == ':' && digits >= 6) return true;
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
  }
  return false;
}

}  // namespace
}  // namespace suffice::fuzz

FUZZ_TARGET(libsvm) {
  using namespace suffice;
  static fuzz::MemoryFile file;
  fuzz::Choices choices(data, size);
  const unsigned flags = choices.byte();
  if (fuzz::has_large_index(choices.rest())) return;
  cli::InputOptions input;
  input.format = "libsvm";
  input.index_base = flags & 1;
  cli::ColumnOptions columns;
  if (flags & 2) columns.families = {{"*", Family::multinomial}};
  fuzz::learn_and_predict(input, file.with(choices.rest()), columns);
}
