#include "tests/cuda/fake_gpu.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "evaluators/devices/cuda/digest.hpp"
#include "evaluators/devices/cuda/guard.hpp"
#include "evaluators/devices/cuda/helper_kernels.hpp"
#include "tests/cuda/fake_gpu_parts.hpp"

namespace evo::test {

namespace {

FakeGpu::Device& device() {
  return *gpu->device;
}

CUresult copy(void* to, const void* from, std::size_t bytes) {
  if (const CUresult broken = device().state(); broken != CUDA_SUCCESS) return broken;
  std::memcpy(to, from, bytes);
  return CUDA_SUCCESS;
}

/// While a graph is captured nothing runs.
CUresult now_or_in_graph(std::function<void()> work) {
  if (const CUresult broken = device().state(); broken != CUDA_SUCCESS) return broken;
  if (device().capture != nullptr) {
    device().capture->calls.push_back({nullptr, {}, std::move(work)});
  } else {
    work();
  }
  return CUDA_SUCCESS;
}

void fill_tables(evaluators::cuda::DriverApi& api) {
  api.init = [](unsigned) { return CUDA_SUCCESS; };
  api.driver_version = [](int* version) { return *version = 13000, CUDA_SUCCESS; };
  api.error_name = [](CUresult result, const char** name) {
    *name = result == CUDA_ERROR_MISALIGNED_ADDRESS ? "CUDA_ERROR_MISALIGNED_ADDRESS" : "CUDA_ERROR_OTHER";
    return CUDA_SUCCESS;
  };
  api.error_string = [](CUresult, const char** text) { return *text = "as the fake says", CUDA_SUCCESS; };
  api.device_count = [](int* count) { return *count = gpu->device_count, CUDA_SUCCESS; };
  api.device_get = [](CUdevice* found, int ordinal) { return *found = ordinal, CUDA_SUCCESS; };
  api.device_name = [](char* name, int length, CUdevice) {
    std::strncpy(name, "Fake GPU", static_cast<std::size_t>(length));
    return CUDA_SUCCESS;
  };
  api.device_attribute = [](int* value, CUdevice_attribute name, CUdevice) {
    static const std::map<CUdevice_attribute, int> values{
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 4},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, static_cast<int>(gpu->smem_limit)},
        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 20}};
    const auto known = values.find(name);
    *value = known == values.end() ? 0 : known->second;
    return CUDA_SUCCESS;
  };
  api.device_uuid = [](CUuuid* uuid, CUdevice) {
    for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<char>(i * 17);
    return CUDA_SUCCESS;
  };
  api.device_memory = [](std::size_t* bytes, CUdevice) {
    return *bytes = std::size_t{1} << 32, CUDA_SUCCESS;
  };
  api.context_retain = [](CUcontext* context, CUdevice) {
    ++gpu->live.contexts;
    *context = handle_of<CUcontext>(gpu);
    return CUDA_SUCCESS;
  };
  api.context_release = [](CUdevice) { return --gpu->live.contexts, CUDA_SUCCESS; };
  api.context_make_current = [](CUcontext) { return CUDA_SUCCESS; };
}

CUresult launch(FakeKernel& kernel, FakeLaunch what, void** arguments) {
  if (const CUresult broken = device().state(); broken != CUDA_SUCCESS) return broken;
  if (kernel.refusal != CUDA_SUCCESS) return kernel.refusal;
  const unsigned threads = what.block[0] * what.block[1] * what.block[2];
  if (threads > 1024 || what.grid[0] * what.grid[1] * what.grid[2] == 0) return CUDA_ERROR_INVALID_VALUE;
  Call call{&kernel, std::move(what)};
  for (std::size_t i = 0; i < kernel.parameter_bytes.size(); ++i) {
    const auto* bytes = static_cast<const std::byte*>(arguments[i]);
    call.launch.arguments.emplace_back(bytes, bytes + kernel.parameter_bytes[i]);
  }
  if (device().capture != nullptr) {
    device().capture->calls.push_back(std::move(call));
  } else {
    device().run(call);
  }
  return CUDA_SUCCESS;
}

void fill_modules(evaluators::cuda::DriverApi& api) {
  api.module_load = [](CUmodule* module, const void*) {
    if (gpu->load_result != CUDA_SUCCESS) return gpu->load_result;
    ++gpu->live.modules;
    *module = handle_of<CUmodule>(gpu);
    return device().state();
  };
  api.module_unload = [](CUmodule) { return --gpu->live.modules, device().state(); };
  api.module_function = [](CUfunction* function, CUmodule, const char* name) {
    const auto found = gpu->kernels.find(name);
    if (found == gpu->kernels.end()) return CUDA_ERROR_NOT_FOUND;
    *function = handle_of<CUfunction>(&found->second);
    return CUDA_SUCCESS;
  };
  api.module_variable = [](CUdeviceptr* address, std::size_t* bytes, CUmodule, const char* name) {
    const auto found = gpu->variables.find(name);
    if (found == gpu->variables.end()) return CUDA_ERROR_NOT_FOUND;
    *address = reinterpret_cast<CUdeviceptr>(found->second.data());
    *bytes = found->second.size();
    return CUDA_SUCCESS;
  };
  api.function_set_attribute = [](CUfunction, CUfunction_attribute, int value) {
    return static_cast<unsigned>(value) > gpu->smem_limit ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  };
  api.function_parameter = [](CUfunction function, std::size_t index, std::size_t* offset,
                              std::size_t* bytes) {
    const auto* kernel = object_of<FakeKernel>(function);
    if (index >= kernel->parameter_bytes.size()) return CUDA_ERROR_INVALID_VALUE;
    *offset = 0;
    *bytes = kernel->parameter_bytes[index];
    return CUDA_SUCCESS;
  };
  api.launch = [](CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                  unsigned bz, unsigned smem, CUstream, void** arguments, void**) {
    return launch(*object_of<FakeKernel>(function), {{gx, gy, gz}, {bx, by, bz}, smem, false, {}}, arguments);
  };
  api.occupancy = [](int* blocks, CUfunction, int threads, std::size_t) {
    *blocks = 2048 / std::max(threads, 1);
    return CUDA_SUCCESS;
  };
  api.launch_cooperative = [](CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned smem, CUstream, void** arguments) {
    if (gx * gy * gz > gpu->most_cooperative_blocks) return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    return launch(*object_of<FakeKernel>(function), {{gx, gy, gz}, {bx, by, bz}, smem, true, {}}, arguments);
  };
}

void fill_memory(evaluators::cuda::DriverApi& api) {
  api.memory_allocate = [](CUdeviceptr* address, std::size_t bytes) {
    if (bytes > gpu->memory_left) return CUDA_ERROR_OUT_OF_MEMORY;
    ++gpu->live.allocations;
    auto* const block = device().make<MemoryData>();
    block->bytes.resize(bytes + 511);
    *address = (reinterpret_cast<CUdeviceptr>(block->bytes.data()) + 511) / 512 * 512;
    device().memory[*address] = block;
    return device().state();
  };
  api.memory_free = [](CUdeviceptr address) {
    --gpu->live.allocations;
    device().objects.erase(device().memory.at(address));
    device().memory.erase(address);
    return device().state();
  };
  api.host_allocate = [](void** block, std::size_t bytes, unsigned) {
    ++gpu->live.host_blocks;
    *block = ::operator new(bytes);
    return device().state();
  };
  api.host_free = [](void* block) {
    --gpu->live.host_blocks;
    ::operator delete(block);
    return device().state();
  };
  api.copy_to_device = [](CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
    return copy(reinterpret_cast<void*>(to), from, bytes);
  };
  api.copy_on_device = [](CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
    return now_or_in_graph(
        [=] { std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes); });
  };
  api.copy_to_host = [](void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
    return copy(to, reinterpret_cast<const void*>(from), bytes);
  };
  api.fill_bytes = [](CUdeviceptr address, unsigned char value, std::size_t count, CUstream) {
    return now_or_in_graph([=] { std::memset(reinterpret_cast<void*>(address), value, count); });
  };
  api.fill_words = [](CUdeviceptr address, unsigned value, std::size_t count, CUstream) {
    if (address % 4 != 0) return CUDA_ERROR_INVALID_VALUE;
    std::fill_n(reinterpret_cast<unsigned*>(address), count, value);
    return device().state();
  };
}

std::size_t bytes_of(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      return 2;
    default:
      return 4;
  }
}

/// Its texels are row-major, which no kernel can tell.
struct ArrayData : Object {
  std::vector<std::byte> bytes;
};

unsigned long long object_of_resource(const CUDA_RESOURCE_DESC& resource) {
  ++gpu->live.objects;
  return resource.resType == CU_RESOURCE_TYPE_LINEAR
             ? resource.res.linear.devPtr
             : reinterpret_cast<CUdeviceptr>(object_of<ArrayData>(resource.res.array.hArray)->bytes.data());
}

void fill_textures(evaluators::cuda::DriverApi& api) {
  api.array_create = [](CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* wanted) {
    if (wanted->Width == 0 || wanted->NumChannels == 3) return CUDA_ERROR_INVALID_VALUE;
    ++gpu->live.arrays;
    gpu->arrays.push_back(*wanted);
    auto* const made = device().make<ArrayData>();
    made->bytes.resize(wanted->Width * std::max<std::size_t>(wanted->Height, 1) *
                       std::max<std::size_t>(wanted->Depth, 1) * wanted->NumChannels *
                       bytes_of(wanted->Format));
    *array = handle_of<CUarray>(made);
    return device().state();
  };
  api.array_destroy = [](CUarray array) {
    --gpu->live.arrays;
    device().objects.erase(object_of<ArrayData>(array));
    return device().state();
  };
  api.texture_create = [](CUtexObject* object, const CUDA_RESOURCE_DESC* resource,
                          const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC*) {
    gpu->textures.push_back(*texture);
    return *object = object_of_resource(*resource), device().state();
  };
  api.texture_destroy = [](CUtexObject) { return --gpu->live.objects, device().state(); };
  api.surface_create = [](CUsurfObject* object, const CUDA_RESOURCE_DESC* resource) {
    return *object = object_of_resource(*resource), device().state();
  };
  api.surface_destroy = [](CUsurfObject) { return --gpu->live.objects, device().state(); };
  api.copy_3d = [](const CUDA_MEMCPY3D* region, CUstream) {
    return now_or_in_graph([region = *region] {
      const std::size_t bytes = region.WidthInBytes * region.Height * region.Depth;
      if (region.dstMemoryType == CU_MEMORYTYPE_ARRAY) {
        auto& texels = object_of<ArrayData>(region.dstArray)->bytes;
        if (texels.size() != bytes || region.srcPitch != region.WidthInBytes)
          throw std::logic_error("a copy of another size than the array's");
        std::memcpy(texels.data(), reinterpret_cast<const void*>(region.srcDevice), bytes);
      } else {
        const auto& texels = object_of<ArrayData>(region.srcArray)->bytes;
        if (texels.size() != bytes || region.dstPitch != region.WidthInBytes)
          throw std::logic_error("a copy of another size than the array's");
        std::memcpy(reinterpret_cast<void*>(region.dstDevice), texels.data(), bytes);
      }
    });
  };
}

/// Addresses are reserved for good; backing them makes them readable and writable.
void fill_scattered(evaluators::cuda::DriverApi& api) {
  api.memory_granularity = [](std::size_t* bytes, const CUmemAllocationProp*,
                              CUmemAllocationGranularity_flags) {
    return *bytes = std::size_t{2} << 20, device().state();
  };
  api.address_reserve = [](CUdeviceptr* address, std::size_t bytes, std::size_t alignment, CUdeviceptr,
                           unsigned long long) {
    void* const range =
        ::mmap(nullptr, bytes + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    ++gpu->live.ranges;
    *address = (reinterpret_cast<CUdeviceptr>(range) + alignment - 1) / alignment * alignment;
    return device().state();
  };
  api.address_free = [](CUdeviceptr address, std::size_t bytes) {
    --gpu->live.ranges;
    ::munmap(reinterpret_cast<void*>(address), bytes);
    return device().state();
  };
  api.physical_create = [](CUmemGenericAllocationHandle* handle, std::size_t bytes,
                           const CUmemAllocationProp*, unsigned long long) {
    if (bytes > gpu->memory_left) return CUDA_ERROR_OUT_OF_MEMORY;
    gpu->memory_left -= bytes;
    return *handle = 1, device().state();
  };
  api.physical_release = [](CUmemGenericAllocationHandle) { return device().state(); };
  api.memory_map = [](CUdeviceptr, std::size_t, std::size_t, CUmemGenericAllocationHandle,
                      unsigned long long) {
    ++gpu->live.mappings;
    return device().state();
  };
  api.memory_unmap = [](CUdeviceptr, std::size_t) { return --gpu->live.mappings, device().state(); };
  api.memory_set_access = [](CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc*, std::size_t) {
    if (::mprotect(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    return device().state();
  };
}

void fill_stream(evaluators::cuda::DriverApi& api) {
  api.stream_create = [](CUstream* stream, unsigned) {
    ++gpu->live.streams;
    *stream = handle_of<CUstream>(gpu);
    return CUDA_SUCCESS;
  };
  api.stream_destroy = [](CUstream) { return --gpu->live.streams, device().state(); };
  api.capture_begin = [](CUstream, CUstreamCaptureMode) {
    device().capture = device().make<GraphData>();
    ++gpu->live.graphs;
    return device().state();
  };
  api.capture_end = [](CUstream, CUgraph* graph) {
    *graph = handle_of<CUgraph>(std::exchange(device().capture, nullptr));
    return device().state();
  };
  api.graph_destroy = [](CUgraph graph) {
    --gpu->live.graphs;
    device().objects.erase(object_of<GraphData>(graph));
    return device().state();
  };
  api.graph_instantiate = [](CUgraphExec* exec, CUgraph graph, unsigned long long) {
    ++gpu->live.graphs;
    *exec = handle_of<CUgraphExec>(device().make(*object_of<GraphData>(graph)));
    return device().state();
  };
  api.graph_exec_destroy = [](CUgraphExec exec) {
    --gpu->live.graphs;
    device().objects.erase(object_of<GraphData>(exec));
    return device().state();
  };
  api.graph_launch = [](CUgraphExec exec, CUstream) {
    if (const CUresult broken = device().state(); broken != CUDA_SUCCESS) return broken;
    ++gpu->graph_launches;
    for (const Call& call : object_of<GraphData>(exec)->calls) device().run(call);
    return CUDA_SUCCESS;
  };
}

void fill_events(evaluators::cuda::DriverApi& api) {
  api.event_create = [](CUevent* event, unsigned) {
    ++gpu->live.events;
    *event = handle_of<CUevent>(device().make<EventData>());
    return CUDA_SUCCESS;
  };
  api.event_destroy = [](CUevent event) {
    --gpu->live.events;
    device().objects.erase(object_of<EventData>(event));
    return CUDA_SUCCESS;
  };
  api.event_record = [](CUevent event, CUstream) {
    auto* const data = object_of<EventData>(event);
    data->at_us = device().now_us;
    data->reached = !device().hangs;
    return device().sticky;
  };
  api.event_query = [](CUevent event) {
    if (device().sticky != CUDA_SUCCESS) return device().sticky;
    return object_of<EventData>(event)->reached ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  };
  api.event_elapsed = [](float* milliseconds, CUevent begin, CUevent end) {
    const double elapsed = object_of<EventData>(end)->at_us - object_of<EventData>(begin)->at_us;
    *milliseconds = static_cast<float>(elapsed / 1000.0);
    return CUDA_SUCCESS;
  };
}

/// A map that says what it was made of: its first words are address, rank, columns and rows of the box,
/// swizzle.
void fill_tensor_maps(evaluators::cuda::DriverApi& api) {
  api.tensor_map_encode = [](CUtensorMap* map, CUtensorMapDataType, cuuint32_t rank, void* address,
                             const cuuint64_t*, const cuuint64_t*, const cuuint32_t* box, const cuuint32_t*,
                             CUtensorMapInterleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                             CUtensorMapFloatOOBfill) {
    if (box[0] > 256) return CUDA_ERROR_INVALID_VALUE;
    const std::array<std::uint64_t, 5> words{reinterpret_cast<std::uint64_t>(address), rank, box[0],
                                             rank > 1 ? box[1] : 0, static_cast<std::uint64_t>(swizzle)};
    std::memcpy(map, words.data(), sizeof words);
    return CUDA_SUCCESS;
  };
}

template <class T>
std::vector<T> table(const FakeLaunch& launch) {
  std::vector<T> all(launch.arguments.at(0).size() / sizeof(T));
  std::memcpy(all.data(), launch.arguments[0].data(), all.size() * sizeof(T));
  all.resize(launch.grid[1]);
  return all;
}

void guards(const FakeLaunch& launch) {
  auto* const sums = reinterpret_cast<std::uint64_t*>(launch.argument<std::uint64_t>(1));
  const auto zones = table<evaluators::cuda::GuardZones>(launch);
  for (std::size_t i = 0; i < zones.size(); ++i) {
    auto* const base = reinterpret_cast<std::byte*>(zones[i].base);
    for (const auto& [first, bytes] :
         {std::pair{std::uint64_t{0}, zones[i].front}, {zones[i].back, zones[i].back_bytes}}) {
      const std::span<std::byte> zone(base + first, bytes);
      if (sums == nullptr) {
        evaluators::cuda::fill_guard(zone, first, zones[i].seed);
      } else if (const auto damage = evaluators::cuda::find_damage(zone, first, zones[i].seed)) {
        sums[i] += damage->count;
      }
    }
  }
}

void digest(const FakeLaunch& launch) {
  auto* const sums = reinterpret_cast<std::uint64_t*>(launch.argument<std::uint64_t>(2));
  const auto stretches = table<evaluators::cuda::Stretch>(launch);
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const auto* const base = reinterpret_cast<const std::byte*>(stretches[i].base);
    sums[i] += evaluators::cuda::digest_of({base, stretches[i].bytes}, launch.argument<std::uint64_t>(1));
  }
}

}  // namespace

FakeGpu::FakeGpu() : device(std::make_unique<Device>()) {
  if (gpu != nullptr) throw std::logic_error("one FakeGpu at a time");
  gpu = this;
  kernels["evo_fill_shared"] = {{4, 4}, {}};
  kernels["evo_move_memory"] = {{8, 4, 8}, {}};
  kernels["evo_guards"] = {{2048, 8}, guards};
  kernels["evo_digest"] = {{1024, 8, 8}, digest};
}
FakeGpu::~FakeGpu() {
  gpu = nullptr;
}

evaluators::cuda::DriverPointer FakeGpu::driver() const {
  auto api = std::make_shared<evaluators::cuda::DriverApi>();
  fill_tables(*api);
  fill_modules(*api);
  fill_memory(*api);
  fill_textures(*api);
  fill_scattered(*api);
  fill_stream(*api);
  fill_events(*api);
  fill_tensor_maps(*api);
  return api;
}

}  // namespace evo::test
