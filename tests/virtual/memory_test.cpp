// The address map and the buffers.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "evaluators/devices/virtual/memory.hpp"

namespace evo::tests {
namespace {

using namespace evaluators::virtual_device;

RC_GTEST_PROP(MemoryMap, AnOverrunOfABufferReachesNoOther, ()) {
  GlobalMap map;
  std::vector<Buffer> buffers;
  const auto count = *rc::gen::inRange<std::uint32_t>(1, 6);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto bytes = *rc::gen::inRange<std::uint64_t>(0, 5000);
    const auto misalignment = *rc::gen::inRange<std::uint32_t>(0, 256);
    buffers.emplace_back(first_buffer_slot + i, "b" + std::to_string(i), bytes, misalignment);
    RC_ASSERT(buffers.back().address() % 256 == misalignment);
    RC_ASSERT(reinterpret_cast<std::uintptr_t>(buffers.back().region().data) % 256 == misalignment);
    map.map(buffers.back().region(), buffers.back().name());
  }
  const Buffer& from = buffers[*rc::gen::inRange<std::size_t>(0, buffers.size())];
  const auto offset = *rc::gen::inRange<std::int64_t>(-(std::int64_t{1} << 34), std::int64_t{1} << 34);
  const auto width = *rc::gen::element<std::uint64_t>(1, 2, 4, 8, 16);
  const std::uint64_t address = from.address() + static_cast<std::uint64_t>(offset);
  const Region* reached = map.locate(address, width);
  const bool inside = offset >= 0 && static_cast<std::uint64_t>(offset) + width <= from.bytes();
  RC_ASSERT((reached != nullptr) == inside);
  if (reached != nullptr) RC_ASSERT(reached->slot == from.slot());
  RC_ASSERT(map.describe(address, width).find(from.name()) == 0);
}

RC_GTEST_PROP(MemoryMap, NoAddressOutsideTheBuffersIsMapped, (std::uint64_t address)) {
  GlobalMap map;
  const Buffer buffer(first_buffer_slot, "a", 128, 4);
  map.map(buffer.region(), "a");
  const bool inside = address >= buffer.address() && address < buffer.address() + 128;
  RC_ASSERT((map.locate(address, 1) != nullptr) == inside);
}

TEST(MemoryMap, WindowsOfTheSpacesAreDisjointAndInvertible) {
  for (const Space space : {Space::shared, Space::local, Space::constant, Space::param}) {
    for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{100}, slot_bytes - 1}) {
      EXPECT_EQ(space_of(to_generic(space, offset)), space);
      EXPECT_EQ(from_generic(space, to_generic(space, offset)), offset);
    }
  }
  EXPECT_EQ(space_of(buffer_base(first_buffer_slot, 0)), Space::global);
  EXPECT_EQ(space_of(0), Space::global);
  EXPECT_EQ(space_of(global_image_base), Space::global);
}

TEST(Buffer, KnowsWhatWasWritten) {
  Buffer buffer(20, "x", 16, 0);
  EXPECT_FALSE(buffer.region().all_written);
  const std::vector<std::byte> half(8, std::byte{1});
  buffer.write(half);
  EXPECT_FALSE(buffer.region().all_written);
  EXPECT_EQ(buffer.region().shadow[7], shadow_written);
  EXPECT_EQ(buffer.region().shadow[8], shadow_unwritten);
  const std::vector<std::byte> whole(16, std::byte{2});
  buffer.write(whole);
  EXPECT_TRUE(buffer.region().all_written);
  const auto before = buffer.snapshot();
  buffer.poison(0x04030201);
  EXPECT_FALSE(buffer.region().all_written);
  std::vector<std::byte> read(16);
  buffer.read(read);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(read[i], std::byte(i % 4 + 1));
  buffer.restore(before);
  buffer.read(read);
  EXPECT_EQ(read, whole);
  EXPECT_TRUE(buffer.region().all_written);
}

TEST(GlobalMap, CostsWhatItsRegionsCostHoweverLateTheirSlots) {
  GlobalMap map;
  std::vector<std::byte> bytes(16);
  std::vector<std::uint8_t> shadow(16);
  constexpr std::uint32_t late = max_slots - 200;
  for (std::uint32_t i = 0; i < 100; ++i) {
    Region region;
    region.slot = late + 2 * i;
    region.base = buffer_base(region.slot, 0);
    region.bytes = 16;
    region.data = bytes.data();
    region.shadow = shadow.data();
    map.map(region, "buffer " + std::to_string(i));
  }
  ASSERT_EQ(map.regions().size(), 100U);
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::uint64_t base = buffer_base(late + 2 * i, 0);
    EXPECT_EQ(map.find(base).index, i);
    EXPECT_EQ(map.name_at(base), "buffer " + std::to_string(i));
    EXPECT_EQ(map.locate(base + slot_bytes, 1), nullptr) << "the slot behind it is free";
  }
  Region again = map.regions()[7];
  again.bytes = 8;
  map.map(again, "shorter");
  EXPECT_EQ(map.regions().size(), 100U);
  EXPECT_EQ(map.find(again.base).index, 7U);
  EXPECT_EQ(map.locate(again.base, 16), nullptr);
  EXPECT_EQ(map.name_at(again.base), "shorter");
}

TEST(GlobalMap, SaysWhereAnAddressIs) {
  GlobalMap map;
  const Buffer buffer(first_buffer_slot, "K", 100, 0);
  map.map(buffer.region(), "K");
  EXPECT_EQ(map.describe(buffer.address() + 8, 4), "K byte offset 8");
  EXPECT_EQ(map.describe(buffer.address() + 96, 16), "K byte offset 96 (ends 12 bytes past its 100 bytes)");
  EXPECT_EQ(map.describe(buffer.address() - 4, 4), "K byte offset -4 (4 bytes before its start)");
  EXPECT_EQ(map.describe(16, 4), "address 0x10 in the null page");
}

}  // namespace
}  // namespace evo::tests
