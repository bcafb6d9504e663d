// Lines that a cause may be about, without a right text to compare with: what each rule says such lines look
// like, searched among the lines that the compiler made code of.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/post_mortem.hpp"
#include "diagnose/subject.hpp"

namespace evo::diagnose {

/// What the line table of an artifact says.
struct CodeLines {
  using Line = std::pair<std::string, int>;
  /// Lines of each file that some instruction comes from: what stands in a branch of the preprocessor that
  /// was not taken, or in a function that nobody calls, is not among them.
  std::map<std::string, std::set<int>> lines;
  std::map<Line, std::set<Line>> callers;  ///< of code that was inlined: where from

  /// Lines of `file` outside of every inlined function from which `line` is reached; itself if it is one.
  [[nodiscard]] std::set<int> outermost(const std::string& file, int line) const;
};
[[nodiscard]] CodeLines code_lines(const std::string& ptx);

/// Best first; the most likely cause and the facts of `report` decide what is looked for. Empty where
/// nothing looks like it.
[[nodiscard]] std::vector<SourcePlace> suspects(const Subject& subject, const PostMortem& report,
                                                const CodeLines& code);

/// The line before which a barrier belongs, between two accesses that race: behind the innermost loops of
/// the earlier one that the later one is not in; or, where a barrier stands between them already, so that
/// the later access races with the next turn's earlier one, the end of the loop that both are in. Either may
/// be reached from several lines. `code`: lines that the compiler made code of, where they are known; other
/// barriers do not count. 0 if unknown.
[[nodiscard]] int barrier_place(const std::string& source, const std::set<int>& one,
                                const std::set<int>& other, const std::set<int>& code = {});

/// barrier_place() of the first race among the findings that lies in the kernel's file; 0 if there is none.
[[nodiscard]] int barrier_place(const Subject& subject, const model::Failure& failure, const CodeLines& code);

/// A wait for asynchronous copies without a barrier behind it: the line after. 0 if there is none.
[[nodiscard]] int wait_without_barrier(const std::string& source, const std::set<int>& code);

}  // namespace evo::diagnose
