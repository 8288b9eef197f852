#include "suffice/stats/reservoir.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "data/name_encoder.hpp"
#include "data/number_reader.hpp"
#include "data/weights.hpp"
#include "suffice/core/error.hpp"

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
  const Index columns = schema.column_count();
  for (Index j = 0; j < columns; ++j) (schema.has_strings(j) ? named_ : numeric_).push_back(j);
  const double room = options.numbers / static_cast<double>(std::max<Index>(columns, 1));
  capacity_ = options.rows;
  if (room < static_cast<double>(capacity_)) capacity_ = static_cast<Index>(room);
  capacity_ = std::max<Index>(capacity_, 1);
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
      const bool counts = codes[i] >= 0 || options_.by_class;
      const std::int64_t number = counts ? next_++ : next_;
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

/// Of the class that has most rows beyond its share of the input, or beyond a quarter of an equal
/// share, if that is more; without by_class the one with the largest hash.
void Reservoir::drop_one() {
  const double least = 0.25 / static_cast<double>(classes_.size());
  const auto filled = [&](const Class& of) {
    return static_cast<double>(of.rows.size()) / std::max(of.seen / seen_, least);
  };
  Class* fullest = nullptr;
  for (Class& of : classes_) {
    if (of.rows.empty()) continue;
    if (!fullest || (options_.by_class ? filled(of) > filled(*fullest)
                                       : of.rows.front().hash > fullest->rows.front().hash))
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
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    if (a.first->number != b.first->number) return a.first->number < b.first->number;
    if (a.second != b.second) return a.second->label < b.second->label;
    return *a.first < *b.first;
  });

  const auto size = std::ssize(order);
  SampledRows result;
  result.places_.resize(static_cast<std::size_t>(schema_.column_count()));
  for (std::size_t k = 0; k < numeric_.size(); ++k)
    result.places_[numeric_[k]] = {false, static_cast<Index>(k)};
  for (std::size_t k = 0; k < named_.size(); ++k)
    result.places_[named_[k]] = {true, static_cast<Index>(k)};
  result.numbers_ = Matrix(size, std::ssize(numeric_));
  result.names_.resize(named_.size());
  for (auto& column : result.names_) column.valid.resize(static_cast<std::size_t>(size + 7) / 8);
  result.weights_ = Vector(size);
  result.importance_ = Vector(size);
  result.copies_ = Vector(size);
  result.left_out_ = Vector(size);
  const bool counts = std::ranges::all_of(
      order, [](const auto& of) { return of.first->weight == std::floor(of.first->weight); });
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
    result.copies_[i] = counts ? row->weight : 1;
    result.left_out_[i] = row->weight / result.copies_[i];
    result.importance_[i] =
        of->seen / static_cast<double>(of->rows.size()) * (static_cast<double>(size) / seen_);
  }
  return result;
}

// ---- several reservoirs ----------------------------------------------------------------------

bool Reservoir::Row::operator<(const Row& other) const {
  if (hash != other.hash) return hash < other.hash;
  if (number != other.number) return number < other.number;
  // Only rows of different inputs come here. NaN has no order, its bits have one.
  const auto bits = [](double x) { return std::bit_cast<std::int64_t>(x); };
  const auto [mine, theirs] =
      std::mismatch(numbers.begin(), numbers.end(), other.numbers.begin(), other.numbers.end(),
                    [&](double x, double y) { return bits(x) == bits(y); });
  if (mine != numbers.end() && theirs != other.numbers.end()) return bits(*mine) < bits(*theirs);
  if (mine != numbers.end() || theirs != other.numbers.end()) return mine == numbers.end();
  if (names != other.names) return names < other.names;
  return weight < other.weight;
}

/// So that the order of the inputs does not matter.
void Reservoir::sort_classes() {
  std::ranges::sort(classes_, {}, &Class::label);
  class_of_.clear();
  for (std::size_t c = 0; c < classes_.size(); ++c) class_of_[classes_[c].label] = c;
}

Reservoir Reservoir::limited(Index capacity) const {
  Reservoir result = *this;
  result.capacity_ = std::min(capacity_, std::max<Index>(capacity, 1));
  while (result.kept_ > result.capacity_) result.drop_one();
  return result;
}

Reservoir merge(const Reservoir& a, const Reservoir& b) {
  if (a.schema_.columns() != b.schema_.columns() || a.named_ != b.named_)
    throw InvalidArgument("the sampled rows have different features");
  Reservoir result = a;
  result.capacity_ = std::max(a.capacity_, b.capacity_);
  for (const Reservoir::Class& other : b.classes_) {
    const auto [found, is_new] = result.class_of_.emplace(other.label, result.classes_.size());
    if (is_new) {
      result.classes_.push_back(other);
      continue;
    }
    Reservoir::Class& own = result.classes_[found->second];
    own.seen += other.seen;
    own.rows.insert(own.rows.end(), other.rows.begin(), other.rows.end());
    if (other.limited) {
      own.limit = own.limited ? std::min(own.limit, other.limit) : other.limit;
      own.limited = true;
    }
    // Below the smaller limit all rows of both were kept.
    if (own.limited)
      std::erase_if(own.rows, [&](const Reservoir::Row& row) { return row.hash >= own.limit; });
    std::make_heap(own.rows.begin(), own.rows.end());
  }
  result.sort_classes();
  result.seen_ = a.seen_ + b.seen_;
  result.next_ = std::max(a.next_, b.next_);
  result.kept_ = 0;
  for (const Reservoir::Class& of : result.classes_) result.kept_ += std::ssize(of.rows);
  while (result.kept_ > result.capacity_) result.drop_one();
  return result;
}

Reservoir::Parts Reservoir::parts() const {
  Reservoir sorted = *this;
  sorted.sort_classes();
  Parts parts;
  parts.schema = schema_;
  parts.capacity = capacity_;
  const auto classes = std::ssize(classes_);
  parts.seen = Vector(classes);
  parts.weight = Vector(kept_);
  parts.numbers = Matrix(kept_, std::ssize(numeric_));
  parts.names.resize(named_.size());
  parts.present.resize(named_.size());
  Index row_number = 0;
  for (Index c = 0; c < classes; ++c) {
    Class& of = sorted.classes_[c];
    parts.labels.push_back(of.label);
    parts.seen[c] = of.seen;
    parts.limited.push_back(of.limited);
    parts.limit.push_back(std::bit_cast<std::int64_t>(of.limit));
    std::sort(of.rows.begin(), of.rows.end());
    for (const Row& row : of.rows) {
      parts.label.push_back(c);
      parts.hash.push_back(std::bit_cast<std::int64_t>(row.hash));
      parts.number.push_back(row.number);
      parts.weight[row_number] = row.weight;
      std::ranges::copy(row.numbers, parts.numbers.row(row_number).begin());
      for (std::size_t k = 0; k < named_.size(); ++k) {
        parts.names[k].push_back(row.names[k]);
        parts.present[k].push_back(row.present[k]);
      }
      ++row_number;
    }
  }
  return parts;
}

Reservoir::Reservoir(const Parts& parts)
    : Reservoir(parts.schema, {.rows = parts.capacity, .numbers = HUGE_VAL}) {
  const auto require = [](bool fits) {
    if (!fits) throw InvalidArgument("the sampled rows do not fit together");
  };
  const std::size_t classes = parts.labels.size(), rows = parts.label.size();
  require(parts.capacity >= 1 && std::cmp_less_equal(rows, parts.capacity));
  require(parts.seen.size() == std::ssize(parts.labels) && parts.limited.size() == classes &&
          parts.limit.size() == classes);
  require(parts.hash.size() == rows && parts.number.size() == rows &&
          std::cmp_equal(parts.weight.size(), rows) && std::cmp_equal(parts.numbers.rows(), rows) &&
          parts.numbers.cols() == std::ssize(numeric_) && parts.names.size() == named_.size() &&
          parts.present.size() == named_.size());
  for (std::size_t k = 0; k < named_.size(); ++k)
    require(parts.names[k].size() == rows && parts.present[k].size() == rows);
  for (std::size_t c = 0; c < classes; ++c) {
    require(std::isfinite(parts.seen[static_cast<Index>(c)]) &&
            (c == 0 || parts.labels[c - 1] < parts.labels[c]));
    Class& of = classes_.emplace_back();
    of.label = parts.labels[c];
    of.seen = parts.seen[static_cast<Index>(c)];
    of.limited = parts.limited[c] != 0;
    of.limit = std::bit_cast<std::uint64_t>(parts.limit[c]);
    seen_ += of.seen;
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row_number = static_cast<Index>(i);
    require(parts.label[i] >= 0 && std::cmp_less(parts.label[i], classes) && parts.number[i] >= 0 &&
            parts.weight[row_number] > 0 && std::isfinite(parts.weight[row_number]));
    Row row{std::bit_cast<std::uint64_t>(parts.hash[i]),
            parts.number[i],
            parts.weight[row_number],
            {},
            {},
            {}};
    row.numbers.assign(parts.numbers.row(row_number).begin(), parts.numbers.row(row_number).end());
    for (std::size_t k = 0; k < named_.size(); ++k) {
      row.names.push_back(parts.names[k][i]);
      row.present.push_back(parts.present[k][i] != 0);
    }
    classes_[static_cast<std::size_t>(parts.label[i])].rows.push_back(std::move(row));
    next_ = std::max(next_, parts.number[i] + 1);
  }
  for (Class& of : classes_) {
    require(of.seen >= static_cast<double>(of.rows.size()));
    std::make_heap(of.rows.begin(), of.rows.end());
  }
  kept_ = static_cast<Index>(rows);
  sort_classes();
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

Vector SampledRows::missing() const {
  Vector result(std::ssize(places_));
  for (Index j = 0; j < result.size(); ++j) {
    const auto [named, column] = places_[j];
    Index present = 0;
    for (Index i = 0; i < size(); ++i)
      present +=
          named ? names_[column].valid[i / 8] >> (i % 8) & 1 : !std::isnan(numbers_(i, column));
    result[j] = size() > 0 ? 1 - static_cast<double>(present) / static_cast<double>(size()) : 0;
  }
  return result;
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

RowBlock SampledRows::left_out() const {
  RowBlock result = rows();
  result.weights(Column(left_out_));
  return result;
}

RowBlock SampledRows::left_out(const Schema& schema, const Block& block) const {
  RowBlock result = rows(schema, block);
  result.weights(Column(left_out_));
  return result;
}

}  // namespace suffice
