// What the line table of an artifact says.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace evo::diagnose {

struct CodeLines {
  using Line = std::pair<std::string, int>;
  /// Lines of each file that some instruction comes from: what stands in a branch of the preprocessor that
  /// was not taken, or in a function that nobody calls, is not among them.
  std::map<std::string, std::set<int>> lines;
  std::map<Line, std::set<Line>> callers;  ///< of code that was inlined: where from

  /// Lines of `in` outside of every inlined function from which `at` is reached; itself if it is one.
  [[nodiscard]] std::set<int> outermost(const Line& at, const std::string& in) const;
  [[nodiscard]] std::set<int> outermost(const std::string& file, int line) const {
    return outermost({file, line}, file);
  }
  [[nodiscard]] bool has(const Line& at) const;
};

[[nodiscard]] CodeLines code_lines(const std::string& ptx);

/// Lines of `file` with an instruction that begins so ("st.global"), ascending.
[[nodiscard]] std::vector<int> lines_with(const std::string& ptx, const std::string& file,
                                          const std::string& opcode);

}  // namespace evo::diagnose
