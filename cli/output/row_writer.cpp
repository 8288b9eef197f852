#include "cli/output/row_writer.hpp"

#include <algorithm>
#include <utility>

#include "cli/output/arrow_rows.hpp"
#include "cli/output/writer.hpp"
#include "core/parallel.hpp"

namespace suffice::cli {

class RowWriter::Format {
 public:
  virtual ~Format() = default;
  virtual void write(Index count, const std::function<void(Index, CellSink&)>& fill,
                     Workers& workers) = 0;
  virtual void finish() = 0;
};

namespace {

class WrittenText final : public RowWriter::Format {
 public:
  WrittenText(const std::string& path, TextFormat format, const std::vector<RowColumn>& columns)
      : format_(format), writer_(path) {
    std::vector<std::string> names;
    for (const RowColumn& column : columns) names.push_back(column.name);
    writer_.write(beginning_of_rows(format, names));
  }

  void write(Index count, const std::function<void(Index, CellSink&)>& fill,
             Workers& workers) override {
    constexpr Index piece = 1024;
    const Index pieces = (count + piece - 1) / piece;
    if (std::ssize(texts_) < pieces) texts_.resize(static_cast<std::size_t>(pieces));
    workers.run(pieces, [&](Index p, int) {
      std::string text = std::move(texts_[p]);  // neighbours would share a cache line
      text.clear();
      RowText row(format_, text);
      for (Index i = p * piece; i < std::min(count, (p + 1) * piece); ++i) {
        row.begin_row(is_first_ && i == 0);
        fill(i, row);
        row.end_row();
      }
      texts_[p] = std::move(text);
    });
    for (Index p = 0; p < pieces; ++p) writer_.write(texts_[p]);
    is_first_ = is_first_ && count == 0;
  }
  void finish() override {
    writer_.write(end_of_rows(format_));
    writer_.finish();
  }

 private:
  TextFormat format_;
  Writer writer_;
  bool is_first_ = true;
  std::vector<std::string> texts_;  ///< of pieces of rows, whose memory is used again
};

class WrittenArrow final : public RowWriter::Format {
 public:
  WrittenArrow(const std::string& path, ArrowFileFormat format,
               const std::vector<RowColumn>& columns)
      : file_(path, format, columns), rows_(columns) {}

  void write(Index count, const std::function<void(Index, CellSink&)>& fill, Workers&) override {
    for (Index i = 0; i < count; ++i) {
      rows_.begin_row();
      fill(i, rows_);
    }
    file_.append(rows_);
  }
  void finish() override { file_.finish(); }

 private:
  ArrowFileWriter file_;
  ArrowRows rows_;
};

}  // namespace

RowWriter::RowWriter(const std::string& path, RowFormat format,
                     const std::vector<RowColumn>& columns) {
  if (const auto* text = std::get_if<TextFormat>(&format))
    format_ = std::make_unique<WrittenText>(path, *text, columns);
  else
    format_ = std::make_unique<WrittenArrow>(path, std::get<ArrowFileFormat>(format), columns);
}

RowWriter::~RowWriter() = default;

void RowWriter::write(Index count, const std::function<void(Index, CellSink&)>& fill,
                      Workers& workers) {
  format_->write(count, fill, workers);
}

void RowWriter::finish() { format_->finish(); }

}  // namespace suffice::cli
