// What of a published .cu is for the host: main(), launches, checks. A front end that compiles for the device
// alone stumbles over it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace evo::evaluators::compile {

/// A declaration or definition at namespace scope.
struct Declaration {
  std::size_t begin = 0, end = 0;     ///< bytes of the text
  int first_line = 0, last_line = 0;  ///< physical lines, from 1
  bool device = false;                ///< says __global__, __device__, __constant__, __managed__ or constexpr
  bool launches = false;              ///< holds <<<
  bool is_main = false;
  bool kernel = false;  ///< a __global__ function
  std::string name;     ///< of a function, without its scope
};

/// Those of `source`, inside namespaces and extern "C" blocks, too, in their order. Preprocessor lines belong
/// to none. Where braces do not match (in arms of an #if, say) the rest is one declaration.
[[nodiscard]] std::vector<Declaration> declarations_of(std::string_view source);

/// Does it launch kernels or define main()?
[[nodiscard]] bool has_host_code(std::string_view source);

/// `text` with these bytes blank; lines stay where they are, and so do preprocessor lines between them.
void blank(std::string& text, std::size_t begin, std::size_t end);

}  // namespace evo::evaluators::compile
