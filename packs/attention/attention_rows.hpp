// What implementations of attention on the host share: the arguments by name, and a walk over rows of O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// One row of O to be computed, of one head.
struct AttentionRow {
  const double* query = nullptr;            ///< [dim]
  const double* keys_transposed = nullptr;  ///< [dim, seq], so that inner loops run along keys
  const double* values = nullptr;           ///< [seq, dim]
  std::int64_t seq = 0, dim = 0;
  std::int64_t visible = 0;  ///< keys before the causal mask, or all
  double scale = 0;

  /// scale * q.k of the visible keys; `scores` has room for seq.
  void score(double* scores) const;
};

/// `attend` gets each of the rows `chosen` (ascending) of all heads' rows, room for seq numbers, and the
/// place in `out` (one row of head_dim after the other) for the result. Rows run on several threads.
void for_each_row(const AttentionArguments& arguments, const model::Case& bound, const InputBuffers& inputs,
                  std::span<const std::int64_t> chosen, double* out,
                  const std::function<void(const AttentionRow&, double* scratch, double* out)>& attend);

}  // namespace evo::packs::attention
