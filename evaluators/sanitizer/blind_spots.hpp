// What compute-sanitizer cannot see in a kernel, and what its findings are therefore worth.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/verdict.hpp"

namespace evo::evaluators::sanitizer {

/// Instructions of a kernel's PTX that move data or order threads behind the tools' back.
struct AsyncUse {
  bool bulk_copy = false;   ///< cp.async.bulk, to any place: the copy engine (TMA)
  bool bulk_store = false;  ///< of these, into global memory
  bool wgmma = false;
  bool mbarrier = false;
  [[nodiscard]] bool any() const { return bulk_copy || wgmma || mbarrier; }
};
[[nodiscard]] AsyncUse async_use(std::string_view ptx);

/// One note of kind "blind_spot" for each thing that a tool does not see or may take for an error, with the
/// detail "tool". Some are there for every kernel.
[[nodiscard]] std::vector<model::Evidence> blind_spots(const AsyncUse& use);

/// Why `finding` (of parse_findings) does not refuse a kernel, or "" if it does. The rule: what has the
/// severity "error" refuses, but
///   race_shared         of a kernel with bulk copies, wgmma or mbarriers, since racecheck attributes neither
///   the
///                       copies' writes nor wgmma's reads and does not follow mbarriers that PTX sets up;
///   uninitialized       of one that stores to global memory in bulk, since initcheck before 2025.4 does not
///   see
///                       those writes;
///   barrier_divergence  about an mbarrier, of which synccheck takes number and phase from compiler
///   information
///                       that inline PTX does not give.
[[nodiscard]] std::string excuse(const model::Evidence& finding, const AsyncUse& use);

}  // namespace evo::evaluators::sanitizer
