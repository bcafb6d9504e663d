#include "evaluators/gates/exact_comparisons.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {
namespace {

/// Where the value of a register comes from.
struct Origin {
  bool rounded = false;     ///< nothing is known, or it has been computed
  bool difference = false;  ///< of two numbers that were not
  bool loaded = false;
  bool mirrored = false;             ///< loaded, and its sign has been changed or taken away
  std::set<std::size_t> parameters;  ///< places of the entry
  std::set<std::size_t> opposites;   ///< parameters with the other sign
  std::set<double> numbers;

  bool operator==(const Origin&) const = default;
  void add(const Origin& other) {
    rounded = rounded || other.rounded;
    difference = difference || other.difference;
    loaded = loaded || other.loaded;
    mirrored = mirrored || other.mirrored;
    parameters.insert(other.parameters.begin(), other.parameters.end());
    opposites.insert(other.opposites.begin(), other.opposites.end());
    numbers.insert(other.numbers.begin(), other.numbers.end());
  }
  [[nodiscard]] Origin negated() const {
    Origin other = *this;
    std::swap(other.parameters, other.opposites);
    other.numbers.clear();
    for (const double number : numbers) other.numbers.insert(-number);
    other.mirrored = loaded;
    return other;
  }
  [[nodiscard]] Origin of_both_signs() const {
    Origin other = *this;
    other.add(negated());
    return other;
  }
};

const Origin computed{.rounded = true,
                      .difference = false,
                      .loaded = false,
                      .mirrored = false,
                      .parameters = {},
                      .opposites = {},
                      .numbers = {}};

bool is_floating_type(std::string_view word) {
  constexpr std::array<std::string_view, 6> types{"f16", "f16x2", "bf16", "bf16x2", "f32", "f64"};
  return std::ranges::find(types, word) != types.end();
}

/// A conversion that gives the same number in a type that holds all of those before.
bool widens(std::string_view opcode) {
  const auto words = code::modifiers_of(opcode);
  if (words.size() < 2) return false;
  const std::string_view to = words[words.size() - 2], from = words.back();
  const bool from_half = from == "f16" || from == "bf16";
  if (to == "f64") return from_half || from == "f32";
  if (to == "f32") return from_half;
  return to == "f16x2" && (from == "e4m3x2" || from == "e5m2x2");
}

/// Gives one of its operands, whole or in halves of a word, or changes its sign.
bool hands_on(std::string_view opcode) {
  constexpr std::array<std::string_view, 11> names{"mov",  "neg", "abs", "min", "max", "selp",
                                                   "shfl", "shl", "and", "or",  "prmt"};
  return std::ranges::any_of(names,
                             [&](std::string_view name) { return code::names_instruction(opcode, name); });
}

/// What the places of a function's parameters are given.
using Given = std::vector<Origin>;

/// One function, given what its caller hands it.
class ComparisonReader {
 public:
  ComparisonReader(const code::PtxModule& module, std::string_view function, const Given& given) {
    bool inside = false;
    for (const Statement& statement : module.statements()) {
      if (statement.scope == 0) {
        const auto words = words_of(statement.text);
        inside = statement.end == '{' && std::ranges::find(words, function) != words.end();
      } else if (inside && !instruction_of(statement).opcode.empty()) {
        body_.push_back({instruction_of(statement).opcode, code::operands_of(statement)});
      }
    }
    for (std::size_t place = 0; place < given.size(); ++place)
      parameters_[fmt::format("{}_param_{}", function, place)] = given[place];
  }

  /// Of the comparisons, the sides that were not loaded.
  std::vector<Origin> run() {
    // A loop brings a register back to an earlier line: until nothing new is learnt.
    for (bool learnt = true; learnt;) {
      learnt = false;
      for (const Step& step : body_) learnt = follow(step) || learnt;
    }
    std::vector<Origin> found;
    for (const Step& step : body_) read(step, found);
    return found;
  }

  /// After run(): functions of the module that are called by name, and what they are given.
  [[nodiscard]] std::vector<std::pair<std::string_view, Given>> calls() const {
    std::vector<std::pair<std::string_view, Given>> all;
    for (const Step& step : body_) {
      if (!code::names_instruction(step.opcode, "call")) continue;
      std::string_view callee;
      for (const code::Operand& operand : step.operands) {
        const bool list = !operand.tokens.empty() && operand.tokens.front().is('(');
        const auto names = operand.names();
        if (!list && callee.empty() && names.size() == 1) {
          callee = names[0];
        } else if (list && !callee.empty()) {
          Given given;
          for (const std::string_view name : names) given.push_back(origin_of(name));
          all.emplace_back(callee, std::move(given));
        }
      }
    }
    return all;
  }

 private:
  struct Step {
    std::string_view opcode;
    std::vector<code::Operand> operands;
  };

  [[nodiscard]] Origin origin_of(const code::Operand& operand) const {
    Origin origin;
    const auto value = operand.tokens.empty() ? std::nullopt : code::real_of(operand.tokens.back());
    if (value) {
      if (std::isnan(*value)) return computed;  // equal to nothing, itself included: no set has room for it
      origin.numbers.insert(*value);
      return origin;
    }
    for (const std::string_view name : operand.names()) origin.add(origin_of(name));
    return origin;
  }
  [[nodiscard]] Origin origin_of(std::string_view name) const {
    const auto known = origins_.find(name);
    return known == origins_.end() ? Origin{} : known->second;
  }

  [[nodiscard]] Origin value_of(const Step& step) const {
    const auto& operands = step.operands;
    Origin origin;
    if (step.opcode.starts_with("ld.param")) {
      const auto names = operands[1].names();
      const auto given = names.size() == 1 ? parameters_.find(names[0]) : parameters_.end();
      return given == parameters_.end() ? computed : given->second;
    }
    if (code::names_instruction(step.opcode, "ld") || code::names_instruction(step.opcode, "ldu")) {
      // What the kernel has put into shared or local memory it may have computed.
      const auto spaces = code::modifiers_of(step.opcode);
      const auto in = [&](std::string_view space) {
        return std::ranges::find(spaces, space) != spaces.end();
      };
      if (in("shared") || in("shared::cta") || in("shared::cluster") || in("local")) return computed;
      origin.loaded = true;
      return origin;
    }
    const bool apart =
        code::names_instruction(step.opcode, "sub") || code::names_instruction(step.opcode, "add");
    const auto words = code::modifiers_of(step.opcode);
    if (apart && operands.size() == 3 && !words.empty() && is_floating_type(words.back())) {
      // 0 where one of the two is the other, or for a sum where it is the other with its sign changed.
      const Origin a = origin_of(operands[1]), b = origin_of(operands[2]);
      if (a.difference || b.difference || a.loaded == b.loaded) return computed;
      const Origin& loaded = a.loaded ? a : b;
      const Origin& given = a.loaded ? b : a;
      origin = code::names_instruction(step.opcode, "add") ? given.negated() : given;
      if (loaded.mirrored) origin = origin.of_both_signs();
      origin.rounded = a.rounded || b.rounded;
      origin.loaded = origin.difference = true;
      return origin;
    }
    if (!hands_on(step.opcode) && !(code::names_instruction(step.opcode, "cvt") && widens(step.opcode)))
      return computed;
    // What selp chooses by, or a shift is by, has no part in the number.
    const std::size_t last = code::names_instruction(step.opcode, "selp") ? 3 : operands.size();
    for (std::size_t i = 1; i < std::min(last, operands.size()); ++i) origin.add(origin_of(operands[i]));
    if (code::names_instruction(step.opcode, "neg")) return origin.negated();
    if (code::names_instruction(step.opcode, "abs")) return origin.of_both_signs();
    return origin;
  }

  bool follow(const Step& step) {
    const bool hands_over = step.opcode.starts_with("st.param");
    if (step.operands.size() < 2 || (step.operands[0].address && !hands_over)) return false;
    if (code::names_instruction(step.opcode, "setp")) return false;
    const Origin value = hands_over ? origin_of(step.operands[1]) : value_of(step);
    bool learnt = false;
    for (const std::string_view name : step.operands[0].names()) {
      Origin& known = origins_[name];
      const Origin before = known;
      known.add(value);
      learnt = learnt || !(known == before);
    }
    return learnt;
  }

  void read(const Step& step, std::vector<Origin>& found) const {
    const bool compares =
        code::names_instruction(step.opcode, "setp") || code::names_instruction(step.opcode, "set");
    const auto words = code::modifiers_of(step.opcode);
    if (!compares || words.empty() || !is_floating_type(words.back()) || step.operands.size() < 3) return;
    const Origin a = origin_of(step.operands[1]), b = origin_of(step.operands[2]);
    if (a.rounded || b.rounded) return;
    const auto is_zero = [](const Origin& side) {
      return !side.loaded && side.parameters.empty() && side.opposites.empty() &&
             side.numbers == std::set<double>{0};
    };
    if (a.difference || b.difference) {
      const Origin& difference = a.difference ? a : b;
      if (is_zero(a.difference ? b : a) && difference.loaded) found.push_back(difference);
      return;
    }
    if (a.loaded == b.loaded) return;
    const Origin& given = a.loaded ? b : a;
    found.push_back((a.loaded ? a : b).mirrored ? given.of_both_signs() : given);
  }

  std::vector<Step> body_;
  std::map<std::string, Origin, std::less<>> parameters_;
  std::map<std::string_view, Origin> origins_;
};

/// Of a function and those that it calls, not deeper than so many.
void add_of_function(const code::PtxModule& module, std::string_view function, const Given& given, int depth,
                     std::vector<Origin>& found) {
  ComparisonReader reader(module, function, given);
  for (Origin& side : reader.run()) found.push_back(std::move(side));
  if (depth == 0) return;
  for (const auto& [callee, handed] : reader.calls())
    add_of_function(module, callee, handed, depth - 1, found);
}

void add_of_entry(const code::PtxModule& module, const std::string& entry, const model::LaunchPlan& plan,
                  ExactComparisons& all) {
  constexpr std::size_t most_parameters = 256;
  constexpr int most_calls = 2;
  Given given(most_parameters);
  for (std::size_t place = 0; place < most_parameters; ++place) given[place].parameters.insert(place);
  std::vector<Origin> found;
  add_of_function(module, entry, given, most_calls, found);
  for (const Origin& side : found) {
    for (const double number : side.numbers) {
      if (number != 0 && std::isfinite(number)) all.numbers.insert(number);
    }
    const auto add = [&](const std::set<std::size_t>& places, std::set<std::size_t>& scalars) {
      for (const std::size_t place : places) {
        if (!plan.arguments) scalars.insert(place);
        if (plan.arguments && place < plan.arguments->size()) scalars.insert((*plan.arguments)[place]);
      }
    };
    add(side.parameters, all.scalars);
    add(side.opposites, all.opposites);
  }
}

}  // namespace

ExactComparisons exact_comparisons(const model::Artifact& artifact, const model::LaunchPlan& launch) {
  ExactComparisons all;
  const code::PtxModule module(artifact.ptx);
  const auto plans = model::kernels_of(launch);
  if (module.unreadable() || plans.size() != 1) return all;  // one loads what another has computed
  const model::LaunchPlan& plan = *plans.front();
  if (!plan.structs.empty() || plan.kernel > artifact.others.size()) return all;
  add_of_entry(module, plan.kernel == 0 ? artifact.entry : artifact.others[plan.kernel - 1].entry, plan, all);
  return all;
}

ExactComparisons in_both(const ExactComparisons& a, const ExactComparisons& b) {
  ExactComparisons both;
  std::ranges::set_intersection(a.scalars, b.scalars, std::inserter(both.scalars, both.scalars.end()));
  std::ranges::set_intersection(a.opposites, b.opposites,
                                std::inserter(both.opposites, both.opposites.end()));
  std::ranges::set_intersection(a.numbers, b.numbers, std::inserter(both.numbers, both.numbers.end()));
  return both;
}

ExactComparisons without(const ExactComparisons& a, const ExactComparisons& b) {
  ExactComparisons rest = a;
  std::erase_if(rest.scalars, [&](std::size_t scalar) { return b.scalars.contains(scalar); });
  std::erase_if(rest.opposites, [&](std::size_t scalar) { return b.opposites.contains(scalar); });
  std::erase_if(rest.numbers, [&](double number) { return b.numbers.contains(number); });
  return rest;
}

bool rounds_nothing(const model::Artifact& artifact) {
  const code::PtxModule module(artifact.ptx);
  if (module.unreadable()) return false;
  return std::ranges::none_of(module.statements(), [](const Statement& statement) {
    const std::string_view opcode = instruction_of(statement).opcode;
    const auto words = code::modifiers_of(opcode);
    const bool floats = std::ranges::any_of(words, is_floating_type);
    const bool compares = code::names_instruction(opcode, "setp") || code::names_instruction(opcode, "set");
    const bool moves = code::names_instruction(opcode, "ld") || code::names_instruction(opcode, "st") ||
                       code::names_instruction(opcode, "ldu") || opcode.starts_with("call");
    const bool converts = code::names_instruction(opcode, "cvt") && widens(opcode);
    return floats && !compares && !moves && !converts && !hands_on(opcode);
  });
}

}  // namespace evo::evaluators::gates
