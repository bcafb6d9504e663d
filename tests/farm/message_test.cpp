// Messages as nobody honest writes them.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "farm/message.hpp"
#include "model/error.hpp"

namespace evo::test {
namespace {

farm::JobMessage a_job() {
  farm::JobMessage job{"run-1", {}, "secret", {"0.2.0", "nvrtc 12.9", "virtual"}, "a target", "{}"};
  job.id = farm::job_id(job.run, job.target, job.body);
  return job;
}

TEST(FarmMessage, ComesBackAsItWas) {
  const auto back = farm::job_from(farm::encode(a_job()));
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(back->run, "run-1");
  EXPECT_EQ(back->build, a_job().build);
  EXPECT_EQ(back->body, "{}");
}

TEST(FarmMessage, RefusesWhatIsNoJob) {
  for (const char* text : {"", "{", "[]", "{}", "{\"run\":7}", "null"}) {
    EXPECT_FALSE(farm::job_from(text)) << text;
    EXPECT_FALSE(farm::result_from(text)) << text;
  }
  EXPECT_FALSE(farm::result_from(std::string(5000, '[')));
}

TEST(FarmMessage, NamesItsCodeShortly) {
  farm::JobMessage job = a_job();
  job.code = {"aa", "bb"};
  const auto back = farm::job_from(farm::encode(job));
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(back->code, job.code);
  job.code = {"a.b"};
  EXPECT_FALSE(farm::job_from(farm::encode(job)));
  job.code = std::vector<std::string>(5, "aa");
  EXPECT_FALSE(farm::job_from(farm::encode(job)));
}

TEST(FarmMessage, RefusesAnIdOfAnotherBody) {
  farm::JobMessage job = a_job();
  job.body = "{\"oracle\":\"other\"}";
  EXPECT_FALSE(farm::job_from(farm::encode(job)));
  job = a_job();
  job.target = "another";
  EXPECT_FALSE(farm::job_from(farm::encode(job)));
}

TEST(FarmMessage, RefusesNamesThatReachElsewhere) {
  for (const char* name : {"", "a.b", "*", ">", "../x", "a b", "a/b", "\xc3\xa4"}) {
    farm::JobMessage job = a_job();
    job.run = name;
    job.id = farm::job_id(job.run, job.target, job.body);
    EXPECT_FALSE(farm::job_from(farm::encode(job))) << name;
  }
  EXPECT_FALSE(farm::is_plain_name(std::string(65, 'a')));
  EXPECT_TRUE(farm::is_plain_name(std::string(64, 'a')));
}

TEST(FarmMessage, BoundsSizes) {
  farm::JobMessage job = a_job();
  job.body = std::string(farm::max_message_bytes, 'x');
  EXPECT_THROW(static_cast<void>(farm::encode(job)), model::Exception);
  EXPECT_FALSE(farm::job_from(std::string(farm::max_message_bytes + 1, ' ')));
}

TEST(FarmMessage, KnowsBeforeItEncodesWhatFits) {
  farm::JobMessage job = a_job();
  for (const char c : {'x', '"', '\n', '\x01'}) {
    job.body = std::string(farm::max_message_bytes / 7, c);
    EXPECT_TRUE(farm::fits(job));
    EXPECT_LE(farm::encode(job).size(), farm::max_message_bytes);
  }
  job.body = std::string(farm::max_message_bytes / 2, '"');
  EXPECT_FALSE(farm::fits(job));
}

TEST(FarmMessage, ALineIsAPlainNameOfWhatItsWorkersHave) {
  EXPECT_EQ(farm::line_of("virtual"), "virtual");
  EXPECT_EQ(farm::line_of("NVRTC 13.0.88"), "NVRTC_13_0_88");
  EXPECT_EQ(farm::line_of("NVIDIA H200"), "NVIDIA_H200");
  EXPECT_TRUE(farm::is_plain_name(farm::line_of(std::string(500, '.'))));
}

TEST(FarmMessage, APriceIsANumber) {
  farm::ResultMessage result{"run-1", "id", "nonce", "w", "", "{}", 2.5, 7};
  const auto back = farm::result_from(farm::encode(result));
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(back->price, 2.5);
  EXPECT_EQ(back->seconds, 7);
  for (const double price : {-1.0, 1e300}) {
    result.price = price;
    EXPECT_FALSE(farm::result_from(farm::encode(result))) << price;
  }
  EXPECT_FALSE(farm::result_from(
      R"({"run":"r","id":"i","nonce":"n","worker":"w","error":"","body":"","price":"much"})"));
}

TEST(FarmMessage, SaysWhichPartOfABuildDiffers) {
  const farm::Build run{"0.2.0", "nvrtc 12.9", "virtual"};
  EXPECT_EQ(farm::difference(run, run), "");
  EXPECT_NE(farm::difference({"0.3.0", "nvrtc 12.9", "virtual"}, run).find("0.3.0"), std::string::npos);
  EXPECT_NE(farm::difference({"0.2.0", "nvrtc 13.0", "virtual"}, run).find("13.0"), std::string::npos);
}

}  // namespace
}  // namespace evo::test
