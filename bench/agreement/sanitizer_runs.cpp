#include "bench/agreement/sanitizer_runs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "evaluators/process/capture.hpp"
#include "evaluators/sanitizer/findings.hpp"
#include "model/error.hpp"

namespace evo::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::array tools{"memcheck", "racecheck", "initcheck", "synccheck"};

constexpr std::size_t most_output = std::size_t{1} << 26;

/// A program that cannot be started has said why, and launched nothing.
evaluators::process::Captured run(const std::vector<std::string>& command, int seconds) {
  try {
    return evaluators::process::run_captured(command, std::chrono::seconds(seconds), most_output);
  } catch (const model::Exception& error) {
    evaluators::process::Captured nothing;
    nothing.output = error.what();
    return nothing;
  }
}

/// One line of the launcher: "evo-launch WORD NUMBER REST".
struct Mark {
  std::string word, rest;
  int index = -1;
};
bool read_mark(const std::string& line, Mark& mark) {
  const std::size_t at = line.find("evo-launch ");  // the tool's own output may stand before it
  if (at == std::string::npos) return false;
  std::istringstream words(line.substr(at + 11));
  words >> mark.word >> mark.index;
  std::getline(words, mark.rest);
  mark.rest.erase(0, mark.rest.find_first_not_of(' '));
  return true;
}

}  // namespace

int attribute(const std::string& output, const std::string& tool, const std::string& unfinished,
              std::map<int, ToolFindings>& findings) {
  static const std::regex named(R"(_v([0-9]{3,})\b)");
  const std::string bar = "=========";
  int current = -1;
  std::set<int> open;
  std::map<int, std::string> reports;
  std::string block;
  const auto close = [&] {
    std::smatch match;
    const int owner = std::regex_search(block, match, named) ? std::atoi(match[1].str().c_str()) : current;
    if (!block.empty() && owner >= 0) reports[owner] += block + bar + "\n";
    block.clear();
  };
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    Mark mark;
    if (read_mark(line, mark)) {
      close();
      if (mark.word == "begin") {
        current = mark.index;
        open.insert(current);
      } else {
        open.erase(mark.index);
        if (mark.word == "failed" && mark.index >= 0)
          findings[mark.index].trouble.push_back(fmt::format("{}: {}", tool, mark.rest));
      }
    } else if (line.starts_with(bar)) {
      if (line.find_first_not_of("= \t\r") == std::string::npos) {
        close();
      } else {
        block += line + "\n";
      }
    }
  }
  close();
  for (const auto& [index, text] : reports) {
    for (model::Evidence& evidence : evaluators::sanitizer::parse_findings(text, tool))
      findings[index].evidence.push_back(std::move(evidence));
  }
  for (const int index : open) findings[index].trouble.push_back(fmt::format("{}: {}", tool, unfinished));
  return current;
}

std::map<int, ToolFindings> run_tools(const fs::path& folder, int count, const SanitizerOptions& options) {
  struct Batch {
    const char* tool;
    int first, last;
  };
  std::vector<Batch> batches;
  for (int first = 0; first < count; first += options.batch) {
    for (const char* tool : tools)
      batches.push_back({tool, first, std::min(first + options.batch, count) - 1});
  }
  std::map<int, ToolFindings> findings;
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t b = next++; b < batches.size(); b = next++) {
      const Batch& batch = batches[b];
      // A variant that ends the process is told as such, and the next process begins behind it.
      for (int first = batch.first; first <= batch.last;) {
        std::vector<std::string> command{
            options.sanitizer, "--tool",        batch.tool, "--destroy-on-device-error",
            "kernel",          "--print-limit", "100000"};
        command.insert(command.end(), options.launcher.begin(), options.launcher.end());
        command.insert(command.end(), {folder.string(), std::to_string(first), std::to_string(batch.last)});
        const auto ran = run(command, options.seconds);
        const std::string why = ran.timed_out ? fmt::format("not finished after {} s", options.seconds)
                                : ran.exit_code
                                    ? fmt::format("the process ended with code {}", *ran.exit_code)
                                    : std::string("the process was killed");
        const std::scoped_lock lock(mutex);
        const int reached = attribute(ran.output, batch.tool, why, findings);
        if (reached < first) {
          for (int k = first; k <= batch.last; ++k) {
            findings[k].trouble.push_back(
                fmt::format("{}: nothing was launched: {}", batch.tool,
                            ran.output.substr(0, std::min<std::size_t>(ran.output.size(), 200))));
          }
          break;
        }
        first = reached + 1;
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < options.processes; ++i) workers.emplace_back(work);
  }
  return findings;
}

}  // namespace evo::bench
