// The worker's main loop as a program: frames in from a file, frames out to another, and its exit code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/worker/protocol.hpp"
#include "tests/worker/job_suite.hpp"

namespace evo::test {
namespace {

using namespace evaluators::worker;
using evaluators::gates::device_result_from_json;

std::string frame(const std::string& bytes) {
  std::string header(8, '\0');
  const std::uint64_t length = bytes.size();
  std::memcpy(header.data(), &length, sizeof length);
  return header + bytes;
}

std::string job_frame(const std::string& entry) {
  model::Artifact artifact;
  artifact.entry = entry;
  artifact.cubin = "ELF";
  return frame(encode(MessageType::job, evaluators::gates::to_json(make_add_job(artifact, false))));
}

struct Spoken {
  std::vector<Message> messages;  ///< without signs of life
  int exit_code = -1;
};

Spoken talk(const std::string& command, const std::string& input) {
  const auto folder = std::filesystem::temp_directory_path() / ("evo-serve-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "in", std::ios::binary) << input;
  const std::string in_folder = "cd '" + folder.string() + "' && '";
  const int status =
      std::system((in_folder + command + " < in > out 2> err").c_str());  // NOLINT: a test's own command
  Spoken spoken;
  spoken.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::ostringstream bytes;
  bytes << std::ifstream(folder / "out", std::ios::binary).rdbuf();
  const std::string out = bytes.str();
  for (std::size_t at = 0; at + 8 <= out.size();) {
    std::uint64_t length = 0;
    std::memcpy(&length, out.data() + at, sizeof length);
    const auto message = decode(out.substr(at + 8, length));
    EXPECT_TRUE(message) << message.error();
    if (message && message->type != MessageType::alive) spoken.messages.push_back(*message);
    at += 8 + length;
  }
  std::filesystem::remove_all(folder);
  return spoken;
}

Spoken serve_loop(const std::string& input) {
  return talk(std::string(EVO_LOOP_WORKER) + "'", input);
}

TEST(Serve, SaysHelloAndEndsWithItsInput) {
  const Spoken spoken = serve_loop("");
  EXPECT_EQ(spoken.exit_code, 0);
  ASSERT_EQ(spoken.messages.size(), 1u);
  EXPECT_EQ(spoken.messages[0].type, MessageType::hello);
  const auto hello = hello_from_json(spoken.messages[0].body);
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->protocol, protocol_version);
  EXPECT_EQ(hello->device.name, "Fake GPU");
}

TEST(Serve, AnswersEachJobInOrder) {
  const Spoken spoken = serve_loop(job_frame("add") + job_frame("wrong") + job_frame("add"));
  EXPECT_EQ(spoken.exit_code, 0);
  ASSERT_EQ(spoken.messages.size(), 4u);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(spoken.messages[i].type, MessageType::result);
    EXPECT_EQ(device_result_from_json(spoken.messages[i].body).gates.at(0).pass(), i != 2);
  }
}

TEST(Serve, TheSameJobHasTheSameAnswer) {
  const Spoken spoken = serve_loop(job_frame("wrong") + job_frame("add") + job_frame("wrong"));
  ASSERT_EQ(spoken.messages.size(), 4u);
  const auto first = device_result_from_json(spoken.messages[1].body);
  const auto again = device_result_from_json(spoken.messages[3].body);
  EXPECT_EQ(first.gates.at(0).failure->reason, again.gates.at(0).failure->reason);
  EXPECT_EQ(first.gates[0].failure->evidence, again.gates[0].failure->evidence);
}

TEST(Serve, EndsAfterTheJobThatLostItsDevice) {
  const Spoken spoken = serve_loop(job_frame("misaligned") + job_frame("add"));
  EXPECT_EQ(spoken.exit_code, device_lost_exit);
  ASSERT_EQ(spoken.messages.size(), 2u);
  EXPECT_EQ(spoken.messages[1].type, MessageType::last_result);
}

TEST(Serve, ReportsWhatIsNoJobAndEnds) {
  for (const std::string& input : {frame("hello?"), frame(encode(MessageType::alive)),
                                   frame(encode(MessageType::job, "{\"artifact\": 1}"))}) {
    const Spoken spoken = serve_loop(input + job_frame("add"));
    EXPECT_EQ(spoken.exit_code, 1);
    ASSERT_EQ(spoken.messages.size(), 2u);
    EXPECT_EQ(spoken.messages[1].type, MessageType::error);
    EXPECT_FALSE(error_from_json(spoken.messages[1].body)->message.empty());
  }
}

TEST(Serve, AnUnknownOracleIsNoCandidatesFault) {
  auto made = make_add_job({}, false);
  made.artifact.entry = "add";
  made.artifact.cubin = "ELF";
  made.oracle = "no_such_oracle";
  const Spoken spoken = serve_loop(frame(encode(MessageType::job, evaluators::gates::to_json(made))));
  ASSERT_EQ(spoken.messages.size(), 2u);
  EXPECT_EQ(spoken.messages[1].type, MessageType::error);
  EXPECT_THAT(error_from_json(spoken.messages[1].body)->message, testing::HasSubstr("no_such_oracle"));
}

TEST(WorkerMain, TellsItsPoolWhyItCannotServe) {
  const Spoken wrong = talk(std::string(EVO_REAL_WORKER) + "' virtual", "");
  EXPECT_EQ(wrong.exit_code, 2);
  ASSERT_EQ(wrong.messages.size(), 1u);
  EXPECT_EQ(wrong.messages[0].type, MessageType::error);
  const Spoken missing = talk(std::string(EVO_REAL_WORKER) + "' cuda:63", "");
  EXPECT_EQ(missing.exit_code, 4);
  ASSERT_EQ(missing.messages.size(), 1u);
  EXPECT_FALSE(error_from_json(missing.messages[0].body)->message.empty());
}

}  // namespace
}  // namespace evo::test
