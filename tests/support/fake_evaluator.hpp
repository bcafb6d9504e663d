// An evaluator without compiler and device: a deterministic latency surface, failures on demand, and delays
// that shuffle the order in which things finish.
#pragma once

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "evaluators/evaluator.hpp"
#include "model/hash.hpp"
#include "model/random.hpp"

namespace evo::testing {

class FakeEvaluator final : public evaluators::Evaluator {
 public:
  using Fails = std::function<std::optional<model::Failure>(const model::Variant&)>;

  /// Microseconds of a variant; smooth in tile sizes, with one optimum.
  std::function<double(const model::Variant&)> latency = [](const model::Variant& variant) {
    return surface(variant);
  };
  Fails fails_to_compile = [](const model::Variant&) { return std::nullopt; };
  Fails fails_resources = [](const model::Variant&) { return std::nullopt; };
  Fails fails_correctness = [](const model::Variant& variant) { return missing_barrier(variant); };
  /// Equal texts are equal machine code. PAD does not matter to a kernel with 16 columns.
  std::function<std::string(const model::Variant&)> identity = [](const model::Variant& variant) {
    return default_identity(variant);
  };
  /// What a correct variant did (model::archive_axes()); nothing by default, as on a GPU.
  std::function<std::vector<std::pair<std::string, std::string>>(const model::Variant&)> behaviour{};
  double interval = 0;  ///< relative half-width; > 0 makes latencies measured
  /// What every measured latency comes with.
  std::optional<model::TimingNotes> timing{};
  std::vector<model::SampleSeries> samples{};
  /// What the profile gate counts of a variant; nothing by default.
  std::function<model::CounterReading(const model::Variant&)> counts{};
  double device_seconds = 0.25;
  int most_delay_us = 0;  ///< random delays, different in each run
  evaluators::EvaluatorInfo description{"virtual", "fake", "", "fake compiler 1",
                                        model::LatencyKind::modelled};
  /// Called at the start of every prepare() and evaluate(), from any thread; may throw.
  std::function<void(const model::Variant&)> on_prepare, on_evaluate;

  std::function<evaluators::Paired(const model::Variant&, const model::Variant&)> on_paired;

  std::atomic<int> prepared = 0, evaluated = 0, compared = 0;

  [[nodiscard]] evaluators::EvaluatorInfo info() const override {
    auto result = description;
    if (interval > 0) result.latency_kind = model::LatencyKind::measured;
    return result;
  }

  [[nodiscard]] evaluators::Prepared prepare(const model::Variant& variant) override {
    ++prepared;
    if (on_prepare) on_prepare(variant);
    delay();
    evaluators::Prepared result;
    result.variant = variant;
    result.gates.push_back({model::Gate::legality, std::nullopt, 0.01});
    result.gates.push_back({model::Gate::compile, fails_to_compile(variant), 1.5});
    if (result.failed()) return result;
    result.artifact.emplace();
    result.artifact->resources.registers = 32 + static_cast<int>(variant.source.size() % 32);
    result.code_identity = model::sha256(identity(variant));
    result.gates.push_back({model::Gate::resources, fails_resources(variant), 0.02});
    return result;
  }

  [[nodiscard]] evaluators::Evaluation evaluate(const evaluators::Prepared& prepared_variant) override {
    ++evaluated;
    const model::Variant& variant = prepared_variant.variant;
    if (on_evaluate) on_evaluate(variant);
    delay();
    evaluators::Evaluation result;
    result.device_seconds = device_seconds;
    result.gates.push_back({model::Gate::sanitize, std::nullopt, 2});
    result.gates.push_back({model::Gate::correctness, fails_correctness(variant), 3});
    if (!result.gates.back().pass()) return result;
    result.gates.push_back({model::Gate::latency, std::nullopt, 4});
    model::Latency value;
    value.kind = info().latency_kind;
    value.microseconds = latency(variant);
    if (interval > 0) {
      value.ci95 = {value.microseconds * (1 - interval), value.microseconds * (1 + interval)};
      value.samples = 60;
      result.timing = timing;
      result.samples = samples;
    }
    value.method = "fake";
    result.latencies.push_back({"w", 1, value});
    if (counts) result.counters = counts(variant);
    if (behaviour) result.notes.push_back({"behaviour", "", {}, 0, behaviour(variant)});
    return result;
  }

  /// Exact, unless a test says otherwise.
  [[nodiscard]] std::optional<evaluators::Paired> time_paired(const model::Variant& candidate,
                                                              const model::Variant& incumbent,
                                                              double error) override {
    if (info().latency_kind != model::LatencyKind::measured) return std::nullopt;
    ++compared;
    if (on_paired) {
      evaluators::Paired told = on_paired(candidate, incumbent);
      if (told.comparison && !told.comparison->error) told.comparison->error = error;
      return told;
    }
    const double ratio = latency(candidate) / latency(incumbent);
    evaluators::Paired paired;
    paired.comparison =
        model::PairedComparison{incumbent.id, ratio, {ratio * 0.999, ratio * 1.001}, 0.999, 20, error};
    return paired;
  }

  static std::int64_t integer(const model::Variant& variant, const char* gene) {
    return std::get<std::int64_t>(variant.genome.at(gene));
  }
  static std::string symbol(const model::Variant& variant, const char* gene) {
    return std::get<std::string>(variant.genome.at(gene));
  }

  /// Best at BLOCK_M=64, BLOCK_N=64, WARPS=4, PAD=8, half: 8 us.
  static double surface(const model::Variant& variant) {
    if (variant.template_name == "simple") {
      return 60 + 10 * std::abs(std::log2(static_cast<double>(integer(variant, "THREADS")) / 128)) -
             2 * static_cast<double>(integer(variant, "UNROLL"));
    }
    const auto off = [&](const char* gene, double best) {
      return std::abs(std::log2(static_cast<double>(integer(variant, gene)) / best));
    };
    double time = 8 * (1 + 0.5 * off("BLOCK_M", 64) + 0.4 * off("BLOCK_N", 64) + 0.3 * off("WARPS", 4));
    time *= 1 + 0.02 * static_cast<double>(8 - integer(variant, "PAD"));
    return symbol(variant, "S_DTYPE") == "half" ? time : 1.25 * time;
  }

  /// The barrier is needed except with one warp, where a warp barrier does.
  static std::optional<model::Failure> missing_barrier(const model::Variant& variant) {
    if (variant.template_name != "tiled" || symbol(variant, "SYNC_A") == "block") return std::nullopt;
    if (integer(variant, "WARPS") == 1 && symbol(variant, "SYNC_A") == "warp") return std::nullopt;
    return model::Failure{model::Status::wrong,
                          "mismatch",
                          {{"comparison", "output O differs", "tiled.cu", 12, {{"argument", "O"}}}}};
  }

  static std::string default_identity(const model::Variant& variant) {
    model::Genome seen = variant.genome;
    if (variant.template_name == "tiled" && integer(variant, "BLOCK_N") == 16)
      seen.set("PAD", std::int64_t{0});
    return variant.template_name + seen.text();
  }

 private:
  void delay() {
    if (most_delay_us <= 0) return;
    thread_local std::uint64_t state =
        std::hash<std::thread::id>{}(std::this_thread::get_id()) ^
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    std::this_thread::sleep_for(
        std::chrono::microseconds(static_cast<int>((state >> 33) % static_cast<unsigned>(most_delay_us))));
  }
};

}  // namespace evo::testing
