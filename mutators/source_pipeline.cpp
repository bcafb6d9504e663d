// Operators that give the hardware more to do at once: loads of the next round, and sums without one long
// chain.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "mutators/source_loop_sites.hpp"
#include "mutators/source_operators.hpp"
#include "mutators/source_sites.hpp"
#include "mutators/source_types.hpp"
#include "source/scope.hpp"

namespace evo::mutators {
namespace {

/// `const T name = value;` with one name.
struct OneValue {
  std::string type, name;
  source::Span value;
};

std::optional<OneValue> one_value(const source::Program& program, std::size_t node) {
  const source::Node& it = program.nodes[node];
  if (it.kind != source::NodeKind::declaration) return std::nullopt;
  const auto declared = source::declared_by(program, node);
  if (declared.size() != 1) return std::nullopt;
  OneValue result{{}, *declared.begin(), {}};
  std::size_t at = it.span.begin;
  for (; at < it.span.end && !program.tokens[at].is(result.name); ++at) {
    const std::string& word = program.tokens[at].text;
    for (const char* other : {"auto", "&", "static", "__shared__", "constexpr", "volatile"}) {
      if (word == other) return std::nullopt;
    }
    if (word != "const") result.type += (result.type.empty() ? "" : " ") + word;
  }
  if (at + 2 >= it.span.end || !program.tokens[at + 1].is("=") || result.type.empty()) return std::nullopt;
  result.value = {at + 2, it.span.end - 1};
  return result;
}

/// `place = value;` or `place += value;` and the like: what is assigned, of the type of the place.
std::optional<OneValue> assigned_value(const EditedSource& source, std::size_t node) {
  const source::Program& program = source.program;
  const source::Node& it = program.nodes[node];
  if (it.kind != source::NodeKind::expression || program.first(it).kind != source::TokenKind::name)
    return std::nullopt;
  std::size_t at = it.span.begin + 1;
  while (at < it.span.end && program.tokens[at].is("[")) at = source::closing(program.tokens, at) + 1;
  if (at + 2 >= it.span.end) return std::nullopt;
  static constexpr std::array<std::string_view, 4> signs{"=", "+=", "-=", "*="};
  if (std::ranges::find(signs, program.tokens[at].text) == signs.end()) return std::nullopt;
  // A name of its own for each place: two loops of a block may both be edited.
  const std::string anchor = source::anchor_of(program, node);
  const std::size_t slash = anchor.find('/');
  std::string place = anchor.substr(slash + 1, anchor.rfind('#') - slash - 1);
  std::ranges::replace(place, '.', '_');
  OneValue result{
      element_type(source, node, program.first(it).text), "value_" + place, {at + 1, it.span.end - 1}};
  if (bytes_of(result.type) == 0) return std::nullopt;
  return result;
}

/// Reads memory and changes nothing.
bool only_loads(const source::Program& program, source::Span span) {
  bool loads = false;
  for (std::size_t i = span.begin; i < span.end; ++i) {
    const source::Token& token = program.tokens[i];
    if (token.is("[")) loads = true;
    if (token.is("++") || token.is("--") || token.is("{") || token.text.starts_with("atomic")) return false;
    if (token.text.ends_with("=") && !token.is("==") && !token.is("<=") && !token.is(">=") && !token.is("!="))
      return false;
  }
  return loads;
}

/// A value that rounds gather: what a part begins with, and what puts a part to the whole.
struct Gathered {
  std::string name, begin, joined;
};

/// `name += ...`, `name *= ...`, `name = fmaxf(name, ...)`, `name = fmaf(..., name)` as a statement of a
/// body, `name` occurring nowhere else in the loop.
std::optional<Gathered> gathered_by(const EditedSource& source, const ForLoop& loop, std::size_t statement) {
  const source::Program& program = source.program;
  const auto& tokens = program.tokens;
  const source::Span span = program.nodes[statement].span;
  if (program.nodes[statement].kind != source::NodeKind::expression || span.end < span.begin + 4)
    return std::nullopt;
  const std::string name = tokens[span.begin].text;
  if (tokens[span.begin].kind != source::TokenKind::name) return std::nullopt;
  Gathered result{name, "0", fmt::format("{0} += {{}}; ", name)};
  std::size_t uses = 1;
  if (tokens[span.begin + 1].is("*=")) {
    result.begin = "1", result.joined = fmt::format("{0} *= {{}}; ", name);
  } else if (tokens[span.begin + 1].is("=")) {
    // The call is all that is assigned, and the name is an argument of its own.
    const std::string& call = tokens[span.begin + 2].text;
    if (!tokens[span.begin + 3].is("(") || source::closing(tokens, span.begin + 3) + 2 != span.end)
      return std::nullopt;
    const bool first = tokens[span.begin + 4].is(name) && tokens[span.begin + 5].is(",");
    const bool last = tokens[span.end - 3].is(name) && tokens[span.end - 4].is(",");
    static constexpr std::array<std::string_view, 6> extremes{"fmaxf", "fminf", "max", "min", "fmax", "fmin"};
    if (std::ranges::find(extremes, call) != extremes.end() && (first || last)) {
      // Of extremes a value may be counted twice.
      result.begin = name, result.joined = fmt::format("{0} = {1}({0}, {{}}); ", name, call);
    } else if ((call != "fmaf" && call != "__fmaf_rn") || !last) {
      return std::nullopt;
    }
    uses = 2;
  } else if (!tokens[span.begin + 1].is("+=")) {
    return std::nullopt;
  }
  const source::Span all = program.nodes[loop.node].span;
  std::size_t found = 0;
  for (std::size_t i = all.begin; i < all.end; ++i) found += tokens[i].is(name) ? 1 : 0;
  if (found != uses || source::declaration_seen(program, loop.node, name) == source::none)
    return std::nullopt;
  return result;
}

}  // namespace

// v stands for what the round before has loaded; the counter of the next round is a copy under the same name,
// so that the loop's own condition and step are used as they are written.
std::vector<Change> LoadAhead::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const ForLoop& loop : for_loops(source)) {
    if (!in_block(source, loop.node) || loop.declared.size() != 1) continue;
    const source::Node& body = program.nodes[loop.body];
    const std::string& counter = *loop.declared.begin();
    const auto changed = changed_in(source, body.span);
    if (changed.contains(counter)) continue;
    for (const std::size_t statement : loop.statements) {
      const source::Node& it = program.nodes[statement];
      // A round that is left before it would not load for the next one.
      if (jumps(source, {body.span.begin, it.span.begin})) break;
      if (!it.clean) continue;
      const auto declared =
          body.kind == source::NodeKind::block ? one_value(program, statement) : std::nullopt;
      const auto value = declared ? declared : assigned_value(source, statement);
      if (!value || !only_loads(program, value->value)) continue;
      const auto names = source::names_in(program, value->value);
      if (!names.contains(counter) || any_of_names(changed, names)) continue;
      const bool outside = std::ranges::all_of(names, [&](const std::string& name) {
        const std::size_t seen = source::declaration_seen(program, statement, name);
        return seen == loop.node || seen == source::declaration_seen(program, loop.node, name);
      });
      if (!outside || names.contains(value->name)) continue;
      const std::string ahead = "evo_ahead_" + value->name, condition = program.flat(loop.condition),
                        load = program.flat(value->value);
      Change both = one_edit(name(), source::anchor_of(program, loop.node),
                             fmt::format("before {} {}{{}}; {{ {}; if ({}) {} = {}; }}", value->type, ahead,
                                         program.flat(loop.init), condition, ahead, load));
      const std::string next =
          fmt::format("{{ const auto evo_now = {0}; {{ auto {0} = evo_now; {1}; if ({2}) {3} = {4}; }} }}",
                      counter, program.flat(loop.step), condition, ahead, load);
      const std::string now =
          declared ? fmt::format("{} {} = {}; {}", value->type, value->name, ahead, next)
                   : fmt::format("{{ const {0} evo_{1} = {2}; {3} {4} evo_{1}; }}", value->type, value->name,
                                 ahead, next, program.flat({it.span.begin, value->value.begin}));
      both.push_back({std::string(name()), source::anchor_of(program, statement), "replace " + now});
      result.push_back(std::move(both));
    }
  }
  return result;
}

std::vector<Change> SumSplit::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const ForLoop& loop : for_loops(source)) {
    const source::Node& it = program.nodes[loop.node];
    if (loop.declared.empty() || jumps(source, it.span)) continue;
    std::map<std::string, Gathered> sums;
    for (const std::size_t statement : loop.statements) {
      if (auto sum = gathered_by(source, loop, statement)) sums.emplace(sum->name, *sum);
    }
    if (sums.empty()) continue;
    const auto body_of_part = [&](int part) {
      std::string text;
      const source::Span span = program.nodes[loop.body].span;
      for (std::size_t i = span.begin; i < span.end; ++i) {
        const source::Token& token = program.tokens[i];
        if (i > span.begin && token.begin > program.tokens[i - 1].end()) text += ' ';
        text +=
            part > 0 && sums.contains(token.text) ? fmt::format("evo_{}_{}", token.text, part) : token.text;
      }
      return text;
    };
    const std::string condition = program.flat(loop.condition), step = program.flat(loop.step);
    for (const int parts : {2, 4}) {
      std::string text = "replace { ", end;
      std::string body = "{ " + body_of_part(0) + " }";
      for (int part = 1; part < parts; ++part) {
        for (const auto& [sum, how] : sums) {
          const std::string own = fmt::format("evo_{}_{}", sum, part);
          text += fmt::format("decltype({}) {} = {}; ", sum, own, how.begin);
          end += fmt::format(fmt::runtime(how.joined), own);
        }
        body += fmt::format(" {}; if (!({})) break; {{ {} }}", step, condition, body_of_part(part));
      }
      text +=
          fmt::format("for ({}; {}; {}) {{ {} }} {}}}", program.flat(loop.init), condition, step, body, end);
      result.push_back(one_edit(name(), source::anchor_of(program, loop.node), std::move(text)));
    }
  }
  return result;
}

}  // namespace evo::mutators
