#include <algorithm>

#include "diagnose/roles.hpp"

namespace evo::diagnose {

std::vector<int> Roles::narrowings() const {
  const auto narrow = [&](const std::string& type) {
    return is_integer_type(text_, type) && type.find("long") == std::string::npos &&
           type.find("64") == std::string::npos && type != "size_t" && type != "auto";
  };
  const auto reads_wide = [&](const Statement& statement) {
    const Flow flow = flow_of(text_, statement);
    return std::any_of(arguments_.begin(), arguments_.end(), [&](const auto& argument) {
      return wide_.contains(argument.first) &&
             std::any_of(flow.read.begin(), flow.read.end(), [&](const std::string& name) {
               return argument.second.contains({statement.function, name});
             });
    });
  };
  const auto declares_narrow = [&](const Statement& statement) {
    return std::any_of(variables_.begin(), variables_.end(), [&](const Variable& variable) {
      return variable.initialised && narrow(variable.type) && variable.token >= statement.span.begin &&
             variable.token < statement.span.end;
    });
  };
  const auto casts = [&](const Statement& statement) {
    for (std::size_t i = statement.span.begin; i + 2 < statement.span.end; ++i) {
      const bool plain =
          text_.tokens[i].is("(") && text_.tokens[i + 2].is(")") && narrow(text_.tokens[i + 1].text);
      if (plain || (text_.tokens[i].is("static_cast") && narrow(text_.tokens[i + 2].text))) return true;
    }
    return false;
  };
  std::vector<int> lines = lines_where([&](const Statement& statement) {
    return reads_wide(statement) && (declares_narrow(statement) || casts(statement));
  });
  const std::vector<int> products = lines_where(
      [&](const Statement& statement) { return declares_narrow(statement) && has(statement, {"*"}); });
  lines.insert(lines.end(), products.begin(), products.end());
  return lines;
}

std::set<std::string> Roles::at(int line) const {
  std::set<std::string> found;
  const auto among = [&](const std::vector<int>& lines, const char* what) {
    if (std::find(lines.begin(), lines.end(), line) != lines.end()) found.insert(what);
  };
  among(stores(), "output");
  among(normaliser(), "normaliser");
  among(accumulator(), "accumulator");
  among(divisions(), "division");
  among(exponentials(), "exponential");
  among(maxima(), "maximum");
  among(masks(), "flag");
  for (const std::string& name : inputs_) {
    const std::vector<int> lines = uses(name);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) continue;
    found.insert("input");
    found.insert("input." + name);
  }
  for (const Statement& statement : text_.statements) {
    const bool here =
        text_.tokens[statement.span.begin].line <= line && text_.tokens[statement.span.end - 1].line >= line;
    if (!here) continue;
    if (statement.kind == StatementKind::header) found.insert(has(statement, {"if"}) ? "guard" : "loop");
    if (has(statement, {"+="})) found.insert("sum");
    if (has(statement, {"return"}) && statement.span.end - statement.span.begin == 1) found.insert("return");
    for (std::size_t i = statement.span.begin; i < statement.span.end; ++i) {
      if (text_.tokens[i].text.starts_with("__shfl")) found.insert("shuffle");
      const bool shared = std::any_of(variables_.begin(), variables_.end(), [&](const Variable& variable) {
        return variable.shared && variable.name == text_.tokens[i].text;
      });
      if (shared) found.insert("shared");
    }
  }
  return found;
}

}  // namespace evo::diagnose
