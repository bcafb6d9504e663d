#include "evaluators/devices/virtual/ptx/bulk_opcode.hpp"

#include <array>
#include <utility>

#include "evaluators/devices/virtual/ptx/words.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

/// ".tensor.2d.global", a word at a time. A word has its colons.
class BulkWords {
 public:
  explicit BulkWords(std::string_view rest) : rest_(rest) {}
  [[nodiscard]] std::string_view next() const { return rest_.substr(0, rest_.find('.', 1)); }
  [[nodiscard]] bool accept(std::string_view word) {
    if (next() != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  [[nodiscard]] Type accept_type() {
    const Type type = type_from_word(next());
    if (type != Type::none) rest_.remove_prefix(next().size());
    return type;
  }
  [[nodiscard]] bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

constexpr std::array<std::pair<std::string_view, std::uint8_t>, 5> tensor_ranks{
    {{".1d", 1}, {".2d", 2}, {".3d", 3}, {".4d", 4}, {".5d", 5}}};
constexpr std::array<std::pair<std::string_view, AtomicOp>, 8> bulk_operations{{
    {".add", AtomicOp::add},
    {".min", AtomicOp::min},
    {".max", AtomicOp::max},
    {".inc", AtomicOp::inc},
    {".dec", AtomicOp::dec},
    {".and", AtomicOp::and_},
    {".or", AtomicOp::or_},
    {".xor", AtomicOp::xor_},
}};

template <class Value, std::size_t count>
bool one_word_of(BulkWords& words, const std::array<std::pair<std::string_view, Value>, count>& known,
                 Value& out) {
  for (const auto& [word, value] : known) {
    if (!words.accept(word)) continue;
    out = value;
    return true;
  }
  return false;
}

/// Where data go stands in front of where it comes from.
bool decode_bulk_direction(BulkWords& words, BulkForm& bulk) {
  if (bulk.mode == BulkMode::prefetch) return words.accept(".L2") && words.accept(".global");
  if (words.accept(".global")) {
    if (bulk.mode == BulkMode::none) bulk.mode = BulkMode::store;
    return words.accept(".shared::cta");
  }
  const bool is_reduction = bulk.mode == BulkMode::reduce;
  bulk.mode = BulkMode::load;
  return !is_reduction && (words.accept(".shared::cluster") || words.accept(".shared::cta")) &&
         words.accept(".global");
}

/// What a linear cp.reduce.async.bulk to global memory takes (PTX ISA).
bool bulk_reduces(AtomicOp operation, Type type) {
  const bool unsigned_int = type == Type::u32 || type == Type::u64;
  switch (operation) {
    case AtomicOp::add:
      return unsigned_int || type == Type::s32 || type == Type::f16 || type == Type::bf16 ||
             type == Type::f32 || type == Type::f64;
    case AtomicOp::min:
    case AtomicOp::max:
      return unsigned_int || type == Type::s32 || type == Type::s64 || type == Type::f16 ||
             type == Type::bf16;
    case AtomicOp::inc:
    case AtomicOp::dec:
      return type == Type::u32;
    default:
      return type == Type::b32 || type == Type::b64;
  }
}

void decode_bulk_copy(BulkWords words, Form& form) {
  Instruction& i = form.prototype;
  BulkForm& bulk = i.bulk;
  form.shape = Shape::bulk_copy;
  i.op = Opcode::bulk_copy;
  i.space = Space::shared;
  if (bulk.mode == BulkMode::none && words.accept(".prefetch")) bulk.mode = BulkMode::prefetch;
  const bool tensor = words.accept(".tensor");
  if (tensor && !one_word_of(words, tensor_ranks, bulk.dimensions)) return;
  if (!decode_bulk_direction(words, bulk)) return;
  const bool reduction = bulk.mode == BulkMode::reduce;
  if (reduction && tensor && !one_word_of(words, bulk_operations, i.atomic)) return;
  if (tensor) (void)words.accept(".tile");
  if (bulk.mode == BulkMode::load) {
    if (!words.accept(".mbarrier::complete_tx::bytes")) return;
    bulk.multicast = words.accept(".multicast::cluster");
  } else if (bulk.mode != BulkMode::prefetch && !words.accept(".bulk_group")) {
    return;
  }
  (void)words.accept(".L2::cache_hint");
  if (reduction && !tensor) {
    if (!one_word_of(words, bulk_operations, i.atomic)) return;
    const bool subnormals = words.accept(".noftz");
    i.type = i.type2 = words.accept_type();
    const bool half = i.type == Type::f16 || i.type == Type::bf16;
    if (!bulk_reduces(i.atomic, i.type) || subnormals != (half && i.atomic == AtomicOp::add)) return;
  }
  form.known = words.done();
}

/// fence.proxy.KIND, the two ends of fence.proxy.tensormap, and fence.mbarrier_init.
bool is_proxy_fence(BulkWords words) {
  if (words.accept(".mbarrier_init"))
    return words.accept(".release") && words.accept(".cluster") && words.done();
  if (!words.accept(".proxy")) return false;
  if (words.accept(".alias")) return words.done();
  if (words.accept(".async")) {
    (void)(words.accept(".global") || words.accept(".shared::cta") || words.accept(".shared::cluster"));
    return words.done();
  }
  if (words.accept(".async::generic")) {
    const bool acquires = words.accept(".acquire");
    if (!acquires && !words.accept(".release")) return false;
    return words.accept(acquires ? ".sync_restrict::shared::cluster" : ".sync_restrict::shared::cta") &&
           words.accept(".cluster") && words.done();
  }
  if (!words.accept(".tensormap::generic")) return false;
  return (words.accept(".acquire") || words.accept(".release")) &&
         (words.accept(".cta") || words.accept(".cluster") || words.accept(".gpu") || words.accept(".sys")) &&
         words.done();
}

bool is_map_prefetch(BulkWords words) {
  (void)(words.accept(".const") || words.accept(".param"));
  return words.accept(".tensormap") && words.done();
}

}  // namespace

Form decode_bulk_opcode(std::string_view spelling) {
  constexpr std::string_view copy = "cp.async.bulk", reduction = "cp.reduce.async.bulk";
  Form form;
  Instruction& i = form.prototype;
  if (spelling == "cp.async.bulk.commit_group") {
    i.op = Opcode::bulk_commit;
    form.known = true;
  } else if (spelling.starts_with("cp.async.bulk.wait_group")) {
    i.op = Opcode::bulk_wait;
    i.bulk.only_reads = spelling == "cp.async.bulk.wait_group.read";
    form.known = i.bulk.only_reads || spelling == "cp.async.bulk.wait_group";
    form.src_min = form.src_max = 1;
    form.src[0] = Type::u32;
  } else if (spelling.starts_with(copy)) {
    decode_bulk_copy(BulkWords(spelling.substr(copy.size())), form);
  } else if (spelling.starts_with(reduction)) {
    i.bulk.mode = BulkMode::reduce;
    decode_bulk_copy(BulkWords(spelling.substr(reduction.size())), form);
  } else if (spelling.starts_with("fence.")) {
    i.op = Opcode::proxy_fence;
    form.shape = Shape::bulk_copy;
    form.known = is_proxy_fence(BulkWords(spelling.substr(5)));
  } else if (spelling.starts_with("prefetch.")) {
    i.op = Opcode::prefetch;
    i.space = Space::generic;
    form.shape = Shape::address;
    form.known = is_map_prefetch(BulkWords(spelling.substr(8)));
  }
  return form;
}

}  // namespace evo::evaluators::virtual_device::ptx
