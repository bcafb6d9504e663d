// The whole ladder with nothing faked: NVRTC and the PTX machine. One kernel is correct; each edit of it is
// wrong in one way, and must be refused at its gate, with its reason and its line.
#include <unistd.h>

#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "evaluators/compile/compile_job.hpp"
#include "evaluators/compile/nvrtc.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/in_process_runner.hpp"
#include "evaluators/gates/ladder.hpp"
#include "tests/support/known.hpp"
#include "tests/support/vector_add_experiment.hpp"

namespace evo::evaluators::gates {
namespace {

using model::Status;

/// NVRTC in this process; null where there is none.
class DirectCompiler final : public compile::Compiler {
 public:
  static std::unique_ptr<DirectCompiler> create() {
    try {
      auto created = std::unique_ptr<DirectCompiler>(new DirectCompiler(compile::Nvrtc::load()));
      const auto& folders = created->nvrtc_.include_folders();
      if (!folders.empty() && ::chdir(folders.front().c_str()) != 0) return nullptr;
      return created;
    } catch (const model::Exception&) {
      return nullptr;
    }
  }
  [[nodiscard]] tl::expected<model::Artifact, model::Failure> compile(
      const compile::CompileRequest& request) override {
    return compile::run_compile(nvrtc_, request);
  }
  [[nodiscard]] std::string version() const override { return nvrtc_.version(); }

 private:
  explicit DirectCompiler(compile::Nvrtc nvrtc) : nvrtc_(std::move(nvrtc)) {}
  compile::Nvrtc nvrtc_;
};

struct Edit {
  std::string name, from, to;
  Status status;
  std::string gate, reason;
  int line;  ///< of the evidence, in the template's own numbering; 0 = not looked at
  friend std::ostream& operator<<(std::ostream& out, const Edit& edit) { return out << edit.name; }
};

class EndToEnd : public ::testing::TestWithParam<Edit> {
 protected:
  void SetUp() override {
    compiler_ = DirectCompiler::create();
    if (!compiler_) GTEST_SKIP() << "no NVRTC on this machine";
  }
  GateReport prove_edited(const std::string& from, const std::string& to) {
    model::Experiment experiment = tests::vector_add_experiment();
    experiment.gates.instruction_budget = 2'000'000;
    const DeviceFactory factory = [target = experiment.target] {
      return std::make_unique<devices::VirtualDevice>(target);
    };
    InProcessRunner runner(factory, evo::tests::known());
    Ladder ladder(experiment, *compiler_, runner, factory, evo::tests::known());
    model::Variant variant = tests::vector_add_variant(experiment);
    if (const auto at = variant.source.find(from); at != std::string::npos) {
      variant.source.replace(at, from.size(), to);
    } else {
      ADD_FAILURE() << "the source has no " << from;
    }
    return prove(ladder, variant);
  }

 private:
  std::unique_ptr<DirectCompiler> compiler_;
};

TEST_F(EndToEnd, RightKernelIsProvenAndModelled) {
  const GateReport report = prove_edited("n", "n");
  ASSERT_TRUE(report.valid()) << report.failed_gate() << " " << report.failure()->reason << " "
                              << report.failure()->evidence.at(0).message;
  ASSERT_EQ(report.evaluation.latencies.size(), 2U);
  for (const model::WorkloadLatency& workload : report.evaluation.latencies) {
    EXPECT_EQ(workload.latency.kind, model::LatencyKind::modelled);
    EXPECT_GT(workload.latency.microseconds, 0);
    EXPECT_FALSE(workload.latency.ci95.has_value());
  }
  EXPECT_EQ(report.prepared.artifact->resources.static_smem_bytes, 256);
}

TEST_F(EndToEnd, ModelledLatencyIsTheSameInEveryRun) {
  const GateReport first = prove_edited("n", "n");
  const GateReport second = prove_edited("n", "n");
  ASSERT_TRUE(first.valid() && second.valid());
  EXPECT_EQ(first.evaluation.latencies[1].latency.microseconds,
            second.evaluation.latencies[1].latency.microseconds);
  EXPECT_EQ(first.prepared.code_identity, second.prepared.code_identity);
}

TEST_F(EndToEnd, CommentsMakeNoOtherVariant) {
  const GateReport plain = prove_edited("n", "n");
  const GateReport commented = prove_edited("__syncthreads();", "__syncthreads();  // for all");
  EXPECT_EQ(plain.prepared.code_identity, commented.prepared.code_identity);
  const GateReport other =
      prove_edited("EVO_ADD(tile[threadIdx.x], b[i])", "2 * EVO_ADD(tile[threadIdx.x], b[i])");
  EXPECT_NE(plain.prepared.code_identity, other.prepared.code_identity);
}

TEST_P(EndToEnd, WrongKernelIsRefusedAtItsGate) {
  const Edit& edit = GetParam();
  const GateReport report = prove_edited(edit.from, edit.to);
  ASSERT_FALSE(report.valid());
  EXPECT_EQ(report.failed_gate(), edit.gate) << report.failure()->evidence.at(0).message;
  EXPECT_EQ(report.failure()->status, edit.status);
  if (!edit.reason.empty()) {
    EXPECT_EQ(report.failure()->reason, edit.reason) << report.failure()->evidence.at(0).message;
  }
  ASSERT_FALSE(report.failure()->evidence.empty());
  if (edit.line != 0) {
    EXPECT_EQ(report.failure()->evidence[0].line, edit.line) << report.failure()->evidence[0].message;
    EXPECT_NE(report.failure()->evidence[0].file.find("plain.cu"), std::string::npos);
  }
}

const std::string store = "if (i < n) c[i * c_stride] = EVO_ADD(tile[threadIdx.x], b[i]);";

/// The store, and in the last bit of its values that of what the block's threads added up to `sum`, a number
/// in shared memory of which `add` is how a thread with the value v does it.
std::string with_sum(const std::string& type, const std::string& add) {
  return "const float v = tile[threadIdx.x]; " + type + "* sum = reinterpret_cast<" + type +
         "*>(tile); __syncthreads(); if (threadIdx.x == 0) *sum = 0; __syncthreads(); " + add +
         " __syncthreads(); const int last = *sum > 0 ? *reinterpret_cast<const int*>(tile) & 1 : 0;"
         " if (i < n) c[i * c_stride] = __int_as_float(__float_as_int(EVO_ADD(v, b[i])) ^ last);";
}

TEST_F(EndToEnd, AtomicSumsThatAreTheSameInEveryOrderAreProven) {
  for (const auto& [type, add] : {std::pair{"int", "atomicAdd(sum, __float_as_int(v) & 255);"},
                                  std::pair{"float", "atomicAdd(sum, 1.0f + threadIdx.x % 3);"}}) {
    const GateReport report = prove_edited(store, with_sum(type, add));
    EXPECT_TRUE(report.valid()) << type << " " << report.failed_gate() << " "
                                << report.failure()->evidence.at(0).message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Edits, EndToEnd,
    ::testing::Values(
        Edit{"no_barrier", "__syncthreads();", "", Status::sanitizer_fail, "sanitize", "race_shared", 0},
        Edit{"warp_barrier", "__syncthreads();", "__syncwarp();", Status::sanitizer_fail, "sanitize",
             "race_shared", 0},
        Edit{"divergent_barrier", "__syncthreads();", "if (i % 2) __syncthreads(); __syncthreads();",
             Status::sanitizer_fail, "sanitize", "barrier_divergence", 0},
        Edit{"one_too_many", "if (i < n) c", "if (i <= n) c", Status::sanitizer_fail, "sanitize",
             "out_of_bounds", 9},
        Edit{"misaligned", store,
             "if (i == 0) { float2 v = *reinterpret_cast<const float2*>(b + 1); c[0] = v.x * v.y; } else " +
                 store,
             Status::sanitizer_fail, "sanitize", "misaligned", 9},
        Edit{"uninitialised", "tile[other] = ", "if (threadIdx.x != 3) tile[other] = ",
             Status::sanitizer_fail, "sanitize", "uninitialized", 9},
        Edit{"two_writers", store, "if (i < n) c[(i & ~1) * c_stride] = tile[threadIdx.x] + b[i];",
             Status::sanitizer_fail, "sanitize", "race_global", 9},
        Edit{"never_executed", store, store + " if (n < -5) c[1] = 2;", Status::sanitizer_fail, "sanitize",
             "incomplete_coverage", 9},
        Edit{"endless", "__syncthreads();", "__syncthreads(); while (n > 0) __threadfence();",
             Status::timeout, "sanitize", "hang", 0},
        Edit{"order_of_atomics", store, with_sum("float", "atomicAdd(sum, fabsf(v));"),
             Status::nondeterministic, "sanitize", "repeat_differs", 9},
        Edit{"subtracts", "EVO_ADD(tile[threadIdx.x], b[i])", "tile[threadIdx.x] - b[i]", Status::wrong,
             "correctness", "mismatch", 0},
        Edit{"ignores_an_input", "EVO_ADD(tile[threadIdx.x], b[i])", "tile[threadIdx.x]", Status::wrong,
             "correctness", "mismatch", 0},
        Edit{"skips_the_end", "if (i < n) c", "if (i + 1 < n) c", Status::wrong, "correctness", "unwritten",
             0},
        Edit{"writes_an_input", store, store + " if (i < n) const_cast<float*>(b)[i] = 0.0f;",
             Status::sanitizer_fail, "sanitize", "input_written", 0},
        Edit{"loses_precision", "EVO_ADD(tile[threadIdx.x], b[i])",
             "__int_as_float(__float_as_int(tile[threadIdx.x] + b[i]) & 0xffffe000)", Status::wrong,
             "correctness", "mismatch", 0},
        Edit{"more_shared_memory", "__shared__ float tile[THREADS];",
             "__shared__ float tile[THREADS]; __shared__ float more[4]; if (threadIdx.x < 4) "
             "more[threadIdx.x] = a[0]; "
             "__syncthreads(); if (more[3] > 1e30f) c[0] = 0;",
             Status::over_budget, "resources", "static_smem_mismatch", 0},
        Edit{"no_such_name", "EVO_ADD(", "EVO_SUM(", Status::compile_error, "compile", "", 9}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace evo::evaluators::gates
