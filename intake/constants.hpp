// Variables of a source that host code fills before a launch: __constant__ float filter[17];
#pragma once

#include <string>
#include <vector>

namespace evo::intake {

struct DeclaredVariable {
  std::string name;  ///< as its declaration has it
  std::string type;  ///< of an element: "float"
  int line = 0;
};

/// The __constant__ variables of the text that its declarations give no value.
[[nodiscard]] std::vector<DeclaredVariable> open_constants(const std::string& source);

/// What `typedef X NAME;` in one of the texts says of NAME: "unsigned int", "" where none does.
[[nodiscard]] std::string typedef_of(const std::string& name, const std::vector<std::string>& texts);

struct OpenVariable {
  std::string symbol;  ///< as C++ names it: "ns::filter"
  long bytes = 0;
  std::string
      type{};  ///< "float" or "double" of one number; "" of an array and of others, which PTX does not say
};

/// The variables in constant memory of a module that have no initial value, and that this entry or a function
/// names.
[[nodiscard]] std::vector<OpenVariable> open_constants_of(const std::string& ptx, const std::string& entry);

}  // namespace evo::intake
