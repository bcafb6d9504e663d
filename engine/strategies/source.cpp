#include "engine/strategies/source.hpp"

#include <algorithm>

#include "engine/archive.hpp"
#include "engine/lead.hpp"
#include "model/edits.hpp"
#include "model/error.hpp"
#include "mutators/edit_lists.hpp"
#include "mutators/race_repair.hpp"
#include "mutators/source_weights.hpp"
#include "mutators/text_genes.hpp"

namespace evo::engine {
namespace {

/// A variant has at most so many edits: more than GEVO's champions keep.
constexpr std::size_t most_source_edits = 16;
/// Parents of edits: the best few, because an edit of a slow variant is an edit lost.
constexpr std::size_t edited_parents = 6;
constexpr int edit_draws = 32;
/// A change that once left the code as it was, or made a correct variant wrong, is passed over this often:
/// beside other edits, or with other genes, it may do something yet.
constexpr double vain_passed_over = 0.9;
/// The strategy that other searches are measured against: it learns nothing.
constexpr std::string_view random_strategy = "random";
/// A variant of it has one to so many edits.
constexpr std::size_t blind_edits = 4;
/// This part of a run's slots, and max_in_flight more, come last and take edits away from the best: enough to
/// leave out each edit of a list of most_source_edits alone in a run of 200.
constexpr std::int64_t minimising_part = 10;

int block_threads(const SearchTemplate& entry, const model::Genome& genome) {
  model::Environment environment = entry.space.fixed();
  for (const auto& [name, value] : genome.values()) environment.insert_or_assign(name, value);
  std::int64_t threads = 1;
  for (const model::Expression& size : entry.kernel_template.launch.block) {
    const auto value = size.evaluate_integer(environment);
    if (!value || *value < 1 || *value > 1024) return 0;
    threads *= *value;
  }
  return threads > 1024 ? 0 : static_cast<int>(threads);
}

/// Did the operator make this change of a variant before in vain: the code stayed what it was, or what was
/// correct was so no more?
bool was_in_vain(const History& history, const std::string& template_name, std::string_view operation,
                 const mutators::Change& change) {
  return std::ranges::any_of(history.visible, [&](const TrialRecord& trial) {
    if (trial.operator_name != operation || trial.template_name != template_name || trial.parents.empty())
      return false;
    const bool idle = trial.status == model::Status::duplicate && trial.duplicate_of == trial.parents.front();
    if (!idle && (trial.correct() || trial.status == model::Status::duplicate)) return false;
    const source::Edits edits = model::edits_of(trial.genome);
    return std::ranges::all_of(
        change, [&](const source::Edit& edit) { return std::ranges::find(edits, edit) != edits.end(); });
  });
}

/// There is nothing to choose but edits.
bool only_genome(const SearchSpace& space) {
  if (space.templates.size() != 1) return false;
  return std::ranges::all_of(space.templates.front().space.genes(),
                             [](const model::Gene& gene) { return gene.values.size() == 1; });
}

}  // namespace

struct SourceStrategy::Read {
  mutators::EditedSource source;
  std::map<std::string, std::vector<mutators::Change>, std::less<>> changes;
};

const std::string& drawn_operator(const std::vector<std::pair<std::string, double>>& operators,
                                  model::RandomStream& random) {
  double sum = 0;
  for (const auto& [name, weight] : operators) sum += weight;
  double at = random.uniform() * sum;
  std::size_t chosen = 0;
  while (chosen + 1 < operators.size() && at >= operators[chosen].second) at -= operators[chosen++].second;
  return operators[chosen].first;
}

bool edits_source(const model::SearchSettings& settings) {
  return !settings.models.empty() || !mutators::source_weights(settings.mutators).empty();
}

SourceStrategy::SourceStrategy(const model::SearchSettings& settings, const SearchSpace& space,
                               std::unique_ptr<Strategy> inner)
    : settings_(settings),
      space_(space),
      inner_(std::move(inner)),
      mutators_(mutators::source_mutators()),
      baseline_(baseline_of(space)) {
  const auto weights = mutators::weights_of(settings);
  if (!weights) throw model::Exception(model::ExitCode::invalid_configuration, weights.error().text());
  operators_ = mutators::source_weights(*weights);
  double edits = 0, others = 0;
  for (const auto& [name, weight] : operators_) edits += weight;
  for (const std::string& name : mutators::operator_names()) others += weights->at(name);
  share_ = edits + others > 0 ? edits / (edits + others) : 0;
  // Operators on genes would propose the same variant again and again.
  if (edits > 0 && only_genome(space)) share_ = 1;
}

// A trial as far as a parent needs one.
TrialRecord SourceStrategy::baseline_of(const SearchSpace& space) {
  const SearchTemplate& entry = space.templates[space.baseline_template];
  TrialRecord trial;
  trial.template_name = entry.kernel_template.name;
  trial.genome = space.baseline;
  trial.variant = model::make_variant(entry.kernel_template, entry.space, space.baseline).id;
  return trial;
}

SourceStrategy::~SourceStrategy() = default;

const SourceStrategy::Read& SourceStrategy::read(const SearchTemplate& entry,
                                                 const model::Genome& genome) const {
  const model::Genome genes = model::with_edits(genome, {});
  auto& known = known_[genome_key(entry.kernel_template.name, genes)];
  if (known) return *known;
  known = std::make_unique<Read>();
  known->source = mutators::edited_source(
      model::make_variant(entry.kernel_template, entry.space, genes).source,
      model::render_entries(entry.kernel_template, entry.space, genes), block_threads(entry, genes));
  return *known;
}

const mutators::EditedSource& SourceStrategy::text_of(const TrialRecord& trial) const {
  return read(*space_.find(trial.template_name), trial.genome).source;
}

Proposal SourceStrategy::ask(const History& history, const SlotId& slot,
                             const model::Insights* insights) const {
  model::RandomStream random({settings_.seed, static_cast<std::uint64_t>(slot.generation),
                              static_cast<std::uint64_t>(slot.slot), "source"});
  if (slot.index == 0 || !random.chance(share_)) return inner_->ask(history, slot, insights);
  if (settings_.strategy == random_strategy) {
    if (auto proposal = blind(history, random)) return std::move(*proposal);
    return inner_->ask(history, slot, insights);
  }
  std::vector<Candidate> pool = best_candidates(history.visible, edited_parents);
  // Nothing is proposed before the baseline is proven; its result is seen max_in_flight proposals later.
  if (pool.empty()) pool.push_back({&baseline_, 0});
  // Nothing that comes now would have its own edits tried one by one any more.
  if (minimises(slot)) {
    if (const TrialRecord* champion = champion_of(history.visible, 0, Ties::fewer_edits)) {
      if (auto proposal = remove(history, *champion)) return std::move(*proposal);
    }
    for (const Candidate& candidate : pool) {
      if (auto proposal = remove(history, *candidate.trial)) return std::move(*proposal);
    }
  }
  Pool parents{std::move(pool), settings_.tournament};
  if (!settings_.archive.empty() && random.chance(settings_.archive_share)) {
    std::vector<Candidate> cells = elites_of_cells(history.visible, settings_.archive);
    if (!cells.empty()) parents = {std::move(cells), 1};
  }
  for (int draw = 0; draw < edit_draws; ++draw) {
    const std::string& operation = drawn_operator(operators_, random);
    // It keeps its share where the others have little left to do.
    if (draw > 0 && operation == mutators::near_correct) continue;
    if (auto proposal = edit(history, parents, operation, random)) return std::move(*proposal);
  }
  return inner_->ask(history, slot, insights);
}

std::optional<Proposal> SourceStrategy::blind(const History& history, model::RandomStream& random) const {
  std::vector<std::pair<std::string, double>> free;
  for (const auto& [name, weight] : operators_) {
    // These need what was found before.
    if (name == mutators::edit_removal || name == mutators::edit_crossover ||
        name == mutators::race_repair_name || name == mutators::near_correct || name == mutators::gene_value)
      continue;
    free.emplace_back(name, weight);
  }
  if (free.empty()) return std::nullopt;
  const SearchTemplate& entry = *space_.find(baseline_.template_name);
  for (int draw = 0; draw < edit_draws; ++draw) {
    source::Edits edits;
    const std::size_t count = 1 + random.below(blind_edits);
    for (std::size_t i = 0; i < count; ++i) {
      const auto& changes = changes_of(entry, baseline_.genome, drawn_operator(free, random));
      if (changes.empty()) continue;
      const mutators::Change& one = changes[random.below(changes.size())];
      edits.insert(edits.end(), one.begin(), one.end());
    }
    if (edits.empty()) continue;
    if (auto proposal = with(history, baseline_, edits, "random_edits", "drawn at random")) return proposal;
  }
  return std::nullopt;
}

bool SourceStrategy::minimises(const SlotId& slot) const {
  const auto slots = std::int64_t{settings_.population} * settings_.generations;
  const bool removes =
      std::ranges::any_of(operators_, [](const auto& one) { return one.first == mutators::edit_removal; });
  return removes && slot.index >= slots - slots / minimising_part - settings_.max_in_flight;
}

std::optional<Proposal> SourceStrategy::edit(const History& history, const Pool& parents,
                                             std::string_view operation, model::RandomStream& random) const {
  const std::vector<Candidate>& pool = parents.list;
  if (operation == mutators::edit_removal) return remove(history, *pool.front().trial);
  if (operation == mutators::edit_crossover) return cross(history, parents, random);
  if (operation == mutators::race_repair_name) return repair(history, random);
  if (operation == mutators::near_correct) return approach(history, random);
  const std::size_t parent = tournament(pool.size(), parents.rounds, random);
  if (operation == mutators::gene_value) return step(history, *pool[parent].trial, random);
  return change(history, *pool[parent].trial, operation, random);
}

std::optional<Proposal> SourceStrategy::with(const History& history, const TrialRecord& parent,
                                             const source::Edits& edits, std::string_view operation,
                                             std::string rationale) const {
  if (edits.size() > most_source_edits) return std::nullopt;
  model::Genome genome = model::with_edits(parent.genome, edits);
  if (genome == parent.genome || history.seen(parent.template_name, genome)) return std::nullopt;
  const SearchTemplate& entry = *space_.find(parent.template_name);
  if (!entry.space.legal(genome)) return std::nullopt;
  const Read& text = read(entry, parent.genome);
  if (!source::applies(text.source.program, edits)) return std::nullopt;
  rationale += ": " + mutators::describe_changes(parent.genome, genome);
  return Proposal{std::move(genome),      parent.template_name, {parent.variant},
                  std::string(operation), std::move(rationale), std::nullopt};
}

const std::vector<mutators::Change>& SourceStrategy::changes_of(const SearchTemplate& entry,
                                                                const model::Genome& genome,
                                                                std::string_view operation) const {
  (void)read(entry, genome);
  Read& text = *known_.at(genome_key(entry.kernel_template.name, model::with_edits(genome, {})));
  auto found = text.changes.find(operation);
  if (found == text.changes.end()) {
    const auto mutator =
        std::ranges::find_if(mutators_, [&](const auto& one) { return one->name() == operation; });
    found = text.changes.emplace(std::string(operation), (*mutator)->changes(text.source)).first;
  }
  return found->second;
}

std::optional<Proposal> SourceStrategy::change(const History& history, const TrialRecord& parent,
                                               std::string_view operation,
                                               model::RandomStream& random) const {
  const auto& changes = changes_of(*space_.find(parent.template_name), parent.genome, operation);
  if (changes.empty()) return std::nullopt;
  const mutators::Change& one = changes[random.below(changes.size())];
  if (model::knows_endings(settings_.preset) && was_in_vain(history, parent.template_name, operation, one) &&
      random.chance(vain_passed_over))
    return std::nullopt;
  const auto edits = mutators::with_change(model::edits_of(parent.genome), one);
  if (!edits) return std::nullopt;
  return with(history, parent, *edits, operation, "edited the source");
}

}  // namespace evo::engine
