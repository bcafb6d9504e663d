// Changes of the numbers that are computed: constants, what a running value begins with, factors, rescaling.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "diagnose/mutant_parts.hpp"

namespace evo::diagnose {
namespace {

bool is_float(const std::string& type) {
  return type == "float" || type == "double";
}

void constants(MutantList& list) {
  const auto& tokens = list.tokens();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.kind != TokenKind::number || token.text.find('.') != std::string::npos ||
        token.text.starts_with("0x") || token.text.find_first_of("fF") != std::string::npos ||
        (i > 0 && tokens[i - 1].is("__align__")))
      continue;
    const long long value = std::strtoll(token.text.c_str(), nullptr, 10);
    if (value > 100000) continue;
    std::vector<long long> others;
    if (value >= 2) others = {value * 2, value / 2, value - 1, value + 1, 0};
    if (value == 1) others = {0, 2};
    if (value == 0) others = {1};
    for (const long long other : others) list.swap_token("constant", i, fmt::format("{}", other));
  }
  // What is halved, or doubled, step by step takes powers of two.
  each_token(list, [&](const Statement& statement, std::size_t i) {
    const bool steps =
        std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(statement.span.begin),
                    tokens.begin() + static_cast<std::ptrdiff_t>(statement.span.end), [](const Token& token) {
                      return one_of(token, {">>=", "<<=", "/=", "*="});
                    });
    if (statement.kind != StatementKind::header || !steps || tokens[i].kind != TokenKind::number) return;
    constexpr int most = 64;
    for (int power = 1; power <= most; power *= 2) list.swap_token("constant", i, fmt::format("{}", power));
  });
}

/// What a running value begins with.
void starts(MutantList& list) {
  const auto& tokens = list.tokens();
  each_token(list, [&](const Statement& statement, std::size_t i) {
    bool floating =
        tokens[i].kind == TokenKind::number &&
        (tokens[i].text.find('.') != std::string::npos ||
         (tokens[i].text.find_first_of("fF") != std::string::npos && !tokens[i].text.starts_with("0x")));
    // A plain 0 that a floating-point variable begins with.
    if (tokens[i].is("0") && i > statement.span.begin + 1 &&
        (tokens[i - 1].is("=") || tokens[i - 2].is("="))) {
      for (const std::string& name : flow_of(list.text(), statement).assigned) {
        const Variable* variable = list.variable(statement.function, name);
        floating = floating || (variable != nullptr && is_float(variable->type));
      }
    }
    const bool infinite = one_of(tokens[i], {"INFINITY", "FLT_MAX", "HUGE_VALF", "FLT_MIN"});
    if (i <= statement.span.begin || (!floating && !infinite)) return;
    const bool negative = tokens[i - 1].is("-");
    const std::size_t begin = negative ? i - 1 : i;
    const double value = std::strtod(tokens[i].text.c_str(), nullptr);
    if (infinite || std::abs(value) >= 1e4 || value == 0) {
      for (const char* with : {"-INFINITY", "0.0f"}) {
        list.add("start", tokens[i].line, {list.replace({begin, i + 1}, with)},
                 fmt::format("`{}` in place of `{}`", with, list.words({begin, i + 1})), with);
      }
    } else {
      for (const char* with : {"1.4426950408889634f", "0.6931471805599453f", "1.0f"}) {
        list.add("constant", tokens[i].line, {list.replace({begin, i + 1}, with)},
                 fmt::format("`{}` in place of `{}`", with, list.words({begin, i + 1})), with);
      }
    }
  });
}

/// Right of = up to the end of the declarator, where `i` is the =.
Span value_of(const std::vector<Token>& tokens, std::size_t i, std::size_t end) {
  std::size_t last = i + 1;
  for (int depth = 0; last < end; ++last) {
    if (one_of(tokens[last], {"(", "[", "{"})) ++depth;
    if (one_of(tokens[last], {")", "]", "}"})) --depth;
    if (depth < 0 || (depth == 0 && one_of(tokens[last], {",", ";"}))) break;
  }
  return {i + 1, last};
}

bool calls_exponential(const Token& token) {
  return one_of(token, {"exp", "expf", "__expf", "exp2", "exp2f", "exp10f", "ex2", "fast_exp", "exp2_fast",
                        "hexp"}) ||
         (token.kind == TokenKind::name && token.text.find("exp") != std::string::npos);
}

/// sum += x where sum = sum * factor + x belongs, with every factor that is made of an exponential.
void rescalings(MutantList& list) {
  const auto& tokens = list.tokens();
  struct Factor {
    std::string name;
    std::size_t function = 0, token = 0;
  };
  std::vector<Factor> factors;
  for (const Statement& statement : list.text().statements) {
    bool exponential = false;
    for (std::size_t i = statement.span.begin; i < statement.span.end; ++i)
      exponential = exponential || calls_exponential(tokens[i]);
    if (!exponential) continue;
    for (const std::string& name : flow_of(list.text(), statement).assigned)
      factors.push_back({name, statement.function, statement.span.begin});
  }
  each_token(list, [&](const Statement& statement, std::size_t i) {
    if (!tokens[i].is("+=") || i <= statement.span.begin) return;
    const Span target{operand_begin(tokens, i - 1, statement.span.begin), i};
    const std::string name = list.words(target);
    for (const Factor& factor : factors) {
      if (factor.function != statement.function || name.starts_with(factor.name)) continue;
      const Variable* variable = list.variable(statement.function, factor.name);
      if (variable == nullptr || variable->array || !is_float(variable->type)) continue;
      list.add("rescale", tokens[i].line,
               {list.replace({i, i + 1}, fmt::format("= {} * {} + ", name, factor.name))},
               fmt::format("with `{}` multiplied by `{}` first", name, factor.name), factor.name);
    }
  });
  if (factors.empty()) return;
  // Two parts are added that each have a maximum of their own: a.sum + b.sum with a.top, b.top.
  each_token(list, [&](const Statement& statement, std::size_t i) {
    if (!tokens[i].is("+") || i < statement.span.begin + 3 || i + 3 >= statement.span.end) return;
    if (!tokens[i - 2].is(".") || !tokens[i + 2].is(".") || !tokens[i - 1].is(tokens[i + 3].text)) return;
    const std::string one = tokens[i - 3].text, other = tokens[i + 1].text;
    std::set<std::string> members;
    for (const Token& token : tokens) {
      const std::size_t at = static_cast<std::size_t>(&token - tokens.data());
      if (at > 0 && tokens[at - 1].is(".") && !token.is(tokens[i - 1].text)) members.insert(token.text);
    }
    for (const std::string& member : members) {
      const std::string with = fmt::format(
          "{0}.{2} * expf({0}.{3} - fmaxf({0}.{3}, {1}.{3})) + {1}.{2} * expf({1}.{3} - "
          "fmaxf({0}.{3}, {1}.{3}))",
          one, other, tokens[i - 1].text, member);
      list.add(
          "rescale", tokens[i].line, {list.replace({i - 3, i + 4}, with)},
          fmt::format("with each part multiplied by the exponential of its `{}` less the larger one", member),
          member);
    }
  });
}

/// exp(a - b) is 0 where b is minus infinity: at one place, and at all of them.
void infinities(MutantList& list) {
  const auto& tokens = list.tokens();
  std::vector<MutantList::Change> all;
  int first = 0;
  each_token(list, [&](const Statement& statement, std::size_t i) {
    if (!calls_exponential(tokens[i]) || i + 2 >= statement.span.end || !tokens[i + 1].is("(")) return;
    const std::size_t close = closing(tokens, i + 1);
    if (close >= statement.span.end) return;
    for (std::size_t t = i + 3; t + 1 < close; ++t) {
      if (!tokens[t].is("-")) continue;
      const std::string less = list.words({t + 1, operand_end(tokens, t + 1, close)});
      const std::vector<MutantList::Change> changes{
          list.insert_before(i, fmt::format("(({}) == -INFINITY ? 0.0f : ", less)),
          list.insert_after(close, ")")};
      list.add("infinity", tokens[i].line, changes, fmt::format("with 0 where `{}` is minus infinity", less),
               less);
      if (!all.empty() && all.back().end > changes.front().begin) return;
      if (all.empty()) first = tokens[i].line;
      all.insert(all.end(), changes.begin(), changes.end());
      return;
    }
  });
  if (all.size() > 2)
    list.add("infinity", first, all, "with 0 where a difference to minus infinity is exponentiated");
}

/// A factor that is missing, or one too many.
void factors(MutantList& list) {
  const auto& tokens = list.tokens();
  std::vector<std::string> wanted = list.names().float_scalars;
  wanted.emplace_back("1.4426950408889634f");
  const auto reachable = [&](std::size_t function, const std::string& factor) {
    return !factor.empty() && (std::isdigit(static_cast<unsigned char>(factor[0])) != 0 ||
                               list.variable(function, factor) != nullptr);
  };
  each_token(list, [&](const Statement& statement, std::size_t i) {
    if (!tokens[i].is("*") || i <= statement.span.begin || i + 1 >= statement.span.end) return;
    for (const std::string& name : list.names().float_scalars) {
      if (tokens[i + 1].is(name))
        list.add("factor", tokens[i].line, {list.replace({i, i + 2}, "")},
                 fmt::format("without `* {}`", name), name);
      if (tokens[i - 1].is(name))
        list.add("factor", tokens[i].line, {list.replace({i - 1, i + 1}, "")},
                 fmt::format("without `{} *`", name), name);
    }
  });
  each_token(list, [&](const Statement& statement, std::size_t i) {
    Span value{};
    if (tokens[i].is("=") && i > statement.span.begin) {
      value = value_of(tokens, i, statement.span.end);
      std::string name;
      for (const std::string& target :
           flow_of(list.text(), {statement.kind, {statement.span.begin, value.end}, statement.function, 0})
               .assigned)
        name = target;
      const Variable* variable = list.variable(statement.function, name);
      if (variable == nullptr || !is_float(variable->type) || value.end - value.begin < 2) return;
    } else if (tokens[i].is("return")) {
      value = {i + 1, statement.span.end};
    } else if (calls_exponential(tokens[i]) && i + 2 < statement.span.end && tokens[i + 1].is("(")) {
      value = {i + 2, closing(tokens, i + 1)};
    } else {
      return;
    }
    if (value.begin >= value.end) return;
    for (const std::string& factor : wanted) {
      if (!reachable(statement.function, factor)) continue;
      const std::string text = list.words(value);
      list.add("factor", tokens[value.begin].line,
               {list.replace(value, fmt::format("({}) * {}", text, factor))},
               fmt::format("with `{}` multiplied by `{}`", text, factor), factor);
      if (std::isdigit(static_cast<unsigned char>(factor[0])) != 0) continue;
      list.add("factor", tokens[value.begin].line,
               {list.replace(value, fmt::format("({}) / {}", text, factor))},
               fmt::format("with `{}` divided by `{}`", text, factor), factor);
    }
  });
}

}  // namespace

MutantMaker number_mutants(const std::string& kind) {
  static const std::map<std::string, MutantMaker, std::less<>> makers{{"constant", constants},
                                                                      {"infinity", infinities},
                                                                      {"start", starts},
                                                                      {"rescale", rescalings},
                                                                      {"factor", factors}};
  const auto found = makers.find(kind);
  return found == makers.end() ? MutantMaker() : found->second;
}

}  // namespace evo::diagnose
