// The kernels against plain loops, on every instruction set that this CPU has.

#include "core/kernels.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/buffer.hpp"

namespace suffice::kernels {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

/// Runs the body once for each instruction set.
template <class Body>
void on_each_target(const Body& body) {
  const std::int64_t supported = hwy::SupportedTargets();
  for (std::int64_t bits = supported; bits; bits &= bits - 1) {
    hwy::SetSupportedTargetsForTest(bits & -bits);
    SCOPED_TRACE(target_name());
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

/// Numbers that doubles add and multiply exactly, so that the order of sums does not matter.
class Exact {
 public:
  Matrix matrix(Index rows, Index cols) {
    Matrix result(rows, cols);
    for (Index i = 0; i < result.size(); ++i) result.data()[i] = number();
    return result;
  }
  double number() { return static_cast<double>(static_cast<int>(random_() % 65) - 32) / 8; }
  std::int32_t below(std::int32_t end) {
    return static_cast<std::int32_t>(random_() % static_cast<unsigned>(end));
  }

 private:
  std::mt19937 random_{7};
};

const Index widths[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 23, 24, 25, 31, 33, 40};

TEST(Kernels, ChecksSeeEachBadValueAtEachPlace) {
  on_each_target([] {
    for (const Index d : widths) {
      Matrix x(3, d);
      for (Index i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>(i % 2);
      for (const Check check :
           {Check::finite, Check::zero_or_one, Check::count, Check::not_negative}) {
        EXPECT_TRUE(all_pass(check, x.data(), d, 3, d)) << d;
      }
      for (Index at = 0; at < x.size(); ++at) {
        const double before = x.data()[at];
        const auto passes = [&](Check check, double value) {
          x.data()[at] = value;
          return all_pass(check, x.data(), d, 3, d);
        };
        for (const double bad : {nan, inf, -inf}) {
          EXPECT_FALSE(passes(Check::finite, bad)) << d << " " << at;
          EXPECT_FALSE(passes(Check::count, bad)) << d << " " << at;
          EXPECT_FALSE(passes(Check::not_negative, bad)) << d << " " << at;
          EXPECT_FALSE(passes(Check::zero_or_one, bad)) << d << " " << at;
        }
        EXPECT_TRUE(passes(Check::finite, -1e308));
        EXPECT_TRUE(passes(Check::count, 1e15));
        EXPECT_FALSE(passes(Check::count, -1));
        EXPECT_FALSE(passes(Check::count, 0.5));
        EXPECT_TRUE(passes(Check::not_negative, 0.5));
        EXPECT_FALSE(passes(Check::not_negative, -1e-300));
        EXPECT_FALSE(passes(Check::zero_or_one, 2));
        EXPECT_FALSE(passes(Check::zero_or_one, 0.25));
        x.data()[at] = before;
      }
    }
  });
}

TEST(Kernels, ChecksDoNotLookBehindTheRow) {
  on_each_target([] {
    Matrix x(2, 6);
    for (Index i = 0; i < x.size(); ++i) x.data()[i] = i % 6 < 5 ? 1 : nan;
    EXPECT_TRUE(all_pass(Check::count, x.data(), 6, 2, 5));
    EXPECT_FALSE(all_pass(Check::count, x.data(), 6, 2, 6));
  });
}

TEST(Kernels, MomentsAndSums) {
  on_each_target([] {
    Exact exact;
    for (const Index d : widths) {
      const Index n = 29, classes = 3, stride = d + 2, width = padded(d);
      const Matrix x = exact.matrix(n, stride);
      std::vector<std::int32_t> label;
      std::vector<double> weight;
      for (Index i = 0; i < n; ++i) {
        label.push_back(exact.below(4) - 1);
        weight.push_back(0.25 * exact.below(5));
      }
      std::vector<std::int32_t> reversed(n);
      for (Index i = 0; i < n; ++i) reversed[i] = static_cast<std::int32_t>(n - 1 - i);
      Vector shift(classes * width);
      for (Index c = 0; c < classes; ++c) {
        for (Index j = 0; j < d; ++j) shift[c * width + j] = exact.number();
      }
      for (const double* w :
           {static_cast<const double*>(nullptr), static_cast<const double*>(weight.data())}) {
        Vector sums(classes * width), squares(classes * width), plain(classes * width);
        accumulate_moments(x.data(), stride, n, d, w ? reversed.data() : nullptr, label.data(), w,
                           shift.data(), sums.data(), squares.data());
        accumulate_sums(x.data(), stride, n, d, label.data(), w, plain.data());
        for (Index c = 0; c < classes; ++c) {
          for (Index j = 0; j < width; ++j) {
            double sum = 0, square = 0, unshifted = 0;
            for (Index i = 0; i < n && j < d; ++i) {
              if (label[i] != c) continue;
              const double r = w ? w[i] : 1, t = x(i, j) - shift[c * width + j];
              sum += r * t;
              square += r * t * t;
              unshifted += r * x(i, j);
            }
            ASSERT_EQ(sums[c * width + j], sum) << d << " " << c << " " << j;
            ASSERT_EQ(squares[c * width + j], square) << d << " " << c << " " << j;
            ASSERT_EQ(plain[c * width + j], unshifted) << d << " " << c << " " << j;
          }
        }
      }
    }
  });
}

/// Means of two words are compared in long double, which has more digits than one word.
TEST(Kernels, MergedMoments) {
  on_each_target([] {
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal;
    for (const Index d : widths) {
      const auto moments = [&] {
        Matrix m(4, d);  // weight, two words of the mean, squares
        for (Index j = 0; j < d; ++j) {
          if (random() % 5 == 0) continue;                         // nothing seen
          m(0, j) = 1 + static_cast<double>(random() % 1000) / 8;  // sums of these are exact
          m(1, j) = 1e9 + normal(random);
          m(2, j) = 1e-8 * normal(random);
          m(3, j) = 100 * std::abs(normal(random));
        }
        return m;
      };
      Matrix a = moments();
      const Matrix before = a, b = moments();
      const Index done =
          merge_moments({a.row(0).data(), a.row(1).data(), a.row(2).data(), a.row(3).data()},
                        {b.row(0).data(), b.row(1).data(), b.row(2).data(), b.row(3).data()}, d);
      ASSERT_LE(done, d);
      for (Index j = 0; j < d; ++j) {
        if (j >= done || b(0, j) == 0 || before(0, j) == 0) {
          const Matrix& kept = j < done && b(0, j) > 0 ? b : before;
          for (Index k = 0; k < 4; ++k) ASSERT_EQ(a(k, j), kept(k, j)) << d << " " << j;
          continue;
        }
        const long double w_a = before(0, j), w_b = b(0, j), w = w_a + w_b;
        const long double apart =
            (static_cast<long double>(b(1, j)) - before(1, j)) + b(2, j) - before(2, j);
        // Less what both means share, so that the digits below it can be seen.
        const long double moved =
            (static_cast<long double>(a(1, j)) - before(1, j)) + a(2, j) - before(2, j);
        EXPECT_NEAR(static_cast<double>(moved - apart * w_b / w), 0, 3e-18) << d << " " << j;
        EXPECT_DOUBLE_EQ(a(0, j), static_cast<double>(w));
        const long double squares = before(3, j) + b(3, j) + apart * apart * w_a * w_b / w;
        EXPECT_NEAR(a(3, j) / static_cast<double>(squares), 1, 1e-14) << d << " " << j;
      }
    }
  });
}

TEST(Kernels, PackAndScatter) {
  on_each_target([] {
    Exact exact;
    for (const Index d : widths) {
      const Index n = 13, classes = 2, stride = d + 1, width = padded(d + 1);
      Matrix x = exact.matrix(n, stride);
      const std::vector<std::int32_t> label = {0, 1, 1, 0, 1, -1, 0, 1, 1, 0, 1, 0, 1};
      const std::vector<std::int32_t> place = {0, 5, 6, 1, 7, -1, 2, 8, 9, 3, 10, 4, 11};
      Vector shift(classes * padded(d)), root(n), packed(12 * width);
      for (Index c = 0; c < classes; ++c) {
        for (Index j = 0; j < d; ++j) shift[c * padded(d) + j] = exact.number();
      }
      for (Index i = 0; i < n; ++i) root[i] = 0.5 * exact.below(4);
      std::fill(packed.begin(), packed.end(), nan);
      x(5, 0) = nan;  // a row that goes nowhere
      ASSERT_TRUE(pack_centered(x.data(), stride, n, d, label.data(), place.data(), shift.data(),
                                root.data(), packed.data()));
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < width && place[i] >= 0; ++j) {
          const double centered = j < d    ? x(i, j) - shift[label[i] * padded(d) + j]
                                  : j == d ? 1
                                           : 0;
          ASSERT_EQ(packed[place[i] * width + j], root[i] * centered) << d << " " << i << " " << j;
        }
      }
      Matrix q(d + 1, width);
      std::fill_n(q.data(), q.size(), 2.0);
      scatter(packed.data(), 12, d + 1, q.data(), x.data());
      for (Index i = 0; i <= d; ++i) {
        for (Index j = i; j <= d; ++j) {
          double sum = 2;
          for (Index k = 0; k < 12; ++k) sum += packed[k * width + i] * packed[k * width + j];
          ASSERT_EQ(q(i, j), sum) << d << " " << i << " " << j;
        }
      }
      for (const double bad : {nan, inf, -inf}) {
        x(12, d - 1) = bad;
        EXPECT_FALSE(pack_centered(x.data(), stride, n, d, label.data(), place.data(), shift.data(),
                                   nullptr, packed.data()));
      }
    }
  });
}

TEST(Kernels, Transpose) {
  on_each_target([] {
    Exact exact;
    for (const Index rows : {1, 3, 4, 6, 32}) {
      for (const Index cols : widths) {
        const Matrix x = exact.matrix(rows, cols + 1), center = exact.matrix(1, cols);
        for (const double* c : {static_cast<const double*>(nullptr), center.data()}) {
          Vector to(cols * (rows + 1));
          transpose(x.data(), cols + 1, rows, cols, c, to.data(), rows + 1);
          for (Index i = 0; i < rows; ++i) {
            for (Index j = 0; j < cols; ++j)
              ASSERT_EQ(to[j * (rows + 1) + i], x(i, j) - (c ? c[j] : 0));
          }
        }
      }
    }
  });
}

TEST(Kernels, Scores) {
  on_each_target([] {
    Exact exact;
    for (const Index d : {1, 2, 3, 4, 5, 8, 13, 97, 200}) {
      for (const Index classes : {1, 2, 3, 5, 8, 11}) {
        const Matrix x = exact.matrix(d, rows_at_once), scale = exact.matrix(classes, d);
        const Matrix offset = exact.matrix(classes, d), base = exact.matrix(1, classes);
        Matrix w = exact.matrix(d, d);
        for (Index i = 0; i < d; ++i) {
          for (Index j = i + 1; j < d; ++j) w(i, j) = 0;
        }
        Vector diagonal(classes * rows_at_once), linear(classes * rows_at_once),
            lower(rows_at_once), product(d * rows_at_once);
        score_diagonal(x.data(), d, classes, scale.data(), offset.data(), base.data(),
                       diagonal.data());
        score_lower(x.data(), d, rows_at_once, w.data(), offset.data(), base(0, 0), lower.data());
        multiply_lower(x.data(), d, w.data(), product.data());
        for (Index r = 0; r < rows_at_once; ++r) {
          for (Index c = 0; c < classes; ++c) {
            double square = 0;
            for (Index j = 0; j < d; ++j) {
              const double t = x(j, r) * scale(c, j) - offset(c, j);
              square += t * t;
            }
            ASSERT_EQ(diagonal[c * rows_at_once + r], base(0, c) - 0.5 * square)
                << d << " " << classes;
          }
          double square = 0;
          for (Index i = 0; i < d; ++i) {
            double y = 0;
            for (Index j = 0; j <= i; ++j) y += w(i, j) * x(j, r);
            ASSERT_EQ(product[i * rows_at_once + r], y) << d << " " << i;
            square += (y - offset(0, i)) * (y - offset(0, i));
          }
          ASSERT_EQ(lower[r], base(0, 0) - 0.5 * square) << d;
        }
      }
    }
  });
}

TEST(Kernels, FewRowsHaveTheBitsOfMany) {
  on_each_target([] {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    for (const Index d : {1, 7, 50}) {
      Matrix x(d, rows_at_once), w(d, d), offset(1, d);
      for (Matrix* matrix : {&x, &w, &offset})
        for (Index k = 0; k < matrix->size(); ++k) matrix->data()[k] = normal(random);
      Vector all(rows_at_once), some(rows_at_once);
      score_lower(x.data(), d, rows_at_once, w.data(), offset.data(), 0.3, all.data());
      for (Index rows = 1; rows < rows_at_once; ++rows) {
        score_lower(x.data(), d, rows, w.data(), offset.data(), 0.3, some.data());
        for (Index r = 0; r < rows; ++r) ASSERT_EQ(some[r], all[r]) << d << " " << rows;
      }
    }
  });
}

TEST(Kernels, SquaresInFloats) {
  on_each_target([] {
    Exact exact;
    for (const Index d : {1, 2, 3, 6, 13, 40}) {
      Matrix halves[] = {exact.matrix(d, rows_at_once), exact.matrix(d, rows_at_once)};
      Vector scale(d), norm(float_rows_at_once);
      for (Index j = 0; j < d; ++j) scale[j] = j % 3 == 0 ? 0.5 : 2;
      Buffer<float> x(d * float_rows_at_once), w(d * d), offset(d), squares(float_rows_at_once);
      for (Index h = 0; h < 2; ++h)
        scale_to_float(halves[h].data(), d, scale.data(), x.data() + h * rows_at_once,
                       norm.data() + h * rows_at_once);
      const Matrix entries = exact.matrix(d, d), constants = exact.matrix(1, d);
      for (Index k = 0; k < d * d; ++k) w[k] = static_cast<float>(entries.data()[k]);
      for (Index k = 0; k < d; ++k) offset[k] = static_cast<float>(constants.data()[k]);
      squares_lower(x.data(), d, float_rows_at_once, w.data(), offset.data(), squares.data());
      for (Index r = 0; r < float_rows_at_once; ++r) {
        double square = 0, of_x = 0;
        const Matrix& half = halves[r / rows_at_once];
        for (Index i = 0; i < d; ++i) {
          double y = -constants(0, i);
          for (Index j = 0; j <= i; ++j) y += entries(i, j) * scale[j] * half(j, r % rows_at_once);
          square += y * y;
          of_x += std::pow(scale[i] * half(i, r % rows_at_once), 2);
        }
        ASSERT_NEAR(squares[r], square, 1e-6 * square) << d;
        ASSERT_DOUBLE_EQ(norm[r], std::sqrt(of_x)) << d;
      }
    }
  });
}

TEST(Kernels, LinearScores) {
  on_each_target([] {
    Exact exact;
    for (const Index d : {1, 3, 8, 20, 97}) {
      for (const Index classes : {1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 16, 17, 20, 40}) {
        const Index stride = d + 3;
        const Matrix x = exact.matrix(rows_at_once, stride),
                     table = exact.matrix(d, padded(classes));
        const Matrix base = exact.matrix(1, padded(classes)), center = exact.matrix(1, padded(d));
        Vector scratch(rows_at_once * padded(d));
        for (const Index n : {1, 5, 31, 32}) {
          for (const double* from : {static_cast<const double*>(nullptr), center.data()}) {
            Vector out(n * classes + 1);
            out[n * classes] = 77;
            score_linear(x.data(), stride, n, d, from, classes, table.data(), base.data(),
                         scratch.data(), out.data());
            for (Index i = 0; i < n; ++i) {
              for (Index c = 0; c < classes; ++c) {
                double sum = base(0, c);
                for (Index j = 0; j < d; ++j) sum += (x(i, j) - (from ? from[j] : 0)) * table(j, c);
                ASSERT_EQ(out[i * classes + c], sum) << d << " " << classes << " " << n;
              }
            }
            EXPECT_EQ(out[n * classes], 77);
          }
        }
      }
    }
  });
}

TEST(Kernels, TableRows) {
  on_each_target([] {
    Exact exact;
    for (const Index width : {2, 4, 8, 16, 24, 32, 48, 104}) {
      const Index classes = width, n = 50;
      const Matrix table = exact.matrix(11, width), factor = exact.matrix(1, n);
      std::vector<std::int32_t> row, first;
      for (Index i = 0; i < n; ++i) {
        row.push_back(exact.below(10) - 1);
        first.push_back(exact.below(3));
      }
      for (const double* f : {static_cast<const double*>(nullptr), factor.data()}) {
        Vector out(width);
        out[0] = 3;
        add_table_rows(table.data(), width, row.data(), f ? first.data() : nullptr, f, 31, n,
                       out.data());
        for (Index k = 0; k < classes; ++k) {
          double sum = k == 0 ? 3 : 0;
          for (Index i = 0; i < 31; ++i)
            sum += row[i] < 0 ? 0 : (f ? f[i] : 1) * table(row[i] + (f ? first[i] : 0), k);
          ASSERT_EQ(out[k], sum) << classes << " " << k;
        }
      }
    }
  });
}

TEST(Kernels, ScoresWithoutARowAreThoseOfPlainLoops) {
  on_each_target([] {
    Exact random;
    for (const Index d : {1, 3, 8, 9, 17, 48, 49, 100}) {
      for (const Index classes : {1, 7, 8, 9}) {
        const Index n = d == 9 ? 5 : rows_at_once, width = padded(d);
        const Matrix x = random.matrix(n, d);
        Matrix mean(n, width), loss(n, width), inverse(n, width), gain(n, width);
        std::vector<Removal> removal;
        for (Index r = 0; r < n; ++r) {
          for (Index j = 0; j < d; ++j) {
            mean(r, j) = random.number();
            loss(r, j) = std::abs(random.number()) / 512;  // h stays above ½
            inverse(r, j) = 1 + std::abs(random.number());
            gain(r, j) = 1 + std::abs(random.number());
          }
          removal.push_back(
              {mean.row(r).data(), loss.row(r).data(), inverse.row(r).data(), gain.row(r).data()});
        }
        Matrix weight(n, width);
        Vector q(rows_at_once), log_h(rows_at_once), least(rows_at_once);
        remove_from_each(x.data(), d, n, d, removal.data(), weight.data(), q.data(), log_h.data(),
                         least.data());
        for (Index r = 0; r < n; ++r) {
          double sum = 0, logs = 0, smallest = 1;
          for (Index j = 0; j < d; ++j) {
            const double square = (x(r, j) - mean(r, j)) * (x(r, j) - mean(r, j));
            const double h = 1 - loss(r, j) * square;
            ASSERT_NEAR(weight(r, j), inverse(r, j) / h, 1e-13 * inverse(r, j) / h) << d;
            sum += gain(r, j) * square * inverse(r, j) / h;
            logs += std::log(h);
            smallest = std::min(smallest, h);
          }
          ASSERT_NEAR(q[r], sum, 1e-13 * sum) << d;
          ASSERT_NEAR(log_h[r], logs, 1e-13 * std::abs(logs)) << d;
          ASSERT_EQ(least[r], smallest) << d;
        }

        const Index padded_classes = padded(classes);
        Matrix means(d, padded_classes), out(n, padded_classes);
        for (Index j = 0; j < d; ++j)
          for (Index c = 0; c < classes; ++c) means(j, c) = random.number();
        weighted_squares(x.data(), d, n, d, weight.data(), means.data(), classes, out.data());
        for (Index r = 0; r < n; ++r)
          for (Index c = 0; c < classes; ++c) {
            double sum = 0;
            for (Index j = 0; j < d; ++j)
              sum += weight(r, j) * (x(r, j) - means(j, c)) * (x(r, j) - means(j, c));
            ASSERT_NEAR(out(r, c), sum, 1e-13 * sum) << d << " " << classes;
          }

        for (Index i = 0; i < loss.size(); ++i) loss.data()[i] /= 256;
        remove_from_one(x.data(), d, n, d, removal.data(), q.data(), log_h.data(), least.data());
        for (Index r = 0; r < n; ++r) {
          double sum = 0, h = 1;
          for (Index j = 0; j < d; ++j) {
            const double square = (x(r, j) - mean(r, j)) * (x(r, j) - mean(r, j));
            sum += gain(r, j) * square;
            h -= loss(r, j) * square;
          }
          ASSERT_NEAR(q[r], sum, 1e-13 * sum) << d;
          ASSERT_NEAR(least[r], h, 1e-13) << d;
          ASSERT_NEAR(log_h[r], std::log(h), 1e-12) << d;
        }
      }
    }
  });
}

TEST(Kernels, TheBestOfARowIsTheFirstOfTheLargest) {
  on_each_target([] {
    Exact exact;
    for (Index classes = 1; classes <= 35; ++classes) {
      const Index n = 40;
      Matrix scores(n, classes);
      Vector offset(classes);
      for (Index i = 0; i < scores.size(); ++i) {
        const Index kind = exact.below(8);  // few values, so that many are equal
        scores.data()[i] = kind == 0 ? -inf : kind == 1 ? nan : 0.5 * exact.below(5);
      }
      for (Index c = 0; c < classes; ++c) {
        scores(0, c) = -inf;
        scores(1, c) = nan;
        scores(2, c) = c == classes - 1 ? 1 : 0;
        scores(3, c) = 1;
        offset[c] = exact.below(6) == 0 ? -inf : 0.5 * exact.below(3);
      }
      for (const double* added :
           {static_cast<const double*>(nullptr), static_cast<const double*>(offset.data())}) {
        std::vector<Index> best(static_cast<std::size_t>(n), 99);
        best_of_rows(scores.data(), n, classes, added, best.data());
        for (Index i = 0; i < n; ++i) {
          Index expected = -1;
          double largest = -inf;
          for (Index c = 0; c < classes; ++c) {
            const double score = scores(i, c) + (added ? added[c] : 0);
            if (!(score > largest)) continue;
            largest = score;
            expected = c;
          }
          ASSERT_EQ(best[static_cast<std::size_t>(i)], expected) << classes << " row " << i;
        }
      }
    }
  });
}

}  // namespace
}  // namespace suffice::kernels
