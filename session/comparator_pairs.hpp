// A run's champion against the other libraries that its problem brings, by the protocol of the final verdict.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "evaluators/benchmark/contender.hpp"
#include "evaluators/devices/device.hpp"
#include "evaluators/gates/device_job.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "model/problem.hpp"
#include "session/bench_report.hpp"
#include "session/gpu_state.hpp"
#include "session/timed_pairs.hpp"

namespace evo::session {

/// What is timed. As a document it goes to a process of its own: a fault in a library ends that one alone.
struct ComparatorJob {
  /// The champion's artifact; its workloads are the cases; settings, oracle, tolerance and input sets count.
  evaluators::gates::DeviceJob job;
  std::string problem_folder;                    ///< where they are run
  std::vector<model::Comparator> comparators{};  ///< as the problem names them, or comparator.py
  /// Of those that are kernels, each proven and compiled: its artifact and its launches of the same cases.
  struct Kernel {
    std::string name;
    evaluators::gates::DeviceJob job;
  };
  std::vector<Kernel> kernels{};
  bool named = false;                ///< the problem names them
  std::vector<std::uint64_t> seeds;  ///< of each job's inputs
};
[[nodiscard]] std::string to_json(const ComparatorJob& job);
/// Throws std::exception for what to_json() did not write.
[[nodiscard]] ComparatorJob comparator_job_from_json(const std::string& text);

/// Where it is timed. What is pointed to outlives the measurement.
struct ComparatorDevice {
  evaluators::devices::Device* device = nullptr;
  evaluators::oracle::Catalogue known{};
  std::int64_t l2_bytes = 0;
  std::vector<BenchComparator> looked_for{};
  std::vector<std::unique_ptr<evaluators::benchmark::Contender>> contenders{};
  GpuWatch::Look look{};  ///< at the GPU meanwhile; empty: nobody looks
};

/// One entry for each contender and each kernel of the job, and one for each that was looked for and cannot
/// take part, with the reason.
[[nodiscard]] std::vector<TimedPairs> time_comparators(const ComparatorJob& job, ComparatorDevice on);
/// The same on the GPU "cuda:N" with comparator.py and what evo itself brings, printed on stdout as the line
/// that comparators_in() reads; the internal `evo comparator-job`. Returns the exit code.
int comparator_job_main(const std::string& device, const std::string& file);

/// Has a process of its own do that on "cuda:N". What keeps it from ending is the reason of one entry for
/// all.
[[nodiscard]] std::vector<TimedPairs> time_comparators_apart(const ComparatorJob& job,
                                                             const std::string& device,
                                                             const std::stop_token& stop);
/// What such a process has printed; nullopt: nothing of that kind.
[[nodiscard]] std::optional<std::vector<TimedPairs>> comparators_in(const std::string& output);

}  // namespace evo::session
