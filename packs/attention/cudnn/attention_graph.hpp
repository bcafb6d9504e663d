// Operation graphs of attention, in the forms that cuDNN's engines recognise.
#pragma once

#include <deque>
#include <optional>

#include "packs/attention/cudnn/attention_case.hpp"
#include "packs/attention/cudnn/descriptor.hpp"

namespace evo::packs::attention::cudnn {

enum class Form : std::uint8_t {
  /// Two matrix products with a softmax of elementary operations between them; what all of cuDNN 9 knows.
  pattern,
  /// One operation for all of it, without a mask: cuDNN 9.14 and later.
  operation,
};
[[nodiscard]] const char* name_of(Form form);

/// Ids of the tensors that come from outside, as a variant pack names them.
enum class TensorId : std::int64_t { q = 1, k, v, o, scale, masked };
/// Those above here have no memory.
inline constexpr std::int64_t first_virtual_id = 100;

/// A finalized operation graph and all that it refers to.
struct AttentionGraph {
  std::deque<Descriptor> parts;
  std::optional<Descriptor> graph;
  std::vector<TensorId> inputs;  ///< what a variant pack has to bring, O among it
};

/// What masked logits are replaced with: versions before 9.10 want a finite number.
[[nodiscard]] float masked_logit(const Api& api);

/// The error names the descriptor that was refused, or why the form cannot be had here.
[[nodiscard]] Attempt<AttentionGraph> build_graph(const ApiPointer& api, RawHandle handle,
                                                  const Attention& attention, Form form);

}  // namespace evo::packs::attention::cudnn
