#pragma once
// Rows of answers, written to a file or to standard output in the format that was asked for.

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cli/output/cell_sink.hpp"
#include "cli/output/row_text.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {
class Workers;
}

namespace suffice::cli {

enum class ArrowFileFormat { parquet, arrow };
using RowFormat = std::variant<TextFormat, ArrowFileFormat>;

struct RowColumn {
  std::string name = {};
  bool is_text = false;  ///< otherwise numbers
};

/// A file appears whole or not at all. Text whose file ends in .gz or .zst is compressed. Parquet
/// and Arrow files need the Arrow module; FileError where it is missing.
class RowWriter {
 public:
  RowWriter(const std::string& path, RowFormat format, const std::vector<RowColumn>& columns);
  ~RowWriter();  ///< without finish nothing of a file remains

  /// Appends `count` rows; fill(i, cells) adds the cells of row i. It is called for several rows at
  /// a time, by all workers.
  void write(Index count, const std::function<void(Index, CellSink&)>& fill, Workers& workers);
  void finish();

  class Format;

 private:
  std::unique_ptr<Format> format_;
};

}  // namespace suffice::cli
