// `llm` in search.mutators: what is accepted, and where a complaint points.
#include "config/language_models.hpp"

#include <gtest/gtest.h>

namespace evo::config {
namespace {

std::vector<model::LanguageModel> read(const std::string& text) {
  return read_language_models(Reader(YAML::Load(text), "/tmp/e.yaml", "search.mutators"));
}

std::string complaint(const std::string& model) {
  try {
    (void)read("llm: " + model);
  } catch (const Invalid& invalid) {
    EXPECT_GT(invalid.error.line, 0) << model;
    return invalid.error.text();
  }
  return {};
}

TEST(LanguageModels, HaveAModeThatFitsWhatTheyHave) {
  const auto one = read("llm: {model: m, command: [./ask, x]}");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].mode, "live");
  EXPECT_EQ(one[0].preset, "full");
  EXPECT_EQ(one[0].command, (std::vector<std::string>{"/tmp/ask", "x"}));
  EXPECT_EQ(read("llm: {model: m, command: [x], cassette: c}")[0].mode, "record");
  EXPECT_EQ(
      read("[{llm: {model: m, endpoint: 'http://localhost:1/v1', params: {temperature: 0.5, a: 'b'}}}]")[0]
          .params,
      R"({"temperature":5E-1,"a":"b"})");
  EXPECT_EQ(read("llm: [{model: m, command: [x]}, {model: n, command: [x]}]").size(), 2u);
  EXPECT_TRUE(read("gene_mutation: 1").empty());
}

TEST(LanguageModels, ComplainWithLineAndNearestWord) {
  EXPECT_NE(complaint("{model: m}").find("needs an endpoint"), std::string::npos);
  EXPECT_NE(complaint("{model: m, endpoin: x}").find("'endpoint'"), std::string::npos);
  EXPECT_NE(complaint("{model: m, command: [x], mode: repaly}").find("'replay'"), std::string::npos);
  EXPECT_NE(complaint("{model: m, endpoint: 'http://example.com/v1'}").find("https"), std::string::npos);
  EXPECT_NE(complaint("{model: m, endpoint: 'http://127.0.0.1.example.com/v1'}").find("https"),
            std::string::npos);
  EXPECT_NE(complaint("{model: m, endpoint: 'https://u:p@x/v1'}").find("api_key_env"), std::string::npos);
  EXPECT_NE(complaint("{model: m, command: [x], mode: replay}").find("cassette"), std::string::npos);
  EXPECT_NE(complaint("{model: m, cassette: no_such_file}").find("no_such_file"), std::string::npos);
  EXPECT_NE(complaint("{model: m, command: [x], params: {messages: []}}").find("messages"),
            std::string::npos);
  EXPECT_NE(complaint("{model: m, command: [x], max_money: 1}").find("price"), std::string::npos);
}

// Who puts the key itself there finds it neither in the message nor anywhere else.
TEST(LanguageModels, AKeyInTheFileIsNotRepeated) {
  const std::string said = complaint("{model: m, endpoint: 'https://x/v1', api_key_env: sk-very-secret}");
  EXPECT_NE(said.find("environment variable"), std::string::npos);
  EXPECT_EQ(said.find("very-secret"), std::string::npos);
}

}  // namespace
}  // namespace evo::config
