#include "diagnose/compute_sanitizer.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "evaluators/process/capture.hpp"
#include "evaluators/sanitizer/compute_sanitizer.hpp"
#include "evaluators/sanitizer/findings.hpp"

namespace evo::diagnose {
namespace {

namespace fs = std::filesystem;
using evaluators::process::Captured;

constexpr std::size_t most_output = std::size_t{1} << 22;
constexpr int build_seconds = 120;

Captured run(const fs::path& folder, const std::vector<std::string>& command, int seconds) {
  return evaluators::process::run_captured(command, std::chrono::seconds(seconds), most_output, folder);
}

}  // namespace

SanitizerRun run_sanitizers(const fs::path& folder, const std::string& arch, int seconds) {
  SanitizerRun result;
  const auto sanitizer = evaluators::sanitizer::find_compute_sanitizer();
  const auto nvcc = evaluators::process::find_program("nvcc");
  if (!sanitizer || !nvcc) {
    result.notes.push_back(
        fmt::format("compute-sanitizer did not run: {} is not installed", sanitizer ? "nvcc" : "it"));
    return result;
  }
  if (::access("/dev/nvidiactl", R_OK) != 0) {
    result.notes.emplace_back("compute-sanitizer did not run: there is no GPU");
    return result;
  }
  const Captured built =
      run(folder, {nvcc->string(), "-arch=" + arch, "-lineinfo", "-o", "reproducer", "reproducer.cu"},
          build_seconds);
  if (built.exit_code != 0) {
    result.notes.push_back(fmt::format("the reproducer could not be built: {}", built.output.substr(0, 400)));
    return result;
  }
  for (const char* tool : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
    const Captured ran = run(folder, {sanitizer->string(), "--tool", tool, "./reproducer"}, seconds);
    for (model::Evidence& evidence : evaluators::sanitizer::parse_findings(ran.output, tool))
      result.evidence.push_back(std::move(evidence));
    if (ran.timed_out) result.notes.push_back(fmt::format("{} took more than {} s", tool, seconds));
    if (const std::string why = evaluators::sanitizer::parse_complaint(ran.output); !why.empty())
      result.notes.push_back(fmt::format("{}: {}", tool, why));
  }
  return result;
}

}  // namespace evo::diagnose
