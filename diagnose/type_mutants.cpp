// Changes of how wide a value is, and of what it begins with.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "diagnose/mutant_parts.hpp"

namespace evo::diagnose {
namespace {

/// A number of 32 bits that stands where one of 16 did: the conversions keep it as it is. Put behind the last
/// #include, so that it is known everywhere.
constexpr std::string_view wide_half = R"(
struct EvoWide {
  float value;
  __device__ EvoWide() {}
  __device__ EvoWide(float x) : value(x) {}
  __device__ explicit operator float() const { return value; }
  __device__ operator __half() const { return __float2half(value); }
};
__device__ inline EvoWide evo_wide(float x) { return EvoWide(x); }
__device__ inline float evo_narrow(EvoWide x) { return x.value; }
__device__ inline float evo_narrow(__half x) { return __half2float(x); }
#define __float2half(x) evo_wide(x)
#define __float2half_rn(x) evo_wide(x)
__device__ inline float evo_narrow(float x) { return x; }
#define __half2float(x) evo_narrow(x)
#define __hadd(a, b) evo_wide(evo_narrow(a) + evo_narrow(b))
#define __hsub(a, b) evo_wide(evo_narrow(a) - evo_narrow(b))
#define __hmul(a, b) evo_wide(evo_narrow(a) * evo_narrow(b))
#define __hfma(a, b, c) evo_wide(evo_narrow(a) * evo_narrow(b) + evo_narrow(c))
#define __hmax(a, b) evo_wide(fmaxf(evo_narrow(a), evo_narrow(b)))
__device__ inline EvoWide operator+(EvoWide a, EvoWide b) { return EvoWide(a.value + b.value); }
__device__ inline EvoWide operator*(EvoWide a, EvoWide b) { return EvoWide(a.value * b.value); }
__device__ inline EvoWide& operator+=(EvoWide& a, EvoWide b) { return a.value += b.value, a; }
__device__ inline EvoWide& operator*=(EvoWide& a, EvoWide b) { return a.value *= b.value, a; }
)";

void types(MutantList& list) {
  const auto& tokens = list.tokens();
  std::size_t behind = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is("include") || !tokens[i].directive) continue;
    const int line = tokens[i].line;
    while (i + 1 < tokens.size() && tokens[i + 1].line == line) ++i;
    behind = i;
  }
  for (const Variable& variable : list.variables()) {
    if (variable.statement == std::string::npos || variable.token == 0) continue;
    if (variable.type == "half") {
      for (std::size_t t = variable.token; t-- > 0;) {
        if (!tokens[t].is("half") && !tokens[t].is("__half")) continue;
        list.add("type", tokens[variable.token].line,
                 {list.insert_after(behind, std::string(wide_half)), list.replace({t, t + 1}, "EvoWide")},
                 fmt::format("with `{}` in 32 bits", variable.name), variable.name);
        break;
      }
    }
  }
  // A value that is rounded to 16 bits and back, where it stands.
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (!tokens[i].is("__half2float") || !tokens[i + 2].text.starts_with("__float2half") ||
        !tokens[i + 3].is("("))
      continue;
    const std::size_t close = closing(tokens, i + 3);
    if (close >= tokens.size()) continue;
    list.add("type", tokens[i].line, {list.replace({i, i + 1}, ""), list.replace({i + 2, i + 3}, "")},
             "without the rounding to 16 bits");
  }
}

/// The function whose parameters begin at `head` is launched: __global__ stands before it, behind no other
/// body.
bool is_kernel(const std::vector<Token>& tokens, std::size_t head) {
  for (std::size_t i = head; i-- > 0;) {
    if (tokens[i].is("__global__")) return true;
    if (one_of(tokens[i], {";", "}", "{"})) return false;
  }
  return false;
}

/// 64 bits in place of 32: the variable, and what goes into it.
void widths(MutantList& list) {
  const auto& tokens = list.tokens();
  const auto casts_of = [&](Span span, std::vector<MutantList::Change>& changes) {
    for (std::size_t i = span.begin; i < span.end; ++i) {
      const bool cast = i + 2 < span.end && tokens[i].is("(") && tokens[i + 2].is(")") &&
                        is_integer_type(list.text(), tokens[i + 1].text);
      const bool named =
          i + 3 < span.end && tokens[i].is("static_cast") && is_integer_type(list.text(), tokens[i + 2].text);
      if (cast) changes.push_back(list.replace({i + 1, i + 2}, "long long"));
      if (named) {
        std::size_t end = i + 2;
        while (end < span.end && !tokens[end].is(">")) ++end;
        changes.push_back(list.replace({i + 2, end}, "long long"));
      }
    }
  };
  // What a function takes in 32 bits. The kernels' own parameters are as the problem has them.
  for (const Variable& variable : list.variables()) {
    const Span head = list.text().functions[variable.function].head;
    if (variable.statement != std::string::npos || !is_integer_type(list.text(), variable.type) ||
        variable.type.find("long") != std::string::npos || variable.array || variable.token <= head.begin ||
        is_kernel(tokens, head.begin))
      continue;
    std::size_t first = variable.token;
    while (first > head.begin && tokens[first - 1].kind == TokenKind::name && !tokens[first - 1].is("const"))
      --first;
    if (first == variable.token) continue;
    list.add("width", tokens[variable.token].line, {list.replace({first, variable.token}, "long long")},
             fmt::format("with the parameter `{}` in 64 bits", variable.name), variable.name);
  }
  for (const Statement& statement : list.text().statements) {
    const Span span = statement.span;
    const Variable* declared = nullptr;
    for (const Variable& variable : list.variables()) {
      if (variable.token >= span.begin && variable.token < span.end && variable.initialised &&
          is_integer_type(list.text(), variable.type) && !variable.array)
        declared = declared == nullptr ? &variable : declared;
    }
    if (declared != nullptr && declared->type != "long long") {
      std::vector<MutantList::Change> changes;
      std::size_t first = declared->token;
      while (first > span.begin && (tokens[first - 1].kind == TokenKind::name) &&
             !tokens[first - 1].is("const") && !tokens[first - 1].is("constexpr") &&
             !tokens[first - 1].is("for"))
        --first;
      if (first < declared->token) {
        changes.push_back(list.replace({first, declared->token}, "long long"));
        if (declared->token + 2 < span.end && tokens[declared->token + 1].is("=")) {
          std::vector<MutantList::Change> casts;
          casts_of({declared->token + 2, span.end}, casts);
          if (casts.empty() || casts.front().begin > tokens[declared->token + 2].end() + 1)
            changes.push_back(list.insert_after(declared->token + 1, " (long long)"));
          changes.insert(changes.end(), casts.begin(), casts.end());
        }
        list.add("width", tokens[declared->token].line, changes,
                 fmt::format("with `{}` in 64 bits", declared->name), declared->name);
      }
    }
    for (std::size_t i = span.begin; i + 1 < span.end; ++i) {
      if (!tokens[i].is("[")) continue;
      const std::size_t close = closing(tokens, i);
      if (close >= span.end) continue;
      const bool product = std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(i),
                                       tokens.begin() + static_cast<std::ptrdiff_t>(close),
                                       [](const Token& token) { return token.is("*"); });
      if (product)
        list.add("width", tokens[i].line, {list.insert_after(i, "(long long)")},
                 fmt::format("with `{}` in 64 bits", list.words({i + 1, close})));
    }
    std::vector<MutantList::Change> casts;
    casts_of(span, casts);
    if (!casts.empty()) list.add("width", tokens[span.begin].line, casts, "with casts to 64 bits");
  }
}

void initialisers(MutantList& list) {
  const auto& tokens = list.tokens();
  for (const Variable& variable : list.variables()) {
    if (variable.statement == std::string::npos || variable.initialised || variable.shared) continue;
    const Statement& statement = list.text().statements[variable.statement];
    if (statement.kind != StatementKind::plain) continue;
    std::size_t at = variable.token;
    while (at + 1 < statement.span.end && tokens[at + 1].is("[")) at = closing(tokens, at + 1);
    if (at >= statement.span.end) continue;
    list.add("initialiser", tokens[variable.token].line, {list.insert_after(at, " = {}")},
             fmt::format("with `{}` initialised with zeros", variable.name), variable.name);
  }
}

/// A sum that begins anew in each turn of a loop: with what it is declared with, at the loop's beginning.
void resets(MutantList& list) {
  const auto& tokens = list.tokens();
  const auto& statements = list.text().statements;
  for (const Variable& variable : list.variables()) {
    if (variable.statement == std::string::npos || !variable.initialised || variable.array || variable.shared)
      continue;
    const Statement& declaring = statements[variable.statement];
    if (declaring.kind != StatementKind::plain || variable.token + 2 >= declaring.span.end ||
        !tokens[variable.token + 1].is("="))
      continue;
    std::size_t end = variable.token + 2;
    for (int depth = 0; end < declaring.span.end; ++end) {
      if (one_of(tokens[end], {"(", "[", "{"})) ++depth;
      if (one_of(tokens[end], {")", "]", "}"})) --depth;
      if (depth == 0 && tokens[end].is(",")) break;
    }
    const std::string value = list.words({variable.token + 2, end});
    for (const Statement& loop : statements) {
      const std::size_t open = loop.span.end;
      if (loop.kind != StatementKind::header || loop.function != variable.function ||
          !one_of(tokens[loop.span.begin], {"for", "while"}) || loop.span.begin < declaring.span.end ||
          open >= tokens.size() || !tokens[open].is("{"))
        continue;
      const std::size_t close = closing(tokens, open);
      const bool carried = std::any_of(statements.begin(), statements.end(), [&](const Statement& inner) {
        if (inner.span.begin < open || inner.span.end > close) return false;
        const Flow flow = flow_of(list.text(), inner);
        return flow.compound && flow.assigned.contains(variable.name);
      });
      if (!carried) continue;
      list.add("reset", tokens[variable.token].line,
               {list.insert_after(open, fmt::format(" {} = {};", variable.name, value))},
               fmt::format("with `{} = {}` in each turn of the loop at line {}", variable.name, value,
                           tokens[loop.span.begin].line),
               variable.name);
    }
  }
}

}  // namespace

MutantMaker type_mutants(const std::string& kind) {
  static const std::map<std::string, MutantMaker, std::less<>> makers{
      {"type", types}, {"width", widths}, {"initialiser", initialisers}, {"reset", resets}};
  const auto found = makers.find(kind);
  return found == makers.end() ? MutantMaker() : found->second;
}

}  // namespace evo::diagnose
