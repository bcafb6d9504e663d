#include "llm/exchange.hpp"

#include <charconv>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "model/hash.hpp"

namespace evo::llm {
namespace {

namespace json = boost::json;

std::int64_t number_of(const std::map<std::string, std::string>& details, const char* name) {
  const auto found = details.find(name);
  std::int64_t value = 0;
  if (found != details.end())
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
  return value;
}

std::int64_t integer_at(const json::object& object, const char* name) {
  const auto* found = object.if_contains(name);
  return found != nullptr && found->is_int64() ? found->as_int64() : 0;
}

std::string text_at(const json::object& object, const char* name) {
  const auto* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

}  // namespace

Request make_request(const model::LanguageModel& model, std::int64_t proposal, int turn,
                     const std::vector<Message>& messages) {
  json::object body;
  body["model"] = model.name;
  json::array list;
  for (const Message& message : messages)
    list.push_back(json::object{{"role", message.role}, {"content", message.text}});
  body["messages"] = std::move(list);
  if (!model.params.empty()) {
    const json::value params = json::parse(model.params);
    for (const auto& [name, value] : params.as_object()) body[name] = value;
  }
  Request request{proposal, turn, json::serialize(body), {}};
  model::Hasher hasher;
  request.key = hasher.add(fmt::format("{} {}", proposal, turn)).add(request.body).finish();
  return request;
}

std::map<std::string, std::string> to_details(const Exchange& exchange) {
  return {{"turn", std::to_string(exchange.turn)},
          {"model", exchange.model},
          {"key", exchange.key},
          {"request", exchange.request},
          {"outcome", exchange.outcome},
          {"reply", exchange.reply},
          {"input_tokens", std::to_string(exchange.usage.input_tokens)},
          {"output_tokens", std::to_string(exchange.usage.output_tokens)},
          {"attempts", std::to_string(exchange.attempts)},
          {"verdict", exchange.verdict},
          {"repairs", exchange.repairs}};
}

std::optional<Exchange> from_details(std::int64_t proposal,
                                     const std::map<std::string, std::string>& details) {
  const auto text = [&](const char* name) {
    const auto found = details.find(name);
    return found == details.end() ? std::string() : found->second;
  };
  Exchange exchange;
  exchange.proposal = proposal;
  exchange.turn = static_cast<int>(number_of(details, "turn"));
  exchange.model = text("model");
  exchange.key = text("key");
  exchange.request = text("request");
  exchange.outcome = text("outcome");
  exchange.reply = text("reply");
  exchange.usage = {number_of(details, "input_tokens"), number_of(details, "output_tokens")};
  exchange.attempts = static_cast<int>(number_of(details, "attempts"));
  exchange.verdict = text("verdict");
  exchange.repairs = text("repairs");
  if (exchange.key.empty() || exchange.outcome.empty()) return std::nullopt;
  return exchange;
}

std::string to_line(const Exchange& exchange) {
  const json::object line{{"proposal", exchange.proposal},
                          {"turn", exchange.turn},
                          {"model", exchange.model},
                          {"key", exchange.key},
                          {"outcome", exchange.outcome},
                          {"reply", exchange.reply},
                          {"input_tokens", exchange.usage.input_tokens},
                          {"output_tokens", exchange.usage.output_tokens},
                          {"attempts", exchange.attempts}};
  return json::serialize(line);
}

std::optional<Exchange> from_line(std::string_view line) {
  boost::system::error_code failed;
  const json::value parsed = json::parse(line, failed);
  if (failed || !parsed.is_object()) return std::nullopt;
  const json::object& object = parsed.as_object();
  Exchange exchange;
  exchange.proposal = integer_at(object, "proposal");
  exchange.turn = static_cast<int>(integer_at(object, "turn"));
  exchange.model = text_at(object, "model");
  exchange.key = text_at(object, "key");
  exchange.outcome = text_at(object, "outcome");
  exchange.reply = text_at(object, "reply");
  exchange.usage = {integer_at(object, "input_tokens"), integer_at(object, "output_tokens")};
  exchange.attempts = static_cast<int>(integer_at(object, "attempts"));
  if (exchange.key.empty() || exchange.outcome.empty()) return std::nullopt;
  return exchange;
}

void read_completion(std::string_view body, Exchange& exchange) {
  constexpr std::size_t shown = 2000;
  boost::system::error_code failed;
  const json::value parsed = json::parse(body, failed);
  const json::object* root = failed ? nullptr : parsed.if_object();
  const auto* choices = root == nullptr ? nullptr : root->if_contains("choices");
  const auto* list = choices == nullptr ? nullptr : choices->if_array();
  if (list == nullptr || list->empty() || !list->front().is_object()) {
    exchange.outcome = "not_json";
    exchange.reply = std::string(body.substr(0, shown));
    return;
  }
  if (const auto* usage = root->if_contains("usage"); usage != nullptr && usage->is_object()) {
    exchange.usage = {integer_at(usage->as_object(), "prompt_tokens"),
                      integer_at(usage->as_object(), "completion_tokens")};
  }
  const json::object& choice = list->front().as_object();
  const auto* message = choice.if_contains("message");
  const json::object none;
  const json::object& said = message != nullptr && message->is_object() ? message->as_object() : none;
  exchange.reply = text_at(said, "content");
  if (text_at(choice, "finish_reason") == "length") {
    exchange.outcome = "truncated";
  } else if (exchange.reply.empty()) {
    const bool thought = !text_at(said, "reasoning_content").empty() || !text_at(said, "reasoning").empty();
    exchange.outcome = thought ? "reasoning_only" : "empty_reply";
  } else {
    exchange.outcome = "ok";
  }
}

}  // namespace evo::llm
