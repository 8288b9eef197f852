#include "score/sparse_scorer.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>

#include "core/constants.hpp"
#include "data/scalar.hpp"

namespace suffice {

namespace {

/// The columns of a table of that many classes: few are not padded, since the table has a row for
/// each feature, of which there may be a million.
Index table_width(Index classes) {
  return classes <= 2 ? 2 : classes <= 4 ? 4 : kernels::padded(classes);
}

class SparseScorer : public BlockScorer {
 public:
  SparseScorer(const SparseView& view, const SparseTerms& terms, Workers& workers)
      : view_(view),
        classes_(terms.slope.rows()),
        width_(table_width(classes_)),
        check_(terms.check),
        wrong_(terms.wrong),
        more_(terms.more),
        zeros_matter_(!terms.impossible.empty()),
        base_(width_),
        table_(view.cols, width_) {
    const Index features = view.cols;
    constexpr Index piece = 2048;
    workers.run_ranges((features + piece - 1) / piece, [&](Index p) {
      const Index first = p * piece, count = std::min(piece, features - first);
      kernels::transpose(terms.slope.data() + first, features, classes_, count, nullptr,
                         table_.data() + first * width_, width_);
    });
    for (const auto& [column, label] : terms.impossible) table_(column, label) = -infinity;
    std::ranges::copy(terms.base, base_.begin());
  }

  std::unique_ptr<Workspace> workspace(Index) const override {
    auto own = std::make_unique<Own>();
    own->sums = Vector(width_);
    return own;
  }

  void prepare(const Chunk&, Workspace&) const override {}

  void score(const Tile& tile, Workspace& workspace) const override {
    with_type(view_.type, [&]<class T>(std::type_identity<T>) {
      if (view_.index_type == Scalar::int32) {
        score_typed<std::int32_t, T>(tile, static_cast<Own&>(workspace));
      } else {
        score_typed<std::int64_t, T>(tile, static_cast<Own&>(workspace));
      }
    });
  }

 private:
  struct Own : Workspace {
    Vector sums;
    std::vector<std::int32_t> column;
    std::vector<double> values;
  };

  template <class I, class T>
  void score_typed(const Tile& tile, Own& own) const {
    const I* row_start = static_cast<const I*>(view_.row_start);
    const I* all_columns = static_cast<const I*>(view_.column);
    const T* all_values = static_cast<const T*>(view_.values);
    const Index begin = static_cast<Index>(row_start[tile.first]);
    const Index entries = static_cast<Index>(row_start[tile.first + tile.count]) - begin;
    const std::int32_t* column = nullptr;
    const double* values = nullptr;
    if constexpr (std::same_as<I, std::int32_t> && std::same_as<T, double>) {
      // What the kernel wants is there already.
      if (!zeros_matter_) {
        column = all_columns + begin;
        values = all_values + begin;
      }
    }
    if (!column) {
      own.column.resize(static_cast<std::size_t>(entries));
      own.values.resize(static_cast<std::size_t>(entries));
      for (Index k = 0; k < entries; ++k) {
        const double value = static_cast<double>(all_values[begin + k]);
        // A stored 0 is an absent entry, and must be kept from 0 · −inf.
        own.column[k] = value == 0 ? -1 : static_cast<std::int32_t>(all_columns[begin + k]);
        own.values[k] = value;
      }
      column = own.column.data();
      values = own.values.data();
    }
    if (!kernels::all_pass(check_, values, entries, 1, entries)) {
      for (Index i = tile.first; i < tile.first + tile.count; ++i) {
        for (I k = row_start[i]; k < row_start[i + 1]; ++k)
          wrong_(i, static_cast<Index>(all_columns[k]), static_cast<double>(all_values[k]));
      }
    }
    for (Index i = 0; i < tile.count; ++i) {
      const Index first = static_cast<Index>(row_start[tile.first + i]) - begin;
      const Index count = static_cast<Index>(row_start[tile.first + i + 1]) - begin - first;
      std::ranges::copy(base_, own.sums.begin());
      // Fetching ahead goes on into the entries of the next rows.
      kernels::add_table_rows(table_.data(), width_, column + first, nullptr, values + first, count,
                              entries - first, own.sums.data());
      if (more_) more_(column + first, values + first, count, own.sums.data());
      double* out = tile.out + i * classes_;
      for (Index c = 0; c < classes_; ++c) out[c] = (tile.add ? out[c] : 0.0) + own.sums[c];
    }
  }

  SparseView view_;
  Index classes_, width_;
  kernels::Check check_;
  std::function<void(Index, Index, double)> wrong_;
  std::function<void(const std::int32_t*, const double*, Index, double*)> more_;
  bool zeros_matter_;
  Vector base_;   // table_width(K)
  Matrix table_;  // d × table_width(K)
};

}  // namespace

std::unique_ptr<BlockScorer> make_sparse_scorer(const SparseView& view, const SparseTerms& terms,
                                                Workers& workers) {
  return std::make_unique<SparseScorer>(view, terms, workers);
}

}  // namespace suffice
