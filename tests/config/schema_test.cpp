// schema/*.json is what the settings tables say. To update after a change: set EVO_APPROVE=1 and run this
// test.
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "config/keys.hpp"

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
  compare("experiment.schema.json", experiment_schema());
}
TEST(Schema, ProblemFileIsCurrent) {
  compare("problem.schema.json", problem_schema());
}

}  // namespace
}  // namespace evo::config
