// invent_run FOLDER [trials=N] [population=N] [wait=MS [from=N]] [strategy=NAME] [seed=N] [models] [bandit]
// [modelled] [hostile] [unfinished] [checks] [screened] [farm] [ptx] [profiles] [evo=VERSION]: a run folder
// that nobody ran, for the tests of the page.
#include <cstdio>
#include <exception>

#include "tests/report/invented_profiles.hpp"
#include "tests/report/invented_ptx.hpp"
#include "tests/report/ledgers.hpp"

int main(int argc, char** argv) try {
  if (argc < 2) return 2;
  evo::report::testing::Invented wanted;
  wanted.templates = {};
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("trials=")) wanted.trials = std::stoll(word.substr(7));
    if (word.starts_with("population=")) wanted.population = std::stoi(word.substr(11));
    if (word.starts_with("strategy=")) wanted.strategy = word.substr(9);
    if (word.starts_with("seed=")) wanted.seed = static_cast<std::uint32_t>(std::stoul(word.substr(5)));
    if (word == "models") wanted.models = true;
    if (word == "bandit") wanted.bandit = true;
    if (word == "modelled") wanted.measured = false;
    if (word == "hostile") wanted.hostile = true;
    if (word.starts_with("wait=")) wanted.wait_ms = std::stoi(word.substr(5));
    if (word.starts_with("from=")) wanted.wait_from = std::stoll(word.substr(5));
    if (word.starts_with("evo=")) wanted.evo = word.substr(4);
    if (word == "checks") wanted.checks = true;
    if (word == "screened") wanted.screened = true;
    if (word == "farm") wanted.farm = true;
    if (word == "unfinished") wanted.finished = false;
  }
  bool ptx = false, profiles = false;
  for (int i = 2; i < argc; ++i) {
    ptx = ptx || std::string(argv[i]) == "ptx";
    profiles = profiles || std::string(argv[i]) == "profiles";
  }
  const evo::engine::RunLock lock(argv[1]);
  evo::report::testing::invent_run(argv[1], wanted);
  if (ptx) evo::report::testing::store_invented_ptx(argv[1]);
  if (profiles) evo::report::testing::store_invented_profiles(argv[1]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "invent_run: %s\n", error.what());
  return 1;
}
