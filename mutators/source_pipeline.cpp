// Operators that give the hardware more to do at once: loads of the next round, and sums without one long
// chain.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "mutators/source_loop_sites.hpp"
#include "mutators/source_operators.hpp"
#include "mutators/source_sites.hpp"
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

/// `name += ...;` as a statement of a body, `name` occurring nowhere else in the loop.
std::optional<std::string> sum_of(const EditedSource& source, const ForLoop& loop, std::size_t statement) {
  const source::Program& program = source.program;
  const source::Span span = program.nodes[statement].span;
  if (program.nodes[statement].kind != source::NodeKind::expression || span.end < span.begin + 4)
    return std::nullopt;
  const source::Token& name = program.tokens[span.begin];
  if (name.kind != source::TokenKind::name || !program.tokens[span.begin + 1].is("+=")) return std::nullopt;
  const source::Span all = program.nodes[loop.node].span;
  for (std::size_t i = all.begin; i < all.end; ++i) {
    if (i != span.begin && program.tokens[i].is(name.text)) return std::nullopt;
  }
  if (source::declaration_seen(program, loop.node, name.text) == source::none) return std::nullopt;
  return name.text;
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
    if (body.kind != source::NodeKind::block) continue;
    const std::string& counter = *loop.declared.begin();
    const auto changed = changed_in(source, body.span);
    if (changed.contains(counter)) continue;
    for (const std::size_t statement : loop.statements) {
      const source::Node& it = program.nodes[statement];
      // A round that is left before it would not load for the next one.
      if (jumps(source, {body.span.begin, it.span.begin})) break;
      const auto value = it.clean ? one_value(program, statement) : std::nullopt;
      if (!value || !only_loads(program, value->value)) continue;
      const auto names = source::names_in(program, value->value);
      if (!names.contains(counter) || any_of_names(changed, names)) continue;
      const bool outside = std::ranges::all_of(names, [&](const std::string& name) {
        const std::size_t declared = source::declaration_seen(program, statement, name);
        return declared == loop.node || declared == source::declaration_seen(program, loop.node, name);
      });
      if (!outside || names.contains(value->name)) continue;
      const std::string ahead = "evo_ahead_" + value->name, condition = program.flat(loop.condition),
                        load = program.flat(value->value);
      Change both = one_edit(name(), source::anchor_of(program, loop.node),
                             fmt::format("before {} {}{{}}; {{ {}; if ({}) {} = {}; }}", value->type, ahead,
                                         program.flat(loop.init), condition, ahead, load));
      both.push_back(
          {std::string(name()), source::anchor_of(program, statement),
           fmt::format("replace {0} {1} = {2}; {{ const auto evo_now = {3}; {{ auto {3} = evo_now; {4}; "
                       "if ({5}) {2} = {6}; }} }}",
                       value->type, value->name, ahead, counter, program.flat(loop.step), condition, load)});
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
    std::set<std::string> sums;
    for (const std::size_t statement : loop.statements) {
      if (auto sum = sum_of(source, loop, statement)) sums.insert(std::move(*sum));
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
        for (const std::string& sum : sums) {
          text += fmt::format("decltype({0}) evo_{0}_{1} = 0; ", sum, part);
          end += fmt::format("{0} += evo_{0}_{1}; ", sum, part);
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
