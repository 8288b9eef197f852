#include "suffice/data/arrow.hpp"

#include <gmock/gmock.h>

#include <deque>
#include <memory>

#include "data/name_encoder.hpp"
#include "data/number_reader.hpp"
#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice::arrow_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;
using testing::message_of;

/// Arrow structures put together by hand, as another library would hand them over.
struct Array {
  ArrowSchema type = {};
  ArrowArray array = {};
  std::string format, name;
  std::vector<const void*> buffers;
  std::vector<ArrowSchema*> child_types;
  std::vector<ArrowArray*> child_arrays;

  Array(std::string the_format, std::string the_name, std::int64_t length,
        std::vector<const void*> the_buffers, std::int64_t offset = 0, std::int64_t null_count = 0)
      : format(std::move(the_format)), name(std::move(the_name)), buffers(std::move(the_buffers)) {
    type.format = format.c_str();
    type.name = name.c_str();
    type.release = [](ArrowSchema*) {};
    array.length = length;
    array.offset = offset;
    array.null_count = null_count;
    array.n_buffers = std::ssize(buffers);
    array.buffers = buffers.data();
    array.release = [](ArrowArray*) {};
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  Array& with_dictionary(Array& names) {
    type.dictionary = &names.type;
    array.dictionary = &names.array;
    return *this;
  }
  Array& with_children(std::initializer_list<Array*> children) {
    for (Array* child : children) {
      child_types.push_back(&child->type);
      child_arrays.push_back(&child->array);
    }
    type.n_children = array.n_children = std::ssize(child_types);
    type.children = child_types.data();
    array.children = child_arrays.data();
    return *this;
  }
};

/// The column's numbers as a Gaussian feature sees them.
std::vector<double> numbers(const Column& column) {
  const Schema schema = Schema::numbered(1);
  RowBlock rows(column.size);
  rows.feature(column);
  const NumberReader reader(schema, schema.blocks()[0], rows);
  std::vector<double> values(static_cast<std::size_t>(column.size));
  reader.read(0, column.size, values.data());
  return values;
}

/// The column's names as a categorical feature sees them; "-" is missing.
std::vector<std::string> names(const Column& column) {
  const Names all = encode_names(column).names;
  std::vector<std::int32_t> codes(static_cast<std::size_t>(column.size));
  NameReader(column, all).read(0, column.size, codes.data(), 1);
  std::vector<std::string> result;
  for (const std::int32_t code : codes) result.push_back(code < 0 ? "-" : all[code]);
  return result;
}

Column column(const Array& a) { return column_from_arrow(a.type, a.array); }

template <class T>
void expect_numbers(const char* format) {
  const T values[] = {T{9}, T{1}, T{2}, T{3}, T{4}};
  const std::uint8_t present[] = {0b00010110};
  EXPECT_THAT(numbers(column(Array(format, "x", 5, {nullptr, values}))), ElementsAre(9, 1, 2, 3, 4))
      << format;
  // After the offset of 1: present, present, missing, present.
  EXPECT_THAT(numbers(column(Array(format, "x", 4, {present, values}, 1, 1))),
              ElementsAre(1, 2, IsNan(), 4))
      << format;
}

TEST(Arrow, ReadsEveryNumericTypeWithOffsetAndValidity) {
  expect_numbers<std::int8_t>("c");
  expect_numbers<std::uint8_t>("C");
  expect_numbers<std::int16_t>("s");
  expect_numbers<std::uint16_t>("S");
  expect_numbers<std::int32_t>("i");
  expect_numbers<std::uint32_t>("I");
  expect_numbers<std::int64_t>("l");
  expect_numbers<std::uint64_t>("L");
  expect_numbers<float>("f");
  expect_numbers<double>("g");
}

TEST(Arrow, AnUnknownNumberOfNullsMeansThatTheBitsDecide) {
  const double values[] = {1, 2};
  const std::uint8_t present[] = {0b10};
  EXPECT_THAT(numbers(column(Array("g", "x", 2, {present, values}, 0, -1))),
              ElementsAre(IsNan(), 2));
  EXPECT_THAT(numbers(column(Array("g", "x", 2, {present, values}, 0, 0))), ElementsAre(1, 2));
}

TEST(Arrow, ReadsBooleansWithOffset) {
  const std::uint8_t bits[] = {0b10000000, 0b00000010};
  const std::uint8_t present[] = {0b10000000, 0b00000011};
  const Array array("b", "x", 4, {present, bits}, 7, 1);  // true, false, true, (missing)
  EXPECT_THAT(numbers(column(array)), ElementsAre(1, 0, 1, IsNan()));
  EXPECT_THAT(names(column(array)), ElementsAre("true", "false", "true", "-"));
}

TEST(Arrow, ReadsStringsOfBothWidthsWithOffset) {
  const std::int32_t small[] = {0, 1, 3, 3, 6};
  const std::int64_t large[] = {0, 1, 3, 3, 6};
  const char bytes[] = "abbccc";
  const std::uint8_t present[] = {0b1110};
  EXPECT_THAT(names(column(Array("u", "x", 4, {nullptr, small, bytes}))),
              ElementsAre("a", "bb", "", "ccc"));
  EXPECT_THAT(names(column(Array("U", "x", 3, {present, large, bytes}, 1, -1))),
              ElementsAre("bb", "", "ccc"));
  EXPECT_THAT(names(column(Array("u", "x", 2, {present, small, bytes}, 0, 1))),
              ElementsAre("-", "bb"));
  EXPECT_EQ(column(Array("u", "x", 0, {nullptr, nullptr, nullptr})).size, 0);
}

TEST(Arrow, ReadsDictionariesOfStrings) {
  const std::int32_t offsets[] = {0, 3, 6, 10};
  const char bytes[] = "offredblue";
  Array colours("u", "", 2, {nullptr, offsets, bytes}, 1);  // red, blue
  const std::int8_t codes[] = {77, 1, 0, 99, 1};
  const std::uint8_t present[] = {0b10110};
  Array array("c", "colour", 4, {present, codes}, 1, 1);
  array.with_dictionary(colours);
  EXPECT_THAT(names(column(array)), ElementsAre("blue", "red", "-", "blue"));

  const std::uint64_t wide[] = {1, 0};
  Array unsigned_codes("L", "colour", 2, {nullptr, wide});
  unsigned_codes.with_dictionary(colours);
  EXPECT_THAT(names(column(unsigned_codes)), ElementsAre("blue", "red"));
}

TEST(Arrow, AColumnOfNullsIsMissingThroughout) {
  const Array nothing("n", "x", 3, {});
  EXPECT_THAT(numbers(column(nothing)), ElementsAre(IsNan(), IsNan(), IsNan()));
  EXPECT_THAT(names(column(nothing)), ElementsAre("-", "-", "-"));
}

TEST(Arrow, OtherTypesAreRefusedByNameAndColumn) {
  const std::int64_t values[] = {1, 2, 3, 4};
  for (const auto& [format, name] : {std::pair<const char*, const char*>{"d:10,2", "decimal"},
                                     {"tdD", "date32"},
                                     {"tsu:UTC", "timestamp"},
                                     {"+l", "list"},
                                     {"e", "float16"},
                                     {"z", "binary"},
                                     {"vu", "string_view"},
                                     {"?", "format '?'"}}) {
    const std::string message = message_of<DataError>([&] {
      column(Array(format, "when", 2, {nullptr, values, values}));
    });
    EXPECT_THAT(message, HasSubstr("feature 'when'"));
    EXPECT_THAT(message, HasSubstr(name));
  }
  Array keys("l", "", 2, {nullptr, values});
  const std::int8_t codes[] = {0, 1};
  Array array("c", "key", 2, {nullptr, codes});
  EXPECT_THAT(message_of<DataError>([&] { column(array.with_dictionary(keys)); }),
              HasSubstr("dictionary of number"));
}

TEST(Arrow, ArraysThatAreNotWellFormedAreRefused) {
  const double values[] = {1, 2};
  EXPECT_THAT(message_of<DataError>([&] { column(Array("g", "x", 2, {nullptr})); }),
              HasSubstr("1 buffers"));
  EXPECT_THAT(message_of<DataError>([&] {
                column(Array("g", "x", 2, {nullptr, nullptr}));
              }),
              HasSubstr("null pointer"));
  EXPECT_THAT(message_of<DataError>([&] {
                column(Array("u", "x", 2, {nullptr, values}));
              }),
              HasSubstr("its type has 3"));
  EXPECT_THAT(message_of<DataError>([&] {
                column(Array("g", "x", -1, {nullptr, values}));
              }),
              HasSubstr("-1"));
  Array moved("g", "x", 2, {nullptr, values});
  moved.array.release = nullptr;
  EXPECT_THROW(column(moved), InvalidArgument);
}

struct Batch {
  const double age_values[5] = {50, 51, 52, 53, 54};
  const std::uint8_t age_present[1] = {0b11011};
  const std::int32_t sex_offsets[6] = {0, 0, 1, 2, 3, 4};
  const char sex_bytes[5] = {'f', 'm', 'f', 'm', 0};
  const std::int32_t label_values[4] = {7, 8, 7, 9};
  const float weight_values[4] = {1, 2, 3, 4};
  Array age{"g", "age", 4, {age_present, age_values}, 1, 1};  // 51, -, 53, 54
  Array sex{"u", "sex", 4, {nullptr, sex_offsets, sex_bytes}, 1};
  Array label{"i", "species", 4, {nullptr, label_values}};
  Array weight{"f", "w", 4, {nullptr, weight_values}};
  Array other{"tdD", "date", 4, {nullptr, label_values}};
  // The struct's own offset comes on top of its children's.
  Array table{"+s", "", 2, {nullptr}, 1};
  Batch() { table.with_children({&weight, &other, &sex, &label, &age}); }
};

TEST(Arrow, ABatchIsMatchedByNameWithTheStructsOffsetOnTopOfTheChildrens) {
  const Batch batch;
  const Schema schema({{"age", Family::gaussian}, {"sex", Family::categorical}});
  const RowBlock rows = rows_from_arrow(schema, batch.table.type, batch.table.array,
                                        {.label = "species", .weight = "w"});
  EXPECT_EQ(rows.rows(), 2);
  ASSERT_EQ(rows.feature_count(), 2);
  EXPECT_THAT(numbers(rows.parts()[0].column), ElementsAre(IsNan(), 53));
  EXPECT_THAT(names(rows.parts()[1].column), ElementsAre("m", "f"));
  EXPECT_THAT(names(rows.labels()), ElementsAre("8", "7"));
  EXPECT_THAT(numbers(rows.weights()), ElementsAre(2, 3));
}

TEST(Arrow, WhatABatchLacksIsSaid) {
  const Batch batch;
  const auto read = [&](std::vector<Feature> features, const ArrowColumns& columns = {}) {
    rows_from_arrow(Schema(std::move(features)), batch.table.type, batch.table.array, columns);
  };
  EXPECT_THAT(message_of<DataError>([&] { read({{"height"}}); }),
              HasSubstr("no column 'height'; it has 'w', 'date'"));
  EXPECT_THAT(message_of<DataError>([&] { read({{"age"}}, {.label = "genus"}); }),
              HasSubstr("no column 'genus'"));
  EXPECT_THAT(message_of<DataError>([&] {
                read({{"sex", Family::gaussian}});
              }),
              HasSubstr("feature 'sex': the column has the type string"));
  EXPECT_THAT(message_of<DataError>([&] { read({{"date"}}); }), HasSubstr("date32"));
  EXPECT_THAT(message_of<DataError>([&] { read({{"age"}}, {.weight = "sex"}); }),
              HasSubstr("a weight is a number"));
  EXPECT_THAT(message_of<DataError>(
                  [&] { rows_from_arrow(Schema({{"age"}}), batch.age.type, batch.age.array); }),
              HasSubstr("record batch"));
}

TEST(Arrow, ChildrenThatAreTooShortTwiceThereOrNullAsARowAreRefused) {
  const double values[] = {1, 2, 3};
  const std::uint8_t present[] = {0b101};
  Array x("g", "x", 3, {nullptr, values}), again("g", "x", 3, {nullptr, values});
  const Schema schema({{"x"}});
  Array longer("+s", "", 3, {nullptr}, 1);
  longer.with_children({&x});
  EXPECT_THAT(message_of<DataError>([&] { rows_from_arrow(schema, longer.type, longer.array); }),
              HasSubstr("4 are needed"));
  for (const std::int64_t huge : {std::int64_t{1} << 62, INT64_MAX, std::int64_t{-1}}) {
    Array offset("+s", "", 3, {nullptr}, huge), length("+s", "", huge, {nullptr});
    for (Array* batch : {&offset, &length})
      EXPECT_THAT(message_of<DataError>([&] {
                    batch->with_children({&x});
                    rows_from_arrow(schema, batch->type, batch->array);
                  }),
                  HasSubstr("length or offset"));
    EXPECT_THROW(column(Array("g", "x", huge, {nullptr, values})), DataError);
  }
  const std::int32_t starts[] = {0, 1, 3}, none[] = {0, 0, 0};
  EXPECT_THAT(message_of<DataError>([&] {
                column(Array("u", "x", 2, {nullptr, starts, nullptr}));
              }),
              HasSubstr("null pointer"));
  EXPECT_THAT(names(column(Array("u", "x", 2, {nullptr, none, nullptr}))), ElementsAre("", ""));
  Array twice("+s", "", 3, {nullptr});
  twice.with_children({&x, &again});
  EXPECT_THAT(message_of<DataError>([&] { rows_from_arrow(schema, twice.type, twice.array); }),
              HasSubstr("two columns named 'x'"));
  Array nulls("+s", "", 3, {present}, 0, 1);
  nulls.with_children({&x});
  EXPECT_THAT(message_of<DataError>([&] { rows_from_arrow(schema, nulls.type, nulls.array); }),
              HasSubstr("row 1: the Arrow batch has a row that is null"));
}

TEST(Arrow, ASchemaComesFromTheTypes) {
  Array colours("u", "", 0, {nullptr, nullptr, nullptr});
  Array age("g", "age", 0, {}), count("C", "count", 0, {}), sex("U", "sex", 0, {});
  Array flag("b", "flag", 0, {}), colour("i", "colour", 0, {}), label("u", "species", 0, {});
  Array weight("f", "w", 0, {}), date("tdD", "date", 0, {});
  colour.with_dictionary(colours);
  Array table("+s", "", 0, {nullptr});
  table.with_children({&age, &label, &sex, &count, &weight, &flag, &colour});
  const Schema schema = schema_from_arrow(table.type, {.label = "species", .weight = "w"});
  EXPECT_EQ(schema, Schema({{"age", Family::gaussian},
                            {"sex", Family::categorical},
                            {"count", Family::gaussian},
                            {"flag", Family::categorical},
                            {"colour", Family::categorical}}));
  EXPECT_THAT(message_of<DataError>([&] { schema_from_arrow(table.type, {.label = "genus"}); }),
              HasSubstr("no column 'genus'"));
  Array dated("+s", "", 0, {nullptr});
  dated.with_children({&date});
  EXPECT_THAT(message_of<DataError>([&] { schema_from_arrow(dated.type); }), HasSubstr("date32"));
}

}  // namespace
}  // namespace suffice::arrow_test
