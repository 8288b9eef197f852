// Tables through the Arrow C data interface. Pointers are trusted there, so that buffers have the
// size that lengths and offsets claim; types, names, lengths, offsets, values, null bits and codes
// may be anything.
#include <deque>
#include <memory>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "suffice/data/arrow.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/score/log_likelihood.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::fuzz {
namespace {

/// One array with its type, and the memory of both.
struct Array {
  ArrowSchema type = {};
  ArrowArray array = {};
  std::string format, name;
  std::deque<std::vector<std::uint8_t>> memory;
  std::vector<const void*> buffers;
  std::vector<ArrowSchema*> child_types;
  std::vector<ArrowArray*> child_arrays;
  std::deque<Array> children;
  std::unique_ptr<Array> dictionary;

  void* allocate(std::size_t bytes) {
    memory.emplace_back(bytes);
    return memory.back().data();
  }
  void finish() {
    type.format = format.c_str();
    type.name = name.c_str();
    type.release = [](ArrowSchema*) {};
    array.release = [](ArrowArray*) {};
    array.n_buffers = static_cast<std::int64_t>(buffers.size());
    array.buffers = buffers.data();
    if (dictionary) {
      type.dictionary = &dictionary->type;
      array.dictionary = &dictionary->array;
    }
    for (Array& child : children) {
      child_types.push_back(&child.type);
      child_arrays.push_back(&child.array);
    }
    type.n_children = array.n_children = static_cast<std::int64_t>(children.size());
    type.children = child_types.data();
    array.children = child_arrays.data();
  }
};

void fill(Choices& choices, void* to, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) static_cast<std::uint8_t*>(to)[i] = choices.byte();
}

/// `there`: values that the buffers have, whatever the array claims is less.
void fill_array(Choices& choices, Array& a, std::size_t there, bool may_be_dictionary) {
  static constexpr const char* formats[] = {"g",   "f",  "l", "i", "s",  "c", "L",
                                            "I",   "S",  "C", "b", "u",  "U", "n",
                                            "tdD", "+l", "z", "e", "vu", "",  "d:9,2"};
  a.format = formats[choices.below(std::size(formats))];
  a.array.offset = static_cast<std::int64_t>(choices.below(4));
  a.array.length = static_cast<std::int64_t>(there) - a.array.offset;
  a.array.null_count = choices.yes() ? -1 : 0;
  void* valid = a.allocate(there / 8 + 1);
  fill(choices, valid, there / 8 + 1);
  a.buffers.push_back(choices.yes() ? valid : nullptr);
  if (a.format == "u" || a.format == "U") {
    const std::size_t width = a.format == "u" ? 4 : 8;
    auto* offsets = static_cast<std::uint8_t*>(a.allocate(width * (there + 1)));
    std::int64_t total = 0;
    for (std::size_t i = 0; i <= there; ++i) {
      std::memcpy(offsets + i * width, &total, width);
      total += static_cast<std::int64_t>(choices.below(4));
    }
    a.buffers.push_back(offsets);
    void* bytes = a.allocate(static_cast<std::size_t>(total) + 1);
    fill(choices, bytes, static_cast<std::size_t>(total));
    a.buffers.push_back(bytes);
  } else {
    void* values = a.allocate(8 * there);
    if (choices.yes()) fill(choices, values, 8 * there);
    a.buffers.push_back(values);
  }
  if (choices.below(16) == 1) a.buffers.pop_back();  // one too few
  if (choices.below(16) == 1 && !a.buffers.empty()) a.buffers.back() = nullptr;
  if (may_be_dictionary && choices.below(3) == 1) {
    a.dictionary = std::make_unique<Array>();
    fill_array(choices, *a.dictionary, 1 + choices.below(5) + 4, false);
  }
  a.finish();
}

}  // namespace
}  // namespace suffice::fuzz

FUZZ_TARGET(arrow) {
  using namespace suffice;
  using namespace suffice::fuzz;
  Choices choices(data, size);
  Array batch;
  batch.format = choices.below(16) == 1 ? "i" : "+s";
  const std::size_t columns = choices.below(6), there = 4 + choices.below(16);
  for (std::size_t j = 0; j < columns; ++j) {
    Array& child = batch.children.emplace_back();
    child.name = j == 0 ? "label" : std::string(1, static_cast<char>('a' + choices.below(6)));
    fill_array(choices, child, there + 4, true);
  }
  batch.buffers.push_back(nullptr);
  batch.array.length = static_cast<std::int64_t>(choices.below(there));
  batch.array.offset = static_cast<std::int64_t>(choices.below(3));
  switch (choices.below(12)) {  // numbers that cannot be
    case 1:
      batch.array.length = choices.value<std::int64_t>();
      break;
    case 2:
      batch.array.offset = choices.value<std::int64_t>();
      break;
    case 3:
      batch.array.offset = INT64_MAX;
      break;
    default:
      break;
  }
  batch.finish();
  const Execution one_thread{.threads = 1};
  const ArrowColumns named{.label = "label", .weight = choices.below(4) == 1 ? "a" : ""};
  fuzz::succeeds([&] {
    const Schema schema = schema_from_arrow(batch.type, named);
    const RowBlock rows = rows_from_arrow(schema, batch.type, batch.array, named);
    Statistics statistics(schema);
    statistics.update(rows, one_thread);
    const Model model = estimate(statistics, {.covariance = Covariance::diag}, one_thread);
    log_likelihood(model, rows, {}, one_thread);
  });
  for (const Array& child : batch.children)
    fuzz::succeeds([&] { column_from_arrow(child.type, child.array); });
}
