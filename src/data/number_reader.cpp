#include "data/number_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include "data/row_checks.hpp"
#include "data/scalar.hpp"
#include "data/transform.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

using Part = RowBlock::Part;

constexpr double missing_value = std::numeric_limits<double>::quiet_NaN();
constexpr Index packed_rows = 64;  // at a time, so that what is written stays in the cache

/// Doubles from `rows` × `cols` numbers; `out` has `stride` doubles from row to row.
template <class T>
void pack_matrix(const T* in, Index row_step, Index col_step, Index rows, Index cols, double* out,
                 Index stride) noexcept {
  if (col_step == 1 && row_step == cols && stride == cols) {
    for (Index i = 0; i < rows * cols; ++i) out[i] = static_cast<double>(in[i]);
  } else if (col_step == 1) {
    for (Index i = 0; i < rows; ++i) {
      const T* from = in + i * row_step;
      double* to = out + i * stride;
      for (Index j = 0; j < cols; ++j) to[j] = static_cast<double>(from[j]);
    }
  } else {
    // Eight columns at a time: eight streams of reads, and whole cache lines written.
    constexpr Index width = 8;
    Index j = 0;
    for (; j + width <= cols; j += width) {
      for (Index i = 0; i < rows; ++i) {
        const T* from = in + i * row_step + j * col_step;
        double* to = out + i * stride + j;
        for (Index k = 0; k < width; ++k) to[k] = static_cast<double>(from[k * col_step]);
      }
    }
    for (; j < cols; ++j) {
      for (Index i = 0; i < rows; ++i)
        out[i * stride + j] = static_cast<double>(in[i * row_step + j * col_step]);
    }
  }
}

void pack_column(const Column& column, Index first, Index rows, double* out, Index stride) {
  if (column.type == Scalar::bit) {
    for (Index i = 0; i < rows; ++i)
      out[i * stride] =
          bit_at(column.data, column.bit_offset + (first + i) * column.stride) ? 1.0 : 0.0;
  } else {
    with_type(column.type, [&]<class T>(std::type_identity<T>) {
      const T* in = static_cast<const T*>(column.data) + first * column.stride;
      for (Index i = 0; i < rows; ++i) out[i * stride] = static_cast<double>(in[i * column.stride]);
    });
  }
  if (!column.valid.bits) return;
  for (Index i = 0; i < rows; ++i) {
    if (!column.valid(first + i)) out[i * stride] = missing_value;
  }
}

/// Adds the entries of sparse rows to zeroed rows of `out`, where `panel` gives them a place; where
/// it is empty, columns are places.
void pack_sparse(const SparseView& view, Index first, Index rows, const std::vector<Index>& panel,
                 double* out, Index stride) {
  const auto add = [&]<class I, class T>(const I* start, const I* column, const T* values) {
    for (Index i = 0; i < rows; ++i) {
      for (I k = start[first + i]; k < start[first + i + 1]; ++k) {
        const Index position = panel.empty() ? static_cast<Index>(column[k]) : panel[column[k]];
        if (position >= 0) out[i * stride + position] += static_cast<double>(values[k]);
      }
    }
  };
  with_type(view.type, [&]<class T>(std::type_identity<T>) {
    const T* values = static_cast<const T*>(view.values);
    if (view.index_type == Scalar::int32)
      add(static_cast<const std::int32_t*>(view.row_start),
          static_cast<const std::int32_t*>(view.column), values);
    else
      add(static_cast<const std::int64_t*>(view.row_start),
          static_cast<const std::int64_t*>(view.column), values);
  });
}

/// So that no kernel reads outside: row starts never fall, columns are those of the matrix.
template <class I>
void check_sparse(const SparseView& view, Workers* workers) {
  const I* start = static_cast<const I*>(view.row_start);
  const I* column = static_cast<const I*>(view.column);
  if (view.rows == 0) return;
  bool in_order = start[0] >= 0;
  for (Index i = 0; i < view.rows; ++i) in_order &= start[i] <= start[i + 1];
  if (!in_order)
    throw InvalidArgument("the row starts of a sparse matrix fall or are negative",
                          "row i is from row_start[i] to row_start[i + 1]");
  const Index begin = static_cast<Index>(start[0]), end = static_cast<Index>(start[view.rows]);
  if (begin < end && (!column || !view.values))
    throw InvalidArgument("a sparse matrix with entries has no memory for their columns or values");
  const auto check = [&](Index from, Index to) {
    // Negative ones are large without a sign; so the loop takes many at a time.
    using Unsigned = std::make_unsigned_t<I>;
    Unsigned largest = 0;
    for (Index k = from; k < to; ++k) largest = std::max(largest, static_cast<Unsigned>(column[k]));
    constexpr Unsigned most = std::numeric_limits<I>::max();
    if (from == to || (largest <= most && std::cmp_less(largest, view.cols))) return;
    const I* wrong =
        std::find_if(column + from, column + to, [&](I c) { return c < 0 || c >= view.cols; });
    throw InvalidArgument("a sparse matrix of " + std::to_string(view.cols) +
                          " columns has an entry in column " + std::to_string(*wrong));
  };
  constexpr Index piece = 1 << 18;
  if (!workers) {
    check(begin, end);
  } else {
    workers->run((end - begin + piece - 1) / piece, [&](Index p, int) {
      check(begin + p * piece, std::min(end, begin + (p + 1) * piece));
    });
  }
}

}  // namespace

namespace {

/// Whether a column is one of numbers. Throws DataError for one of a sparse matrix, whose absent
/// entries are 0.
bool has_numbers(const RowBlock& rows, Index column) {
  const Part& part = *rows.spot(column).part;
  if (part.kind == Part::Kind::sparse)
    throw DataError("whether values are missing cannot be told of a sparse matrix",
                    "give its values as columns");
  return part.kind == Part::Kind::matrix || part.column.kind == Column::Kind::numbers;
}

const Names& no_names() {
  static const Names none;
  return none;
}

}  // namespace

double number_at(const RowBlock& rows, Index column, Index row) {
  const NumberReader reader(Schema::numbered(rows.feature_count()), {Family::gaussian, {column}},
                            rows);
  double scratch = 0;
  return *reader.read(row, 1, &scratch).values;
}

NumberReader::NumberReader(const Schema& schema, const Block& block, const RowBlock& rows,
                           Workers* workers) {
  require_features(schema, rows);
  std::vector<Index> columns;  // without indicators those of the features have their numbers
  const Index positions =
      schema.has_transforms() || schema.has_indicators() ? std::ssize(block.features) : 0;
  columns.reserve(static_cast<std::size_t>(positions));
  for (Index position = 0; position < positions; ++position) {
    const Feature& feature = schema.feature(block.features[position]);
    if (feature.transform != Transform::none) transforms_.push_back({position, feature.transform});
    if (!schema.has_indicators()) continue;
    const Index column = schema.column(block.features[position]);
    const bool is_plain =
        !feature.indicator || (feature.is_of_missing() && has_numbers(rows, column));
    columns.push_back(is_plain ? column : -1);
    if (!feature.is_of_missing()) continue;
    Missing& missing = missing_.emplace_back(Missing{.position = position, .names = {}});
    if (!is_plain) missing.names.emplace(NameReader::column_of(rows, column), no_names());
  }
  for (const Index column : indicator_columns(schema, block))
    indicators_.emplace_back(schema, block, column, rows);
  open(schema.has_indicators() ? columns : block.features, rows, workers, [&](Index position) {
    const std::string& name = schema.feature(block.features[position]).name;
    throw DataError(
        {.features = {name}},
        "the values are strings, but the family is " + std::string(to_string(block.family)),
        "give numbers, or make the feature categorical");
  });
}

NumberReader::NumberReader(const RowBlock& rows, const std::function<std::string(Index)>& name,
                           Workers* workers) {
  std::vector<Index> all(static_cast<std::size_t>(rows.feature_count()));
  std::iota(all.begin(), all.end(), Index{0});
  open(all, rows, workers, [&](Index position) {
    throw DataError({.features = {name(position)}}, "the values are strings", "give numbers");
  });
}

void NumberReader::open(std::span<const Index> columns, const RowBlock& rows, Workers* workers,
                        const std::function<void(Index)>& strings) {
  features_ = std::ssize(columns);
  const auto is_in_place = [&] {  // all columns of one sparse part, in order
    if (!rows.order().empty() || rows.parts().size() != 1 ||
        rows.parts()[0].kind != Part::Kind::sparse || rows.parts()[0].count != features_)
      return false;
    Index next = 0;
    return std::ranges::all_of(columns, [&](Index column) { return column == next++; });
  };
  const bool whole = is_in_place();
  if (whole) runs_.push_back({&rows.parts()[0], 0, 1, features_, 0, {}});
  for (Index position = 0; position < features_ && !whole; ++position) {
    const Index of_rows = columns[static_cast<std::size_t>(position)];
    if (of_rows < 0) continue;
    const RowBlock::Spot spot = rows.spot(of_rows);
    const Part& part = *spot.part;
    const Index column = spot.column;
    if (!runs_.empty() && runs_.back().part == &part && part.kind == Part::Kind::sparse) {
      runs_.back().panel[column] = position;  // there are many of these
      ++runs_.back().count;
      continue;
    }
    if (part.kind == Part::Kind::column && part.column.kind != Column::Kind::numbers)
      strings(position);
    if (part.kind == Part::Kind::sparse) {
      const auto known = std::find_if(runs_.begin(), runs_.end(),
                                      [&](const Run& run) { return run.part == &part; });
      Run& run = known != runs_.end() ? *known : runs_.emplace_back(Run{&part, 0, 1, 0, 0, {}});
      run.panel.resize(static_cast<std::size_t>(part.count), -1);
      run.panel[column] = position;
      ++run.count;
      continue;
    }
    if (!runs_.empty() && runs_.back().part == &part &&
        position == runs_.back().position + runs_.back().count) {
      Run& run = runs_.back();
      if (run.count == 1) run.step = column - run.column;
      if (column == run.column + run.count * run.step) {
        ++run.count;
        continue;
      }
    }
    runs_.push_back({&part, column, 1, 1, position, {}});
  }

  for (const Run& run : runs_) {
    if (run.part->kind != Part::Kind::sparse) continue;
    const SparseView& view = run.part->sparse;
    view.index_type == Scalar::int32 ? check_sparse<std::int32_t>(view, workers)
                                     : check_sparse<std::int64_t>(view, workers);
  }
  if (runs_.size() != 1 || !transforms_.empty() || !indicators_.empty() || !missing_.empty())
    return;
  const Run& run = runs_.front();
  if (run.part->kind == Part::Kind::matrix) {
    const MatrixView& matrix = run.part->matrix;
    in_place_ = matrix.type == Scalar::float64 && matrix.row_stride >= features_ &&
                (features_ == 1 || matrix.col_stride * run.step == 1);
  } else if (run.part->kind == Part::Kind::sparse && run.part->count == features_ &&
             std::is_sorted(run.panel.begin(), run.panel.end())) {
    sparse_ = &run.part->sparse;
  }
}

NumberReader::Panel NumberReader::read(Index first, Index count, double* scratch) const {
  if (in_place_) {
    const Run& run = runs_.front();
    const MatrixView& matrix = run.part->matrix;
    return {static_cast<const double*>(matrix.data) + first * matrix.row_stride +
                run.column * matrix.col_stride,
            matrix.row_stride};
  }
  for (Index begin = 0; begin < count; begin += packed_rows) {
    const Index row = first + begin;
    const Index rows = std::min(packed_rows, count - begin);
    double* out = scratch + begin * features_;
    for (const Run& run : runs_) {
      switch (run.part->kind) {
        case Part::Kind::matrix: {
          const MatrixView& m = run.part->matrix;
          with_type(m.type, [&]<class T>(std::type_identity<T>) {
            pack_matrix(
                static_cast<const T*>(m.data) + row * m.row_stride + run.column * m.col_stride,
                m.row_stride, m.col_stride * run.step, rows, run.count, out + run.position,
                features_);
          });
          break;
        }
        case Part::Kind::column:
          pack_column(run.part->column, row, rows, out + run.position, features_);
          break;
        case Part::Kind::sparse:
          if (run.panel.empty()) std::fill_n(out, rows * features_, 0.0);
          for (const Index position : run.panel) {
            for (Index i = 0; i < rows && position >= 0; ++i) out[i * features_ + position] = 0;
          }
          pack_sparse(run.part->sparse, row, rows, run.panel, out, features_);
          break;
      }
    }
    for (const IndicatorReader& column : indicators_) column.read(row, rows, out, features_);
    transform(rows, out);
    tell_missing(row, rows, out);
  }
  return {scratch, features_};
}

void NumberReader::tell_missing(Index first, Index rows, double* panel) const {
  std::array<std::int32_t, packed_rows> codes;
  for (const auto& [position, names] : missing_) {
    if (names) names->read(first, rows, codes.data(), 1);
    for (Index i = 0; i < rows; ++i) {
      double& x = panel[i * features_ + position];
      const bool missing =
          names ? codes[static_cast<std::size_t>(i)] == NameReader::missing : std::isnan(x);
      x = missing ? 1 : 0;
    }
  }
}

void NumberReader::transform(Index rows, double* panel) const {
  for (const auto& [position, transform] : transforms_) {
    for (Index i = 0; i < rows; ++i) {
      double& x = panel[i * features_ + position];
      x = transformed(transform, x);
    }
  }
}

}  // namespace suffice
