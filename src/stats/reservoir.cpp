#include "suffice/stats/reservoir.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "data/name_encoder.hpp"
#include "data/number_reader.hpp"
#include "data/weights.hpp"

namespace suffice {
namespace {

/// 64 bits that look random, of the seed and a row number (the finaliser of MurmurHash3, twice).
std::uint64_t hash_of(std::uint64_t seed, std::int64_t row) {
  const auto mixed = [](std::uint64_t bits) {
    bits = (bits ^ (bits >> 33)) * 0xff51afd7ed558ccdULL;
    bits = (bits ^ (bits >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return bits ^ (bits >> 33);
  };
  return mixed(mixed(seed + 0x9e3779b97f4a7c15ULL) + static_cast<std::uint64_t>(row));
}

}  // namespace

// ---- the rows of a block ---------------------------------------------------------------------

/// Copies single rows of a block.
class Reservoir::Reader {
 public:
  Reader(const Reservoir& of, const RowBlock& rows) : of_(of) {
    if (!of.numeric_.empty())
      numbers_.emplace(Schema::numbered(rows.feature_count()), Block{Family::gaussian, of.numeric_},
                       rows);
    for (const Index column : of.named_)
      names_.emplace_back(NameReader::column_of(rows, column), nothing_);
  }

  void read(Index row, Row& to) const {
    to.numbers.resize(of_.numeric_.size());
    if (numbers_) {
      const double* values = numbers_->read(row, 1, to.numbers.data()).values;
      if (values != to.numbers.data()) std::copy_n(values, to.numbers.size(), to.numbers.data());
    }
    for (const NameReader& column : names_) {
      std::int32_t code = 0;
      column.read(row, 1, &code, 1);
      to.present.push_back(code == NameReader::unknown);
      to.names.push_back(to.present.back() ? column.name_at(row) : std::string());
    }
  }

 private:
  const Reservoir& of_;
  const Names nothing_;
  std::optional<NumberReader> numbers_;
  std::vector<NameReader> names_;
};

Reservoir::Reservoir(const Schema& schema, const ReservoirOptions& options)
    : schema_(schema), options_(options) {
  const auto columns = std::ssize(schema.columns());
  for (Index j = 0; j < columns; ++j) (schema.has_names(j) ? named_ : numeric_).push_back(j);
  const double room = options.numbers / static_cast<double>(std::max<Index>(columns, 1));
  capacity_ = std::max<Index>(std::min(options.rows, static_cast<Index>(room)), 1);
}

void Reservoir::update(const RowBlock& rows) {
  constexpr Index rows_of_chunk = 4096;
  Vector scratch;
  const double* weights = read_weights(rows, scratch);
  NameEncoder encoder(rows.labels());
  std::optional<Reader> reader;
  std::vector<std::size_t> class_of_code;
  std::vector<std::int32_t> codes(static_cast<std::size_t>(std::min(rows.rows(), rows_of_chunk)));
  for (Index first = 0; first < rows.rows(); first += rows_of_chunk) {
    const Index count = std::min(rows_of_chunk, rows.rows() - first);
    encoder.read(first, count, codes.data(), weights);
    for (std::size_t code = class_of_code.size(); code < encoder.names().size(); ++code) {
      const auto [found, is_new] = class_of_.emplace(encoder.names()[code], classes_.size());
      if (is_new) classes_.emplace_back().label = found->first;
      class_of_code.push_back(found->second);
    }
    for (Index i = 0; i < count; ++i) {
      const std::int64_t number = next_++;
      if (codes[i] < 0) continue;
      Class& own = classes_[class_of_code[codes[i]]];
      ++own.seen;
      ++seen_;
      const std::uint64_t hash = hash_of(options_.seed, number);
      if (own.limited && hash >= own.limit) continue;
      if (!reader) reader.emplace(*this, rows);
      Row row{hash, number, weights ? weights[first + i] : 1, {}, {}, {}};
      reader->read(first + i, row);
      own.rows.push_back(std::move(row));
      std::push_heap(own.rows.begin(), own.rows.end());
      if (++kept_ > capacity_) drop_one();
    }
  }
}

/// From the class that has most rows beyond its share of the input, or beyond a quarter of an equal
/// share, if that is more.
void Reservoir::drop_one() {
  const double least = 0.25 / static_cast<double>(classes_.size());
  Class* fullest = nullptr;
  double most = -1;
  for (Class& of : classes_) {
    const double filled = static_cast<double>(of.rows.size()) / std::max(of.seen / seen_, least);
    if (filled <= most) continue;
    most = filled;
    fullest = &of;
  }
  std::pop_heap(fullest->rows.begin(), fullest->rows.end());
  fullest->limited = true;
  fullest->limit = fullest->rows.back().hash;
  fullest->rows.pop_back();
  --kept_;
}

SampledRows Reservoir::sample() const {
  std::vector<std::pair<const Row*, const Class*>> order;
  for (const Class& of : classes_)
    for (const Row& row : of.rows) order.emplace_back(&row, &of);
  std::ranges::sort(order, {}, [](const auto& row) { return row.first->number; });

  const auto size = std::ssize(order);
  SampledRows result;
  result.places_.resize(schema_.columns().size());
  for (std::size_t k = 0; k < numeric_.size(); ++k)
    result.places_[numeric_[k]] = {false, static_cast<Index>(k)};
  for (std::size_t k = 0; k < named_.size(); ++k)
    result.places_[named_[k]] = {true, static_cast<Index>(k)};
  result.numbers_ = Matrix(size, std::ssize(numeric_));
  result.names_.resize(named_.size());
  for (auto& column : result.names_) column.valid.resize(static_cast<std::size_t>(size + 7) / 8);
  result.weights_ = Vector(size);
  result.importance_ = Vector(size);
  for (Index i = 0; i < size; ++i) {
    const auto& [row, of] = order[i];
    std::ranges::copy(row->numbers, result.numbers_.row(i).begin());
    for (std::size_t k = 0; k < named_.size(); ++k) {
      SampledRows::NamedColumn& column = result.names_[k];
      column.values.push_back(row->names[k]);
      if (row->present[k])
        column.valid[i >> 3] = static_cast<std::uint8_t>(column.valid[i >> 3] | (1 << (i & 7)));
    }
    result.labels_.push_back(of->label);
    result.weights_[i] = row->weight;
    result.importance_[i] =
        of->seen / static_cast<double>(of->rows.size()) * (static_cast<double>(size) / seen_);
  }
  return result;
}

// ---- the rows that were kept -----------------------------------------------------------------

RowBlock& SampledRows::add_labels(RowBlock& rows) const {
  return rows.labels(Column(labels_)).weights(Column(weights_));
}

void SampledRows::add_column(Index column, RowBlock& rows) const {
  const auto [named, position] = places_[column];
  if (named)
    rows.feature(Column(Strings(names_[position].values), {names_[position].valid.data(), 0}));
  else
    rows.feature(Column(numbers_.data() + position, size(), numbers_.cols()));
}

RowBlock SampledRows::rows() const {
  RowBlock result(size());
  const auto columns = std::ssize(places_);
  for (Index j = 0; j < columns;) {
    Index end = j;  // of a run of numbers, which lie side by side
    while (end < columns && !places_[end].named) ++end;
    if (end > j) {
      result.features(MatrixView(numbers_.data() + places_[j].position, size(), end - j,
                                 std::max<Index>(numbers_.cols(), 1)));
      j = end;
    } else {
      add_column(j++, result);
    }
  }
  add_labels(result);
  return result;
}

RowBlock SampledRows::rows(const Schema& schema, const Block& block) const {
  RowBlock result(size());
  std::vector<bool> added(places_.size());
  for (const Index feature : block.features) {
    const Index column = schema.column(feature);
    if (!added[column]) add_column(column, result);
    added[column] = true;
  }
  add_labels(result);
  return result;
}

}  // namespace suffice
