#include "diagnose/roles.hpp"

#include <algorithm>

#include "model/entry_name.hpp"

namespace evo::diagnose {
namespace {

bool is_among(std::string_view text, std::initializer_list<std::string_view> wanted) {
  return std::find(wanted.begin(), wanted.end(), text) != wanted.end();
}

bool is_flag(const model::Problem& problem, const model::Argument& argument) {
  for (const std::string& name : argument.scalar.expression.names()) {
    const model::Axis* axis = problem.find_axis(name);
    if (axis != nullptr && axis->allowed.size() == 2 && axis->allowed[0] + axis->allowed[1] == 1) return true;
  }
  return false;
}

bool is_exponential(const Token& token) {
  return token.kind == TokenKind::name && token.text.find("exp") != std::string::npos &&
         token.text.find("expect") == std::string::npos;
}

std::string last_part(const std::string& name) {
  const std::size_t at = name.rfind("::");
  return at == std::string::npos ? name : name.substr(at + 2);
}

/// A function's name as it stands at its definition: without namespaces and template arguments.
std::string plain_name(const std::string& entry) {
  return model::plain_kernel_name(entry);
}

/// The problem's arguments that a launch's kernel has as parameters, in their order. Members of a struct are
/// one parameter, of which only the first stands here.
std::vector<std::size_t> taken_by(const model::Problem& problem, const model::LaunchModel& launch) {
  std::vector<std::size_t> all;
  if (launch.arguments) {
    all = *launch.arguments;
  } else {
    for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
      if (problem.arguments[i].symbol.empty()) all.push_back(i);
    }
  }
  std::vector<std::size_t> taken;
  std::string structure;
  for (const std::size_t i : all) {
    const std::string& of = problem.arguments[i].structure;
    if (of.empty() || of != structure) taken.push_back(i);
    structure = of;
  }
  return taken;
}

}  // namespace

Roles::Roles(const Subject& subject) : source_(subject.candidate.source), text_(read_source(source_)) {
  variables_ = variables_of(text_);
  for (const model::Argument& argument : subject.problem.arguments)
    arguments_.emplace_back(argument.name, std::set<Place>{});
  add_launch(subject, subject.kernel_template.launch);
  for (const model::LaunchModel& launch : subject.kernel_template.later_launches) add_launch(subject, launch);
  if (!known_) arguments_.clear();
}

void Roles::add_launch(const Subject& subject, const model::LaunchModel& launch) {
  const std::string name = plain_name(launch.entry.empty() ? subject.kernel_template.entry : launch.entry);
  const auto found = std::find_if(text_.functions.begin(), text_.functions.end(),
                                  [&](const Function& function) { return function.name == name; });
  if (found == text_.functions.end()) return;
  const std::vector<std::size_t> taken = taken_by(subject.problem, launch);
  if (found->parameters.size() < taken.size()) return;
  const auto entry = static_cast<std::size_t>(found - text_.functions.begin());
  if (!known_) names_.entry = entry;
  known_ = true;
  for (std::size_t p = 0; p < taken.size(); ++p)
    add_argument(subject, taken[p], {{entry, found->parameters[p]}});
  // A variable of the module is known in every function.
  for (std::size_t i = 0; i < subject.problem.arguments.size(); ++i) {
    const std::string& symbol = subject.problem.arguments[i].symbol;
    std::set<Place> everywhere;
    for (std::size_t f = 0; f < text_.functions.size(); ++f) everywhere.insert({f, last_part(symbol)});
    if (!symbol.empty()) add_argument(subject, i, std::move(everywhere));
  }
}

void Roles::add_argument(const Subject& subject, std::size_t i, std::set<Place> places) {
  const model::Argument& argument = subject.problem.arguments[i];
  const std::string name = places.begin()->second;
  arguments_[i].second.merge(aliases_of(text_, std::move(places)));
  const auto add = [&](std::vector<std::string>& names) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  if (argument.role == model::ArgumentRole::input) {
    add(names_.inputs);
    inputs_.insert(argument.name);
  } else if (model::is_judged(argument.role)) {
    add(names_.outputs);
    outputs_.insert(argument.name);
  } else if (argument.role == model::ArgumentRole::scalar) {
    scalars_.insert(argument.name);
    if (argument.dtype == model::DType::i64) wide_.insert(argument.name);
    const bool floating = argument.dtype == model::DType::f32 || argument.dtype == model::DType::f64;
    add(floating ? names_.float_scalars : names_.integer_scalars);
    if (!floating && is_flag(subject.problem, argument)) {
      add(names_.flags);
      flags_.insert(argument.name);
    }
  }
}

int Roles::line_of(const Statement& statement) const {
  return text_.tokens[statement.span.begin].line;
}

bool Roles::has(const Statement& statement, std::initializer_list<std::string_view> parts) const {
  for (std::size_t i = statement.span.begin; i < statement.span.end; ++i) {
    if (is_among(text_.tokens[i].text, parts)) return true;
  }
  return false;
}

template <class Test>
std::vector<int> Roles::lines_where(Test test) const {
  std::set<int> lines;
  for (const Statement& statement : text_.statements) {
    if (test(statement)) lines.insert(line_of(statement));
  }
  return {lines.begin(), lines.end()};
}

std::vector<int> Roles::uses(const std::string& argument) const {
  const auto found = std::find_if(arguments_.begin(), arguments_.end(),
                                  [&](const auto& known) { return known.first == argument; });
  if (found == arguments_.end()) return {};
  const bool scalar = scalars_.contains(argument);
  std::set<int> lines;
  for (const Statement& statement : text_.statements) {
    for (std::size_t i = statement.span.begin; i < statement.span.end; ++i) {
      const Token& token = text_.tokens[i];
      if (token.kind != TokenKind::name || !found->second.contains({statement.function, token.text}))
        continue;
      const bool member = i > 0 && (text_.tokens[i - 1].is(".") || text_.tokens[i - 1].is("->"));
      const bool element = i + 1 < statement.span.end && text_.tokens[i + 1].is("[");
      const bool target = i + 1 < statement.span.end && text_.tokens[i + 1].is("=");
      const bool pointed = i > 0 && text_.tokens[i - 1].is("*") && !scalar;
      const Flow flow = flow_of(text_, statement);
      const bool passed = scalar && !target;
      if (!member && (element || pointed || passed)) lines.insert(token.line);
    }
  }
  return {lines.begin(), lines.end()};
}

std::vector<int> Roles::stores() const {
  return lines_where([&](const Statement& statement) {
    const Flow flow = flow_of(text_, statement);
    return std::any_of(flow.assigned.begin(), flow.assigned.end(), [&](const std::string& name) {
      return std::any_of(arguments_.begin(), arguments_.end(), [&](const auto& argument) {
        return outputs_.contains(argument.first) && argument.second.contains({statement.function, name}) &&
               has(statement, {"[", "*"}) &&
               (has(statement, {"["}) || text_.tokens[statement.span.begin].is("*"));
      });
    });
  });
}

std::set<Place> Roles::divisors() const {
  std::set<Place> found;
  for (const Statement& statement : text_.statements) {
    for (std::size_t i = statement.span.begin; i + 1 < statement.span.end; ++i) {
      if (!text_.tokens[i].is("/") && !text_.tokens[i].is("/=")) continue;
      for (std::size_t j = i + 1; j < statement.span.end; ++j) {
        const Token& token = text_.tokens[j];
        if (token.kind == TokenKind::name && !is_among(token.text, {"static_cast", "float"})) {
          const bool called = j + 1 < statement.span.end && text_.tokens[j + 1].is("(");
          if (called) continue;
          const auto declared =
              std::find_if(variables_.begin(), variables_.end(), [&](const Variable& variable) {
                return variable.function == statement.function && variable.name == token.text;
              });
          const bool whole = declared != variables_.end() && is_integer_type(text_, declared->type) &&
                             declared->type != "auto";
          if (!whole && declared != variables_.end()) found.insert({statement.function, token.text});
          break;
        }
        if (!token.is("(")) break;
      }
    }
  }
  // What is copied into them.
  for (std::size_t before = 0; before != found.size();) {
    before = found.size();
    for (const Statement& statement : text_.statements) {
      const Flow flow = flow_of(text_, statement);
      const bool gives =
          std::any_of(flow.assigned.begin(), flow.assigned.end(), [&](const std::string& name) {
            return found.contains({statement.function, name});
          });
      if (!gives || flow.compound || has(statement, {"+", "-", "*", "/", "?", ","})) continue;
      for (const std::string& name : flow.read) {
        const bool floating =
            std::any_of(variables_.begin(), variables_.end(), [&](const Variable& variable) {
              return variable.function == statement.function && variable.name == name &&
                     !is_integer_type(text_, variable.type);
            });
        if (floating) found.insert({statement.function, name});
      }
    }
  }
  return found;
}

std::vector<int> Roles::divisions() const {
  const std::set<Place> found = divisors();
  return lines_where([&](const Statement& statement) {
    if (!has(statement, {"/", "/="})) return false;
    const Flow flow = flow_of(text_, statement);
    return std::any_of(flow.read.begin(), flow.read.end(), [&](const std::string& name) {
      return found.contains({statement.function, name});
    });
  });
}

std::vector<int> Roles::normaliser() const {
  const std::set<Place> found = divisors();
  std::vector<int> lines = lines_where([&](const Statement& statement) {
    const Flow flow = flow_of(text_, statement);
    return std::any_of(flow.assigned.begin(), flow.assigned.end(), [&](const std::string& name) {
      return found.contains({statement.function, name}) && flow.read.contains(name) &&
             has(statement, {"+=", "*=", "+", "*"});
    });
  });
  if (!lines.empty()) return lines;
  return lines_where([&](const Statement& statement) { return has(statement, {"+="}); });
}

std::vector<int> Roles::accumulator() const {
  const std::set<Place> divide = divisors();
  std::set<Place> sums;
  const std::vector<int> stored = stores();
  for (const Statement& statement : text_.statements) {
    if (std::find(stored.begin(), stored.end(), line_of(statement)) == stored.end()) continue;
    for (const std::string& name : flow_of(text_, statement).read) {
      if (!divide.contains({statement.function, name})) sums.insert({statement.function, name});
    }
  }
  sums = sources_of(text_, std::move(sums));
  return lines_where([&](const Statement& statement) {
    const Flow flow = flow_of(text_, statement);
    return has(statement, {"+=", "+"}) &&
           std::any_of(flow.assigned.begin(), flow.assigned.end(), [&](const std::string& name) {
             const bool floating =
                 std::any_of(variables_.begin(), variables_.end(), [&](const Variable& variable) {
                   return variable.function == statement.function && variable.name == name &&
                          !is_integer_type(text_, variable.type);
                 });
             return floating && flow.read.contains(name) && sums.contains({statement.function, name}) &&
                    !divide.contains({statement.function, name});
           });
  });
}

std::vector<int> Roles::exponentials() const {
  return lines_where([&](const Statement& statement) {
    for (std::size_t i = statement.span.begin; i < statement.span.end; ++i) {
      if (is_exponential(text_.tokens[i])) return true;
    }
    return false;
  });
}

std::vector<int> Roles::maxima() const {
  return lines_where([&](const Statement& statement) {
    return has(statement, {"fmaxf", "max", "fmax", "__hmax"});
  });
}

std::vector<int> Roles::masks() const {
  std::set<Place> flags;
  for (const auto& [name, places] : arguments_) {
    if (flags_.contains(name)) flags.insert(places.begin(), places.end());
  }
  const auto mentions = [&](const Statement& statement) {
    const Flow flow = flow_of(text_, statement);
    return std::any_of(flow.read.begin(), flow.read.end(), [&](const std::string& name) {
      return flags.contains({statement.function, name});
    });
  };
  return lines_where([&](const Statement& statement) {
    return mentions(statement) && has(statement, {"<", "<=", ">", ">=", "?", "==", "&&", "||"});
  });
}

std::vector<int> Roles::half_storage() const {
  std::set<int> lines;
  for (const Variable& variable : variables_) {
    if (variable.statement != std::string::npos &&
        (variable.type == "half" || variable.type == "__nv_bfloat16" || variable.type == "half2" ||
         variable.type == "__half2"))
      lines.insert(text_.tokens[variable.token].line);
  }
  return {lines.begin(), lines.end()};
}

std::vector<int> Roles::loops() const {
  return lines_where([&](const Statement& statement) {
    return statement.kind == StatementKind::header && has(statement, {"for", "while"});
  });
}

}  // namespace evo::diagnose
