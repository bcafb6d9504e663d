#include "evaluators/sanitizer/blind_spots.hpp"

#include <algorithm>
#include <string>

#include "evaluators/code/ptx_statements.hpp"
#include "evaluators/sanitizer/findings.hpp"

namespace evo::evaluators::sanitizer {
namespace {

model::Evidence note(const char* tool, const char* what) {
  return {"blind_spot", what, {}, 0, {{"tool", tool}}};
}

}  // namespace

AsyncUse async_use(std::string_view ptx) {
  AsyncUse use;
  const code::PtxModule module{std::string(ptx)};
  for (const code::Statement& statement : module.statements()) {
    const std::string_view opcode = code::instruction_of(statement).opcode;
    if (code::names_instruction(opcode, "wgmma.mma_async")) use.wgmma = true;
    const bool bulk = code::names_instruction(opcode, "cp.async.bulk") ||
                      code::names_instruction(opcode, "cp.reduce.async.bulk");
    const auto words = code::modifiers_of(opcode);
    const auto names = [&](const char* word) { return std::find(words.begin(), words.end(), word); };
    if (code::names_instruction(opcode, "mbarrier") || names("mbarrier") != words.end()) use.mbarrier = true;
    if (!bulk || names("commit_group") != words.end() || names("wait_group") != words.end()) continue;
    use.bulk_copy = true;
    // The state space that comes first is where the data goes.
    const auto global = names("global");
    const auto shared = std::find_if(words.begin(), words.end(),
                                     [](std::string_view word) { return word.starts_with("shared"); });
    if (global != words.end() && global < shared) use.bulk_store = true;
  }
  return use;
}

std::vector<model::Evidence> blind_spots(const AsyncUse& use) {
  std::vector<model::Evidence> notes{
      note("racecheck", "races in global memory are not looked for"),
      note("initcheck",
           "shared memory is not looked at; what a launch before has written counts as written")};
  if (use.bulk_copy) {
    notes.push_back(
        note("racecheck",
             "writes of bulk copies (TMA) are attributed to no thread: a tile that is read before it "
             "has arrived, or overwritten while it is read, is not seen"));
  }
  if (use.wgmma) {
    notes.push_back(note("racecheck",
                         "reads of wgmma from shared memory are attributed to no thread: a missing "
                         "fence.proxy.async or a missing wait before a buffer is used again is not seen"));
  }
  if (use.mbarrier) {
    notes.push_back(
        note("racecheck",
             "mbarriers that PTX sets up are not followed: accesses that they order may be reported "
             "as hazards, so that hazards of this kernel are recorded and do not refuse it"));
    notes.push_back(
        note("synccheck",
             "mbarriers that PTX sets up are counted by guess: reports about them are recorded and "
             "do not refuse the kernel"));
  }
  if (use.bulk_store) {
    notes.push_back(note("initcheck",
                         "versions before 2025.4 do not see bulk stores to global memory: reads of what they "
                         "wrote are recorded and do not refuse the kernel"));
  }
  return notes;
}

std::string excuse(const model::Evidence& finding, const AsyncUse& use) {
  const std::string severity = detail_of(finding, "severity");
  if (severity == "warning")
    return "a warning: it is a hazard by the programming model that the tool did not see go wrong";
  if (severity == "info") return "of the severity info";
  if (finding.kind == "race_shared" && use.any())
    return "the kernel orders its accesses by means that racecheck does not follow (see blind spots)";
  if (finding.kind == "uninitialized" && use.bulk_store)
    return "the kernel stores in bulk, which initcheck may not see (see blind spots)";
  if (finding.kind == "barrier_divergence" && use.mbarrier && detail_of(finding, "barrier") == "mbarrier")
    return "about an mbarrier that PTX sets up (see blind spots)";
  return {};
}

}  // namespace evo::evaluators::sanitizer
