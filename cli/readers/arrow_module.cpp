// Parquet and Arrow files through Arrow C++: the only file that includes it.

#include "cli/readers/arrow_module.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/c/bridge.h>
#include <arrow/compute/cast.h>
#include <arrow/io/file.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/util/thread_pool.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using arrow::Result;
using arrow::Status;
using Type = std::shared_ptr<arrow::DataType>;
using Fields = std::vector<std::shared_ptr<arrow::Field>>;

/// The type as which a column is handed over; null where no such type describes it.
Type readable(const Type& type) {
  switch (type->id()) {
    case arrow::Type::NA:
    case arrow::Type::BOOL:
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::UINT8:
    case arrow::Type::UINT16:
    case arrow::Type::UINT32:
    case arrow::Type::UINT64:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
      return type;
    case arrow::Type::HALF_FLOAT:
      return arrow::float32();
    case arrow::Type::STRING_VIEW:
      return arrow::large_utf8();
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
      return arrow::float64();
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = static_cast<const arrow::DictionaryType&>(*type);
      const Type values = readable(dictionary.value_type());
      return values && arrow::is_base_binary_like(values->id())
                 ? arrow::dictionary(dictionary.index_type(), values)
                 : values;
    }
    case arrow::Type::EXTENSION:
      return readable(static_cast<const arrow::ExtensionType&>(*type).storage_type());
    default:
      return nullptr;
  }
}

/// Decimals to the nearest doubles, through their text: Arrow's own cast multiplies by a power of
/// ten that is rounded itself, and 0.35 becomes 0.35000000000000003.
Result<std::shared_ptr<arrow::Array>> to_doubles(const arrow::Array& decimals) {
  ARROW_ASSIGN_OR_RAISE(const auto texts, arrow::compute::Cast(decimals, arrow::utf8()));
  const auto& strings = static_cast<const arrow::StringArray&>(*texts);
  arrow::DoubleBuilder builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(strings.length()));
  for (std::int64_t i = 0; i < strings.length(); ++i) {
    if (strings.IsNull(i)) {
      builder.UnsafeAppendNull();
      continue;
    }
    const std::string_view text = strings.GetView(i);
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    builder.UnsafeAppend(value);
  }
  return builder.Finish();
}

/// The same values as the type that readable() gives.
Result<std::shared_ptr<arrow::Array>> convert(const std::shared_ptr<arrow::Array>& array,
                                              const Type& to) {
  const Type& from = array->type();
  if (from->Equals(*to)) return array;
  if (arrow::is_decimal(from->id())) return to_doubles(*array);
  if (from->id() == arrow::Type::EXTENSION)
    return convert(static_cast<const arrow::ExtensionArray&>(*array).storage(), to);
  if (from->id() == arrow::Type::DICTIONARY) {
    const auto& codes = static_cast<const arrow::DictionaryArray&>(*array);
    if (to->id() == arrow::Type::DICTIONARY) {
      const auto& type = static_cast<const arrow::DictionaryType&>(*to);
      ARROW_ASSIGN_OR_RAISE(const auto values, convert(codes.dictionary(), type.value_type()));
      return arrow::DictionaryArray::FromArrays(to, codes.indices(), values);
    }
    ARROW_ASSIGN_OR_RAISE(const auto plain,
                          arrow::compute::Cast(*array, codes.dictionary()->type()));
    return convert(plain, to);
  }
  return arrow::compute::Cast(*array, to);
}

/// Batches of another reader, with the columns in types that can be handed over, and checked: the
/// offsets and codes of a damaged file must not lead us out of its memory.
class Batches : public arrow::RecordBatchReader {
 public:
  explicit Batches(const std::shared_ptr<arrow::Schema>& from) {
    Fields fields;
    for (const auto& field : from->fields()) {
      const Type to = readable(field->type());
      fields.push_back(to ? field->WithType(to) : field);
    }
    schema_ = arrow::schema(std::move(fields));
  }
  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    out->reset();
    ARROW_ASSIGN_OR_RAISE(const auto batch, next());
    if (!batch) return Status::OK();
    ARROW_RETURN_NOT_OK(batch->ValidateFull());
    arrow::ArrayVector columns = batch->columns();
    for (int j = 0; j < schema_->num_fields(); ++j) {
      ARROW_ASSIGN_OR_RAISE(columns[j], convert(columns[j], schema_->field(j)->type()));
    }
    *out = arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(columns));
    return Status::OK();
  }

 protected:
  /// Null at the end.
  virtual Result<std::shared_ptr<arrow::RecordBatch>> next() = 0;

 private:
  std::shared_ptr<arrow::Schema> schema_;
};

class NoBatches : public Batches {
 public:
  using Batches::Batches;
  Result<std::shared_ptr<arrow::RecordBatch>> next() override { return nullptr; }
};

class ParquetBatches : public Batches {
 public:
  ParquetBatches(std::unique_ptr<parquet::arrow::FileReader> file,
                 std::unique_ptr<arrow::RecordBatchReader> batches)
      : Batches(batches->schema()), file_(std::move(file)), batches_(std::move(batches)) {}
  Result<std::shared_ptr<arrow::RecordBatch>> next() override { return batches_->Next(); }

 private:
  std::unique_ptr<parquet::arrow::FileReader> file_;  // must outlive the batches
  std::unique_ptr<arrow::RecordBatchReader> batches_;
};

class FileBatches : public Batches {
 public:
  FileBatches(std::shared_ptr<arrow::ipc::RecordBatchFileReader> file,
              const std::shared_ptr<arrow::Schema>& schema)
      : Batches(schema), file_(std::move(file)) {}
  Result<std::shared_ptr<arrow::RecordBatch>> next() override {
    if (batch_ == file_->num_record_batches()) return nullptr;
    return file_->ReadRecordBatch(batch_++);
  }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> file_;
  int batch_ = 0;
};

class StreamBatches : public Batches {
 public:
  explicit StreamBatches(std::shared_ptr<arrow::ipc::RecordBatchStreamReader> stream)
      : Batches(stream->schema()), stream_(std::move(stream)) {}
  Result<std::shared_ptr<arrow::RecordBatch>> next() override { return stream_->Next(); }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> stream_;
};

/// The program's bytes as Arrow wants them.
class RequestedBytes : public arrow::io::InputStream {
 public:
  explicit RequestedBytes(const SufficeArrowRequest& request)
      : read_(request.read), self_(request.self) {}
  Status Close() override {
    closed_ = true;
    return Status::OK();
  }
  bool closed() const override { return closed_; }
  Result<std::int64_t> Tell() const override { return position_; }
  Result<std::int64_t> Read(std::int64_t count, void* to) override {
    const std::int64_t got = read_(self_, to, count);
    if (got < 0) return Status::IOError("the bytes cannot be read");
    position_ += got;
    return got;
  }
  /// A damaged length must not reserve more memory than the file can fill.
  Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t count) override {
    constexpr std::int64_t piece = 64 << 20;
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(std::min(count, piece)));
    std::int64_t have = 0;
    while (have < count) {
      const std::int64_t wanted = std::min(count - have, std::max(piece, have));
      ARROW_RETURN_NOT_OK(buffer->Resize(have + wanted, false));
      ARROW_ASSIGN_OR_RAISE(const std::int64_t got, Read(wanted, buffer->mutable_data() + have));
      have += got;
      if (got < wanted) break;
    }
    ARROW_RETURN_NOT_OK(buffer->Resize(have));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

 private:
  std::int64_t (*read_)(void*, void*, std::int64_t);
  void* self_;
  std::int64_t position_ = 0;
  bool closed_ = false;
};

/// Of the allocators that Arrow may have been built with, the one that returns the most: with it
/// the peak for 1e6 × 20 doubles is a quarter lower than with Arrow's own choice.
arrow::MemoryPool* memory() {
  arrow::MemoryPool* pool = nullptr;
  return arrow::jemalloc_memory_pool(&pool).ok() ? pool : arrow::default_memory_pool();
}

void tell_types(const SufficeArrowRequest& request, const arrow::Schema& schema) {
  if (!request.tell_type) return;
  for (const auto& field : schema.fields())
    request.tell_type(request.self, field->type()->ToString().c_str());
}

struct Opened {
  std::shared_ptr<Batches> batches;
  std::int64_t rows = -1;
};

Result<Opened> open_parquet(const SufficeArrowRequest& request) {
  // Column chunks are read through small buffers, batch after batch, so that the memory does not
  // grow with the row groups.
  parquet::ReaderProperties bytes(memory());
  bytes.enable_buffered_stream();
  const std::int64_t all_buffers = 8 << 20;
  bytes.set_buffer_size(std::clamp<std::int64_t>(
      all_buffers / std::max<std::int64_t>(request.column_count, 1), 4 << 10, 64 << 10));
  parquet::ArrowReaderProperties arrow_options(request.threads > 1);
  arrow_options.set_pre_buffer(false);
  arrow_options.set_batch_size(request.batch_rows);
  ARROW_ASSIGN_OR_RAISE(auto input, arrow::io::ReadableFile::Open(request.path));
  parquet::arrow::FileReaderBuilder builder;
  ARROW_RETURN_NOT_OK(builder.Open(std::move(input), bytes));
  ARROW_ASSIGN_OR_RAISE(auto file,
                        builder.memory_pool(memory())->properties(arrow_options)->Build());

  Opened opened;
  opened.rows = file->parquet_reader()->metadata()->num_rows();
  if (request.schema_only) {
    std::shared_ptr<arrow::Schema> schema;
    ARROW_RETURN_NOT_OK(file->GetSchema(&schema));
    tell_types(request, *schema);
    opened.batches = std::make_shared<NoBatches>(schema);
    return opened;
  }
  std::vector<int> groups(file->num_row_groups()), columns;
  for (std::size_t g = 0; g < groups.size(); ++g) groups[g] = static_cast<int>(g);
  const auto& fields = file->manifest().schema_fields;
  for (std::int64_t k = 0; k < request.column_count; ++k) {
    const auto& field = fields.at(static_cast<std::size_t>(request.columns[k]));
    if (!field.is_leaf()) return Status::TypeError(field.field->type()->ToString());
    columns.push_back(field.column_index);
  }
  ARROW_ASSIGN_OR_RAISE(auto batches, request.columns ? file->GetRecordBatchReader(groups, columns)
                                                      : file->GetRecordBatchReader(groups));
  opened.batches = std::make_shared<ParquetBatches>(std::move(file), std::move(batches));
  return opened;
}

arrow::ipc::IpcReadOptions ipc_options(const SufficeArrowRequest& request) {
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.memory_pool = memory();
  options.use_threads = request.threads > 1;
  // Types that are wider than the place where a file has put them would be read across it.
  options.ensure_alignment = arrow::ipc::Alignment::kDataTypeSpecificAlignment;
  return options;
}

/// Batches of usual size are read one after the other, which keeps the memory small. A file may
/// also be one batch, however large: then it is mapped, and the system takes pages away again.
Result<std::shared_ptr<arrow::io::RandomAccessFile>> open_for_batches(const char* path,
                                                                      int batches) {
  constexpr std::int64_t usual = 64 << 20;
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(const std::int64_t size, file->GetSize());
  if (size / std::max(batches, 1) <= usual) return file;
  return arrow::io::MemoryMappedFile::Open(path, arrow::io::FileMode::READ);
}

Result<Opened> open_arrow_file(const SufficeArrowRequest& request) {
  auto options = ipc_options(request);
  ARROW_ASSIGN_OR_RAISE(auto input, arrow::io::ReadableFile::Open(request.path));
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::ipc::RecordBatchFileReader::Open(input, options));
  Opened opened;
  ARROW_ASSIGN_OR_RAISE(opened.rows, file->CountRows());
  auto schema = file->schema();
  if (request.schema_only) {
    tell_types(request, *schema);
    opened.batches = std::make_shared<NoBatches>(schema);
    return opened;
  }
  if (request.column_count > 0) {
    Fields fields;
    for (std::int64_t k = 0; k < request.column_count; ++k) {
      options.included_fields.push_back(static_cast<int>(request.columns[k]));
      fields.push_back(schema->field(options.included_fields.back()));
    }
    schema = arrow::schema(std::move(fields));
  }
  ARROW_ASSIGN_OR_RAISE(const auto bytes,
                        open_for_batches(request.path, file->num_record_batches()));
  ARROW_ASSIGN_OR_RAISE(file, arrow::ipc::RecordBatchFileReader::Open(bytes, options));
  opened.batches = std::make_shared<FileBatches>(std::move(file), schema);
  return opened;
}

Result<Opened> open_arrow_stream(const SufficeArrowRequest& request) {
  ARROW_ASSIGN_OR_RAISE(auto stream,
                        arrow::ipc::RecordBatchStreamReader::Open(
                            std::make_shared<RequestedBytes>(request), ipc_options(request)));
  tell_types(request, *stream->schema());
  Opened opened;
  opened.batches = std::make_shared<StreamBatches>(std::move(stream));
  return opened;
}

Result<Opened> open(const SufficeArrowRequest& request) {
  ARROW_RETURN_NOT_OK(arrow::SetCpuThreadPoolCapacity(std::max(request.threads, 1)));
  if (!request.path) return open_arrow_stream(request);
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(request.path));
  ARROW_ASSIGN_OR_RAISE(const auto first, file->Read(6));
  const std::string_view magic(*first);
  if (magic.starts_with("PAR1") || magic.starts_with("PARE")) return open_parquet(request);
  if (magic == "ARROW1") return open_arrow_file(request);
  return Status::Invalid("it is neither a Parquet nor an Arrow file");
}

/// The program's file as Arrow wants it.
class SinkBytes : public arrow::io::OutputStream {
 public:
  explicit SinkBytes(const SufficeArrowSink& sink) : write_(sink.write), self_(sink.self) {}
  Status Close() override {
    closed_ = true;
    return Status::OK();
  }
  bool closed() const override { return closed_; }
  Result<std::int64_t> Tell() const override { return position_; }
  Status Write(const void* bytes, std::int64_t size) override {
    if (write_(self_, bytes, size) != 0) return Status::IOError("the bytes cannot be written");
    position_ += size;
    return Status::OK();
  }

 private:
  int (*write_)(void*, const void*, std::int64_t);
  void* self_;
  std::int64_t position_ = 0;
  bool closed_ = false;
};

class FileWriter {
 public:
  static Result<std::unique_ptr<FileWriter>> create(const SufficeArrowSink& sink,
                                                    ArrowSchema* schema) {
    auto writer = std::make_unique<FileWriter>();
    ARROW_ASSIGN_OR_RAISE(writer->schema_, arrow::ImportSchema(schema));
    const auto bytes = std::make_shared<SinkBytes>(sink);
    if (sink.parquet) {
      const auto properties = parquet::WriterProperties::Builder()
                                  .compression(arrow::Compression::SNAPPY)
                                  ->memory_pool(memory())
                                  ->build();
      ARROW_ASSIGN_OR_RAISE(writer->parquet_, parquet::arrow::FileWriter::Open(
                                                  *writer->schema_, memory(), bytes, properties));
    } else {
      ARROW_ASSIGN_OR_RAISE(writer->arrow_, arrow::ipc::MakeFileWriter(bytes, writer->schema_));
    }
    return writer;
  }
  Status append(ArrowArray* rows) {
    ARROW_ASSIGN_OR_RAISE(const auto batch, arrow::ImportRecordBatch(rows, schema_));
    return parquet_ ? parquet_->WriteRecordBatch(*batch) : arrow_->WriteRecordBatch(*batch);
  }
  Status finish() { return parquet_ ? parquet_->Close() : arrow_->Close(); }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<parquet::arrow::FileWriter> parquet_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> arrow_;
};

/// Calls what returns a Status. Returns 0, or 1 and the reason in `error`.
template <class Call>
int guarded(char* error, std::int64_t error_size, const Call& call) {
  std::string reason;
  try {
    const Status status = call();
    if (status.ok()) return 0;
    reason = status.message();
  } catch (const std::exception& failure) {
    reason = failure.what();
  }
  const std::size_t size = std::min(reason.size(), static_cast<std::size_t>(error_size - 1));
  std::memcpy(error, reason.data(), size);
  error[size] = '\0';
  return 1;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int suffice_arrow_open(
    const SufficeArrowRequest* request, ArrowArrayStream* stream, std::int64_t* rows, char* error,
    std::int64_t error_size) {
  return guarded(error, error_size, [&]() -> Status {
    ARROW_ASSIGN_OR_RAISE(const Opened opened, open(*request));
    *rows = opened.rows;
    return arrow::ExportRecordBatchReader(opened.batches, stream);
  });
}

extern "C" __attribute__((visibility("default"))) int suffice_arrow_create(
    const SufficeArrowSink* sink, ArrowSchema* schema, SufficeArrowWriter* writer, char* error,
    std::int64_t error_size) {
  return guarded(error, error_size, [&]() -> Status {
    ARROW_ASSIGN_OR_RAISE(auto file, FileWriter::create(*sink, schema));
    *writer = {.append =
                   [](void* self, ArrowArray* rows, char* reason, std::int64_t size) {
                     return guarded(reason, size,
                                    [&] { return static_cast<FileWriter*>(self)->append(rows); });
                   },
               .finish =
                   [](void* self, char* reason, std::int64_t size) {
                     return guarded(reason, size,
                                    [&] { return static_cast<FileWriter*>(self)->finish(); });
                   },
               .release = [](void* self) { delete static_cast<FileWriter*>(self); },
               .self = file.release()};
    return Status::OK();
  });
}
