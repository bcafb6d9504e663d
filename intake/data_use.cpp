#include "intake/data_use.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "evaluators/code/ptx_statements.hpp"

namespace evo::intake {
namespace {

namespace code = evaluators::code;

constexpr std::size_t most_parameters = 64;

/// Bit i: parameter i.
using Parameters = std::uint64_t;

/// What a register holds.
struct Held {
  Parameters own = 0;    ///< one of these and numbers, nothing else
  Parameters mixed = 0;  ///< data, and one of these
  bool data = false;     ///< something of what was loaded
  bool other = false;    ///< something of an index, a counter, or of two parameters

  bool add(const Held& more) {
    const Held before = *this;
    own |= more.own;
    mixed |= more.mixed;
    data = data || more.data;
    other = other || more.other;
    return own != before.own || mixed != before.mixed || data != before.data || other != before.other;
  }
};

class DataReader {
 public:
  DataReader(const code::PtxModule& module, const std::string& entry, std::size_t count)
      : prefix_(entry + "_param_"), count_(std::min(count, most_parameters)) {
    bool inside = false;
    for (const code::Statement& statement : module.statements()) {
      if (statement.scope == 0) {
        const auto words = code::words_of(statement.text);
        inside = false;
        for (std::size_t i = 0; i + 1 < words.size(); ++i)
          inside = inside || (words[i].ends_with("entry") && words[i + 1] == entry);
      } else if (inside && !code::instruction_of(statement).opcode.empty()) {
        body_.push_back({code::instruction_of(statement).opcode, code::operands_of(statement)});
      }
    }
    // What is written twice is a counter, or one of two ways: of those nothing is known.
    std::map<std::string_view, int> writes;
    for (const Step& step : body_) {
      if (!writes_registers(step)) continue;
      for (const std::string_view name : step.operands[0].names()) {
        if (++writes[name] == 2) registers_[name].other = true;
      }
    }
  }

  std::vector<bool> run(std::size_t count) {
    for (bool news = true; news;) {
      news = false;
      for (const Step& step : body_) news = follow(step) || news;
    }
    for (const Step& step : body_) judge(step);
    std::vector<bool> alone(count, false);
    for (std::size_t i = 0; i < count_; ++i) alone[i] = (met_ & ~bad_) >> i & 1U;
    return alone;
  }

 private:
  struct Step {
    std::string_view opcode;
    std::vector<code::Operand> operands;
  };

  static bool is(const Step& step, std::string_view name) {
    return code::names_instruction(step.opcode, name);
  }

  static bool writes_registers(const Step& step) {
    return !step.operands.empty() && !step.operands[0].address && !is(step, "st") && !is(step, "red") &&
           !is(step, "bra") && !is(step, "call");
  }

  static bool loads_data(const Step& step) {
    return (is(step, "ld") && !step.opcode.starts_with("ld.param")) || is(step, "atom") || is(step, "tex");
  }

  [[nodiscard]] Parameters parameters_in(std::string_view name) const {
    if (!name.starts_with(prefix_)) return 0;
    const std::size_t index = std::stoul(std::string(name.substr(prefix_.size())));
    return index < count_ ? Parameters{1} << index : 0;
  }

  [[nodiscard]] Held held_by(std::string_view name) const {
    Held held;
    held.own = parameters_in(name);
    const auto found = registers_.find(name);
    if (found != registers_.end()) held.add(found->second);
    // %tid.x and the like
    const bool special = name.starts_with("%tid") || name.starts_with("%ctaid") ||
                         name.starts_with("%ntid") || name.starts_with("%nctaid") ||
                         name.starts_with("%laneid");
    held.other = held.other || special;
    return held;
  }

  /// All that the step reads, without the addresses that it goes to.
  [[nodiscard]] Held read_by(const Step& step) const {
    Held held;
    for (std::size_t i = writes_registers(step) ? 1 : 0; i < step.operands.size(); ++i) {
      if (step.operands[i].address && !step.opcode.starts_with("ld.param")) continue;
      for (const std::string_view name : step.operands[i].names()) held.add(held_by(name));
    }
    return held;
  }

  static bool is_one(Parameters parameters) { return (parameters & (parameters - 1)) == 0; }

  bool follow(const Step& step) {
    if (!writes_registers(step)) return false;
    // Of a comparison comes a predicate: what then happens is not followed.
    if (is(step, "setp")) return false;
    Held result;
    if (loads_data(step)) {
      result.data = true;
    } else {
      const Held read = read_by(step);
      result = read;
      if (read.own != 0 && (read.data || read.other || !is_one(read.own))) {
        result.own = 0;
        if (read.data) result.mixed |= read.own;
        if (!read.data) result.other = true;
      }
    }
    bool news = false;
    for (const std::string_view name : step.operands[0].names()) news = registers_[name].add(result) || news;
    return news;
  }

  void judge(const Step& step) {
    const bool parameter = step.opcode.starts_with("ld.param");
    for (const code::Operand& operand : step.operands) {
      if (!operand.address || parameter) continue;
      for (const std::string_view name : operand.names()) {
        const Held held = held_by(name);
        bad_ |= held.own | held.mixed;
      }
    }
    if (parameter) {
      // [k_param_0+8]: of a member
      const auto is_distance = [](const code::Token& token) {
        return token.kind == code::Token::Kind::integer && token.value != 0;
      };
      if (step.operands.size() > 1 && std::ranges::any_of(step.operands[1].tokens, is_distance))
        bad_ |= read_by(step).own;
      return;
    }
    if (is(step, "st") && !step.opcode.starts_with("st.param")) return;
    const Held read = read_by(step);
    if (is(step, "call") || step.opcode.starts_with("st.param")) {
      bad_ |= read.own | read.mixed;
      return;
    }
    if (read.own == 0) return;
    if (read.other || !is_one(read.own)) bad_ |= read.own;
    if (read.data) met_ |= read.own;
  }

  std::string prefix_;
  std::size_t count_;
  std::vector<Step> body_;
  std::map<std::string_view, Held> registers_;
  Parameters met_ = 0, bad_ = 0;
};

}  // namespace

std::vector<bool> meets_data_alone(const code::PtxModule& module, const std::string& entry,
                                   std::size_t count) {
  if (module.unreadable()) return std::vector<bool>(count, false);
  return DataReader(module, entry, count).run(count);
}

}  // namespace evo::intake
