// Operators on loops, loads, parameters and expressions.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "mutators/source_operators.hpp"
#include "mutators/source_pointers.hpp"
#include "mutators/source_sites.hpp"
#include "mutators/source_types.hpp"

namespace evo::mutators {
namespace {

using source::anchor_of;
using source::NodeKind;
using source::Span;

bool is_simple(const EditedSource& source, std::size_t node) {
  const NodeKind kind = source.program.nodes[node].kind;
  return kind == NodeKind::expression || kind == NodeKind::declaration;
}

/// A load of the read-only path with a priority in the caches, which has no function of its own; nullopt for
/// an element that asm() has no register for.
std::optional<std::string> load_with(std::string_view element, std::string_view priority,
                                     std::string_view load) {
  struct Register {
    std::string_view element, type, constraint;
  };
  static constexpr std::array<Register, 5> registers{{{"float", "f32", "f"},
                                                      {"int", "s32", "r"},
                                                      {"unsigned", "u32", "r"},
                                                      {"unsigned int", "u32", "r"},
                                                      {"double", "f64", "d"}}};
  for (const Register& one : registers) {
    if (one.element != element) continue;
    return fmt::format(
        "[&] {{ {} evo_loaded; asm(\"ld.global.nc.{}.{} %0, [%1];\" : \"={}\"(evo_loaded) : \"l\"(&{})); "
        "return evo_loaded; }}()",
        element, priority, one.type, one.constraint, load);
  }
  return std::nullopt;
}

}  // namespace

std::vector<Change> LoopUnroll::changes(const EditedSource& source) const {
  std::vector<Change> result;
  for (const std::size_t node : nodes_of(source)) {
    const source::Node& it = source.program.nodes[node];
    if (it.kind != NodeKind::loop || !source.program.first(it).is("for")) continue;
    for (const char* word : {"unroll 1", "unroll 2", "unroll 4", "unroll 8", "unroll"})
      result.push_back(one_edit(name(), anchor_of(source.program, node), std::string("pragma ") + word));
  }
  return result;
}

std::vector<Change> LoadHint::changes(const EditedSource& source) const {
  std::vector<Change> result;
  const auto& tokens = source.program.tokens;
  for (std::size_t f = 0; f < source.program.functions.size(); ++f) {
    const source::Function& function = source.program.functions[f];
    if (!source.reached[f] || !function.kernel) continue;
    const std::vector<Pointer> pointers = global_pointers_of(source, f);
    for (const std::size_t node : nodes_of(source)) {
      const source::Node& it = source.program.nodes[node];
      if (it.function != f || !is_simple(source, node)) continue;
      for (std::size_t i = it.span.begin; i + 1 < it.span.end; ++i) {
        if (!tokens[i + 1].is("[")) continue;
        const Pointer* known = pointer_named(source, pointers, node, tokens[i].text);
        if (known == nullptr || !known->constant) continue;
        const std::size_t close = source::closing(tokens, i + 1);
        if (close >= it.span.end || is_target(source, it.span, i, close + 1)) continue;
        const std::string load = source.program.flat({i, close + 1});
        const auto with = [&](const std::string& hinted) {
          const std::string text = source.program.flat({it.span.begin, i}) + " " + hinted +
                                   source.program.flat({close + 1, it.span.end});
          result.push_back(one_edit(name(), anchor_of(source.program, node), "replace " + text));
        };
        for (const char* hint : {"__ldg", "__ldcg", "__ldcs"}) {
          // The compiler takes the read-only path by itself there.
          if (known->restricted && std::string_view(hint) == "__ldg") continue;
          with(fmt::format("{}(&{})", hint, load));
        }
        for (const char* priority : {"L1::no_allocate", "L1::evict_last", "L2::128B"}) {
          if (const auto call = load_with(known->element, priority, load)) with(*call);
        }
      }
    }
  }
  return result;
}

std::vector<Change> Restrict::changes(const EditedSource& source) const {
  std::vector<Change> result;
  for (std::size_t f = 0; f < source.program.functions.size(); ++f) {
    const source::Function& function = source.program.functions[f];
    if (!source.reached[f] || !function.kernel) continue;
    std::vector<std::size_t> stars;
    for (const Span parameter : parameters_of(source, function)) {
      const auto pointer = pointer_of(source, parameter);
      if (pointer && !pointer->restricted) stars.push_back(pointer->star);
    }
    const auto with = [&](const std::vector<std::size_t>& chosen) {
      std::string text;
      for (std::size_t i = function.head.begin; i < function.head.end; ++i) {
        text += source.program.tokens[i].text + " ";
        if (std::ranges::find(chosen, i) != chosen.end()) text += "__restrict__ ";
      }
      result.push_back(one_edit(name(), anchor_of(source.program, function), "head " + text));
    };
    if (!stars.empty()) with(stars);
    if (stars.size() < 2) continue;
    for (const std::size_t star : stars) with({star});
  }
  return result;
}

std::vector<Change> LaunchBounds::changes(const EditedSource& source) const {
  std::vector<Change> result;
  for (std::size_t f = 0; f < source.program.functions.size(); ++f) {
    const source::Function& function = source.program.functions[f];
    if (!source.reached[f] || !function.kernel) continue;
    const int threads = source.threads > 0 ? source.threads : 1024;
    for (const int blocks : {0, 1, 2, 3, 4, 6, 8}) {
      if (blocks * threads > 2048) continue;
      const std::string bounds = blocks == 0 ? fmt::format("__launch_bounds__({})", threads)
                                             : fmt::format("__launch_bounds__({}, {})", threads, blocks);
      result.push_back(one_edit(name(), anchor_of(source.program, function), "bounds " + bounds));
    }
  }
  return result;
}

std::vector<Change> FastMath::changes(const EditedSource& source) const {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> functions{
      {{"expf", "__expf"},
       {"exp", "__expf"},
       {"exp2f", "__exp2f"},
       {"exp10f", "__exp10f"},
       {"logf", "__logf"},
       {"log", "__logf"},
       {"log2f", "__log2f"},
       {"log10f", "__log10f"},
       {"sinf", "__sinf"},
       {"cosf", "__cosf"},
       {"tanf", "__tanf"},
       {"tanhf", "__tanhf"},
       {"sincosf", "__sincosf"},
       {"powf", "__powf"}}};
  std::vector<Change> result;
  const auto& tokens = source.program.tokens;
  for (const std::size_t node : nodes_of(source)) {
    const source::Node& it = source.program.nodes[node];
    if (!is_simple(source, node)) continue;
    for (std::size_t i = it.span.begin; i + 1 < it.span.end; ++i) {
      if (!tokens[i + 1].is("(") || (i > it.span.begin && (tokens[i - 1].is(".") || tokens[i - 1].is("::"))))
        continue;
      for (const auto& [slow, fast] : functions) {
        // There is no __exp2f: the function itself is one instruction.
        if (!tokens[i].is(slow) || slow == "exp2f") continue;
        result.push_back(one_edit(name(), anchor_of(source.program, node),
                                  "replace " + with_token(source, it.span, i, fast)));
      }
      // 1 / sqrtf(x): the product that follows a root takes its inverse.
      const bool root = tokens[i].is("sqrtf") || tokens[i].is("sqrt");
      if (!root || i < it.span.begin + 2 || !tokens[i - 1].is("/") ||
          floating(source, node, it.span) != Floating::single_precision)
        continue;
      const std::size_t close = source::closing(tokens, i + 1);
      // Of a division by sqrtf(x)[0] or sqrtf(x).y there is no such thing.
      if (close + 1 >= it.span.end) continue;
      const std::string& over = tokens[i - 2].text;
      const bool one = over == "1" || over == "1.0f" || over == "1.f" || over == "1.0F" || over == "1.F";
      // a * 1 / sqrtf(x) has another 1.
      const bool alone =
          one && i >= it.span.begin + 3 &&
          (tokens[i - 3].is("=") || tokens[i - 3].is("(") || tokens[i - 3].is("return") ||
           tokens[i - 3].is(",") || tokens[i - 3].is("+") || tokens[i - 3].is("*") || tokens[i - 3].is("*="));
      const std::string front = source.program.flat({it.span.begin, alone ? i - 2 : i - 1});
      result.push_back(one_edit(name(), anchor_of(source.program, node),
                                "replace " + front + (alone ? " rsqrtf" : " * rsqrtf") +
                                    source.program.flat({i + 1, it.span.end})));
    }
  }
  return result;
}

std::vector<Change> ConstantStep::changes(const EditedSource& source) const {
  std::vector<Change> result;
  const auto& tokens = source.program.tokens;
  for (const std::size_t node : nodes_of(source)) {
    const source::Node& it = source.program.nodes[node];
    if (it.kind != NodeKind::declaration || it.span.end - it.span.begin < 5) continue;
    const bool constant = tokens[it.span.begin].is("const") || tokens[it.span.begin].is("constexpr") ||
                          tokens[it.span.begin + 1].is("const") || tokens[it.span.begin + 1].is("constexpr");
    const std::size_t number = it.span.end - 2;
    if (!constant || tokens[number].kind != source::TokenKind::number || !tokens[number - 1].is("="))
      continue;
    long value = 0;
    const std::string& digits = tokens[number].text;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code != std::errc() || end != digits.data() + digits.size() || value < 1 || value > 1 << 20) continue;
    for (const long next : {value * 2, value / 2}) {
      if (next == 0) continue;
      result.push_back(one_edit(name(), anchor_of(source.program, node),
                                "replace " + with_token(source, it.span, number, std::to_string(next))));
    }
  }
  return result;
}

}  // namespace evo::mutators
