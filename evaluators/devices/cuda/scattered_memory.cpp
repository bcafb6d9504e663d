#include "evaluators/devices/cuda/scattered_memory.hpp"

#include <algorithm>
#include <utility>

namespace evo::evaluators::cuda {
namespace {

CUmemAllocationProp on_device(CUdevice device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t granule) {
  return (value + granule - 1) / granule * granule;
}

}  // namespace

tl::expected<ScatteredMemory, CUresult> ScatteredMemory::make(const DriverPointer& driver, CUdevice device,
                                                              std::uint64_t bytes,
                                                              const std::vector<devices::BufferPart>& parts,
                                                              std::uint64_t slack) {
  const CUmemAllocationProp properties = on_device(device);
  std::size_t granule = 0;
  if (const CUresult result =
          driver->memory_granularity(&granule, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
      result != CUDA_SUCCESS) {
    return tl::unexpected(result);
  }
  const std::uint64_t reserved = round_up(bytes + slack, granule);
  CUdeviceptr base = 0;
  if (const CUresult result = driver->address_reserve(&base, reserved, granule, 0, 0); result != CUDA_SUCCESS)
    return tl::unexpected(result);
  ScatteredMemory made(driver, base, reserved);
  std::uint64_t backed = 0;  // up to here
  for (const devices::BufferPart& part : parts) {
    const std::uint64_t first = std::max(backed, part.offset / granule * granule);
    const std::uint64_t end = round_up(part.offset + part.bytes + slack, granule);
    if (first >= end) continue;
    if (const CUresult result = made.back(device, {first, end - first}); result != CUDA_SUCCESS)
      return tl::unexpected(result);
    backed = end;
  }
  return made;
}

CUresult ScatteredMemory::back(CUdevice device, const devices::BufferPart& granules) {
  const CUmemAllocationProp properties = on_device(device);
  CUmemGenericAllocationHandle physical = 0;
  if (const CUresult result = driver_->physical_create(&physical, granules.bytes, &properties, 0);
      result != CUDA_SUCCESS) {
    return result;
  }
  const CUresult mapped = driver_->memory_map(base_ + granules.offset, granules.bytes, 0, physical, 0);
  // The mapping keeps what is behind it.
  const CUresult released = driver_->physical_release(physical);
  if (mapped != CUDA_SUCCESS) return mapped;
  mapped_.push_back(granules);
  if (released != CUDA_SUCCESS) return released;
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return driver_->memory_set_access(base_ + granules.offset, granules.bytes, &access, 1);
}

ScatteredMemory::ScatteredMemory(ScatteredMemory&& other) noexcept
    : driver_(std::move(other.driver_)),
      base_(std::exchange(other.base_, 0)),
      reserved_(other.reserved_),
      mapped_(std::move(other.mapped_)) {}

ScatteredMemory& ScatteredMemory::operator=(ScatteredMemory&& other) noexcept {
  if (this != &other) {
    reset();
    driver_ = std::move(other.driver_);
    base_ = std::exchange(other.base_, 0);
    reserved_ = other.reserved_;
    mapped_ = std::move(other.mapped_);
  }
  return *this;
}

void ScatteredMemory::reset() {
  if (base_ == 0) return;
  for (const devices::BufferPart& granules : mapped_)
    driver_->memory_unmap(base_ + granules.offset, granules.bytes);
  driver_->address_free(base_, reserved_);
  base_ = 0;
}

}  // namespace evo::evaluators::cuda
