// A reference kernel on a second device beside the virtual one.
#include "evaluators/reference/side_device.hpp"

#include <unistd.h>

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

#include "evaluators/compile/compile_job.hpp"
#include "evaluators/compile/nvrtc.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/row_sample.hpp"
#include "evaluators/reference/kernel_reference.hpp"
#include "evaluators/reference/problem_oracle.hpp"
#include "evaluators/reference/reference_source.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::reference {
namespace {

using devices::Outcome;
using model::ArgumentRole;
using model::DType;

/// What a test makes of a machine that is like a GPU.
struct Behaviour {
  std::atomic<int> launches = 0;
  std::byte flipped{0};  ///< changes the last byte but one of what is read
  std::string arch = "sm_80";
  std::atomic<int> refused = 0;  ///< loads of machine code for another GPU
};

/// A GPU as far as a reference can tell: it finds nothing and knows of no byte whether it was written.
class GpuLike final : public devices::Device, public devices::LaunchConditions {
 public:
  explicit GpuLike(Behaviour& behaviour) : behaviour_(behaviour) {}

  [[nodiscard]] devices::DeviceInfo info() const override {
    return {"cuda", "like", behaviour_.arch, "1", "u"};
  }
  [[nodiscard]] Outcome<devices::ModuleId> load(const model::Artifact& artifact) override {
    if (artifact.arch != behaviour_.arch && artifact.cubin != artifact.ptx) {
      ++behaviour_.refused;
      return tl::make_unexpected(model::Failure{model::Status::launch_error, "no_binary_for_gpu", {}});
    }
    return inner_.load(artifact);
  }
  void unload(devices::ModuleId module) override { inner_.unload(module); }
  [[nodiscard]] Outcome<devices::BufferId> allocate(const devices::BufferSpec& spec) override {
    return inner_.allocate(spec);
  }
  void release(devices::BufferId buffer) override { inner_.release(buffer); }
  [[nodiscard]] Outcome<void> write(devices::BufferId buffer, std::span<const std::byte> bytes) override {
    return inner_.write(buffer, bytes);
  }
  [[nodiscard]] Outcome<void> read(devices::BufferId buffer, std::span<std::byte> bytes) override {
    auto done = inner_.read(buffer, bytes);
    if (bytes.size() > 1) bytes[bytes.size() - 2] ^= behaviour_.flipped;
    return done;
  }
  [[nodiscard]] Outcome<void> poison(devices::BufferId buffer, std::uint32_t pattern) override {
    return inner_.poison(buffer, pattern);
  }
  [[nodiscard]] Outcome<void> check_guards() override { return inner_.check_guards(); }
  [[nodiscard]] Outcome<devices::LaunchReport> launch(devices::ModuleId module, const model::LaunchPlan& plan,
                                                      std::span<const devices::KernelArgument> arguments,
                                                      const devices::LaunchOptions& options) override {
    ++behaviour_.launches;
    devices::LaunchOptions unchecked = options;
    unchecked.checks = devices::CheckLevel::none;
    unchecked.blocks.clear();
    return inner_.launch(module, plan, arguments, unchecked);
  }
  [[nodiscard]] Outcome<void> synchronize() override { return inner_.synchronize(); }
  [[nodiscard]] devices::LaunchConditions* launch_conditions() override { return this; }
  [[nodiscard]] Outcome<void> fill_shared(std::uint32_t) override { return {}; }
  [[nodiscard]] Outcome<void> flush_cache() override { return {}; }
  [[nodiscard]] Outcome<void> start_load(std::chrono::microseconds) override { return {}; }
  [[nodiscard]] Outcome<Timing> time(devices::ModuleId, const model::LaunchPlan&,
                                     std::span<const std::vector<devices::KernelArgument>>,
                                     const devices::TimingProtocol&) override {
    throw std::logic_error("a reference is not timed");
  }

 private:
  Behaviour& behaviour_;
  devices::VirtualDevice inner_{model::TargetProfile{}};
};

constexpr const char* doubled = R"(
__global__ void reference(const EVO_REAL* x, EVO_REAL* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
})";

class References : public ::testing::Test {
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
    bound_.arguments = {tests::array_argument("x", ArgumentRole::input, DType::f32, {rows, columns}),
                        tests::array_argument("y", ArgumentRole::output, DType::f32, {rows, columns}),
                        tests::scalar_argument("n", DType::i32, rows * columns)};
    for (const model::BoundArgument& argument : bound_.arguments)
      problem_.arguments.push_back({argument.name, argument.role, argument.dtype, {}, {}, {}});
    bound_.reference_launch.emplace();
    bound_.reference_launch->grid[0] = (rows * columns + 63) / 64;
    bound_.reference_launch->block[0] = 64;
    bound_.reference_by_element = true;
    inputs_.resize(bound_.arguments.size());
    inputs_[0].resize(static_cast<std::size_t>(4 * rows * columns));
    for (std::int64_t e = 0; e < rows * columns; ++e)
      oracle::store_element(DType::f32, static_cast<double>(e), inputs_[0].data() + 4 * e);
  }

  std::unique_ptr<KernelReference> reference(const std::string& source) {
    problem_.oracle_kernel = model::ReferenceKernel{"ref.cu", source, "reference", std::nullopt};
    auto artifact = compile::run_compile(*nvrtc_, reference_request(problem_, {}, "sm_80"));
    if (!artifact) throw std::runtime_error(artifact.error().evidence.front().message);
    return std::make_unique<KernelReference>(
        *artifact, std::nullopt,
        std::make_shared<SideDevice>("like:0", [this] { return std::make_unique<GpuLike>(behaviour_); }));
  }
  void make_heavy() { bound_.flops = 1e10; }

  static constexpr std::int64_t rows = 12, columns = 10;
  Behaviour behaviour_;
  std::unique_ptr<compile::Nvrtc> nvrtc_;
  model::Problem problem_;
  model::Case bound_;
  oracle::InputBuffers inputs_;
};

TEST_F(References, ALightCaseIsComputedOnBothOnce) {
  const auto both = reference(doubled);
  EXPECT_FALSE(both->prefers_whole(bound_));
  ASSERT_TRUE(both->compute(bound_, inputs_));
  const int launches = behaviour_.launches;
  EXPECT_GE(launches, 1);
  ASSERT_TRUE(both->compute(bound_, inputs_));
  EXPECT_EQ(behaviour_.launches, launches) << "the same case again";
}

TEST_F(References, AHeavyCaseIsComputedWholeOnTheSideDevice) {
  make_heavy();
  const auto side = reference(doubled);
  ASSERT_TRUE(side->prefers_whole(bound_));
  const auto outputs = side->compute(bound_, inputs_);
  ASSERT_TRUE(outputs) << outputs.error().text();
  for (std::int64_t e = 0; e < rows * columns; ++e)
    EXPECT_EQ((*outputs)[1][static_cast<std::size_t>(e)], 2.0 * static_cast<double>(e));
  EXPECT_GE(behaviour_.launches, 2) << "over two fillings of the output";
}

TEST_F(References, ANewerDeviceThanTheTargetGetsThePtx) {
  behaviour_.arch = "sm_90";
  const auto light = reference(doubled)->compute(bound_, inputs_);
  ASSERT_TRUE(light) << light.error().text();
  EXPECT_GE(behaviour_.launches, 1);
  EXPECT_EQ(behaviour_.refused, 0);
}

TEST_F(References, AnOutputThatIsTooBigIsLeftToRows) {
  make_heavy();
  bound_.arguments[1].shape = {std::int64_t{1} << 20, 128};
  EXPECT_FALSE(reference(doubled)->prefers_whole(bound_));
}

TEST_F(References, AProblemIsAskedForRowsWhereOneOfItsOraclesIsSlow) {
  make_heavy();
  std::shared_ptr<const oracle::ComputedOracle> fast = reference(doubled);
  EXPECT_TRUE(ProblemOracle({{.name = "a", .computed = fast}}, {}).prefers_whole(bound_));
  oracle::Oracle builtin;
  builtin.name = "b";
  EXPECT_FALSE(ProblemOracle({{.name = "a", .computed = fast}, {.name = "b", .builtin = builtin}}, {})
                   .prefers_whole(bound_));
  const oracle::Oracle whole{.name = "a", .description = "", .function = nullptr, .computed = fast.get()};
  const auto made = oracle::make_reference(whole, bound_, inputs_, 1);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(made->rows.empty());
}

TEST_F(References, DevicesThatDifferAreAnError) {
  behaviour_.flipped = std::byte{0x10};
  const auto light = reference(doubled)->compute(bound_, inputs_);
  ASSERT_FALSE(light);
  EXPECT_NE(light.error().message.find("like:0"), std::string::npos) << light.error().message;
  make_heavy();
  const auto heavy = reference(doubled)->compute(bound_, inputs_);
  ASSERT_FALSE(heavy) << "its last row is computed on the virtual device as well";
}

TEST_F(References, WhatNobodyWritesShowsOnASideDevice) {
  make_heavy();
  bound_.reference_by_element = false;
  const auto outputs = reference(R"(
__global__ void reference(const EVO_REAL* x, EVO_REAL* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i != 17) y[i] = x[i];
})")
                           ->compute(bound_, inputs_);
  ASSERT_FALSE(outputs);
  EXPECT_NE(outputs.error().message.find("y[1,7]"), std::string::npos) << outputs.error().message;
}

// A correct byte may be what the output held before, but not twice.
TEST_F(References, NoValueOfASmallOutputIsTakenForUnwritten) {
  for (const auto& [dtype, type] : {std::pair{DType::i8, "signed char"},
                                    {DType::u8, "unsigned char"},
                                    {DType::i16, "short"},
                                    {DType::u16, "unsigned short"}}) {
    make_heavy();
    bound_.reference_by_element = false;
    bound_.arguments[1] = tests::array_argument("y", ArgumentRole::output, dtype, {4, 1024});
    bound_.arguments[2] = tests::scalar_argument("n", DType::i32, 4096);
    bound_.reference_launch->grid[0] = 64;
    problem_.arguments[1].dtype = dtype;
    // Every value of every byte at every place.
    const auto outputs =
        reference("__global__ void reference(const EVO_REAL* x, " + std::string(type) + R"(* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = i / 4 * (sizeof *y == 1 ? 1 : 257);
})")
            ->compute(bound_, inputs_);
    ASSERT_TRUE(outputs) << model::name_of(dtype) << ": " << outputs.error().text();
    EXPECT_EQ((*outputs)[1].size(), 4096U);
  }
}

TEST_F(References, WhatAFactoryThrowsReachesTheCaller) {
  SideDevice side("none", []() -> std::unique_ptr<devices::Device> { throw std::runtime_error("no GPU"); });
  EXPECT_THROW(side.run([](devices::Device&) {}), std::runtime_error);
  EXPECT_THROW(side.run([](devices::Device&) {}), std::runtime_error) << "and the next one is answered, too";
}

}  // namespace
}  // namespace evo::evaluators::reference
