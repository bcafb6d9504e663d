// The two sides of a comparison, where nothing has to be compiled.
#include "session/compared.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "model/error.hpp"

namespace evo::session {
namespace {

namespace fs = std::filesystem;

struct ComparedSides : ::testing::Test {
  ComparedSides() {
    std::string pattern = (fs::temp_directory_path() / "evo-compared-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~ComparedSides() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  /// The shipped example with one text of its problem replaced; its experiment.
  [[nodiscard]] std::string other(const std::string& name, const std::string& old,
                                  const std::string& now) const {
    fs::copy(example, folder / name);
    const fs::path file = folder / name / "problem.yaml";
    std::ifstream stream(file);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    text.replace(text.find(old), old.size(), now);
    std::ofstream(file) << text;
    return (folder / name / "experiment.yaml").string();
  }
  [[nodiscard]] model::ExitCode code(const std::string& second) const {
    try {
      (void)read_compared((example / "experiment.yaml").string(), second, {});
    } catch (const model::Exception& error) {
      return error.code();
    }
    return model::ExitCode::done;
  }
  const fs::path example = EVO_SOURCE_DIR "/examples/vector_add";
  fs::path folder;
};

TEST_F(ComparedSides, KnowWhatTheirOwnTimingsFindInTheL2) {
  const fs::path cold = folder / "cold";
  fs::copy(example, cold);
  std::ifstream stream(cold / "experiment.yaml");
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  ASSERT_EQ(text.find("gates:"), std::string::npos);
  std::ofstream(cold / "experiment.yaml") << text << "gates: {cache: cold}\n";
  const auto sides =
      read_compared((cold / "experiment.yaml").string(), (example / "experiment.yaml").string(), {});
  EXPECT_EQ(sides[0].own_cache, "cold");
  EXPECT_EQ(sides[1].own_cache, "hot");
  EXPECT_TRUE(times_cold(sides[0], ""));
}

// Axes of the same names are not enough: the arguments have to be the same, too.
TEST_F(ComparedSides, ThatComputeSomethingElseAreRefused) {
  EXPECT_EQ(code((example / "experiment.yaml").string()), model::ExitCode::done);
  EXPECT_EQ(code(other("same", "c = a + b over n floats", "other words")), model::ExitCode::done);
  EXPECT_EQ(code(other("wider", "{name: b, role: input, dtype: f32", "{name: b, role: input, dtype: f64")),
            model::ExitCode::usage);
  EXPECT_EQ(code(other("longer", "name: b, role: input, dtype: f32, shape: [n]",
                       "name: b, role: input, dtype: f32, shape: [n + 1]")),
            model::ExitCode::usage);
}

}  // namespace
}  // namespace evo::session
