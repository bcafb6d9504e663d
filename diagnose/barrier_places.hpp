// Where a barrier belongs, from the lines of two accesses.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "diagnose/code_lines.hpp"
#include "diagnose/subject.hpp"
#include "model/verdict.hpp"

namespace evo::diagnose {

/// The line before which a barrier belongs, between two accesses that race: behind the innermost loops of
/// the earlier one that the later one is not in; or, where a barrier stands between them already, so that
/// the later access races with the next turn's earlier one, the end of the loop that both are in. Either may
/// be reached from several lines. `code`: lines that the compiler made code of, where they are known; other
/// barriers do not count. `late`: of several places between the two the last one, before an access that
/// overwrites. 0 if unknown.
[[nodiscard]] int barrier_place(const std::string& source, const std::set<int>& one,
                                const std::set<int>& other, const std::set<int>& code = {},
                                bool late = false);

/// barrier_place() of the races among the findings that lie in the kernel's file: of the nearest pair of
/// lines of each first, then the same as if no barrier stood between them, then of the other lines that they
/// may be reached from; no line twice.
[[nodiscard]] std::vector<int> barrier_places(const Subject& subject, const model::Failure& failure,
                                              const CodeLines& code);

/// Lines before which a barrier may belong if the accesses at `lines` race, however the source is written:
/// the ends of the loops that they are in, innermost first, then before and behind each of them.
[[nodiscard]] std::vector<int> lines_around(const std::string& source, const std::set<int>& lines);

/// A wait for asynchronous copies without a barrier behind it, in `file`, whose text is `source`: the line
/// after. A wait in a function that was inlined stands where that is called. 0 if there is none.
[[nodiscard]] int wait_without_barrier(const std::string& file, const std::string& source,
                                       const CodeLines& code);

}  // namespace evo::diagnose
