#include "evaluators/devices/virtual/ptx/mbarrier_opcode.hpp"

#include <array>
#include <utility>

namespace evo::evaluators::virtual_device::ptx {
namespace {

/// ".arrive.shared.b64", a word at a time.
class MbarrierWords {
 public:
  explicit MbarrierWords(std::string_view rest) : rest_(rest) {}
  [[nodiscard]] bool accept(std::string_view word) {
    if (rest_.substr(0, rest_.find('.', 1)) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  [[nodiscard]] bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

constexpr std::array<std::pair<std::string_view, MbarrierMode>, 9> operations{{
    {".init", MbarrierMode::init},
    {".inval", MbarrierMode::inval},
    {".arrive", MbarrierMode::arrive},
    {".arrive_drop", MbarrierMode::arrive_drop},
    {".expect_tx", MbarrierMode::expect_tx},
    {".complete_tx", MbarrierMode::complete_tx},
    {".test_wait", MbarrierMode::wait},
    {".try_wait", MbarrierMode::wait},
    {".pending_count", MbarrierMode::pending_count},
}};

bool arrives(MbarrierMode mode) {
  return mode == MbarrierMode::arrive || mode == MbarrierMode::arrive_drop;
}

/// {.sem}{.scope}: an arrival releases and a wait acquires, at the block's scope, where they say nothing.
bool decode_order(MbarrierWords& words, Instruction& i) {
  const bool waits = i.mbarrier == MbarrierMode::wait;
  const bool transfers = i.mbarrier == MbarrierMode::expect_tx || i.mbarrier == MbarrierMode::complete_tx;
  i.scope = Scope::cta;
  if (!arrives(i.mbarrier) && !waits && !transfers) return true;
  const bool relaxed = words.accept(".relaxed");
  const bool said = relaxed || (!transfers && words.accept(waits ? ".acquire" : ".release"));
  i.acquire = waits && !relaxed;
  i.release = arrives(i.mbarrier) && !relaxed;
  if (words.accept(".cluster"))
    i.scope = Scope::cluster;
  else if (!words.accept(".cta"))
    return !said;
  return said;
}

void decode_space(MbarrierWords& words, Instruction& i) {
  i.space = words.accept(".shared") || words.accept(".shared::cta") ? Space::shared : Space::generic;
}

}  // namespace

Form decode_mbarrier_opcode(std::string_view spelling) {
  Form form;
  Instruction& i = form.prototype;
  i.op = Opcode::mbarrier;
  i.type = i.type2 = Type::b64;
  form.shape = Shape::mbarrier;
  constexpr std::string_view of_copies = "cp.async.mbarrier.arrive", root = "mbarrier";
  if (spelling.starts_with(of_copies)) {
    MbarrierWords words(spelling.substr(of_copies.size()));
    i.mbarrier = MbarrierMode::copies_arrive;
    i.scope = Scope::cta;
    i.no_increment = words.accept(".noinc");
    decode_space(words, i);
    form.known = words.accept(".b64") && words.done();
    return form;
  }
  if (!spelling.starts_with(root)) return form;
  MbarrierWords words(spelling.substr(root.size()));
  for (const auto& [word, mode] : operations) {
    if (i.mbarrier == MbarrierMode::none && words.accept(word)) i.mbarrier = mode;
  }
  if (i.mbarrier == MbarrierMode::none) return form;
  if (arrives(i.mbarrier)) {
    i.expects = words.accept(".expect_tx");
    i.no_complete = !i.expects && words.accept(".noComplete");
  }
  if (i.mbarrier == MbarrierMode::wait) i.parity = words.accept(".parity");
  if (!decode_order(words, i)) return form;
  if (i.mbarrier != MbarrierMode::pending_count) decode_space(words, i);
  form.known = words.accept(".b64") && words.done();
  return form;
}

}  // namespace evo::evaluators::virtual_device::ptx
