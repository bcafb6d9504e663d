// Changes of conditions, bounds and of what is done in which order.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "diagnose/mutant_parts.hpp"

namespace evo::diagnose {
namespace {

/// < and > of templates and casts are no comparisons.
bool is_bracket(const std::vector<Token>& tokens, std::size_t i) {
  if (i == 0 || !(tokens[i].is("<") || tokens[i].is(">"))) return false;
  if (tokens[i].is("<"))
    return tokens[i - 1].text.ends_with("_cast") || tokens[i - 1].is("template") ||
           (i + 2 < tokens.size() && tokens[i + 2].is(">") && i + 3 < tokens.size() && tokens[i + 3].is("("));
  return (i >= 2 && tokens[i - 2].is("<")) ||
         (i + 1 < tokens.size() && tokens[i + 1].is("(") && i >= 3 && tokens[i - 3].text.ends_with("_cast"));
}

void comparisons(MutantList& list) {
  static const std::map<std::string, std::string, std::less<>> other{{"<", "<="}, {"<=", "<"},  {">", ">="},
                                                                     {">=", ">"}, {"==", "!="}, {"!=", "=="}};
  each_token(list, [&](const Statement&, std::size_t i) {
    const auto found = other.find(list.tokens()[i].text);
    if (found != other.end() && list.tokens()[i].kind == TokenKind::symbol && !is_bracket(list.tokens(), i))
      list.swap_token("comparison", i, found->second);
  });
}

/// n / 4 where ceil(n / 4) belongs, and what a loop runs up to.
void bounds(MutantList& list) {
  const auto& tokens = list.tokens();
  each_token(list, [&](const Statement& statement, std::size_t i) {
    if (!tokens[i].is("/") || i <= statement.span.begin || i + 1 >= statement.span.end) return;
    const Span left{operand_begin(tokens, i - 1, statement.span.begin), i};
    const Span right{i + 1, operand_end(tokens, i + 1, statement.span.end)};
    const std::string a = list.words(left), b = list.words(right);
    if (b.find('.') != std::string::npos) return;
    const std::string with = fmt::format("(({0}) + ({1}) - 1) / ({1})", a, b);
    list.add("bound", tokens[i].line, {list.replace({left.begin, right.end}, with)},
             fmt::format("`{} / {}` rounded up", a, b));
  });
  each_token(list, [&](const Statement& statement, std::size_t i) {
    if (!one_of(tokens[i], {"<", "<=", ">", ">="}) || is_bracket(tokens, i) || i + 1 >= statement.span.end)
      return;
    const std::size_t end = operand_end(tokens, i + 1, statement.span.end);
    for (const char* offset : {" - 1", " + 1"}) {
      list.add(
          "bound", tokens[i].line, {list.insert_after(end - 1, offset)},
          fmt::format("`{}{}` in place of `{}`", list.words({i + 1, end}), offset, list.words({i + 1, end})));
    }
  });
}

/// Where the operand of && or || at `op` begins and ends, on both sides.
std::pair<Span, Span> sides_of(const std::vector<Token>& tokens, std::size_t op, Span statement) {
  const auto ends = [](const Token& token) {
    return one_of(token, {"&&", "||", "?", ":", ",", ";", "=", "return"});
  };
  std::size_t begin = op;
  for (int depth = 0; begin > statement.begin; --begin) {
    const Token& token = tokens[begin - 1];
    if (one_of(token, {")", "]"})) ++depth;
    if (one_of(token, {"(", "["}) && depth-- == 0) break;
    if (depth == 0 && ends(token)) break;
  }
  std::size_t end = op + 1;
  for (int depth = 0; end < statement.end; ++end) {
    if (one_of(tokens[end], {"(", "["})) ++depth;
    if (one_of(tokens[end], {")", "]"}) && depth-- == 0) break;
    if (depth == 0 && ends(tokens[end])) break;
  }
  return {{begin, op}, {op + 1, end}};
}

/// Two integers of one test the other way round: rows and columns, height and width.
void exchanges(MutantList& list) {
  const auto& tokens = list.tokens();
  for (const Statement& statement : list.text().statements) {
    std::vector<std::string> names;
    bool compares = false;
    for (std::size_t i = statement.span.begin; i < statement.span.end; ++i) {
      compares = compares || (one_of(tokens[i], {"<", "<=", ">", ">="}) && !is_bracket(tokens, i));
      const Variable* variable = list.variable(statement.function, tokens[i].text);
      const bool member = i > 0 && one_of(tokens[i - 1], {".", "->"});
      if (variable != nullptr && !member && variable->token != i &&
          is_integer_type(list.text(), variable->type) &&
          std::find(names.begin(), names.end(), variable->name) == names.end())
        names.push_back(variable->name);
    }
    if (!compares || !tokens[statement.span.begin].is("if")) continue;
    for (std::size_t a = 0; a < names.size(); ++a) {
      for (std::size_t b = a + 1; b < names.size(); ++b) {
        std::vector<MutantList::Change> changes;
        for (std::size_t i = statement.span.begin; i < statement.span.end; ++i) {
          if (tokens[i].is(names[a])) changes.push_back(list.replace({i, i + 1}, names[b]));
          if (tokens[i].is(names[b])) changes.push_back(list.replace({i, i + 1}, names[a]));
        }
        list.add("exchange", tokens[statement.span.begin].line, changes,
                 fmt::format("`{}` and `{}` exchanged", names[a], names[b]));
      }
    }
  }
}

void conditions(MutantList& list) {
  const auto& tokens = list.tokens();
  each_token(list, [&](const Statement& statement, std::size_t i) {
    if (!one_of(tokens[i], {"&&", "||"}) || i <= statement.span.begin) return;
    const auto [left, right] = sides_of(tokens, i, statement.span);
    if (left.begin == left.end || right.begin == right.end) return;
    list.swap_token("condition", i, tokens[i].is("&&") ? "||" : "&&");
    for (const auto& [kept, gone] : {std::pair{left, right}, std::pair{right, left}}) {
      list.add("condition", tokens[i].line, {list.replace({left.begin, right.end}, list.words(kept))},
               fmt::format("without `{}`", list.words(gone)));
    }
  });
  // A test against a size beside one that is there: what lies past the end.
  each_token(list, [&](const Statement& statement, std::size_t i) {
    const bool above = one_of(tokens[i], {">", ">="});
    if ((!above && !one_of(tokens[i], {"<", "<="})) || is_bracket(tokens, i)) return;
    std::size_t begin = i, end = i + 1;
    for (int depth = 0; begin > statement.span.begin; --begin) {
      const Token& token = tokens[begin - 1];
      if (one_of(token, {")", "]"})) ++depth;
      if (one_of(token, {"(", "["}) && depth-- == 0) break;
      if (depth == 0 && one_of(token, {"&&", "||", "?", ";", "=", "return", ","})) break;
    }
    for (int depth = 0; end < statement.span.end; ++end) {
      if (one_of(tokens[end], {"(", "["})) ++depth;
      if (one_of(tokens[end], {")", "]"}) && depth-- == 0) break;
      if (depth == 0 && one_of(tokens[end], {"&&", "||", "?", ";"})) break;
    }
    // The condition as a whole: outwards over && and ||.
    Span whole{begin, end};
    while (whole.begin > statement.span.begin && one_of(tokens[whole.begin - 1], {"&&", "||"}))
      whole.begin = sides_of(tokens, whole.begin - 1, statement.span).first.begin;
    const std::string left = list.words({begin, i});
    for (const Variable& size : list.variables()) {
      if (size.function != statement.function || !is_integer_type(list.text(), size.type) ||
          size.statement != std::string::npos || list.words({i + 1, end}) == size.name || left == size.name)
        continue;
      for (const bool hide : {true, false}) {
        const std::string with =
            hide ? fmt::format("(({}) || ({}) >= {})", list.words({whole.begin, end}), left, size.name)
                 : fmt::format("(({}) && ({}) < {})", list.words({whole.begin, end}), left, size.name);
        list.add("condition", tokens[i].line, {list.replace({whole.begin, end}, with)},
                 fmt::format("with `{} {} {}` beside it", left, hide ? ">=" : "<", size.name));
      }
    }
  });
}

/// A statement under a test of one of the names that its subscripts have.
void guards(MutantList& list) {
  const auto& tokens = list.tokens();
  for (const Statement& statement : list.text().statements) {
    if (statement.kind != StatementKind::plain) continue;
    std::set<std::string> indices;
    bool subscript = false;
    for (std::size_t i = statement.span.begin; i < statement.span.end; ++i) {
      if (tokens[i].is("[")) subscript = true;
      if (tokens[i].is("]")) subscript = false;
      const Variable* named = list.variable(statement.function, tokens[i].text);
      if (subscript && named != nullptr && is_integer_type(list.text(), named->type))
        indices.insert(named->name);
    }
    const Flow flow = flow_of(list.text(), statement);
    const bool declares = std::any_of(
        list.variables().begin(), list.variables().end(),
        [&](const Variable& v) { return v.token >= statement.span.begin && v.token < statement.span.end; });
    if (declares) continue;
    for (const std::string& index : indices) {
      for (const Variable& size : list.variables()) {
        if (size.function != statement.function || size.statement != std::string::npos ||
            size.name == index || !is_integer_type(list.text(), size.type))
          continue;
        list.add("guard", tokens[statement.span.begin].line,
                 {list.insert_before(statement.span.begin, fmt::format("if ({} < {}) ", index, size.name))},
                 fmt::format("only if `{} < {}`", index, size.name));
      }
    }
  }
}

bool declares(const MutantList& list, const Statement& statement) {
  return std::any_of(list.variables().begin(), list.variables().end(), [&](const Variable& v) {
    return v.token >= statement.span.begin && v.token < statement.span.end;
  });
}

void removals(MutantList& list) {
  const auto& statements = list.text().statements;
  for (std::size_t s = 0; s < statements.size(); ++s) {
    const Statement& statement = statements[s];
    if (statement.kind != StatementKind::plain || declares(list, statement)) continue;
    const Token& first = list.tokens()[statement.span.begin];
    list.add("removal", first.line, {list.replace(statement.span, "")},
             fmt::format("without `{}`", list.words(statement.span)));
  }
}

/// Two neighbouring statements the other way round.
void orders(MutantList& list) {
  const auto& statements = list.text().statements;
  for (std::size_t s = 0; s + 1 < statements.size(); ++s) {
    const Statement &one = statements[s], &two = statements[s + 1];
    if (one.kind != StatementKind::plain || two.kind != StatementKind::plain ||
        one.function != two.function || one.depth != two.depth || two.span.begin != one.span.end + 1)
      continue;
    list.add("order", list.tokens()[one.span.begin].line,
             {list.replace(one.span, list.words(two.span)), list.replace(two.span, list.words(one.span))},
             fmt::format("`{}` after `{}`", list.words(one.span), list.words(two.span)));
  }
}

/// A barrier out of the branch that it stands in: before it, or behind it.
void hoists(MutantList& list) {
  const auto& tokens = list.tokens();
  const auto& statements = list.text().statements;
  for (const Statement& barrier : statements) {
    if (barrier.kind != StatementKind::plain || !tokens[barrier.span.begin].is("__syncthreads")) continue;
    const Statement* branch = nullptr;  // the innermost one
    for (const Statement& header : statements) {
      const std::size_t open = header.span.end;
      if (header.kind != StatementKind::header || !tokens[header.span.begin].is("if") ||
          open >= tokens.size() || !tokens[open].is("{") || open > barrier.span.begin ||
          closing(tokens, open) < barrier.span.end)
        continue;
      branch = &header;
    }
    if (branch == nullptr) continue;
    const std::size_t close = closing(tokens, branch->span.end);
    const std::string text = list.words(barrier.span);
    const int line = tokens[barrier.span.begin].line;
    list.add("hoist", line,
             {list.insert_before(branch->span.begin, text + "; "), list.replace(barrier.span, "")},
             fmt::format("`{}` before the branch of line {}", text, tokens[branch->span.begin].line));
    if (close + 1 < tokens.size() && !tokens[close + 1].is("else"))
      list.add("hoist", line, {list.replace(barrier.span, ""), list.insert_after(close, " " + text + ";")},
               fmt::format("`{}` behind the branch of line {}", text, tokens[branch->span.begin].line));
  }
}

}  // namespace

MutantMaker control_mutants(const std::string& kind) {
  static const std::map<std::string, MutantMaker, std::less<>> makers{
      {"comparison", comparisons}, {"bound", bounds}, {"condition", conditions}, {"guard", guards},
      {"removal", removals},       {"order", orders}, {"exchange", exchanges},   {"hoist", hoists}};
  const auto found = makers.find(kind);
  return found == makers.end() ? MutantMaker() : found->second;
}

}  // namespace evo::diagnose
