#include "evaluators/process/program_cage.hpp"

#include "evaluators/process/confine.hpp"
#include "evaluators/process/file_rules.hpp"

namespace evo::evaluators::process {

ProgramCage::ProgramCage(std::filesystem::path folder, const std::string& own)
    : folder_(std::move(folder)),
      rules_(writing_rules({folder_.string(), own})),
      calls_(program_call_filter(true)) {
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
  words.insert(words.end(), argv.begin(), argv.end());
  return words;
}

}  // namespace evo::evaluators::process
