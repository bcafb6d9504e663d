#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "evaluators/worker/protocol.hpp"

namespace evo::evaluators::worker {
namespace {

RC_GTEST_PROP(Protocol, MessagesSurviveTheWire, (const std::string& body)) {
  for (const auto type : {MessageType::hello, MessageType::job, MessageType::alive, MessageType::result,
                          MessageType::last_result, MessageType::error}) {
    const auto message = decode(encode(type, body));
    RC_ASSERT(message.has_value());
    RC_ASSERT(message->type == type);
    RC_ASSERT(message->body == body);
  }
}

RC_GTEST_PROP(Protocol, NoBytesMakeItThrow, (const std::string& bytes)) {
  static_cast<void>(decode(bytes));
  static_cast<void>(decode("evo-worker " + bytes));
  RC_ASSERT(!decode("evo-worker no_such_type\n" + bytes));
  RC_ASSERT(!hello_from_json(bytes));
  RC_ASSERT(!error_from_json(bytes));
}

TEST(Protocol, HelloAndErrorRoundTrip) {
  const Hello hello{7, {"cuda", "NVIDIA \"H200\"", "sm_90", "580.159.04", "GPU-1"}};
  const auto read = hello_from_json(to_json(hello));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->protocol, 7);
  EXPECT_EQ(read->device.name, hello.device.name);
  EXPECT_EQ(read->device.uuid, "GPU-1");
  const auto error = error_from_json(to_json(WorkerError{4, "line\nbreak"}));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->exit_code, 4);
  EXPECT_EQ(error->message, "line\nbreak");
}

TEST(Protocol, SaysWhatIsWrong) {
  EXPECT_THAT(decode("").error(), testing::HasSubstr("0 bytes"));
  EXPECT_THAT(decode("evo-worker dance\n").error(), testing::HasSubstr("\"dance\""));
  EXPECT_THAT(hello_from_json("{\"protocol\": 1}").error(), testing::HasSubstr("malformed hello"));
}

}  // namespace
}  // namespace evo::evaluators::worker
