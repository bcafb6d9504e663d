// Back ends: an endpoint that speaks chat completions, a program, a cassette; and how they go together.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "llm/exchange.hpp"

namespace evo::llm {

/// One attempt at an answer: fills outcome, reply and usage.
class Transport {
 public:
  struct Attempt {
    std::chrono::milliseconds wait{0};  ///< what the other side asked to wait; 0: nothing
  };
  virtual ~Transport() = default;
  virtual Attempt attempt(const Request& request, Exchange& exchange) = 0;
};

/// Runs the command once a request: the body on its standard input, on its standard output a chat completion
/// or the reply's text. It gets PATH, HOME, LANG, TMPDIR, USER and the variable that holds the key, and
/// nothing else of the environment.
[[nodiscard]] std::unique_ptr<Transport> make_command_transport(const model::LanguageModel& model);
/// POST ENDPOINT/chat/completions by libcurl, loaded now. Redirects are not followed. Throws
/// model::Exception(environment) where libcurl, or the variable with the key, is missing.
[[nodiscard]] std::unique_ptr<Transport> make_http_transport(const model::LanguageModel& model);

/// True for outcomes after which another attempt may help: timed_out, refused_connection, http_429, http_5NN.
[[nodiscard]] bool may_pass(std::string_view outcome);

using Sleep = std::function<void(std::chrono::milliseconds)>;
/// Attempts with waits that double, from half a second to half a minute, or as long as the other side asked.
[[nodiscard]] std::unique_ptr<Backend> make_live_backend(std::unique_ptr<Transport> transport, Sleep sleep);

/// Replies of a file of JSON lines, by key. `next`: asked, and its replies appended, where the file has none;
/// nullptr: then a missing reply is model::Exception(verification_failed). `read`: false to ask `next`
/// always. Throws model::Exception(environment) for a file that is missing (without `next`) or cannot be
/// written, and model::Exception(invalid_configuration) for a line that is no exchange, with file and line.
[[nodiscard]] std::unique_ptr<Backend> make_cassette_backend(const std::filesystem::path& file, bool read,
                                                             std::unique_ptr<Backend> next);

/// As the experiment's settings say: each model has a back end of its own.
[[nodiscard]] std::unique_ptr<Backend> make_backend(const std::vector<model::LanguageModel>& models);

}  // namespace evo::llm
