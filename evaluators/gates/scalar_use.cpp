#include "evaluators/gates/scalar_use.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "evaluators/code/entry_statements.hpp"
#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::int64_t most_compared = std::int64_t{1} << 40, large_factor = 65536;

/// sign * parameter + offset.
struct Carried {
  std::int64_t sign = 1, offset = 0;
};

bool is(std::string_view opcode, std::string_view name) {
  return code::names_instruction(opcode, name);
}

bool has(std::string_view opcode, std::string_view word) {
  const auto words = code::modifiers_of(opcode);
  return std::ranges::find(words, word) != words.end();
}

/// Of the last type, or the one before; 0: it is none of integers.
int bits_of(std::string_view opcode, std::size_t from_end = 0) {
  const auto words = code::modifiers_of(opcode);
  if (from_end >= words.size()) return 0;
  const std::string_view word = words[words.size() - 1 - from_end];
  if (word.size() < 2 || (word[0] != 's' && word[0] != 'u' && word[0] != 'b')) return 0;
  const std::string_view digits = word.substr(1);
  return digits == "8" ? 8 : digits == "16" ? 16 : digits == "32" ? 32 : digits == "64" ? 64 : 0;
}

/// A number that stands there itself, as one with a sign.
std::optional<std::int64_t> number_of(const code::Operand& operand) {
  if (operand.address || operand.tokens.empty() || operand.tokens.size() > 2) return std::nullopt;
  const code::Token& last = operand.tokens.back();
  if (last.kind != code::Token::Kind::integer) return std::nullopt;
  const auto value = static_cast<std::int64_t>(last.value);
  if (operand.tokens.size() == 1) return value;
  return operand.tokens.front().is('-') ? std::optional(-value) : std::nullopt;
}

/// A floating-point number that stands there itself, where it is a whole one.
std::optional<std::int64_t> whole_number_of(const code::Operand& operand) {
  if (operand.address || operand.tokens.size() != 1) return std::nullopt;
  const double value = code::real_of(operand.tokens[0]).value_or(0.5);
  if (value != std::trunc(value) || std::abs(value) > static_cast<double>(most_compared)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::uint64_t bits_from(int first, std::int64_t bytes) {
  const std::uint64_t type = bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
  return first >= 64 ? 0 : type & ~((std::uint64_t{1} << first) - 1);
}

class ScalarReader {
 public:
  ScalarReader(const code::PtxModule& module, const std::string& entry, std::size_t parameter,
               std::int64_t bytes)
      : name_(entry + "_param_" + std::to_string(parameter)), bytes_(bytes) {
    for (const Statement* statement : code::statements_of_entry(module, entry)) {
      if (!instruction_of(*statement).opcode.empty())
        body_.push_back({instruction_of(*statement).opcode, code::operands_of(*statement)});
    }
    for (const Step& step : body_) {
      if (const auto written = written_by(step)) ++definitions_[*written];
    }
  }

  ScalarUse run() {
    // A loop brings a register back to an earlier line: until nothing new is learnt.
    for (std::size_t known = 1, before = 0; known != before;) {
      before = carried_.size() + tainted_.size();
      for (const Step& step : body_) follow(step);
      known = carried_.size() + tainted_.size();
    }
    for (const Step& step : body_) read(step);
    return use_;
  }

 private:
  struct Step {
    std::string_view opcode;
    std::vector<code::Operand> operands;
  };

  static std::optional<std::string_view> written_by(const Step& step) {
    if (step.operands.empty() || step.operands[0].address || is(step.opcode, "st")) return std::nullopt;
    const auto names = step.operands[0].names();
    return names.size() == 1 ? std::optional(names[0]) : std::nullopt;
  }

  [[nodiscard]] bool loads(const Step& step) const {
    if (!step.opcode.starts_with("ld.param") || step.operands.size() < 2) return false;
    const auto names = step.operands[1].names();
    return std::ranges::find(names, name_) != names.end();
  }

  [[nodiscard]] bool is_tainted(const code::Operand& operand) const {
    return std::ranges::any_of(operand.names(),
                               [&](std::string_view name) { return tainted_.contains(name); });
  }

  [[nodiscard]] std::optional<Carried> carried_in(const code::Operand& operand) const {
    if (operand.address || operand.tokens.size() != 1) return std::nullopt;
    const auto found = carried_.find(operand.tokens[0].text);
    return found == carried_.end() ? std::nullopt : std::optional(found->second);
  }

  /// What the step writes, where that is the parameter still.
  [[nodiscard]] std::optional<Carried> carried_by(const Step& step) const {
    if (loads(step)) return Carried{};
    const auto& operands = step.operands;
    if (operands.size() < 2) return std::nullopt;
    const auto first = carried_in(operands[1]);
    if (operands.size() == 2) {
      const bool whole = (is(step.opcode, "cvt") && bits_of(step.opcode) > 0 &&
                          bits_of(step.opcode, 1) >= bits_of(step.opcode)) ||
                         is(step.opcode, "mov");
      if (first && whole) return first;
      if (first && is(step.opcode, "neg")) return Carried{-first->sign, -first->offset};
      if (first && is(step.opcode, "not")) return Carried{-first->sign, -first->offset - 1};
      return std::nullopt;
    }
    if (operands.size() != 3) return std::nullopt;
    const auto second = carried_in(operands[2]);
    const auto number = number_of(operands[2]), before = number_of(operands[1]);
    if (is(step.opcode, "add") && first && number) return Carried{first->sign, first->offset + *number};
    if (is(step.opcode, "sub") && first && number) return Carried{first->sign, first->offset - *number};
    if (is(step.opcode, "sub") && before && second) return Carried{-second->sign, *before - second->offset};
    return std::nullopt;
  }

  void follow(const Step& step) {
    const auto written = written_by(step);
    if (!written) return;
    if (definitions_[*written] == 1) {
      if (const auto carried = carried_by(step)) carried_.emplace(*written, *carried);
    }
    if (tainted_.contains(*written)) return;
    if (loads(step) || hands_on(step)) tainted_.insert(*written);
  }

  [[nodiscard]] bool reads_it(const Step& step) const {
    return std::any_of(step.operands.begin() + (written_by(step) ? 1 : 0), step.operands.end(),
                       [&](const code::Operand& operand) { return is_tainted(operand); });
  }

  /// Does what the step writes still grow with it?
  [[nodiscard]] bool hands_on(const Step& step) const {
    if (!reads_it(step)) return false;
    const std::string_view opcode = step.opcode;
    if (is(opcode, "mul") || is(opcode, "mad"))
      return !has(opcode, "hi") && !std::ranges::any_of(step.operands, is_large);
    constexpr std::array roots{"mov", "cvt", "add", "sub", "shl", "not", "neg", "or", "selp"};
    return std::ranges::any_of(roots, [&](const char* root) { return is(opcode, root); });
  }

  static bool is_large(const code::Operand& operand) {
    const auto number = number_of(operand);
    return number && (*number >= large_factor || *number <= -large_factor);
  }

  void read(const Step& step) {
    if (loads(step)) {
      const int bits = bits_of(step.opcode);
      if (bits > 0) lose(bits_from(bits, bytes_));
      return;
    }
    if (!reads_it(step)) return;
    spread(step);
    compare(step);
  }

  void spread(const Step& step) {
    const std::string_view opcode = step.opcode;
    const auto& operands = step.operands;
    const bool product = is(opcode, "mul") || is(opcode, "mad");
    const bool wide = product && bits_of(opcode) == 64 && !has(opcode, "wide");
    if (is(opcode, "xor") || is(opcode, "shf") || wide ||
        (product && (has(opcode, "hi") || std::ranges::any_of(operands, is_large))))
      use_.mixed = true;
    const bool stored =
        is(opcode, "st") && !operands.empty() && operands[0].address && !is_tainted(operands[0]);
    const bool amount =
        (is(opcode, "shl") || is(opcode, "shr") || is(opcode, "shf")) && is_tainted(operands.back());
    const bool divides = is(opcode, "rem") && is_tainted(operands.back());
    const bool chooses = is(opcode, "selp") && is_tainted(operands.back());
    const bool converts =
        is(opcode, "cvt") && (bits_of(opcode) == 0 || bits_of(opcode, 1) == 0 || has(opcode, "sat"));
    constexpr std::array known{"mov", "cvt", "add", "sub", "mul", "mad", "shl", "shr",
                               "not", "neg", "or",  "xor", "and", "shf", "rem", "selp"};
    const bool computes = std::ranges::any_of(known, [&](const char* root) { return is(opcode, root); });
    if (!stored && (!computes || amount || divides || chooses || converts)) use_.decides = true;
  }

  void lose(std::uint64_t bits) {
    if (bits != 0) use_.lost.insert(bits);
  }

  void compare(const Step& step) {
    const std::string_view opcode = step.opcode;
    const auto& operands = step.operands;
    if (operands.size() < 2) return;
    const auto first = carried_in(operands[1]);
    if (!first) return;
    const bool itself = first->sign == 1 && first->offset == 0;
    if (operands.size() == 2 && is(opcode, "cvt") && itself && bits_of(opcode) > bits_of(opcode, 1))
      lose(bits_of(opcode, 1) > 0 ? bits_from(bits_of(opcode, 1), bytes_) : 0);
    if (operands.size() != 3) return;
    const bool asks = is(opcode, "setp") || is(opcode, "set");
    const bool equality = has(opcode, "eq") || has(opcode, "ne");
    if (const auto whole = whole_number_of(operands[2])) {
      if (asks && (equality || has(opcode, "equ") || has(opcode, "neu")) && first->offset == 0)
        use_.equal.insert(first->sign * *whole);
      return;
    }
    const auto number = number_of(operands[2]);
    if (!number || bits_of(opcode) == 0) return;
    if (is(opcode, "and") && itself) return lose(~static_cast<std::uint64_t>(*number) & bits_from(0, bytes_));
    const std::int64_t at = first->sign * (*number - first->offset);
    if (at > most_compared || at < -most_compared) return;
    if (is(opcode, "min")) (first->sign > 0 ? use_.above : use_.below).insert(at);
    if (is(opcode, "max")) (first->sign > 0 ? use_.below : use_.above).insert(at);
    if (!asks) return;
    (equality ? use_.equal : use_.above).insert(at);
  }

  std::string name_;
  std::int64_t bytes_;
  std::vector<Step> body_;
  std::map<std::string_view, int> definitions_;
  std::map<std::string_view, Carried> carried_;
  std::set<std::string_view> tainted_;
  ScalarUse use_;
};

}  // namespace

void ScalarUse::add(const ScalarUse& other) {
  equal.insert(other.equal.begin(), other.equal.end());
  above.insert(other.above.begin(), other.above.end());
  below.insert(other.below.begin(), other.below.end());
  lost.insert(other.lost.begin(), other.lost.end());
  mixed = mixed || other.mixed;
  decides = decides || other.decides;
}

ScalarUse use_of_scalar(const code::PtxModule& module, const std::string& entry, std::size_t parameter,
                        std::int64_t bytes) {
  if (module.unreadable()) {
    ScalarUse unknown;
    unknown.decides = true;
    return unknown;
  }
  return ScalarReader(module, entry, parameter, bytes).run();
}

}  // namespace evo::evaluators::gates
