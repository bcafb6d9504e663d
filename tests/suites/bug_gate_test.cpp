// Bugs 1-5, 9, 12-16, 18-19 and 22 of the catalogue as edits of the templates: each is refused by the gate
// that the catalogue names, or by an earlier one.
#include <algorithm>
#include <array>
#include <cctype>
#include <ostream>

#include <gtest/gtest.h>

#include "tests/kernels/on_ladder.hpp"
#include "tests/suites/seeded.hpp"
#include "tests/support/targets.hpp"

namespace evo::suites {
void PrintTo(const SeededBug& bug, std::ostream* out);
void PrintTo(const SeededBug& bug, std::ostream* out) {
  *out << bug.name;
}
}  // namespace evo::suites

namespace evo::tests {
namespace {

constexpr std::array gates{"legality", "compile", "resources", "sanitize", "correctness"};

std::vector<suites::SeededBug> wanted() {
  static const std::set<std::string> ids{"1",  "2",  "3",  "4",  "5",  "9",  "12",
                                         "13", "14", "15", "16", "18", "19", "22"};
  std::vector<suites::SeededBug> bugs;
  for (const suites::SeededBug& bug : seeded_bugs()) {
    if (ids.contains(bug.id) && bug.needs_gpu.empty()) bugs.push_back(bug);
  }
  return bugs;
}

class SeededBugGate : public testing::TestWithParam<suites::SeededBug> {};

TEST_P(SeededBugGate, IsTheNamedOneOrAnEarlierOne) {
  if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  const suites::SeededBug& bug = GetParam();
  model::Experiment experiment = small_attention();
  experiment.accuracy_class = "fp32-softmax";
  tests::set_shipped_target(experiment, bug.target);
  model::Template& kernel = find_template(experiment.problem, bug.template_name);
  static_cast<void>(or_throw(suites::seed_bug(kernel, bug)));
  experiment.baseline_template = kernel.name;
  experiment.baseline = or_throw(suites::genome_of(kernel, bug));
  OnLadder ladder(experiment);
  const auto report = ladder.prove(experiment.baseline);
  ASSERT_FALSE(report.valid()) << "nobody caught it";
  const auto place = [](const std::string& gate) { return std::find(gates.begin(), gates.end(), gate); };
  EXPECT_LE(place(report.failed_gate()), place(bug.gate)) << verdict(report);
  if (report.failed_gate() != bug.gate) return;
  const auto named = [&](const std::string& reason) {
    return reason == "*" || reason == report.failure()->reason;
  };
  EXPECT_TRUE(std::any_of(bug.reasons.begin(), bug.reasons.end(), named)) << verdict(report);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, SeededBugGate, testing::ValuesIn(wanted()), [](const auto& bug) {
  std::string name = bug.param.id + "_" + bug.param.name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace evo::tests
