#include "intake/reference_launch.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "intake/draft_maker.hpp"
#include "intake/probe_run.hpp"
#include "intake/reference_cost.hpp"

namespace evo::intake {
namespace {

/// Of a wider launch: starting them alone takes a part of a second.
constexpr std::uint64_t most_threads = std::uint64_t{1} << 21;
constexpr std::int64_t room = std::int64_t{4} << 20;  // bytes an array: more than small sizes ask for

/// What a reference writes at one set of sizes. Its arrays are as large as the draft says, where it stays in
/// them, else as large as needed.
class Writes {
 public:
  Writes(const Draft& draft, ProbeRun& run, const DraftReferenceLaunch& launch) : run_(run) {
    for (std::size_t i = 0; i < draft.arguments.size(); ++i) {
      const auto elements = run.elements_of(draft.arguments[i].shape);
      exact_ = exact_ && elements && *elements * run.element_bytes(i) <= room;
      bytes_.push_back(exact_ ? *elements * run.element_bytes(i) : room);
    }
    if (exact_) once_ = count(launch);
    if (once_) return;
    exact_ = false;
    bytes_.assign(draft.arguments.size(), room);
    once_ = count(launch);
  }

  /// Elements that the launch writes to outputs; nothing where it cannot run.
  [[nodiscard]] std::optional<std::int64_t> once() const { return once_; }

  /// Whether more blocks of each side that it asks for write no more. Data may hide what the next few would
  /// have written, hence many more, too. One that then leaves its arrays has no bounds of its own: it means
  /// this launch. Nothing where more blocks take longer than a launch may.
  std::optional<bool> all(const DraftReferenceLaunch& launch, const std::string& body) {
    for (std::size_t side = 0; side < launch.grid.size(); ++side) {
      if (body.find(fmt::format("threadIdx.{}", "xyz"[side])) == std::string::npos) continue;
      for (const int factor : {2, 16}) {
        DraftReferenceLaunch wider = launch;
        wider.grid[side] = fmt::format("{} * ({})", factor, wider.grid[side]);
        if (factor > 2 && threads_ * factor > most_threads) continue;
        const auto more = count(wider);
        if (!more && run_.ran_out()) return std::nullopt;
        if (!more && exact_) break;
        if (more != once_) return false;
      }
    }
    return true;
  }

 private:
  std::optional<std::int64_t> count(const DraftReferenceLaunch& launch) {
    if (!run_.set_launch(launch.grid, launch.block, "")) return std::nullopt;
    if (threads_ == 0) threads_ = run_.blocks() * run_.threads_of_a_block();
    const auto alone = run_.left_alone(bytes_, 3);  // all launches get the same
    if (!alone) return std::nullopt;
    std::int64_t count = 0;
    for (const auto& argument : *alone) count += std::ranges::count(argument, 0);
    return count;
  }

  ProbeRun& run_;
  std::vector<std::int64_t> bytes_;
  std::optional<std::int64_t> once_;
  std::uint64_t threads_ = 0;  ///< of the launch itself
  bool exact_ = true;
};

/// What all launches at one set of sizes may take, in thread instructions: a fraction of a second.
constexpr std::uint64_t most_of_a_look = 200'000'000;

/// Factors of the axes' sizes up to the largest that one launch affords, that first. What costs n^3 is soon
/// dear, and says no more there.
std::vector<std::int64_t> affordable_scales(const Draft& draft, const model::Artifact& reference,
                                            const DraftReferenceLaunch& launch, std::int64_t threads) {
  // The launch is made 15 times: with each of three fillings, and with more blocks along two sides.
  constexpr std::uint64_t most_once = most_of_a_look / 16;
  std::vector<std::int64_t> all{1, 4, 16, 64, threads};
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<std::int64_t> affordable;
  double last = 0, growth = 1;
  for (const std::int64_t scale : all) {
    if (last * growth > static_cast<double>(most_once)) break;
    ProbeRun run(draft, reference, Probed::reference, scale);
    affordable.insert(affordable.begin(), scale);
    std::vector<std::int64_t> bytes(draft.arguments.size(), room);
    if (!run.ready() || !run.set_launch(launch.grid, launch.block, "") || !run.fits(bytes, ProbeFill::mixed))
      continue;
    const auto spent = static_cast<double>(run.thread_instructions());
    if (last > 0) growth = std::max(1.0, spent / last);
    if (spent > static_cast<double>(most_once) && affordable.size() > 1) affordable.erase(affordable.begin());
    last = spent;
  }
  return affordable;
}

}  // namespace

std::optional<DraftReferenceLaunch> launch_like_kernel(const Draft& draft, const model::Artifact& reference,
                                                       const KernelUse& use, const std::string& body) {
  DraftReferenceLaunch launch;
  const auto with_first_values = [&](std::string text) {
    for (const DraftGene& gene : draft.genes)
      text = with_name(text, gene.name, gene.initial.empty() ? gene.values.front() : gene.initial);
    return text;
  };
  for (const std::string& side : draft.launch.grid) launch.grid.push_back(with_first_values(side));
  for (const std::string& side : draft.launch.block) launch.block.push_back(with_first_values(side));
  const std::size_t asked = use.z ? 3 : use.y ? 2 : 1;
  if (std::max(launch.grid.size(), launch.block.size()) < asked) return std::nullopt;
  // Along a side that it does not ask for, all blocks would do the same.
  launch.grid.resize(std::min(launch.grid.size(), asked));
  launch.block.resize(std::min(launch.block.size(), asked));
  // Larger than the threads of a block, so that elements are left for several of them to do, if there is
  // room and time.
  std::int64_t threads = 1;
  if (ProbeRun run(draft, reference, Probed::reference, 1); run.set_launch(launch.grid, launch.block, ""))
    threads = run.threads_of_a_block();
  for (const std::int64_t scale : affordable_scales(draft, reference, launch, threads)) {
    ProbeRun run(draft, reference, Probed::reference, scale);
    if (!run.ready()) return std::nullopt;
    Writes writes(draft, run, launch);
    const auto once = writes.once();
    if (!once) continue;
    const auto all = writes.all(launch, body);
    if (!all) continue;  // fewer elements are sooner done
    if (!*all) return std::nullopt;
    // A grid that counts along another axis than the threads does where that one is long.
    for (std::size_t axis = 0; axis < draft.axes.size() && draft.axes.size() > 1; ++axis) {
      ProbeRun narrow(draft, reference, Probed::reference, scale, false, axis);
      if (!narrow.ready()) continue;
      Writes there(draft, narrow, launch);
      if (there.once() && !there.all(launch, body).value_or(true)) return std::nullopt;
    }
    // A block for each row leaves what its threads do not reach where rows are long.
    for (std::size_t axis = 0; axis < draft.axes.size() && draft.axes.size() > 1; ++axis) {
      ProbeRun along(draft, reference, Probed::reference, 1);
      if (!along.ready()) continue;
      // Further, too: a thread may do several elements, and the other axes lend some threads.
      for (const std::int64_t times : {4, 32}) {
        std::vector<std::int64_t> sizes;
        for (std::size_t i = 0; i < draft.axes.size(); ++i)
          sizes.push_back(legal_size(draft.axes[i], i == axis ? times * threads + 1 : 2));
        along.set_sizes(sizes);
        const std::uint64_t before = along.spent();
        Writes beyond(draft, along, launch);
        if (beyond.once() && !beyond.all(launch, body).value_or(true)) return std::nullopt;
        if (along.spent() - before > most_of_a_look) break;
      }
    }
    return *once > 0 ? std::optional(launch) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace evo::intake
