// What a module's code asks of several of a kernel's integers at once: m == n + 1, m / n == 2, m % n == 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluators/gates/entry_steps.hpp"

namespace evo::evaluators::gates {

/// The predicates of one entry that hang on two of its whole parameters or more and on nothing else, those
/// that are made of others by and, or and not among them. Followed through registers that are written once
/// and the steps of whole numbers that compilers make of sizes.
class SizePredicates {
 public:
  /// Of PTX that evo cannot read there are none. `module` stays as long as this does.
  SizePredicates(const code::PtxModule& module, const std::string& entry);

  [[nodiscard]] std::size_t count() const { return asked_.size(); }
  /// What each of them is where the parameters have these values, by their places; nullopt where that is not
  /// known: a division by 0, or a step that is none of those above.
  [[nodiscard]] std::vector<std::optional<bool>> values(std::span<const std::int64_t> parameters) const;

 private:
  using Known = std::map<std::string_view, std::optional<std::uint64_t>>;

  [[nodiscard]] std::optional<std::uint64_t> value_of(std::string_view name,
                                                      std::span<const std::int64_t> parameters, Known& known,
                                                      int depth) const;
  [[nodiscard]] std::optional<std::uint64_t> operand_value(const code::Operand& operand,
                                                           std::span<const std::int64_t> parameters,
                                                           Known& known, int depth) const;

  EntrySteps steps_;
  std::vector<std::string_view> asked_;
};

}  // namespace evo::evaluators::gates
