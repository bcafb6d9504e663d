#include "evaluators/compile/codec.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/compile/cache_support.hpp"

namespace evo::evaluators::compile {
namespace {

TEST(Codec, ResultsSurvive) {
  const auto made = decode_result(encode(CompileResult(artifact(7))));
  ASSERT_TRUE(made && *made);
  EXPECT_EQ((*made)->cubin, artifact(7).cubin);
  EXPECT_EQ((*made)->resources.registers, 47);
  EXPECT_TRUE(same(**made, artifact(7)));
  const auto failed = decode_result(encode(CompileResult(tl::unexpected(failure()))));
  ASSERT_TRUE(failed && !*failed);
  EXPECT_EQ(failed->error().reason, "source_error");
  EXPECT_EQ(failed->error().evidence, failure().evidence);
}

TEST(Codec, RequestsSurvive) {
  CompileRequest request{"source",         "a.cu", "k", "sm_90a", {{"a.h", "A"}, {"b.h", "B"}},
                         {"--fmad=false"}, 2.5,    99};
  const auto read = decode_request(encode(request));
  ASSERT_TRUE(read);
  EXPECT_EQ(encode(*read), encode(request));
  EXPECT_EQ(read->headers, request.headers);
  EXPECT_EQ(read->timeout_s, 2.5);
}

RC_GTEST_PROP(Codec, DamagedBytesAreRefusedOrReadButNeverCrash, (const std::string& noise)) {
  std::string bytes = encode(CompileResult(tl::unexpected(failure())));
  const auto cut = *rc::gen::inRange<std::size_t>(0, bytes.size());
  RC_ASSERT(!decode_result(std::string_view(bytes).substr(0, cut)));
  bytes.replace(cut, std::min(noise.size(), bytes.size() - cut), noise);
  (void)decode_result(bytes);
  (void)decode_result(noise);
  (void)decode_request(noise);
}

}  // namespace
}  // namespace evo::evaluators::compile
