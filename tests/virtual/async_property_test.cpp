// Random programs of copies, groups, waits, reads, stores and barriers on a small ring, against a naive model
// of what is visible to whom. All threads run the same program; each writes its own word of a slot, and reads
// its own or that of a thread of the other warp.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include <vector>

#include "tests/virtual/rig.hpp"
#include "tests/warp/harness.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;

constexpr unsigned property_threads = 64;
constexpr unsigned slots = 3;
constexpr unsigned partner = 33;  ///< xor: another lane of the other warp

struct Act {
  enum Kind : int { copy, store, read_own, read_other, commit, wait_group, wait_all, barrier, kinds };
  int kind = copy;
  unsigned slot = 0;
  unsigned kept = 0;  ///< groups, of wait_group
};

rc::Gen<std::vector<Act>> programs() {
  // Barriers and waits often, so that many programs are correct.
  const auto kind = rc::gen::weightedElement<int>({{4, Act::copy},
                                                   {1, Act::store},
                                                   {3, Act::read_own},
                                                   {3, Act::read_other},
                                                   {4, Act::commit},
                                                   {4, Act::wait_group},
                                                   {1, Act::wait_all},
                                                   {6, Act::barrier}});
  return rc::gen::container<std::vector<Act>>(rc::gen::build<Act>(
      rc::gen::set(&Act::kind, kind), rc::gen::set(&Act::slot, rc::gen::inRange(0U, slots)),
      rc::gen::set(&Act::kept, rc::gen::inRange(0U, 3U))));
}

/// What the source holds for the k-th action, and what a store of it writes.
std::uint32_t value(std::size_t action, unsigned thread) {
  return static_cast<std::uint32_t>(1000 * (action + 1) + thread);
}

std::string text_of(const std::vector<Act>& program) {
  // %r10: own word of slot 0; %r11: the partner's; %rd5: own word of the source; %rd6: of the output.
  std::string body = R"(
    mov.u32 %r8, ring;
    shl.b32 %r6, %r1, 2;
    add.s32 %r10, %r8, %r6;
    xor.b32 %r7, %r6, 132;
    add.s32 %r11, %r8, %r7;
    st.shared.u32 [%r10], 1;
    st.shared.u32 [%r10+256], 2;
    st.shared.u32 [%r10+512], 3;
    bar.sync 0;
)";
  unsigned reads = 0;
  for (std::size_t k = 0; k < program.size(); ++k) {
    const Act& act = program[k];
    const unsigned at = 4 * property_threads * act.slot;
    const std::size_t row = 4 * property_threads * k;
    switch (act.kind) {
      case Act::copy:
        body += fmt::format("cp.async.ca.shared.global [%r10+{}], [%rd5+{}], 4;\n", at, row);
        break;
      case Act::store:
        body += fmt::format("add.u32 %r5, %r1, {};\nst.shared.u32 [%r10+{}], %r5;\n", value(k, 0), at);
        break;
      case Act::read_own:
      case Act::read_other:
        body += fmt::format("ld.shared.u32 %r5, [{}+{}];\nst.global.u32 [%rd6+{}], %r5;\n",
                            act.kind == Act::read_own ? "%r10" : "%r11", at, 4 * property_threads * reads++);
        break;
      case Act::commit:
        body += "cp.async.commit_group;\n";
        break;
      case Act::wait_group:
        body += fmt::format("cp.async.wait_group {};\n", act.kept);
        break;
      case Act::wait_all:
        body += "cp.async.wait_all;\n";
        break;
      default:
        body += "bar.sync 0;\n";
        break;
    }
  }
  return warp::kernel(body, ".shared .align 16 .b8 ring[768];\n");
}

/// The naive model: per slot, what was written last and when, who may be reading, what is in flight.
struct Model {
  struct Slot {
    int written_by = -1;  ///< action, -1: the first stores
    int written_in = -1;  ///< interval between barriers
    int read_in = -1;     ///< by the partner
  };
  struct Flight {
    int action;
    unsigned slot, group;
  };
  std::vector<Slot> slot = std::vector<Slot>(slots);
  std::vector<Flight> flights;
  unsigned committed = 0;
  int interval = 0;
  bool fault = false;
  std::vector<std::uint32_t> out;

  void run(const std::vector<Act>& program) {
    for (std::size_t k = 0; k < program.size(); ++k) act(program[k], static_cast<int>(k));
  }
  void act(const Act& now, int k) {
    Slot& s = slot[now.slot];
    const bool touches = now.kind <= Act::read_other;
    for (const Flight& flight : flights) fault |= touches && flight.slot == now.slot;
    if (now.kind == Act::copy || now.kind == Act::store) fault |= s.read_in == interval;
    if (now.kind == Act::read_other) {
      fault |= s.written_in == interval;
      s.read_in = interval;
    }
    if (now.kind == Act::store) s.written_by = k, s.written_in = interval;
    if (now.kind == Act::copy) flights.push_back({k, now.slot, committed});
    if (now.kind == Act::commit) ++committed;
    if (now.kind == Act::barrier) ++interval;
    if (now.kind == Act::wait_group || now.kind == Act::wait_all) {
      std::erase_if(flights, [&](const Flight& flight) {
        const bool lands = now.kind == Act::wait_all || flight.group + now.kept < committed;
        if (lands) slot[flight.slot].written_by = flight.action, slot[flight.slot].written_in = interval;
        return lands;
      });
    }
    if (now.kind != Act::read_own && now.kind != Act::read_other) return;
    for (unsigned t = 0; t < property_threads; ++t) {
      const unsigned who = now.kind == Act::read_own ? t : t ^ partner;
      out.push_back(s.written_by < 0 ? now.slot + 1 : value(static_cast<std::size_t>(s.written_by), who));
    }
  }
};

std::vector<std::uint32_t> source_of(const std::vector<Act>& program) {
  std::vector<std::uint32_t> values;
  for (std::size_t k = 0; k < std::max<std::size_t>(1, program.size()); ++k) {
    for (unsigned t = 0; t < property_threads; ++t) values.push_back(value(k, t));
  }
  return values;
}

RC_GTEST_PROP(AsyncProperty, BothPathsAgreeWithTheModel, ()) {
  const std::vector<Act> program = *programs();
  Model model;
  model.run(program);
  RC_CLASSIFY(model.fault, "faulty");
  RC_CLASSIFY(!model.fault && !model.out.empty(), "correct, with reads");
  for (const CheckLevel level : {CheckLevel::exact, CheckLevel::filtered}) {
    Rig rig(text_of(program), "k");
    rig.options.checks = level;
    const auto in = rig.buffer("in", source_of(program));
    const auto out = rig.empty<std::uint32_t>("out", std::max<std::size_t>(1, model.out.size()));
    const auto done = rig.launch({{1, 1, 1}, {property_threads, 1, 1}, 0}, {pointer(in), pointer(out)});
    if (model.fault) {
      RC_ASSERT(!done);
      const std::string reason = done.error().reason;
      RC_ASSERT(reason == "async_not_waited" || reason == "race_shared");
    } else {
      if (!done) RC_FAIL(done.error().evidence.front().message);
      RC_ASSERT(rig.contents<std::uint32_t>(out, model.out.size()) == model.out);
    }
  }
}

RC_GTEST_PROP(AsyncProperty, TheFilterNeedsNoExactRunForARightProgram, ()) {
  const std::vector<Act> program = *programs();
  Model model;
  model.run(program);
  warp::Kernel kernel(text_of(program), "k", *rc::gen::arbitrary<bool>());
  kernel.pointer(kernel.buffer(source_of(program)));
  const auto out = kernel.blank(4 * std::max<std::size_t>(1, model.out.size()));
  kernel.pointer(out);
  kernel.launch.block = {property_threads, 1, 1};
  kernel.options.races = warp::vd::warp::RaceFilter::precise;
  const auto run = kernel.run();
  RC_ASSERT(run.clean() == !model.fault);
  kernel.options.races = warp::vd::warp::RaceFilter::coarse;
  if (model.fault) RC_ASSERT(!kernel.run().clean());
}

}  // namespace
}  // namespace evo::tests
