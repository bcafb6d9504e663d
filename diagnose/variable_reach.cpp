#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "diagnose/variables.hpp"

namespace evo::diagnose {
namespace {

struct Call {
  std::size_t callee = 0;
  std::vector<Span> arguments;
};

std::vector<Call> calls_in(const SourceText& source, Span span) {
  std::vector<Call> calls;
  const auto& tokens = source.tokens;
  for (std::size_t i = span.begin; i + 1 < span.end; ++i) {
    if (tokens[i].kind != TokenKind::name) continue;
    std::size_t open = i + 1;
    if (tokens[open].is("<")) {
      while (open < span.end && !tokens[open].is(">")) ++open;
      ++open;
    }
    if (open >= span.end || !tokens[open].is("(")) continue;
    for (std::size_t f = 0; f < source.functions.size(); ++f) {
      if (source.functions[f].name != tokens[i].text) continue;
      calls.push_back({f, arguments_of(tokens, open)});
    }
  }
  return calls;
}

bool reads_any(const SourceText& source, Span span, std::size_t function, const std::set<Place>& places) {
  for (std::size_t i = span.begin; i < span.end; ++i) {
    if (source.tokens[i].kind == TokenKind::name && places.contains({function, source.tokens[i].text}))
      return true;
  }
  return false;
}

/// Runs `step` on every statement until nothing grows.
template <class Step>
std::set<Place> grown(const SourceText& source, std::set<Place> places, Step step) {
  for (std::size_t before = 0; before != places.size();) {
    before = places.size();
    for (const Statement& statement : source.statements) step(statement, places);
  }
  return places;
}

/// A number is the same only where it is copied or cast.
bool pure_copy(const SourceText& source, const Statement& statement) {
  const auto is_one = [](const Token& token, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), token.text) != words.end();
  };
  int names = 0;
  bool after = false;
  for (std::size_t i = statement.span.begin; i < statement.span.end; ++i) {
    const Token& token = source.tokens[i];
    if (token.is("=")) after = true;
    if (!after) continue;
    if (is_one(token, {"+", "-", "*", "/", "%", "?", "["})) return false;
    if (token.kind == TokenKind::name &&
        !is_one(token, {"static_cast", "int", "float", "long", "unsigned", "reinterpret_cast"}))
      ++names;
  }
  return after && names == 1;
}

}  // namespace

std::set<Place> derived_from(const SourceText& source, std::set<Place> seeds) {
  return grown(source, std::move(seeds), [&](const Statement& statement, std::set<Place>& places) {
    if (reads_any(source, statement.span, statement.function, places)) {
      for (const std::string& name : flow_of(source, statement).assigned) {
        const Flow flow = flow_of(source, statement);
        const bool reads = std::any_of(flow.read.begin(), flow.read.end(), [&](const std::string& read) {
          return places.contains({statement.function, read});
        });
        if (reads) places.insert({statement.function, name});
      }
    }
    for (const Call& call : calls_in(source, statement.span)) {
      const auto& parameters = source.functions[call.callee].parameters;
      for (std::size_t i = 0; i < std::min(parameters.size(), call.arguments.size()); ++i) {
        if (reads_any(source, call.arguments[i], statement.function, places))
          places.insert({call.callee, parameters[i]});
      }
    }
  });
}

std::set<Place> sources_of(const SourceText& source, std::set<Place> seeds) {
  return grown(source, std::move(seeds), [&](const Statement& statement, std::set<Place>& places) {
    const Flow flow = flow_of(source, statement);
    const bool gives = std::any_of(flow.assigned.begin(), flow.assigned.end(), [&](const std::string& name) {
      return places.contains({statement.function, name});
    });
    if (gives) {
      for (const std::string& name : flow.read) places.insert({statement.function, name});
    }
    for (const Call& call : calls_in(source, statement.span)) {
      const auto& parameters = source.functions[call.callee].parameters;
      for (std::size_t i = 0; i < std::min(parameters.size(), call.arguments.size()); ++i) {
        if (!places.contains({call.callee, parameters[i]})) continue;
        for (std::size_t t = call.arguments[i].begin; t < call.arguments[i].end; ++t) {
          if (source.tokens[t].kind == TokenKind::name)
            places.insert({statement.function, source.tokens[t].text});
        }
      }
    }
  });
}

std::set<Place> aliases_of(const SourceText& source, std::set<Place> seeds) {
  const std::vector<Variable> variables = variables_of(source);
  const auto declared = [&](std::size_t function, const std::string& name) -> const Variable* {
    for (const Variable& variable : variables) {
      if (variable.function == function && variable.name == name) return &variable;
    }
    return nullptr;
  };
  return grown(source, std::move(seeds), [&](const Statement& statement, std::set<Place>& places) {
    const Flow flow = flow_of(source, statement);
    const bool reads = std::any_of(flow.read.begin(), flow.read.end(), [&](const std::string& name) {
      return places.contains({statement.function, name});
    });
    if (reads && statement.kind == StatementKind::plain) {
      for (const std::string& name : flow.assigned) {
        const Variable* variable = declared(statement.function, name);
        const bool pointer = variable != nullptr && variable->type.ends_with("*");
        // A pointer stays one of an array whatever is added to it; what is added is no pointer.
        const bool from_pointer =
            std::any_of(flow.read.begin(), flow.read.end(), [&](const std::string& read) {
              const Variable* from = declared(statement.function, read);
              return places.contains({statement.function, read}) &&
                     (from == nullptr || from->type.ends_with("*"));
            });
        if (variable != nullptr && (pointer ? from_pointer : pure_copy(source, statement)))
          places.insert({statement.function, name});
      }
    }
    for (const Call& call : calls_in(source, statement.span)) {
      const auto& parameters = source.functions[call.callee].parameters;
      for (std::size_t i = 0; i < std::min(parameters.size(), call.arguments.size()); ++i) {
        const bool passed = reads_any(source, call.arguments[i], statement.function, places);
        bool element = false;
        for (std::size_t t = call.arguments[i].begin; t < call.arguments[i].end; ++t)
          element = element || source.tokens[t].is("[");
        if (passed && !element) places.insert({call.callee, parameters[i]});
      }
    }
  });
}

}  // namespace evo::diagnose
