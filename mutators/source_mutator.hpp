// Operators on the text of a kernel: each finds every edit that it can make. One file a family; none needs an
// annotation in the kernel.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "source/apply.hpp"
#include "source/program.hpp"

namespace evo::mutators {

/// What operators edit: a variant's text without edits, as it is read once.
struct EditedSource {
  source::Program program;
  std::vector<bool> reached;  ///< for each function: the launched kernels reach it
  int threads = 0;            ///< of a block; 0: not known
  /// Macros and functions of the text that are one barrier of the block.
  std::set<std::string> block_barriers{};

  [[nodiscard]] bool editable(const source::Node& node) const { return reached[node.function]; }
};

/// Reads `text`. `entries`: C++ names of the kernels that are launched ("kernel<float, 4>"); where none of
/// them is in the text, all kernels count, and where there is none, all functions.
[[nodiscard]] EditedSource edited_source(std::string text, const std::vector<std::string>& entries,
                                         int threads);

/// Edits that belong together.
using Change = source::Edits;

/// An operator. Stateless and thread-safe.
class SourceMutator {
 public:
  virtual ~SourceMutator() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Every change that it can make, in the order of the text: the same for the same text. Each keeps names in
  /// their scope; whether it is correct is for the gates.
  [[nodiscard]] virtual std::vector<Change> changes(const EditedSource& source) const = 0;
};

/// All of them, in their documented order.
[[nodiscard]] std::vector<std::unique_ptr<SourceMutator>> source_mutators();
/// Their names.
[[nodiscard]] const std::vector<std::string>& source_operator_names();

}  // namespace evo::mutators
