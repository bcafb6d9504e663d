// A comparator that another process runs: kernels/PROBLEM/comparator.py, or whatever speaks its protocol.
// JSON in frames (process/child.hpp), one answer a request: {"ok": true, ...} or {"ok": false, "reason":
// TEXT}.
#pragma once

#include <chrono>
#include <memory>

#include "evaluators/benchmark/contender.hpp"

namespace evo::evaluators::benchmark {

struct ComparatorOptions {
  std::vector<std::string> command;
  std::string title{};  ///< in front of its backends' names, where there are several comparators
  int device = 0;       ///< CUDA ordinal
  std::chrono::milliseconds start_timeout = std::chrono::seconds(120);
  std::chrono::milliseconds timeout = std::chrono::seconds(120);  ///< of one request
};

/// The process and its backends. One that dies, hangs or talks nonsense is killed, and every later request
/// fails with the same one-line reason.
class ComparatorProcess {
 public:
  /// Starts it and asks what it is. The error says why there is none.
  [[nodiscard]] static Attempt<std::unique_ptr<ComparatorProcess>> start(const ComparatorOptions& options);
  ~ComparatorProcess();
  ComparatorProcess(const ComparatorProcess&) = delete;
  ComparatorProcess& operator=(const ComparatorProcess&) = delete;

  [[nodiscard]] const std::string& name() const;  ///< "PyTorch 2.11.0, cuDNN 91900"
  [[nodiscard]] const std::string& uuid() const;  ///< of the GPU it sees; may be empty
  [[nodiscard]] const std::vector<std::string>& backends() const;
  /// One backend; it must not outlive the process. Its backends hold the same case at a time: computing
  /// another one makes all of them forget theirs.
  [[nodiscard]] std::unique_ptr<Contender> contender(const std::string& backend);

 private:
  class Backend;
  struct State;
  explicit ComparatorProcess(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace evo::evaluators::benchmark
