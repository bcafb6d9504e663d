// What a run has said to language models, and heard. Kept in the ledger as events, so that resume and replay
// hear the same again and ask nobody.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/trial.hpp"
#include "llm/exchange.hpp"

namespace evo::engine {

namespace event_kinds {
inline constexpr const char* model_exchange = "model_exchange";  ///< trial = the proposal that asked
/// A model is not asked any more; details: model, why (requests, tokens, money, failing).
inline constexpr const char* model_off = "model_off";
}  // namespace event_kinds

/// What a model has cost.
struct ModelSpend {
  std::int64_t requests = 0, input_tokens = 0, output_tokens = 0;
  double cost = 0;
};
[[nodiscard]] double cost_of(const model::LanguageModel& model, const llm::Usage& usage);

/// Owned and called by one thread. Everything that it answers depends on the proposal that asks, never on
/// what later ones have said.
class Exchanges {
 public:
  using Write = std::function<void(const EventRecord&)>;
  /// Says why a reply is no variant ("accepted": it is one).
  using Judge = std::function<std::string(const llm::Exchange&)>;

  /// `backend` nullptr: what is not known already is model::Exception(verification_failed). `write` keeps
  /// what is new before it counts.
  Exchanges(llm::Backend* backend, Write write) : backend_(backend), write_(std::move(write)) {}
  /// Takes what a ledger holds.
  void load(const std::vector<EventRecord>& events);

  /// The exchange of this proposal and turn: the known one, or a new one, which is judged and written. Throws
  /// what the back end throws.
  [[nodiscard]] llm::Exchange ask(const model::LanguageModel& model, const llm::Request& request,
                                  const std::string& repairs, const Judge& judge);
  /// A model is off from this proposal on; written once a run.
  void note_off(std::int64_t proposal, const std::string& model, const std::string& why);

  /// Of requests before this turn of this proposal.
  [[nodiscard]] ModelSpend spent(const model::LanguageModel& model, std::int64_t proposal, int turn) const;
  /// How many proposals in a row, before this one, heard nothing of the model that could be read.
  [[nodiscard]] int failures_in_a_row(std::string_view model, std::int64_t proposal) const;
  /// An exchange before this proposal asked to mend the variant.
  [[nodiscard]] bool mended(std::string_view variant, std::int64_t proposal) const;

  [[nodiscard]] const std::vector<llm::Exchange>& all() const { return known_; }

 private:
  llm::Backend* backend_;
  Write write_;
  std::vector<llm::Exchange> known_;
  std::set<std::string> off_;
};

}  // namespace evo::engine
