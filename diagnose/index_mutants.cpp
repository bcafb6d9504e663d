// Changes of where an element stands: strides, pitches, subscripts that are exchanged.
#include <algorithm>

#include <fmt/format.h>

#include "diagnose/mutant_parts.hpp"

namespace evo::diagnose {
namespace {

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

MutantMaker index_mutants(const std::string& kind) {
  return kind == "index" ? MutantMaker(indices) : MutantMaker();
}

}  // namespace evo::diagnose
