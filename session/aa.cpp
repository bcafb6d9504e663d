#include "session/aa.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "engine/promotion_error.hpp"
#include "engine/verdicts.hpp"
#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/ladder.hpp"
#include "model/variant.hpp"

namespace evo::session {
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

/// Where the kernel's own name begins and ends in an entry: k in "ns::k<{TILE}>(const float*)".
std::pair<std::size_t, std::size_t> own_name(const std::string& entry) {
  std::size_t end = std::min(entry.find_first_of("<("), entry.size());
  while (end > 0 && !is_word(entry[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word(entry[begin - 1])) --begin;
  return {begin, end};
}

class Copies {
 public:
  Copies(EvaluationStack& stack, const model::Variant& original, const engine::TrialRecord& baseline)
      : stack_(stack), original_(original), baseline_(baseline) {}

  void run(const std::vector<Prepared>& sources, int copies, int threads) {
    const auto start = std::chrono::steady_clock::now();
    std::atomic<int> next{0};
    // As in a run of so many candidates, but by the number of a copy: who is compared when depends on
    // threads.
    const engine::PromotionError error(stack_.ladder().experiment().gates.promotion_error, copies);
    const auto work = [&] {
      for (int i = next++; i < copies; i = next++) {
        const Prepared& source = sources[static_cast<std::size_t>(i) % sources.size()];
        engine::TrialRecord trial = judged(stack_.ladder(), source);
        engine::pair_with_champion(
            trial, baseline_, stack_.ladder(), source.variant, [this] { return original_; },
            error.share(i + 1));
        engine::compare_with_champion(trial, baseline_, stack_.ladder().experiment().gates.timing_resolution);
        const std::scoped_lock lock(mutex_);
        outcome.add(trial, baseline_);
      }
    };
    {
      std::vector<std::jthread> workers;
      for (int t = 0; t < threads; ++t) workers.emplace_back(work);
    }
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  AaOutcome outcome;

 private:
  EvaluationStack& stack_;
  const model::Variant& original_;
  const engine::TrialRecord& baseline_;
  std::mutex mutex_;
};

model::Variant bound_to(const model::Experiment& experiment, const model::Template& kernel,
                        const model::Genome& genome) {
  return model::make_variant(kernel, evaluators::gates::make_context(experiment, kernel).space, genome);
}

}  // namespace

int AaOutcome::count(Status status) const {
  const auto found = counts.find(status);
  return found == counts.end() ? 0 : found->second;
}

int AaOutcome::refused() const {
  int all = 0;
  for (const auto& [status, number] : counts) all += number;
  return all - count(Status::better) - count(Status::tie) - count(Status::correct_slower);
}

void AaOutcome::add(const engine::TrialRecord& trial, const engine::TrialRecord& baseline) {
  ++counts[trial.status];
  const auto latency = trial.latency();
  if (!latency) {
    if (!first_refused) first_refused = trial;
    return;
  }
  const double ratio = latency->microseconds / baseline.latency()->microseconds;
  const bool first = largest_ratio == 0;
  least_ratio = first ? ratio : std::min(least_ratio, ratio);
  largest_ratio = std::max(largest_ratio, ratio);
  if (!trial.paired) return;
  least_paired = paired == 0 ? trial.paired->ratio : std::min(least_paired, trial.paired->ratio);
  largest_paired = std::max(largest_paired, trial.paired->ratio);
  ++paired;
}

model::Template renamed_copy(const model::Template& kernel, int number) {
  model::Template copy = kernel;
  copy.name = fmt::format("{}_copy_{}", kernel.name, number);
  std::vector<std::string*> entries{&copy.entry, &copy.launch.entry};
  for (model::LaunchModel& later : copy.later_launches) entries.push_back(&later.entry);
  std::string renamed = kernel.source;
  std::set<std::string> done;
  for (std::string* entry : entries) {
    if (entry->empty()) continue;
    const auto [begin, end] = own_name(*entry);
    const std::string old = entry->substr(begin, end - begin);
    const std::string by = fmt::format("{}_copy_{}", old, number);
    entry->replace(begin, end - begin, by);
    if (done.insert(old).second) renamed = with_word_replaced(renamed, old, by);
  }
  copy.source.clear();
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

AaSubject aa_subject(const BenchSubject& subject, int copies) {
  AaSubject made{subject.experiment, subject.variants.back(), std::min(copies, most_sources)};
  const model::Template kernel = *made.experiment.problem.find_template(made.baseline.template_name);
  for (int number = 1; number <= made.sources; ++number)
    made.experiment.problem.templates.push_back(renamed_copy(kernel, number));
  return made;
}

AaReport measure_aa(const AaSubject& subject, EvaluationStack& stack, int copies, int threads) {
  const model::Experiment& experiment = subject.experiment;
  const std::vector<model::Template>& templates = experiment.problem.templates;
  const model::Template& kernel = *experiment.problem.find_template(subject.baseline.template_name);
  const Prepared prepared = stack.ladder().prepare(bound_to(experiment, kernel, subject.baseline.genome));
  AaReport report;
  report.baseline = judged(stack.ladder(), prepared);
  if (!report.baseline_correct()) return report;
  Copies all(stack, prepared.variant, report.baseline);
  std::vector<Prepared> compiled;
  for (std::size_t i = templates.size() - static_cast<std::size_t>(subject.sources); i < templates.size();
       ++i) {
    compiled.push_back(stack.ladder().prepare(bound_to(experiment, templates[i], subject.baseline.genome)));
    ++all.outcome.sources;
    const auto& artifact = compiled.back().artifact;
    all.outcome.same_code += artifact && artifact->code_hash == prepared.artifact->code_hash ? 1 : 0;
  }
  all.run(compiled, copies, threads);
  report.outcome = std::move(all.outcome);
  return report;
}

}  // namespace evo::session
