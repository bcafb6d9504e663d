#include "evaluators/sanitizer/compute_sanitizer.hpp"

#include <array>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

#include "evaluators/process/capture.hpp"
#include "evaluators/process/temporary_file.hpp"
#include "evaluators/sanitizer/blind_spots.hpp"
#include "evaluators/sanitizer/findings.hpp"
#include "model/error.hpp"

namespace evo::evaluators::sanitizer {
namespace {

namespace fs = std::filesystem;

struct Tool {
  const char* name;
  std::vector<std::string> options;
};

/// memcheck: evo asks the driver questions that are answered with an error (how many parameters a kernel
/// has), so errors of calls are not reported; the padding makes an overrun into a neighbouring buffer
/// visible. racecheck: single hazards, not its analysis, which dies of a segmentation fault when it is to
/// report any (seen with that of CUDA 13.0), so that its summary counts none.
std::vector<Tool> tools() {
  return {{"memcheck", {"--report-api-errors", "no", "--padding", "512"}},
          {"racecheck", {"--racecheck-report", "hazard"}},
          {"initcheck", {}},
          {"synccheck", {}}};
}

constexpr std::size_t most_output = std::size_t{4} << 20;

std::vector<std::string> launched_cases(const std::string& output) {
  constexpr std::string_view said = "launched ";
  std::vector<std::string> cases;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(said)) cases.push_back(line.substr(said.size()));
  }
  return cases;
}

/// The last lines that are not the tool's own: where the launcher says why it gave up.
std::string last_words(const std::string& output) {
  std::string last;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !line.starts_with("=========") && !line.starts_with("launched ")) last = line;
  }
  return last;
}

ToolRun judge_run(const Tool& tool, const process::Captured& ran, std::size_t planned, double limit_s,
                  const AsyncUse& use) {
  ToolRun run;
  run.tool = tool.name;
  run.planned = planned;
  run.cases = launched_cases(ran.output);
  run.findings = parse_findings(ran.output, tool.name);
  const auto summary = parse_summary(ran.output);
  const std::string complaint = parse_complaint(ran.output);
  if (summary && summary->errors + summary->warnings > 0 && run.findings.empty()) {
    // A report in words that are not known here is a finding all the same.
    run.findings.push_back(
        {"unread_report",
         fmt::format("{} reports {} errors and {} warnings that evo cannot read{}", tool.name,
                     summary->errors, summary->warnings, complaint.empty() ? "" : "; " + complaint),
         {},
         0,
         {{"tool", tool.name}, {"severity", summary->errors > 0 ? "error" : "warning"}}});
  }
  for (model::Evidence& finding : run.findings) {
    if (std::string why = excuse(finding, use); !why.empty())
      finding.details.emplace_back("excuse", std::move(why));
  }
  const std::string words = last_words(ran.output);
  if (ran.stopped) {
    run.state =
        run.cases.empty() && run.findings.empty() ? ToolRun::State::not_run : ToolRun::State::incomplete;
    run.reason = "interrupted";
  } else if (ran.timed_out) {
    run.state =
        run.cases.empty() && run.findings.empty() ? ToolRun::State::not_run : ToolRun::State::incomplete;
    run.reason = fmt::format("it was ended after {:.0f} s, {} of {} launches done", limit_s, run.cases.size(),
                             planned);
  } else if (!run.findings.empty()) {
    run.state = ToolRun::State::findings;
  } else if (!summary || run.cases.size() < planned || !complaint.empty()) {
    // Without a summary, with launches missing or behind a tool in trouble, silence proves nothing: racecheck
    // reports at the end, which a process that died has not reached.
    run.state = run.cases.empty() ? ToolRun::State::not_run : ToolRun::State::incomplete;
    run.reason = !complaint.empty() ? complaint
                 : !words.empty()   ? words
                 : !summary         ? "it ended without a summary"
                                    : fmt::format("{} of {} launches done", run.cases.size(), planned);
  } else {
    run.state = ToolRun::State::clean;
  }
  return run;
}

}  // namespace

std::string_view name_of(ToolRun::State state) {
  constexpr std::array<std::string_view, 4> names{"clean", "findings", "incomplete", "not_run"};
  return names.at(static_cast<std::size_t>(state));
}

std::optional<model::Failure> Report::failure() const {
  model::Failure failure{model::Status::sanitizer_fail, {}, {}};
  for (const ToolRun& run : runs) {
    for (const model::Evidence& finding : run.findings) {
      if (detail_of(finding, "excuse").empty()) failure.evidence.push_back(finding);
    }
  }
  if (failure.evidence.empty()) return std::nullopt;
  failure.reason = failure.evidence.front().kind;
  return failure;
}

std::string Report::text() const {
  if (runs.empty()) return fmt::format("compute-sanitizer: not run: {}\n", reason);
  std::string lines;
  for (const ToolRun& run : runs) {
    std::size_t refusing = 0;
    for (const model::Evidence& finding : run.findings)
      refusing += detail_of(finding, "excuse").empty() ? 1 : 0;
    std::string what;
    switch (run.state) {
      case ToolRun::State::clean:
        what = fmt::format("no finding in {} launches", run.cases.size());
        break;
      case ToolRun::State::not_run:
        what = "not run: " + run.reason;
        break;
      case ToolRun::State::incomplete:
        what = "incomplete: " + run.reason;
        [[fallthrough]];
      case ToolRun::State::findings:
        if (!run.findings.empty() || what.empty())
          what += fmt::format("{}{} findings, {} of them refuse", what.empty() ? "" : "; ",
                              run.findings.size(), refusing);
        break;
    }
    lines += fmt::format("compute-sanitizer {}: {} ({:.1f} s)\n", run.tool, what, run.seconds);
  }
  for (const model::Evidence& spot : blind_spots)
    lines += fmt::format("  blind spot of {}: {}\n", detail_of(spot, "tool"), spot.message);
  return lines;
}

std::optional<fs::path> find_compute_sanitizer() {
  if (const char* named = std::getenv("EVO_COMPUTE_SANITIZER"); named != nullptr && *named != '\0')
    return named;
  std::vector<fs::path> more{"/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer"};
  if (const char* home = std::getenv("CUDA_HOME"))
    more.insert(more.begin(), fs::path(home) / "compute-sanitizer");
  return process::find_program("compute-sanitizer", more);
}

Report run_compute_sanitizer(const gates::DeviceJob& job, const Settings& settings) {
  Report report;
  const AsyncUse use = async_use(job.artifact.ptx);
  report.blind_spots = blind_spots(use);
  const auto program = find_compute_sanitizer();
  if (!program) {
    report.reason =
        "it is not installed (looked for in $CUDA_HOME, /usr/local/cuda and on the path; "
        "EVO_COMPUTE_SANITIZER can name it)";
    return report;
  }
  report.program = program->string();
  const process::TemporaryFile file("evo-sanitizer", gates::to_json(job));
  const double limit_s = std::chrono::duration<double>(settings.timeout).count();
  for (const Tool& tool : tools()) {
    std::vector<std::string> command{program->string(), "--tool", tool.name, "--show-backtrace", "device"};
    command.insert(command.end(), tool.options.begin(), tool.options.end());
    command.insert(command.end(), settings.launcher.begin(), settings.launcher.end());
    command.push_back(file.path());
    const auto start = std::chrono::steady_clock::now();
    try {
      const process::Captured ran =
          process::run_captured(command, settings.timeout, most_output, {}, settings.stop);
      report.runs.push_back(judge_run(tool, ran, job.cases.size(), limit_s, use));
    } catch (const model::Exception& error) {
      report.runs.push_back({tool.name, ToolRun::State::not_run, error.what(), {}, job.cases.size(), {}, 0});
    }
    report.runs.back().seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return report;
}

}  // namespace evo::evaluators::sanitizer
