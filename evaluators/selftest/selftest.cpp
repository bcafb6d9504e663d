#include "evaluators/selftest/selftest.hpp"

#include <algorithm>
#include <chrono>

#include "evaluators/selftest/cases.hpp"

namespace evo::evaluators::selftest {
namespace {

template <class Run>
void timed(Report& report, const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Check> checks = run();
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  for (Check& check : checks) {
    check.milliseconds = spent.count() / static_cast<double>(checks.size());
    report.checks.push_back(std::move(check));
  }
}

}  // namespace

bool Report::pass() const {
  return !checks.empty() && first_failure() == nullptr;
}

const Check* Report::first_failure() const {
  const auto found =
      std::find_if(checks.begin(), checks.end(), [](const Check& check) { return !check.pass; });
  return found == checks.end() ? nullptr : &*found;
}

Report run(const Subject& subject) {
  Report report;
  // They ask about one case, and a reference may take long.
  oracle::ReferenceCache answers(subject.known);
  timed(report, [&] { return check_arguments(subject, answers); });
  timed(report, [&] { return check_mistakes(subject, answers); });
  timed(report, [&] { return check_null_candidates(subject, answers); });
  timed(report, [&] { return std::vector{check_good_kernel(subject)}; });
  timed(report, [&] { return std::vector{check_fast_and_slow(subject)}; });
  return report;
}

}  // namespace evo::evaluators::selftest
