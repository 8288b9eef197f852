#pragma once
// Rows as Python hands them in: arrays, codes with names, sparse matrices, columns of Arrow
// batches. A Rows keeps alive what its RowBlock points to.

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "suffice/core/error.hpp"
#include "suffice/data/arrow.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/data/schema.hpp"

namespace suffice::python {

/// One record batch of a stream and the types of its columns; slices share it.
class ArrowBatch {
 public:
  ArrowBatch(std::shared_ptr<const ArrowSchema> type, std::shared_ptr<const ArrowArray> array,
             Index first, Index rows);

  Index rows() const noexcept { return rows_; }
  const ArrowSchema& type() const noexcept { return *type_; }
  ArrowBatch slice(Index first, Index count) const;
  /// Throws InvalidArgument for a position that there is not, DataError for a type that no column
  /// can have.
  Column column(Index position) const;

 private:
  std::shared_ptr<const ArrowSchema> type_;
  std::shared_ptr<const ArrowArray> array_;
  Index first_, rows_;
};

class Rows {
 public:
  explicit Rows(Index rows) : block_(rows) {}
  /// Rows of files; `place` says where one stands, and `owner` has the memory.
  Rows(RowBlock block, Column folds, std::function<Place(Index)> place,
       std::shared_ptr<const void> owner)
      : block_(std::move(block)),
        folds_(folds),
        place_(std::move(place)),
        owner_(std::move(owner)) {}
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  const RowBlock& block() const noexcept { return block_; }
  /// How many numbers there are: what the work on them grows with.
  double size() const noexcept {
    return static_cast<double>(block_.rows()) * static_cast<double>(block_.feature_count());
  }

  void add_matrix(AnyArray values);
  void add_column(AnyArray values, std::optional<AnyArray> missing);
  void add_codes(AnyArray codes, std::vector<std::string> names);
  void add_sparse(AnyArray indptr, AnyArray indices, AnyArray data, Index columns);
  /// Of all columns so far only these.
  void keep_columns(const std::vector<Index>& positions) { block_ = block_.columns(positions); }
  void add_arrow(const ArrowBatch& batch, Index column);
  void set_labels(AnyArray codes, std::vector<std::string> names);
  void set_label_arrow(const ArrowBatch& batch, Index column);
  void set_weights(AnyArray values);
  void set_weight_arrow(const ArrowBatch& batch, Index column);
  /// The fold of each row, for a selection; none if not given.
  void set_folds(AnyArray codes, std::vector<std::string> names);
  const Column& folds() const noexcept { return folds_; }
  /// Whether the rows come from files; then a row has a place there.
  bool in_files() const noexcept { return place_ != nullptr; }
  Place place(Index row) const { return place_(row); }

 private:
  Column coded(AnyArray codes, std::vector<std::string> names, const std::string& what);
  const void* keep(AnyArray array);

  RowBlock block_;
  Column folds_ = {};
  std::vector<AnyArray> arrays_;
  std::vector<std::unique_ptr<std::vector<std::string>>> names_;
  std::vector<std::unique_ptr<std::vector<std::uint8_t>>> bits_;
  std::vector<ArrowBatch> batches_;
  std::function<Place(Index)> place_;
  std::shared_ptr<const void> owner_;
};

/// How rows are read again, from any thread: `read(schema)` gives them slice by slice. Keeps a
/// reference that the caller must hold.
std::function<void(const Schema&, const std::function<void(const Rows&)>&)> read_again(
    const nb::object& read);

}  // namespace suffice::python
