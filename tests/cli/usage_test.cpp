// The command line itself: help, usage errors, configuration errors and their exit codes. Needs no NVRTC.
#include <sys/stat.h>

#include <filesystem>
#include <regex>

#include "tests/cli/run_evo.hpp"

namespace evo::cli {
namespace {

using testing::Output;
using testing::run_evo;
using testing::Scratch;
using testing::source_path;

TEST(Usage, HelpNamesEveryVerbAndExitCode) {
  const Output help = run_evo({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* word : {"run", "resume", "replay", "lineage", "insights", "export", "validate", "check",
                           "bench", "doctor", "worker", "cache", "130 interrupted", "modelled"}) {
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(help.out.find("compile-worker"), std::string::npos) << "internal";
}

TEST(Usage, MistakesExitWithTwo) {
  EXPECT_EQ(run_evo({}).exit_code, 2);
  EXPECT_EQ(run_evo({"rnu"}).exit_code, 2);
  EXPECT_EQ(run_evo({"run"}).exit_code, 2);
  EXPECT_EQ(run_evo({"run", "x.yaml", "--no-such-flag"}).exit_code, 2);
  EXPECT_EQ(run_evo({"run", "x.yaml", "--set", "novalue"}).exit_code, 2);
  EXPECT_EQ(run_evo({"lineage", "/nonexistent"}).exit_code, 2);
  EXPECT_EQ(run_evo({"completion", "tcsh"}).exit_code, 2);
}

TEST(Usage, WorkloadsKeepToTheAxes) {
  const std::string kernel = source_path("suites/attacks/controls/add_plain.cu");
  const auto check = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"check",     kernel,
                                   "--problem", source_path("suites/attacks/problems/vector_add"),
                                   "--device",  "virtual"};
    words.insert(words.end(), more.begin(), more.end());
    return run_evo(words);
  };
  for (const char* wrong :
       {"n=0", "n=-5", "n=1048577", "n=12,c_stride=9", "n=12,n=13", "m=1", "n=", "n=1e3", ""}) {
    EXPECT_EQ(check({"--workload", wrong}).exit_code, 2) << wrong;
  }
  const Output above = check({"--workload", "n=1048577"});
  for (const char* word : {"n=1048577", "maximum", "1048576"})
    EXPECT_NE(above.err.find(word), std::string::npos) << above.err;
  EXPECT_EQ(check({"--set", "gates.max_spill_byte=1"}).exit_code, 3);
  EXPECT_EQ(check({"--set", "gates.max_spill_bytes=many"}).exit_code, 3);
  EXPECT_EQ(check({"--set", "target=h200"}).exit_code, 3);
  EXPECT_EQ(check({"--set", "nothing"}).exit_code, 2);
  const Output unknown = check({"--set", "gates.max_spill_byte=1"});
  EXPECT_NE(unknown.err.find("did you mean 'max_spill_bytes'"), std::string::npos) << unknown.err;
  EXPECT_EQ(unknown.err.find(":0"), std::string::npos) << unknown.err;
}

TEST(Usage, ReasonsInTheSourcesAreCodes) {
  const std::regex use("(?:Status::[a-z_]+,|failed\\()\\s*\"([^\"]*)\"");
  const std::regex code("[a-z][a-z0-9_]*");
  int seen = 0;
  for (const char* folder : {"evaluators", "engine", "cli", "diagnose", "model"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_path(folder))) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string text = testing::read_file(entry.path().string());
      for (std::sregex_iterator match(text.begin(), text.end(), use), end; match != end; ++match, ++seen)
        EXPECT_TRUE(std::regex_match((*match)[1].str(), code)) << entry.path() << ": " << (*match)[1];
    }
  }
  EXPECT_GT(seen, 30);
}

TEST(Usage, VersionAndCompletion) {
  EXPECT_NE(run_evo({"--version"}).out.find("evo 0."), std::string::npos);
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Output script = run_evo({"completion", shell});
    EXPECT_EQ(script.exit_code, 0);
    EXPECT_NE(script.out.find("insights"), std::string::npos);
  }
}

TEST(Configuration, ErrorsExitWithThreeAndSayWhere) {
  const Scratch scratch;
  const Output missing = run_evo({"run", scratch / "none.yaml"});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_NE(missing.err.find("none.yaml: cannot be read"), std::string::npos) << missing.err;

  const std::string quickstart = source_path("experiments/quickstart.yaml");
  const Output typo = run_evo({"run", quickstart, "--set", "search.popluation=3"});
  EXPECT_EQ(typo.exit_code, 3);
  EXPECT_NE(typo.err.find("did you mean 'population'"), std::string::npos) << typo.err;

  const Output gene = run_evo({"run", quickstart, "--set", "baseline.genes.BLOCK_M=17"});
  EXPECT_EQ(gene.exit_code, 3);
  EXPECT_NE(gene.err.find("17 is none of"), std::string::npos) << gene.err;
}

TEST(Configuration, DryRunPrintsTheSizeOfTheSpaceAndTouchesNothing) {
  const Scratch scratch;
  const Output plan = run_evo({"run", source_path("experiments/quickstart.yaml"), "--dry-run", "--json",
                               "--run-dir", scratch / "run"});
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  const boost::json::object document = testing::parse_object(plan.out);
  const auto& scalar = document.at("templates").as_array().at(0).as_object();
  EXPECT_GE(scalar.at("legal_full_sync").to_number<std::int64_t>(), 5000);
  EXPECT_FALSE(std::filesystem::exists(scratch / "run"));
}

TEST(Configuration, DryRunNamesTheStartsThatAreLegal) {
  const Output plan = run_evo({"run", source_path("experiments/long_d128_h200.yaml"), "--dry-run", "--json"});
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  const boost::json::object document = testing::parse_object(plan.out);
  // Neither the resident design's tile nor three warpgroups fit the registers at 128 columns.
  EXPECT_EQ(document.at("templates").as_array().at(1).at("name"), "hopper");
  EXPECT_EQ(document.at("templates").as_array().at(1).at("starts"),
            (boost::json::array{"pingpong", "alone"}));
}

TEST(Configuration, NoPermissionOnTheRunFolder) {
  if (::geteuid() == 0) {
    // Root may write anywhere but below a file.
    const Scratch scratch;
    std::ofstream(scratch / "file") << "x";
    const Output output =
        run_evo({"run", source_path("experiments/quickstart.yaml"), "--run-dir", scratch / "file/run"});
    EXPECT_EQ(output.exit_code, 4) << output.err;
    EXPECT_NE(output.err.find("cannot be created"), std::string::npos) << output.err;
    return;
  }
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "locked");
  ::chmod((scratch / "locked").c_str(), 0500);
  const Output output =
      run_evo({"run", source_path("experiments/quickstart.yaml"), "--run-dir", scratch / "locked/run"});
  EXPECT_EQ(output.exit_code, 4) << output.err;
}

TEST(Bench, MistakesAndMissingThingsHaveTheirCodes) {
  const Scratch scratch;
  EXPECT_EQ(run_evo({"bench"}).exit_code, 2);
  EXPECT_EQ(run_evo({"bench", "--aa", "3"}).exit_code, 2);
  const Output nothing = run_evo({"bench", scratch / "none"});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_NE(nothing.err.find("is no run folder and no experiment"), std::string::npos) << nothing.err;
  std::filesystem::create_directory(scratch / "empty");
  EXPECT_EQ(run_evo({"bench", scratch / "empty"}).exit_code, 2);
  const std::string experiment = source_path("experiments/quickstart.yaml");
  EXPECT_EQ(run_evo({"bench", experiment, "--variant", "abc"}).exit_code, 2);
  EXPECT_EQ(run_evo({"bench", experiment, "--device", "virtual", "--sweep"}).exit_code, 2);
  const Output no_gpu = run_evo({"bench", experiment, "--device", "cuda:99"});
  EXPECT_EQ(no_gpu.exit_code, 4) << no_gpu.err;
}

}  // namespace
}  // namespace evo::cli
