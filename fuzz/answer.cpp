// The answer of a query for sums: lines of seven cells that are separated by tabs; an empty cell is
// NULL.
#include <charconv>
#include <limits>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "suffice/database/sums_answer.hpp"
#include "suffice/io/file.hpp"

namespace {

template <class Number>
Number number_in(std::string_view cell, Number otherwise) {
  std::from_chars(cell.data(), cell.data() + cell.size(), otherwise);
  return otherwise;
}

}  // namespace

FUZZ_TARGET(answer) {
  using namespace suffice;
  fuzz::Choices choices(data, size);
  SumsAnswer answer;
  fuzz::succeeds([&] {
    for (std::string_view rest = choices.rest(); !rest.empty();) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      std::vector<std::string_view> cells;
      while (cells.size() < 7) {
        cells.push_back(line.substr(0, line.find('\t')));
        line.remove_prefix(std::min(cells.back().size() + 1, line.size()));
      }
      const auto text = [&](std::size_t k) {
        return cells[k].empty() ? std::nullopt : std::optional(cells[k]);
      };
      answer.add({.label = text(0),
                  .part = number_in<Index>(cells[1], -1),
                  .kind = cells[2],
                  .i = number_in<Index>(cells[3], -1),
                  .j = number_in<Index>(cells[4], -1),
                  .name = text(5),
                  .value = number_in(cells[6], std::numeric_limits<double>::quiet_NaN())});
    }
    const Statistics statistics = answer.statistics();
    fuzz::require(statistics_from_bytes(to_bytes(statistics)) == statistics,
                  "statistics of an answer survive in a file");
  });
}
