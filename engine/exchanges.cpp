#include "engine/exchanges.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/error.hpp"

namespace evo::engine {

double cost_of(const model::LanguageModel& model, const llm::Usage& usage) {
  constexpr double million = 1e6;
  return (static_cast<double>(usage.input_tokens) * model.input_price +
          static_cast<double>(usage.output_tokens) * model.output_price) /
         million;
}

void Exchanges::load(const std::vector<EventRecord>& events) {
  for (const EventRecord& event : events) {
    if (event.kind == event_kinds::model_off) {
      if (const auto model = event.details.find("model"); model != event.details.end())
        off_.insert(model->second);
    }
    if (event.kind != event_kinds::model_exchange) continue;
    if (auto exchange = llm::from_details(event.trial, event.details)) known_.push_back(std::move(*exchange));
  }
}

llm::Exchange Exchanges::ask(const model::LanguageModel& model, const llm::Request& request,
                             const std::string& repairs, const Judge& judge) {
  for (const llm::Exchange& known : known_) {
    if (known.key == request.key && known.model == model.name) return known;
  }
  if (backend_ == nullptr) {
    throw model::Exception(
        model::ExitCode::verification_failed,
        fmt::format("the ledger has no reply of '{}' to proposal {}, turn {} (request {})", model.name,
                    request.proposal, request.turn, request.key.substr(0, 12)));
  }
  llm::Exchange exchange;
  exchange.proposal = request.proposal;
  exchange.turn = request.turn;
  exchange.model = model.name;
  exchange.key = request.key;
  exchange.request = request.body;
  exchange.repairs = repairs;
  backend_->ask(model, request, exchange);
  exchange.verdict = judge(exchange);
  write_({event_kinds::model_exchange, exchange.proposal, llm::to_details(exchange)});
  known_.push_back(exchange);
  return exchange;
}

void Exchanges::note_off(std::int64_t proposal, const std::string& model, const std::string& why) {
  if (off_.insert(model).second) write_({event_kinds::model_off, proposal, {{"model", model}, {"why", why}}});
}

ModelSpend Exchanges::spent(const model::LanguageModel& model, std::int64_t proposal, int turn) const {
  ModelSpend spend;
  for (const llm::Exchange& exchange : known_) {
    const bool before =
        exchange.proposal < proposal || (exchange.proposal == proposal && exchange.turn < turn);
    if (exchange.model != model.name || !before) continue;
    ++spend.requests;
    spend.input_tokens += exchange.usage.input_tokens;
    spend.output_tokens += exchange.usage.output_tokens;
    spend.cost += cost_of(model, exchange.usage);
  }
  return spend;
}

int Exchanges::failures_in_a_row(std::string_view model, std::int64_t proposal) const {
  int failures = 0;
  for (auto at = known_.rbegin(); at != known_.rend(); ++at) {
    if (at->model != model || at->proposal >= proposal) continue;
    if (at->ok()) break;
    ++failures;
  }
  return failures;
}

bool Exchanges::mended(std::string_view variant, std::int64_t proposal) const {
  return std::ranges::any_of(known_, [&](const llm::Exchange& exchange) {
    return exchange.proposal < proposal && exchange.repairs == variant;
  });
}

}  // namespace evo::engine
