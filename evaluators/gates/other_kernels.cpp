#include "evaluators/gates/other_kernels.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evo::evaluators::gates {

std::optional<model::Evidence> other_kernels(const model::Artifact& artifact) {
  constexpr std::string_view mark = "Compiling entry function '";
  const std::string_view log = artifact.compiler_log;
  std::vector<std::string> names;
  for (std::size_t at = log.find(mark); at != std::string_view::npos; at = log.find(mark, at)) {
    at += mark.size();
    std::string name(log.substr(at, log.find('\'', at) - at));
    const bool launched =
        name == artifact.entry ||
        std::any_of(artifact.others.begin(), artifact.others.end(),
                    [&](const model::FurtherKernel& kernel) { return kernel.entry == name; });
    if (!launched && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  if (names.empty()) return std::nullopt;
  std::sort(names.begin(), names.end());
  return model::Evidence{
      "not_launched",
      fmt::format("the source has kernels that are not launched, and that no gate has looked at: {}",
                  fmt::join(names, ", ")),
      artifact.source_file,
      0,
      {}};
}

}  // namespace evo::evaluators::gates
