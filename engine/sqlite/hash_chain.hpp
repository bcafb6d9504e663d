// Rows against the hashes that stand beside them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/record_hash.hpp"
#include "engine/sqlite/row_reader.hpp"

namespace evo::engine::sqlite {

/// A table's chain of hashes, row by row.
template <class Record>
class HashChain {
 public:
  /// `previous`: the hash of the row before the first one that is checked.
  HashChain(const char* table, std::vector<IntegrityIssue>& issues, std::string previous = {})
      : table_(table), issues_(issues), previous_(std::move(previous)) {}

  void check(const Row<Record>& row) {
    if (row_hash(previous_, row.record) != row.hash) {
      issues_.push_back(
          {table_, row.number,
           fmt::format("{} {}: the row does not fit its hash: it, or the one before it, was altered, "
                       "removed or moved",
                       table_, row.number)});
    }
    previous_ = row.hash;
  }

 private:
  const char* table_;
  std::vector<IntegrityIssue>& issues_;
  std::string previous_;
};

/// Walks a table's chain of hashes. After a bad row it goes on from the recorded hash, so that only the
/// altered row is named (a removed one shows at its successor).
template <class Record>
void verify_chain(const char* table, const std::vector<Row<Record>>& rows,
                  std::vector<IntegrityIssue>& issues) {
  HashChain<Record> chain(table, issues);
  for (const Row<Record>& row : rows) chain.check(row);
}

}  // namespace evo::engine::sqlite
