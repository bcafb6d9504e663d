#include "session/measured_ceilings.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "evaluators/benchmark/kernel_contender.hpp"
#include "evaluators/measure/statistics.hpp"
#include "model/error.hpp"
#include "session/load.hpp"

namespace evo::session {
namespace {

namespace fs = std::filesystem;
using namespace evaluators;

constexpr unsigned block_threads = 256;
constexpr int ceiling_samples = 15;
constexpr double wanted_us = 2000;  // of a launch whose length is free

/// One kernel of targets/ceilings.
struct CeilingKernel {
  const char* ceiling;
  const char* name;    ///< its file without .cu, and its entry
  const char* header;  ///< of kernels/common; may be empty
  const char* arch;    ///< the only one that takes it; empty: any from sm_80 on
  unsigned blocks_per_sm;
  double amount;  ///< bytes or flops of a thread in one iteration; 0: the buffer's bytes count
};

// Amounts are what the sources do: loads of 16 bytes, 64 fused multiply-adds, eight products of 16 x 8 x 16
// by 32 threads, 16 of 64 x 256 x 16 by 128.
constexpr CeilingKernel ceiling_kernels[] = {
    {"dram", "dram_read", "", "", 8, 0},
    {"dram", "dram_copy", "", "", 8, 0},
    {"l2", "l2_read", "", "", 8, 0},
    {"shared", "shared_read", "", "", 4, 8 * 16},
    {"fp32", "fp32_fma", "", "", 8, 64 * 2},
    {"tensor_fp16", "tensor_mma", "", "", 4, 8 * 2.0 * 16 * 8 * 16 / 32},
    {"tensor_fp16", "tensor_wgmma", "evo_wgmma.cuh", "sm_90a", 1, 16 * 2.0 * 64 * 256 * 16 / 128},
};

using Rate = benchmark::Attempt<double>;

std::string text_of_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw model::Exception(model::ExitCode::environment, fmt::format("{} cannot be read", file.string()));
  return {std::istreambuf_iterator<char>(stream), {}};
}

template <class T>
devices::KernelArgument scalar(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// Runs one kernel; its module and buffers are gone afterwards.
class CeilingRun {
 public:
  CeilingRun(devices::Device& device, const DeviceSize& size) : device_(device), size_(size) {}
  CeilingRun(const CeilingRun&) = delete;
  CeilingRun& operator=(const CeilingRun&) = delete;
  ~CeilingRun() {
    if (device_.lost()) return;
    for (const devices::BufferId buffer : buffers_) device_.release(buffer);
    if (module_) device_.unload(*module_);
  }

  /// Bytes or flops a second.
  Rate rate(const CeilingKernel& kernel, const model::Artifact& artifact) {
    const auto module = device_.load(artifact);
    if (!module) return tl::make_unexpected(benchmark::line_of(module.error()));
    module_ = *module;
    plan_.grid[0] = kernel.blocks_per_sm * static_cast<unsigned>(std::max(size_.multiprocessors, 1));
    plan_.block[0] = block_threads;
    return std::string_view(kernel.ceiling) == "dram" ? dram(kernel)
           : std::string_view(kernel.ceiling) == "l2" ? l2()
                                                      : loop(kernel);
  }

 private:
  benchmark::Attempt<devices::KernelArgument> buffer(std::uint64_t bytes) {
    devices::BufferSpec spec;
    spec.bytes = bytes;
    spec.name = "ceiling";
    const auto made = device_.allocate(spec);
    if (!made) return tl::make_unexpected(benchmark::line_of(made.error()));
    buffers_.push_back(*made);
    // Any data but zeros, which a device might move at less cost.
    if (auto filled = device_.poison(*made, 0x3f8ccccd); !filled)
      return tl::make_unexpected(benchmark::line_of(filled.error()));
    return devices::BufferArgument{*made};
  }

  benchmark::Attempt<double> median_us(const std::vector<devices::KernelArgument>& arguments) {
    devices::TimingProtocol protocol;
    protocol.warmup = 3;
    protocol.samples = ceiling_samples;
    protocol.launches = 1;
    const std::vector<std::vector<devices::KernelArgument>> sets{arguments};
    const auto timed = device_.time(*module_, plan_, sets, protocol);
    if (!timed) return tl::make_unexpected(benchmark::line_of(timed.error()));
    const double us = measure::median(timed->samples_us);
    if (!(us > 0)) return tl::make_unexpected(std::string("a sample is no positive number"));
    return us;
  }

  /// A buffer that no cache holds, once.
  Rate dram(const CeilingKernel& kernel) {
    const bool copies = std::string_view(kernel.name) == "dram_copy";
    const auto most = static_cast<std::uint64_t>(size_.memory_bytes / 8);
    std::uint64_t bytes =
        std::max<std::uint64_t>(std::uint64_t{1} << 30, 16 * static_cast<std::uint64_t>(size_.l2_bytes));
    bytes = std::min(bytes, std::max<std::uint64_t>(most, 1 << 20)) / 16 * 16;
    const auto from = buffer(bytes);
    if (!from) return tl::make_unexpected(from.error());
    const auto to = buffer(copies ? bytes : 16);
    if (!to) return tl::make_unexpected(to.error());
    const auto us = median_us({*from, scalar<std::uint64_t>(bytes / 16), *to});
    if (!us) return us;
    return static_cast<double>(bytes) * (copies ? 2 : 1) / *us * 1e6;
  }

  /// A quarter of the L2, many times.
  Rate l2() {
    const std::uint64_t bytes =
        std::max<std::uint64_t>(static_cast<std::uint64_t>(size_.l2_bytes) / 4 / 16 * 16, 1 << 16);
    const auto data = buffer(bytes);
    if (!data) return tl::make_unexpected(data.error());
    const auto out = buffer(16);
    if (!out) return tl::make_unexpected(out.error());
    return repeated(static_cast<double>(bytes), [&](int passes) {
      return std::vector{*data, scalar<std::uint64_t>(bytes / 16), scalar<std::int32_t>(passes), *out};
    });
  }

  /// Registers and shared memory alone.
  Rate loop(const CeilingKernel& kernel) {
    const double threads = static_cast<double>(plan_.grid[0]) * block_threads;
    const auto out = buffer(static_cast<std::uint64_t>(4 * threads));
    if (!out) return tl::make_unexpected(out.error());
    const bool multiplies = std::string_view(kernel.name) == "fp32_fma";
    return repeated(threads * kernel.amount, [&](int iterations) {
      std::vector<devices::KernelArgument> arguments{scalar<std::int32_t>(iterations)};
      if (multiplies) arguments.push_back(scalar<float>(0.999F));
      arguments.push_back(*out);
      return arguments;
    });
  }

  /// As many iterations as take about wanted_us; the difference to a launch of half as many leaves out what a
  /// launch costs besides.
  template <class Arguments>
  Rate repeated(double amount, const Arguments& arguments) {
    int iterations = 16;
    auto us = median_us(arguments(iterations));
    while (us && *us < wanted_us / 4 && iterations < (1 << 24)) {
      iterations *= 2;
      us = median_us(arguments(iterations));
    }
    if (!us) return us;
    const auto half = median_us(arguments(iterations / 2));
    if (!half) return half;
    if (!(*us > *half)) return tl::make_unexpected(std::string("twice the work took no longer"));
    return amount * (iterations - iterations / 2) / (*us - *half) * 1e6;
  }

  devices::Device& device_;
  const DeviceSize& size_;
  model::LaunchPlan plan_{};
  std::optional<devices::ModuleId> module_;
  std::vector<devices::BufferId> buffers_;
};

Rate rate_of(const CeilingKernel& kernel, devices::Device& device, compile::Compiler& compiler,
             const DeviceSize& size, const CeilingSources& sources) {
  compile::CompileRequest request;
  request.source_file = std::string(kernel.name) + ".cu";
  request.source = text_of_file(sources.kernels / request.source_file);
  request.entry = kernel.name;
  request.arch = *kernel.arch != 0 ? kernel.arch : device.info().arch;
  if (*kernel.header != 0) request.headers[kernel.header] = text_of_file(sources.headers / kernel.header);
  const auto artifact = compiler.compile(request);
  if (!artifact) return tl::make_unexpected(benchmark::line_of(artifact.error()));
  return CeilingRun(device, size).rate(kernel, *artifact);
}

/// Architecture-specific code runs on that architecture alone: sm_90a on sm_90.
bool runs_on(const CeilingKernel& kernel, const std::string& arch) {
  const std::string_view wanted = kernel.arch;
  return wanted.empty() || arch == wanted || arch == wanted.substr(0, wanted.size() - 1);
}

}  // namespace

CeilingSources find_ceiling_sources() {
  const config::SearchPath path = search_path();
  std::error_code ignored;
  CeilingSources sources;
  for (const std::string& folder : path.target_folders) {
    if (sources.kernels.empty() && fs::exists(fs::path(folder) / "ceilings" / "dram_read.cu", ignored))
      sources.kernels = fs::path(folder) / "ceilings";
  }
  for (const std::string& folder : path.kernel_folders) {
    if (sources.headers.empty() && fs::exists(fs::path(folder) / "common" / "evo_wgmma.cuh", ignored))
      sources.headers = fs::path(folder) / "common";
  }
  if (sources.kernels.empty() || sources.headers.empty())
    throw model::Exception(model::ExitCode::environment,
                           "targets/ceilings/*.cu or kernels/common are not there: a copied evo needs its "
                           "share/evo beside bin/ (cmake --install)");
  return sources;
}

Ceilings measure_ceilings(devices::Device& device, compile::Compiler& compiler, const DeviceSize& size,
                          const CeilingSources& sources) {
  Ceilings found{"measured", device.info().name, {}};
  const devices::DeviceLock lock = device.lock_device();
  std::vector<std::pair<std::string, std::string>> failed;
  for (const CeilingKernel& kernel : ceiling_kernels) {
    if (!runs_on(kernel, device.info().arch)) continue;
    const Rate rate = rate_of(kernel, device, compiler, size, sources);
    if (!rate) {
      failed.emplace_back(kernel.ceiling, fmt::format("{}.cu: {}", kernel.name, rate.error()));
      if (device.lost()) break;
      continue;
    }
    const auto known = std::find_if(found.rates.begin(), found.rates.end(),
                                    [&](const Ceiling& ceiling) { return ceiling.name == kernel.ceiling; });
    if (known == found.rates.end()) {
      found.rates.push_back({kernel.ceiling, *rate, std::string(kernel.name) + ".cu"});
    } else if (*rate > known->rate) {
      known->rate = *rate;
      known->how = std::string(kernel.name) + ".cu";
    }
  }
  for (auto& [name, reason] : failed) {
    if (found.rate(name) == 0) found.missing.emplace_back(name, reason);
  }
  return found;
}

}  // namespace evo::session
