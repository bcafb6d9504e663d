// fp64 references: what a problem's outputs must be. A new one is a file here and a line in oracle.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle {

/// Contents of the buffers of a case, one entry for each argument (empty for scalars and for what is no
/// input).
using InputBuffers = std::vector<std::vector<std::byte>>;

/// Reference values of a case, one entry for each argument (empty for what is no output), row-major over the
/// shape whatever the strides.
using ReferenceOutputs = std::vector<std::vector<double>>;

struct Oracle {
  std::string_view name;
  std::string_view description;
  /// Pure and thread-safe; uses several threads for a big case, with the same result whatever their number.
  /// An Error says which argument or shape the reference cannot take.
  model::Expected<ReferenceOutputs> (*compute)(const model::Case& bound, const InputBuffers& inputs);
  /// The same values, but of some rows only, at the cost of those: see Reference in row_sample.hpp. nullptr
  /// where a row cannot be had for less than all.
  model::Expected<ReferenceOutputs> (*compute_rows)(const model::Case& bound, const InputBuffers& inputs,
                                                    std::span<const std::int64_t> rows) = nullptr;
  /// What a plain implementation in the output's 16-bit type makes of the same inputs, rounded where such an
  /// implementation rounds; one entry for each common form of it. The rows of compute_rows(), or all where
  /// there are none. nullptr where no class needs it: see yardstick.hpp.
  model::Expected<std::vector<ReferenceOutputs>> (*compute_plain)(
      const model::Case& bound, const InputBuffers& inputs, std::span<const std::int64_t> rows) = nullptr;
};

/// nullptr when there is none of that name.
[[nodiscard]] const Oracle* find_oracle(std::string_view name);
[[nodiscard]] std::vector<std::string> oracle_names();

/// Index of the argument called `name`, or an Error naming the case and what it has.
[[nodiscard]] model::Expected<std::size_t> argument_index(const model::Case& bound, std::string_view name);

/// softmax(scale * Q K^T) V over [batch, heads, seq, head_dim]; scalars `scale` and `causal`.
[[nodiscard]] model::Expected<ReferenceOutputs> attention_forward(const model::Case& bound,
                                                                  const InputBuffers& inputs);
[[nodiscard]] model::Expected<ReferenceOutputs> attention_forward_rows(const model::Case& bound,
                                                                       const InputBuffers& inputs,
                                                                       std::span<const std::int64_t> rows);
/// The same in the type of O, f16 or bf16: with S in base e, and in base 2. See attention_plain.cpp.
[[nodiscard]] model::Expected<std::vector<ReferenceOutputs>> attention_forward_plain(
    const model::Case& bound, const InputBuffers& inputs, std::span<const std::int64_t> rows);
/// c = a + b, element by element.
[[nodiscard]] model::Expected<ReferenceOutputs> vector_add(const model::Case& bound,
                                                           const InputBuffers& inputs);
/// y = softmax(x) along the columns of x [rows, columns].
[[nodiscard]] model::Expected<ReferenceOutputs> row_softmax(const model::Case& bound,
                                                            const InputBuffers& inputs);
/// z = alpha * x + y, element by element.
[[nodiscard]] model::Expected<ReferenceOutputs> saxpy(const model::Case& bound, const InputBuffers& inputs);

}  // namespace evo::evaluators::oracle
