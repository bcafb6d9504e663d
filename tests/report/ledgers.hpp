// Run folders that nobody ran: large ones, hostile ones, measured ones.
#pragma once

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include "config/resolved.hpp"
#include "engine/exchanges.hpp"
#include "engine/insights.hpp"
#include "engine/lineage.hpp"
#include "engine/record_hash.hpp"
#include "engine/screen.hpp"
#include "engine/search_space.hpp"
#include "engine/tally.hpp"
#include "engine/verdicts.hpp"
#include "evaluators/gates/paired.hpp"
#include "model/hash.hpp"
#include "session/final_verdict.hpp"
#include "session/insight_checks.hpp"
#include "session/load.hpp"
#include "session/run_folder.hpp"
#include "session/version.hpp"

namespace evo::report::testing {

struct Invented {
  std::int64_t trials = 200;
  int population = 50;
  bool measured = true;
  bool finished = true;
  /// Names, messages and reasons that try to become markup.
  bool hostile = false;
  /// A tenth of the proposals is a language model's; tokens and device hours have prices.
  bool models = false;
  bool bandit = false;  ///< over operators and models
  /// Each trial was one of two that a model looked at; every tenth was not the model's best.
  bool screened = false;
  bool farm = false;  ///< three workers and this machine did the trials, one worker from the middle on
  /// In the end the champion is timed once more, and two of its genes go back: one that matters, one that
  /// does not.
  bool checks = false;
  /// Raw samples of what was measured. The workload "long" drifts in every tenth trial, in which the GPU was
  /// hot.
  bool samples = false;
  std::string strategy = {};  ///< another one than the experiment's
  std::uint32_t seed = 7;
  int wait_ms = 0;             ///< after each trial: a run to look on at
  std::int64_t wait_from = 0;  ///< from this trial on
  std::string experiment = EVO_SOURCE_DIR "/experiments/quickstart.yaml";
  /// Empty: all of the experiment's. A document counts the legal genomes of each; those of wmma take two
  /// seconds.
  std::vector<std::string> templates{"scalar"};
  std::string evo = {};  ///< the version that made it; empty: this one
};

/// Texts that do harm where a page takes them for markup, script or a path.
inline const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts{
      "</script><script>window.pwned=1</script>",
      "<img src=x onerror=window.pwned=2>",
      "\"><svg onload=window.pwned=3>",
      "javascript:window.pwned=4",
      "<!--<script>",
      "</title></style><h1>x</h1>",
      "__proto__",
      "constructor",
      "line\xe2\x80\xa8separator\xe2\x80\xa9 and \xe2\x80\xae right to left",
      std::string("nul\0inside", 10),
      "\xff\xfe no utf-8 \x80",
      "{{7*7}} ${7*7} `window.pwned=5`",
      "EVO_REPORT_DATA",
      std::string(3000, 'w')};
  return texts;
}

class Inventor {
 public:
  Inventor(const std::filesystem::path& folder, Invented wanted)
      : wanted_(std::move(wanted)), folder_{folder}, experiment_(load()), tally_(experiment_) {
    space_ = engine::make_search_space(experiment_);
    std::filesystem::create_directories(folder_.path);
    session::write_file_atomically(folder_.experiment(), config::resolved_yaml(experiment_));
    ledger_ = engine::open_sqlite_ledger(folder_.ledger(), engine::LedgerMode::create);
    ledger_->begin(meta());
  }

  void make() {
    for (std::int64_t i = 0; i < wanted_.trials; ++i) {
      add(i);
      if (wanted_.wait_ms > 0 && i >= wanted_.wait_from)
        std::this_thread::sleep_for(std::chrono::milliseconds(wanted_.wait_ms));
    }
    if (wanted_.finished) finish();
  }

 private:
  model::Experiment load() const {
    model::Experiment experiment = session::load_experiment_or_throw(wanted_.experiment, {});
    if (!wanted_.templates.empty()) experiment.templates = wanted_.templates;
    experiment.search.population = wanted_.population;
    experiment.budget.trials = wanted_.trials;
    if (wanted_.measured) experiment.device = "cuda:0";
    if (!wanted_.strategy.empty()) experiment.search.strategy = wanted_.strategy;
    if (wanted_.models) {
      model::LanguageModel tiny;
      tiny.name = "tiny";
      tiny.mode = "live";
      tiny.preset = "free";
      tiny.command = {"tiny-model"};
      tiny.input_price = 2;
      tiny.output_price = 10;
      experiment.search.models = {tiny};
      experiment.budget.cost = 5;
      experiment.budget.hourly_price = 2.5;
    }
    experiment.search.bandit = wanted_.bandit;
    if (wanted_.screened) experiment.search.screen = {2, 0.1};
    model::Workload workload = experiment.workloads.front();
    workload.weight = 0.5;
    experiment.workloads = {workload, workload};
    experiment.workloads[0].name = "short";
    experiment.workloads[1].name = "long";
    if (const auto seq = workload.axes.find("seq"); seq != workload.axes.end())
      experiment.workloads[1].axes["seq"] = 2 * seq->second;
    return experiment;
  }

  engine::RunMeta meta() const {
    const bool measured = wanted_.measured;
    return {config::resolved_yaml(experiment_),
            std::string(64, 'e'),
            std::string(64, 'a'),
            wanted_.hostile ? hostile_texts()[0] : "NVRTC 13.0",
            measured ? "cuda" : "virtual",
            wanted_.hostile ? hostile_texts()[1]
            : measured      ? "NVIDIA L4 (invented)"
                            : "PTX machine",
            measured ? "580.1" : "",
            measured ? model::LatencyKind::measured : model::LatencyKind::modelled,
            18446744073709551615ULL,
            42,
            wanted_.evo.empty() ? std::string(session::version_number()) : wanted_.evo};
  }

  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  const std::string& hostile(std::int64_t i) const {
    return hostile_texts()[static_cast<std::size_t>(i) % hostile_texts().size()];
  }

  /// The logarithm of a genome's latency: each value of each gene has an effect of its own.
  static double log_latency(const engine::SearchTemplate& entry, const model::Genome& genome) {
    double sum = std::log(entry.kernel_template.name == "scalar" ? 40.0 : 9.0);
    for (const auto& [gene, value] : genome.values()) {
      const std::size_t word =
          std::hash<std::string>{}(entry.kernel_template.name + gene + model::to_string(value));
      sum += (static_cast<double>(word % 1000) / 1000 - 0.6) * (word % 7 == 0 ? 0.25 : 0.02);
    }
    return sum;
  }

  void choose_parent(engine::TrialRecord& trial) {
    const std::vector<engine::TrialRecord>& known = tally_.trials();
    if (trial.index == 0) {
      trial.template_name = space_.templates.at(space_.baseline_template).kernel_template.name;
      trial.genome = space_.baseline;
      trial.operator_name = "baseline";
      trial.rationale = "the experiment's baseline";
      return;
    }
    if (trial.index < wanted_.population / 4 || uniform() < 0.05) {
      const engine::SearchTemplate& entry = space_.templates.at(below(space_.templates.size()));
      trial.template_name = entry.kernel_template.name;
      for (const model::Gene& gene : entry.space.genes())
        trial.genome.set(gene.name, gene.values.at(below(gene.values.size())));
      trial.operator_name = "random_legal";
      trial.rationale = "fresh random genome";
      return;
    }
    const engine::TrialRecord* parent = uniform() < 0.6 ? &*tally_.progress().champion : nullptr;
    while (parent == nullptr || !parent->correct()) parent = &known.at(below(known.size()));
    trial.template_name = parent->template_name;
    trial.genome = parent->genome;
    trial.parents = {parent->variant};
    const auto& genes = space_.find(trial.template_name)->space.genes();
    for (std::size_t changes = 1 + below(2); changes > 0; --changes) {
      const model::Gene& gene = genes.at(below(genes.size()));
      trial.genome.set(gene.name, gene.values.at(below(gene.values.size())));
    }
    if (uniform() < 0.3) trial.parents.push_back(known.at(below(known.size())).variant);
    trial.operator_name = trial.parents.size() > 1 ? "uniform_crossover" : "gene_mutation";
    if (wanted_.models && uniform() < 0.1) {
      trial.operator_name = "llm:tiny";
      trial.predicted_effect = -0.05;
    }
    trial.rationale = "changed: " + trial.genome.text().substr(0, 30);
  }

  bool fail(engine::TrialRecord& trial) {
    static constexpr std::array ways{
        std::tuple{model::Status::over_budget, model::Gate::resources, "spills", 2},
        std::tuple{model::Status::sanitizer_fail, model::Gate::sanitize, "race_shared", 3},
        std::tuple{model::Status::wrong, model::Gate::correctness, "mismatch", 4},
        std::tuple{model::Status::compile_error, model::Gate::compile, "compile_error", 1}};
    if (trial.index == 0 || uniform() > 0.15) return false;
    const auto& [status, gate, reason, climbed] = ways.at(below(ways.size()));
    trial.status = status;
    trial.gate = gate;
    trial.reason = wanted_.hostile ? hostile(trial.index) : reason;
    const int line = 1 + static_cast<int>(below(60));
    trial.evidence = {{reason,
                       std::string(reason) + " at thread " + std::to_string(below(128)),
                       trial.template_name + ".cu",
                       line,
                       {{"thread", "block (0,0,0)"}}}};
    if (wanted_.hostile)
      trial.evidence.push_back({hostile(trial.index + 1),
                                hostile(trial.index + 2),
                                hostile(trial.index + 3),
                                7,
                                {{hostile(trial.index + 4), hostile(trial.index + 5)}}});
    climb(trial, climbed);
    return true;
  }

  void climb(engine::TrialRecord& trial, int last) {
    static constexpr std::array gates{model::Gate::legality, model::Gate::compile,     model::Gate::resources,
                                      model::Gate::sanitize, model::Gate::correctness, model::Gate::latency};
    for (int i = 0; i <= last; ++i)
      trial.gates.push_back(
          {gates.at(static_cast<std::size_t>(i)), i < last || last == 5, 1 + 100 * uniform()});
  }

  void time(engine::TrialRecord& trial, double log_us) {
    climb(trial, 5);
    for (const auto& [name, factor] : {std::pair{"short", 1.0}, std::pair{"long", 4.0}}) {
      model::Latency latency;
      latency.kind = wanted_.measured ? model::LatencyKind::measured : model::LatencyKind::modelled;
      latency.microseconds = factor * std::exp(log_us + (wanted_.measured ? 0.002 * (uniform() - 0.5) : 0));
      if (wanted_.measured) {
        const double half = latency.microseconds * (0.001 + 0.004 * uniform());
        latency.ci95 = {latency.microseconds - half, latency.microseconds + half};
        latency.samples = 60;
      }
      latency.method = wanted_.measured ? "cuda graph 20x60, hot" : "virtual model v2";
      trial.latencies.push_back({wanted_.hostile ? hostile_texts()[2] + name : name, 0.5, latency});
    }
    trial.status = model::Status::proven;
    trial.resources = model::ResourceUsage{40 + static_cast<int>(below(100)), 0, 0, 0, 4096, 380, 2};
    if (trial.index == 0) return;
    const engine::TrialRecord& champion = *tally_.progress().champion;
    if (wanted_.measured && engine::needs_pairing(trial, champion)) {
      const double ratio = trial.latency()->microseconds / champion.latency()->microseconds;
      const double error = tally_.promotion_error().next();
      trial.paired = model::PairedComparison{champion.variant,
                                             ratio,
                                             {ratio * 0.997, ratio * 1.003},
                                             evaluators::gates::look_confidence(error),
                                             evaluators::gates::screening_rounds + 16,
                                             error};
    }
    tally_.settle(trial);
  }

  void add(std::int64_t index) {
    engine::TrialRecord trial;
    trial.index = index;
    trial.generation = static_cast<int>(index / wanted_.population);
    trial.slot = static_cast<int>(index % wanted_.population);
    choose_parent(trial);
    if (wanted_.hostile) {
      trial.operator_name = hostile(index);
      trial.rationale = hostile(index + 1);
    }
    const engine::SearchTemplate& entry = *space_.find(trial.template_name);
    const model::Variant variant = model::make_variant(entry.kernel_template, entry.space, trial.genome);
    trial.variant = variant.id;
    trial.source_hash = model::sha256(variant.source);
    const auto known = first_.find(variant.id);
    if (known != first_.end()) {
      const engine::TrialRecord& original = tally_.trials().at(known->second);
      trial.status = model::Status::duplicate;
      trial.reason = "same_genome";
      trial.duplicate_of = original.variant;
      trial.latencies = original.latencies;
    } else {
      first_[variant.id] = tally_.trials().size();
      if (!fail(trial)) time(trial, log_latency(entry, trial.genome));
    }
    trial.device_seconds = 0.01 * uniform();
    trial.elapsed_seconds = 0.05 * static_cast<double>(index + 1);
    if (wanted_.farm && index % 4 != 3 && (index % 4 != 2 || index > wanted_.trials / 2))
      trial.work = engine::WorkRecord{"host" + std::to_string(index % 4) + "-42", "NVIDIA H200", {}};
    engine::Commit commit;
    if (wanted_.samples && trial.correct()) commit.samples = samples_of(trial);
    trial.samples_hash = engine::hash_of(commit.samples);
    tally_.add(trial);
    commit.trial = trial;
    if (trial.slot + 1 == wanted_.population || index + 1 == wanted_.trials)
      commit.generation = tally_.generation(trial.generation);
    if (trial.operator_name == "llm:tiny") commit.events.push_back(exchange(index));
    if (wanted_.screened && index > 0) commit.events.push_back(pool_of(trial));
    ledger_->commit(commit);
  }

  static std::vector<model::SampleSeries> samples_of(engine::TrialRecord& trial) {
    const bool hot = trial.index % 10 == 9;
    std::vector<model::SampleSeries> samples;
    for (const model::WorkloadLatency& one : trial.latencies) {
      model::SampleSeries& series = samples.emplace_back(model::SampleSeries{one.workload, "", {}});
      for (int i = 0; i < 60; ++i) {
        const double part = hot && one.workload == "long" ? i / 60.0 : (i * 7 % 60) / 60.0;
        series.us.push_back(static_cast<float>(one.latency.microseconds * (0.99 + 0.02 * part)));
      }
    }
    trial.timing = model::TimingNotes{{true, 0, 0, {}}, {}};
    if (hot) trial.timing = {{true, 1, 0, {"thermal slowdown"}}, {{"long", "", {"drifting"}}}};
    if (!trial.paired) return samples;
    trial.paired->timing = model::TimingNotes{{true, 0, 1, {"power cap"}}, {}};
    for (const model::WorkloadLatency& one : trial.latencies) {
      for (const char* side : {model::candidate_side, model::incumbent_side}) {
        const double share = side == model::candidate_side ? trial.paired->ratio : 1;
        samples.push_back({one.workload, side, std::vector<double>(20, static_cast<float>(8 * share))});
      }
    }
    return samples;
  }

  engine::EventRecord pool_of(const engine::TrialRecord& trial) const {
    const bool explored = trial.index % 10 == 0;
    const double says = trial.latency() ? trial.latency()->microseconds : 50;
    const auto other = [&](double factor) {
      return engine::ScreenedCandidate{trial.variant + "x", trial.template_name, trial.genome,
                                       trial.operator_name, says * factor};
    };
    engine::ScreenedSlot slot{trial.index, "invented", {0, engine::ScreenChoice::best}, 1, 2, {}};
    if (explored) slot.chosen.choice = engine::ScreenChoice::explored;
    slot.pool = {{trial.variant, trial.template_name, trial.genome, trial.operator_name, says},
                 other(explored ? 0.5 : 2)};
    return engine::event_of(slot);
  }

  static engine::EventRecord exchange(std::int64_t index) {
    llm::Exchange said;
    said.proposal = index;
    said.model = "tiny";
    said.key = std::string(64, 'k');
    said.request = "a long prompt";
    said.outcome = "ok";
    said.reply = "a long reply";
    said.usage = {1000, 200};
    said.verdict = index % 2 == 0 ? "not_json" : "accepted";
    return {engine::event_kinds::model_exchange, index, llm::to_details(said)};
  }

  void finish() {
    engine::Commit commit;
    commit.insights = engine::compute_insights(space_, tally_.trials(), tally_.progress().generation + 1);
    const std::string hash = engine::lineage_sha256(tally_.trials());
    commit.events = {
        {engine::event_kinds::finished, wanted_.trials, {{"status", "done"}, {"lineage_sha256", hash}}},
        {engine::event_kinds::champion_proven,
         tally_.progress().champion->index,
         {{"variant", tally_.progress().champion->variant},
          {"delays", wanted_.hostile ? hostile_texts()[1] : "right"}}}};
    if (wanted_.checks) add_checks(commit);
    ledger_->commit(commit);
  }

  /// So many rounds on each workload, at this ratio but for noise.
  std::vector<evaluators::gates::PairedSeries> series(double ratio, int rounds) {
    std::vector<evaluators::gates::PairedSeries> list;
    for (const model::Workload& workload : experiment_.workloads) {
      evaluators::gates::PairedSeries one{workload.name, workload.weight, {}, {}};
      for (int i = 0; i < rounds; ++i) {
        one.opponent_us.push_back(std::round(1e4 * (10 + 0.02 * uniform())) / 1e4);
        one.candidate_us.push_back(std::round(1e4 * ratio * (10 + 0.02 * uniform())) / 1e4);
      }
      list.push_back(std::move(one));
    }
    return list;
  }

  void add_checks(engine::Commit& commit) {
    const engine::TrialRecord& champion = *tally_.progress().champion;
    const auto kind = wanted_.measured ? model::LatencyKind::measured : model::LatencyKind::modelled;
    session::FinalVerdict verdict;
    verdict.variant = champion.variant;
    verdict.baseline = tally_.trials().front().variant;
    verdict.kind = kind;
    verdict.accuracy_class = experiment_.accuracy_class;
    verdict.device = "NVIDIA L4 (invented)";
    verdict.rounds_a_load = wanted_.measured ? evaluators::gates::paired_rounds_a_load : 0;
    verdict.series =
        series(champion.latency()->microseconds / tally_.trials().front().latency()->microseconds,
               session::verdict_jobs * session::verdict_rounds);
    const engine::PromotionError& error = tally_.promotion_error();
    verdict.comparisons = static_cast<std::size_t>(error.comparisons());
    verdict.decided = static_cast<std::size_t>(error.decided());
    verdict.spent_error = error.spent();
    verdict.false_promotion_at_most = wanted_.measured ? error.bound() : 0;
    commit.events.push_back(session::event_of(verdict, champion.index));
    for (const double ratio : {1.1, 1.0}) {
      const auto& [gene, value] = *std::next(champion.genome.values().begin(), ratio > 1 ? 0 : 1);
      session::InsightCheck check;
      check.template_name = champion.template_name;
      check.from[gene] = value;
      check.to[gene] = wanted_.hostile
                           ? model::Value(hostile_texts()[1])
                           : model::Value(std::int64_t{value == model::Value(std::int64_t{64}) ? 32 : 64});
      check.champion = champion.variant;
      check.flipped = std::string(16, 'f');
      check.kind = kind;
      check.rounds_a_load = verdict.rounds_a_load;
      check.series = series(ratio, session::check_jobs * session::check_rounds);
      commit.events.push_back(session::event_of(check, champion.index));
    }
  }

  Invented wanted_;
  session::RunFolder folder_;
  model::Experiment experiment_;
  engine::SearchSpace space_;
  engine::Tally tally_;
  std::unique_ptr<engine::Ledger> ledger_;
  std::map<std::string, std::size_t> first_;
  std::mt19937_64 random_{wanted_.seed};
};

inline void invent_run(const std::filesystem::path& folder, const Invented& wanted) {
  Inventor(folder, wanted).make();
}

}  // namespace evo::report::testing
