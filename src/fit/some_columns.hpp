#pragma once
// Some columns of a source. Numbers that are to be categories are read as the numbers that they
// are, so that a level is called 3 whether its cell is 3 or 3.0.

#include <memory>

#include "suffice/fit/row_source.hpp"

namespace suffice {

class SomeColumns : public RowSource {
 public:
  SomeColumns(std::shared_ptr<RowSource> all, Schema schema);

  const Schema& schema() const override { return schema_; }
  bool is_sparse() const override { return all_->is_sparse(); }
  std::optional<std::string> read_only_once() const override { return all_->read_only_once(); }
  bool keeps_rows() const override { return all_->keeps_rows(); }
  RowCounts read(const Reading& reading, const Use& use) override;

 private:
  Schema with_others(const Schema& some) const;

  std::shared_ptr<RowSource> all_;
  Schema schema_;
};

}  // namespace suffice
