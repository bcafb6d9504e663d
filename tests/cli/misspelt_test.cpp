#include "cli/misspelt.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace evo::cli {
namespace {

const std::vector<std::string> verbs{"run",      "resume", "replay", "lineage",  "insights", "export",
                                     "validate", "check",  "bench",  "diagnose", "doctor",   "cache"};
const std::vector<std::string> options{"--seed", "--input-seed", "--threads", "--dry-run", "--set"};

TEST(Misspelt, AVerbNamesTheNearestOrAll) {
  EXPECT_EQ(unknown_verb("rnu", verbs), "unknown verb 'rnu'; did you mean 'run'?");
  EXPECT_EQ(unknown_verb("Bench", verbs), "unknown verb 'Bench'; did you mean 'bench'?");
  EXPECT_EQ(unknown_verb("frobnicate", {"run", "bench"}), "unknown verb 'frobnicate'; there are run, bench");
}

TEST(Misspelt, AnOptionNamesTheNearestOfItsVerb) {
  EXPECT_EQ(unknown_option("run", "--sed", options), "run has no option '--sed'; did you mean '--seed'?");
  EXPECT_EQ(unknown_option("run", "-seed", options), "run has no option '-seed'; did you mean '--seed'?");
  EXPECT_EQ(unknown_option("run", "--inputseed", options),
            "run has no option '--inputseed'; did you mean '--input-seed'?");
  EXPECT_EQ(unknown_option("run", "--zzzzzz", options),
            "run has no option '--zzzzzz'; 'evo run --help' lists them");
  EXPECT_EQ(unknown_option("run", "--", options), "run has no option '--'; 'evo run --help' lists them");
}

TEST(Misspelt, WhatLooksLikeAnOption) {
  EXPECT_EQ(first_option({"x.yaml", "--sed=3", "--other"}), "--sed");
  EXPECT_EQ(first_option({"-e"}), "-e");
  EXPECT_EQ(first_option({"x.yaml", "-5", "-.5", "-", ""}), std::nullopt);
  EXPECT_EQ(first_option({}), std::nullopt);
}

/// One slip of the fingers in a word of five letters or more still finds it, or one that is as near.
RC_GTEST_PROP(Misspelt, OneLetterLessFindsAVerb, ()) {
  const std::string verb = *rc::gen::elementOf(verbs);
  RC_PRE(verb.size() >= 5);
  std::string word = verb;
  word.erase(*rc::gen::inRange<std::size_t>(0, verb.size()), 1);
  RC_ASSERT(unknown_verb(word, verbs) == "unknown verb '" + word + "'; did you mean '" + verb + "'?");
}

}  // namespace
}  // namespace evo::cli
