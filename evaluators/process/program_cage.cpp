#include "evaluators/process/program_cage.hpp"

#include <fmt/format.h>

#include "evaluators/process/confine.hpp"
#include "evaluators/process/file_rules.hpp"

namespace evo::evaluators::process {

ProgramCage::ProgramCage(std::filesystem::path folder, const std::string& own)
    : folder_(std::move(folder)),
      rules_(writing_rules({folder_.string(), own})),
      calls_(available_sandbox().seccomp ? program_call_filter(true) : std::vector<sock_filter>{}) {
  filter_ = {static_cast<unsigned short>(calls_.size()), calls_.data()};
}

ChildLimits ProgramCage::limits() const {
  ChildLimits limits;
  limits.file_rules = rules_ ? rules_.get() : -1;
  limits.call_filter = calls_.empty() ? nullptr : &filter_;
  return limits;
}

std::vector<std::string> ProgramCage::command(const std::vector<std::string>& argv) const {
  std::vector<std::string> words{"/usr/bin/env", "TMPDIR=" + folder_.string()};
  // Where libraries keep what they have compiled: below the home folder they may not write.
  for (const char* cache : {"XDG_CACHE_HOME", "CUPY_CACHE_DIR", "TRITON_CACHE_DIR", "TORCH_EXTENSIONS_DIR",
                            "NUMBA_CACHE_DIR", "MPLCONFIGDIR", "UV_CACHE_DIR"})
    words.push_back(fmt::format("{}={}/cache/{}", cache, folder_.string(), cache));
  words.insert(words.end(), argv.begin(), argv.end());
  return words;
}

}  // namespace evo::evaluators::process
