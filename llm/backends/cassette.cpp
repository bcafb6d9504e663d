#include <fstream>
#include <unordered_map>

#include <fmt/format.h>

#include "llm/backends/backends.hpp"
#include "model/error.hpp"

namespace evo::llm {
namespace {

using model::ExitCode;

class CassetteBackend final : public Backend {
 public:
  CassetteBackend(std::filesystem::path file, bool read, std::unique_ptr<Backend> next)
      : file_(std::move(file)), next_(std::move(next)) {
    if (read) load();
  }

  void ask(const model::LanguageModel& model, const Request& request, Exchange& exchange) override {
    const auto found = known_.find(request.key);
    if (found != known_.end()) {
      exchange.outcome = found->second.outcome;
      exchange.reply = found->second.reply;
      exchange.usage = found->second.usage;
      exchange.attempts = found->second.attempts;
      return;
    }
    if (!next_) {
      throw model::Exception(
          ExitCode::verification_failed,
          fmt::format(
              "{}: the cassette has no reply of '{}' to proposal {}, turn {} (request {}): the run is "
              "not the recorded one (another problem, experiment, seed, prompt or device); record it "
              "again, or use mode mixed",
              file_.string(), model.name, request.proposal, request.turn, request.key.substr(0, 12)));
    }
    next_->ask(model, request, exchange);
    std::ofstream out(file_, std::ios::app);
    out << to_line(exchange) << '\n';
    out.flush();
    if (!out) throw model::Exception(ExitCode::environment, file_.string() + ": cannot be written");
  }

 private:
  void load() {
    std::ifstream in(file_);
    if (!in) {
      if (next_) return;
      throw model::Exception(ExitCode::environment, file_.string() + ": there is no such cassette");
    }
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      if (line.empty()) continue;
      auto exchange = from_line(line);
      if (!exchange) {
        throw model::Exception(
            ExitCode::invalid_configuration,
            fmt::format("{}:{}:1: this line is no exchange (JSON with key, outcome, reply)", file_.string(),
                        number));
      }
      std::string key = exchange->key;
      known_.insert_or_assign(std::move(key), std::move(*exchange));
    }
  }

  std::filesystem::path file_;
  std::unique_ptr<Backend> next_;
  std::unordered_map<std::string, Exchange> known_;
};

}  // namespace

std::unique_ptr<Backend> make_cassette_backend(const std::filesystem::path& file, bool read,
                                               std::unique_ptr<Backend> next) {
  return std::make_unique<CassetteBackend>(file, read, std::move(next));
}

}  // namespace evo::llm
