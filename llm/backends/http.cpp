// libcurl is loaded when a model with an endpoint is asked, and not before: nothing else of evo needs it, and
// its headers are not needed to build. The numbers below are those of curl.h, which are part of its ABI.
#include <dlfcn.h>

#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "llm/backends/backends.hpp"
#include "model/error.hpp"

namespace evo::llm {
namespace {

using model::ExitCode;

constexpr std::size_t most_body_bytes = std::size_t{16} << 20;

namespace option {
constexpr int url = 10002, post_fields = 10015, headers = 10023, write_data = 10001, write_function = 20011,
              post_size = 60, no_signal = 99, timeout_ms = 155, connect_timeout_ms = 156, protocols = 181,
              no_proxy = 10177;
constexpr long http_and_https = 1 | 2;
}  // namespace option
constexpr int info_response_code = 0x200002, info_retry_after = 0x600039;
constexpr int code_timed_out = 28, global_default = 3;

/// The functions that are used.
struct Curl {
  int (*global_init)(long) = nullptr;
  void* (*init)() = nullptr;
  int (*set)(void*, int, ...) = nullptr;
  int (*perform)(void*) = nullptr;
  int (*info)(void*, int, ...) = nullptr;
  void (*cleanup)(void*) = nullptr;
  void* (*append)(void*, const char*) = nullptr;
  void (*free_all)(void*) = nullptr;
};

template <class Function>
void load(void* library, const char* name, Function& function) {
  void* found = ::dlsym(library, name);
  if (found == nullptr)
    throw model::Exception(ExitCode::environment, fmt::format("libcurl has no function {}", name));
  function = reinterpret_cast<Function>(found);
}

Curl load_curl() {
  void* library = nullptr;
  for (const char* name : {"libcurl.so.4", "libcurl.so", "libcurl-gnutls.so.4"}) {
    library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) {
    throw model::Exception(
        ExitCode::environment,
        "search.mutators.llm: an endpoint needs libcurl (libcurl.so.4), which is not on this "
        "machine: install libcurl4, or use `command` or `cassette`");
  }
  Curl curl;
  load(library, "curl_global_init", curl.global_init);
  load(library, "curl_easy_init", curl.init);
  load(library, "curl_easy_setopt", curl.set);
  load(library, "curl_easy_perform", curl.perform);
  load(library, "curl_easy_getinfo", curl.info);
  load(library, "curl_easy_cleanup", curl.cleanup);
  load(library, "curl_slist_append", curl.append);
  load(library, "curl_slist_free_all", curl.free_all);
  curl.global_init(global_default);
  return curl;
}

std::size_t keep(char* data, std::size_t size, std::size_t count, void* body) {
  auto& text = *static_cast<std::string*>(body);
  if (text.size() + size * count > most_body_bytes) return 0;
  text.append(data, size * count);
  return size * count;
}

class HttpTransport final : public Transport {
 public:
  explicit HttpTransport(const model::LanguageModel& model)
      : curl_(load_curl()), url_(model.endpoint), timeout_ms_(static_cast<long>(model.timeout_s * 1000)) {
    while (url_.ends_with('/')) url_.pop_back();
    url_ += "/chat/completions";
    if (model.api_key_env.empty()) return;
    const char* value = std::getenv(model.api_key_env.c_str());
    if (value == nullptr || *value == '\0') {
      throw model::Exception(
          ExitCode::environment,
          fmt::format("search.mutators.llm: the environment variable {} (api_key_env) is not set",
                      model.api_key_env));
    }
    key_ = value;
  }

  Attempt attempt(const Request& request, Exchange& exchange) override {
    std::string body;
    exchange.reply.clear();
    exchange.usage = {};
    void* easy = curl_.init();
    if (easy == nullptr) throw model::Exception(ExitCode::environment, "libcurl cannot be used");
    void* headers = curl_.append(nullptr, "Content-Type: application/json");
    headers = curl_.append(headers, "Expect:");
    if (!key_.empty()) headers = curl_.append(headers, ("Authorization: Bearer " + key_).c_str());
    curl_.set(easy, option::url, url_.c_str());
    curl_.set(easy, option::post_fields, request.body.data());
    curl_.set(easy, option::post_size, static_cast<long>(request.body.size()));
    curl_.set(easy, option::headers, headers);
    curl_.set(easy, option::write_function, &keep);
    curl_.set(easy, option::write_data, &body);
    curl_.set(easy, option::no_signal, 1L);
    curl_.set(easy, option::timeout_ms, timeout_ms_);
    curl_.set(easy, option::connect_timeout_ms, timeout_ms_);
    curl_.set(easy, option::protocols, option::http_and_https);
    curl_.set(easy, option::no_proxy, "localhost,127.0.0.1,::1");
    const int result = curl_.perform(easy);
    long code = 0;
    long long wait_s = 0;
    curl_.info(easy, info_response_code, &code);
    curl_.info(easy, info_retry_after, &wait_s);
    curl_.cleanup(easy);
    curl_.free_all(headers);
    if (result == code_timed_out) {
      exchange.outcome = "timed_out";
    } else if (result != 0) {
      exchange.outcome = "refused_connection";
    } else if (code < 200 || code >= 300) {
      exchange.outcome = fmt::format("http_{}", code);
      exchange.reply = body.substr(0, 2000);
    } else {
      read_completion(body, exchange);
    }
    hide_key(exchange.reply);
    return {std::chrono::seconds(wait_s > 0 && wait_s < 3600 ? wait_s : 0)};
  }

 private:
  /// A server may send back what it was sent.
  void hide_key(std::string& text) const {
    if (key_.empty()) return;
    for (std::size_t at = text.find(key_); at != std::string::npos; at = text.find(key_, at))
      text.replace(at, key_.size(), "***");
  }

  Curl curl_;
  std::string url_;
  std::string key_;
  long timeout_ms_;
};

}  // namespace

std::unique_ptr<Transport> make_http_transport(const model::LanguageModel& model) {
  return std::make_unique<HttpTransport>(model);
}

}  // namespace evo::llm
