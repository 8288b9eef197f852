#include "cli/output/arrow_rows.hpp"

#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "cli/readers/arrow_loader.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

/// A batch that was handed over: it owns the buffers to which the C structures point.
struct OwnedBatch {
  std::vector<ArrowRows::Column> columns;
  std::vector<std::array<const void*, 3>> buffers;
  std::vector<ArrowArray> arrays;
  std::vector<ArrowArray*> children;
  const void* none = nullptr;
};

struct OwnedSchema {
  std::vector<std::string> names;
  std::vector<ArrowSchema> fields;
  std::vector<ArrowSchema*> children;
};

constexpr std::int64_t nullable = 2;  // ARROW_FLAG_NULLABLE

/// Children share the memory of their parent, which frees it.
template <class T>
void release_child(T* child) {
  child->release = nullptr;
}

template <class Owned, class T>
void release_parent(T* parent) {
  for (std::int64_t j = 0; j < parent->n_children; ++j)
    if (parent->children[j]->release) parent->children[j]->release(parent->children[j]);
  delete static_cast<Owned*>(parent->private_data);
  parent->release = nullptr;
}

void describe(const std::vector<RowColumn>& columns, ArrowSchema& schema) {
  auto owned = std::make_unique<OwnedSchema>();
  owned->fields.resize(columns.size());
  for (const RowColumn& column : columns) owned->names.push_back(column.name);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    owned->fields[j] = {.format = columns[j].is_text ? "u" : "g",
                        .name = owned->names[j].c_str(),
                        .metadata = nullptr,
                        .flags = nullable,
                        .n_children = 0,
                        .children = nullptr,
                        .dictionary = nullptr,
                        .release = release_child<ArrowSchema>,
                        .private_data = nullptr};
    owned->children.push_back(&owned->fields[j]);
  }
  schema = {.format = "+s",
            .name = "",
            .metadata = nullptr,
            .flags = 0,
            .n_children = std::ssize(owned->children),
            .children = owned->children.data(),
            .dictionary = nullptr,
            .release = release_parent<OwnedSchema, ArrowSchema>,
            .private_data = nullptr};
  schema.private_data = owned.release();
}

constexpr std::size_t reason_size = 1024;

}  // namespace

ArrowRows::ArrowRows(const std::vector<RowColumn>& columns) : columns_(columns.size()) {
  for (std::size_t j = 0; j < columns.size(); ++j) columns_[j].is_text = columns[j].is_text;
}

void ArrowRows::begin_row() {
  cell_ = 0;
  ++rows_;
}

ArrowRows::Column& ArrowRows::next(bool is_there) {
  Column& column = columns_[cell_++];
  const std::int64_t row = rows_ - 1;
  if (row % 8 == 0) column.is_there.push_back(0);
  if (is_there)
    column.is_there.back() |= static_cast<std::uint8_t>(1u << (row % 8));
  else
    ++column.missing;
  return column;
}

void ArrowRows::add(std::string_view text) {
  Column& column = next(true);
  if (column.texts.size() + text.size() > std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument("the texts of a column are too long for a Parquet or Arrow file",
                          "write CSV instead");
  column.texts += text;
  column.ends.push_back(static_cast<std::int32_t>(column.texts.size()));
}

void ArrowRows::add(double number, int) { next(true).numbers.push_back(number); }

void ArrowRows::add_nothing() {
  Column& column = next(false);
  if (column.is_text)
    column.ends.push_back(column.ends.back());
  else
    column.numbers.push_back(0);
}

void ArrowRows::move_to(ArrowArray& batch) {
  auto owned = std::make_unique<OwnedBatch>();
  for (Column& column : columns_) {
    Column empty;
    empty.is_text = column.is_text;
    owned->columns.push_back(std::exchange(column, std::move(empty)));
  }
  const std::size_t count = owned->columns.size();
  owned->buffers.resize(count);
  owned->arrays.resize(count);
  for (std::size_t j = 0; j < count; ++j) {
    const Column& column = owned->columns[j];
    const void* const there = column.missing > 0 ? column.is_there.data() : nullptr;
    if (column.is_text)
      owned->buffers[j] = {there, column.ends.data(), column.texts.data()};
    else
      owned->buffers[j] = {there, column.numbers.data(), nullptr};
    owned->arrays[j] = {.length = rows_,
                        .null_count = column.missing,
                        .offset = 0,
                        .n_buffers = column.is_text ? 3 : 2,
                        .n_children = 0,
                        .buffers = owned->buffers[j].data(),
                        .children = nullptr,
                        .dictionary = nullptr,
                        .release = release_child<ArrowArray>,
                        .private_data = nullptr};
    owned->children.push_back(&owned->arrays[j]);
  }
  batch = {.length = rows_,
           .null_count = 0,
           .offset = 0,
           .n_buffers = 1,
           .n_children = static_cast<std::int64_t>(count),
           .buffers = &owned->none,
           .children = owned->children.data(),
           .dictionary = nullptr,
           .release = release_parent<OwnedBatch, ArrowArray>,
           .private_data = nullptr};
  batch.private_data = owned.release();
  rows_ = 0;
}

ArrowFileWriter::ArrowFileWriter(const std::string& path, ArrowFileFormat format,
                                 const std::vector<RowColumn>& columns)
    : path_(path), bytes_(path) {
  SufficeArrowCreate* const create = arrow_module_to_write(path);
  const SufficeArrowSink sink = {.parquet = format == ArrowFileFormat::parquet,
                                 .write =
                                     [](void* self, const void* bytes, std::int64_t size) {
                                       auto& writer = *static_cast<ArrowFileWriter*>(self);
                                       try {
                                         writer.bytes_.write({static_cast<const char*>(bytes),
                                                              static_cast<std::size_t>(size)});
                                         return 0;
                                       } catch (...) {
                                         writer.failure_ = std::current_exception();
                                         return 1;
                                       }
                                     },
                                 .self = this};
  ArrowSchemaHandle schema;
  describe(columns, *schema.get());
  std::array<char, reason_size> reason = {};
  if (create(&sink, schema.get(), &writer_, reason.data(), reason.size()) != 0) fail(reason.data());
}

ArrowFileWriter::~ArrowFileWriter() {
  if (writer_.release) writer_.release(writer_.self);
}

void ArrowFileWriter::append(ArrowRows& rows) {
  ArrowBatchHandle batch;
  rows.move_to(*batch.get());
  std::array<char, reason_size> reason = {};
  if (writer_.append(writer_.self, batch.get(), reason.data(), reason.size()) != 0)
    fail(reason.data());
}

void ArrowFileWriter::finish() {
  std::array<char, reason_size> reason = {};
  if (writer_.finish(writer_.self, reason.data(), reason.size()) != 0) fail(reason.data());
  bytes_.finish();
}

void ArrowFileWriter::fail(const char* reason) {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  throw FileError({.path = path_}, "cannot write '" + path_ + "': " + reason);
}

}  // namespace suffice::cli
