// Variants, the launch floor and other libraries measured side by side on one device.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "evaluators/benchmark/contender.hpp"
#include "evaluators/compile/compiler.hpp"
#include "evaluators/devices/device.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "session/bench_report.hpp"
#include "session/bench_subject.hpp"
#include "session/evaluation_stack.hpp"

namespace evo::session {

struct BenchRequest {
  int rounds = 8;
  std::optional<std::string> sweep{};  ///< also this sweep of the problem; "": its first
  std::vector<std::string> only;       ///< parts of the names of the sweep's shapes; empty: all
  bool no_comparators = false;
  bool cudnn = false;  ///< what evo itself brings for the problem, not only in place of comparators
  std::string python = "python3";
};

/// Where it is measured. What is pointed to outlives the measurement.
struct BenchDevice {
  evaluators::devices::Device* device = nullptr;  ///< used by one thread at a time
  evaluators::compile::Compiler* compiler = nullptr;
  std::int64_t l2_bytes = 0;
  std::vector<BenchComparator> comparators{};  ///< that were looked for
  std::vector<std::unique_ptr<evaluators::benchmark::Contender>> others{};
  evaluators::oracle::Catalogue known{};
};

/// The subject's workloads and, if asked for, those of a sweep, on that device, until `stop`. `tell` hears of
/// each case before it is measured. Throws model::Exception(usage) when the problem has no sweep or
/// request.only fits none of its shapes.
[[nodiscard]] BenchReport measure_side_by_side(const BenchSubject& subject, const BenchRequest& request,
                                               BenchDevice on, const std::stop_token& stop, const Tell& tell);

/// The same on the GPU `device` ("cuda:N") with NVRTC, the problem's comparator.py and what evo itself brings
/// for the problem. Throws model::Exception(environment) when NVRTC or the GPU is missing.
[[nodiscard]] BenchReport measure_on_gpu(const BenchSubject& subject, const BenchRequest& request,
                                         const std::string& device, const std::stop_token& stop,
                                         const Tell& tell);

/// The subject's variants, and the problem's comparators that are kernels, up the ladder of `stack`, whose
/// latencies are modelled.
[[nodiscard]] BenchReport modelled_bench(const BenchSubject& subject, const BenchRequest& request,
                                         EvaluationStack& stack);

/// The input seed of what is measured: it was proven on entropy of its own.
inline constexpr std::uint64_t bench_input_seed = 1;

}  // namespace evo::session
