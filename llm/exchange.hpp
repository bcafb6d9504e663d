// What went to a language model and what came back: values, and as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/language_model.hpp"

namespace evo::llm {

/// A part of a conversation.
struct Message {
  std::string role;  ///< system, user, assistant
  std::string text;
};

/// A request: nothing in it depends on time, threads or the machine.
struct Request {
  std::int64_t proposal = 0;  ///< the slot that asks; not sent
  int turn = 0;               ///< 0, or the number of the repair; not sent
  std::string body;           ///< chat-completions JSON
  std::string key;            ///< SHA-256 over proposal, turn and body
};

[[nodiscard]] Request make_request(const model::LanguageModel& model, std::int64_t proposal, int turn,
                                   const std::vector<Message>& messages);

struct Usage {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
};

/// outcome: "ok", or why there is no reply to read: truncated, reasoning_only, empty_reply, not_json,
/// timed_out, refused_connection, http_NNN, command_failed, no_transport, no_key.
struct Exchange {
  std::int64_t proposal = 0;
  int turn = 0;
  std::string model;
  std::string key;
  std::string request;
  std::string outcome;
  std::string reply;  ///< text of the reply, or the first lines of what came instead
  Usage usage;
  int attempts = 1;
  std::string verdict;  ///< "accepted", or the reason code why the reply is no variant
  std::string repairs;  ///< variant id that the request asks to mend; empty: none

  [[nodiscard]] bool ok() const { return outcome == "ok"; }
};

[[nodiscard]] std::map<std::string, std::string> to_details(const Exchange& exchange);
[[nodiscard]] std::optional<Exchange> from_details(std::int64_t proposal,
                                                   const std::map<std::string, std::string>& details);
/// One line of a cassette: without the request, which its key names.
[[nodiscard]] std::string to_line(const Exchange& exchange);
[[nodiscard]] std::optional<Exchange> from_line(std::string_view line);

/// A chat-completions answer: fills outcome, reply and usage. Text that is no such JSON is not_json.
void read_completion(std::string_view body, Exchange& exchange);

/// Where replies come from. Not thread-safe.
class Backend {
 public:
  virtual ~Backend() = default;
  /// Fills outcome, reply, usage and attempts. Throws model::Exception(verification_failed) where a reply
  /// that must be known is not: a replay.
  virtual void ask(const model::LanguageModel& model, const Request& request, Exchange& exchange) = 0;
};

}  // namespace evo::llm
