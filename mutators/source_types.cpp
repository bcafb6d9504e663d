#include "mutators/source_types.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "mutators/source_pointers.hpp"
#include "source/scope.hpp"

namespace evo::mutators {

bool counts_along(const source::Program& program, source::Span index, const std::string& counter) {
  int uses = 0, depth = 0;
  bool summand = false;
  for (std::size_t i = index.begin; i < index.end; ++i) {
    const source::Token& token = program.tokens[i];
    if (token.is("(") || token.is("[")) ++depth;
    if (token.is(")") || token.is("]")) --depth;
    if (!token.is(counter)) {
      if (depth == 0 && (token.is("?") || token.is("<<") || token.is(">>") || token.is("^") || token.is("&")))
        return false;
      continue;
    }
    ++uses;
    const bool begins = i == index.begin || program.tokens[i - 1].is("+");
    const bool ends = i + 1 == index.end || program.tokens[i + 1].is("+") || program.tokens[i + 1].is("-");
    summand = depth == 0 && begins && ends;
  }
  return uses == 1 && summand;
}

int bytes_of(const std::string& words) {
  static constexpr std::array<std::pair<std::string_view, int>, 13> sizes{{{"float", 4},
                                                                           {"int", 4},
                                                                           {"unsigned", 4},
                                                                           {"unsigned int", 4},
                                                                           {"uint32_t", 4},
                                                                           {"int32_t", 4},
                                                                           {"__half", 2},
                                                                           {"half", 2},
                                                                           {"__nv_bfloat16", 2},
                                                                           {"double", 8},
                                                                           {"float2", 8},
                                                                           {"char", 1},
                                                                           {"unsigned char", 1}}};
  for (const auto& [name, size] : sizes) {
    if (words == name) return size;
  }
  return 0;
}

std::string element_type(const EditedSource& source, std::size_t node, const std::string& name) {
  const source::Program& program = source.program;
  const std::size_t declared = source::declaration_seen(program, node, name);
  if (declared == source::none) {
    for (const Pointer& pointer : pointers_of(source, program.functions[program.nodes[node].function])) {
      if (pointer.name == name) return pointer.element;
    }
    return {};
  }
  std::string words;
  const source::Span span = program.nodes[declared].span;
  for (std::size_t i = span.begin; i < span.end && program.tokens[i].kind == source::TokenKind::name; ++i) {
    const std::string& word = program.tokens[i].text;
    if (word == name) break;
    // The first of several that are declared: float a[4], b[4];
    const source::Token& next = program.tokens[i + 1];
    if (next.kind != source::TokenKind::name && !next.is("*") && !next.is("&")) break;
    if (word == "const" || word == "__shared__" || word == "extern" || word == "static") continue;
    words += (words.empty() ? "" : " ") + word;
  }
  return words;
}

namespace {

Floating floating_word(std::string_view word) {
  for (const char* type : {"double", "double2"}) {
    if (word == type) return Floating::double_precision;
  }
  for (const char* type :
       {"float", "float2",        "float3", "float4", "__half", "half",         "__half2",
        "half2", "__nv_bfloat16", "rsqrtf", "sqrtf",  "expf",   "__expf",       "exp2f",
        "logf",  "powf",          "fmaxf",  "fminf",  "fabsf",  "__half2float", "__bfloat162float"}) {
    if (word == type) return Floating::single_precision;
  }
  return Floating::no;
}

Floating floating_number(std::string_view digits) {
  if (digits.starts_with("0x") || digits.find_first_of(".eEfF") == std::string_view::npos)
    return Floating::no;
  return digits.find_first_of("fFhH") == std::string_view::npos ? Floating::double_precision
                                                                : Floating::single_precision;
}

/// The words that a declaration has in front of `name`; of a parameter too.
Floating declared_floating(const EditedSource& source, std::size_t node, const std::string& name) {
  const source::Program& program = source.program;
  const std::size_t declared = source::declaration_seen(program, node, name);
  const auto of = [&](source::Span span) {
    Floating found = Floating::no;
    for (std::size_t i = span.begin; i < span.end && !program.tokens[i].is("="); ++i)
      found = std::max(found, floating_word(program.tokens[i].text));
    return found;
  };
  if (declared != source::none) {
    const source::Node& it = program.nodes[declared];
    return of(it.head.end > it.head.begin ? it.head : it.span);
  }
  for (const source::Span parameter :
       parameters_of(source, program.functions[program.nodes[node].function])) {
    if (parameter.end > parameter.begin && program.tokens[parameter.end - 1].is(name)) return of(parameter);
  }
  return Floating::no;
}

}  // namespace

Floating floating(const EditedSource& source, std::size_t node, source::Span span) {
  Floating found = Floating::no;
  for (std::size_t i = span.begin; i < span.end; ++i) {
    const source::Token& token = source.program.tokens[i];
    if (token.kind == source::TokenKind::number) found = std::max(found, floating_number(token.text));
    if (token.kind != source::TokenKind::name) continue;
    const bool member =
        i > 0 && (source.program.tokens[i - 1].is(".") || source.program.tokens[i - 1].is("->"));
    found = std::max(found, floating_word(token.text));
    if (!member) found = std::max(found, declared_floating(source, node, token.text));
  }
  return found;
}

}  // namespace evo::mutators
