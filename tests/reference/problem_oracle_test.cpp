// Several oracles that must agree; recorded arrays; commands.
#include "evaluators/reference/problem_oracle.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <unistd.h>

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/expression_oracle.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/npy.hpp"
#include "evaluators/process/confine.hpp"
#include "evaluators/reference/command_oracle.hpp"
#include "evaluators/reference/recorded_oracle.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::reference {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const oracle::ComputedOracle> says(const std::string& formula) {
  return std::make_shared<oracle::ExpressionOracle>(
      std::vector<model::OracleStatement>{{formula, "p.yaml", 1, 1}});
}

struct ProblemOracles : ::testing::Test {
  ProblemOracles() {
    fs::create_directories(folder);
    inputs.resize(bound.arguments.size());
    for (const std::size_t i : {0U, 1U}) {
      inputs[i].resize(static_cast<std::size_t>(oracle::buffer_bytes(bound.arguments[i])));
      for (std::int64_t e = 0; e < elements; ++e)
        oracle::store_element(model::DType::f32, static_cast<double>(e + 1) * (i == 0 ? 0.5 : 3),
                              inputs[i].data() + 4 * e);
    }
  }
  ~ProblemOracles() override { fs::remove_all(folder); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return (folder / name).string();
  }
  /// a, b and c = a + b + more as files.
  [[nodiscard]] model::RecordedWorkload recording(double more = 0) const {
    oracle::ReferenceOutputs answer = says("c[i] = a[i] + b[i]")->compute(bound, inputs).value();
    std::vector<std::byte> bytes(static_cast<std::size_t>(oracle::buffer_bytes(bound.arguments[2])));
    for (std::int64_t e = 0; e < elements; ++e)
      oracle::store_element(model::DType::f32, answer[2][static_cast<std::size_t>(e)] + more,
                            bytes.data() + 4 * e);
    return {"add",
            {{"a", write("a.npy", oracle::npy_of(bound.arguments[0], inputs[0]))},
             {"b", write("b.npy", oracle::npy_of(bound.arguments[1], inputs[1]))},
             {"c", write("c.npy", oracle::npy_of(bound.arguments[2], bytes))}}};
  }
  [[nodiscard]] CommandOracle command(const std::string& script, double seconds = 20) const {
    model::OracleSource source;
    source.kind = model::OracleKind::command;
    source.command = {"/bin/sh", write("run.sh", script)};
    source.folder = folder.string();
    source.timeout_s = seconds;
    source.content = script;
    return {source, folder / "cache"};
  }
  std::string error(const oracle::ComputedOracle& one) const {
    const auto outputs = one.compute(bound, inputs);
    EXPECT_FALSE(outputs);
    return outputs ? "" : outputs.error().message;
  }
  static constexpr std::int64_t elements = 10;
  fs::path folder = fs::temp_directory_path() / ("evo_oracles_" + std::to_string(::getpid()));
  model::Case bound = tests::vector_add_case(elements);
  oracle::InputBuffers inputs;
};

TEST_F(ProblemOracles, ThoseThatAgreeAnswer) {
  const ProblemOracle both({{"one", says("c[i] = a[i] + b[i]")}, {"two", says("c[i] = b[i] - (-a[i])")}}, {});
  const auto outputs = both.compute(bound, inputs);
  ASSERT_TRUE(outputs) << outputs.error().text();
  EXPECT_EQ((*outputs)[2][3], 2 + 12);
  EXPECT_TRUE(both.computes_rows(bound));
  EXPECT_FALSE(both.mutants(bound).empty());
}

TEST_F(ProblemOracles, ThoseThatDoNotAreTold) {
  const ProblemOracle both(
      {{"one", says("c[i] = a[i] + b[i]")}, {"two", says("c[i] = a[i] + where(i == 4, 0, b[i])")}}, {});
  const std::string message = error(both);
  EXPECT_NE(message.find("c[4] of case add is 17.5 by one and 2.5 by two"), std::string::npos) << message;
}

TEST_F(ProblemOracles, RecordingsAnswerForTheirInputsAlone) {
  const auto recorded = RecordedOracle::load({recording()});
  ASSERT_TRUE(recorded) << recorded.error().text();
  const auto made = recorded->recorded_inputs(bound);
  ASSERT_TRUE(made && *made);
  EXPECT_EQ(**made, inputs);
  EXPECT_EQ(recorded->compute(bound, inputs).value()[2][0], 0.5 + 3);
  oracle::InputBuffers other = inputs;
  other[0][0] ^= std::byte{1};
  EXPECT_FALSE(recorded->can_answer(bound, other));
  EXPECT_FALSE(recorded->compute(bound, other));
  model::Case renamed = bound;
  renamed.name = "drawn 1";
  EXPECT_FALSE(recorded->recorded_inputs(renamed));
  EXPECT_EQ(recorded->rounding(), 0x1p-24);
  const auto longer = recorded->recorded_inputs(tests::vector_add_case(elements + 1));
  ASSERT_TRUE(longer);
  EXPECT_NE(longer->error().text().find("a.npy"), std::string::npos);
  EXPECT_FALSE(RecordedOracle::load({{"add", {{"a", write("no.npy", "text")}}}}));
}

TEST_F(ProblemOracles, ARecordingBesideAnotherOracleIsChecked) {
  const auto witnesses = [&](double more) {
    Witness recorded{"the recording",
                     std::make_shared<RecordedOracle>(RecordedOracle::load({recording(more)}).value())};
    recorded.rounding = 0x1p-24;
    return std::vector<Witness>{{"the expression", says("c[i] = a[i] + b[i]")}, recorded};
  };
  EXPECT_TRUE(ProblemOracle(witnesses(0), {}).compute(bound, inputs));
  const ProblemOracle apart(witnesses(0.25), {});
  EXPECT_NE(error(apart).find("the recording"), std::string::npos);
  oracle::InputBuffers other = inputs;
  other[0][0] ^= std::byte{1};
  EXPECT_TRUE(apart.compute(bound, other)) << "to these the recording has no answer";
}

TEST_F(ProblemOracles, CommandsReadAndWriteNpy) {
  // c is a copy of a: same shape and type.
  const CommandOracle copies =
      command("grep -q '\"axes\": {\"n\": 10}' $1/case.json && cp $1/a.npy $2/c.npy; echo x >> ran\n");
  EXPECT_EQ(copies.compute(bound, inputs).value()[2][9], 5);
  EXPECT_EQ(copies.compute(bound, inputs).value()[2][9], 5);
  EXPECT_EQ(fs::file_size(folder / "ran"), 2U) << "the second answer is that of the cache";
}

TEST_F(ProblemOracles, CommandsThatFailAreToldWithWhatTheySaid) {
  EXPECT_NE(
      error(command("echo no such module >&2; exit 3\n")).find("exit code 3; it printed:\nno such module"),
      std::string::npos);
  EXPECT_NE(error(command("exit 0\n")).find("it wrote no c.npy"), std::string::npos);
  EXPECT_NE(error(command("echo text > $2/c.npy\n")).find("c.npy: this is no .npy"), std::string::npos);
  EXPECT_NE(error(command("sleep 60\n", 0.3)).find("longer than 0.3 s"), std::string::npos);
}

/// Of Python programs, which one process forks for all cases.
struct PythonOracles : ProblemOracles {
  void SetUp() override {
    if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "needs python3";
  }
  [[nodiscard]] CommandOracle python(const std::string& text, double seconds = 20) const {
    model::OracleSource source;
    source.kind = model::OracleKind::command;
    source.command = {"python3", "oracle.py", "given"};
    write("oracle.py", text);
    source.folder = folder.string();
    source.timeout_s = seconds;
    source.content = text;
    return {source, {}};
  }
  [[nodiscard]] std::set<std::string> lines_of(const std::string& name) const {
    std::ifstream file(folder / name);
    std::set<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.insert(line);
    return lines;
  }
};

constexpr const char* copies_a =
    "import json, os, shutil, sys\nimport beside\n"
    "assert __name__ == '__main__' and sys.argv[:2] == ['oracle.py', 'given'], sys.argv\n"
    "shutil.copy(sys.argv[2] + '/a.npy', sys.argv[3] + '/c.npy')\n"
    "print(os.getppid(), file=open('parents', 'a'))\nprint(os.getpid(), file=open('own', 'a'))\n";

TEST_F(PythonOracles, PythonStartsOnceAndTheProgramForEachCase) {
  write("beside.py", "import os\nprint(os.getpid(), file=open('imports', 'a'))\n");
  const CommandOracle copies = python(copies_a);
  for (const double more : {0.0, 1.0, 2.0}) {
    oracle::InputBuffers other = inputs;
    oracle::store_element(model::DType::f32, 5 + more, other[0].data() + 4 * 9);
    const auto outputs = copies.compute(bound, other);
    ASSERT_TRUE(outputs) << outputs.error().text();
    EXPECT_EQ((*outputs)[2][9], 5 + more);
  }
  EXPECT_EQ(lines_of("parents").size(), 1U);
  EXPECT_FALSE(lines_of("parents").contains(std::to_string(::getpid()))) << "not started from here";
  EXPECT_EQ(lines_of("own").size(), 3U);
  EXPECT_EQ(lines_of("imports"), lines_of("own")) << "what stands beside the program is its own affair";
}

TEST_F(PythonOracles, WhatItSaysOfAFailureIsWhatPythonSays) {
  EXPECT_NE(error(python("raise ValueError('no such shape')\n")).find("exit code 1; it printed:\nTraceback"),
            std::string::npos);
  EXPECT_NE(error(python("import sys\nsys.exit('needs PyTorch')\n")).find("needs PyTorch"),
            std::string::npos);
  EXPECT_NE(error(python("def broken(:\n")).find("SyntaxError"), std::string::npos);
  EXPECT_NE(error(python("import time\ntime.sleep(60)\n", 0.5)).find("longer than 0.5 s"), std::string::npos);
  EXPECT_NE(error(python("")).find("it wrote no c.npy"), std::string::npos);
}

TEST_F(PythonOracles, WhoCannotBeForkedIsStarted) {
  // A process of its own has another parent than the one that was forked.
  write("beside.py", "");
  const CommandOracle one =
      python(std::string("import os, sys\n"
                         "if open('/proc/%d/cmdline' % os.getppid()).read().find('runpy') >= 0:"
                         " os.kill(os.getppid(), 9)\n") +
             copies_a);
  for (int i = 0; i < 2; ++i) {
    const auto outputs = one.compute(bound, inputs);
    ASSERT_TRUE(outputs) << outputs.error().text();
    EXPECT_EQ((*outputs)[2][9], 5);
  }
}

// The first time it kills the process that it was forked from, and the second, on its own, it says that it
// cannot go on: the third is forked again, from another process.
TEST_F(PythonOracles, OneThatIsGoneIsNotAskedAgain) {
  write("beside.py", "");
  write("tries", "");
  const CommandOracle one = python(
      std::string(
          "import os, sys\ntries = len(open('tries').read())\nprint(end='x', file=open('tries', 'a'))\n"
          "if tries == 0: os.kill(os.getppid(), 9)\nif tries < 2: sys.exit(3)\n") +
      copies_a);
  EXPECT_FALSE(one.compute(bound, inputs));
  ASSERT_TRUE(one.compute(bound, inputs));
  EXPECT_EQ(lines_of("parents").size(), 1U);
  EXPECT_FALSE(lines_of("parents").contains(std::to_string(::getpid())));
}

TEST_F(PythonOracles, WhatOneThatFailedHasWrittenIsGone) {
  const CommandOracle one = python(
      "import os, shutil, sys\n"
      "if open('/proc/%d/cmdline' % os.getppid()).read().find('runpy') >= 0:\n"
      "  shutil.copy(sys.argv[2] + '/a.npy', sys.argv[3] + '/c.npy')\n  os.kill(os.getppid(), 9)\n");
  EXPECT_NE(error(one).find("it wrote no c.npy"), std::string::npos);
}

TEST_F(PythonOracles, WhatDecidesAnImportComesBeforeIt) {
  // An installed module that reads a variable when it is imported; the program sets it first.
  const fs::path installed = folder / ".." / (folder.filename().string() + "_installed");
  fs::create_directories(installed);
  std::ofstream(installed / "evo_reads.py") << "import os\nvalue = os.environ.get('EVO_READS', '0')\n";
  write("beside.py", "");
  const CommandOracle one = python(
      "import os, sys\nos.environ['EVO_READS'] = '1'\n"
      "sys.path.append('" +
      installed.string() +
      "')\nimport evo_reads\n"
      "print(evo_reads.value, file=open('read', 'a'))\n" +
      std::string(copies_a));
  ::setenv("PYTHONPATH", installed.c_str(), 1);
  EXPECT_TRUE(one.compute(bound, inputs));
  ::unsetenv("PYTHONPATH");
  EXPECT_EQ(lines_of("read"), std::set<std::string>{"1"});
  fs::remove_all(installed);
}

TEST_F(PythonOracles, NobodyIsLeftBehind) {
  write("beside.py", "");
  const CommandOracle one = python(
      "import subprocess\n"
      "print(subprocess.Popen(['sleep', '600']).pid, file=open('sleeps', 'a'))\n" +
      std::string(copies_a));
  ASSERT_TRUE(one.compute(bound, inputs));
  EXPECT_FALSE(lines_of("parents").contains(std::to_string(::getpid())));
  const pid_t left = std::stoi(*lines_of("sleeps").begin());
  for (int i = 0; i < 500 && ::kill(left, 0) == 0; ++i)  // gone, once init has taken note
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_NE(::kill(left, 0), 0);
}

/// Neither who is forked nor who is started gets out of its folders, or to a network.
TEST_F(PythonOracles, TheyAndOtherProgramsAreCaged) {
  if (process::available_sandbox().landlock == 0 || process::program_call_filter().empty())
    GTEST_SKIP() << "this kernel has no sandbox";
  const fs::path outside = folder / ".." / (folder.filename().string() + "_outside");
  fs::create_directories(outside);
  write("beside.py", "");
  const CommandOracle forked = python(
      "import socket, tempfile\n"
      "try:\n  open('" +
      outside.string() +
      "/forked', 'w')\nexcept PermissionError: print('no file', file=open('no', 'a'))\n"
      "try:\n  socket.socket()\nexcept PermissionError: print('no net', file=open('no', 'a'))\n"
      "socket.socket(socket.AF_UNIX).close()\ntempfile.TemporaryFile().write(b'x')\n" +
      std::string(copies_a));
  ASSERT_TRUE(forked.compute(bound, inputs));
  EXPECT_EQ(lines_of("no"), (std::set<std::string>{"no file", "no net"}));
  EXPECT_FALSE(lines_of("parents").contains(std::to_string(::getpid()))) << "it was forked";
  const CommandOracle started =
      command("echo x > " + outside.string() +
              "/started; cp $1/a.npy $2/c.npy; echo x > $TMPDIR/t && echo y > /dev/null\n");
  ASSERT_TRUE(started.compute(bound, inputs));
  EXPECT_TRUE(fs::is_empty(outside));
  fs::remove_all(outside);
}

TEST_F(PythonOracles, OnlyPythonProgramsAreForked) {
  EXPECT_TRUE(WarmPython::takes({"python3", "a.py"}));
  EXPECT_TRUE(WarmPython::takes({"/usr/bin/python3.11", "b/a.py", "--more"}));
  EXPECT_FALSE(WarmPython::takes({"python3", "-m", "a"}));
  EXPECT_FALSE(WarmPython::takes({"python3", "-u", "a.py"}));
  EXPECT_FALSE(WarmPython::takes({"pythonic", "a.py"}));
  EXPECT_FALSE(WarmPython::takes({"python3"}));
  EXPECT_FALSE(WarmPython::takes({"/bin/sh", "a.py"}));
}

}  // namespace
}  // namespace evo::evaluators::reference
