// Rows of shared arrays that a column's elements would lie in one bank of.
#include <fmt/format.h>

#include "mutators/source_arrays.hpp"
#include "mutators/source_operators.hpp"
#include "mutators/source_sites.hpp"

namespace evo::mutators {

// One element is what a column of words needs; four and eight keep rows of words and of halves at multiples
// of 16 bytes, for wide accesses and matrix loads.
std::vector<Change> ArrayPad::changes(const EditedSource& source) const {
  const source::Program& program = source.program;
  std::vector<Change> result;
  for (const Array& array : arrays_of(source)) {
    if (!array.shared || array.lengths.size() < 2) continue;
    const source::Span all = program.nodes[array.node].span, row = array.lengths.back();
    for (const int more : {1, 4, 8})
      result.push_back(one_edit(name(), source::anchor_of(program, array.node),
                                fmt::format("replace {}({}) + {}{}", program.flat({all.begin, row.begin}),
                                            program.flat(row), more, program.flat({row.end, all.end}))));
  }
  return result;
}

}  // namespace evo::mutators
