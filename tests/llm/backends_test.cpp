// Each way in which an endpoint, a program or a cassette can fail has an outcome of its own, and none hangs.
#include "llm/backends/backends.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "model/error.hpp"

#include "tests/llm/fake_server.hpp"

namespace evo::llm {
namespace {

using testing::FakeServer;

std::string completion(const std::string& message, const std::string& finish = "stop") {
  return R"({"choices":[{"message":)" + message + R"(,"finish_reason":")" + finish +
         R"("}],"usage":{"prompt_tokens":100,"completion_tokens":7}})";
}
const std::string good = completion(R"({"role":"assistant","content":"HYPOTHESIS: x"})");

struct Asked {
  Exchange exchange;
  int requests = 0;
  std::vector<std::chrono::milliseconds> waits;
};

Asked ask_server(FakeServer::Answer answer, model::LanguageModel model = {}) {
  FakeServer server(std::move(answer));
  model.name = "m";
  model.endpoint = server.endpoint();
  if (model.timeout_s == 120) model.timeout_s = 5;
  Asked asked;
  const auto backend = make_live_backend(
      make_http_transport(model), [&](std::chrono::milliseconds wait) { asked.waits.push_back(wait); });
  backend->ask(model, make_request(model, 3, 0, {{"user", "hello"}}), asked.exchange);
  asked.requests = server.requests();
  return asked;
}

std::string outcome_of(const std::string& response) {
  return ask_server([&](int, const std::string&) { return response; }).exchange.outcome;
}

TEST(Endpoint, EachEndHasItsOutcome) {
  EXPECT_EQ(outcome_of(FakeServer::response("200 OK", good)), "ok");
  EXPECT_EQ(outcome_of(FakeServer::response("200 OK", completion(R"({"content":"half"})", "length"))),
            "truncated");
  EXPECT_EQ(
      outcome_of(FakeServer::response("200 OK", completion(R"({"content":null,"reasoning_content":"hm"})"))),
      "reasoning_only");
  EXPECT_EQ(outcome_of(FakeServer::response("200 OK", completion(R"({"content":""})"))), "empty_reply");
  EXPECT_EQ(outcome_of(FakeServer::response("200 OK", "<html><body>Sign in</body></html>")), "not_json");
  EXPECT_EQ(outcome_of(FakeServer::response("200 OK", R"({"error":"x"})")), "not_json");
  EXPECT_EQ(outcome_of(FakeServer::response("200 OK", good.substr(0, 40))), "not_json");
  EXPECT_EQ(outcome_of(FakeServer::response("401 Unauthorized", "no")), "http_401");
  EXPECT_EQ(outcome_of(FakeServer::response("302 Found", "", "Location: http://127.0.0.1:1/\r\n")),
            "http_302");
  EXPECT_EQ(outcome_of("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\ncut"), "refused_connection");
}

TEST(Endpoint, TriesAgainWhereItMayHelp) {
  const Asked busy = ask_server([](int number, const std::string&) {
    return number == 0 ? FakeServer::response("429 Too Many", "", "Retry-After: 3\r\n")
                       : FakeServer::response("200 OK", good);
  });
  EXPECT_EQ(busy.exchange.outcome, "ok");
  EXPECT_EQ(busy.exchange.attempts, 2);
  EXPECT_EQ(busy.exchange.usage.input_tokens, 100);
  EXPECT_EQ(busy.exchange.usage.output_tokens, 7);
  EXPECT_EQ(busy.waits, std::vector<std::chrono::milliseconds>{std::chrono::seconds(3)});
  const Asked broken =
      ask_server([](int, const std::string&) { return FakeServer::response("500 Oh", "x"); });
  EXPECT_EQ(broken.exchange.outcome, "http_500");
  EXPECT_EQ(broken.requests, 3);
  EXPECT_EQ(broken.waits.size(), 2u);
  EXPECT_EQ(ask_server([](int, const std::string&) { return FakeServer::response("400 Bad", "x"); }).requests,
            1);
}

TEST(Endpoint, ASilentOneEndsInTime) {
  model::LanguageModel model;
  model.timeout_s = 0.05;
  model.retries = 1;
  const Asked silent = ask_server([](int, const std::string&) { return std::string(); }, model);
  EXPECT_EQ(silent.exchange.outcome, "timed_out");
  EXPECT_EQ(silent.exchange.attempts, 2);
}

TEST(Endpoint, TheKeyIsSentAndNeverKept) {
  ::setenv("EVO_TEST_LLM_KEY", "very-secret-7", 1);
  model::LanguageModel model;
  model.api_key_env = "EVO_TEST_LLM_KEY";
  bool sent = false;
  const Asked asked = ask_server(
      [&](int, const std::string& request) {
        sent = request.find("Authorization: Bearer very-secret-7") != std::string::npos;
        return FakeServer::response("403 No", "you sent very-secret-7");
      },
      model);
  EXPECT_TRUE(sent);
  for (const auto& [name, text] : to_details(asked.exchange))
    EXPECT_EQ(text.find("very-secret"), std::string::npos) << name;
  EXPECT_EQ(asked.exchange.reply, "you sent ***");
  ::unsetenv("EVO_TEST_LLM_KEY");
  try {
    (void)make_http_transport(model);
    FAIL();
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::environment);
    EXPECT_NE(std::string(error.what()).find("EVO_TEST_LLM_KEY"), std::string::npos);
  }
}

Exchange ask_command(const std::string& script, double timeout_s = 5) {
  model::LanguageModel model;
  model.name = "m";
  model.command = {"/bin/sh", "-c", script};
  model.timeout_s = timeout_s;
  model.retries = 0;
  Exchange exchange;
  make_live_backend(make_command_transport(model), [](std::chrono::milliseconds) {
  })->ask(model, make_request(model, 0, 0, {{"user", "hello"}}), exchange);
  return exchange;
}

TEST(Command, RepliesOnStdout) {
  EXPECT_EQ(ask_command("cat").reply, R"({"model":"m","messages":[{"role":"user","content":"hello"}]})");
  EXPECT_EQ(ask_command("echo '" + good + "'").usage.output_tokens, 7);
  EXPECT_EQ(ask_command("exit 3").outcome, "command_failed");
  EXPECT_EQ(ask_command("true").outcome, "empty_reply");
  EXPECT_EQ(ask_command("sleep 60 & sleep 60", 0.05).outcome, "timed_out");
}

TEST(Command, InheritsNoSecrets) {
  ::setenv("EVO_TEST_OTHER_SECRET", "hidden", 1);
  EXPECT_EQ(ask_command("echo \"[$EVO_TEST_OTHER_SECRET]\"").reply, "[]\n");
  EXPECT_NE(ask_command("echo \"[$PATH]\"").reply, "[]\n");
  ::unsetenv("EVO_TEST_OTHER_SECRET");
}

TEST(Cassette, RepeatsWhatWasSaidAndNothingElse) {
  const auto file = std::filesystem::temp_directory_path() / ("evo_cassette_" + std::to_string(::getpid()));
  std::filesystem::remove(file);
  model::LanguageModel model;
  model.name = "m";
  model.command = {"/bin/sh", "-c", "echo said"};
  const auto live = [&] {
    return make_live_backend(make_command_transport(model), [](std::chrono::milliseconds) {});
  };
  const Request first = make_request(model, 0, 0, {{"user", "one"}});
  const Request other = make_request(model, 1, 0, {{"user", "one"}});
  EXPECT_NE(first.key, other.key);
  Exchange exchange;
  exchange.key = first.key;
  make_cassette_backend(file, false, live())->ask(model, first, exchange);
  const auto replay = make_cassette_backend(file, true, nullptr);
  Exchange again;
  replay->ask(model, first, again);
  EXPECT_EQ(again.reply, "said\n");
  try {
    replay->ask(model, other, again);
    FAIL();
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::verification_failed);
  }
  std::ofstream(file, std::ios::app) << "no JSON\n";
  try {
    (void)make_cassette_backend(file, true, nullptr);
    FAIL();
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::invalid_configuration);
    EXPECT_NE(std::string(error.what()).find(":2:"), std::string::npos) << error.what();
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace evo::llm
