// What a suite makes of an end that a fixture came to, and where its data is looked for.
#include "suites/expected_verdict.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "model/error.hpp"
#include "suites/runner.hpp"

namespace evo::suites {
namespace {

namespace fs = std::filesystem;

Attack attack(AttackVerdict verdict = AttackVerdict::reject) {
  Attack made;
  made.file = "k.cu";
  made.verdict = verdict;
  made.gate = "correctness";
  made.reasons = {"mismatch", "unwritten"};
  return made;
}

AttackAttempt judged(const Attack& of, const std::string& gate, const std::string& reason) {
  AttackAttempt attempt;
  attempt.gate = gate;
  attempt.reason = reason;
  judge(of, attempt);
  return attempt;
}

TEST(Judge, TheNamedGateForANamedReasonOrAnEarlierOne) {
  EXPECT_TRUE(judged(attack(), "correctness", "unwritten").as_expected);
  EXPECT_FALSE(judged(attack(), "correctness", "non_finite").as_expected);
  EXPECT_TRUE(judged(attack(), "sanitize", "race").as_expected);
  EXPECT_FALSE(judged(attack(), "latency", "roofline").as_expected);
  EXPECT_FALSE(judged(attack(), "", "").as_expected) << "nobody caught it";
  Attack any = attack();
  any.reasons = {"*"};
  EXPECT_TRUE(judged(any, "correctness", "non_finite").as_expected);
  Attack check = attack();
  check.file.clear();
  EXPECT_FALSE(judged(check, "sanitize", "race").as_expected) << "a check has no ladder";
}

TEST(Judge, AControlIsAcceptedAndAMissedOneIsMissed) {
  EXPECT_TRUE(judged(attack(AttackVerdict::accept), "", "").as_expected);
  EXPECT_FALSE(judged(attack(AttackVerdict::accept), "correctness", "mismatch").as_expected);
  EXPECT_TRUE(judged(attack(AttackVerdict::missed), "", "").as_expected);
  EXPECT_FALSE(judged(attack(AttackVerdict::missed), "correctness", "mismatch").as_expected);
}

TEST(DependsOnInputs, NotWhatIsSaidOfTheSource) {
  const auto depends = [](const Attack& of, const std::string& gate) {
    AttackRow row{of};
    row.attempts.emplace_back().gate = gate;
    return depends_on_inputs(row);
  };
  for (const char* gate : {"legality", "compile", "resources"}) EXPECT_FALSE(depends(attack(), gate)) << gate;
  for (const char* gate : {"sanitize", "correctness", ""}) EXPECT_TRUE(depends(attack(), gate)) << gate;
  Attack check = attack();
  check.file.clear();
  EXPECT_FALSE(depends(check, "correctness"));
}

TEST(Good, NothingUnexpectedAndFewMissed) {
  AttackTotals totals;
  totals.attacks = 100;
  totals.missed = 5;
  EXPECT_TRUE(good(totals, false, false));
  totals.missed = 6;
  EXPECT_FALSE(good(totals, false, false));
  EXPECT_TRUE(good(totals, true, false)) << "a bug that no device shows here says so";
  EXPECT_TRUE(good(totals, false, true)) << "a part has no share";
  totals.unexpected = 1;
  EXPECT_FALSE(good(totals, true, true));
}

TEST(SeedOf, TheFirstIsTheEntropyItself) {
  EXPECT_EQ(seed_of(7, 0), 7U);
  EXPECT_NE(seed_of(7, 1), seed_of(7, 2));
  EXPECT_NE(seed_of(7, 1), seed_of(8, 1));
  EXPECT_EQ(seed_of(7, 1), seed_of(7, 1));
}

TEST(FindSuite, IsFoundWhereTheBinaryIsInstalled) {
  std::string pattern = (fs::temp_directory_path() / "evo-suites-XXXXXX").string();
  const fs::path scratch = ::mkdtemp(pattern.data());
  const fs::path before = fs::current_path();
  fs::current_path(scratch);
  const std::string binary = (scratch / "inst/bin/evo").string();
  try {
    static_cast<void>(find_suite(false, binary));
    ADD_FAILURE() << "there is none";
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::usage);
  }
  const auto put = [&](const fs::path& folder, const char* file) {
    fs::create_directories(folder);
    std::ofstream(folder / file) << "x";
  };
  put(scratch / "inst/suites/bugs", "bugs.yaml");
  EXPECT_EQ(find_suite(true, binary), scratch / "inst/suites/bugs") << "of the source tree above it";
  put(scratch / "inst/share/evo/suites/bugs", "bugs.yaml");
  EXPECT_EQ(find_suite(true, binary), scratch / "inst/share/evo/suites/bugs");
  put(scratch / "suites/bugs", "bugs.yaml");
  EXPECT_EQ(find_suite(true, binary), scratch / "suites/bugs");
  EXPECT_THROW(static_cast<void>(find_suite(false, binary)), model::Exception);
  fs::current_path(before);
  fs::remove_all(scratch);
}

}  // namespace
}  // namespace evo::suites
