// A program that writes sources: what it gets, what it may do, and what is said when it fails.
#include "evaluators/process/source_command.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "evaluators/process/confine.hpp"

namespace evo::evaluators::process {
namespace {

namespace fs = std::filesystem;

struct SourceCommandTest : ::testing::Test {
  SourceCommandTest() {
    static int count = 0;
    folder = fs::temp_directory_path() /
             ("evo-source-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    fs::create_directories(folder);
  }
  ~SourceCommandTest() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  tl::expected<std::string, model::Failure> run(const std::string& script,
                                                std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    std::ofstream(folder / "gen.sh") << script;
    return SourceCommand({"sh", "gen.sh"}, folder, limit).generate(values);
  }
  std::string complaint(const std::string& script,
                        std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    const auto source = run(script, limit);
    if (source) return "no failure: " + *source;
    EXPECT_EQ(source.error().status, model::Status::compile_error);
    EXPECT_EQ(source.error().reason, "source_command");
    return source.error().evidence.at(0).message;
  }
  static bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  fs::path folder;
  model::Environment values{{"TILE", std::int64_t{16}}, {"T", std::string("half")}};
};

TEST_F(SourceCommandTest, GetsTheValuesAndWritesTheSource) {
  EXPECT_EQ(run("cat; echo '// end'").value(), "{\"T\": \"half\", \"TILE\": 16}\n// end\n");
}

TEST_F(SourceCommandTest, EachSetOfValuesIsAskedForOnce) {
  const SourceCommand command({"sh", "gen.sh"}, folder);
  std::ofstream(folder / "gen.sh") << "echo one";
  EXPECT_EQ(command.generate(values).value(), "one\n");
  std::ofstream(folder / "gen.sh") << "echo two";
  EXPECT_EQ(command.generate(values).value(), "one\n");
  EXPECT_EQ(command.generate({{"TILE", std::int64_t{8}}}).value(), "two\n");
}

TEST_F(SourceCommandTest, AProgramThatWillNotReadIsNoTrouble) {
  EXPECT_EQ(run("exec <&-; echo x").value(), "x\n");
}

TEST_F(SourceCommandTest, FailuresAreToldWithWhatWasPrinted) {
  EXPECT_TRUE(says(complaint("echo oh no >&2; exit 3"), "sh gen.sh ended with exit code 3: oh no"));
  EXPECT_TRUE(says(complaint("true"), "wrote no source"));
  EXPECT_TRUE(says(complaint("kill -9 $$"), "signal 9"));
  EXPECT_TRUE(says(complaint("echo begun >&2; sleep 30", std::chrono::milliseconds(300)),
                   "took longer than 0.3 s: begun"));
  EXPECT_TRUE(says(complaint("echo $$"), "another source"));
}

TEST_F(SourceCommandTest, AMissingProgramIsTold) {
  const auto source = SourceCommand({"no-such-program-of-evo"}, folder).generate(values);
  EXPECT_TRUE(says(source.error().evidence.at(0).message, "there is no such program"));
}

TEST_F(SourceCommandTest, ItWritesNoFilesAndReadsOnlyWhatIsItsOwn) {
  if (available_sandbox().landlock == 0) GTEST_SKIP() << "no Landlock";
  EXPECT_TRUE(says(complaint("echo x > made.txt"), "exit code 2")) << complaint("echo x > made.txt");
  EXPECT_FALSE(fs::exists(folder / "made.txt"));
  const fs::path other = folder.string() + "-other";
  std::ofstream(other) << "secret";
  EXPECT_TRUE(says(complaint("cat " + other.string()), "ended with exit code 1"));
  fs::remove(other);
  std::ofstream(folder / "own.txt") << "own";
  EXPECT_EQ(run("cat own.txt").value(), "own");
}

}  // namespace
}  // namespace evo::evaluators::process
