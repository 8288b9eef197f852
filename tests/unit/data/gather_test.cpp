// Rows picked out of a block, whatever its parts are.

#include "data/gather.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace suffice::gather_test {
namespace {

TEST(GatheredRows, AreTheRowsOfEveryKindOfPart) {
  const Matrix matrix{{1, 2}, {3, 4}, {5, 6}, {7, 8}};
  const std::vector<float> by_column{1, 2, 3, 4, 10, 20, 30, 40};
  const std::vector<std::string> words{"zero", "", "two", "three"};
  const std::uint8_t valid = 0b1101, bits = 0b0110;
  const std::int8_t codes[] = {1, -1, 0, 1};
  const std::int64_t starts[] = {0, 2, 2, 3, 5};
  const std::int64_t columns[] = {0, 2, 1, 0, 1};
  const std::uint8_t counts[] = {5, 6, 7, 8, 9};
  RowBlock rows(4);
  rows.features(matrix)
      .features(MatrixView(by_column.data(), 4, 2, 1, 4))
      .feature(Column(Strings(words), Validity{&valid}))
      .feature(Column(codes, 4, Strings(words)))
      .features(SparseView(4, 3, starts, columns, counts));
  Column flags(&bits, 4);
  flags.type = Scalar::bit;
  flags.bit_offset = 0;
  rows.feature(flags);

  const std::vector<Index> wanted{3, 1, 2};
  const GatheredRows gathered(rows, wanted);
  ASSERT_EQ(gathered.block().rows(), 3);
  ASSERT_EQ(gathered.block().parts().size(), rows.parts().size());
  const auto& parts = gathered.block().parts();
  const auto number = [](const MatrixView& view, Index i, Index j) {
    const Index at = i * view.row_stride + j * view.col_stride;
    return view.type == Scalar::float64 ? static_cast<const double*>(view.data)[at]
                                        : static_cast<const float*>(view.data)[at];
  };
  for (Index i = 0; i < 3; ++i) {
    const Index row = wanted[i];
    for (Index j = 0; j < 2; ++j) {
      EXPECT_EQ(number(parts[0].matrix, i, j), matrix(row, j));
      EXPECT_EQ(number(parts[1].matrix, i, j), by_column[j * 4 + row]);
    }
    EXPECT_EQ(parts[2].column.strings[i], words[row]);
    EXPECT_EQ(parts[2].column.valid(i), row != 1);
    EXPECT_EQ(static_cast<const std::int8_t*>(parts[3].column.data)[i], codes[row]);
    const SparseView& sparse = parts[4].sparse;
    const auto* start = static_cast<const std::int64_t*>(sparse.row_start);
    ASSERT_EQ(start[i + 1] - start[i], starts[row + 1] - starts[row]);
    for (Index k = 0; k < start[i + 1] - start[i]; ++k) {
      EXPECT_EQ(static_cast<const std::int64_t*>(sparse.column)[start[i] + k],
                columns[starts[row] + k]);
      EXPECT_EQ(static_cast<const std::uint8_t*>(sparse.values)[start[i] + k],
                counts[starts[row] + k]);
    }
    EXPECT_EQ((static_cast<const std::uint8_t*>(parts[5].column.data)[0] >> i) & 1,
              (bits >> row) & 1);
  }
}

}  // namespace
}  // namespace suffice::gather_test
