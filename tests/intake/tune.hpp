// evo tune, and evo check without a problem, through the real binary on the virtual device: what their tests
// share.
#pragma once

#include <string>
#include <vector>

#include "tests/intake/files.hpp"

namespace evo::intake {

using namespace testing;

struct Tune : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }
  Output ask(const std::string& verb, const std::string& kernel, const std::string& reference,
             const std::vector<std::string>& more) {
    std::vector<std::string> words{verb,           write(scratch / "k.cu", kernel),
                                   "--reference",  write(scratch / "r.cu", reference),
                                   "--device",     "virtual",
                                   "--input-seed", "5"};
    if (verb == "tune")
      words.insert(words.end(), {"--run-dir", scratch / "run", "--trials", "4", "-q", "--json"});
    words.insert(words.end(), more.begin(), more.end());
    return run_evo(small_axes ? with_small_axes(std::move(words)) : words);
  }
  Output tune(const std::string& kernel, const std::string& reference, const std::vector<std::string>& more) {
    return ask("tune", kernel, reference, more);
  }
  void expect_champion(const Output& output) {
    EXPECT_EQ(output.exit_code, 0) << output.err << output.out;
    const auto report = parse_object(output.out);
    EXPECT_TRUE(report.at("champion").is_object()) << output.out;
    EXPECT_EQ(report.at("latency_kind"), "modelled");
  }
  [[nodiscard]] std::string problem() const { return read_file(scratch / "run/problem/problem.yaml"); }
  bool small_axes = true;
  Scratch scratch;
};

inline bool tells(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

inline const std::vector<std::string> add_flags{"--axis",       "n=4096", "--gene",
                                                "BLOCK=64,128", "--gene", "ITEMS=1,2"};

}  // namespace evo::intake
