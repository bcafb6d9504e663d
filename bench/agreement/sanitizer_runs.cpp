#include "bench/agreement/sanitizer_runs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include <sys/wait.h>

#include <fmt/format.h>

#include "evaluators/sanitizer/findings.hpp"

namespace evo::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::array tools{"memcheck", "racecheck", "initcheck", "synccheck"};

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

struct Ran {
  int code = -1;
  std::string output;
};

Ran run(const std::string& command, int seconds) {
  const std::string line = fmt::format("timeout -k 2 {} {} 2>&1", seconds, command);
  Ran ran;
  FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 65536> part{};
  constexpr std::size_t most = std::size_t{1} << 26;
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe)) {
    if (ran.output.size() < most) ran.output.append(part.data(), count);
  }
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return ran;
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
  std::string launcher;
  for (const std::string& word : options.launcher) launcher += quoted(word) + " ";
  std::map<int, ToolFindings> findings;
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t b = next++; b < batches.size(); b = next++) {
      const Batch& batch = batches[b];
      // A variant that ends the process is told as such, and the next process begins behind it.
      for (int first = batch.first; first <= batch.last;) {
        const Ran ran =
            run(fmt::format("{} --tool {} --destroy-on-device-error kernel --print-limit 100000 {} {} "
                            "{} {}",
                            quoted(options.sanitizer), batch.tool, launcher, quoted(folder.string()), first,
                            batch.last),
                options.seconds);
        const std::string why = ran.code == 124 ? fmt::format("not finished after {} s", options.seconds)
                                                : fmt::format("the process ended with code {}", ran.code);
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
