// The variables of a source, with the kind of their type, and where each stands for what a kernel was given.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "diagnose/tokens.hpp"

namespace evo::diagnose {

struct Variable {
  std::string name;
  std::string type;  ///< "int", "float", "half", "half *", ...: without const and without references
  std::size_t function = 0;
  std::size_t token = 0;      ///< of its declaration
  std::size_t statement = 0;  ///< that declares it; npos for a parameter
  bool shared = false;        ///< __shared__
  bool array = false;
  bool initialised = false;
};

[[nodiscard]] std::vector<Variable> variables_of(const SourceText& source);

/// What stands between the commas of the parentheses at `open`.
[[nodiscard]] std::vector<Span> arguments_of(const std::vector<Token>& tokens, std::size_t open);

/// "int", "unsigned", "size_t", ... and what a typedef of the source makes of them.
[[nodiscard]] bool is_integer_type(const SourceText& source, const std::string& type);

/// What a statement gives a value to and what it reads: names without members and subscripts.
struct Flow {
  std::set<std::string> assigned, read;
  bool compound = false;  ///< += and the like
};
[[nodiscard]] Flow flow_of(const SourceText& source, const Statement& statement);

/// A name in a function: what flows where is followed over calls.
using Place = std::pair<std::size_t, std::string>;

/// All names that get their value from `seeds`, directly or over others, calls included.
[[nodiscard]] std::set<Place> derived_from(const SourceText& source, std::set<Place> seeds);
/// The other way: all names that `seeds` get their value from.
[[nodiscard]] std::set<Place> sources_of(const SourceText& source, std::set<Place> seeds);
/// Names that are the same value, copied or passed on, as `seeds`; of pointers also what an offset was added
/// to.
[[nodiscard]] std::set<Place> aliases_of(const SourceText& source, std::set<Place> seeds);

}  // namespace evo::diagnose
