#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/bandit.hpp"
#include "engine/strategies/model.hpp"
#include "engine/strategies/source.hpp"
#include "engine/strategies/strategies.hpp"
#include "engine/strategies/surrogate.hpp"
#include "model/error.hpp"
#include "mutators/source_weights.hpp"

namespace evo::engine {

std::vector<std::string> strategy_names() {
  return {"genetic", "random", "local", "surrogate", "exhaustive"};
}

namespace {

std::unique_ptr<Strategy> strategy_of_genes(const model::SearchSettings& settings, const SearchSpace& space) {
  if (settings.strategy == "genetic") return std::make_unique<GeneticStrategy>(settings, space);
  if (settings.strategy == "random") return std::make_unique<RandomStrategy>(settings, space);
  if (settings.strategy == "local") return std::make_unique<LocalStrategy>(settings, space);
  if (settings.strategy == "surrogate") return std::make_unique<SurrogateStrategy>(settings, space);
  if (settings.strategy == "exhaustive") return std::make_unique<ExhaustiveStrategy>(settings, space);
  throw model::Exception(model::ExitCode::invalid_configuration,
                         fmt::format("search.strategy: there is no strategy '{}'; known are {}",
                                     settings.strategy, fmt::join(strategy_names(), ", ")));
}

}  // namespace

std::unique_ptr<Strategy> make_strategy(const model::SearchSettings& settings, const SearchSpace& space,
                                        Exchanges* exchanges) {
  if (settings.bandit) return std::make_unique<BanditStrategy>(settings, space, exchanges);
  auto strategy = strategy_of_genes(settings, space);
  if (!mutators::source_weights(settings.mutators).empty())
    strategy = std::make_unique<SourceStrategy>(settings, space, std::move(strategy));
  if (settings.models.empty() || exchanges == nullptr) return strategy;
  return std::make_unique<ModelStrategy>(settings, space, *exchanges, std::move(strategy));
}

}  // namespace evo::engine
