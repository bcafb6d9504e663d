// Changes of what is computed from what.
#include <algorithm>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "diagnose/mutant_parts.hpp"

namespace evo::diagnose {
namespace {

bool is_float(const std::string& type) {
  return type == "float" || type == "double";
}

bool declared_at(const MutantList& list, std::size_t token) {
  return std::any_of(list.variables().begin(), list.variables().end(),
                     [&](const Variable& variable) { return variable.token == token; });
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

/// c[i * stride] for c[i], with each of the kernel's integers.
void strides(MutantList& list) {
  const auto& tokens = list.tokens();
  each_token(list, [&](const Statement& statement, std::size_t i) {
    if (!tokens[i].is("[") || i <= statement.span.begin) return;
    const std::size_t close = closing(tokens, i);
    const Variable* array = list.variable(statement.function, tokens[i - 1].text);
    if (close >= statement.span.end || close == i + 1 || array == nullptr || !array->type.ends_with("*"))
      return;
    for (const Variable& step : list.variables()) {
      if (step.function != statement.function || step.statement != std::string::npos ||
          step.type.ends_with("*") || !is_integer_type(list.text(), step.type))
        continue;
      list.add("index", tokens[i].line,
               {list.insert_after(i, "("), list.insert_before(close, ") * " + step.name)},
               fmt::format("`{}` multiplied by `{}`", list.words({i + 1, close}), step.name), step.name);
    }
  });
}

/// row * stride for row * WIDTH, where an element is addressed.
void pitches(MutantList& list) {
  const auto& tokens = list.tokens();
  each_token(list, [&](const Statement& statement, std::size_t i) {
    if (!tokens[i].is("*") || i <= statement.span.begin || i + 1 >= statement.span.end) return;
    int depth = 0;
    bool subscript = false, pointer = false;
    for (std::size_t t = i; t > statement.span.begin; --t) {
      if (tokens[t].is("]")) ++depth;
      if (tokens[t].is("[") && depth-- == 0) subscript = true;
    }
    for (const Variable& variable : list.variables())
      pointer = pointer || (variable.token >= statement.span.begin && variable.token < i &&
                            variable.type.ends_with("*"));
    if (!subscript && !pointer) return;
    for (const std::size_t t : {i - 1, i + 1}) {
      const bool is_constant =
          tokens[t].kind == TokenKind::number ||
          (tokens[t].kind == TokenKind::name && list.variable(statement.function, tokens[t].text) == nullptr);
      const bool member =
          t > 0 && (tokens[t - 1].is(".") || tokens[t - 1].is("::") || tokens[t - 1].is("->"));
      if (!is_constant || member) continue;
      for (const Variable& step : list.variables()) {
        if (step.function == statement.function && step.statement == std::string::npos &&
            is_integer_type(list.text(), step.type))
          list.swap_token("index", t, step.name);
      }
    }
  });
}

/// T* q = reinterpret_cast<T*>(p): q[i] counted in elements of p.
void reinterpretations(MutantList& list) {
  const auto& tokens = list.tokens();
  for (const Variable& view : list.variables()) {
    if (view.statement == std::string::npos || !view.type.ends_with("*") || !view.initialised) continue;
    const Span declaring = list.text().statements[view.statement].span;
    const Variable* array = nullptr;
    bool cast = false;
    for (std::size_t i = view.token + 1; i < declaring.end; ++i) {
      cast = cast || tokens[i].is("reinterpret_cast") ||
             (tokens[i].is("*") && i + 1 < declaring.end && tokens[i + 1].is(")"));
      const Variable* named = list.variable(view.function, tokens[i].text);
      if (cast && named != nullptr && named->type.ends_with("*") && array == nullptr) array = named;
    }
    if (array == nullptr || array->type == view.type) continue;
    for (const Statement& statement : list.text().statements) {
      if (statement.function != view.function) continue;
      for (std::size_t i = statement.span.begin; i + 2 < statement.span.end; ++i) {
        if (!tokens[i].is(view.name) || !tokens[i + 1].is("[")) continue;
        const std::size_t close = closing(tokens, i + 1);
        if (close >= statement.span.end) continue;
        const std::string index = list.words({i + 2, close});
        list.add("index", tokens[i].line,
                 {list.replace({i, close + 1}, fmt::format("(*(decltype(&{}[0]))({} + ({})))", view.name,
                                                           array->name, index))},
                 fmt::format("`{}` counted in elements of `{}`", list.words({i, close + 1}), array->name),
                 array->name);
      }
    }
  }
}

/// a[row][column] the other way round, and two names of one subscript exchanged.
void indices(MutantList& list) {
  reinterpretations(list);
  strides(list);
  pitches(list);
  const auto& tokens = list.tokens();
  each_token(list, [&](const Statement& statement, std::size_t i) {
    if (!tokens[i].is("[")) return;
    const std::size_t close = closing(tokens, i);
    if (close >= statement.span.end) return;
    if (close + 1 < statement.span.end && tokens[close + 1].is("[")) {
      const std::size_t last = closing(tokens, close + 1);
      if (last < statement.span.end) {
        const Span one{i + 1, close}, two{close + 2, last};
        list.add("index", tokens[i].line,
                 {list.replace(one, list.words(two)), list.replace(two, list.words(one))},
                 fmt::format("`{}` and `{}` exchanged", list.words(one), list.words(two)));
      }
    }
    std::vector<MutantList::Change> turned;
    bool both[2] = {false, false};
    for (std::size_t t = i + 3; t < close; ++t) {
      if (!tokens[t - 2].is("threadIdx") || !one_of(tokens[t], {"x", "y"})) continue;
      both[tokens[t].is("x") ? 0 : 1] = true;
      turned.push_back(list.replace({t, t + 1}, tokens[t].is("x") ? "y" : "x"));
    }
    if (both[0] && both[1])
      list.add("index", tokens[i].line, turned, "`threadIdx.x` and `threadIdx.y` exchanged");
    std::vector<std::string> names;
    for (std::size_t t = i + 1; t < close; ++t) {
      const Variable* variable = list.variable(statement.function, tokens[t].text);
      if (variable != nullptr && is_integer_type(list.text(), variable->type) &&
          std::find(names.begin(), names.end(), variable->name) == names.end())
        names.push_back(variable->name);
    }
    for (std::size_t a = 0; a < names.size(); ++a) {
      for (std::size_t b = a + 1; b < names.size(); ++b) {
        std::vector<MutantList::Change> changes;
        for (std::size_t t = i + 1; t < close; ++t) {
          if (tokens[t].is(names[a])) changes.push_back(list.replace({t, t + 1}, names[b]));
          if (tokens[t].is(names[b])) changes.push_back(list.replace({t, t + 1}, names[a]));
        }
        list.add("index", tokens[i].line, changes,
                 fmt::format("`{}` and `{}` exchanged", names[a], names[b]));
      }
    }
  });
}

}  // namespace

MutantMaker value_mutants(const std::string& kind) {
  static const std::map<std::string, MutantMaker, std::less<>> makers{
      {"constant", constants}, {"infinity", infinities}, {"start", starts},          {"rescale", rescalings},
      {"factor", factors},     {"function", functions},  {"arithmetic", arithmetic}, {"grouping", groupings},
      {"operand", operands},   {"arguments", arguments}, {"index", indices}};
  const auto found = makers.find(kind);
  return found == makers.end() ? MutantMaker() : found->second;
}

}  // namespace evo::diagnose
