#include "passes.hpp"

#include "rows.hpp"
#include "suffice/core/error.hpp"

namespace suffice::python {

RowsAgain rows_again(const nb::object& read) {
  if (read.is_none()) return {};
  return [again = read_again(read)](const Schema& schema, const auto& use) {
    again(schema, [&](const Rows& rows) { use(rows.block()); });
  };
}

MissingNumbers missing_numbers_from(const std::string& name) {
  if (name == "auto") return MissingNumbers::automatic;
  if (name == "em") return MissingNumbers::em;
  if (name == "complete") return MissingNumbers::complete;
  throw InvalidArgument("missing is '" + name + "'", "it must be 'auto', 'em' or 'complete'");
}

}  // namespace suffice::python
