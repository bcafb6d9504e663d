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

TEST(Usage, AMisspeltVerbNamesTheNearest) {
  const Output near = run_evo({"rnu", "experiments/quickstart.yaml"});
  EXPECT_EQ(near.exit_code, 2);
  EXPECT_NE(near.err.find("unknown verb 'rnu'; did you mean 'run'?"), std::string::npos) << near.err;
  EXPECT_TRUE(near.out.empty());
  const Output far = run_evo({"frobnicate"});
  EXPECT_EQ(far.exit_code, 2);
  EXPECT_NE(far.err.find("unknown verb 'frobnicate'; there are run, new, tune"), std::string::npos)
      << far.err;
  for (const Output& output : {far, run_evo({"compile-workr"})})
    EXPECT_EQ(output.err.find("compile-worker"), std::string::npos) << "internal: " << output.err;
  // What is no verb at all is told as before.
  EXPECT_NE(run_evo({}).err.find("needs a verb: run, new, tune"), std::string::npos) << run_evo({}).err;
  EXPECT_EQ(run_evo({}).exit_code, 2);
  const Output option = run_evo({"--versoin"});
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_NE(option.err.find("'--version'"), std::string::npos) << option.err;
  EXPECT_EQ(run_evo({""}).exit_code, 2);
}

TEST(Usage, AMisspeltOptionNamesTheNearestOfItsVerb) {
  struct Try {
    std::vector<std::string> words;
    const char* told;
  };
  for (const Try& each :
       {Try{{"run", "x.yaml", "--sed", "3"}, "run has no option '--sed'; did you mean '--seed'?"},
        Try{{"run", "--thread=4", "x.yaml"}, "no option '--thread'; did you mean '--threads'?"},
        Try{{"run", "x.yaml", "--dryrun"}, "no option '--dryrun'; did you mean '--dry-run'?"},
        // CLI11 alone would say that --problem is required.
        Try{{"check", "k.cu", "--problm", "vector_add"}, "did you mean '--problem'?"},
        Try{{"bench", "x.yaml", "--seed", "1"}, "bench has no option '--seed'; did you mean '--seeds'?"},
        Try{{"resume", "--set", "a=b"}, "no option '--set'; 'evo resume --help' lists them"},
        Try{{"doctor", "-evaluator"}, "did you mean '--evaluator'?"}}) {
    const Output output = run_evo(each.words);
    EXPECT_EQ(output.exit_code, 2) << each.told;
    EXPECT_NE(output.err.find(each.told), std::string::npos) << output.err;
  }
  // A value that is wrong, or too many words, is no misspelt option.
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"run", "x.yaml", "--threads", "-5"}, {"run", "x.yaml", "y.yaml"}, {"lineage"}}) {
    const Output output = run_evo(words);
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_EQ(output.err.find("has no option"), std::string::npos) << output.err;
  }
}

TEST(Usage, TargetsOfTheWorkingDirectoryAndOfEvo) {
  const Scratch scratch;
  const std::string kernel = source_path("suites/attacks/controls/add_plain.cu");
  const std::string problem = source_path("suites/attacks/problems/vector_add");
  const std::string there = "cd " + testing::shell_quote(scratch / "") + ";";
  const auto check = [&](const std::string& target) {
    return run_evo({"check", kernel, "--problem", problem, "--device", "virtual", "--target", target}, there);
  };
  const Output unknown = check("rtx409");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("unknown target 'rtx409' (did you mean 'rtx4090'?)"), std::string::npos)
      << unknown.err;
  std::filesystem::create_directory(scratch / "targets");
  std::ofstream(scratch / "targets/mine.yaml") << "name: mine\n";
  const Output broken = check("mine");
  EXPECT_EQ(broken.exit_code, 3);
  EXPECT_NE(broken.err.find("mine.yaml"), std::string::npos) << broken.err;
  const Output doctor = run_evo({"doctor", "--json"}, there);
  EXPECT_NE(doctor.out.find("mine.yaml"), std::string::npos) << doctor.out;
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

  const Output near = run_evo({"validate", source_path("experiments/quikstart.yaml")});
  EXPECT_EQ(near.exit_code, 3);
  EXPECT_NE(near.err.find("did you mean '" + source_path("experiments/quickstart.yaml") + "'"),
            std::string::npos)
      << near.err;

  const std::string quickstart = source_path("experiments/quickstart.yaml");
  const Output typo = run_evo({"run", quickstart, "--set", "search.popluation=3"});
  EXPECT_EQ(typo.exit_code, 3);
  EXPECT_NE(typo.err.find("did you mean 'population'"), std::string::npos) << typo.err;

  const Output gene = run_evo({"run", quickstart, "--set", "baseline.genes.BLOCK_M=17"});
  EXPECT_EQ(gene.exit_code, 3);
  EXPECT_NE(gene.err.find("17 is none of"), std::string::npos) << gene.err;
}

// The names that evo itself hands to the loader: oracles, kinds of inputs and formulas, on every way in.
TEST(Configuration, NamesThatNoEvaluatorKnowsAreToldOnReading) {
  struct Change {
    const char *from, *to, *told;
  };
  for (const Change& change :
       {Change{"oracle: vector_add", "oracle: vector_ad",
               "oracle: unknown oracle 'vector_ad' (did you mean 'vector_add'?)"},
        Change{"kind: normal", "kind: normel", "unknown input kind 'normel' (did you mean 'normal'?)"},
        Change{"mean: 50", "meen: 50", "(did you mean 'mean'?)"},
        Change{
            "templates:", "stages:\n  - {name: S, formula: attention_score, rows: n, columns: n}\ntemplates:",
            "unknown formula 'attention_score' (did you mean 'attention_scores'?)"}}) {
    const Scratch scratch;
    std::filesystem::copy(source_path("suites/attacks/problems/vector_add"), scratch / "vector_add");
    std::string text = testing::read_file(scratch / "vector_add/problem.yaml");
    const std::size_t at = text.find(change.from);
    ASSERT_NE(at, std::string::npos) << change.from;
    text.replace(at, std::string(change.from).size(), change.to);
    std::ofstream(scratch / "vector_add/problem.yaml") << text;
    const Output output = run_evo({"check", source_path("suites/attacks/controls/add_plain.cu"), "--problem",
                                   scratch / "vector_add", "--device", "virtual"});
    EXPECT_EQ(output.exit_code, 3) << output.err;
    EXPECT_NE(output.err.find(change.told), std::string::npos) << output.err;
    EXPECT_NE(output.err.find("problem.yaml:"), std::string::npos) << output.err;
  }
}

TEST(Configuration, ATargetOfItsOwnReachesThePlan) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "experiments/targets");
  std::string target = testing::read_file(source_path("targets/l4.yaml"));
  target.replace(target.find("name: l4"), 8, "name: mine");
  std::ofstream(scratch / "experiments/targets/mine.yaml") << target;
  std::string experiment = testing::read_file(source_path("experiments/quickstart.yaml"));
  std::ofstream(scratch / "experiments/quickstart.yaml") << experiment;
  const Output plan = run_evo({"run", scratch / "experiments/quickstart.yaml", "--set", "target=mine",
                               "--dry-run", "--json", "--device", "virtual"});
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_EQ(testing::parse_object(plan.out).at("target"), "mine");
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

// As the run would be, before it begins.
TEST(Configuration, DryRunRefusesBoundsThatTheDeviceCanNeverJudge) {
  const auto plan = [](const std::string& bound) {
    return run_evo({"run", source_path("experiments/quickstart.yaml"), "--dry-run", "--json", "--device",
                    "virtual", "--set", "gates.counters=[" + bound + "]"});
  };
  EXPECT_EQ(plan("dram_percent < 60").exit_code, 0);
  EXPECT_EQ(plan("registers < 60").exit_code, 0);
  const Output refused = plan("stall_barrier < 2");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("stall_barrier"), std::string::npos) << refused.err;
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

TEST(Usage, OutputThatCannotBeWrittenIsNoSuccess) {
  const auto code_of = [](const std::string& words) {
    const int status = std::system((testing::shell_quote(EVO_BINARY) + " " + words + " 2>/dev/null").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_EQ(code_of("completion bash >/dev/full"), 4);
  EXPECT_EQ(code_of("--help >/dev/full"), 4);
  EXPECT_EQ(code_of("cache --json >/dev/full"), 4);
  EXPECT_EQ(code_of("frobnicate >/dev/full"), 2);
  // A reader that went away, and a stdout that nobody wants.
  EXPECT_EQ(code_of("completion bash >&-"), 0);
  const int piped = std::system(
      ("bash -c 'set -o pipefail; " + std::string(EVO_BINARY) + " completion bash | head -c 1 >/dev/null'")
          .c_str());
  EXPECT_EQ(piped, 0);
}

TEST(Usage, AMissingRunNamesTheNearest) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "runs/scan");
  std::ofstream(scratch / "runs/scan/ledger.sqlite") << "x";
  for (const char* verb : {"resume", "replay", "lineage", "show", "insights", "report", "watch"}) {
    const Output near = run_evo({verb, scratch / "runs/scam"});
    EXPECT_EQ(near.exit_code, 2) << verb;
    EXPECT_NE(near.err.find("runs/scan'?"), std::string::npos) << verb << near.err;
    const Output above = run_evo({verb, scratch / "runs"});
    EXPECT_EQ(above.exit_code, 2) << verb;
    EXPECT_NE(above.err.find("evo runs"), std::string::npos) << verb << above.err;
  }
}

TEST(Usage, WhatIsMissingIsNamedWithTheVerb) {
  const Output output = run_evo({"export", "nothing"});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_NE(output.err.find("evo: export needs --output"), std::string::npos) << output.err;
  const Output farm = run_evo({"farm"});
  EXPECT_EQ(farm.exit_code, 2);
  EXPECT_NE(farm.err.find("up, token, status"), std::string::npos) << farm.err;
  const Output range = run_evo({"insights", "run", "--generation", "x"});
  EXPECT_EQ(range.exit_code, 2);
  EXPECT_LT(range.err.size(), 200U) << range.err;
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
  const Output unknown = run_evo({"bench", experiment, "--device", "virtual", "--sweep", "tokens_16"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("did you mean 'tokens_16k'"), std::string::npos) << unknown.err;
  const Output no_gpu = run_evo({"bench", experiment, "--device", "cuda:99"});
  EXPECT_EQ(no_gpu.exit_code, 4) << no_gpu.err;
}

}  // namespace
}  // namespace evo::cli
