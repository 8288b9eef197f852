#include "score/block_terms.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/kernels.hpp"
#include "data/family.hpp"
#include "data/name_reader.hpp"
#include "data/number_reader.hpp"
#include "score/row_projector.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// Numbers, or their projections, and their powers.
class GaussianTerms : public BlockTerms {
 public:
  GaussianTerms(const ScorerInput& input, const ExpectedCells& expected, const TermFrame& frame)
      : input_(input),
        expected_(expected),
        frame_(frame),
        density_(std::get<GaussianDensity>(input.model.densities()[input.block])),
        used_(std::get<GaussianFactor>(input.model.factors().blocks[input.block]).used),
        reader_(input.model.schema(), input.schema_block(), input.rows, &input.workers),
        powers_(powers_of(density_)),
        count_(term_count(input.model.densities()[input.block])) {
    if (density_.projection.empty()) {
      width_ = reader_.features();
    } else {
      width_ = density_.projection.matrix.cols();
      if (!input.projected.z)
        projector_.emplace(reader_, input.model.schema(), input.schema_block(), input.rows,
                           density_.projection, input.missing);
    }
  }

  Index count() const override { return count_; }

  std::unique_ptr<Scratch> scratch(Index rows) const override {
    auto own = std::make_unique<Own>();
    if (projector_) own->projection = projector_->scratch();
    own->values = Vector(rows * width_);
    own->row = Vector(std::ssize(used_));
    return own;
  }

  Index read(Index first, Index count, Scratch& scratch, double* out, Index stride) const override {
    Own& own = static_cast<Own&>(scratch);
    const double* values = own.values.data();
    Index step = width_;
    if (projector_) {
      projector_->read(first, count, own.projection, own.values.data());
      count_unprojected(values, count);
    } else if (!density_.projection.empty()) {
      values = input_.projected.z + first * input_.projected.stride;
      step = input_.projected.stride;
    } else {
      const NumberReader::Panel panel = reader_.read(first, count, own.values.data());
      values = panel.values;
      step = panel.stride;
      for (const IndicatorReader& column : reader_.indicators())
        if (const Index cells = column.unknown(first, count); cells > 0)
          input_.unscored->add_unknown(input_.schema_block().features[column.position()], cells);
    }
    const bool complete = kernels::all_pass(kernels::Check::finite, values, step, count, width_);
    Index filled = 0;
    for (Index i = 0; i < count; ++i) {
      const double* x = values + i * step;
      if (!complete) filled += completed(first + i, x, own);
      write(x, complete ? nullptr : own.row.data(), out + i * stride);
    }
    return filled;
  }

 private:
  struct Own : Scratch {
    RowProjector::Scratch projection;
    Vector values, row;
  };

  /// The numbers of a row that vary, with none missing, in own.row.
  Index completed(Index row, const double* x, Own& own) const {
    Index missing = 0;
    const bool projected = !density_.projection.empty();
    for (Index j = 0; j < width_ && !projected; ++j)
      if (std::isnan(x[j])) input_.require_present(j, row);
    for (std::size_t k = 0; k < used_.size(); ++k) {
      if (std::isinf(x[used_[k]]) && !projected)  // others may be anything, as for densities
        throw_not_gaussian(input_.model.schema(), input_.rows,
                           input_.schema_block().features[used_[k]], row);
      own.row[static_cast<Index>(k)] = x[used_[k]];
      missing += std::isnan(x[used_[k]]) ? 1 : 0;
    }
    if (missing > 0) expected_.complete(input_.block, own.row.data());
    return missing;
  }

  /// `packed`, if not null, has the numbers that vary side by side.
  void write(const double* x, const double* packed, double* out) const {
    const Index n = std::ssize(used_);
    const double* center = frame_.center.data();
    if (packed)
      for (Index k = 0; k < n; ++k) out[k] = packed[k] - center[k];
    else if (n == width_)
      for (Index k = 0; k < n; ++k) out[k] = x[k] - center[k];
    else
      for (Index k = 0; k < n; ++k) out[k] = x[used_[k]] - center[k];
    if (powers_ == Powers::linear) return;
    const double* origin = frame_.origin.data();
    const auto deviation = [&](Index k) {
      return (packed ? packed[k] : x[used_[static_cast<std::size_t>(k)]]) - origin[k];
    };
    Index t = n;
    for (Index i = 0; i < n; ++i) {
      const double of = deviation(i);
      const Index last = powers_ == Powers::products ? n : i + 1;
      for (Index j = i; j < last; ++j, ++t) out[t] = of * deviation(j) - center[t];
    }
  }

  /// A row that lacks one projection lacks all.
  void count_unprojected(const double* z, Index rows) const {
    Index lacking = 0;
    for (Index i = 0; i < rows; ++i) lacking += std::isnan(z[i * width_]) ? 1 : 0;
    if (lacking > 0) input_.unscored->add_unprojected(lacking);
  }

  ScorerInput input_;
  const ExpectedCells& expected_;
  TermFrame frame_;
  const GaussianDensity& density_;
  const std::vector<Index>& used_;
  NumberReader reader_;
  std::optional<RowProjector> projector_;
  Powers powers_;
  Index width_ = 0, count_;
};

/// Counts and other numbers of independent features, as they are.
class CountTerms : public BlockTerms {
 public:
  CountTerms(const ScorerInput& input, const ExpectedCells& expected, const TermFrame& frame)
      : input_(input),
        family_(describe(input.schema_block().family)),
        mean_(expected.mean(input.block)),
        frame_(frame),
        reader_(input.model.schema(), input.schema_block(), input.rows, &input.workers),
        d_(reader_.features()) {}

  Index count() const override { return d_; }

  std::unique_ptr<Scratch> scratch(Index rows) const override {
    auto own = std::make_unique<Own>();
    own->values = Vector(reader_.in_place() ? 0 : rows * d_);
    return own;
  }

  Index read(Index first, Index count, Scratch& scratch, double* out, Index stride) const override {
    const NumberReader::Panel panel =
        reader_.read(first, count, static_cast<Own&>(scratch).values.data());
    const bool good = kernels::all_pass(family_.check, panel.values, panel.stride, count, d_);
    Index filled = 0;
    for (Index i = 0; i < count; ++i) {
      const double* x = panel.values + i * panel.stride;
      for (Index j = 0; j < d_; ++j) out[i * stride + j] = x[j] - frame_.center[j];
      for (Index j = 0; j < d_ && !good; ++j) {
        const bool absent = std::isnan(x[j]) && !family_.documents;
        if (!absent && !is_possible(family_.check, x[j]))
          throw_bad_value(input_, first + i, j, x[j]);
        if (!absent) continue;
        input_.require_present(j, first + i);
        out[i * stride + j] = mean_[j] - frame_.center[j];
        ++filled;
      }
    }
    return filled;
  }

 private:
  struct Own : Scratch {
    Vector values;
  };

  ScorerInput input_;
  FamilyDescription family_;
  const Vector& mean_;
  TermFrame frame_;
  NumberReader reader_;
  Index d_;
};

/// 1 at the level of a row, 0 at the others.
class IndicatorTerms : public BlockTerms {
 public:
  IndicatorTerms(const ScorerInput& input, const ExpectedCells& expected, const TermFrame& frame)
      : input_(input), mean_(expected.mean(input.block)), frame_(frame) {
    const auto& density = std::get<CategoricalDensity>(input.model.densities()[input.block]);
    for (std::size_t j = 0; j < density.levels.size(); ++j) {
      const Index feature = input.schema_block().features[j];
      reader_.emplace_back(NameReader::column_of(input.rows, input.model.schema().column(feature)),
                           density.levels[j]);
      first_.push_back(count_);
      count_ += density.levels[j].size();
    }
    first_.push_back(count_);
  }

  Index count() const override { return count_; }

  std::unique_ptr<Scratch> scratch(Index rows) const override {
    auto own = std::make_unique<Own>();
    own->codes.resize(static_cast<std::size_t>(rows));
    return own;
  }

  Index read(Index first, Index count, Scratch& scratch, double* out, Index stride) const override {
    std::vector<std::int32_t>& codes = static_cast<Own&>(scratch).codes;
    for (Index i = 0; i < count; ++i)
      for (Index t = 0; t < count_; ++t) out[i * stride + t] = -frame_.center[t];
    Index filled = 0;
    for (std::size_t j = 0; j < reader_.size(); ++j) {
      reader_[j].read(first, count, codes.data(), 1);
      Index unknown = 0;
      for (Index i = 0; i < count; ++i) {
        const std::int32_t code = codes[static_cast<std::size_t>(i)];
        if (code >= 0) {
          out[i * stride + first_[j] + code] += 1;
          continue;
        }
        const auto position = static_cast<Index>(j);
        if (code == NameReader::infinite)
          throw_infinite_category(input_.feature_name(position), first + i);
        if (code == NameReader::missing) input_.require_present(position, first + i);
        unknown += code == NameReader::unknown ? 1 : 0;
        for (Index t = first_[j]; t < first_[j + 1]; ++t) out[i * stride + t] += mean_[t];
        ++filled;
      }
      if (unknown > 0) input_.unscored->add_unknown(input_.schema_block().features[j], unknown);
    }
    return filled;
  }

 private:
  struct Own : Scratch {
    std::vector<std::int32_t> codes;
  };

  ScorerInput input_;
  const Vector& mean_;
  TermFrame frame_;
  std::vector<NameReader> reader_;
  std::vector<Index> first_;  ///< per feature: its first level; and their number
  Index count_ = 0;
};

struct MakeTerms {
  const ScorerInput& input;
  const ExpectedCells& expected;
  const TermFrame& frame;

  std::unique_ptr<BlockTerms> operator()(const GaussianFactor&) const {
    return std::make_unique<GaussianTerms>(input, expected, frame);
  }
  std::unique_ptr<BlockTerms> operator()(const CountFactor&) const {
    return std::make_unique<CountTerms>(input, expected, frame);
  }
  std::unique_ptr<BlockTerms> operator()(const CategoricalFactor&) const {
    return std::make_unique<IndicatorTerms>(input, expected, frame);
  }
  std::unique_ptr<BlockTerms> operator()(const TextFactor&) const { return nullptr; }  // no twin
};

}  // namespace

void throw_bad_value(const ScorerInput& input, Index row, Index j, double value) {
  const std::string& name = input.feature_name(j);
  const FamilyDescription family = describe(input.schema_block().family);
  throw DataError({.row = row, .features = {name}}, "the value is " + name_of(value),
                  std::string(std::isnan(value) ? missing_word : family.values));
}

std::unique_ptr<BlockTerms> make_block_terms(const ScorerInput& input,
                                             const ExpectedCells& expected,
                                             const TermFrame& frame) {
  return std::visit(MakeTerms{input, expected, frame}, input.model.factors().blocks[input.block]);
}

}  // namespace suffice
