#include "accumulate/accumulate.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "core/constants.hpp"
#include "core/system.hpp"
#include "data/family.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

constexpr double work_of_document = 1000;  // in multiplications, roughly

std::string megabytes(double bytes) {
  char text[32];
  if (bytes < 1e9) {
    std::snprintf(text, sizeof text, "%.0f MB", bytes / 1e6);
  } else {
    std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
  }
  return text;
}

}  // namespace

void require_memory(const Schema& schema, Scatter kind, Index classes, double limit,
                    const std::string& in_words) {
  if (!(limit >= 0))
    throw InvalidArgument("memory_limit is " + name_of(limit),
                          "it must be a number of bytes, or 0 for what is free");
  if (kind != Scatter::dense && kind != Scatter::pooled) return;
  for (const Block& block : schema.blocks()) {
    if (block.family != Family::gaussian) continue;
    const double d = static_cast<double>(block.features.size());
    const double matrices = kind == Scatter::pooled ? 1 : static_cast<double>(classes);
    const double bytes = matrices * d * d * sizeof(double);
    const double available = limit > 0 ? limit : bytes > 1e8 ? available_memory() : infinity;
    if (bytes <= available) continue;
    const std::string counted = std::to_string(classes) + (classes == 1 ? " class" : " classes");
    const bool several = kind == Scatter::dense && classes > 1;
    throw InvalidArgument(
        "the scatter of " + (in_words.empty() ? counted : in_words) + " and " +
            std::to_string(block.features.size()) + " Gaussian features needs " + megabytes(bytes) +
            ", more than the " + megabytes(available) +
            (limit > 0 ? " of the memory limit" : " of memory that are free"),
        (several ? "keep one for all classes together (" + Option{"covariance", "tied"} + "), or "
                 : Sentence("keep ")) +
            "only its diagonal, use fewer features, or split them into blocks");
  }
}

namespace {

/// Throws InvalidArgument where the counts of the words so far and of those that come take more
/// bytes than `limit` (0: what is free).
void require_memory(const TextStatistics& before, const TextStatistics& more, double limit) {
  for (std::size_t j = 0; j < more.words.size(); ++j) {
    const auto classes =
        static_cast<double>(std::max(before.count[j].rows(), more.count[j].rows()));
    const auto bytes_of = [&](Index words) {  // two tables, which are copied as they grow; names
      return static_cast<double>(words) * (4 * sizeof(double) * classes + 100);
    };
    const double most = bytes_of(before.words[j].size() + more.words[j].size());
    if (most < (limit > 0 ? limit : 1e8)) continue;
    const double held = bytes_of(before.words[j].size()) / 2;  // that is taken already
    const double available = limit > 0 ? limit : available_memory() + held;
    if (most <= available) continue;
    const auto positions = before.words[j].positions_of(more.words[j]);
    const Index words = before.words[j].size() + std::ranges::count(positions, Index{-1});
    if (bytes_of(words) <= available) continue;
    throw InvalidArgument("the counts of " + std::to_string(words) + " different words in " +
                              std::to_string(static_cast<Index>(classes)) + " classes need " +
                              megabytes(bytes_of(words)) + ", more than the " +
                              megabytes(available) +
                              (limit > 0 ? " of the memory limit" : " of memory that are free"),
                          "use " + Option{"hash_bits", "18"} +
                              " for words under a fixed number of numbers, or other tokens");
  }
}

}  // namespace

Index worthwhile_workers(const Schema& schema, const std::vector<BlockStatistics>& blocks,
                         Index rows) {
  double row_work = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const double d = static_cast<double>(schema.blocks()[b].features.size());
    const auto* gaussian = std::get_if<GaussianStatistics>(&blocks[b]);
    const bool squared =
        gaussian && (gaussian->kind == Scatter::dense || gaussian->kind == Scatter::pooled);
    row_work += squared ? d * d : d;
    if (std::holds_alternative<TextStatistics>(blocks[b])) row_work += d * work_of_document;
  }
  return static_cast<Index>(std::clamp(static_cast<double>(rows) * row_work / 1e5, 1.0, 1e4));
}

std::vector<BlockStatistics> accumulate(const LabelledRows& rows,
                                        const std::vector<BlockStatistics>& like,
                                        double memory_limit) {
  std::vector<BlockStatistics> sums;
  const std::vector<Block>& blocks = rows.schema.blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    switch (describe(blocks[b].family).sums) {
      case SumsKind::gaussian: {
        const Scatter kind = std::get<GaussianStatistics>(like[b]).kind;
        require_memory(rows.schema, kind, rows.classes(), memory_limit, rows.in_words);
        sums.emplace_back(accumulate_gaussian(rows, blocks[b], kind));
        break;
      }
      case SumsKind::categorical:
        sums.emplace_back(accumulate_categorical(rows, blocks[b]));
        break;
      case SumsKind::counts:
        sums.emplace_back(accumulate_counts(rows, blocks[b]));
        break;
      case SumsKind::text: {
        TextStatistics text = accumulate_text(rows, blocks[b]);
        require_memory(std::get<TextStatistics>(like[b]), text, memory_limit);
        sums.emplace_back(std::move(text));
        break;
      }
    }
  }
  return sums;
}

}  // namespace suffice
