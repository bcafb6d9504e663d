// What implementations of attention on the host share: the arguments by name, and a walk over rows of O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/error.hpp"
#include "model/variant.hpp"
#include "packs/attention/terms.hpp"

namespace evo::packs::attention {

struct AttentionArguments {
  std::size_t q = 0, k = 0, v = 0, o = 0;  ///< indices among the case's arguments
  std::int64_t batch = 0, heads = 0, seq = 0, head_dim = 0;
  double scale = 0;  ///< as the kernel's own type holds it
  bool causal = false;

  /// Every row of O, in the numbering of Reference::rows.
  [[nodiscard]] std::vector<std::int64_t> all_rows() const;
};

/// Error: an argument that is missing or has another shape than Q.
[[nodiscard]] model::Expected<AttentionArguments> resolve_attention(const model::Case& bound);

/// Makes weights of the scores of one row's visible keys, in place. Returns what the weighted sum of the
/// values is divided by.
using Weigh = double (*)(std::span<double> scores);

/// O's rows `chosen` (ascending, of all heads' rows): for each of the `forms` the rows of head_dim numbers
/// one after the other, at the same place of `out`. The scores, scale * q.k, are the same for all forms. Rows
/// run on several threads.
void attend(const AttentionArguments& arguments, const model::Case& bound, const InputBuffers& inputs,
            std::span<const std::int64_t> chosen, std::span<const Weigh> forms, std::span<double* const> out);

}  // namespace evo::packs::attention
