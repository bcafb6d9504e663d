// The program of a template that writes its source for a genome.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "model/source_generator.hpp"

namespace evo::evaluators::process {

/// Runs `command` in `folder`, with the values as one JSON object on its input ({"TILE": 16, "T": "half"}),
/// and takes what it prints as the source. It has no network, can write no file, and reads `folder`, the
/// system's folders and its own installation only (where the kernel has Landlock and seccomp). Each set of
/// values is asked for once; the first is asked for twice, and a command whose answers differ is refused.
class SourceCommand final : public model::SourceGenerator {
 public:
  SourceCommand(std::vector<std::string> command, std::filesystem::path folder,
                std::chrono::milliseconds limit = std::chrono::seconds(60));
  [[nodiscard]] tl::expected<std::string, model::Failure> generate(
      const model::Environment& values) const override;

 private:
  [[nodiscard]] tl::expected<std::string, model::Failure> run(const std::string& input) const;
  [[nodiscard]] model::Failure broken(std::string message) const;

  std::vector<std::string> command_;
  std::filesystem::path folder_;
  std::chrono::milliseconds limit_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, tl::expected<std::string, model::Failure>> known_;  ///< by the input
};

/// "TILE" = 16 and "T" = half as {"TILE": 16, "T": "half"}.
[[nodiscard]] std::string values_json(const model::Environment& values);

}  // namespace evo::evaluators::process
