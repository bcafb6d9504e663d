// Kernels compiled as references, and a case and inputs for them.
#pragma once

#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "evaluators/compile/compile_job.hpp"
#include "evaluators/compile/nvrtc.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/reference/kernel_reference.hpp"
#include "evaluators/reference/reference_source.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::reference {

using model::ArgumentRole;
using model::DType;

/// y[r, c] = alpha * sum of x[r, 0 .. c], halves in, floats out.
inline constexpr const char* running_sum = R"(
__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL alpha, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  EVO_REAL sum = 0;
  for (int c = i / columns * columns; c <= i; ++c) sum += x[c];
  y[i] = alpha * sum;
}
)";

class KernelReferences : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      nvrtc_ = std::make_unique<compile::Nvrtc>(compile::Nvrtc::load());
    } catch (const model::Exception& error) {
      GTEST_SKIP() << error.what();
    }
    const auto& folders = nvrtc_->include_folders();
    if (!folders.empty()) {
      ASSERT_EQ(::chdir(folders.front().c_str()), 0);
    }
    bound_.name = "case";
    bound_.arguments = {tests::array_argument("x", ArgumentRole::input, DType::f16, {rows, columns}),
                        tests::array_argument("y", ArgumentRole::output, DType::f32, {rows, columns}),
                        tests::scalar_argument("alpha", DType::f32, 0.1),
                        tests::scalar_argument("rows", DType::i32, rows),
                        tests::scalar_argument("columns", DType::i32, columns)};
    for (const model::BoundArgument& argument : bound_.arguments)
      problem_.arguments.push_back({argument.name, argument.role, argument.dtype, {}, {}, {}});
    bound_.reference_launch.emplace();
    bound_.reference_launch->grid[0] = (rows * columns + 255) / 256;
    bound_.reference_launch->block[0] = 256;
    bound_.reference_by_element = true;
    inputs_.resize(bound_.arguments.size());
    inputs_[0].resize(static_cast<std::size_t>(oracle::buffer_bytes(bound_.arguments[0])));
    for (std::int64_t e = 0; e < rows * columns; ++e)
      oracle::store_element(DType::f16, static_cast<double>(e % 13) / 8 - 0.5, inputs_[0].data() + 2 * e);
  }

  tl::expected<model::Artifact, model::Failure> compile(const std::string& source,
                                                        const std::string& entry = "reference") {
    problem_.oracle_kernel = model::ReferenceKernel{"ref.cu", source, entry, std::nullopt};
    return compile::run_compile(*nvrtc_, reference_request(problem_, {}, "sm_80"));
  }
  model::Expected<oracle::ReferenceOutputs> outputs_of(const std::string& source,
                                                       const std::string& entry = "reference") {
    auto artifact = compile(source, entry);
    if (!artifact) throw std::runtime_error(artifact.error().evidence.front().message);
    return KernelReference(*artifact).compute(bound_, inputs_);
  }

  static constexpr std::int64_t rows = 37, columns = 29;
  std::unique_ptr<compile::Nvrtc> nvrtc_;
  model::Problem problem_;
  model::Case bound_;
  oracle::InputBuffers inputs_;
};

}  // namespace evo::evaluators::reference
