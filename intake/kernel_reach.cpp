#include "intake/kernel_reach.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "intake/probe_run.hpp"

namespace evo::intake {
namespace {

/// "min(n, taps)" -> n and taps.
std::optional<std::pair<std::string, std::string>> least_of(const std::string& text) {
  const std::size_t comma = text.find(", ");
  if (!text.starts_with("min(") || !text.ends_with(")") || comma == std::string::npos) return std::nullopt;
  return std::pair(text.substr(4, comma - 4), text.substr(comma + 2, text.size() - comma - 3));
}

/// At the smallest sizes that tell axes apart. True where it cannot be asked, too, which `runs` says.
bool keeps_to(const Draft& draft, const model::Artifact& kernel, bool reversed, bool& runs) {
  ProbeRun run(draft, kernel, Probed::kernel, 1, reversed);
  runs = run.ready() && run.set_launch(draft.launch.grid, draft.launch.block, draft.launch.dynamic_smem);
  std::vector<std::int64_t> bytes(draft.arguments.size(), 0);
  for (std::size_t i = 0; i < bytes.size() && runs; ++i) {
    if (draft.arguments[i].role == "scalar") continue;
    const auto elements = run.elements_of(draft.arguments[i].shape);
    runs = elements.has_value();
    if (runs) bytes[i] = *elements * run.element_bytes(i);
  }
  return !runs || run.fits(bytes, ProbeFill::ones);
}

bool keeps_to(const Draft& draft, const model::Artifact& kernel) {
  bool runs = true, also = true;
  const bool keeps = keeps_to(draft, kernel, false, runs) && keeps_to(draft, kernel, true, also);
  return keeps || !runs || !also;
}

}  // namespace

void widen_to_kernel(Draft& draft, const model::Artifact& kernel) {
  if (!draft.launch.todo.empty()) return;
  for (std::size_t i = 0; i < draft.arguments.size(); ++i) {
    const DraftArgument& argument = draft.arguments[i];
    if (argument.role != "input" || argument.why.find("as far as it goes") == std::string::npos) continue;
    for (std::size_t side = 0; side < argument.shape.size(); ++side) {
      const auto least = least_of(argument.shape[side]);
      if (!least || keeps_to(draft, kernel)) continue;
      for (const std::string& larger : {least->first, least->second}) {
        Draft other = draft;
        other.arguments[i].shape[side] = larger;
        if (!keeps_to(other, kernel)) continue;
        draft.arguments[i].shape[side] = larger;
        draft.arguments[i].why += ", and the kernel further";
        break;
      }
    }
  }
}

}  // namespace evo::intake
