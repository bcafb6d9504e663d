#include "evaluators/gates/proxy_fences.hpp"

#include <string>

#include <fmt/format.h>

#include "evaluators/gates/proxy_flow.hpp"
#include "model/file_name.hpp"

namespace evo::evaluators::gates {
namespace {

class Report {
 public:
  explicit Report(const model::Artifact& artifact) : artifact_(artifact), module_(artifact.ptx) {}

  std::optional<model::Failure> run() const {
    model::Failure failure{model::Status::sanitizer_fail, "proxy_fence", {}};
    for (const UnfencedRead& read : ProxyFlow(module_).unfenced_reads())
      failure.evidence.push_back(evidence(read));
    if (failure.evidence.empty()) return std::nullopt;
    return failure;
  }

 private:
  [[nodiscard]] std::string file(const Statement& at) const {
    return at.line > 0 ? module_.file(at.file) : artifact_.source_file;
  }
  [[nodiscard]] std::string place(const Statement& at) const {
    const std::string where = model::place_text(file(at), at.line);
    return fmt::format("{}{}{}", instruction_of(at).opcode, where.empty() ? "" : " at ", where);
  }

  [[nodiscard]] model::Evidence evidence(const UnfencedRead& found) const {
    const Statement& write = *found.write;
    const bool copy = proxy_step(write).action == ProxyAction::copy;
    std::string message = fmt::format(
        "what {} writes to shared memory comes to {}, which reads through the asynchronous proxy, "
        "with no fence.proxy.async between",
        place(write), place(*found.read));
    Details details{{"instruction", std::string(instruction_of(write).opcode)},
                    {"other_instruction", std::string(instruction_of(*found.read).opcode)},
                    {"other_file", file(*found.read)},
                    {"other_line", fmt::format("{}", found.read->line)}};
    if (found.hand_over != nullptr) {
      message += fmt::format("; it is handed over by {}", place(*found.hand_over));
      details.emplace_back("hand_over_file", file(*found.hand_over));
      details.emplace_back("hand_over_line", fmt::format("{}", found.hand_over->line));
    }
    message +=
        copy ? ": it takes a fence.proxy.async.shared::cta after the wait for the copies and before the "
               "read (or before the barrier that hands them over)"
             : ": it takes a fence.proxy.async.shared::cta after the write and before the barrier that "
               "hands it over, by each thread that writes";
    return {"proxy_fence", std::move(message), file(write), write.line, std::move(details)};
  }

  const model::Artifact& artifact_;
  PtxModule module_;
};

}  // namespace

std::optional<model::Failure> check_proxy_fences(const model::Artifact& artifact) {
  // Most kernels have nobody who reads through the asynchronous proxy.
  if (artifact.ptx.find("wgmma.mma_async") == std::string::npos &&
      artifact.ptx.find("async.bulk.") == std::string::npos)
    return std::nullopt;
  return Report(artifact).run();
}

}  // namespace evo::evaluators::gates
