// schema/*.json is what the settings tables say, with the names that ship and those that the evaluators know.
// To update after a change: set EVO_APPROVE=1 and run this test.
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "config/keys.hpp"
#include "evaluators/oracle/known_names.hpp"
#include "tests/support/known.hpp"
#include "tests/support/targets.hpp"

namespace evo::config {
namespace {

void compare(const std::string& name, const std::string& generated) {
  const std::string file = std::string(EVO_SOURCE_DIR) + "/schema/" + name;
  if (std::getenv("EVO_APPROVE") != nullptr) std::ofstream(file) << generated;
  std::ifstream stream(file);
  const std::string stored{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(stored, generated) << file << " is out of date";
}

TEST(Schema, ExperimentFileIsCurrent) {
  compare("experiment.schema.json", experiment_schema(model::target_names(tests::shipped_targets())));
}
TEST(Schema, ProblemFileIsCurrent) {
  compare("problem.schema.json", problem_schema(evaluators::oracle::known_names(evo::tests::known())));
}
TEST(Schema, TargetFileIsCurrent) {
  compare("target.schema.json", target_schema());
}
TEST(Schema, NamesAreThoseHandedIn) {
  const std::string schema = problem_schema({{"one_oracle"}, {{"one_kind", {}}}, {"one_formula"}});
  for (const char* name : {"[\"one_oracle\"]", "[\"one_kind\"]", "[\"one_formula\"]"})
    EXPECT_NE(schema.find(name), std::string::npos) << name;
  EXPECT_NE(experiment_schema({"one_target"}).find("[\"one_target\"]"), std::string::npos);
}
TEST(Schema, ShippedTargetsBeginWithTheirs) {
  for (const model::TargetProfile& target : tests::shipped_targets()) {
    std::ifstream file(EVO_SOURCE_DIR "/targets/" + target.name + ".yaml");
    std::string first;
    std::getline(file, first);
    EXPECT_EQ(first, "# yaml-language-server: $schema=../schema/target.schema.json") << target.name;
  }
}

}  // namespace
}  // namespace evo::config
