// ReferenceData as bytes, for another process of this program on this machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "evaluators/oracle/reference_cache.hpp"

namespace evo::evaluators::oracle {

/// Inputs, outputs, rows, errors and exact words of `data`, and whether it may ask for nearby answers. Not
/// the rules of its set and nothing that is found on demand: from_bytes() leaves those as they begin.
[[nodiscard]] std::string to_bytes(const ReferenceData& data);

struct ReadReference {
  ReferenceData data;
  bool had_nearby = false;
};
/// nullopt: these are not the bytes of to_bytes().
[[nodiscard]] std::optional<ReadReference> from_bytes(std::string_view bytes);

}  // namespace evo::evaluators::oracle
