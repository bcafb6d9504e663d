// Which of a kernel's parameters the registers of its PTX hold addresses of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluators/code/ptx_statements.hpp"
#include "intake/ptx_use.hpp"

namespace evo::intake {

/// Bit i: an address from slot i.
using Origins = std::uint64_t;

/// Bytes that the address of this instruction must be a multiple of: half2 is 4 bytes of an array of halves.
/// 0: it is not known.
[[nodiscard]] int wide_bytes(std::string_view opcode, const std::vector<evaluators::code::Operand>& operands);

/// Of one entry, whose name and slots must outlive it.
class ParameterAddresses {
 public:
  ParameterAddresses(const std::string& entry, const std::vector<ParameterSlot>& slots)
      : entry_(entry), slots_(slots) {}

  /// Learns from the statements of the entry's body where each register's address comes from.
  void read(const std::vector<const evaluators::code::Statement*>& body);

  /// Of a register, or of a parameter's own name.
  [[nodiscard]] Origins of_name(std::string_view name) const;
  [[nodiscard]] Origins of_operand(const evaluators::code::Operand& operand) const;
  /// The number of the parameter that this is the name of.
  [[nodiscard]] std::optional<std::size_t> parameter_of(std::string_view name) const;
  /// Does the register point to a known byte of a parameter?
  [[nodiscard]] bool is_base(std::string_view register_name) const { return bases_.contains(register_name); }
  /// Does the body say the word more than once?
  [[nodiscard]] bool says_again(std::string_view word) { return said_[std::string(word)] > 1; }
  /// Slots that are loaded as wide as an address is.
  [[nodiscard]] Origins as_wide() const { return addresses_; }
  /// Of ld.param: the slots that each of its results gets.
  [[nodiscard]] std::vector<Origins> loaded(std::string_view opcode,
                                            const std::vector<evaluators::code::Operand>& operands);

 private:
  /// A parameter and the byte of it that a register points to.
  struct Base {
    std::size_t parameter = 0;
    std::int64_t offset = 0;
  };

  [[nodiscard]] Origins slots_in(std::size_t parameter, std::uint64_t begin, std::uint64_t end) const;
  void find_bases(const std::vector<const evaluators::code::Statement*>& body);
  [[nodiscard]] std::optional<Base> base_by(std::string_view opcode,
                                            const std::vector<evaluators::code::Operand>& operands) const;
  [[nodiscard]] static std::int64_t distance_in(const evaluators::code::Operand& operand);
  bool learn(std::string_view name, Origins origins);
  bool follow(const evaluators::code::Statement& statement);

  const std::string& entry_;
  const std::vector<ParameterSlot>& slots_;
  std::map<std::string, Origins, std::less<>> registers_;
  std::map<std::string, Base, std::less<>> bases_;
  std::map<std::string, int, std::less<>> said_;  ///< how often the body says a word
  Origins addresses_ = 0;                         ///< slots that are loaded as wide as an address is
};

}  // namespace evo::intake
