// The code of a job's artifacts, which travels once and apart from the jobs that name it by its hash.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "evaluators/gates/device_job.hpp"

namespace evo::farm {

struct Code {
  std::string hash;  ///< SHA-256 of `bytes`
  std::string bytes;
};

/// The bytes of that hash; nothing where they are not to be had.
using FindCode = std::function<std::optional<std::string>(const std::string& hash)>;

/// Nobody has a job's code: whoever sent the job has to put it again.
struct CodeMissing : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Takes PTX and machine code out of the job's artifacts and leaves their hashes there, of each text that is
/// worth it. What is longer than a message stays where it is.
[[nodiscard]] std::vector<Code> take_code_out(evaluators::gates::DeviceJob& job);
/// Undoes it. Throws CodeMissing where `find` has not what the job names.
void put_code_back(evaluators::gates::DeviceJob& job, const FindCode& find);

/// What a worker has fetched, the last used kept up to `most_bytes`. Thread-safe.
class CodeCache {
 public:
  explicit CodeCache(std::size_t most_bytes = std::size_t{256} << 20) : most_bytes_(most_bytes) {}

  /// As kept, or as `fetch` gives it: then only if it has that hash, whoever wrote it.
  [[nodiscard]] std::optional<std::string> find(const std::string& hash, const FindCode& fetch);
  [[nodiscard]] std::size_t bytes() const;

 private:
  std::size_t most_bytes_, bytes_ = 0;
  mutable std::mutex mutex_;
  std::list<Code> kept_;  ///< the last used first
  std::map<std::string, std::list<Code>::iterator> places_;
};

}  // namespace evo::farm
