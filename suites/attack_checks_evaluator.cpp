// Evaluators, caches and clocks that lie.
#include <array>
#include <cctype>
#include <functional>

#include "engine/verdicts.hpp"
#include "evaluators/compile/cache.hpp"
#include "evaluators/gates/paired.hpp"
#include "evaluators/gates/roofline.hpp"
#include "evaluators/selftest/selftest.hpp"
#include "model/random.hpp"
#include "packs/builtin.hpp"
#include "session/hand_made.hpp"
#include "session/load.hpp"
#include "session/targets.hpp"
#include "suites/attack_checks.hpp"

namespace evo::suites {
namespace {

using evaluators::gates::DeviceJob;
using evaluators::gates::DeviceResult;

/// Makes an artifact of any source: its PTX is the source.
class PaperCompiler final : public evaluators::compile::Compiler {
 public:
  [[nodiscard]] tl::expected<model::Artifact, model::Failure> compile(
      const evaluators::compile::CompileRequest& request) override {
    model::Artifact artifact;
    artifact.entry = request.entry;
    artifact.ptx = request.source;
    return artifact;
  }
  [[nodiscard]] std::string version() const override { return "paper"; }
};

class LyingRunner final : public evaluators::gates::JobRunner {
 public:
  explicit LyingRunner(std::function<DeviceResult(const DeviceJob&)> answer) : answer_(std::move(answer)) {}
  [[nodiscard]] DeviceResult run(const DeviceJob& job) override { return answer_(job); }
  [[nodiscard]] evaluators::devices::DeviceInfo info() const override {
    return {"virtual", "a liar", "", "", ""};
  }

 private:
  std::function<DeviceResult(const DeviceJob&)> answer_;
};

DeviceResult passed(const DeviceJob& job, double microseconds) {
  DeviceResult result{{{model::Gate::correctness, std::nullopt, 0}}, {}, 0, {}};
  for (const model::Case& bound : job.timed_cases) {
    model::Latency latency;
    latency.microseconds = microseconds;
    result.latencies.push_back({bound.name, 1, latency});
  }
  return result;
}

/// What a sound evaluator says of the self-test's kernels.
DeviceResult honest(const DeviceJob& job) {
  const std::string& source = job.artifact.ptx;
  if (job.artifact.entry != "evo_null")
    return passed(job, source.find("k < 2000") != std::string::npos ? 30 : 3);
  const char* reason = source.find("for (") == std::string::npos        ? "unwritten"
                       : source.find("0x7fc00000") != std::string::npos ? "non_finite"
                                                                        : "mismatch";
  return {{{model::Gate::correctness, model::Failure{model::Status::wrong, reason, {}}, 0}}, {}, 0, {}};
}

CaughtBy ask(
    std::function<DeviceResult(const DeviceJob&)> answer,
    const std::function<void(model::Experiment&)>& change = [](model::Experiment&) {}) {
  model::Experiment experiment = session::hand_made("attack", session::load_problem_or_throw("vector_add"));
  experiment.workloads = {experiment.problem.check_workloads.back()};
  config::complete_workloads(experiment);
  change(experiment);
  PaperCompiler compiler;
  const auto known = packs::catalogue_of(packs::builtin());
  LyingRunner runner(std::move(answer));
  const auto report = evaluators::selftest::run({experiment, compiler, runner, known, 1, {}, false});
  const auto* failed = report.first_failure();
  if (failed == nullptr) return {};
  std::string code = failed->name;  // "fast and slow", "argument Q"
  for (char& c : code) c = c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return {"selftest", std::move(code)};
}

}  // namespace

CaughtBy stale_binary() {
  return ask([](const DeviceJob& job) {
    return job.artifact.entry == "evo_pair" ? passed(job, 1099.776) : honest(job);
  });
}

CaughtBy stale_once() {
  int pairs = 0;
  return ask([&pairs](const DeviceJob& job) {
    return job.artifact.entry == "evo_pair" && ++pairs == 4 ? passed(job, 3) : honest(job);
  });
}

CaughtBy candidate_not_used() {
  return ask([](const DeviceJob& job) { return passed(job, 3); });
}

CaughtBy lax_problem() {
  return ask(honest, [](model::Experiment& experiment) {
    model::Tolerance& tolerance = experiment.problem.tolerances.front();
    tolerance.relative_frobenius = 10;  // any answer of the correct size will do
    tolerance.max_abs_over_rms = 1e6;
  });
}

CaughtBy cache_key() {
  using evaluators::compile::ArtifactCache;
  using Request = evaluators::compile::CompileRequest;
  Request plain;
  plain.source = "source";
  plain.source_file = "k.cu";
  plain.entry = "k";
  plain.arch = "sm_89";
  plain.headers = {{"h.cuh", "text"}};
  const std::array<void (*)(Request&), 6> changes{
      [](Request& r) { r.source += " "; },    [](Request& r) { r.entry = "l"; },
      [](Request& r) { r.arch = "sm_90a"; },  [](Request& r) { r.headers["h.cuh"] = "other"; },
      [](Request& r) { r.options = {"-G"}; }, [](Request& r) { r.headers["i.cuh"] = ""; }};
  const std::string key = ArtifactCache::key_of(plain, "NVRTC 13.0");
  for (const auto change : changes) {
    Request other = plain;
    change(other);
    if (ArtifactCache::key_of(other, "NVRTC 13.0") == key) return {};
  }
  return ArtifactCache::key_of(plain, "NVRTC 13.1") == key ? CaughtBy{} : CaughtBy{"cache", "other_key"};
}

// 2000 copies of the incumbent, timed in turn with it with 2 % of noise, each at an error of 1 in 2000: one
// would be promoted by chance.
CaughtBy same_against_same() {
  model::RandomStream noise({.seed = 1, .generation = 0, .slot = 0, .purpose = "attack"});
  // Rounds in which both sides are the same kernel: only the noise differs.
  const auto rounds = [&noise] {
    evaluators::gates::PairedSeries series{"w", 1, {}, {}};
    for (int i = 0; i < 16 + evaluators::gates::screening_rounds; ++i) {
      series.candidate_us.push_back(10 * (1 + 0.02 * noise.normal()));
      series.opponent_us.push_back(10 * (1 + 0.02 * noise.normal()));
    }
    return evaluators::gates::compare_series({series}, "incumbent", 1.0 / 2000).value();
  };
  const double resolution = model::GateSettings{}.timing_resolution;
  int promoted = 0;
  for (int i = 0; i < 2000; ++i)
    promoted += engine::compare_paired(rounds(), resolution) == model::Status::better;
  return promoted < 5 ? CaughtBy{"statistics", "tie"} : CaughtBy{};
}

CaughtBy faster_than_physics() {
  model::Case bound;
  bound.bytes = 1 << 30;
  model::Latency latency;
  latency.microseconds = 0.5;
  model::Experiment experiment;
  session::set_target_or_throw(experiment, "h200");
  const auto failure = evaluators::gates::check_roofline(experiment.target, bound, latency);
  return failure ? CaughtBy{"roofline", failure->reason} : CaughtBy{};
}

}  // namespace evo::suites
