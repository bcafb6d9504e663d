#include "cli/bench_aa.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "cli/assembly.hpp"
#include "cli/bench_subject.hpp"
#include "cli/json_output.hpp"
#include "cli/run_session.hpp"
#include "cli/text_output.hpp"
#include "engine/verdicts.hpp"
#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/ladder.hpp"
#include "model/error.hpp"
#include "model/variant.hpp"

namespace evo::cli {
namespace {

constexpr int most_sources = 16;

using evaluators::Prepared;
using model::Status;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string with_word_replaced(const std::string& text, const std::string& word, const std::string& by) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == i) {
      result += text[i++];
      continue;
    }
    const std::string found = text.substr(i, end - i);
    result += found == word ? by : found;
    i = end;
  }
  return result;
}

engine::TrialRecord judged(evaluators::Evaluator& ladder, const Prepared& prepared) {
  engine::TrialRecord trial;
  trial.variant = prepared.variant.id;
  engine::record_prepared(trial, prepared);
  if (!prepared.failed()) engine::record_evaluation(trial, ladder.evaluate(prepared));
  return trial;
}

/// What became of the copies.
struct Outcome {
  std::map<Status, int> counts;
  int sources = 0;
  int same_code = 0;                          ///< of the sources, those whose machine code is the baseline's
  double least_ratio = 0, largest_ratio = 0;  ///< of a copy's latency to the baseline's
  int paired = 0;                             ///< copies that were timed in turn with the baseline
  double least_paired = 0, largest_paired = 0;  ///< ratios of those
  double seconds = 0;
  std::string first_failure;
  [[nodiscard]] int count(Status status) const {
    const auto found = counts.find(status);
    return found == counts.end() ? 0 : found->second;
  }
  [[nodiscard]] int faster() const { return count(Status::better); }
  /// Neither faster, nor slower, nor a tie: some gate refused it.
  [[nodiscard]] int refused() const {
    int all = 0;
    for (const auto& [status, number] : counts) all += number;
    return all - count(Status::better) - count(Status::tie) - count(Status::correct_slower);
  }
};

class Copies {
 public:
  Copies(Assembly& assembly, const model::Variant& original, const engine::TrialRecord& baseline)
      : assembly_(assembly), original_(original), baseline_(baseline) {}

  void run(const std::vector<Prepared>& sources, int copies, int threads) {
    const auto start = std::chrono::steady_clock::now();
    std::atomic<int> next{0};
    const auto work = [&] {
      for (int i = next++; i < copies; i = next++) {
        const Prepared& source = sources[static_cast<std::size_t>(i) % sources.size()];
        engine::TrialRecord trial = judged(assembly_.ladder(), source);
        engine::pair_with_champion(trial, baseline_, assembly_.ladder(), source.variant,
                                   [this] { return original_; });
        engine::compare_with_champion(trial, baseline_,
                                      assembly_.ladder().experiment().gates.timing_resolution);
        count(trial);
      }
    };
    {
      std::vector<std::jthread> workers;
      for (int t = 0; t < threads; ++t) workers.emplace_back(work);
    }
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  Outcome outcome;

 private:
  void count(const engine::TrialRecord& trial) {
    const std::scoped_lock lock(mutex_);
    ++outcome.counts[trial.status];
    const auto latency = trial.latency();
    if (!latency) {
      if (outcome.first_failure.empty()) {
        outcome.first_failure = fmt::format("{} ({})\n{}", model::name_of(trial.status), trial.reason,
                                            evidence_text(trial.evidence));
      }
      return;
    }
    const double ratio = latency->microseconds / baseline_.latency()->microseconds;
    const bool first = outcome.largest_ratio == 0;
    outcome.least_ratio = first ? ratio : std::min(outcome.least_ratio, ratio);
    outcome.largest_ratio = std::max(outcome.largest_ratio, ratio);
    if (!trial.paired) return;
    outcome.least_paired =
        outcome.paired == 0 ? trial.paired->ratio : std::min(outcome.least_paired, trial.paired->ratio);
    outcome.largest_paired = std::max(outcome.largest_paired, trial.paired->ratio);
    ++outcome.paired;
  }

  Assembly& assembly_;
  const model::Variant& original_;
  const engine::TrialRecord& baseline_;
  std::mutex mutex_;
};

model::Variant variant_of(const model::Experiment& experiment, const model::Template& kernel,
                          const model::Genome& genome) {
  return model::make_variant(kernel, evaluators::gates::make_context(experiment, kernel).space, genome);
}

void print_text(const Outcome& outcome, const BenchOptions& options, const DeviceChoice& device,
                const model::Latency& baseline, const std::vector<evaluators::gates::GateTime>& times) {
  fmt::print("A/A on {}: {} copies of the baseline, {} sources, {:.1f} s\n", device.spelling, options.aa,
             outcome.sources, outcome.seconds);
  fmt::print("baseline   {}\n", latency_text(baseline));
  fmt::print("copies     {:.4f} to {:.4f} of the baseline's latency\n", outcome.least_ratio,
             outcome.largest_ratio);
  if (outcome.paired > 0)
    fmt::print("in turn    {} of them, {:.4f} to {:.4f} of the baseline's latency\n", outcome.paired,
               outcome.least_paired, outcome.largest_paired);
  fmt::print("faster     {}\ntie        {}\nslower     {}\nrefused    {}\n", outcome.faster(),
             outcome.count(Status::tie), outcome.count(Status::correct_slower), outcome.refused());
  fmt::print("same code  {} of {} sources; a run would have taken such for duplicates\n", outcome.same_code,
             outcome.sources);
  if (!outcome.first_failure.empty()) fmt::print("the first refusal: {}", outcome.first_failure);
  fmt::print("\n{}", times_text(times));
}

void print_document(const Outcome& outcome, const BenchOptions& options, const DeviceChoice& device,
                    const model::Latency& baseline, const std::vector<evaluators::gates::GateTime>& times) {
  print_json(boost::json::object{{"copies", options.aa},
                                 {"sources", outcome.sources},
                                 {"device", device.spelling},
                                 {"baseline_us", baseline.microseconds},
                                 {"latency_kind", model::name_of(baseline.kind)},
                                 {"faster", outcome.faster()},
                                 {"tie", outcome.count(Status::tie)},
                                 {"slower", outcome.count(Status::correct_slower)},
                                 {"refused", outcome.refused()},
                                 {"least_ratio", outcome.least_ratio},
                                 {"largest_ratio", outcome.largest_ratio},
                                 {"paired", outcome.paired},
                                 {"least_paired_ratio", outcome.least_paired},
                                 {"largest_paired_ratio", outcome.largest_paired},
                                 {"same_code", outcome.same_code},
                                 {"seconds", outcome.seconds},
                                 {"time", times_to_json(times)}});
}

}  // namespace

model::Template renamed_copy(const model::Template& kernel, int number) {
  model::Template copy = kernel;
  copy.name = fmt::format("{}_copy_{}", kernel.name, number);
  copy.entry = fmt::format("{}_copy_{}", kernel.entry, number);
  copy.source.clear();
  const std::string renamed = with_word_replaced(kernel.source, kernel.entry, copy.entry);
  for (std::size_t begin = 0; begin < renamed.size();) {
    const std::size_t end = std::min(renamed.find('\n', begin), renamed.size());
    const std::string line = renamed.substr(begin, end - begin);
    copy.source += line;
    // Not behind a backslash, which continues a line only if nothing follows it.
    if (!line.ends_with('\\')) copy.source += std::string(static_cast<std::size_t>(number % 4), ' ');
    copy.source += '\n';
    if (!line.ends_with('\\') && number % 3 == 1) copy.source += '\n';
    begin = end + 1;
  }
  return copy;
}

int bench_aa(const CommonOptions& common, const BenchOptions& options) {
  if (options.subject.empty())
    throw model::Exception(model::ExitCode::usage, "evo bench --aa needs a run folder or an experiment");
  BenchSubject subject = read_bench_subject(options.subject, {});
  const BenchVariant& base = subject.variants.back();
  model::Experiment experiment = subject.experiment;
  const model::Template kernel = *experiment.problem.find_template(base.template_name);
  const int sources = std::min(options.aa, most_sources);
  for (int number = 1; number <= sources; ++number)
    experiment.problem.templates.push_back(renamed_copy(kernel, number));

  const DeviceChoice device =
      choose_device(options.device.empty() ? experiment.device : options.device, experiment.target);
  if (!device.note.empty() && !common.quiet) fmt::print(stderr, "evo: {}\n", device.note);
  AssemblyOptions parts;
  parts.threads = threads_or_cores(options.threads);
  parts.input_seed = draw_entropy();
  Assembly assembly(experiment, device, parts);

  const Prepared prepared = assembly.ladder().prepare(variant_of(experiment, kernel, base.genome));
  const engine::TrialRecord baseline = judged(assembly.ladder(), prepared);
  if (!baseline.latency()) {
    throw model::Exception(
        model::ExitCode::verification_failed,
        fmt::format("the baseline is not right: {} ({})\n{}", model::name_of(baseline.status),
                    baseline.reason, evidence_text(baseline.evidence)));
  }
  Copies copies(assembly, prepared.variant, baseline);
  std::vector<Prepared> compiled;
  for (std::size_t i = experiment.problem.templates.size() - static_cast<std::size_t>(sources);
       i < experiment.problem.templates.size(); ++i) {
    compiled.push_back(
        assembly.ladder().prepare(variant_of(experiment, experiment.problem.templates[i], base.genome)));
    ++copies.outcome.sources;
    const auto& artifact = compiled.back().artifact;
    copies.outcome.same_code += artifact && artifact->code_hash == prepared.artifact->code_hash ? 1 : 0;
  }
  copies.run(compiled, options.aa, parts.threads);
  const auto print = common.json ? &print_document : &print_text;
  print(copies.outcome, options, device, *baseline.latency(), assembly.times());
  const bool honest = copies.outcome.faster() == 0 && copies.outcome.refused() == 0;
  return static_cast<int>(honest ? model::ExitCode::done : model::ExitCode::verification_failed);
}

}  // namespace evo::cli
