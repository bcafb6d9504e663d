// Changes of what is combined with what: functions, operators, parentheses, operands, arguments of a call.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "diagnose/mutant_parts.hpp"

namespace evo::diagnose {
namespace {

bool declared_at(const MutantList& list, std::size_t token) {
  return std::any_of(list.variables().begin(), list.variables().end(),
                     [&](const Variable& variable) { return variable.token == token; });
}

void functions(MutantList& list) {
  static const std::map<std::string, std::vector<std::string>, std::less<>> others{
      {"exp2f", {"expf"}},
      {"expf", {"exp2f"}},
      {"__expf", {"expf", "exp2f"}},
      {"exp2", {"exp"}},
      {"exp10f", {"expf"}},
      {"__exp10f", {"expf"}},
      {"expm1f", {"expf"}},
      {"fmaxf", {"fminf"}},
      {"fminf", {"fmaxf"}},
      {"max", {"min"}},
      {"min", {"max"}},
      {"fabsf", {""}},
      {"__shfl_down_sync", {"__shfl_xor_sync"}},
      {"__shfl_up_sync", {"__shfl_xor_sync"}},
      {"__shfl_sync", {"__shfl_xor_sync"}},
      {"__fdividef", {"fdividef"}},
      {"rsqrtf", {"sqrtf"}},
      {"sqrtf", {""}},
      {"__float2half_rz", {"__float2half"}},
      {"__syncwarp", {"__syncthreads"}}};
  each_token(list, [&](const Statement&, std::size_t i) {
    const auto found = others.find(list.tokens()[i].text);
    if (found == others.end()) return;
    for (const std::string& with : found->second) list.swap_token("function", i, with);
  });
}

void arithmetic(MutantList& list) {
  static const std::map<std::string, std::vector<std::string>, std::less<>> others{
      {"+", {"-"}},   {"-", {"+"}},   {"*", {"/", "+"}}, {"/", {"*", "%"}}, {"%", {"/"}},
      {"+=", {"="}},  {"-=", {"+="}}, {"=", {"+="}},     {">>", {"<<"}},    {"<<", {">>"}},
      {"*=", {"/="}}, {"/=", {"*="}}, {"&", {"%"}},      {"|", {"+"}},      {"^", {"+"}}};
  const auto& tokens = list.tokens();
  each_token(list, [&](const Statement& statement, std::size_t i) {
    const auto found = others.find(tokens[i].text);
    if (found == others.end() || tokens[i].kind != TokenKind::symbol || i <= statement.span.begin) return;
    const Token& before = tokens[i - 1];
    const bool binary = before.kind == TokenKind::name || before.kind == TokenKind::number ||
                        before.is(")") || before.is("]");
    const Variable* declared = nullptr;
    for (const Variable& variable : list.variables()) {
      if (variable.token + 1 == i) declared = &variable;
    }
    if (!binary || (tokens[i].is("=") && declared != nullptr) ||
        (i + 1 < tokens.size() && tokens[i + 1].is(")")))
      return;
    for (const std::string& with : found->second) list.swap_token("arithmetic", i, with);
  });
}

/// Parentheses that make a factor of too much, or are missing around a sum.
void groupings(MutantList& list) {
  const auto& tokens = list.tokens();
  each_token(list, [&](const Statement& statement, std::size_t i) {
    if (!tokens[i].is("(") || i <= statement.span.begin || tokens[i - 1].kind == TokenKind::name) return;
    const std::size_t close = closing(tokens, i);
    if (close >= statement.span.end) return;
    list.add("grouping", tokens[i].line, {list.replace({i, i + 1}, ""), list.replace({close, close + 1}, "")},
             fmt::format("without the parentheses around `{}`", list.words({i + 1, close})));
  });
  each_token(list, [&](const Statement& statement, std::size_t i) {
    if (!one_of(tokens[i], {"+", "-"}) || i <= statement.span.begin + 1 || i + 1 >= statement.span.end)
      return;
    const std::size_t left = operand_begin(tokens, i - 1, statement.span.begin);
    const std::size_t right = operand_end(tokens, i + 1, statement.span.end);
    const bool product = (left > statement.span.begin && one_of(tokens[left - 1], {"*", "/", "%"})) ||
                         (right < statement.span.end && one_of(tokens[right], {"*", "/", "%"}));
    if (!product) return;
    list.add("grouping", tokens[i].line, {list.insert_before(left, "("), list.insert_after(right - 1, ")")},
             fmt::format("with parentheses around `{}`", list.words({left, right})));
  });
}

/// One variable where another of its type stands.
void operands_of(MutantList& list, bool (*wanted)(const SourceText&, const std::string&)) {
  const auto& tokens = list.tokens();
  each_token(list, [&](const Statement& statement, std::size_t i) {
    if (tokens[i].kind != TokenKind::name || declared_at(list, i)) return;
    if (i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->"))) {
      if (!one_of(tokens[i], {"x", "y", "z"}) || i < 2 ||
          !one_of(tokens[i - 2], {"threadIdx", "blockIdx", "gridDim", "blockDim"}))
        return;
      for (const char* with : {"x", "y", "z"}) {
        if (wanted(list.text(), "int")) list.swap_token("operand", i, with);
      }
      return;
    }
    const Variable* now = list.variable(statement.function, tokens[i].text);
    if (now == nullptr || !wanted(list.text(), now->type)) return;
    for (const Variable& other : list.variables()) {
      if (other.function != statement.function || other.token >= i || other.name == now->name) continue;
      const bool same = other.type == now->type ||
                        (is_integer_type(list.text(), other.type) && is_integer_type(list.text(), now->type));
      if (same && other.array == now->array) list.swap_token("operand", i, other.name);
    }
  });
}

void operands(MutantList& list) {
  operands_of(list, [](const SourceText&, const std::string& type) { return type.ends_with("*"); });
  operands_of(list, [](const SourceText& text, const std::string& type) {
    return !type.ends_with("*") && !is_integer_type(text, type);
  });
  operands_of(list,
              [](const SourceText& text, const std::string& type) { return is_integer_type(text, type); });
}

void arguments(MutantList& list) {
  const auto& tokens = list.tokens();
  each_token(list, [&](const Statement& statement, std::size_t i) {
    if (!tokens[i].is("(") || i <= statement.span.begin || tokens[i - 1].kind != TokenKind::name) return;
    if (one_of(tokens[i - 1], {"if", "for", "while", "switch", "fmaxf", "fminf", "max", "min"})) return;
    const std::vector<Span> given = arguments_of(tokens, i);
    for (std::size_t a = 0; a + 1 < given.size(); ++a) {
      if (given[a + 1].end > statement.span.end) continue;
      list.add(
          "arguments", tokens[i].line,
          {list.replace(given[a], list.words(given[a + 1])),
           list.replace(given[a + 1], list.words(given[a]))},
          fmt::format("`{}` and `{}` exchanged in the call", list.words(given[a]), list.words(given[a + 1])));
    }
  });
}

}  // namespace

MutantMaker operand_mutants(const std::string& kind) {
  static const std::map<std::string, MutantMaker, std::less<>> makers{{"function", functions},
                                                                      {"arithmetic", arithmetic},
                                                                      {"grouping", groupings},
                                                                      {"operand", operands},
                                                                      {"arguments", arguments}};
  const auto found = makers.find(kind);
  return found == makers.end() ? MutantMaker() : found->second;
}

}  // namespace evo::diagnose
