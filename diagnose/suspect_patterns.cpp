#include "diagnose/suspect_patterns.hpp"

namespace evo::diagnose {
namespace {

/// What holds for any source.
std::vector<SuspectPattern> own_patterns() {
  return {
      SuspectPattern{"misaligned_shared_pitch", "", R"(\b\w*(PITCH|pitch|LEADING|leading)\w*\s*=[^=])",
                     "the distance of two rows is defined here", Look::named},
      SuspectPattern{"misaligned_shared_pitch", "", R"(\b\w*(PITCH|pitch|LEADING|leading)\w*\s*=[^=])",
                     "the distance of two rows is defined here", Look::text},
      SuspectPattern{"overlapping_rows", "", R"(\b\w*(PITCH|pitch|LEADING|leading)\w*\s*=[^=])",
                     "the distance of two rows is defined here", Look::named},
      SuspectPattern{"barrier_not_reached", "", R"(if \(.*\).*(SYNC|sync|barrier))", "a barrier in a branch",
                     Look::text},
      SuspectPattern{"async_copy_not_waited", "", R"(if \((?![A-Z_0-9]+\)).*commit)",
                     "a commit that not every turn makes: the count of groups is off afterwards", Look::text},
      SuspectPattern{"async_copy_not_waited", "", R"(\w*(PENDING|pending)\w*\s*=[^=])",
                     "how many groups may be under way is defined here", Look::text},
      SuspectPattern{"async_copy_not_waited", "", R"(wait)", "the wait", Look::text},
      SuspectPattern{"launch_refused", "", R"(__launch_bounds__)",
                     "the bounds that the launch has to keep to", Look::text},
      SuspectPattern{"index_out_of_bounds", "space.shared", R"(\w*(BYTES|SIZE|bytes|size)\w*\s*=.*\*)",
                     "how much shared memory a tile takes is defined here", Look::text},
      SuspectPattern{"uninitialised_shared", "", R"(=.*\b(last_|other_|next_)(stage|buffer)\w*\s*\*)",
                     "the tile of another stage is read", Look::text},
      SuspectPattern{"uninitialised_shared", "", R"(=.*(STAGES|stage|BUFFERS|buffer).*\*)",
                     "which stage is read", Look::named},
      SuspectPattern{"uninitialised_shared", "", R"(if \(.*\)\s*\w+\[.*\]\s*=[^=])",
                     "not every thread writes its element", Look::named},
      SuspectPattern{"stride_ignored", "", R"(=[^=].*\*.*\b\w*stride\b|\+.*\*.*\b\w*stride\b)",
                     "an offset is made of strides", Look::text},
      SuspectPattern{"row_sum_incomplete", "", R"(\+=? *__shfl)", "the reduction of the sum", Look::text},
      SuspectPattern{"wrong_exponential", "", R"(\bexp\w*\()", "the exponential", Look::text},
      SuspectPattern{"storage_precision", "", R"(half2float\(__float2half|cvt\.f32\.f16)",
                     "a number goes to 16 bits and back", Look::text},
  };
}

}  // namespace

std::vector<SuspectPattern> suspect_patterns(std::span<const SuspectPattern> of_problem) {
  std::vector<SuspectPattern> all(of_problem.begin(), of_problem.end());
  for (SuspectPattern& pattern : own_patterns()) all.push_back(std::move(pattern));
  return all;
}

}  // namespace evo::diagnose
