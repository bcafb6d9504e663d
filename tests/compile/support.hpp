// Shared by the tests of evaluators/compile.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "evaluators/compile/compiler.hpp"
#include "evaluators/compile/service.hpp"
#include "model/error.hpp"

namespace evo::evaluators::compile {

inline ServiceOptions test_options(unsigned workers = 1) {
  ServiceOptions options;
  options.workers = workers;
  options.worker_command = {EVO_TEST_WORKER, "compile-worker"};
  return options;
}

inline CompileRequest request_of(std::string source, std::string entry = "k") {
  CompileRequest request;
  request.source = std::move(source);
  request.source_file = "candidate.cu";
  request.entry = std::move(entry);
  request.arch = "sm_89";
  return request;
}

/// Real compiles on one pool for the whole suite; skipped with the reason where there is no NVRTC.
class RealCompile : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    service = std::make_unique<CompileService>(test_options(2));
    try {
      (void)service->version();
    } catch (const model::Exception& error) {
      missing = error.what();
    }
  }
  static void TearDownTestSuite() { service.reset(); }
  void SetUp() override {
    if (missing) GTEST_SKIP() << *missing;
  }
  static tl::expected<model::Artifact, model::Failure> compile(const std::string& source,
                                                               const std::string& entry = "k") {
    return service->compile(request_of(source, entry));
  }

  static inline std::optional<std::string> missing;
  static inline std::unique_ptr<CompileService> service;
};

inline constexpr const char* half_kernel = R"(#include <cuda_fp16.h>
#include <stdint.h>
extern "C" __global__ void k(float* o, const __half* a, int32_t n) {
  __shared__ float s[32];
  s[threadIdx.x] = __half2float(a[threadIdx.x]);
  __syncthreads();
  o[threadIdx.x] = s[31 - threadIdx.x] + n - INFINITY;
}
)";

inline std::string explain(const model::Failure& failure) {
  std::string text = std::string(model::name_of(failure.status)) + " " + failure.reason;
  for (const auto& item : failure.evidence) {
    text += "\n" + item.file + ":" + std::to_string(item.line) + ": " + item.message;
  }
  return text;
}

}  // namespace evo::evaluators::compile
