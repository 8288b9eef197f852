#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "cli/readers/arrow_loader.hpp"
#include "cli/readers/cells.hpp"
#include "cli/readers/formats.hpp"
#include "core/parallel.hpp"
#include "data/scalar.hpp"
#include "suffice/core/error.hpp"
#include "suffice/core/names.hpp"

namespace suffice::cli {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
/// Of a Parquet file, decoded at a time: 2 MB of doubles.
constexpr Index batch_cells = Index{1} << 18;

CellKind kind_of(const ArrowSchema& column) {
  const std::string_view format = column.format;
  const auto among = [&](std::string_view letters) {
    return format.size() == 1 && letters.find(format[0]) != letters.npos;
  };
  if (column.dictionary) {
    const std::string_view values = column.dictionary->format;
    return values == "u" || values == "U" ? CellKind::text : CellKind::unsupported;
  }
  if (format == "n") return CellKind::missing;
  if (among("buU")) return CellKind::text;
  return among("cCsSiIlLfg") ? CellKind::number : CellKind::unsupported;
}

/// A column of a batch and where it goes.
struct Part {
  Index column;  ///< of the file
  Target target;
  Column cells;
  std::vector<std::uint8_t> missing = {};  ///< per name of a dictionary
};

Index code_at(const Column& cells, Index i) {
  return with_type(cells.type, [&]<class T>(std::type_identity<T>) {
    return static_cast<Index>(static_cast<const T*>(cells.data)[i]);
  });
}

/// Numbers as they are, row `first` to `last`, into a column of a row-major matrix.
void copy_numbers(const Column& cells, Index first, Index last, double* to, Index width) {
  const auto copy = [&](auto value) {
    for (Index i = first; i < last; ++i) to[i * width] = value(i);
    if (!cells.valid.bits) return;
    for (Index i = first; i < last; ++i)
      if (!cells.valid(i)) to[i * width] = nothing;
  };
  if (cells.type == Scalar::bit) {
    copy([&](Index i) { return bit_at(cells.data, cells.bit_offset + i) ? 1.0 : 0.0; });
  } else if (cells.stride == 0) {
    copy([](Index) { return nothing; });
  } else {
    with_type(cells.type, [&]<class T>(std::type_identity<T>) {
      const T* const values = static_cast<const T*>(cells.data);
      copy([values](Index i) { return static_cast<double>(values[i]); });
    });
  }
}

void add_text(const Part& part, const MissingTokens& missing, Index i, TextColumn& to) {
  const Column& cells = part.cells;
  if (!cells.valid(i)) return to.add_missing();
  if (cells.kind == Column::Kind::strings) {
    const std::string_view text = cells.strings[i];
    return missing(text) ? to.add_missing() : to.add(text);
  }
  if (cells.kind == Column::Kind::codes) {
    const Index code = code_at(cells, i);
    return code < 0 || part.missing[code] ? to.add_missing() : to.add(cells.strings[code]);
  }
  if (cells.type == Scalar::bit)
    return to.add(bit_at(cells.data, cells.bit_offset + i) ? "true" : "false");
  with_type(cells.type, [&]<class T>(std::type_identity<T>) {
    const T value = static_cast<const T*>(cells.data)[i * cells.stride];
    using Wide =
        std::conditional_t<std::is_floating_point_v<T>, double,
                           std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
    value != value ? to.add_missing() : to.add(name_of(static_cast<Wide>(value)));
  });
}

class ArrowSource : public Source {
 public:
  ArrowSource(const std::string& path, const SourceOptions& options)
      : path_(path),
        execution_(options.execution),
        missing_(options.input.na),
        workers_(options.execution, 64) {
    bytes_ = open_bytes(path, execution_.stop);  // says why where it cannot be opened
    is_file_ = has_contents();
    if (is_file_) {
      total_bytes_ = bytes_->extent().total;
      bytes_.reset();
    } else {
      begin_stream();
    }
    open(nullptr);
    read_schema();
  }

  const std::string& path() const override { return path_; }

  Extent extent() const override {
    if (bytes_) return bytes_->extent();
    const double share = rows_ > 0 ? static_cast<double>(row_) / static_cast<double>(rows_) : 0;
    return {static_cast<std::int64_t>(share * static_cast<double>(total_bytes_)), total_bytes_};
  }

  std::vector<SourceColumn> look(std::optional<Index>) override { return columns_; }

  void select(const std::vector<Target>& targets) override {
    std::vector<std::int64_t> wanted;
    for (Index j = 0; j < std::ssize(targets); ++j) {
      if (targets[j].kind == Target::Kind::skip) continue;
      if (columns_[j].kind == CellKind::unsupported)
        throw FileError({.path = path_},
                        "'" + path_ + "': column '" + columns_[j].name + "' has the type " +
                            columns_[j].type + ", which cannot be read",
                        "numbers, booleans, strings and dictionaries "
                        "of strings can. Leave it out with --ignore, or convert it first");
      parts_.push_back({j, targets[j], {}});
      wanted.push_back(j);
    }
    if (is_file_) open(&wanted);
  }

  bool read(Rows& rows) override {
    while (rows.room() > 0) {
      if (used_ == batch_.length() && !next_batch()) return false;
      const Index count = std::min(rows.room(), batch_.length() - used_);
      append(rows, count);
      used_ += count;
      row_ += count;
    }
    // A file that ends with a full block must report its end now: the caller may not ask again.
    return used_ < batch_.length() || next_batch();
  }

 private:
  std::string name() const { return path_ == "-" ? "standard input" : "'" + path_ + "'"; }

  /// Whether it is a file with a table of contents, in which Arrow can jump.
  bool has_contents() const {
    std::error_code ignored;
    if (path_ == "-" || !std::filesystem::is_regular_file(path_, ignored)) return false;
    char first[6] = {};
    std::ifstream(path_, std::ios::binary).read(first, sizeof first);
    const std::string_view magic(first, sizeof first);
    return magic.starts_with("PAR1") || magic.starts_with("PARE") || magic == "ARROW1";
  }

  /// Bytes that come in order: a pipe, a packed file, an Arrow stream. An Arrow file is a stream
  /// between 8 bytes and a list of its batches.
  void begin_stream() {
    auto peeked = std::make_unique<PeekedBytes>(std::move(bytes_), 8);
    const std::string_view first = peeked->first();
    if (first.starts_with("PAR1"))
      throw FileError({.path = path_},
                      "a Parquet file has its table of contents at the end, so " + name() +
                          " cannot be read as it arrives",
                      "save it to a file first, unpacked");
    const bool file = first.starts_with("ARROW1");
    if (!file && !first.starts_with("\xff\xff\xff\xff"))
      throw FileError(
          {.path = path_},
          name() + (first.empty() ? " is empty" : " is neither a Parquet nor an Arrow file") +
              (first.starts_with("FEA1") ? ": it is Feather of version 1, from before 2020" : ""),
          first.starts_with("FEA1") ? "write it again" : "");
    char skipped[8];
    if (file) peeked->read(skipped, sizeof skipped);
    bytes_ = std::move(peeked);
  }

  /// Opens the file with the columns wanted; without, for its schema, or the stream with them all.
  void open(const std::vector<std::int64_t>* wanted) {
    SufficeArrowRequest request = {};
    request.path = is_file_ ? path_.c_str() : nullptr;
    request.self = this;
    request.read = [](void* self, void* to, std::int64_t count) {
      return static_cast<ArrowSource*>(self)->read_bytes(to, count);
    };
    if (types_.empty())
      request.tell_type = [](void* self, const char* type) {
        static_cast<ArrowSource*>(self)->types_.emplace_back(type);
      };
    request.schema_only = is_file_ && !wanted;
    request.threads = execution_.threads ? execution_.threads : available_threads();
    std::int64_t none = 0;
    if (wanted) {
      request.columns = wanted->empty() ? &none : wanted->data();
      request.column_count = std::ssize(*wanted);
      request.batch_rows =
          std::clamp<Index>(batch_cells / std::max<Index>(std::ssize(*wanted), 1), 64, 65536);
    }
    std::array<char, 2048> error{};
    stream_ = {};
    if (arrow_module(path_)(&request, stream_.get(), &rows_, error.data(), std::ssize(error)) != 0)
      fail(error.data());
    schema_ = {};
    if (stream_->get_schema(stream_.get(), schema_.get()) != 0) fail(last_error());
  }

  void read_schema() {
    std::set<std::string_view> seen;
    for (Index j = 0; j < schema_->n_children; ++j) {
      const ArrowSchema& column = *schema_->children[j];
      const std::string name = column.name ? column.name : "";
      columns_.push_back({name.empty() ? unnamed_column(static_cast<std::size_t>(j)) : name,
                          kind_of(column), types_[j]});
    }
    for (const SourceColumn& column : columns_)
      if (!seen.insert(column.name).second)
        throw FileError({.path = path_}, name() + " has two columns named '" + column.name + "'",
                        "rename one of them");
  }

  /// Called from within Arrow, which knows no exceptions of ours: they are kept.
  std::int64_t read_bytes(void* to, std::int64_t count) noexcept {
    try {
      return static_cast<std::int64_t>(
          bytes_->read(static_cast<char*>(to), static_cast<std::size_t>(count)));
    } catch (...) {
      failure_ = std::current_exception();
      return -1;
    }
  }

  std::string last_error() {
    const char* const message = stream_->get_last_error(stream_.get());
    return message ? message : "";
  }

  [[noreturn]] void fail(const std::string& reason) {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    throw FileError({.path = path_},
                    "cannot read " + name() + ", after row " + std::to_string(row_),
                    "it is damaged or cut off, says Arrow: " + reason);
  }

  /// Returns false at the end.
  bool next_batch() {
    if (ended_) return false;
    do {
      if (execution_.stop.stop_requested()) throw Cancelled();
      batch_.release();
      used_ = 0;
      if (stream_->get_next(stream_.get(), batch_.get()) != 0) fail(last_error());
      if (!batch_.is_there()) {
        ended_ = true;
        if (rows_ >= 0 && row_ < rows_)
          fail("it ends before its " + std::to_string(rows_) + " rows");
        return false;
      }
    } while (batch_.length() == 0);
    Index child = 0;
    for (Part& part : parts_) {
      const Index j = is_file_ ? child++ : part.column;
      try {
        part.cells = column_from_arrow(*schema_->children[j], *batch_->children[j]);
      } catch (const DataError& error) {
        throw FileError({.path = path_}, name() + ": " + error.message());
      }
      if (part.cells.kind == Column::Kind::codes) read_names(part);
    }
    return true;
  }

  void read_names(Part& part) const {
    const Strings& names = part.cells.strings;
    part.missing.assign(static_cast<std::size_t>(names.size()), 0);
    for (Index k = 0; k < names.size(); ++k) part.missing[k] = missing_(names[k]);
  }

  /// Copies `count` rows of the batch. The matrix is written tile by tile, so that a line of the
  /// cache is filled by all its columns before it leaves.
  void append(Rows& rows, Index count) {
    const Index width = rows.layout().numbers;
    double* const out = rows.numbers(rows.size()) - used_ * width;
    const Index tile = std::max<Index>(64, 4096 / std::max<Index>(width, 1));
    const Index tiles = width > 0 ? (count + tile - 1) / tile : 0;
    std::vector<const Part*> texts;
    for (const Part& part : parts_)
      if (part.target.kind == Target::Kind::text) texts.push_back(&part);
    const Index text_count = std::ssize(texts);
    workers_.run(text_count + tiles, [&](Index task, int) {
      if (task < text_count) {
        TextColumn& to = rows.texts()[texts[task]->target.slot];
        for (Index i = used_; i < used_ + count; ++i) add_text(*texts[task], missing_, i, to);
        return;
      }
      const Index first = used_ + (task - text_count) * tile;
      const Index last = std::min(used_ + count, first + tile);
      for (const Part& part : parts_)
        if (part.target.kind == Target::Kind::number) {
          double* const to = out + part.target.slot;
          if (part.cells.kind == Column::Kind::numbers)
            copy_numbers(part.cells, first, last, to, width);
          else
            parse_numbers(part, first, last, to, width);
        }
    });
    rows.commit(count, row_ + 1);
  }

  /// Strings that say numbers.
  void parse_numbers(const Part& part, Index first, Index last, double* to, Index width) const {
    const Column& cells = part.cells;
    for (Index i = first; i < last; ++i) {
      to[i * width] = nothing;
      if (!cells.valid(i)) continue;
      const Index at = cells.kind == Column::Kind::codes ? code_at(cells, i) : i;
      if (at < 0) continue;
      const std::string_view text = cells.strings[at];
      const std::optional<double> number = number_in(text, missing_, part.target.words);
      if (!number)
        refuse_word(path_, row_ + i - used_, columns_[part.column].name, part.target, text);
      to[i * width] = *number;
    }
  }

  std::string path_;
  Execution execution_;
  MissingTokens missing_;
  Workers workers_;
  bool is_file_ = false;
  std::int64_t total_bytes_ = 0;
  std::unique_ptr<Bytes> bytes_;  ///< of a stream; outlives what Arrow has of it
  std::exception_ptr failure_;
  ArrowStreamHandle stream_;
  ArrowSchemaHandle schema_;
  ArrowBatchHandle batch_;
  std::vector<std::string> types_;
  std::vector<SourceColumn> columns_;
  std::vector<Part> parts_;
  std::int64_t rows_ = -1;  ///< in the file; -1: unknown
  Index row_ = 0;           ///< read so far
  Index used_ = 0;          ///< rows of the batch
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Source> open_arrow(const std::string& path, const SourceOptions& options) {
  return std::make_unique<ArrowSource>(path, options);
}

}  // namespace suffice::cli
