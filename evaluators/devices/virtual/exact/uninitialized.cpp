// Values that nothing set: where they come from, and what is told when they decide something.
#include <string>
#include <utility>

#include <fmt/format.h>

#include "evaluators/devices/virtual/exact/block.hpp"
#include "evaluators/devices/virtual/ptx/liveness.hpp"

namespace evo::evaluators::virtual_device::exact {

std::uint32_t Block::poison_of(const Thread& thread, const Step& step) const {
  for (unsigned i = 0; i < step.src_count; ++i) {
    if (const std::uint32_t poison = thread.poison[step.src[i]]; poison != 0) return poison;
  }
  return 0;
}

/// The step is the first of this thread to read a register that nothing has written: that is where a person
/// looks.
void Block::note_first_reads(const Thread& thread) {
  const std::size_t count = code_.unset.size();
  ptx::for_each_read(*code_.program, *code_.steps[thread.pc].instruction, [&](std::uint32_t reg) {
    const std::uint32_t poison = thread.poison[reg];
    if (poison == 0 || poison > count || code_.unset[poison - 1].reg != reg) return;
    std::uint32_t& noted = first_reads_[thread.index * count + poison - 1];
    if (noted == 0) noted = thread.pc + 1;
  });
}

/// Of this thread, or of the first one that read it where the value came through a shuffle or shared memory.
std::uint32_t Block::first_read_of(const Thread& thread, std::uint32_t unset) const {
  const std::size_t count = code_.unset.size();
  if (const std::uint32_t own = first_reads_[thread.index * count + unset]; own != 0) return own - 1;
  for (std::size_t other = unset; other < first_reads_.size(); other += count) {
    if (first_reads_[other] != 0) return first_reads_[other] - 1;
  }
  return code_.unset[unset].reads.front();
}

void Block::report_uninitialized(const Thread& thread, std::uint32_t poison, std::string_view use) {
  Finding finding;
  const Origin& origin = origins_[poison - 1];
  if (!origin.shuffle.empty()) {
    finding.kind = FindingKind::shuffle_mask;
    finding.here = origin.site;
    finding.other = origin.absent;
    finding.text = fmt::format("{}; the value is undefined, and it {} ({})", origin.shuffle, use,
                               line_text(*code_.program, thread.pc));
    log_.add(finding);
    return;
  }
  finding.kind = FindingKind::uninitialized;
  finding.here = site(thread);
  if (origin.unset != Origin::none) {
    finding.other = finding.here;
    finding.other->instruction = first_read_of(thread, origin.unset);
    finding.variable = code_.program->register_names[code_.unset[origin.unset].reg];
    finding.text = use;
    log_.add(finding);
    return;
  }
  finding.other = origin.site;
  finding.space = origin.space;
  finding.address = origin.address;
  finding.width = origin.width;
  finding.text = use;
  log_.add(finding);
}

}  // namespace evo::evaluators::virtual_device::exact
