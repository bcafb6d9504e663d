// Rows against the hashes that stand beside them.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/record_hash.hpp"
#include "engine/sqlite/row_reader.hpp"

namespace evo::engine::sqlite {

/// Walks a table's chain of hashes. After a bad row it goes on from the recorded hash, so that only the
/// altered row is named (a removed one shows at its successor).
template <class Record>
void verify_chain(const char* table, const std::vector<Row<Record>>& rows,
                  std::vector<IntegrityIssue>& issues) {
  std::string previous;
  for (const Row<Record>& row : rows) {
    if (row_hash(previous, row.record) != row.hash) {
      issues.push_back(
          {table, row.number,
           fmt::format("{} {}: the row does not fit its hash: it, or the one before it, was altered, "
                       "removed or moved",
                       table, row.number)});
    }
    previous = row.hash;
  }
}

}  // namespace evo::engine::sqlite
