#include "diagnose/compute_sanitizer.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <regex>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

namespace evo::diagnose {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> find_tool(const char* name) {
  std::vector<fs::path> folders;
  if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(fs::path(home) / "bin");
  std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(path, folder, ':');) folders.emplace_back(folder);
  for (const fs::path& folder : folders) {
    if (::access((folder / name).c_str(), X_OK) == 0) return folder / name;
  }
  return std::nullopt;
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

struct Ran {
  int code = -1;
  std::string output;
};

Ran run(const fs::path& folder, const std::string& command, int seconds) {
  const std::string line =
      fmt::format("cd {} && timeout -k 1 {} {} 2>&1", quoted(folder.string()), seconds, command);
  Ran ran;
  FILE* pipe = ::popen(line.c_str(), "r");
  if (!pipe) return ran;
  std::array<char, 4096> part{};
  constexpr std::size_t most = std::size_t{1} << 22;
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe)) {
    if (ran.output.size() < most) ran.output.append(part.data(), count);
  }
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return ran;
}

std::string kind_of(const std::string& line) {
  const auto has = [&](const char* words) { return line.find(words) != std::string::npos; };
  if (has("SUMMARY")) return {};  // "RACECHECK SUMMARY: 0 hazards displayed" is no hazard
  if (has("is misaligned") || has("Misaligned")) return "misaligned";
  if (has("Race reported") || has("hazard")) return "race_shared";
  if (has("Uninitialized")) return "uninitialized";
  if (has("Barrier error") || has("Divergent thread")) return "barrier_divergence";
  if (has("Invalid __") || has("out of bounds")) return "out_of_bounds";
  return {};
}

}  // namespace

std::vector<model::Evidence> parse_sanitizer(const std::string& output, const std::string& tool) {
  // A finding begins with a line that has a kind; its place follows as "in FILE:LINE" or "(FILE:LINE)" or
  // ":FILE:LINE:".
  static const std::regex place(R"(([A-Za-z0-9_./-]+\.(?:cu|cuh|h|hpp)):([0-9]+))");
  std::vector<model::Evidence> found;
  std::istringstream lines(output);
  std::optional<model::Evidence> open;
  const auto close = [&] {
    if (!open) return;
    const bool known = std::any_of(found.begin(), found.end(), [&](const model::Evidence& other) {
      return other.kind == open->kind && other.file == open->file && other.line == open->line;
    });
    if (!known) found.push_back(std::move(*open));
    open.reset();
  };
  for (std::string line; std::getline(lines, line);) {
    const std::string mark = "=========";
    if (!line.starts_with(mark)) continue;
    const std::string text = line.substr(std::min(line.find_first_not_of(" \t", mark.size()), line.size()));
    if (text.empty()) {
      close();
      continue;
    }
    const std::string kind = kind_of(text);
    if (!open && !kind.empty()) open = model::Evidence{kind, text, {}, 0, {{"tool", tool}}};
    if (!open) continue;
    // "Invalid read" and, a line later, "Address ... is misaligned" are one finding.
    if (kind == "misaligned") open->kind = kind;
    std::smatch match;
    if (open->line == 0 && std::regex_search(text, match, place)) {
      open->file = fs::path(match[1].str()).filename().string();
      open->line = std::atoi(match[2].str().c_str());
    }
  }
  close();
  return found;
}

SanitizerRun run_sanitizers(const fs::path& folder, const std::string& arch, int seconds) {
  SanitizerRun result;
  const auto sanitizer = find_tool("compute-sanitizer"), nvcc = find_tool("nvcc");
  if (!sanitizer || !nvcc) {
    result.notes.push_back(
        fmt::format("compute-sanitizer did not run: {} is not installed", sanitizer ? "nvcc" : "it"));
    return result;
  }
  if (::access("/dev/nvidiactl", R_OK) != 0) {
    result.notes.emplace_back("compute-sanitizer did not run: there is no GPU");
    return result;
  }
  const Ran built = run(
      folder, fmt::format("{} -arch={} -lineinfo -o reproducer reproducer.cu", quoted(nvcc->string()), arch),
      120);
  if (built.code != 0) {
    result.notes.push_back(fmt::format("the reproducer could not be built: {}", built.output.substr(0, 400)));
    return result;
  }
  for (const char* tool : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
    const Ran ran =
        run(folder, fmt::format("{} --tool {} ./reproducer", quoted(sanitizer->string()), tool), seconds);
    for (model::Evidence& evidence : parse_sanitizer(ran.output, tool))
      result.evidence.push_back(std::move(evidence));
    if (ran.code == 124) result.notes.push_back(fmt::format("{} took more than {} s", tool, seconds));
  }
  return result;
}

}  // namespace evo::diagnose
