#pragma once
// Rows in Parquet and Arrow files, through the module that knows Arrow.

#include <cstdint>
#include <string>
#include <vector>

#include "cli/output/cell_sink.hpp"
#include "cli/output/row_writer.hpp"
#include "cli/output/writer.hpp"
#include "cli/readers/arrow_module.hpp"

namespace suffice::cli {

/// Rows that wait to be written, column by column as Arrow keeps them.
class ArrowRows final : public CellSink {
 public:
  explicit ArrowRows(const std::vector<RowColumn>& columns);

  void begin_row();
  void add(std::string_view text) override;
  void add(double number, int digits = 0) override;
  void add_nothing() override;

  /// The rows as a record batch of the C data interface; none remain here.
  void move_to(ArrowArray& batch);

  struct Column {
    bool is_text = false;
    std::vector<double> numbers;
    std::string texts;                     // of all rows, one after the other
    std::vector<std::int32_t> ends = {0};  // where the texts begin, and the last one ends
    std::vector<std::uint8_t> is_there;    // a bit per row
    std::int64_t missing = 0;
  };

 private:
  Column& next(bool is_there);

  std::vector<Column> columns_;
  std::size_t cell_ = 0;
  std::int64_t rows_ = 0;
};

class ArrowFileWriter {
 public:
  ArrowFileWriter(const std::string& path, ArrowFileFormat format,
                  const std::vector<RowColumn>& columns);
  ~ArrowFileWriter();  ///< without finish nothing of the file remains
  ArrowFileWriter(const ArrowFileWriter&) = delete;

  void append(ArrowRows& rows);
  void finish();

 private:
  [[noreturn]] void fail(const char* reason);

  std::string path_;
  Writer bytes_;
  std::exception_ptr failure_;  // of writing bytes: it must not cross the module
  SufficeArrowWriter writer_ = {};
};

}  // namespace suffice::cli
