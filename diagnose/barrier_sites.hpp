// The synchronising statements of a source.
#pragma once

#include <string>
#include <vector>

namespace evo::diagnose {

/// A statement that does nothing but order threads or memory accesses: __syncthreads(), __syncwarp(...), a
/// group's sync(), a fence, a wait for asynchronous copies, or asm() of such an instruction. One whose value
/// is used (__syncthreads_or) is none.
struct BarrierSite {
  int line = 0;
  std::string text;                ///< "__syncthreads()"
  std::size_t begin = 0, end = 0;  ///< offsets in the source, without the semicolon
};

/// In the order of the source; those of every function and macro in it, whether the kernel uses it or not.
/// One of a macro that does more is taken out wherever the macro stands. Hooks of kernels/common
/// (EVO_SYNC...) count, too.
[[nodiscard]] std::vector<BarrierSite> barriers_of(const std::string& source);

/// `source` without this one: an empty statement, on the same line.
[[nodiscard]] std::string without(const std::string& source, const BarrierSite& site);

}  // namespace evo::diagnose
