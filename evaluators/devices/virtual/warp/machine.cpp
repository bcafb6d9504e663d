#include "evaluators/devices/virtual/warp/machine.hpp"
#include "evaluators/devices/virtual/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "evaluators/devices/virtual/warp/pipes.hpp"
#include "evaluators/devices/virtual/warp/random_order.hpp"
#include "evaluators/devices/virtual/warp/standstill.hpp"
#include "evaluators/devices/virtual/warp/worker.hpp"

namespace evo::evaluators::virtual_device::warp {
namespace {

/// Up to this many blocks, all are counted in detail; above, the first, the middle, the last and one in 16.
constexpr std::uint64_t all_sampled = 64;
constexpr std::size_t most_suspicions = 256, most_faults = 256;

bool is_counted(const Launch& launch, std::uint64_t block) {
  const std::uint64_t blocks = launch.blocks();
  return launch.running_blocks() <= all_sampled || block % 16 == 0 || block == blocks / 2 ||
         block == blocks - 1;
}

/// No block may run for ever, and a launch of many may spend more than one of few. A function of the launch
/// alone.
std::uint64_t limit_of(const Launch& launch) {
  return devices::instructions_of_a_block(launch.instruction_budget, launch.blocks());
}

/// A block that has begun and not ended.
struct Live {
  std::uint64_t position = 0;  ///< in the schedule
  std::unique_ptr<Worker> worker;
};

/// What a block left, by position in the schedule.
struct BlockResult {
  std::unique_ptr<Findings> findings;
  bool independent = true, stored = false;
  std::uint64_t thread_instructions = 0;
};

void merge(const std::vector<BlockResult>& results, std::uint64_t end, WarpRun& run) {
  std::map<std::tuple<FaultKind, std::uint32_t, bool>, std::size_t> faults;
  std::map<std::pair<SuspicionKind, std::uint32_t>, bool> suspicions;
  for (std::uint64_t position = 0; position < end; ++position) {
    const BlockResult& result = results[position];
    run.thread_instructions += result.thread_instructions;
    run.independent &= result.independent;
    run.idle_blocks += result.stored ? 0 : 1;
    if (!result.findings) continue;
    for (const Fault& fault : result.findings->faults()) {
      const auto [known, is_new] =
          faults.try_emplace({fault.kind, fault.instruction, fault.write}, run.faults.size());
      if (!is_new) {
        run.faults[known->second].count += fault.count;
      } else if (run.faults.size() < most_faults) {
        run.faults.push_back(fault);
      } else {
        faults.erase(known);
      }
    }
    for (const Suspicion& suspicion : result.findings->suspicions()) {
      if (run.suspicions.size() < most_suspicions &&
          suspicions.try_emplace({suspicion.kind, suspicion.instruction}, true).second) {
        run.suspicions.push_back(suspicion);
      }
    }
  }
  std::sort(run.faults.begin(), run.faults.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.block, a.instruction, a.kind) < std::tie(b.block, b.instruction, b.kind);
  });
  std::sort(run.suspicions.begin(), run.suspicions.end(), [](const Suspicion& a, const Suspicion& b) {
    return std::tie(a.kind, a.block, a.instruction) < std::tie(b.kind, b.block, b.instruction);
  });
}

void learn(const HotLines& suspected, HotLines& hot) {
  if (hot.size() < suspected.size()) hot.resize(suspected.size(), 0);
  for (std::size_t word = 0; word < suspected.size(); ++word) hot[word] |= suspected[word];
}

/// Did a block end by a fault?
bool stopped(const WarpRun& run) {
  return std::any_of(run.faults.begin(), run.faults.end(),
                     [](const Fault& fault) { return ends_block(fault.kind); });
}

void fill_counts(const std::vector<std::unique_ptr<Worker>>& workers, const LaunchContext& context,
                 WarpRun& run) {
  const Code& code = *context.code;
  std::vector<std::uint64_t> entries(code.blocks.size(), 0);
  AccessCounts sums;
  std::vector<Traffic> traffic(code.program->code.size());
  for (const auto& worker : workers) {
    for (std::size_t block = 0; block < entries.size(); ++block) entries[block] += worker->entries()[block];
    sums.sampled_blocks += worker->counts().sampled_blocks;
    sums.shared_accesses += worker->counts().shared_accesses;
    sums.shared_wavefronts += worker->counts().shared_wavefronts;
    sums.global_accesses += worker->counts().global_accesses;
    sums.global_sectors += worker->counts().global_sectors;
    sums.local_accesses += worker->counts().local_accesses;
    sums.async_copies += worker->counts().async_copies;
    sums.async_bytes += worker->counts().async_bytes;
    const std::vector<Traffic>& own = worker->counts().of_instruction;
    for (std::size_t i = 0; i < own.size(); ++i) {
      traffic[i].sectors += own[i].sectors;
      traffic[i].shared_accesses += own[i].shared_accesses;
      traffic[i].shared_wavefronts += own[i].shared_wavefronts;
    }
    run.counts.longest_warp_instructions =
        std::max(run.counts.longest_warp_instructions, worker->longest_warp());
  }
  count_pipes(code, entries, run.counts);
  run.counts.thread_instructions = run.thread_instructions;
  const std::uint64_t blocks = context.launch->running_blocks();
  const auto scale = [&](std::uint64_t sampled) {
    return sums.sampled_blocks == 0 ? 0 : sampled * blocks / sums.sampled_blocks;
  };
  run.counts.shared_accesses = scale(sums.shared_accesses);
  run.counts.shared_wavefronts = scale(sums.shared_wavefronts);
  run.counts.global_accesses = scale(sums.global_accesses);
  run.counts.global_sectors = scale(sums.global_sectors);
  run.counts.local_accesses = scale(sums.local_accesses);
  run.counts.async_copies = scale(sums.async_copies);
  run.counts.async_bytes = scale(sums.async_bytes);
  run.counts.unique_global_bytes = context.footprint->bytes();
  for (Traffic& one : traffic) {
    for (std::uint64_t* count : {&one.sectors, &one.shared_accesses, &one.shared_wavefronts})
      *count = scale(*count);
  }
  run.lines = count_lines(code, entries, traffic);
}

void fill_coverage(const std::vector<std::unique_ptr<Worker>>& workers, const Code& code, WarpRun& run) {
  for (const auto& worker : workers) {
    for (std::size_t block = 0; block < code.blocks.size(); ++block) {
      if (worker->entries()[block] != 0) run.executed_blocks[code.blocks[block].program_block] = 1;
    }
  }
}

}  // namespace

Machine::Machine(const Program& program, bool wide_vectors)
    : program_(program), wide_vectors_(wide_vectors && have_wide_vectors()) {}

const Code& Machine::code(bool checked) {
  std::optional<Code>& code = checked ? checked_ : unchecked_;
  if (!code) code.emplace(decode(program_, checked, wide_vectors_));
  return *code;
}

WarpRun Machine::run(const Launch& launch, const RunOptions& options) {
  const Code& decoded = code(options.checked);
  std::atomic<std::uint64_t> spent{0};
  LaunchContext context{&launch, &decoded, options,          nullptr,     nullptr,
                        nullptr, nullptr,  limit_of(launch), &hot_lines_, nullptr};
  if (launch.whole_budget > 0) context.spent = &spent;
  std::optional<LateStores> late;
  if (launch.schedule_seed != 0 && decoded.orders_blocks) context.late = &late.emplace(*launch.memory);
  std::optional<EarlyLoads> early;
  if (launch.schedule_seed != 0 && decoded.early_loads) context.early = &early.emplace(*launch.memory);
  std::optional<Footprint> footprint;
  if (launch.count) context.footprint = &footprint.emplace(*launch.memory);

  const std::uint64_t blocks = launch.running_blocks();
  const std::vector<std::uint64_t> order = permutation(blocks, launch.schedule_seed, 0);
  std::vector<BlockResult> results(blocks);
  // `next` and `finished` also order the workers' accesses for tools that do not see into TBB.
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> finished{0};
  std::atomic<std::uint64_t> end{blocks};  ///< one past the position of the first block that stopped

  const unsigned available =
      options.threads != 0 ? options.threads : static_cast<unsigned>(tbb::info::default_concurrency());
  const auto threads =
      decoded.orders_blocks ? 1 : std::max<std::uint64_t>(1, std::min<std::uint64_t>(available, blocks));
  std::optional<GlobalRaces> global_races;
  if (options.checked) {
    const GlobalRaces::Setup setup{decoded.narrowest, decoded.orders_blocks, threads == 1,
                                   options.expects_constant_data};
    context.global_races = &global_races.emplace(*launch.memory, setup, options.before_write);
  }
  std::vector<std::unique_ptr<Worker>> workers(threads);
  const auto keep = [&](const Worker& worker, std::uint64_t position) {
    BlockResult& result = results[position];
    for (const Warp& warp : worker.block().warps) result.thread_instructions += warp.thread_instructions;
    result.independent = worker.block().independent;
    result.stored = worker.block().stored;
    if (!worker.block().findings.empty())
      result.findings = std::make_unique<Findings>(worker.block().findings);
  };
  const auto work = [&](std::size_t which) {
    if (next.load(std::memory_order_acquire) >= blocks) return;
    workers[which] = std::make_unique<Worker>(context);
    Worker& worker = *workers[which];
    while (true) {
      const std::uint64_t position = next.fetch_add(1);
      if (position >= end.load()) break;
      const std::uint64_t index = launch.running_block(order[position]);
      worker.start(index, position, launch.count && is_counted(launch, index));
      Standstill standstill(threads > 1);
      const BlockState* const alone[] = {&worker.block()};
      while (!worker.proceed()) {
        if (standstill.repeats(alone)) worker.give_up();
      }
      keep(worker, position);
      if (!worker.block().stopped) continue;
      std::uint64_t seen = end.load();
      while (position + 1 < seen && !end.compare_exchange_weak(seen, position + 1)) {
      }
    }
    finished.fetch_add(1, std::memory_order_release);
  };
  // Blocks that may wait for each other have their turns on one host thread; if all wait and none can begin,
  // and nothing changes any more, the first of them is told to hang.
  const auto take_turns = [&] {
    const std::uint64_t most = launch.resident_blocks == 0 ? blocks : launch.resident_blocks;
    std::vector<Live> live;
    std::vector<std::unique_ptr<Worker>> idle;
    Standstill standstill(false);
    bool stopped = false;
    std::uint64_t position = 0;
    StallWatch watch;
    const auto turn = [&](Live& one) {
      if (!one.worker->proceed()) return false;
      keep(*one.worker, one.position);
      stopped |= one.worker->block().stopped;
      idle.push_back(std::move(one.worker));
      return true;
    };
    while (position < blocks || !live.empty()) {
      bool ended = false;
      for (Live& one : live) {
        ended |= turn(one);
        if (stopped) break;
      }
      std::erase_if(live, [](const Live& one) { return one.worker == nullptr; });
      if (stopped) break;
      if (live.empty() ? position == blocks : ended) continue;
      if (!live.empty() && (position == blocks || live.size() >= most)) {
        // Where all stand still, the last goes on first.
        const auto stalled = std::find_if(live.rbegin(), live.rend(),
                                          [](const Live& one) { return one.worker->block().stall.holds(); });
        if (stalled != live.rend()) {
          const bool waits =
              std::ranges::all_of(live, [](const Live& one) { return one.worker->block().idle; });
          if (watch.over(waits)) stalled->worker->end_stall();
          continue;
        }
        const bool slow =
            std::ranges::any_of(live, [](const Live& one) { return one.worker->block().stall.slow(); });
        if (slow && !watch.over_with_slow()) continue;
        std::vector<const BlockState*> states;
        for (const Live& one : live) states.push_back(&one.worker->block());
        if (standstill.repeats(states)) live.front().worker->give_up();
        continue;
      }
      const std::uint64_t wanted = std::min<std::uint64_t>(most, live.size() + 1 + live.size() / 2);
      do {
        Live fresh{position++, nullptr};
        if (idle.empty()) {
          fresh.worker = std::make_unique<Worker>(context);
        } else {
          fresh.worker = std::move(idle.back());
          idle.pop_back();
        }
        const std::uint64_t index = launch.running_block(order[fresh.position]);
        fresh.worker->start(index, fresh.position, launch.count && is_counted(launch, index));
        if (!turn(fresh)) live.push_back(std::move(fresh));
      } while (!stopped && position < blocks && live.size() < wanted);
      if (stopped) break;
    }
    // All that began counts: what one did may have been seen by others.
    for (Live& one : live) {
      if (one.worker == nullptr) continue;
      keep(*one.worker, one.position);
      idle.push_back(std::move(one.worker));
    }
    if (stopped) end.store(std::max<std::uint64_t>(position, 1));
    workers = std::move(idle);
  };
  next.store(0, std::memory_order_release);
  if (decoded.orders_blocks) {
    take_turns();
  } else if (threads == 1) {
    work(0);
  } else {
    tbb::task_arena arena(static_cast<int>(threads));
    virtual_device::HelperMeter meter;
    arena.execute([&] {
      tbb::parallel_for(
          std::size_t{0}, static_cast<std::size_t>(threads),
          [&](std::size_t which) { meter.run(work, which); }, tbb::simple_partitioner());
    });
  }
  static_cast<void>(finished.load(std::memory_order_acquire));
  std::erase(workers, nullptr);
  for (const auto& worker : workers) {
    if (worker->races() != nullptr) learn(worker->races()->suspected_lines(), hot_lines_);
  }

  WarpRun run;
  run.executed_blocks.assign(program_.block_starts.size(), 0);
  run.independent = options.checked;
  merge(results, end.load(), run);
  // Who saw it last had nothing left to stop: whether all was spent must not hang on that.
  if (launch.whole_budget > 0 && spent.load() > launch.whole_budget && !stopped(run))
    run.faults.push_back({.kind = FaultKind::hang});
  if (global_races && global_races->wrote_input()) run.independent = false;
  run.wrote_data = global_races && global_races->wrote_unmarked();
  const bool completed = end.load() == blocks && (blocks == 0 || !stopped(run));
  std::uint32_t top = 0;
  for (const auto& worker : workers) top = std::max(top, worker->shared_top());
  run.dynamic_smem_touched = top > launch.dynamic_smem_offset() ? top - launch.dynamic_smem_offset() : 0;
  if (completed) fill_coverage(workers, decoded, run);
  if (launch.count && completed) fill_counts(workers, context, run);
  return run;
}

}  // namespace evo::evaluators::virtual_device::warp
