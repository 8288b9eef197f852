#include "rows.hpp"

#include <utility>

#include "call.hpp"
#include "data/scalar.hpp"
#include "suffice/core/error.hpp"

namespace suffice::python {
const void* Rows::keep(AnyArray array) {
  arrays_.push_back(std::move(array));
  return arrays_.back().data();
}

void Rows::add_matrix(AnyArray values) {
  block_.features(matrix_view(values, "the features"));
  keep(std::move(values));
}

void Rows::add_column(AnyArray values, std::optional<AnyArray> missing) {
  Column column = column_view(values, "a feature");
  if (missing) {
    const Column mask = column_view(*missing, "the mask of missing values");
    if (mask.size != column.size || mask.type != Scalar::uint8)
      throw InvalidArgument("a mask of missing values needs one boolean for each value");
    auto bits = std::make_unique<std::vector<std::uint8_t>>((column.size + 7) / 8);
    const auto* is_missing = static_cast<const std::uint8_t*>(mask.data);
    for (Index i = 0; i < column.size; ++i) {
      if (!is_missing[i * mask.stride])
        (*bits)[i >> 3] = static_cast<std::uint8_t>((*bits)[i >> 3] | (1 << (i & 7)));
    }
    column.valid.bits = bits->data();
    bits_.push_back(std::move(bits));
  }
  block_.feature(column);
  keep(std::move(values));
}

Column Rows::coded(AnyArray codes, std::vector<std::string> names, const std::string& what) {
  Column column = column_view(codes, what);
  if (is_floating(column.type))
    throw InvalidArgument(what + " are numbers with a fraction", "codes are integers");
  auto kept = std::make_unique<std::vector<std::string>>(std::move(names));
  column.kind = Column::Kind::codes;
  column.strings = Strings(*kept);
  names_.push_back(std::move(kept));
  keep(std::move(codes));
  return column;
}

void Rows::add_codes(AnyArray codes, std::vector<std::string> names) {
  block_.feature(coded(std::move(codes), std::move(names), "the codes of a feature"));
}

void Rows::add_sparse(AnyArray indptr, AnyArray indices, AnyArray data, Index columns) {
  const Column starts = column_view(indptr, "the row starts of a sparse matrix");
  const Column column = column_view(indices, "the column numbers of a sparse matrix");
  const Column values = column_view(data, "the values of a sparse matrix");
  if (starts.type != column.type)
    throw InvalidArgument("row starts and column numbers of a sparse matrix differ in type");
  if (starts.stride != 1 || column.stride != 1 || values.stride != 1)
    throw InvalidArgument("the arrays of a sparse matrix must be contiguous");
  if (starts.size != block_.rows() + 1)
    throw InvalidArgument("a sparse matrix of " + std::to_string(block_.rows()) +
                          " rows needs one more row start, not " + std::to_string(starts.size));
  SparseView view;
  view.rows = block_.rows();
  view.cols = columns;
  view.row_start = starts.data;
  view.column = column.data;
  view.index_type = starts.type;
  view.values = values.data;
  view.type = values.type;
  block_.features(view);
  keep(std::move(indptr));
  keep(std::move(indices));
  keep(std::move(data));
}

void Rows::add_arrow(const ArrowBatch& batch, Index column) {
  block_.feature(batch.column(column));
  batches_.push_back(batch);
}

void Rows::set_labels(AnyArray codes, std::vector<std::string> names) {
  block_.labels(coded(std::move(codes), std::move(names), "the labels"));
}

void Rows::set_label_arrow(const ArrowBatch& batch, Index column) {
  block_.labels(batch.column(column));
  batches_.push_back(batch);
}

void Rows::set_weights(AnyArray values) {
  block_.weights(column_view(values, "the weights"));
  keep(std::move(values));
}

void Rows::set_weight_arrow(const ArrowBatch& batch, Index column) {
  block_.weights(batch.column(column));
  batches_.push_back(batch);
}

void Rows::set_folds(AnyArray codes, std::vector<std::string> names) {
  folds_ = coded(std::move(codes), std::move(names), "the folds");
}

ArrowBatch::ArrowBatch(std::shared_ptr<const ArrowSchema> type,
                       std::shared_ptr<const ArrowArray> array, Index first, Index rows)
    : type_(std::move(type)), array_(std::move(array)), first_(first), rows_(rows) {}

ArrowBatch ArrowBatch::slice(Index first, Index count) const {
  if (first < 0 || count < 0 || first + count > rows_)
    throw InvalidArgument("a batch of " + std::to_string(rows_) + " rows has no rows " +
                          std::to_string(first) + " to " + std::to_string(first + count));
  return ArrowBatch(type_, array_, first_ + first, count);
}

Column ArrowBatch::column(Index position) const {
  if (position < 0 || position >= type_->n_children)
    throw InvalidArgument("a batch of " + std::to_string(type_->n_children) +
                          " columns has no column " + std::to_string(position));
  if (array_->null_count > 0 && array_->buffers && array_->buffers[0])
    throw InvalidArgument("a batch with missing rows, not only missing cells, cannot be read");
  // A view of the child that begins at the slice: the interface counts all in `offset`.
  ArrowArray child = *array_->children[position];
  const Index first = static_cast<Index>(array_->offset) + first_;
  if (child.length < first + rows_)
    throw InvalidArgument("column " + std::to_string(position) +
                          " of an Arrow batch is shorter than the batch");
  child.offset += first;
  child.length = rows_;
  child.null_count = child.null_count == 0 ? 0 : -1;
  return column_from_arrow(*type_->children[position], child);
}

std::function<void(const Schema&, const std::function<void(const Rows&)>&)> read_again(
    const nb::object& read) {
  return [read = read.ptr(), finalizing = is_finalizing()](const Schema& schema, const auto& use) {
    const WithLock with_lock(finalizing);
    const nb::object function = nb::borrow(read);
    const nb::object slices = until_exit([&] { return nb::object(nb::iter(function(schema))); });
    for (;;) {
      const nb::object slice = until_exit([&] { return nb::steal(PyIter_Next(slices.ptr())); });
      if (!slice.is_valid()) break;
      const Rows& rows = nb::cast<const Rows&>(slice);
      const WithoutLock without_lock;
      use(rows);
    }
    if (PyErr_Occurred()) throw nb::python_error();
  };
}

}  // namespace suffice::python
