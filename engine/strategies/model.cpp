#include "engine/strategies/model.hpp"

#include <algorithm>

#include "engine/strategies/model_reply.hpp"
#include "model/error.hpp"
#include "mutators/source_weights.hpp"
#include "mutators/weights.hpp"

namespace evo::engine {
namespace {

constexpr std::size_t model_parents = 6;
/// Requests in a row without a readable reply after which a model is left alone: three, each with its
/// retries.
constexpr int failures_that_end = 3;
constexpr std::size_t mended_last = 64;

bool can_be_mended(const TrialRecord& trial) {
  return !trial.correct() && trial.status != model::Status::duplicate && trial.gate.has_value();
}

}  // namespace

ModelStrategy::ModelStrategy(const model::SearchSettings& settings, const SearchSpace& space,
                             Exchanges& exchanges, std::unique_ptr<Strategy> inner)
    : settings_(settings), space_(space), exchanges_(exchanges), inner_(std::move(inner)) {
  const auto weights = mutators::weights_of(settings);
  if (!weights) throw model::Exception(model::ExitCode::invalid_configuration, weights.error().text());
  double others = 0;
  for (const auto& [name, weight] : mutators::source_weights(*weights)) others += weight;
  for (const std::string& name : mutators::operator_names()) others += weights->at(name);
  for (const model::LanguageModel& model : settings.models) sum_ += model.weight;
  share_ = sum_ + others > 0 ? sum_ / (sum_ + others) : 0;
}

std::string ModelStrategy::why_off(const model::LanguageModel& model, std::int64_t proposal, int turn) const {
  const ModelSpend spent = exchanges_.spent(model, proposal, turn);
  if (model.max_requests > 0 && spent.requests >= model.max_requests) return "requests";
  if (model.max_tokens > 0 && spent.input_tokens + spent.output_tokens >= model.max_tokens) return "tokens";
  if (model.max_cost > 0 && spent.cost >= model.max_cost) return "money";
  if (exchanges_.failures_in_a_row(model.name, proposal) >= failures_that_end) return "failing";
  return {};
}

const TrialRecord* ModelStrategy::to_mend(const History& history, const model::LanguageModel& model,
                                          std::int64_t proposal) const {
  if (model.repairs == 0) return nullptr;
  const std::string operation = "llm:" + model.name;
  for (const TrialRecord& trial : history.visible.last(std::min(history.visible.size(), mended_last))) {
    if (trial.operator_name == operation && can_be_mended(trial) &&
        !exchanges_.mended(trial.variant, proposal))
      return &trial;
  }
  return nullptr;
}

Proposal ModelStrategy::ask(const History& history, const SlotId& slot,
                            const model::Insights* insights) const {
  model::RandomStream random({settings_.seed, static_cast<std::uint64_t>(slot.generation),
                              static_cast<std::uint64_t>(slot.slot), "llm"});
  const std::vector<Candidate> pool = best_candidates(history.visible, model_parents);
  if (slot.index == 0 || pool.empty() || !random.chance(share_)) return inner_->ask(history, slot, insights);
  double at = random.uniform() * sum_;
  std::size_t chosen = 0;
  while (chosen + 1 < settings_.models.size() && at >= settings_.models[chosen].weight)
    at -= settings_.models[chosen++].weight;
  const model::LanguageModel& model = settings_.models[chosen];
  ModelTask task;
  task.parent = to_mend(history, model, slot.index);
  task.repair = task.parent != nullptr;
  if (!task.repair) task.parent = pool[tournament(pool.size(), settings_.tournament, random)].trial;
  task.entry = space_.find(task.parent->template_name);
  task.text = text_for_model(*task.entry, task.parent->genome);
  if (auto proposal = converse(history, slot, model, task, insights)) return std::move(*proposal);
  return inner_->ask(history, slot, insights);
}

std::optional<Proposal> ModelStrategy::converse(const History& history, const SlotId& slot,
                                                const model::LanguageModel& model, const ModelTask& task,
                                                const model::Insights* insights) const {
  std::vector<llm::Message> messages = model_prompt(model, task, history.visible, insights);
  const std::string operation = "llm:" + model.name + (task.repair ? ":repair" : "");
  for (int turn = 0; turn <= model.repairs; ++turn) {
    if (const std::string why = why_off(model, slot.index, turn); !why.empty()) {
      exchanges_.note_off(slot.index, model.name, why);
      return std::nullopt;
    }
    const auto judge = [&](const llm::Exchange& exchange) {
      if (!exchange.ok()) return exchange.outcome;
      const auto made = proposal_of(exchange.reply, task, operation, history);
      return made ? std::string("accepted") : made.error().reason;
    };
    const llm::Request request = llm::make_request(model, slot.index, turn, messages);
    const llm::Exchange exchange =
        exchanges_.ask(model, request, task.repair ? task.parent->variant : std::string(), judge);
    if (!exchange.ok()) return std::nullopt;
    auto made = proposal_of(exchange.reply, task, operation, history);
    if (made) return std::move(*made);
    messages.push_back({"assistant", exchange.reply});
    messages.push_back(repair_turn(made.error().reason, made.error().message));
  }
  return std::nullopt;
}

}  // namespace evo::engine
