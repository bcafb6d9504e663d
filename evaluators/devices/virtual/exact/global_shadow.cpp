#include "evaluators/devices/virtual/exact/global_shadow.hpp"

#include <new>

namespace evo::evaluators::virtual_device::exact {

BlockRaces::BlockRaces(const GlobalMap& memory, std::uint32_t granule) : marks_(memory.regions().size()) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free && sizeof(BlockMarks) == 48);
  for (const Region& region : memory.regions()) {
    if (region.bytes == 0) continue;
    // One more: the base need not be a multiple of the granule.
    const std::uint64_t count = region.bytes / granule + 2;
    void* memory_block = std::calloc(count, sizeof(BlockMarks));
    if (memory_block == nullptr) throw std::bad_alloc();
    marks_[region.index].reset(static_cast<BlockMarks*>(memory_block));
  }
}

std::uint64_t BlockRaces::store(BlockMarks& marks, std::uint64_t mark, std::uint64_t before,
                                std::uint64_t value) {
  const std::uint64_t block = Mark::block(mark);
  std::uint64_t first = 0;
  marks.first_writer.compare_exchange_strong(first, mark);
  const bool other = before != 0 && Mark::block(before) != block;
  if (std::uint64_t none = 0; first != 0 && Mark::block(first) != block)
    marks.second_writer.compare_exchange_strong(none, mark);
  // Both bits stay: of two blocks and two values, whoever comes last sees both.
  std::uint64_t known = marks.values.load(), next = 0;
  do {
    next = known == 0 ? value : known;
    if ((next & ~(mixed | several)) != value) next |= mixed;
    if (other) next |= several;
  } while (!marks.values.compare_exchange_weak(known, next));
  if (other && (Mark::strong(before) || Mark::kind(before) != AccessKind::write)) return before;
  if ((next & mixed) == 0 || (next & several) == 0) return 0;
  if (other) return before;
  if (first != 0 && Mark::block(first) != block) return first;
  return marks.second_writer.load();
}

std::uint64_t BlockRaces::access(std::uint32_t region, std::uint64_t granule, std::uint64_t mark,
                                 std::uint64_t value) {
  BlockMarks& marks = marks_[region][granule];
  const std::uint64_t block = Mark::block(mark);
  const auto conflict = [&](std::uint64_t other) {
    return other != 0 && Mark::block(other) != block && !(Mark::strong(other) && Mark::strong(mark));
  };
  if (Mark::kind(mark) == AccessKind::read) {
    std::uint64_t first = marks.reader.load();
    if (first == 0) marks.reader.compare_exchange_strong(first, mark);
    if (first != 0 && Mark::block(first) != block) {
      std::uint64_t second = marks.second_reader.load();
      if (second == 0) marks.second_reader.compare_exchange_strong(second, mark);
    } else if (first != 0 && Mark::strong(first) && !Mark::strong(mark)) {
      marks.reader.store(mark);  // a plain read says more than a strong one
    }
    const std::uint64_t writer = marks.writer.load();
    if (conflict(writer)) return writer;
    // Its own block was the last of several.
    if (writer == 0 || (marks.values.load() & several) == 0) return 0;
    const std::uint64_t earlier = marks.first_writer.load(), later = marks.second_writer.load();
    return conflict(earlier) ? earlier : conflict(later) ? later : 0;
  }
  std::uint64_t before = marks.writer.load(std::memory_order_relaxed);
  // A plain write of the same block stays: it conflicts with more than an atomic does.
  const bool keep = before != 0 && Mark::block(before) == block && !Mark::strong(before);
  if (!keep) before = marks.writer.exchange(mark);
  if (value != 0 && !Mark::strong(mark)) {
    if (const std::uint64_t other = store(marks, mark, before, value); other != 0) return other;
  } else if (conflict(before)) {
    return before;
  }
  for (const std::atomic<std::uint64_t>* reader : {&marks.reader, &marks.second_reader}) {
    const std::uint64_t other = reader->load();
    if (conflict(other)) return other;
  }
  return 0;
}

NonCoherentReads::NonCoherentReads(const GlobalMap& memory, std::uint32_t granule)
    : marks_(memory.regions().size()) {
  for (const Region& region : memory.regions()) {
    if (region.bytes == 0) continue;
    void* block = std::calloc(region.bytes / granule + 2, sizeof(Marks));
    if (block == nullptr) throw std::bad_alloc();
    marks_[region.index].reset(static_cast<Marks*>(block));
  }
}

std::uint64_t NonCoherentReads::access(std::uint32_t region, std::uint64_t granule, std::uint64_t mark) {
  Marks& marks = marks_[region][granule];
  const bool reads = Mark::kind(mark) == AccessKind::read;
  std::uint64_t none = 0;
  (reads ? marks.reader : marks.writer).compare_exchange_strong(none, mark);
  return (reads ? marks.writer : marks.reader).load();
}

std::uint32_t GranulePages::take(std::uint32_t region, std::uint64_t page) {
  touched_.push_back({region, page});
  if (!free_.empty()) {
    const std::uint32_t reused = free_.back();
    free_.pop_back();
    return reused;
  }
  pages_.push_back(std::make_unique<Granule[]>(page_granules));
  return static_cast<std::uint32_t>(pages_.size());
}

void GranulePages::clear() {
  for (const Touched& touched : touched_) {
    std::uint32_t& page = directories_[touched.region][touched.page];
    free_.push_back(page);
    page = 0;
  }
  touched_.clear();
}

}  // namespace evo::evaluators::virtual_device::exact
