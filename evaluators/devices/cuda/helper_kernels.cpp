#include "evaluators/devices/cuda/helper_kernels.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "evaluators/devices/device.hpp"
#include "model/error.hpp"

namespace evo::evaluators::cuda {
namespace {

constexpr unsigned fill_threads = 1024;
constexpr unsigned move_threads = 256;
constexpr unsigned guard_threads = 256, guard_blocks = 32;  // of a buffer
constexpr unsigned digest_threads = 512;
constexpr std::uint64_t least_scratch = std::uint64_t{64} << 20;

void require(const DriverApi& driver, CUresult result, const char* action) {
  if (result == CUDA_SUCCESS) return;
  throw model::Exception(model::ExitCode::environment,
                         fmt::format("{}: {}; the checks need kernels that the driver compiles from PTX",
                                     action, describe(driver, result)));
}

}  // namespace

HelperKernels::HelperKernels(DriverPointer driver, CUdevice device) : driver_(std::move(driver)) {
  const auto attribute = [&](CUdevice_attribute name) {
    int value = 0;
    require(*driver_, driver_->device_attribute(&value, name, device), "asking for the device's limits");
    return static_cast<unsigned>(std::max(value, 0));
  };
  multiprocessors_ = std::max(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 1U);
  shared_bytes_ = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) / 4 * 4;
  scratch_bytes_ =
      std::max<std::uint64_t>(2 * std::uint64_t{attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)}, least_scratch);
  past_bytes_ = std::max<std::uint64_t>(
      devices::emptying_l2s * std::uint64_t{attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)}, least_scratch);
  CUmodule module = nullptr;
  require(*driver_, driver_->module_load(&module, helper_ptx().data()), "loading evo's helper kernels");
  module_ = Module(driver_, module);
  require(*driver_, driver_->module_function(&fill_, module, "evo_fill_shared"), "finding a helper kernel");
  require(*driver_, driver_->module_function(&move_, module, "evo_move_memory"), "finding a helper kernel");
  require(*driver_, driver_->module_function(&guard_, module, "evo_guards"), "finding a helper kernel");
  require(*driver_, driver_->module_function(&digest_, module, "evo_digest"), "finding a helper kernel");
  require(*driver_,
          driver_->function_set_attribute(fill_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                          static_cast<int>(shared_bytes_)),
          "giving a helper kernel its shared memory");
  CUstream stream = nullptr;
  require(*driver_, driver_->stream_create(&stream, CU_STREAM_NON_BLOCKING), "creating a stream");
  stream_ = Stream(driver_, stream);
}

CUdeviceptr HelperKernels::scratch() {
  if (scratch_.get() == 0) {
    CUdeviceptr address = 0;
    require(*driver_, driver_->memory_allocate(&address, scratch_bytes_), "allocating scratch memory");
    scratch_ = Memory(driver_, address);
  }
  return scratch_.get();
}

CUresult HelperKernels::fill_shared(std::uint32_t pattern, CUstream stream) {
  std::uint32_t words = shared_bytes_ / 4;
  std::array<void*, 2> arguments{&pattern, &words};
  return driver_->launch(fill_, 2 * multiprocessors_, 1, 1, fill_threads, 1, 1, shared_bytes_, stream,
                         arguments.data(), nullptr);
}

CUresult HelperKernels::guards(std::span<const GuardZones> all, std::uint64_t sums, CUstream stream) {
  while (!all.empty()) {
    const auto now = all.first(std::min(all.size(), most_together));
    std::array<GuardZones, most_together> table{};
    std::ranges::copy(now, table.begin());
    std::array<void*, 2> arguments{table.data(), &sums};
    const CUresult launched = driver_->launch(guard_, guard_blocks, static_cast<unsigned>(now.size()), 1,
                                              guard_threads, 1, 1, 0, stream, arguments.data(), nullptr);
    if (launched != CUDA_SUCCESS) return launched;
    if (sums != 0) sums += now.size() * sizeof(std::uint64_t);
    all = all.subspan(now.size());
  }
  return CUDA_SUCCESS;
}

CUresult HelperKernels::fill_guards(std::span<const GuardZones> all, CUstream stream) {
  return guards(all, 0, stream);
}

CUresult HelperKernels::check_guards(std::span<const GuardZones> all, std::size_t place, CUstream stream) {
  return guards(all, sums() + place * sizeof(std::uint64_t), stream);
}

CUdeviceptr HelperKernels::sums() {
  if (sums_.get() == 0) {
    CUdeviceptr address = 0;
    require(*driver_, driver_->memory_allocate(&address, (most_sums + 1) * sizeof(std::uint64_t)),
            "allocating room for digests");
    sums_ = Memory(driver_, address);
  }
  return sums_.get();
}

CUresult HelperKernels::clear_sums(std::size_t count, CUstream stream) {
  return driver_->fill_words(sums(), 0, count * sizeof(std::uint64_t) / 4, stream);
}

CUresult HelperKernels::digest(std::span<const Stretch> all, std::uint64_t key, std::size_t place,
                               CUstream stream) {
  std::uint64_t into = sums() + place * sizeof(std::uint64_t);
  while (!all.empty()) {
    const auto now = all.first(std::min(all.size(), most_together));
    std::array<Stretch, most_together> table{};
    std::ranges::copy(now, table.begin());
    std::uint64_t most = 0;
    for (const Stretch& one : now) most = std::max(most, one.bytes);
    const std::uint64_t blocks = most / sizeof(std::uint64_t) / digest_threads + 1;
    std::array<void*, 3> arguments{table.data(), &key, &into};
    const CUresult launched = driver_->launch(
        digest_, static_cast<unsigned>(std::min<std::uint64_t>(blocks, 2 * multiprocessors_)),
        static_cast<unsigned>(now.size()), 1, digest_threads, 1, 1, 0, stream, arguments.data(), nullptr);
    if (launched != CUDA_SUCCESS) return launched;
    into += now.size() * sizeof(std::uint64_t);
    all = all.subspan(now.size());
  }
  return CUDA_SUCCESS;
}

CUresult HelperKernels::flush_cache(CUstream stream) {
  return driver_->fill_words(scratch(), ++flushes_, scratch_bytes_ / 4, stream);
}

CUresult HelperKernels::read_past_cache(CUstream stream) {
  if (past_.get() == 0) {
    CUdeviceptr address = 0;
    require(*driver_, driver_->memory_allocate(&address, past_bytes_),
            "allocating what is read to empty the L2");
    past_ = Memory(driver_, address);
  }
  // The last of the sums is nobody's.
  const Stretch all{past_.get(), past_bytes_};
  return digest(std::span(&all, 1), 0, most_sums, stream);
}

CUresult HelperKernels::move_memory(std::chrono::nanoseconds duration) {
  std::uint64_t base = scratch();
  auto words = static_cast<std::uint32_t>(std::min<std::uint64_t>(scratch_bytes_ / 4, 0x7fffffff));
  auto nanoseconds = static_cast<std::uint64_t>(duration.count());
  std::array<void*, 3> arguments{&base, &words, &nanoseconds};
  return driver_->launch(move_, std::max(multiprocessors_ / 2, 1U), 1, 1, move_threads, 1, 1, 0,
                         stream_.get(), arguments.data(), nullptr);
}

void HelperKernels::abandon() {
  module_.abandon();
  stream_.abandon();
  scratch_.abandon();
  sums_.abandon();
  past_.abandon();
}

}  // namespace evo::evaluators::cuda
