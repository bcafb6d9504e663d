// Kernels that are no edits of a template (tests/diagnose/foreign): is the cause the true one, and how far is
// the place that is named first from the mistake?
//   EVO_DIAGNOSE_ONLY=WORDS  those whose file has these words, with their reports
//   EVO_DIAGNOSE_SECONDS=N   in place of 60 for each, where other work shares the machine
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/yaml_reader.hpp"
#include "tests/diagnose/support.hpp"
#include "tests/support/known.hpp"
#include "tests/support/targets.hpp"

namespace evo::tests {
namespace {

struct Foreign {
  std::string file, problem, template_name, title;
  std::vector<std::string> causes, lines;
  bool held_out = false;
};

const std::string& folder() {
  static const std::string path = EVO_SOURCE_DIR "/tests/diagnose/foreign/";
  return path;
}

std::vector<Foreign> foreign_kernels(const std::string& section) {
  const auto reader = config::Reader::load(folder() + "expected.yaml");
  std::vector<Foreign> kernels;
  for (const config::Reader& item : reader.at(section).items()) {
    item.expect_keys({"file", "problem", "template", "title", "causes", "lines"});
    Foreign kernel;
    kernel.file = item.at("file").text();
    kernel.problem = item.at("problem").text();
    kernel.template_name = item.at("template").text();
    if (const auto title = item.find("title")) kernel.title = title->text();
    if (const auto causes = item.find("causes")) {
      for (const config::Reader& cause : causes->items()) kernel.causes.push_back(cause.text());
    }
    if (const auto lines = item.find("lines")) {
      for (const config::Reader& line : lines->items()) kernel.lines.push_back(line.text());
    }
    const char* const only = std::getenv("EVO_DIAGNOSE_ONLY");
    if (only == nullptr || kernel.file.find(only) != std::string::npos) kernels.push_back(std::move(kernel));
  }
  return kernels;
}

model::Problem load(const std::string& name) {
  if (name == "attention_forward") return shipped_problem(name);
  auto problem = config::load_problem(EVO_SOURCE_DIR "/suites/attacks/problems/" + name, {});
  if (!problem) throw std::runtime_error(problem.error().text());
  return std::move(*problem);
}

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Line numbers of `lines` in `source`: each must be the whole text of exactly one line.
std::vector<int> numbers_of(const Foreign& kernel, const std::string& source) {
  std::vector<int> numbers;
  for (const std::string& wanted : kernel.lines) {
    std::istringstream stream(source);
    int number = 0, found = 0, times = 0;
    for (std::string line; std::getline(stream, line);) {
      ++number;
      line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
      if (line != wanted) continue;
      found = number;
      ++times;
    }
    if (times != 1)
      throw std::runtime_error(fmt::format("{}: {} lines are '{}'", kernel.file, times, wanted));
    numbers.push_back(found);
  }
  return numbers;
}

/// As `evo diagnose FILE --problem P --template T` makes it.
diagnose::Subject subject_of(const Foreign& kernel, const std::string& source) {
  model::Experiment experiment;
  experiment.problem = load(kernel.problem);
  tests::set_shipped_target(experiment, "l4");
  experiment.accuracy_class = experiment.problem.tolerances.front().accuracy_class;
  experiment.workloads = {experiment.problem.check_workloads.back()};
  config::complete_workloads(experiment);
  const model::Template& known = *experiment.problem.find_template(kernel.template_name);
  return diagnose::make_subject(experiment, kernel.template_name, known.space.initial(), evo::tests::known(),
                                source, kernel.file.substr(kernel.file.rfind('/') + 1));
}

diagnose::PostMortem diagnosis_of(const Foreign& kernel, const std::string& source) {
  const char* const limit = std::getenv("EVO_DIAGNOSE_SECONDS");
  return run_diagnosis(subject_of(kernel, source), limit == nullptr ? 60 : std::atof(limit)).post_mortem;
}

struct ForeignScore {
  int count = 0, causes = 0, lines = 0;
};

void judge(const Foreign& kernel, ForeignScore& score) {
  const std::string source = text_of(folder() + kernel.file);
  const std::clock_t start = std::clock();
  const diagnose::PostMortem report = diagnosis_of(kernel, source);
  const double spent = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const std::string stated = first_cause(report);
  const bool cause = std::find(kernel.causes.begin(), kernel.causes.end(), stated) != kernel.causes.end();
  const std::vector<int> numbers = numbers_of(kernel, source);
  const int named = report.places.empty() ? 0 : report.places.front().line;
  const bool line = named > 0 && std::any_of(numbers.begin(), numbers.end(),
                                             [&](int n) { return std::abs(n - named) <= 3; });
  ++score.count;
  score.causes += cause ? 1 : 0;
  score.lines += line ? 1 : 0;
  fmt::print("{:<34} {} {:<26} line {} {} ({}){} {:5.1f} s, CPU {:5.1f} s\n", kernel.file,
             cause ? "cause ok " : "CAUSE NOT", stated, line ? "ok " : "NOT", fmt::join(numbers, "|"), named,
             report.failing ? "" : " NOTHING FAILED", report.seconds, spent);
  if (std::getenv("EVO_DIAGNOSE_ONLY") != nullptr) fmt::print("{}", text_report(report));
  std::fflush(stdout);
}

ForeignScore judge_all(const std::string& section) {
  ForeignScore score;
  for (const Foreign& kernel : foreign_kernels(section)) judge(kernel, score);
  fmt::print("{}: cause correct in {} of {}, line within three in {}\n", section, score.causes, score.count,
             score.lines);
  return score;
}

TEST(ForeignKernels, CauseAndLineAreRightForMost) {
  if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  const ForeignScore score = judge_all("kernels");
  EXPECT_GE(score.causes * 30, score.count * 24);
  EXPECT_GE(score.lines * 30, score.count * 20);
}

TEST(ForeignKernels, CauseAndLineAreRightForMostThatTheRulesHaveNotSeen) {
  if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  const ForeignScore score = judge_all("held_out");
  EXPECT_GE(score.causes * 2, score.count);
  EXPECT_GE(score.lines * 2, score.count);
}

TEST(ForeignKernels, NothingIsFoundInRightOnes) {
  if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  for (const Foreign& kernel : foreign_kernels("right")) {
    const diagnose::PostMortem report = diagnosis_of(kernel, text_of(folder() + kernel.file));
    EXPECT_FALSE(report.failing) << kernel.file;
    EXPECT_TRUE(report.causes.empty()) << kernel.file;
  }
}

}  // namespace
}  // namespace evo::tests
