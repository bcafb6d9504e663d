// What config is told of this folder's names is what this folder reads.
#include "evaluators/oracle/known_names.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/stages.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

TEST(KnownNames, AreThoseOfTheTables) {
  const model::KnownNames known = known_names(evo::tests::known());
  EXPECT_GE(known.oracles.size(), 4U);
  for (const std::string& name : known.oracles)
    EXPECT_NE(evo::tests::known().find_oracle(name), nullptr) << name;
  EXPECT_GE(known.stage_formulas.size(), 5U);
  for (const std::string& name : known.stage_formulas)
    EXPECT_NE(evo::tests::known().find_stage_formula(name), nullptr) << name;
  EXPECT_EQ(known.input_kinds.size(), evo::tests::known().input_kind_names().size());
  for (const model::KnownKind& kind : known.input_kinds)
    EXPECT_NE(evo::tests::known().find_input_kind(kind.name), nullptr);
}

TEST(KnownNames, EveryKindTakesWhatDecidesHowItIsJudged) {
  for (const model::KnownKind& kind : known_names(evo::tests::known()).input_kinds) {
    for (const char* common : {"exact", "tolerance_factor"})
      EXPECT_EQ(std::count(kind.parameters.begin(), kind.parameters.end(), common), 1) << kind.name;
  }
  EXPECT_EQ(parameter_names(*evo::tests::known().find_input_kind("normal")),
            (std::vector<std::string>{"mean", "deviation", "exact", "tolerance_factor"}));
  EXPECT_EQ(parameter_names(*evo::tests::known().find_input_kind("ones_v")),
            (std::vector<std::string>{"exact", "tolerance_factor"}));
}

/// Every name in a call parameter(set, "NAME", ...) of the generic kinds and of the packs.
std::set<std::string> names_in_the_sources() {
  std::set<std::string> names;
  const std::regex call("parameter\\(set, \"([a-z_]+)\"");
  for (const char* folder : {"/evaluators/oracle", "/packs/attention"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::string(EVO_SOURCE_DIR) + folder)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      for (std::sregex_iterator match(text.begin(), text.end(), call), end; match != end; ++match)
        names.insert((*match)[1]);
    }
  }
  return names;
}

TEST(KnownNames, EveryParameterThatIsReadIsListedAndNoOther) {
  std::set<std::string> listed;
  for (const model::KnownKind& kind : known_names(evo::tests::known()).input_kinds)
    listed.insert(kind.parameters.begin(), kind.parameters.end());
  EXPECT_EQ(listed, names_in_the_sources());
}

}  // namespace
}  // namespace evo::evaluators::oracle
