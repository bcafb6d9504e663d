#include <algorithm>
#include <thread>

#include "llm/backends/backends.hpp"

namespace evo::llm {
namespace {

class LiveBackend final : public Backend {
 public:
  LiveBackend(std::unique_ptr<Transport> transport, Sleep sleep)
      : transport_(std::move(transport)), sleep_(std::move(sleep)) {}

  void ask(const model::LanguageModel& model, const Request& request, Exchange& exchange) override {
    using std::chrono::milliseconds;
    milliseconds wait{500};
    constexpr milliseconds most{30'000};
    for (int attempt = 1;; ++attempt) {
      exchange.attempts = attempt;
      const Transport::Attempt said = transport_->attempt(request, exchange);
      if (!may_pass(exchange.outcome) || attempt > model.retries) return;
      sleep_(said.wait.count() > 0 ? std::min(said.wait, most) : wait);
      wait = std::min(wait * 2, most);
    }
  }

 private:
  std::unique_ptr<Transport> transport_;
  Sleep sleep_;
};

/// Asks each model's own.
class Backends final : public Backend {
 public:
  explicit Backends(const std::vector<model::LanguageModel>& models) {
    for (const model::LanguageModel& model : models) {
      std::unique_ptr<Backend> live;
      if (model.mode != "replay") {
        auto transport = model.command.empty() ? make_http_transport(model) : make_command_transport(model);
        live = make_live_backend(std::move(transport),
                                 [](std::chrono::milliseconds wait) { std::this_thread::sleep_for(wait); });
      }
      if (!model.cassette.empty() && model.mode != "live")
        live = make_cassette_backend(model.cassette, model.mode != "record", std::move(live));
      list_.emplace_back(model.name, std::move(live));
    }
  }

  void ask(const model::LanguageModel& model, const Request& request, Exchange& exchange) override {
    for (auto& [name, backend] : list_) {
      if (name == model.name) return backend->ask(model, request, exchange);
    }
  }

 private:
  std::vector<std::pair<std::string, std::unique_ptr<Backend>>> list_;
};

}  // namespace

bool may_pass(std::string_view outcome) {
  return outcome == "timed_out" || outcome == "refused_connection" || outcome == "http_429" ||
         outcome.starts_with("http_5");
}

std::unique_ptr<Backend> make_live_backend(std::unique_ptr<Transport> transport, Sleep sleep) {
  return std::make_unique<LiveBackend>(std::move(transport), std::move(sleep));
}

std::unique_ptr<Backend> make_backend(const std::vector<model::LanguageModel>& models) {
  return std::make_unique<Backends>(models);
}

}  // namespace evo::llm
